//! Verification with keys typed by curve, with a table and without.

use super::options::{Input, VerifyOptions, hash_on};
use super::{PreparedKey, VerifyingKey};
use crate::curve::Domain;
use crate::ecdsa::{FullSignature, RecoveryId, Signature, verify, verify_full, verify_recoverable};
use crate::error::Error;

/// The methods of both kinds of keys.
macro_rules! verification {
    ($key:ident) => {
        impl<C: Domain> $key<C> {
            /// Verifies a signature of a message under the curve's own hash (SHA-384 for P-384,
            /// SHA-512 for P-521, SHA-256 for the others). Every s from 1 to n - 1 is accepted.
            ///
            /// # Errors
            /// [`Error::SignatureMismatch`].
            pub fn verify(&self, message: &[u8], signature: &Signature<C>) -> Result<(), Error> {
                self.verify_with(Input::Message(message), signature, &VerifyOptions::new())
            }

            /// Verifies a signature of a digest. The digest may have any length except 0; its
            /// leftmost bits are used, up to the bit length of the order. Every s from 1 to n - 1
            /// is accepted.
            ///
            /// # Errors
            /// [`Error::SignatureMismatch`], [`Error::DigestEmpty`].
            pub fn verify_prehash(
                &self,
                digest: &[u8],
                signature: &Signature<C>,
            ) -> Result<(), Error> {
                self.verify_with(Input::Digest(digest), signature, &VerifyOptions::new())
            }

            /// Verifies a signature with another hash, under a policy, or with a hint for R. A key
            /// with a table has no use for the hint.
            ///
            /// # Errors
            /// [`Error::SignatureMismatch`], [`Error::DigestEmpty`]; [`Error::HighS`] and
            /// [`Error::NotFriendly`] if the policy forbids the signature.
            pub fn verify_with(
                &self,
                input: Input<'_>,
                signature: &Signature<C>,
                options: &VerifyOptions<'_>,
            ) -> Result<(), Error> {
                let (domain, strategy) = (self.domain(), self.strategy());
                let VerifyOptions { hash, policy, hint } = *options;
                input.with_digest(hash_on(domain, hash), |digest| {
                    verify(domain, strategy, digest, signature, policy, hint)
                })
            }

            /// [`verify_prehash`](Self::verify_prehash) that also returns the recovery id. The id
            /// and r determine R. The id is a [`Hint`](crate::Hint) that makes every later
            /// verification of the signature quicker, and
            /// [recovery](VerifyingKey::recover_from_prehash) needs it. Costs one more inversion.
            ///
            /// # Errors
            /// Those of [`verify_prehash`](Self::verify_prehash).
            pub fn verify_prehash_recoverable(
                &self,
                digest: &[u8],
                signature: &Signature<C>,
            ) -> Result<RecoveryId, Error> {
                verify_recoverable(self.domain(), self.strategy(), digest, signature)
            }

            /// Verifies a signature (R, s): checks that u1 G + u2 Q is R. A hint has no effect.
            ///
            /// # Errors
            /// Those of [`verify_with`](Self::verify_with). [`Error::NotFriendly`] is returned even
            /// if the signature is not one of the input.
            pub fn verify_full(
                &self,
                input: Input<'_>,
                signature: &FullSignature<C>,
                options: &VerifyOptions<'_>,
            ) -> Result<(), Error> {
                let (domain, strategy) = (self.domain(), self.strategy());
                input.with_digest(hash_on(domain, options.hash), |digest| {
                    verify_full(domain, strategy, digest, signature, options.policy)
                })
            }
        }
    };
}

verification!(VerifyingKey);
verification!(PreparedKey);
