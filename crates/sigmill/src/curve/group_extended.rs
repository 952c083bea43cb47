//! Formulas in extended Jacobian coordinates for the last steps of sums of secret multiples.

use zeroize::Zeroizing;

use super::{AffinePoint, BaseField, Curve, ExtendedPoint, Group, JacobianPoint};
use crate::field::Field;

impl<C: Curve, F: Field> Group<C, F> {
    /// P + Q in extended coordinates, and the mask of exceptional cases: P or Q is infinity, or
    /// both have the same x-coordinate. In these the sum is meaningless.
    ///
    /// 12M + 2S (add-2008-s).
    #[inline(always)]
    pub fn add_extended_points_incomplete(
        &self,
        p: &ExtendedPoint<F::Element>,
        q: &ExtendedPoint<F::Element>,
    ) -> (ExtendedPoint<F::Element>, F::Mask) {
        let f = self.field();
        let u1 = f.mul(&p.x, &q.zz);
        let s1 = f.mul(&p.y, &q.zzz);
        let h = f.mul_sub(&q.x, &p.zz, &u1);
        let r = f.mul_sub(&q.y, &p.zzz, &s1);
        let ((x, y), (h2, h3)) = self.chord(&u1, &s1, &h, &r);
        let zz = f.mul(&f.mul(&p.zz, &q.zz), &h2);
        let zzz = f.mul(&f.mul(&p.zzz, &q.zzz), &h3);
        (ExtendedPoint { x, y, zz, zzz }, f.is_zero(&zz))
    }

    /// 2P for an affine point P of odd order. Costs the doubling of a Jacobian point and 1M + 1S.
    #[inline(always)]
    pub fn double_affine(&self, p: &AffinePoint<F::Element>) -> ExtendedPoint<F::Element> {
        self.extended_from_jacobian(&self.double(&self.from_affine(p)))
    }
}

/// Functions that need inversions in constant time.
impl<C: Curve, F: BaseField<C>> Group<C, F> {
    /// The affine form; zeros for infinity. One inversion, 3M + 1S. Constant time.
    #[inline(always)]
    pub fn extended_to_affine(&self, p: &ExtendedPoint<F::Element>) -> AffinePoint<F::Element> {
        let f = self.field();
        // Like the point, its z would reveal something about the values it was computed from.
        let zzz_inverse = Zeroizing::new(f.invert(&p.zzz));
        self.extended_to_affine_by(p, &zzz_inverse)
    }

    /// The affine form, given the inverse of zzz. 3M + 1S. Constant time.
    ///
    /// If z is the square root of zz with zzz = z^3, then 1/z = zz / zzz.
    #[inline(always)]
    pub fn extended_to_affine_by(
        &self,
        p: &ExtendedPoint<F::Element>,
        zzz_inverse: &F::Element,
    ) -> AffinePoint<F::Element> {
        let f = self.field();
        let z_inverse = Zeroizing::new(f.mul(&p.zz, zzz_inverse));
        AffinePoint {
            x: f.mul(&p.x, &f.square(&z_inverse)),
            y: f.mul(&p.y, zzz_inverse),
        }
    }

    /// The x-coordinate; zero for infinity. One inversion, 1M. Constant time.
    #[inline(always)]
    pub fn extended_to_x(&self, p: &ExtendedPoint<F::Element>) -> F::Element {
        let f = self.field();
        let zz_inverse = Zeroizing::new(f.invert(&p.zz));
        f.mul(&p.x, &zz_inverse)
    }

    /// The affine form; zeros for infinity. One inversion, 3M + 1S. Constant time.
    #[inline(always)]
    pub fn to_affine(&self, p: &JacobianPoint<F::Element>) -> AffinePoint<F::Element> {
        let z_inverse = Zeroizing::new(self.field().invert(&p.z));
        self.scale(p, &z_inverse)
    }
}
