//! Multiples of a great many points that are used once: affine coordinates throughout, every step
//! of all of them sharing one inversion.

use alloc::vec;
use alloc::vec::Vec;

use aligned_vec::AVec;

use super::affine_steps::{DoubledPoint, Steps};
use super::odd_multiples_affine_vartime::{BUILDING, OddMultiples, TABLE, WINDOW};
use super::{LanesTerm, parts};
use crate::curve::{AffinePoint, Curve, Group, LanesOf, ScalarField};
use crate::field::{Mask as _, VariableTime};
use crate::recode::{odd_digit, odd_digits};
use crate::table::prefetch;

/// The most lanes that a group has.
const WIDEST: usize = 8;

/// How many groups before it is read a table entry is asked for.
const AHEAD: usize = 8;

/// k P for every lane of every group: in affine coordinates, with the lanes in which the result is
/// wrong.
///
/// `order` is the field of the integers. For 256 bits and a row: 204 doublings of 5M + 2S, 51 times
/// 2P + Q of 9M + 2S, and 19 steps for the table of 16 points; all rows share some 300 inversions,
/// so this is for hundreds of rows (for fewer, see
/// [`variable_base_mul_lanes_vartime`](super::variable_base_mul_lanes_vartime)). A result is wrong
/// where a step had no slope. Variable time: for public values only.
///
/// Where the curve has an endomorphism, the integers are split into odd halves, which share the
/// doublings: for 256 bits 100 doublings, 25 times 2P + Q, and 26 additions of 6M + 1S of an image
/// under the endomorphism. There integers can be chosen so that a step has no slope.
///
/// Elsewhere that takes an order below 2^7. In the last window, the sum P before 2P + Q is j = 2^4 m times the
/// point for an odd m, and Q is d times, d odd and below 2^5; 2j + d = k is in 1 .. n - 1. P and Q
/// share x where j = |d|, but j is even, or j = n - |d|, but 2j < n + 2^5. P + Q and P share x where
/// d = 0 or k = 0 modulo n. In the windows before, the multiples are smaller.
#[inline(always)]
pub fn variable_base_mul_affine_vartime<C: Curve, L: LanesOf<C>, S: ScalarField<C>>(
    group: &Group<C, L>,
    order: S,
    terms: &[LanesTerm<'_, L::Element, C::Integer>],
) -> Vec<(AffinePoint<L::Element>, L::Mask)> {
    let mut points = Vec::with_capacity(terms.len());
    let mut odd = Vec::with_capacity(terms.len() * L::WIDTH);
    let n = order.modulus();
    for (point, scalars) in terms {
        points.push(DoubledPoint::from_affine(group.field(), point));
        odd.extend(
            scalars[..L::WIDTH]
                .iter()
                .map(|k| parts::odd_parts::<C>(k, &n)),
        );
    }
    let tables = Tables::build(group, &points);
    const { assert!(L::WIDTH <= WIDEST) };
    let count = odd_digits(parts::bits::<C>(S::BITS), WINDOW);
    let digits_of = |place: usize, part: usize, index: u32| {
        let mut digits = [0; WIDEST];
        for (digit, k) in digits.iter_mut().zip(&odd[place * L::WIDTH..][..L::WIDTH]) {
            let k = &k[part];
            *digit = odd_digit(k.magnitude.as_ref(), WINDOW, index, count);
            if k.negative != 0 {
                *digit = -*digit;
            }
        }
        digits
    };
    let beta = parts::beta::<C, L>(group.field());
    let mut digits = vec![[0; WIDEST]; terms.len()];
    let mut load = |entries: &mut [DoubledPoint<L::Element>], part: usize, index: u32| {
        for (place, digits) in digits.iter_mut().enumerate() {
            *digits = digits_of(place, part, index);
        }
        for (place, entry) in entries.iter_mut().enumerate() {
            if let Some(digits) = digits.get(place + AHEAD) {
                tables.prefetch(place + AHEAD, digits);
            }
            tables.load(place, &digits[place], entry);
            if part > 0 {
                entry.x = group.field().mul(&beta, &entry.x);
            }
        }
    };
    let (mut sums, mut entries) = (points.clone(), points);
    let mut wrong = vec![L::Mask::from_lanes(|_| tables.are_wrong); terms.len()];
    let mut steps = Steps::<C, L, VariableTime>::new(*group);
    for index in (0..count).rev() {
        if index == count - 1 {
            load(&mut sums, 0, index);
        } else {
            for _ in 0..WINDOW - 1 {
                steps.double(&mut sums, &mut wrong);
            }
            load(&mut entries, 0, index);
            steps.double_and_add(&mut sums, &mut wrong, &entries);
        }
        for part in 1..parts::count::<C>() {
            load(&mut entries, part, index);
            steps.add(&mut sums, &mut wrong, &entries);
        }
    }
    let affine = |sum: DoubledPoint<_>| sum.to_affine(group.field());
    sums.into_iter().map(affine).zip(wrong).collect()
}

/// The odd multiples of every lane of every group.
struct Tables<C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    /// `TABLE` multiples of each group, and of each multiple the lanes.
    points: AVec<DoubledPoint<L::Lane>>,
    /// Whether some step had no slope, which takes a tiny order.
    are_wrong: bool,
}

