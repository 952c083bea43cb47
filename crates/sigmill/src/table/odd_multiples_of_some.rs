//! The odd multiples of some points that are used once, in affine coordinates throughout.

use alloc::vec;
use alloc::vec::Vec;

use crate::curve::{AffinePoint, BaseField, Curve, Group};
use crate::field::invert_all_vartime;

/// P, 3P, 5P, ... (2 count - 1) P of each of some points, in affine coordinates: multiple j of
/// point i at j times the number of points + i. `count` is a power of two, and every point has an
/// order above twice that, a prime.
///
/// The multiples double their number by adding 2P, 4P, 8P ... to those there are, and the doubling
/// of that shares their inversion: for 16 multiples five inversions in all, and 20 additions or
/// tangents of 5M + 1S or 5M + 2S a point. For one point that takes longer than by way of a common
/// denominator ([`odd_multiples_vartime`](super::odd_multiples_vartime)), for three it is half of
/// the products.
///
/// Variable time: for public points only.
#[inline(never)]
pub(crate) fn odd_multiples_of_some_vartime<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    points: &[AffinePoint<C::BaseElement>],
    count: usize,
) -> Vec<AffinePoint<C::BaseElement>> {
    debug_assert!(count.is_power_of_two());
    let all = count * points.len();
    let mut odd = Vec::with_capacity(all);
    odd.extend_from_slice(points);
    let mut even = add_pairs(group, &doubled(points));
    while odd.len() < all {
        let mut pairs: Vec<_> = odd
            .iter()
            .copied()
            .zip(even.iter().copied().cycle())
            .collect();
        let is_last = 2 * odd.len() == all;
        if !is_last {
            pairs.extend(doubled(&even));
        }
        let sums = add_pairs(group, &pairs);
        let (new, twice) = sums.split_at(odd.len());
        odd.extend_from_slice(new);
        even = twice.to_vec();
    }
    odd
}

/// Two points to add.
type Pair<E> = (AffinePoint<E>, AffinePoint<E>);

/// Each point with itself.
fn doubled<E: Copy>(points: &[AffinePoint<E>]) -> Vec<Pair<E>> {
    points.iter().map(|point| (*point, *point)).collect()
}

/// The sums of pairs of points, which are equal or have other x-coordinates: one inversion, and
/// 5M + 1S each, 1S more for a tangent.
#[inline(never)]
fn add_pairs<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    pairs: &[Pair<C::BaseElement>],
) -> Vec<AffinePoint<C::BaseElement>> {
    let field = group.field();
    let mut slopes = Vec::with_capacity(pairs.len());
    for (p, q) in pairs {
        let denominator = if p == q {
            field.double(&p.y)
        } else {
            field.sub(&q.x, &p.x)
        };
        slopes.push(denominator);
    }
    let mut scratch = vec![field.zero(); pairs.len()];
    let zeros = invert_all_vartime(field, &mut slopes[..], &mut scratch);
    debug_assert!(!zeros, "the points have an order above 2 count");
    for ((p, q), slope) in pairs.iter().zip(&mut slopes) {
        let numerator = if p == q {
            group.affine_tangent(&p.x)
        } else {
            field.sub(&q.y, &p.y)
        };
        *slope = field.mul(slope, &numerator);
    }
    let mut sums: Vec<_> = pairs.iter().map(|pair| pair.0).collect();
    group.add_affine_by_slope(|i| (&pairs[i].0, &pairs[i].1), &slopes, &mut sums);
    sums
}
