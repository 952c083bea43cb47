//! Verification with a known R, and verification that returns the recovery id of R.

use super::{PreparedKey, VerifyingKey};
use crate::curve::{Domain, NamedCurve};
use crate::ecdsa::{
    FullSignature, Hint, Policy, RecoveryId, Signature, verify_full, verify_recoverable,
    verify_with_hint,
};
use crate::error::Error;

impl<C: Domain> VerifyingKey<C> {
    /// [`verify_prehash`](Self::verify_prehash) that also returns the recovery id. The id and r
    /// determine R. The id is a [`Hint`] that makes every later verification of the signature
    /// quicker, and [recovery](Self::recover_from_prehash) needs it. Costs one more inversion.
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

    /// [`verify_prehash`](Self::verify_prehash) of a signature whose R is known. A correct hint
    /// saves time, except on secp256k1. A wrong hint, or any hint for an invalid signature, costs
    /// time. The result does not depend on the hint.
    ///
    /// ```
    /// use sigmill::p256::SigningKey;
    /// use sigmill::{Hint, RecoveryId};
    ///
    /// let key = SigningKey::generate()?;
    /// let (signature, id) = key.sign_prehash_recoverable(&[7; 32])?;
    /// let key = key.verifying_key();
    /// key.verify_prehash_with_hint(&[7; 32], &signature, id.into())?;
    /// assert_eq!(key.verify_prehash_recoverable(&[7; 32], &signature), Ok(id));
    /// // A wrong one is of no use, and does no harm.
    /// let wrong = Hint::from(RecoveryId::new(!id.is_y_odd(), false));
    /// key.verify_prehash_with_hint(&[7; 32], &signature, wrong)?;
    /// # Ok::<(), sigmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`verify_prehash`](Self::verify_prehash).
    pub fn verify_prehash_with_hint(
        &self,
        digest: &[u8],
        signature: &Signature<C>,
        hint: Hint<'_>,
    ) -> Result<(), Error> {
        self.verify_prehash_with_hint_and_policy(digest, signature, hint, Policy::default())
    }

    /// [`verify_prehash_with_hint`](Self::verify_prehash_with_hint) under a policy.
    ///
    /// # Errors
    /// Those of [`verify_prehash_with_policy`](Self::verify_prehash_with_policy).
    pub fn verify_prehash_with_hint_and_policy(
        &self,
        digest: &[u8],
        signature: &Signature<C>,
        hint: Hint<'_>,
        policy: Policy,
    ) -> Result<(), Error> {
        verify_with_hint(
            self.domain(),
            self.strategy(),
            digest,
            signature,
            hint,
            policy,
        )
    }
}

impl<C: NamedCurve> VerifyingKey<C> {
    /// [`verify`](Self::verify) of a signature whose R is known; see
    /// [`verify_prehash_with_hint`](Self::verify_prehash_with_hint).
    ///
    /// # Errors
    /// Those of [`verify`](Self::verify).
    pub fn verify_with_hint(
        &self,
        message: &[u8],
        signature: &Signature<C>,
        hint: Hint<'_>,
    ) -> Result<(), Error> {
        let digest = self.algorithm().hash.digest(message);
        self.verify_prehash_with_hint(&digest, signature, hint)
    }
}

impl<C: Domain> VerifyingKey<C> {
    /// Verifies a signature (R, s) of a digest: checks that u1 G + u2 Q is R. The digest may have
    /// any length except 0.
    ///
    /// # Errors
    /// [`Error::SignatureMismatch`], [`Error::DigestEmpty`].
    pub fn verify_prehash_full(
        &self,
        digest: &[u8],
        signature: &FullSignature<C>,
    ) -> Result<(), Error> {
        self.verify_prehash_full_with_policy(digest, signature, Policy::default())
    }

    /// [`verify_prehash_full`](Self::verify_prehash_full) under a policy.
    ///
    /// # Errors
    /// Those of [`verify_prehash_full`](Self::verify_prehash_full); [`Error::HighS`] and
    /// [`Error::NotFriendly`] if the policy forbids the signature. [`Error::NotFriendly`] is
    /// returned even if the signature is not one of the digest.
    pub fn verify_prehash_full_with_policy(
        &self,
        digest: &[u8],
        signature: &FullSignature<C>,
        policy: Policy,
    ) -> Result<(), Error> {
        verify_full(self.domain(), self.strategy(), digest, signature, policy)
    }
}

impl<C: Domain> PreparedKey<C> {
    /// Verifies a signature (R, s) of a digest; see [`VerifyingKey::verify_prehash_full`].
    ///
    /// # Errors
    /// [`Error::SignatureMismatch`], [`Error::DigestEmpty`].
    pub fn verify_prehash_full(
        &self,
        digest: &[u8],
        signature: &FullSignature<C>,
    ) -> Result<(), Error> {
        self.verify_prehash_full_with_policy(digest, signature, Policy::default())
    }

    /// [`verify_prehash_full`](Self::verify_prehash_full) under a policy.
    ///
    /// # Errors
    /// Those of [`VerifyingKey::verify_prehash_full_with_policy`].
    pub fn verify_prehash_full_with_policy(
        &self,
        digest: &[u8],
        signature: &FullSignature<C>,
        policy: Policy,
    ) -> Result<(), Error> {
        let domain = self.verifying_key().domain();
        verify_full(domain, self.strategy(), digest, signature, policy)
    }
}

impl<C: Domain> VerifyingKey<C> {
    /// Returns the friendly one of (r, s) and (r, n - s), for a signature of this digest by this
    /// key. Runs one verification, then [`Signature::to_friendly`].
    ///
    /// # Errors
    /// [`Error::SignatureMismatch`], [`Error::DigestEmpty`]; [`Error::CannotBeFriendly`] if x(R) =
    /// r + n.
    pub fn to_friendly_prehash(
        &self,
        digest: &[u8],
        signature: &Signature<C>,
    ) -> Result<Signature<C>, Error> {
        signature.to_friendly(self.verify_prehash_recoverable(digest, signature)?)
    }
}
