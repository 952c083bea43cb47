//! Complete additions: correct for every two points, in the same time for all of them. They are for
//! sums of secret multiples of points that an attacker may have chosen.

use super::{AffinePoint, BaseField, Curve, Group, JacobianPoint};
use crate::ct;

impl<C: Curve, F: BaseField<C>> Group<C, F> {
    /// P + Q for P in Jacobian and Q in affine coordinates, correct for every P, in constant time.
    ///
    /// 8M + 4S: the cost of the incomplete addition, and 1S for a tangent. Chord and tangent differ
    /// only in their slope r / h. If P = Q, P is replaced by (x, y, 1), h by y and r by the half
    /// tangent (3x^2 + a) / 2; both x are then the same, so h^3 is not subtracted from x'. If
    /// P = -Q, h is zero, and so is z'. If P is infinity, the sum is Q.
    #[inline(always)]
    pub fn add_mixed(
        &self,
        p: &JacobianPoint<F::Element>,
        q: &AffinePoint<F::Element>,
    ) -> JacobianPoint<F::Element> {
        let f = self.field();
        let z2 = f.square(&p.z);
        let h = f.mul_sub(&q.x, &z2, &p.x);
        let r = f.mul_sub(&q.y, &f.mul(&z2, &p.z), &p.y);
        let equal = masked(f.is_zero(&h) & f.is_zero(&r));
        let was_infinity = masked(f.is_zero(&p.z));
        // If P is infinity it may look equal too, but its sum is replaced at the end.
        let half_tangent = f.half(&self.affine_tangent(&q.x));
        let r = f.select(equal, &half_tangent, &r);
        let h = f.select(equal, &q.y, &h);
        let x = f.select(equal, &q.x, &p.x);
        let y = f.select(equal, &q.y, &p.y);
        let z = f.select(equal, &f.one(), &p.z);
        let h2 = f.square(&h);
        let h3 = f.mul(&h2, &h);
        let v = f.mul(&x, &h2);
        let difference = f.select(equal, &f.zero(), &h3);
        let x3 = f.sub(&f.square_sub_both(&r, &difference, &v), &v);
        let y3 = f.mul_sub(&r, &f.sub(&v, &x3), &f.mul(&y, &h3));
        let sum = JacobianPoint {
            x: x3,
            y: y3,
            z: f.mul(&z, &h),
        };
        self.select(was_infinity, &self.from_affine(q), &sum)
    }

    /// P + Q, correct for every P and Q, in constant time. Costs an incomplete addition and a
    /// doubling.
    ///
    /// The incomplete addition yields z' = 0 if its result is meaningless. For two points with the
    /// same x that are not infinity, x' is then the square of the difference of their y. So it is
    /// zero if and only if they are equal.
    #[inline(always)]
    pub fn add(
        &self,
        p: &JacobianPoint<F::Element>,
        q: &JacobianPoint<F::Element>,
    ) -> JacobianPoint<F::Element> {
        let f = self.field();
        let (sum, exceptional) = self.add_incomplete(p, q);
        let equal = masked(exceptional & f.is_zero(&sum.x));
        let sum = self.select(equal, &self.double(p), &sum);
        let sum = self.select(masked(self.is_infinity(q)), p, &sum);
        self.select(masked(self.is_infinity(p)), q, &sum)
    }
}

/// Returns the condition unchanged, but hides from the compiler that it came from a comparison, so
/// that it cannot turn the choice into a branch.
#[inline(always)]
fn masked(condition: bool) -> bool {
    ct::mask(condition) & 1 == 1
}
