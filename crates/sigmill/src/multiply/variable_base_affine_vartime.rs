//! Multiples of a great many points that are used once: affine coordinates throughout, every step
//! of all of them sharing one inversion.

use alloc::vec;
use alloc::vec::Vec;

use aligned_vec::AVec;

use super::LanesTerm;
use super::affine_steps::Steps;
use super::odd_multiples_affine_vartime::{BUILDING, OddMultiples, TABLE, WINDOW};
use crate::curve::{AffinePoint, Curve, Group, LanesOf, ScalarField};
use crate::field::{Mask as _, VariableTime};
use crate::recode::{make_odd, odd_digit, odd_digits};
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
/// That takes an order below 2^7. In the last window, the sum P before 2P + Q is j = 2^4 m times the
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
        let even = L::Mask::from_lanes(|lane| scalars[lane].as_ref()[0] & 1 == 0);
        points.push(group.negate_affine_if(point, even));
        odd.extend(scalars[..L::WIDTH].iter().map(|k| make_odd(k, &n).0));
    }
    let tables = Tables::build(group, &points);
    const { assert!(L::WIDTH <= WIDEST) };
    let count = odd_digits(S::BITS, WINDOW);
    let digits = |place: usize, index: u32| {
        let mut digits = [0; WIDEST];
        for (digit, k) in digits.iter_mut().zip(&odd[place * L::WIDTH..][..L::WIDTH]) {
            *digit = odd_digit(k.as_ref(), WINDOW, index, count);
        }
        digits
    };
    let mut sums: Vec<_> = (0..terms.len())
        .map(|place| tables.load(place, &digits(place, count - 1)))
        .collect();
    let mut wrong = vec![L::Mask::from_lanes(|_| tables.are_wrong); terms.len()];
    let mut entries = Vec::with_capacity(terms.len());
    let mut steps = Steps::<C, L, VariableTime>::new(*group);
    for index in (0..count - 1).rev() {
        for _ in 0..WINDOW - 1 {
            steps.double(&mut sums, &mut wrong);
        }
        entries.clear();
        entries.extend((0..terms.len()).map(|place| {
            if place + AHEAD < terms.len() {
                tables.prefetch(place + AHEAD, &digits(place + AHEAD, index));
            }
            tables.load(place, &digits(place, index))
        }));
        steps.double_and_add(&mut sums, &mut wrong, &entries);
    }
    sums.into_iter().zip(wrong).collect()
}

/// The odd multiples of every lane of every group.
struct Tables<C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    /// `TABLE` multiples of each group, and of each multiple the lanes.
    points: AVec<AffinePoint<L::Lane>>,
    /// Whether some step had no slope, which takes a tiny order.
    are_wrong: bool,
}

impl<C: Curve, L: LanesOf<C>> Tables<C, L> {
    #[inline(always)]
    fn build(group: &Group<C, L>, points: &[AffinePoint<L::Element>]) -> Self {
        let mut tables = Self {
            group: *group,
            points: AVec::with_capacity(64, points.len() * L::WIDTH * TABLE),
            are_wrong: false,
        };
        let zero = group.field().zero();
        let most = BUILDING.min(points.len());
        let mut odd = vec![AffinePoint { x: zero, y: zero }; most * TABLE];
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
    fn store(&mut self, odd: &[AffinePoint<L::Element>], groups: usize) {
        let field = self.group.field();
        for place in 0..groups {
            for multiple in odd.iter().skip(place).step_by(groups) {
                let lanes = field.lanes(&multiple.x).zip(field.lanes(&multiple.y));
                lanes.for_each(|(x, y)| self.points.push(AffinePoint { x, y }));
            }
        }
    }

    /// The multiples of a group's points by odd digits, one for each lane.
    #[inline(always)]
    fn load(&self, place: usize, digits: &[i32; WIDEST]) -> AffinePoint<L::Element> {
        let field = self.group.field();
        let point = AffinePoint {
            x: field.load_lanes(|lane| &self.entry(place, lane, digits[lane]).x),
            y: field.load_lanes(|lane| &self.entry(place, lane, digits[lane]).y),
        };
        self.group
            .negate_affine_if(&point, L::Mask::from_lanes(|lane| digits[lane] < 0))
    }

    /// Asks for the cache lines of what will be loaded for a group.
    #[inline(always)]
    fn prefetch(&self, place: usize, digits: &[i32; WIDEST]) {
        for (lane, &digit) in digits[..L::WIDTH].iter().enumerate() {
            prefetch(self.entry(place, lane, digit));
        }
    }

    #[inline(always)]
    fn entry(&self, place: usize, lane: usize, digit: i32) -> &AffinePoint<L::Lane> {
        let multiple = digit.unsigned_abs() as usize / 2;
        &self.points[(place * TABLE + multiple) * L::WIDTH + lane]
    }
}
