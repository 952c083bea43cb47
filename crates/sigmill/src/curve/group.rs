//! The formulas: points of a curve over one backend, one value or several lanes wide.
//!
//! M and S are products and squares; additions are not counted. Names of formulas are those of the
//! Explicit-Formulas Database (EFD), short Weierstrass curves, Jacobian coordinates.

use super::{
    AffinePoint, BaseField, CoefficientA, Curve, ExtendedPoint, FractionX, JacobianPoint, LanesOf,
};
use crate::field::{Field, Pair, Registers as _};

/// The group of points of `C`, computed with the field backend `F`.
#[derive(Clone, Copy, Debug)]
pub struct Group<C, F: Field> {
    curve: C,
    field: F,
    pub(super) a: F::Element,
}

impl<C: Curve, F: BaseField<C>> Group<C, F> {
    /// The group over a backend of single values.
    #[inline(always)]
    pub fn new(curve: C, field: F) -> Self {
        Self {
            curve,
            field,
            a: curve.a(),
        }
    }

    /// The same group two points wide.
    #[inline(always)]
    pub fn pair(&self) -> Group<C, Pair<F>> {
        Group {
            curve: self.curve,
            field: Pair(self.field),
            a: [self.a; 2],
        }
    }
}

impl<C: Curve, L: LanesOf<C>> Group<C, L> {
    /// The group over a backend of any width.
    #[inline(always)]
    pub fn wide(curve: C, field: L) -> Self {
        let a = curve.a();
        Self {
            curve,
            field,
            a: field.pack(|_| &a),
        }
    }

    /// The group over this backend's field of single values.
    #[inline(always)]
    pub fn single(&self) -> Group<C, L::Single> {
        Group::new(self.curve, self.field.single())
    }

    /// The group over the same field in registers.
    #[inline(always)]
    pub fn in_registers(&self, field: L::Registers) -> Group<C, L::Registers> {
        Group {
            curve: self.curve,
            field,
            a: field.load(&self.a),
        }
    }
}

impl<C: Curve, F: Field> Group<C, F> {
    /// The curve.
    #[inline(always)]
    pub fn curve(&self) -> C {
        self.curve
    }

    /// The backend.
    #[inline(always)]
    pub fn field(&self) -> F {
        self.field
    }

    /// The coefficient a.
    #[inline(always)]
    pub(crate) fn a(&self) -> &F::Element {
        &self.a
    }

    /// The point at infinity, as (1, 1, 0).
    #[inline(always)]
    pub fn infinity(&self) -> JacobianPoint<F::Element> {
        let one = self.field.one();
        JacobianPoint {
            x: one,
            y: one,
            z: self.field.zero(),
        }
    }

    /// An affine point in Jacobian coordinates, z = 1.
    #[inline(always)]
    pub fn from_affine(&self, p: &AffinePoint<F::Element>) -> JacobianPoint<F::Element> {
        JacobianPoint {
            x: p.x,
            y: p.y,
            z: self.field.one(),
        }
    }

    /// Returns true if the point is at infinity.
    #[inline(always)]
    pub fn is_infinity(&self, p: &JacobianPoint<F::Element>) -> F::Mask {
        self.field.is_zero(&p.z)
    }

    /// -P if `condition` holds, otherwise P, without a branch.
    #[inline(always)]
    pub fn negate_affine_if(
        &self,
        p: &AffinePoint<F::Element>,
        condition: F::Mask,
    ) -> AffinePoint<F::Element> {
        AffinePoint {
            x: p.x,
            y: self.field.negate_if(&p.y, condition),
        }
    }

    /// lambda P, the image (beta x, y) of P under the endomorphism with this beta. 1M.
    #[inline(always)]
    pub fn endomorphism(
        &self,
        beta: &F::Element,
        p: &AffinePoint<F::Element>,
    ) -> AffinePoint<F::Element> {
        AffinePoint {
            x: self.field.mul(beta, &p.x),
            y: p.y,
        }
    }

    /// P if `condition` holds, otherwise Q, without a branch.
    #[inline(always)]
    pub(crate) fn select_affine(
        &self,
        condition: F::Mask,
        p: &AffinePoint<F::Element>,
        q: &AffinePoint<F::Element>,
    ) -> AffinePoint<F::Element> {
        AffinePoint {
            x: self.field.select(condition, &p.x, &q.x),
            y: self.field.select(condition, &p.y, &q.y),
        }
    }

    /// P if `condition` holds, otherwise Q, without a branch.
    #[inline(always)]
    pub fn select(
        &self,
        condition: F::Mask,
        p: &JacobianPoint<F::Element>,
        q: &JacobianPoint<F::Element>,
    ) -> JacobianPoint<F::Element> {
        let f = self.field;
        JacobianPoint {
            x: f.select(condition, &p.x, &q.x),
            y: f.select(condition, &p.y, &q.y),
            z: f.select(condition, &p.z, &q.z),
        }
    }

