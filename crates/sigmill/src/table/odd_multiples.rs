//! The odd multiples of a point that is used once.

use crate::curve::{AffinePoint, BaseField, Curve, Group, JacobianPoint};
use crate::field::invert_all_vartime;

/// How many multiples serve an integer of 256 bits.
///
/// Width 5 adds 43 times on average from 8 points, width 6 adds 37 times from 16; a point costs
/// about 20 multiplications to make and an addition 11, so width 5 is ahead.
const COUNT: usize = 8;

/// Q, 3Q, 5Q, ... (2 N - 1) Q in affine coordinates, N a power of two: 8 multiples end with 15Q.
#[derive(Clone, Debug)]
pub struct OddMultiples<E, const N: usize = COUNT>([AffinePoint<E>; N]);

impl<E, const N: usize> OddMultiples<E, N> {
    /// The width of the non-adjacent form that goes with these multiples: 5 for 8 of them.
    pub const WIDTH: u32 = N.ilog2() + 2;
}

impl<E: Copy, const N: usize> OddMultiples<E, N> {
    /// The multiples of Q, whose order must be above 2 N. One doubling, N - 1 mixed additions and
    /// one inversion: for 8 about 7 (8M + 3S) + 8 (3M + 1S) + 30M. Variable time: for public values
    /// only.
    pub fn new_vartime<C, F>(group: &Group<C, F>, q: &AffinePoint<E>) -> Self
    where
        C: Curve<BaseElement = E>,
        F: BaseField<C>,
    {
        let [multiples] = odd_multiples_vartime(group, &[*q]);
        Self(multiples)
    }

    /// The multiples of several points, which share the inversion.
    pub fn of_all_vartime<C, F, const POINTS: usize>(
        group: &Group<C, F>,
        points: &[AffinePoint<E>; POINTS],
    ) -> [Self; POINTS]
    where
        C: Curve<BaseElement = E>,
        F: BaseField<C>,
    {
        odd_multiples_vartime(group, points).map(Self)
    }

    /// What `image` makes of each multiple: those of an image of Q, where it is an endomorphism.
    #[inline(always)]
    pub fn map(&self, image: impl Fn(&AffinePoint<E>) -> AffinePoint<E>) -> Self {
        Self(self.0.each_ref().map(image))
    }

    /// The multiples: that of an odd digit is at half of its absolute value.
    #[inline(always)]
    pub fn as_slice(&self) -> &[AffinePoint<E>] {
        &self.0
    }
}

/// Q, 3Q, 5Q, ... (2 COUNT - 1) Q in affine coordinates for each of some points Q, whose order is
/// above 2 COUNT; at most [`MOST`] multiples in all. Variable time: for public values only.
#[inline(always)]
pub(crate) fn odd_multiples_vartime<
    C: Curve,
    F: BaseField<C>,
    const POINTS: usize,
    const COUNT: usize,
>(
    group: &Group<C, F>,
    points: &[AffinePoint<C::BaseElement>; POINTS],
) -> [[AffinePoint<C::BaseElement>; COUNT]; POINTS] {
    const { assert!(POINTS * COUNT <= MOST) };
    let mut multiples = [[points[0]; COUNT]; POINTS];
    for (row, point) in multiples.iter_mut().zip(points) {
        row[0] = *point;
    }
    fill_rows_vartime(group, multiples.as_flattened_mut(), COUNT);
    multiples
}

/// The most multiples that are made at once.
const MOST: usize = 16;

/// Fills rows of `count` points, of which the first one is there, with its odd multiples; the rows
/// share an inversion.
///
/// One doubling and `count` - 1 mixed additions a row, and one inversion: for one row of 8 about
/// 7 (8M + 3S) + 8 (3M + 1S) + 30M.
///
/// With 2Q = (X, Y, Z) the map (x, y) -> (x Z^2, y Z^3) leads to an isomorphic curve on which
/// 2Q is the affine point (X, Y), so that it can be added by mixed additions (which do not use
/// the coefficients of the curve). The way back divides by Z, together with the inversion that
/// makes the multiples affine.
///
/// Variable time: for public values only.
#[inline(never)]
fn fill_rows_vartime<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    rows: &mut [AffinePoint<C::BaseElement>],
    count: usize,
) {
    let f = group.field();
    let (mut z_inverses, mut multiples) = ([f.one(); MOST], [group.infinity(); MOST]);
    let (z_inverses, multiples) = (&mut z_inverses[..rows.len()], &mut multiples[..rows.len()]);
    for (first, row) in (0..).step_by(count).zip(rows.chunks_exact(count)) {
        let q = &row[0];
        let twice = group.double(&group.from_affine(q));
        let step = AffinePoint {
            x: twice.x,
            y: twice.y,
        };
        let z2 = f.square(&twice.z);
        multiples[first] = JacobianPoint {
            x: f.mul(&q.x, &z2),
            y: f.mul(&q.y, &f.mul(&z2, &twice.z)),
            z: f.one(),
        };
        for i in first + 1..first + count {
            multiples[i] = group.add_mixed_vartime(&multiples[i - 1], &step);
            z_inverses[i] = f.mul(&multiples[i].z, &twice.z);
        }
    }
    let mut scratch = [f.one(); MOST];
    invert_all_vartime(f, z_inverses, &mut scratch[..rows.len()]);
    for (i, point) in rows.iter_mut().enumerate() {
        if i % count != 0 {
            *point = group.scale(&multiples[i], &z_inverses[i]);
        }
    }
}