impl<C: Curve, L: LanesOf<C>> Tables<C, L> {
    #[inline(always)]
    fn build(group: &Group<C, L>, points: &[DoubledPoint<L::Element>]) -> Self {
        let mut tables = Self {
            group: *group,
            points: AVec::with_capacity(64, points.len() * L::WIDTH * TABLE),
            are_wrong: false,
        };
        let most = BUILDING.min(points.len());
        let mut odd = vec![DoubledPoint::zeros(group.field()); most * TABLE];
        let mut building = OddMultiples::new(group);
        for points in points.chunks(BUILDING) {
            let odd = &mut odd[..points.len() * TABLE];
            tables.are_wrong |= building.make_vartime(points, odd);
            tables.store(odd, points.len());
        }
        tables
    }

    /// Takes the multiples of so many groups, which lie side by side, to their tables.
    #[inline(always)]
    fn store(&mut self, odd: &[DoubledPoint<L::Element>], groups: usize) {
        let field = self.group.field();
        for place in 0..groups {
            for multiple in odd.iter().skip(place).step_by(groups) {
                let lanes = field
                    .lanes(&multiple.x)
                    .zip(field.lanes(&multiple.double_y));
                lanes.for_each(|(x, double_y)| self.points.push(DoubledPoint { x, double_y }));
            }
        }
    }

    /// Takes the multiples of a group's points by odd digits, one for each lane, to `entry`.
    #[inline(always)]
    fn load(&self, place: usize, digits: &[i32; WIDEST], entry: &mut DoubledPoint<L::Element>) {
        let field = self.group.field();
        let negative = L::Mask::from_lanes(|lane| digits[lane] < 0);
        entry.x = field.load_lanes(|lane| &self.entry(place, lane, digits[lane]).x);
        let double_y = field.load_lanes(|lane| &self.entry(place, lane, digits[lane]).double_y);
        entry.double_y = field.negate_if(&double_y, negative);
    }

    /// Asks for the cache lines of what will be loaded for a group.
    #[inline(always)]
    fn prefetch(&self, place: usize, digits: &[i32; WIDEST]) {
        for (lane, &digit) in digits[..L::WIDTH].iter().enumerate() {
            prefetch(self.entry(place, lane, digit));
        }
    }

    #[inline(always)]
    fn entry(&self, place: usize, lane: usize, digit: i32) -> &DoubledPoint<L::Lane> {
        let multiple = digit.unsigned_abs() as usize / 2;
        &self.points[(place * TABLE + multiple) * L::WIDTH + lane]
    }
}