    /// P if `condition` holds, otherwise Q, without a branch.
    #[inline(always)]
    pub fn select_extended(
        &self,
        condition: F::Mask,
        p: &ExtendedPoint<F::Element>,
        q: &ExtendedPoint<F::Element>,
    ) -> ExtendedPoint<F::Element> {
        let f = self.field;
        ExtendedPoint {
            x: f.select(condition, &p.x, &q.x),
            y: f.select(condition, &p.y, &q.y),
            zz: f.select(condition, &p.zz, &q.zz),
            zzz: f.select(condition, &p.zzz, &q.zzz),
        }
    }

    /// (X / Z^2, Y / Z^3) from 1 / Z. 3M + 1S.
    #[inline(always)]
    pub(crate) fn scale(
        &self,
        p: &JacobianPoint<F::Element>,
        z_inverse: &F::Element,
    ) -> AffinePoint<F::Element> {
        self.scale_by(&p.x, &p.y, z_inverse)
    }

    /// [`scale`](Self::scale) for a Z that is known only by its inverse.
    #[inline(always)]
    pub(crate) fn scale_by(
        &self,
        x: &F::Element,
        y: &F::Element,
        z_inverse: &F::Element,
    ) -> AffinePoint<F::Element> {
        let f = self.field;
        let z2 = f.square(z_inverse);
        AffinePoint {
            x: f.mul(x, &z2),
            y: f.mul(y, &f.mul(&z2, z_inverse)),
        }
    }

    /// 2P. Correct for every point of a curve of odd order, including infinity.
    ///
    /// 3M + 3S plus the tangent (4M + 4S in total for a = -3, 3M + 4S for a = 0). This is
    /// dbl-1998-hnm with every coordinate scaled by z -> z / 2, which avoids multiplications by
    /// small numbers: with L = (3 X^2 + a Z^4) / 2 and T = X Y^2, X' = L^2 - 2T, Y' = L (T - X') -
    /// Y^4, Z' = Y Z.
    #[inline(always)]
    pub fn double(&self, p: &JacobianPoint<F::Element>) -> JacobianPoint<F::Element> {
        let f = self.field;
        let l = self.curve.kind_of_a().half_tangent(f, &self.a, &p.x, &p.z);
        let y2 = f.square(&p.y);
        let z = f.mul(&p.y, &p.z);
        let t = f.mul(&p.x, &y2);
        let x = f.square_sub_both(&l, &t, &t);
        let y = f.mul_sub(&l, &f.sub(&t, &x), &f.square(&y2));
        JacobianPoint { x, y, z }
    }

    /// X and Y of 2P as [`double`](Self::double) computes them, where Z of 2P is Y Z. Needs X, Y^2,
    /// Y^4 and a Z^4 of P, but neither Y nor Z. 2M + 2S.
    pub(crate) fn double_by_squares(
        &self,
        x: &F::Element,
        [y2, y4]: &[F::Element; 2],
        a_z4: &F::Element,
    ) -> AffinePoint<F::Element> {
        let f = self.field;
        let x2 = f.square(x);
        let l = f.add(&x2, &f.half(&f.add(&x2, a_z4)));
        let t = f.mul(x, y2);
        let x3 = f.square_sub_both(&l, &t, &t);
        let y = f.mul_sub(&l, &f.sub(&t, &x3), y4);
        AffinePoint { x: x3, y }
    }

    /// P + Q for points of the same z, given x and y of both. Also returns a factor: the z of the
    /// sum is their z times the factor. P is rescaled to the z of the sum. If both points have the
    /// same x-coordinate, the factor is zero and the sum is meaningless. 4M + 2S (N. Meloni, *New
    /// point addition formulae for ECC applications*, 2007).
    pub(crate) fn add_at_same_z(
        &self,
        p: &mut AffinePoint<F::Element>,
        q: &AffinePoint<F::Element>,
    ) -> (AffinePoint<F::Element>, F::Element) {
        let f = self.field;
        let h = f.sub(&q.x, &p.x);
        let r = f.sub(&q.y, &p.y);
        let h2 = f.square(&h);
        let (p_x, q_x) = (f.mul(&p.x, &h2), f.mul(&q.x, &h2));
        let x = f.square_sub_both(&r, &p_x, &q_x);
        p.y = f.mul(&p.y, &f.sub(&q_x, &p_x));
        p.x = p_x;
        let y = f.mul_sub(&r, &f.sub(&p.x, &x), &p.y);
        (AffinePoint { x, y }, h)
    }

    /// P + Q for P in Jacobian and Q in affine coordinates, and the mask of exceptional cases: P is
    /// infinity or has the same x-coordinate as Q. In these the sum is meaningless.
    ///
    /// 8M + 3S (madd-2004-hmv).
    #[inline(always)]
    pub fn add_mixed_incomplete(
        &self,
        p: &JacobianPoint<F::Element>,
        q: &AffinePoint<F::Element>,
    ) -> (JacobianPoint<F::Element>, F::Mask) {
        let f = self.field;
        let z2 = f.square(&p.z);
        let h = f.mul_sub(&q.x, &z2, &p.x);
        let r = f.mul_sub(&q.y, &f.mul(&z2, &p.z), &p.y);
        let z = f.mul(&p.z, &h);
        let (x, y) = self.chord(&p.x, &p.y, &h, &r).0;
        (JacobianPoint { x, y, z }, f.is_zero(&z))
    }

