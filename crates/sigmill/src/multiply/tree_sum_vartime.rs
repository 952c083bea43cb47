//! The sum of many affine points: pairs by affine additions that share one inversion, then the
//! pairs' sums one after the other.

use crate::curve::{AffinePoint, BaseField, Curve, ExtendedPoint, Group, JacobianPoint};
use crate::field::{Mask, invert_all_vartime};

/// The number of points gathered and paired at once, enough for two scalars of 384 bits at window
/// 7. Measure with `bench -- --only 'p384/verify/prepared/*'` after a change.
const MOST_TERMS: usize = 112;

/// The smallest number of points for which pairing pays.
///
/// A pair costs 6 multiplications (3 of them for its share of the inversion) in place of the 11 of
/// a mixed addition. An inversion costs about 120. Measure with `bench -- --only '*/verify/*'`
/// after a change.
const FEWEST_TERMS: usize = 52;

/// `sum` plus the sum of points. Points marked `true` are negated.
///
/// For n points, about n/2 affine additions (2M + 1S, and 3M for the shared inversion) and n/2
/// mixed additions (8M + 3S) for each block. All terms of a block are collected before the first
/// point is read, so that the loads from a large table overlap. Correct for every input, including
/// equal and opposite points and infinity. Variable time: for public values only.
#[inline(always)]
pub fn tree_sum_vartime<'p, C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    mut sum: JacobianPoint<C::BaseElement>,
    terms: impl Iterator<Item = (&'p AffinePoint<C::BaseElement>, bool)>,
) -> JacobianPoint<C::BaseElement> {
    let mut block = [(group.curve().generator(), false); MOST_TERMS];
    let mut length = 0;
    terms.for_each(|term| {
        if length == MOST_TERMS {
            sum = add_block(group, &sum, &block);
            length = 0;
        }
        block[length] = term;
        length += 1;
    });
    add_block(group, &sum, &block[..length])
}

/// `sum` plus the sum of a block.
#[inline(never)]
fn add_block<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    sum: &JacobianPoint<C::BaseElement>,
    block: &[(&AffinePoint<C::BaseElement>, bool)],
) -> JacobianPoint<C::BaseElement> {
    let mut points = [*group.curve().generator(); MOST_TERMS];
    let points = &mut points[..block.len()];
    for (place, &(point, negative)) in points.iter_mut().zip(block) {
        // The sign of a digit is a coin toss that no branch predictor wins, so negate without a
        // branch.
        *place = group.negate_affine_if(point, negative);
    }
    if points.len() < FEWEST_TERMS {
        add_two_by_two(group, *sum, points)
    } else {
        add_pairs(group, *sum, points)
    }
}

#[inline(never)]
fn add_one_by_one<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    sum: JacobianPoint<C::BaseElement>,
    points: &[AffinePoint<C::BaseElement>],
) -> JacobianPoint<C::BaseElement> {
    points
        .iter()
        .fold(sum, |sum, point| group.add_mixed_vartime(&sum, point))
}

/// `sum` plus points, by mixed additions (8M + 2S in extended coordinates) that go in pairs to two
/// sums.
#[inline(never)]
fn add_two_by_two<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    sum: JacobianPoint<C::BaseElement>,
    points: &[AffinePoint<C::BaseElement>],
) -> JacobianPoint<C::BaseElement> {
    let (pairs, odd) = points.as_chunks::<2>();
    let sum = add_one_by_one(group, sum, odd);
    let Some(([p, q], pairs)) = pairs.split_first() else {
        return sum;
    };
    let wide = group.pair();
    let mut sums = wide.extended_from_affine(&side_by_side(p, q));
    for [p, q] in pairs {
        let (next, exceptional) = wide.add_extended_incomplete(&sums, &side_by_side(p, q));
        if exceptional.any() {
            add_each(group, &mut sums, p, q);
        } else {
            sums = next;
        }
    }
    let [first, second] = split(&wide.jacobian_from_extended(&sums));
    let total = group.add_vartime(&first, &second);
    if group.is_infinity(&sum) {
        return total;
    }
    group.add_vartime(&total, &sum)
}

/// Adds another point to each of two sums, where one of the two additions is exceptional.
#[cold]
#[inline(never)]
fn add_each<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    sums: &mut ExtendedPoint<[C::BaseElement; 2]>,
    p: &AffinePoint<C::BaseElement>,
    q: &AffinePoint<C::BaseElement>,
) {
    let wide = group.pair();
    let [first, second] = split(&wide.jacobian_from_extended(sums));
    *sums = wide.extended_from_jacobian(&join(
        &add_one_by_one(group, first, &[*p]),
        &add_one_by_one(group, second, &[*q]),
    ));
}

#[inline(always)]
fn side_by_side<E: Copy>(p: &AffinePoint<E>, q: &AffinePoint<E>) -> AffinePoint<[E; 2]> {
    AffinePoint {
        x: [p.x, q.x],
        y: [p.y, q.y],
    }
}

fn join<E: Copy>(p: &JacobianPoint<E>, q: &JacobianPoint<E>) -> JacobianPoint<[E; 2]> {
    JacobianPoint {
        x: [p.x, q.x],
        y: [p.y, q.y],
        z: [p.z, q.z],
    }
}

fn split<E: Copy>(sums: &JacobianPoint<[E; 2]>) -> [JacobianPoint<E>; 2] {
    [0, 1].map(|i| JacobianPoint {
        x: sums.x[i],
        y: sums.y[i],
        z: sums.z[i],
    })
}

/// Adds pairs of points in affine coordinates, and their sums to `sum`.
///
/// A pair of equal or opposite points has no slope, so both are added to `sum` one by one.
#[inline(always)]
fn add_pairs<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    mut sum: JacobianPoint<C::BaseElement>,
    points: &[AffinePoint<C::BaseElement>],
) -> JacobianPoint<C::BaseElement> {
    let field = group.field();
    let (pairs, odd) = points.as_chunks::<2>();
    let mut slopes = [field.zero(); MOST_TERMS / 2];
    let mut scratch = slopes;
    let slopes = &mut slopes[..pairs.len()];
    for (slope, [p, q]) in slopes.iter_mut().zip(pairs) {
        *slope = field.sub(&p.x, &q.x);
    }
    invert_all_vartime(field, slopes, &mut scratch[..pairs.len()]);
    for (slope, [p, q]) in slopes.iter_mut().zip(pairs) {
        if field.is_zero(slope) {
            sum = add_one_by_one(group, sum, &[*p, *q]);
        }
        *slope = field.mul(slope, &field.sub(&p.y, &q.y));
    }
    let mut sums = [*group.curve().generator(); MOST_TERMS / 2];
    let sums = &mut sums[..pairs.len()];
    group.add_affine_by_slope(|i| (&pairs[i][0], &pairs[i][1]), slopes, sums);
    // Only sums that exist are kept.
    let mut kept = 0;
    for (i, [p, q]) in pairs.iter().enumerate() {
        if !field.equal(&p.x, &q.x) {
            sums[kept] = sums[i];
            kept += 1;
        }
    }
    add_two_by_two(group, add_one_by_one(group, sum, odd), &sums[..kept])
}
