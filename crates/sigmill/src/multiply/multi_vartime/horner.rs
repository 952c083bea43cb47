//! Sums of multiples of points by powers of two.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::curve::{AffinePoint, BaseField, Curve, Group, JacobianPoint, LanesOf};
use crate::field::{Field as _, MOST_LANES, Mask as _};

/// The sum of 2^position P over any points: one doubling for each position up to the highest, and
/// one addition for each point.
#[inline(never)]
pub(super) fn one_by_one<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    positions: &[u32],
    points: &[AffinePoint<C::BaseElement>],
) -> JacobianPoint<C::BaseElement> {
    let order = highest_first(positions);
    let mut sum = group.infinity();
    let mut position = order.first().map_or(0, |&i| positions[i]);
    for i in order {
        sum = double_often(group, &sum, position - positions[i]);
        sum = group.add_mixed_vartime(&sum, &points[i]);
        position = positions[i];
    }
    double_often(group, &sum, position)
}

/// The indices of the positions, the highest position first.
fn highest_first(positions: &[u32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..positions.len()).collect();
    order.sort_unstable_by_key(|&i| Reverse(positions[i]));
    order
}

#[inline(never)]
fn double_often<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    point: &JacobianPoint<C::BaseElement>,
    times: u32,
) -> JacobianPoint<C::BaseElement> {
    (0..times).fold(*point, |point, _| group.double(&point))
}

/// [`one_by_one`] with the positions divided among the lanes, each of which adds up one part. Then
/// a single value is doubled once for each position, except those of one part. `None` if two points
/// have the same position, or if an addition is exceptional.
#[inline(never)]
pub(super) fn in_lanes<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    positions: &[u32],
    points: &[AffinePoint<L::Lane>],
) -> Option<JacobianPoint<C::BaseElement>> {
    let field = group.field();
    let any = points.first()?;
    let highest = *positions.iter().max()?;
    let part = highest as usize / L::WIDTH + 1;
    let mut at = vec![None; part * L::WIDTH];
    for (&position, point) in positions.iter().zip(points) {
        if at[position as usize].replace(point).is_some() {
            return None;
        }
    }
    let none = L::Mask::from_lanes(|_| false);
    let (mut sum, mut exceptional) = (group.infinity(), none);
    // The lanes that have had no point so far.
    let mut empty = L::Mask::from_lanes(|_| true);
    for step in (0..part).rev() {
        let of = |lane: usize| at[lane * part + step];
        let point = group.load_lanes(|lane| of(lane).unwrap_or(any));
        sum = group.double(&sum);
        let (mut next, is_exceptional) = group.add_mixed_incomplete(&sum, &point);
        let counts = |lane: usize| of(lane).is_some() && !empty.lane(lane);
        let is_exceptional = |lane| is_exceptional.lane(lane) && counts(lane);
        exceptional = exceptional.or(L::Mask::from_lanes(is_exceptional));
        if empty.any() {
            next = group.select(empty, &group.from_affine(&point), &next);
        }
        let absent = L::Mask::from_lanes(|lane| of(lane).is_none());
        if absent.any() {
            next = group.select(absent, &sum, &next);
        }
        empty = L::Mask::from_lanes(|lane| empty.lane(lane) && absent.lane(lane));
        sum = next;
    }
    if exceptional.any() {
        return None;
    }
    let single = group.single();
    let zero = field.single().zero();
    let mut coordinates = [[zero; MOST_LANES]; 3];
    for (values, coordinate) in coordinates.iter_mut().zip([&sum.x, &sum.y, &sum.z]) {
        field.unpack(coordinate, &mut values[..L::WIDTH]);
    }
    let [x, y, z] = coordinates;
    let mut total = single.infinity();
    for lane in (0..L::WIDTH).rev() {
        total = double_often(&single, &total, part as u32);
        let (x, y, z) = (x[lane], y[lane], z[lane]);
        total = single.add_vartime(&total, &JacobianPoint { x, y, z });
    }
    Some(total)
}