    /// P + Q in Jacobian coordinates, and the mask of exceptional cases: P or Q is infinity, or
    /// both have the same x-coordinate. In these the sum is meaningless.
    ///
    /// 12M + 4S (add-1998-cmo-2).
    #[inline(always)]
    pub fn add_incomplete(
        &self,
        p: &JacobianPoint<F::Element>,
        q: &JacobianPoint<F::Element>,
    ) -> (JacobianPoint<F::Element>, F::Mask) {
        let f = self.field;
        let (p_z2, q_z2) = (f.square(&p.z), f.square(&q.z));
        let u1 = f.mul(&p.x, &q_z2);
        let s1 = f.mul(&p.y, &f.mul(&q_z2, &q.z));
        let h = f.mul_sub(&q.x, &p_z2, &u1);
        let r = f.mul_sub(&q.y, &f.mul(&p_z2, &p.z), &s1);
        let z = f.mul(&f.mul(&p.z, &q.z), &h);
        let (x, y) = self.chord(&u1, &s1, &h, &r).0;
        (JacobianPoint { x, y, z }, f.is_zero(&z))
    }

    /// P + Q for P in extended and Q in affine coordinates, and the mask of exceptional cases: P is
    /// infinity or has the same x-coordinate as Q. In these the sum is meaningless.
    ///
    /// 8M + 2S (madd-2008-s).
    #[inline(always)]
    pub fn add_extended_incomplete(
        &self,
        p: &ExtendedPoint<F::Element>,
        q: &AffinePoint<F::Element>,
    ) -> (ExtendedPoint<F::Element>, F::Mask) {
        let f = self.field;
        let h = f.mul_sub(&q.x, &p.zz, &p.x);
        let r = f.mul_sub(&q.y, &p.zzz, &p.y);
        let ((x, y), (h2, h3)) = self.chord(&p.x, &p.y, &h, &r);
        let (zz, zzz) = (f.mul(&p.zz, &h2), f.mul(&p.zzz, &h3));
        (ExtendedPoint { x, y, zz, zzz }, f.is_zero(&zz))
    }

    /// The third point on a chord, from (x, y) at the common denominator, h = x2 - x and r = y2 -
    /// y. Also returns h^2 and h^3. 4M + 2S.
    #[inline(always)]
    #[allow(clippy::type_complexity, reason = "two pairs")]
    pub(super) fn chord(
        &self,
        x: &F::Element,
        y: &F::Element,
        h: &F::Element,
        r: &F::Element,
    ) -> ((F::Element, F::Element), (F::Element, F::Element)) {
        let f = self.field;
        let h2 = f.square(h);
        let h3 = f.mul(&h2, h);
        let v = f.mul(x, &h2);
        let x3 = f.sub(&f.square_sub_both(r, &h3, &v), &v);
        let y3 = f.mul_sub(r, &f.sub(&v, &x3), &f.mul(y, &h3));
        ((x3, y3), (h2, h3))
    }

    /// An affine point in extended coordinates, z = 1.
    #[inline(always)]
    pub fn extended_from_affine(&self, p: &AffinePoint<F::Element>) -> ExtendedPoint<F::Element> {
        let one = self.field.one();
        ExtendedPoint {
            x: p.x,
            y: p.y,
            zz: one,
            zzz: one,
        }
    }

    /// The x-coordinate of a point in Jacobian coordinates. 1S.
    #[inline(always)]
    pub fn fraction_x(&self, p: &JacobianPoint<F::Element>) -> FractionX<F::Element> {
        FractionX {
            x: p.x,
            zz: self.field.square(&p.z),
        }
    }

    /// Converts a point from Jacobian to extended coordinates. 1M + 1S.
    #[inline(always)]
    pub fn extended_from_jacobian(
        &self,
        p: &JacobianPoint<F::Element>,
    ) -> ExtendedPoint<F::Element> {
        let zz = self.field.square(&p.z);
        ExtendedPoint {
            x: p.x,
            y: p.y,
            zz,
            zzz: self.field.mul(&zz, &p.z),
        }
    }

    /// Converts a point from extended to Jacobian coordinates. With Z = z^2, so that Z^3 = (z^3)^2,
    /// the point is (X z^2, Y z^3, z^2). 2M.
    #[inline(always)]
    pub fn jacobian_from_extended(
        &self,
        p: &ExtendedPoint<F::Element>,
    ) -> JacobianPoint<F::Element> {
        let f = self.field;
        JacobianPoint {
            x: f.mul(&p.x, &p.zz),
            y: f.mul(&p.y, &p.zzz),
            z: p.zz,
        }
    }
}
