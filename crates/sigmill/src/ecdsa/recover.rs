//! Recovery of the public key from a signature, step by step (SEC 1 §4.1.6).

use super::{RecoveryId, SignatureScalars, hint};
use crate::curve::{AffinePoint, BaseField, CompressedPoint, Curve, Group, Operation, ScalarField};
use crate::error::Error;
use crate::multiply::decompressed_double_base_mul_vartime;
use crate::scalar;

/// One public key to recover. The policy is checked elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Recover<'a, C: Curve> {
    /// The digest of the message, any length but 0.
    pub digest: &'a [u8],
    /// The signature.
    pub signature: &'a SignatureScalars<C::Integer>,
    /// The id of R among the points that r allows.
    pub id: RecoveryId,
}

impl<C: Curve> Recover<'_, C> {
    /// Step 1.1: x = r + j n, where j is 0 or 1, as an element of the field.
    #[inline(always)]
    pub(super) fn x<F: BaseField<C>, S: ScalarField<C>>(
        &self,
        base: F,
        order: S,
    ) -> Result<C::BaseElement, Error> {
        let x = hint::x_vartime(base, order, *self.signature.r(), self.id.is_x_reduced());
        x.ok_or(Error::RecoveryXOutOfRange)
    }
}

impl<C: Curve> Operation<C> for Recover<'_, C> {
    type Output = Result<AffinePoint<C::BaseElement>, Error>;

    #[inline(always)]
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, order: S) -> Self::Output {
        // Step 1.5: e from the digest.
        if self.digest.is_empty() {
            return Err(Error::DigestEmpty);
        }
        let e = scalar::integer_from_digest(order, self.digest);
        // Steps 1.1 to 1.4: R. The order of the group is prime, so n R is infinity.
        let group = Group::new(curve, base);
        let point = CompressedPoint {
            x: self.x(base, order)?,
            y_is_odd: self.id.is_y_odd(),
        };
        // Step 1.6.1: Q = r^-1 (s R - e G). As integers, e, r and s are divided by the constant of
        // the Montgomery form.
        let element = |integer| order.from_integer_over_r(integer);
        let Some(w) = order.invert_vartime(&element(self.signature.r())) else {
            return Err(Error::RZero);
        };
        let u1 = order.to_integer(&order.negate(&order.mul(&element(&e), &w)));
        let u2 = order.to_integer(&order.mul(&element(self.signature.s()), &w));
        let q = decompressed_double_base_mul_vartime(&group, u1.as_ref(), &point, &u2);
        let q = q.ok_or(Error::RecoveryNotOnCurve)?;
        // Step 1.6.2: the signature is valid for Q, because R = e/s G + r/s Q by construction.
        group.to_affine_vartime(&q).ok_or(Error::RecoveredInfinity)
    }
}
