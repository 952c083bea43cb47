//! The group over single values: exact additions, and functions that need inversions, roots or the
//! constants of the curve.

use super::{AffinePoint, BaseField, CompressedPoint, Curve, Group, JacobianPoint, PointForm};
use crate::field::{Field, Mask as _};

/// One value wide. Exceptional cases are branches, so the time depends on the points.
impl<C: Curve, F: Field<Mask = bool>> Group<C, F> {
    /// P + Q, correct for every P and Q. 8M + 3S unless exceptional.
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

    /// P + Q, correct for every P and Q. 12M + 4S unless exceptional.
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

    /// P + Q if one of them is infinity or the x-coordinates are equal.
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
        // The same x: the points are equal or opposite.
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

/// Functions that need inversions, roots or the constants of the curve.
impl<C: Curve, F: BaseField<C>> Group<C, F> {
    /// x^3 + a x + b.
    pub(crate) fn right_side(&self, x: &F::Element) -> F::Element {
        let f = self.field();
        let x3_ax = f.mul(&f.add(&f.square(x), &self.curve().a()), x);
        f.add(&x3_ax, &self.curve().b())
    }

    /// Returns true if (x, y) satisfies the equation of the curve. 2M + 2S.
    pub fn is_on_curve(&self, p: &AffinePoint<F::Element>) -> bool {
        self.field()
            .equal(&self.field().square(&p.y), &self.right_side(&p.x))
    }

    /// The point with this x-coordinate whose y is odd or even as requested; `None` if x is not on
    /// the curve. One square root. Variable time: for public values only.
    pub fn lift_x_vartime(
        &self,
        x: &F::Element,
        y_is_odd: bool,
    ) -> Option<AffinePoint<F::Element>> {
        let f = self.field();
        let y = f.sqrt_vartime(&self.right_side(x))?;
        // y = 0 would be a point of order two, and a group of odd order has none.
        let y = if f.is_odd(&y) == y_is_odd {
            y
        } else {
            f.negate(&y)
        };
        (f.is_odd(&y) == y_is_odd).then_some(AffinePoint { x: *x, y })
    }

    /// Returns true if P + Q is infinity. 6M + 2S.
    pub fn are_opposite(
        &self,
        p: &JacobianPoint<F::Element>,
        q: &JacobianPoint<F::Element>,
    ) -> bool {
        let f = self.field();
        if self.is_infinity(p) || self.is_infinity(q) {
            return self.is_infinity(p) && self.is_infinity(q);
        }
        let (p_z2, q_z2) = (f.square(&p.z), f.square(&q.z));
        let y = f.mul(&p.y, &f.mul(&q_z2, &q.z));
        let minus_y = f.negate(&f.mul(&q.y, &f.mul(&p_z2, &p.z)));
        f.equal(&f.mul(&p.x, &q_z2), &f.mul(&q.x, &p_z2)) && f.equal(&y, &minus_y)
    }

    /// The point, given in any form; `None` for a compressed point that is not on the curve. One
    /// square root if compressed.
    pub fn decompressed_vartime(
        &self,
        form: &PointForm<F::Element>,
    ) -> Option<AffinePoint<F::Element>> {
        match form {
            PointForm::Affine(point) => Some(*point),
            PointForm::Compressed(point) => self.lift_x_vartime(&point.x, point.y_is_odd),
        }
    }

    /// The opposite point, in the same form. The point must have odd order, so that y is not 0.
    pub(crate) fn negate_form(&self, form: &PointForm<F::Element>) -> PointForm<F::Element> {
        match form {
            PointForm::Affine(point) => PointForm::Affine(self.negate_affine_if(point, true)),
            PointForm::Compressed(point) => PointForm::Compressed(CompressedPoint {
                x: point.x,
                y_is_odd: !point.y_is_odd,
            }),
        }
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
