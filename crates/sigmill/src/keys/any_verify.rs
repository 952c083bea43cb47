//! Verification with keys whose curve is known only at run time. Signatures are passed as bytes.

use alloc::vec::Vec;

#[cfg(doc)]
use super::VerifyingKey;
use super::any::{PreparedKeyKind, VerifyingKeyKind};
use super::kinds::for_any;
use super::{AnyPreparedKey, AnyVerifyingKey};
use crate::ecdsa::{FullSignature, Hint, Policy, RecoveryId, Signature, SignatureFormat};
use crate::error::Error;
use crate::hash::HashName;

/// Verification methods of keys with a table and without.
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

            /// [`verify`](Self::verify) under a policy.
            ///
            /// # Errors
            /// Those of [`verify`](Self::verify); [`Error::HighS`] and [`Error::NotFriendly`] if
            /// the policy forbids the signature.
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

            /// [`verify`](Self::verify) with a hash that the caller chooses.
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
                self.verify_prehash_with_policy(digest, signature, format, Policy::default())
            }

            /// [`verify_prehash`](Self::verify_prehash) under a policy.
            ///
            /// # Errors
            /// Those of [`verify_prehash`](Self::verify_prehash); [`Error::HighS`] and
            /// [`Error::NotFriendly`] if the policy forbids the signature.
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
                for_any!($kinds, self, $key => {
                    let signature = Signature::from_bytes_on($domain, signature, format)?;
                    $key.verify_prehash_recoverable(digest, &signature)
                })
            }

            /// Verifies a signature (R, s) of a digest. [`FullSignature::from_bytes`] describes the
            /// bytes. See also [`VerifyingKey::verify_prehash_full`].
            ///
            /// # Errors
            /// Those of [`FullSignature::from_bytes`]; [`Error::SignatureMismatch`],
            /// [`Error::DigestEmpty`].
            pub fn verify_prehash_full(
                &self,
                digest: &[u8],
                signature: &[u8],
            ) -> Result<(), Error> {
                for_any!($kinds, self, $key => {
                    let signature = FullSignature::from_bytes_on($domain, signature)?;
                    $key.verify_prehash_full(digest, &signature)
                })
            }
        }
    };
}

verification!(AnyVerifyingKey(VerifyingKeyKind), key => key.domain());
verification!(AnyPreparedKey(PreparedKeyKind), key => key.verifying_key().domain());

/// Methods that exist only for keys without a table.
impl AnyVerifyingKey {
    /// [`verify_prehash`](Self::verify_prehash) of a signature whose R is known; see
    /// [`VerifyingKey::verify_prehash_with_hint`].
    ///
    /// # Errors
    /// Those of [`verify_prehash`](Self::verify_prehash).
    pub fn verify_prehash_with_hint(
        &self,
        digest: &[u8],
        signature: &[u8],
        format: SignatureFormat,
        hint: Hint<'_>,
    ) -> Result<(), Error> {
        for_any!(VerifyingKeyKind, self, key => {
            let signature = Signature::from_bytes_on(key.domain(), signature, format)?;
            key.verify_prehash_with_hint(digest, &signature, hint)
        })
    }

    /// [`verify_prehash_with_hint`](Self::verify_prehash_with_hint) under a policy.
    ///
    /// # Errors
    /// Those of [`verify_prehash_with_policy`](Self::verify_prehash_with_policy).
    pub fn verify_prehash_with_hint_and_policy(
        &self,
        digest: &[u8],
        signature: &[u8],
        format: SignatureFormat,
        hint: Hint<'_>,
        policy: Policy,
    ) -> Result<(), Error> {
        for_any!(VerifyingKeyKind, self, key => {
            let signature = Signature::from_bytes_on(key.domain(), signature, format)?;
            key.verify_prehash_with_hint_and_policy(digest, &signature, hint, policy)
        })
    }

    /// Returns the friendly one of (r, s) and (r, n - s), in the format given (`Auto` writes
    /// P1363); see [`VerifyingKey::to_friendly_prehash`].
    ///
    /// # Errors
    /// Those of [`verify_prehash`](Self::verify_prehash); [`Error::CannotBeFriendly`].
    pub fn to_friendly_prehash(
        &self,
        digest: &[u8],
        signature: &[u8],
        format: SignatureFormat,
    ) -> Result<Vec<u8>, Error> {
        for_any!(VerifyingKeyKind, self, key => {
            let signature = Signature::from_bytes_on(key.domain(), signature, format)?;
            Ok(key.to_friendly_prehash(digest, &signature)?.to_bytes(format))
        })
    }
}
