//! The odd multiples of a point that is used once.

use crate::curve::{AffinePoint, BaseField, Curve, Group, JacobianPoint};
use crate::field::invert_all_vartime;

/// Width of the non-adjacent form whose digits these multiples serve.
///
/// For 256 bits: width 5 adds 43 times on average from 8 points, width 6 adds 37 times from 16; a
/// point costs about 20 multiplications to make and an addition 11, so width 5 is ahead.
const WIDTH: u32 = 5;
const COUNT: usize = 1 << (WIDTH - 2);

/// Q, 3Q, 5Q, ... 15Q in affine coordinates.
#[derive(Clone, Debug)]
pub struct OddMultiples<E>([AffinePoint<E>; COUNT]);

impl<E> OddMultiples<E> {
    /// The width of the non-adjacent form that goes with these multiples.
    pub const WIDTH: u32 = WIDTH;
}

impl<E: Copy> OddMultiples<E> {
    /// The multiples of Q, whose order must be above 16. One doubling, seven mixed additions and
    /// one inversion: about 7 (8M + 3S) + 8 (3M + 1S) + 30M. Variable time: for public values only.
    pub fn new_vartime<C, F>(group: &Group<C, F>, q: &AffinePoint<E>) -> Self
    where
        C: Curve<BaseElement = E>,
        F: BaseField<C>,
    {
        Self(odd_multiples_vartime(group, q))
    }

    /// What `image` makes of each multiple: those of an image of Q, where it is an endomorphism.
    #[inline(always)]
    pub fn map(&self, image: impl Fn(&AffinePoint<E>) -> AffinePoint<E>) -> Self {
        Self(self.0.each_ref().map(image))
    }

    /// The point of an odd digit's absolute value, below 2^(WIDTH - 1).
    #[inline(always)]
    pub fn get_vartime(&self, absolute: usize) -> &AffinePoint<E> {
        &self.0[absolute / 2]
    }
}

/// Q, 3Q, 5Q, ... (2 COUNT - 1) Q in affine coordinates, for a Q whose order is above 2 COUNT.
///
/// One doubling, COUNT - 1 mixed additions and one inversion: for 8 multiples about
/// 7 (8M + 3S) + 8 (3M + 1S) + 30M.
///
/// With 2Q = (X, Y, Z) the map (x, y) -> (x Z^2, y Z^3) leads to an isomorphic curve on which
/// 2Q is the affine point (X, Y), so that it can be added by mixed additions (which do not use
/// the coefficients of the curve). The way back divides by Z, together with the inversion that
/// makes the multiples affine.
///
/// Variable time: for public values only.
#[inline(always)]
pub(crate) fn odd_multiples_vartime<C: Curve, F: BaseField<C>, const COUNT: usize>(
    group: &Group<C, F>,
    q: &AffinePoint<C::BaseElement>,
) -> [AffinePoint<C::BaseElement>; COUNT] {
    let f = group.field();
    let twice = group.double(&group.from_affine(q));
    let step = AffinePoint {
        x: twice.x,
        y: twice.y,
    };
    let z2 = f.square(&twice.z);
    let first = JacobianPoint {
        x: f.mul(&q.x, &z2),
        y: f.mul(&q.y, &f.mul(&z2, &twice.z)),
        z: f.one(),
    };

    let mut multiples = [first; COUNT];
    for i in 1..COUNT {
        multiples[i] = group.add_mixed_vartime(&multiples[i - 1], &step);
    }
    let mut z_inverses = multiples.map(|multiple| f.mul(&multiple.z, &twice.z));
    let mut scratch = z_inverses;
    invert_all_vartime(f, &mut z_inverses[..], &mut scratch);
    let mut affine = [*q; COUNT];
    for i in 1..COUNT {
        affine[i] = group.scale(&multiples[i], &z_inverses[i]);
    }
    affine
}
