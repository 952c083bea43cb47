//! The points of several integers' digits, added up in lanes for each digit.

use alloc::vec::Vec;

use zeroize::Zeroize;

use super::base_lanes::to_lookup_blocks;
use super::secret_sum::Digits;
use crate::ct::{Secrets, secrets};
use crate::curve::{AffinePoint, Curve, Group, SecretLanesOf};
use crate::field::{
    Body, Field as _, MOST_LANES, Mask as _, Registers as _, SecretRegisters, invert_all,
};
use crate::limbs::X8;

/// The sums of the points of all integers' digits, one for each digit.
pub(super) struct DigitSums<E: Zeroize> {
    points: Secrets<AffinePoint<E>>,
    /// True for sums that are infinity; their points are arbitrary.
    infinite: Secrets<bool>,
}

impl<E: Zeroize> DigitSums<E> {
    /// The number of sums.
    pub(super) fn count(&self) -> u32 {
        self.points.len() as u32
    }

    /// The sum for a digit, and true if it is infinity.
    #[inline(always)]
    pub(super) fn get(&self, index: u32) -> (&AffinePoint<E>, bool) {
        let index = index as usize;
        (&self.points[index], self.infinite[index])
    }
}

/// Adds up the points of digits of the same weight. No integer may have more digits than the one
/// before it, so the first has the most. Constant time in the integers.
///
/// Every lane has its own digit and reads all multiples in a row. Then integers are added in pairs,
/// and pairs in pairs, in affine coordinates. Each round uses one inversion and costs 5M + 2S for
/// each sum. Anyone may have chosen the points, so every sum is correct for all points: under
/// masks, a tangent replaces the chord where the points are equal, and the result of the formula is
/// discarded where no line exists or a point is infinity.
#[inline(never)]
pub(super) fn digit_sums<C: Curve, L: SecretLanesOf<C>>(
    wide: &Group<C, L>,
    single: &Group<C, L::Single>,
    integers: &[Digits<'_, C>],
) -> DigitSums<C::BaseElement> {
    debug_assert!(integers.is_sorted_by(|a, b| a.count >= b.count));
    let field = wide.field();
    let groups = |digits: &Digits<'_, C>| (digits.count as usize).div_ceil(L::WIDTH);
    let most = integers.first().map_or(0, groups);
    let mut points = secrets(AffinePoint::filled(field.zero()), integers.len() * most);
    let mut infinite = secrets(L::Mask::from_lanes(|_| false), points.len());
    let mut blocks = Vec::new();
    for (i, digits) in integers.iter().enumerate() {
        let count = groups(digits);
        let points = &mut points[i * most..][..count];
        to_lookup_blocks(field, digits.row, &mut blocks);
        let look_up = LookUp::<C, L> {
            group: *wide,
            digits,
            blocks: &blocks,
            points,
        };
        field.each(count, look_up);
        for (group, infinite) in infinite[i * most..][..count].iter_mut().enumerate() {
            let index = |lane: usize| group * L::WIDTH + lane;
            *infinite = L::Mask::from_lanes(|lane| index(lane) >= digits.count as usize);
        }
    }
    let mut step = 1;
    while step < integers.len() {
        let mut pairs = Vec::new();
        for (i, digits) in integers.iter().enumerate().skip(step).step_by(2 * step) {
            for group in 0..groups(digits) {
                pairs.push([(i - step) * most + group, i * most + group]);
            }
        }
        add_pairs(wide, &pairs, &mut points, &mut infinite);
        step *= 2;
    }
    let count = integers.first().map_or(0, |digits| digits.count as usize);
    unpack(wide, single, &points[..most], &infinite[..most], count)
}

/// Looks up the point of each lane's digit.
struct LookUp<'a, C: Curve, L: SecretLanesOf<C>> {
    group: Group<C, L>,
    digits: &'a Digits<'a, C>,
    blocks: &'a [<L::Registers as SecretRegisters>::LookupBlock],
    points: &'a mut [AffinePoint<L::Element>],
}

impl<C: Curve, L: SecretLanesOf<C>> Body<L> for LookUp<'_, C, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let (mut numbers, mut negative) = (X8([0; MOST_LANES]), X8([0; MOST_LANES]));
        for lane in 0..L::WIDTH {
            let index = (i * L::WIDTH + lane) as u32;
            let digit = self.digits.get(index.min(self.digits.count - 1));
            // For odd d, |d| / 2 rounded down is d >> 1 if d is positive, otherwise !d >> 1.
            let sign = digit >> 31;
            numbers.0[lane] = (digit ^ sign) as u64 >> 1;
            negative.0[lane] = sign as u64 & 1;
        }
        let [x, y] = field.look_up(self.blocks, &numbers);
        let y = field.negate_if(&y, field.is_number(&negative, 1));
        let group = self.group.in_registers(field);
        self.points[i] = group.store(&AffinePoint { x, y });
    }
}

