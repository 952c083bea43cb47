//! Verification with a known R, and verification that returns the recovery id of R.

use super::{Hint, RecoveryId, Strategy, Verify};
use crate::curve::{
    AffinePoint, BaseField, Curve, Group, JacobianPoint, Operation, PointForm, ScalarField,
};
use crate::error::Error;
use crate::limbs::is_below;
use crate::multiply::{
    double_base_mul_vartime, is_double_base_sum_vartime, prepared_double_base_mul_vartime,
};
use crate::scalar;

/// The form in which R is known.
#[derive(Clone, Copy, Debug)]
pub enum KnownPoint<'a, E> {
    /// By r and a hint.
    Hint(Hint<'a>),
    /// As a point on the curve.
    Affine(&'a AffinePoint<E>),
}

/// The check that a signature leads to a known point R.
///
/// With a hint, the check succeeds only if the signature is valid: the hint's R is on the curve,
/// and x(R) mod n = r. It may fail for a valid signature, because the hint may be wrong. A given
/// point is compared with u1 G + u2 Q, and not with r.
///
/// Needs half the doublings of [`Verify`] for a fresh key on a curve without an endomorphism.
#[derive(Clone, Copy, Debug)]
pub struct LeadsTo<'a, C: Curve> {
    /// The signature.
    pub verify: Verify<'a, C>,
    /// R.
    pub point: KnownPoint<'a, C::BaseElement>,
}

impl<C: Curve> Operation<C> for LeadsTo<'_, C> {
    type Output = bool;

    #[inline(always)]
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, order: S) -> bool {
        let group = Group::new(curve, base);
        let r = match self.point {
            KnownPoint::Affine(r) => Some(PointForm::Affine(*r)),
            KnownPoint::Hint(hint) => hint.form_vartime(&group, order, self.verify.signature.r()),
        };
        let Some(r) = r else {
            return false;
        };
        let Ok([u1, u2]) = self.verify.scalars(order) else {
            return false;
        };
        match self.verify.strategy {
            Strategy::Fresh(q) if curve.endomorphism().is_none() => {
                is_double_base_sum_vartime(&group, order, &u1, (q, &u2), &r)
            }
            _ => {
                let r = group.decompressed_vartime(&r);
                r.is_some_and(|r| is_at(&group, &sum(&group, &self.verify, &u1, &u2), &r))
            }
        }
    }
}

/// Verification that returns the recovery id: one inversion and 3M + 1S more than [`Verify`].
#[derive(Clone, Copy, Debug)]
pub struct VerifyRecoverable<'a, C: Curve>(pub Verify<'a, C>);

impl<C: Curve> Operation<C> for VerifyRecoverable<'_, C> {
    type Output = Result<RecoveryId, Error>;

    #[inline(always)]
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, order: S) -> Self::Output {
        let verify = self.0;
        let [u1, u2] = verify.scalars(order)?;
        let group = Group::new(curve, base);
        let point = group.to_affine_vartime(&sum(&group, &verify, &u1, &u2));
        let point = point.ok_or(Error::SignatureMismatch)?;
        let x = base.to_integer(&point.x);
        let is_reduced = !is_below(x.as_ref(), order.modulus().as_ref());
        if scalar::reduce(order, x) != *verify.signature.r() {
            return Err(Error::SignatureMismatch);
        }
        Ok(RecoveryId::new(base.is_odd(&point.y), is_reduced))
    }
}

/// u1 G + u2 Q.
#[inline(always)]
fn sum<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    verify: &Verify<'_, C>,
    u1: &C::Integer,
    u2: &C::Integer,
) -> JacobianPoint<C::BaseElement> {
    match verify.strategy {
        Strategy::Fresh(q) => double_base_mul_vartime(group, u1.as_ref(), q, u2),
        Strategy::Prepared(q) => {
            prepared_double_base_mul_vartime(group, u1.as_ref(), q, u2.as_ref())
        }
    }
}

/// Reports whether X = x Z^2 and Y = y Z^3, with Z not zero. 3M + 1S.
#[inline(always)]
fn is_at<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    sum: &JacobianPoint<C::BaseElement>,
    point: &AffinePoint<C::BaseElement>,
) -> bool {
    let f = group.field();
    let z2 = f.square(&sum.z);
    let z3 = f.mul(&z2, &sum.z);
    !group.is_infinity(sum)
        && f.equal(&sum.x, &f.mul(&point.x, &z2))
        && f.equal(&sum.y, &f.mul(&point.y, &z3))
}
