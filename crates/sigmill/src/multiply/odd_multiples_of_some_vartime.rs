//! The odd multiples of some points that are used once, in affine coordinates.

use alloc::vec;
use alloc::vec::Vec;

use super::slot_pairs::{SlotPair, SlotPairs};
use crate::curve::{AffinePoint, BaseField, Curve, Group, LanesOf};
use crate::field::{Field as _, Mask as _, VariableTime, invert_all_vartime};

/// The multiples that each round adds: the sum of the first one and of the other or its opposite.
/// The first round has P, 2P, 4P, 8P and 16P to begin with, the second one all from before.
const ROUNDS: [&[[i8; 2]]; 2] = [
    &[[1, 2], [1, 4], [8, -1], [8, 1], [16, -1], [16, 1], [16, 8]],
    &[
        [8, 3],
        [8, 5],
        [16, 3],
        [16, 5],
        [16, 7],
        [16, 9],
        [24, 3],
        [24, 5],
        [16, 15],
    ],
];

/// P, 3P, 5P, ... (2 count - 1) P of each of some points, in affine coordinates, those of one point
/// after those of the other. `count` is 2 or 16, and every point has an order above twice that, a
/// prime.
///
/// 2P, 4P, 8P and 16P come by doublings in Jacobian coordinates, all other multiples by two rounds
/// of affine additions in lanes, of 5M + 1S each: three inversions in all, where one round for each
/// power of two would take five.
///
/// Variable time: for public points only.
#[inline(never)]
pub(super) fn odd_multiples_of_some_vartime<C: Curve, L: LanesOf<C>>(
    wide: &Group<C, L>,
    points: &[AffinePoint<C::BaseElement>],
    count: usize,
) -> Vec<AffinePoint<C::BaseElement>> {
    assert!(matches!(count, 2 | 16), "the rounds are for these");
    let single = wide.single();
    // Multiple m of point i at m times the number of points + i.
    let mut multiples = [points, points].concat();
    multiples.resize(2 * count * points.len(), *single.curve().generator());
    double_vartime(&single, points.len(), &mut multiples);
    let all = 2 * count as i8;
    for round in ROUNDS {
        let is_wanted = |[p, q]: &&[i8; 2]| p + q < all;
        let sums: Vec<_> = round.iter().filter(is_wanted).copied().collect();
        add_vartime(wide, points.len(), &sums, &mut multiples);
    }
    let mut odd = Vec::with_capacity(count * points.len());
    for i in 0..points.len() {
        odd.extend(
            multiples[i..]
                .iter()
                .step_by(points.len())
                .skip(1)
                .step_by(2),
        );
    }
    odd
}

/// The multiples that are powers of two, from those that are one. One inversion.
fn double_vartime<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    points: usize,
    multiples: &mut [AffinePoint<C::BaseElement>],
) {
    let field = group.field();
    let mut powers: Vec<_> = multiples[points..2 * points]
        .iter()
        .map(|point| group.from_affine(point))
        .collect();
    let mut last = points;
    while 2 * last < multiples.len() {
        for i in powers.len() - points..powers.len() {
            powers.push(group.double(&powers[i]));
        }
        last *= 2;
    }
    let doubled = &powers[points..];
    let mut z_inverses: Vec<_> = doubled.iter().map(|point| point.z).collect();
    let mut scratch = vec![field.zero(); doubled.len()];
    invert_all_vartime(field, &mut z_inverses[..], &mut scratch);
    for (i, (point, z_inverse)) in doubled.iter().zip(&z_inverses).enumerate() {
        let power = 2 << (i / points);
        multiples[power * points + i % points] = group.scale(point, z_inverse);
    }
}

/// Sums of two multiples of each point. One inversion.
fn add_vartime<C: Curve, L: LanesOf<C>>(
    wide: &Group<C, L>,
    points: usize,
    sums: &[[i8; 2]],
    multiples: &mut [AffinePoint<C::BaseElement>],
) {
    let (field, single) = (wide.field(), wide.field().single());
    let wanted: Vec<_> = sums
        .iter()
        .flat_map(|&[p, q]| (0..points).map(move |i| (p as usize, q, i)))
        .collect();
    let groups = wanted.len().div_ceil(L::WIDTH);
    // The first points of the sums, and those that are added to them.
    let mut slots = Vec::with_capacity(2 * groups);
    let place = |m: usize, i: usize| m * points + i;
    let pack = |addends: &[AffinePoint<C::BaseElement>]| AffinePoint {
        x: field.pack(|lane| &addends[lane.min(addends.len() - 1)].x),
        y: field.pack(|lane| &addends[lane.min(addends.len() - 1)].y),
    };
    let firsts: Vec<_> = wanted
        .iter()
        .map(|&(p, _, i)| multiples[place(p, i)])
        .collect();
    let seconds: Vec<_> = wanted
        .iter()
        .map(|&(_, q, i)| {
            let AffinePoint { x, y } = multiples[place(q.unsigned_abs() as usize, i)];
            let y = single.negate_if(&y, q < 0);
            AffinePoint { x, y }
        })
        .collect();
    slots.extend(firsts.chunks(L::WIDTH).map(pack));
    slots.extend(seconds.chunks(L::WIDTH).map(pack));
    let pairs: Vec<_> = (0..groups)
        .map(|group| SlotPair::new(group, groups + group, 0, true))
        .collect();
    let nowhere = L::Mask::from_lanes(|_| false);
    let level = SlotPairs {
        pairs: &pairs,
        absent: &vec![nowhere; 2 * groups],
    };
    let mut scratch = vec![field.zero(); groups];
    let (mut exceptional, slots) = ([nowhere], &mut slots[..]);
    let zeros =
        wide.add_affine::<VariableTime, _>(level, slots, &mut exceptional, None, &mut scratch);
    debug_assert!(!zeros, "the points have an order above 2 count");
    let mut lanes = vec![single.zero(); 2 * L::WIDTH];
    let (x, y) = lanes.split_at_mut(L::WIDTH);
    for (wanted, sum) in wanted.chunks(L::WIDTH).zip(&*slots) {
        field.unpack(&sum.x, x);
        field.unpack(&sum.y, y);
        for (&(p, q, i), (&x, &y)) in wanted.iter().zip(x.iter().zip(&*y)) {
            multiples[place((p as i8 + q) as usize, i)] = AffinePoint { x, y };
        }
    }
}