/// Adds the second point of each pair of places to the first. No point is in two pairs.
fn add_pairs<C: Curve, L: SecretLanesOf<C>>(
    wide: &Group<C, L>,
    pairs: &[[usize; 2]],
    points: &mut [AffinePoint<L::Element>],
    infinite: &mut [L::Mask],
) {
    let field = wide.field();
    let mut numerators = secrets(field.zero(), pairs.len());
    let mut denominators = numerators.clone();
    let mut scratch = numerators.clone();
    let mut opposite = secrets(L::Mask::from_lanes(|_| false), pairs.len());
    let lines = Lines::<C, L> {
        group: *wide,
        pairs,
        points,
        infinite,
        numerators: &mut numerators,
        denominators: &mut denominators,
        opposite: &mut opposite,
    };
    field.each(pairs.len(), lines);
    invert_all(field, &mut **denominators, &mut scratch);
    let sums = Sums::<C, L> {
        group: *wide,
        pairs,
        points,
        infinite,
        numerators: &numerators,
        inverses: &denominators,
        opposite: &opposite,
    };
    field.each(pairs.len(), sums);
}

/// The lines through pairs of points.
struct Lines<'a, C: Curve, L: SecretLanesOf<C>> {
    group: Group<C, L>,
    pairs: &'a [[usize; 2]],
    points: &'a [AffinePoint<L::Element>],
    infinite: &'a [L::Mask],
    /// The numerators of the slopes, arbitrary where no line exists.
    numerators: &'a mut [L::Element],
    /// The denominators, none of them zero.
    denominators: &'a mut [L::Element],
    /// The lanes whose coordinates are those of opposite points.
    opposite: &'a mut [L::Mask],
}

impl<C: Curve, L: SecretLanesOf<C>> Body<L> for Lines<'_, C, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let group = self.group.in_registers(field);
        let [p, q] = self.pairs[i];
        let is_one_infinite = self.infinite[p].or(self.infinite[q]);
        let (p, q) = (group.load(&self.points[p]), group.load(&self.points[q]));
        let (run, rise) = (field.sub(&q.x, &p.x), field.sub(&q.y, &p.y));
        let is_same_x = field.is_zero(&run);
        let opposite = is_same_x.without(field.is_zero(&rise));
        // No point of odd order has y = 0. A point at infinity has arbitrary coordinates.
        let denominator = field.select(is_same_x, &field.double(&p.y), &run);
        let denominator = field.select(is_one_infinite, &field.one(), &denominator);
        let numerator = field.select(is_same_x, &group.affine_tangent(&p.x), &rise);
        self.numerators[i] = field.store(&numerator);
        self.denominators[i] = field.store(&denominator);
        self.opposite[i] = opposite;
    }
}

/// The sums of pairs of points.
struct Sums<'a, C: Curve, L: SecretLanesOf<C>> {
    group: Group<C, L>,
    pairs: &'a [[usize; 2]],
    points: &'a mut [AffinePoint<L::Element>],
    infinite: &'a mut [L::Mask],
    numerators: &'a [L::Element],
    inverses: &'a [L::Element],
    opposite: &'a [L::Mask],
}

impl<C: Curve, L: SecretLanesOf<C>> Body<L> for Sums<'_, C, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let group = self.group.in_registers(field);
        let [place, other] = self.pairs[i];
        let p_infinite = self.infinite[place];
        let q_infinite = self.infinite[other];
        let p = group.load(&self.points[place]);
        let q = group.load(&self.points[other]);
        let inverse = field.load(&self.inverses[i]);
        let slope = field.mul(&field.load(&self.numerators[i]), &inverse);
        let x = field.square_sub_both(&slope, &p.x, &q.x);
        let y = field.mul_sub(&slope, &field.sub(&p.x, &x), &p.y);
        let sum = group.select_affine(q_infinite, &p, &AffinePoint { x, y });
        let sum = group.select_affine(p_infinite, &q, &sum);
        self.points[place] = group.store(&sum);
        let is_one_infinite = p_infinite.or(q_infinite);
        let are_both = p_infinite.without(p_infinite.without(q_infinite));
        self.infinite[place] = are_both.or(self.opposite[i].without(is_one_infinite));
    }
}

/// The points of the first `count` lanes.
fn unpack<C: Curve, L: SecretLanesOf<C>>(
    wide: &Group<C, L>,
    single: &Group<C, L::Single>,
    points: &[AffinePoint<L::Element>],
    infinite: &[L::Mask],
    count: usize,
) -> DigitSums<C::BaseElement> {
    let zero = single.field().zero();
    let mut lanes = secrets(zero, 2 * L::WIDTH);
    let (x, y) = lanes.split_at_mut(L::WIDTH);
    let mut sums = DigitSums {
        points: secrets(AffinePoint::filled(zero), count),
        infinite: secrets(false, count),
    };
    for (i, point) in points.iter().enumerate() {
        wide.field().unpack(&point.x, x);
        wide.field().unpack(&point.y, y);
        for lane in 0..L::WIDTH.min(count - i * L::WIDTH) {
            let place = i * L::WIDTH + lane;
            sums.points[place] = AffinePoint {
                x: x[lane],
                y: y[lane],
            };
            sums.infinite[place] = infinite[i].lane(lane);
        }
    }
    sums
}
