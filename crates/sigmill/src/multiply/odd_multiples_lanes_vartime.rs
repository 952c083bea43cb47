//! The odd multiples of a few points that are used once, in lanes.

use alloc::vec;
use alloc::vec::Vec;

use crate::curve::{AffinePoint, Curve, Group, JacobianPoint, LanesOf};
use crate::field::{Field as _, Lanes, Mask as _, VariableTime, invert_lanes};

/// The number of multiples of a point: P, 3P, ... 31P.
pub(super) const COUNT: usize = 16;

/// The number of multiples in the lower lanes: the first half. The upper lanes have the others.
const HALF: usize = COUNT / 2;

/// P, 3P, 5P, ... 31P of each of some points, in affine coordinates, one point after the other. For
/// two lanes or more. Every point must have a prime order above 32.
///
/// Each point has two lanes. One starts at P, the other at 17P, and both add 2P seven times, by
/// additions at the same Z, as `fill_odd_multiples_vartime` does in one lane. For half as many
/// points as lanes, this costs 134 products and squares in lanes, the inversion of one element, and
/// unpacking 16 elements.
///
/// Variable time: for public points only.
#[inline(never)]
pub(super) fn odd_multiples_lanes_vartime<C: Curve, L: LanesOf<C>>(
    wide: &Group<C, L>,
    points: &[AffinePoint<C::BaseElement>],
) -> Vec<AffinePoint<C::BaseElement>> {
    assert!(L::WIDTH > 1, "in lanes");
    let zero = wide.field().single().zero();
    let mut rows = vec![AffinePoint::filled(zero); points.len() * COUNT];
    let together = L::WIDTH / 2;
    for (points, rows) in points
        .chunks(together)
        .zip(rows.chunks_mut(together * COUNT))
    {
        fill_rows(wide, points, rows);
    }
    rows
}

/// Fills the rows of at most half as many points as lanes.
fn fill_rows<C: Curve, L: LanesOf<C>>(
    wide: &Group<C, L>,
    points: &[AffinePoint<C::BaseElement>],
    rows: &mut [AffinePoint<C::BaseElement>],
) {
    let f = wide.field();
    let point = |lane: usize| &points[lane % (L::WIDTH / 2) % points.len()];
    let q = wide.pack(point);
    let (mut multiple, mut twice, mut z) = starts(wide, &q);
    let mut multiples = [multiple; HALF];
    let mut ratios = [z; HALF];
    for i in 1..HALF {
        (multiple, ratios[i]) = wide.add_at_same_z(&mut twice, &multiple);
        z = f.mul(&z, &ratios[i]);
        multiples[i] = multiple;
    }
    debug_assert!(!f.is_zero(&z).any(), "the points have an order above 32");
    let mut z_inverse = z;
    invert_lanes::<VariableTime, L>(f, &mut z_inverse);
    for (i, multiple) in multiples.iter().enumerate().rev() {
        let affine = wide.scale_by(&multiple.x, &multiple.y, &z_inverse);
        if i > 0 {
            z_inverse = f.mul(&z_inverse, &ratios[i]);
        }
        wide.unpack(&affine, L::WIDTH, |lane, point| {
            let (half, row) = (lane / (L::WIDTH / 2), lane % (L::WIDTH / 2));
            if let Some(row) = rows.chunks_exact_mut(COUNT).nth(row) {
                row[half * HALF + i] = point;
            }
        });
    }
}

/// The starts in every lane, given Q: Q in the lower lanes and 17Q in the upper ones, 2Q at the
/// same Z, and the Z.
fn starts<C: Curve, L: LanesOf<C>>(
    wide: &Group<C, L>,
    q: &AffinePoint<L::Element>,
) -> (AffinePoint<L::Element>, AffinePoint<L::Element>, L::Element) {
    let f = wide.field();
    // Q and 2Q at the Z of 2Q, which is y.
    let (y2, y4) = squares(f, &q.y);
    let twice = wide.double_by_squares(&q.x, &[y2, y4], wide.a());
    let first = AffinePoint {
        x: f.mul(&q.x, &y2),
        y: y4,
    };
    // On the curve with a y^4 in place of a, these two points have Z = 1. The loop computes 4Q, 8Q
    // and 16Q there.
    let mut a_z4 = f.mul(wide.a(), &y4);
    let (mut power, mut z) = (twice, twice.y);
    for i in 0..3 {
        let (y2, y4) = squares(f, &power.y);
        let next = wide.double_by_squares(&power.x, &[y2, y4], &a_z4);
        if i < 2 {
            a_z4 = f.mul(&a_z4, &y4);
            z = f.mul(&z, &next.y);
        }
        power = next;
    }
    let AffinePoint { x, y } = power;
    let (high, _) = wide.add_mixed_incomplete(&JacobianPoint { x, y, z }, &first);
    let high_twice = wide.scale_by(&twice.x, &twice.y, &high.z);
    let is_high = L::Mask::from_lanes(|lane| lane >= L::WIDTH / 2);
    let JacobianPoint { x, y, z } = high;
    let first = wide.select_affine(is_high, &AffinePoint { x, y }, &first);
    let twice = wide.select_affine(is_high, &high_twice, &twice);
    (first, twice, f.select(is_high, &f.mul(&q.y, &z), &q.y))
}

/// a^2 and a^4.
fn squares<L: Lanes>(field: L, a: &L::Element) -> (L::Element, L::Element) {
    let square = field.square(a);
    (square, field.square(&square))
}
