//! The group over single values: exact additions, and what needs inversions, roots or the constants
//! of the curve.

use super::{AffinePoint, BaseField, Curve, Group, JacobianPoint};
use crate::field::{Field, Mask as _};

/// One value wide: the exceptional cases are branches, so the time depends on the points.
impl<C: Curve, F: Field<Mask = bool>> Group<C, F> {
    /// P + Q, right for every P and Q. 8M + 3S unless exceptional.
    #[inline(always)]
    pub fn add_mixed_vartime(
        &self,
        p: &JacobianPoint<F::Element>,
        q: &AffinePoint<F::Element>,
    ) -> JacobianPoint<F::Element> {
        let (sum, exceptional) = self.add_mixed_incomplete(p, q);
        if exceptional.any() {
            self.add_exceptional(p, &self.from_affine(q))
        } else {
            sum
        }
    }

    /// P + Q, right for every P and Q. 12M + 4S unless exceptional.
    #[inline(never)]
    pub fn add_vartime(
        &self,
        p: &JacobianPoint<F::Element>,
        q: &JacobianPoint<F::Element>,
    ) -> JacobianPoint<F::Element> {
        let (sum, exceptional) = self.add_incomplete(p, q);
        if exceptional.any() {
            self.add_exceptional(p, q)
        } else {
            sum
        }
    }

    /// P + Q where one is infinity or the x-coordinates are equal.
    #[cold]
    #[inline(never)]
    fn add_exceptional(
        &self,
        p: &JacobianPoint<F::Element>,
        q: &JacobianPoint<F::Element>,
    ) -> JacobianPoint<F::Element> {
        if self.is_infinity(p) {
            return *q;
        }
        if self.is_infinity(q) {
            return *p;
        }
        // The same x: either the same point or opposite ones.
        let f = self.field();
        let p_z3 = f.mul(&f.square(&p.z), &p.z);
        let q_z3 = f.mul(&f.square(&q.z), &q.z);
        if f.equal(&f.mul(&p.y, &q_z3), &f.mul(&q.y, &p_z3)) {
            self.double(p)
        } else {
            self.infinity()
        }
    }
}

/// What needs inversions, roots or the constants of the curve.
impl<C: Curve, F: BaseField<C>> Group<C, F> {
    /// x^3 + a x + b.
    fn right_side(&self, x: &F::Element) -> F::Element {
        let f = self.field();
        let x3_ax = f.mul(&f.add(&f.square(x), &self.curve().a()), x);
        f.add(&x3_ax, &self.curve().b())
    }

    /// Whether (x, y) satisfies the equation of the curve. 2M + 2S.
    pub fn is_on_curve(&self, p: &AffinePoint<F::Element>) -> bool {
        self.field()
            .equal(&self.field().square(&p.y), &self.right_side(&p.x))
    }

    /// The point with this x-coordinate whose y is odd or even; `None` when x is not on the curve.
    /// One square root. Variable time: for public values only.
    pub fn lift_x_vartime(
        &self,
        x: &F::Element,
        y_is_odd: bool,
    ) -> Option<AffinePoint<F::Element>> {
        let f = self.field();
        let y = f.sqrt_vartime(&self.right_side(x))?;
        // y = 0 would be a point of order two: there is none in a group of odd order.
        let y = if f.is_odd(&y) == y_is_odd {
            y
        } else {
            f.negate(&y)
        };
        (f.is_odd(&y) == y_is_odd).then_some(AffinePoint { x: *x, y })
    }

    /// The affine form; `None` for infinity. One inversion, 3M + 1S.
    pub fn to_affine_vartime(
        &self,
        p: &JacobianPoint<F::Element>,
    ) -> Option<AffinePoint<F::Element>> {
        let f = self.field();
        let z_inverse = f.invert_vartime(&p.z)?;
        Some(self.scale(p, &z_inverse))
    }
}
