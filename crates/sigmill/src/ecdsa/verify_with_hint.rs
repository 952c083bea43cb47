//! Verification with a known R, and verification that returns the recovery id of R.

use super::verify::{Strategy, Verify};
use super::verifying_key::verify;
use super::{
    Hint, KnownPoint, LeadsTo, LowS, Policy, RecoveryId, Signature, SignatureScalars,
    VerifyRecoverable, VerifyingKey,
};
use crate::curve::{AffinePoint, BaseElement, Curve, Domain, Integer, NamedCurve};
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
        verify_with_hint(self, digest, signature, hint, policy)
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

/// [`verify`] with a hint for R. The hint may save time and does not change the result.
fn verify_with_hint<C: Domain>(
    key: &VerifyingKey<C>,
    digest: &[u8],
    signature: &Signature<C>,
    hint: Hint<'_>,
    policy: Policy,
) -> Result<(), Error> {
    policy.check(signature)?;
    // A policy for friendly signatures needs R in any case, and has its own hint.
    if policy.low_s != LowS::Friendly
        && signature.domain() == key.domain()
        && leads_by_hint(
            key.domain().curve(),
            Verify {
                strategy: key.strategy(),
                digest,
                signature: signature.scalars(),
            },
            hint,
        )
    {
        return Ok(());
    }
    verify(key.domain(), key.strategy(), digest, signature, policy)
}

/// Reports whether a signature leads to the R of a hint, and so is valid. Returns false where
/// verification without a hint is as fast: with a table or an endomorphism (docs/half-size.md).
fn leads_by_hint<C: Curve>(curve: C, verify: Verify<'_, C>, hint: Hint<'_>) -> bool {
    let point = KnownPoint::Hint(hint);
    matches!(verify.strategy, Strategy::Fresh(_))
        && curve.endomorphism().is_none()
        && curve.dispatch(LeadsTo { verify, point })
}

/// Checks that a signature is valid and friendly: first with the R that a friendly r names and, if
/// that fails, by verification that computes R.
///
/// # Errors
/// Those of [`Verify`], and [`Error::NotFriendly`] for a valid signature that is not friendly.
pub(crate) fn verify_friendly<C: Curve>(curve: C, verify: Verify<'_, C>) -> Result<(), Error> {
    if leads_by_hint(curve, verify, Hint::Id(RecoveryId::FRIENDLY)) {
        return Ok(());
    }
    if curve.dispatch(VerifyRecoverable(verify))?.is_friendly() {
        Ok(())
    } else {
        Err(Error::NotFriendly)
    }
}

/// Reports whether u1 G + u2 Q is this point, on the best backend.
pub(super) fn leads_to<C: Domain>(
    domain: C,
    strategy: Strategy<'_, BaseElement<C>>,
    digest: &[u8],
    signature: &SignatureScalars<Integer<C>>,
    point: &AffinePoint<BaseElement<C>>,
) -> bool {
    domain.curve().dispatch(LeadsTo {
        verify: Verify {
            strategy,
            digest,
            signature,
        },
        point: KnownPoint::Affine(point),
    })
}

/// Verification that returns the recovery id, on the best backend.
pub(super) fn verify_recoverable<C: Domain>(
    domain: C,
    strategy: Strategy<'_, BaseElement<C>>,
    digest: &[u8],
    signature: &Signature<C>,
) -> Result<RecoveryId, Error> {
    if signature.domain() != domain {
        return Err(Error::SignatureMismatch);
    }
    domain.curve().dispatch(VerifyRecoverable(Verify {
        strategy,
        digest,
        signature: signature.scalars(),
    }))
}
