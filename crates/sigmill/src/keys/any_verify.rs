//! Verification with keys whose curve is known only at run time. Signatures are passed as bytes.

#[cfg(doc)]
use super::VerifyingKey;
use super::any::{PreparedKeyKind, VerifyingKeyKind};
use super::kinds::for_any;
use super::options::{Input, VerifyOptions};
use super::{AnyPreparedKey, AnyVerifyingKey};
use crate::ecdsa::{FullSignature, RecoveryId, Signature, SignatureFormat};
use crate::error::Error;

/// Verification methods of keys with a table and without.
macro_rules! verification {
    ($any:ident($kinds:ident)) => {
        impl $any {
            /// Verifies a signature of a message under the curve's own hash (SHA-384 for P-384,
            /// SHA-512 for P-521, SHA-256 for the others). Every s from 1 to n - 1 is accepted.
            ///
            /// # Errors
            /// Those of [`Signature::from_bytes`]; [`Error::SignatureMismatch`].
            pub fn verify(
                &self,
                message: &[u8],
                signature: &[u8],
                format: SignatureFormat,
            ) -> Result<(), Error> {
                let input = Input::Message(message);
                self.verify_with(input, signature, format, &VerifyOptions::new())
            }

            /// Verifies a signature of a digest. The digest may have any length except 0.
            ///
            /// # Errors
            /// Those of [`verify`](Self::verify); [`Error::DigestEmpty`].
            pub fn verify_prehash(
                &self,
                digest: &[u8],
                signature: &[u8],
                format: SignatureFormat,
            ) -> Result<(), Error> {
                let input = Input::Digest(digest);
                self.verify_with(input, signature, format, &VerifyOptions::new())
            }

            /// Verifies a signature with another hash, under a policy, or with a hint for R; see
            /// [`VerifyingKey::verify_with`].
            ///
            /// # Errors
            /// Those of [`Signature::from_bytes`] and of [`VerifyingKey::verify_with`].
            pub fn verify_with(
                &self,
                input: Input<'_>,
                signature: &[u8],
                format: SignatureFormat,
                options: &VerifyOptions<'_>,
            ) -> Result<(), Error> {
                for_any!($kinds, self, key => {
                    let signature = Signature::from_bytes_on(key.domain(), signature, format)?;
                    key.verify_with(input, &signature, options)
                })
            }

            /// [`verify_prehash`](Self::verify_prehash) that also returns the recovery id; see
            /// [`VerifyingKey::verify_prehash_recoverable`].
            ///
            /// # Errors
            /// Those of [`verify_prehash`](Self::verify_prehash).
            pub fn verify_prehash_recoverable(
                &self,
                digest: &[u8],
                signature: &[u8],
                format: SignatureFormat,
            ) -> Result<RecoveryId, Error> {
                for_any!($kinds, self, key => {
                    let signature = Signature::from_bytes_on(key.domain(), signature, format)?;
                    key.verify_prehash_recoverable(digest, &signature)
                })
            }

            /// Verifies a signature (R, s). [`FullSignature::from_bytes`] describes the bytes. See
            /// also [`VerifyingKey::verify_full`].
            ///
            /// # Errors
            /// Those of [`FullSignature::from_bytes`] and of [`VerifyingKey::verify_full`].
            pub fn verify_full(
                &self,
                input: Input<'_>,
                signature: &[u8],
                options: &VerifyOptions<'_>,
            ) -> Result<(), Error> {
                for_any!($kinds, self, key => {
                    let signature = FullSignature::from_bytes_on(key.domain(), signature)?;
                    key.verify_full(input, &signature, options)
                })
            }
        }
    };
}

verification!(AnyVerifyingKey(VerifyingKeyKind));
verification!(AnyPreparedKey(PreparedKeyKind));
