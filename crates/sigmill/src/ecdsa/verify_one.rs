//! One verification on the best backend: plain, with a known R, or returning the recovery id of R.

use super::verify::{Strategy, Verify};
use super::{
    Hint, KnownPoint, LeadsTo, LowS, Policy, RecoveryId, Signature, SignatureScalars,
    VerifyRecoverable,
};
use crate::curve::{AffinePoint, BaseElement, Curve, Domain, Integer};
use crate::error::Error;

/// Checks the policy, then the equation, on the best backend. A signature on another curve of the
/// same type is not valid for this key: its r and s are in the range of another order.
pub(crate) fn verify<C: Domain>(
    domain: C,
    strategy: Strategy<'_, BaseElement<C>>,
    digest: &[u8],
    signature: &Signature<C>,
    policy: Policy,
) -> Result<(), Error> {
    policy.check(signature)?;
    if signature.domain() != domain {
        return Err(Error::SignatureMismatch);
    }
    let verify = Verify {
        strategy,
        digest,
        signature: signature.scalars(),
    };
    if policy.low_s == LowS::Friendly {
        return verify_friendly(domain.curve(), verify);
    }
    domain.curve().dispatch_lanes(verify)
}

/// [`verify`] with a hint for R. The hint may save time and does not change the result.
pub(crate) fn verify_with_hint<C: Domain>(
    domain: C,
    strategy: Strategy<'_, BaseElement<C>>,
    digest: &[u8],
    signature: &Signature<C>,
    hint: Hint<'_>,
    policy: Policy,
) -> Result<(), Error> {
    policy.check(signature)?;
    // A policy for friendly signatures needs R in any case, and has its own hint.
    if policy.low_s != LowS::Friendly
        && signature.domain() == domain
        && leads_by_hint(
            domain.curve(),
            Verify {
                strategy,
                digest,
                signature: signature.scalars(),
            },
            hint,
        )
    {
        return Ok(());
    }
    verify(domain, strategy, digest, signature, policy)
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
pub(crate) fn verify_recoverable<C: Domain>(
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
