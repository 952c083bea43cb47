//! Verification with keys whose curve is known at run time only: signatures are bytes there.

use super::any::{PreparedKeyKind, VerifyingKeyKind};
use super::kinds::for_any;
use super::{AnyPreparedKey, AnyVerifyingKey, HashName, Policy, Signature, SignatureFormat};
use crate::error::Error;

/// The methods that verify, of keys with a table and without.
macro_rules! verification {
    ($any:ident($kinds:ident), $key:ident => $domain:expr) => {
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
                self.verify_with_hash(self.curve().default_hash(), message, signature, format)
            }

            /// [`verify`](Self::verify) of what a policy accepts.
            ///
            /// # Errors
            /// Those of [`verify`](Self::verify); [`Error::HighS`] where the policy forbids it.
            pub fn verify_with_policy(
                &self,
                message: &[u8],
                signature: &[u8],
                format: SignatureFormat,
                policy: Policy,
            ) -> Result<(), Error> {
                let digest = self.curve().default_hash().digest(message);
                self.verify_prehash_with_policy(&digest, signature, format, policy)
            }

            /// [`verify`](Self::verify) under a hash of the caller's choice.
            ///
            /// # Errors
            /// Those of [`verify`](Self::verify).
            pub fn verify_with_hash(
                &self,
                hash: HashName,
                message: &[u8],
                signature: &[u8],
                format: SignatureFormat,
            ) -> Result<(), Error> {
                self.verify_prehash(&hash.digest(message), signature, format)
            }

            /// Verifies a signature of a digest of any length but 0.
            ///
            /// # Errors
            /// Those of [`verify`](Self::verify); [`Error::DigestEmpty`].
            pub fn verify_prehash(
                &self,
                digest: &[u8],
                signature: &[u8],
                format: SignatureFormat,
            ) -> Result<(), Error> {
                self.verify_prehash_with_policy(digest, signature, format, Policy::default())
            }

            /// [`verify_prehash`](Self::verify_prehash) of what a policy accepts.
            ///
            /// # Errors
            /// Those of [`verify_prehash`](Self::verify_prehash); [`Error::HighS`] where the policy
            /// forbids it.
            pub fn verify_prehash_with_policy(
                &self,
                digest: &[u8],
                signature: &[u8],
                format: SignatureFormat,
                policy: Policy,
            ) -> Result<(), Error> {
                for_any!($kinds, self, $key => {
                    let signature = Signature::from_bytes_on($domain, signature, format)?;
                    $key.verify_prehash_with_policy(digest, &signature, policy)
                })
            }
        }
    };
}

verification!(AnyVerifyingKey(VerifyingKeyKind), key => key.domain());
verification!(AnyPreparedKey(PreparedKeyKind), key => key.verifying_key().domain());
