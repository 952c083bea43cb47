//! Multiples of a great many points that are used once, in affine coordinates throughout. Every
//! step of all multiplications shares one inversion.

use alloc::vec;
use alloc::vec::Vec;

use aligned_vec::AVec;

use super::affine_steps::{AffineSteps, DoubledPoint};
use super::odd_multiples_affine_vartime::{BUILDING, OddMultiples, TABLE, WINDOW};
use super::{LanesTerm, parts};
use crate::curve::{AffinePoint, Curve, Group, LanesOf, ScalarField};
use crate::field::{
    Body, Field as _, Lanes, Limbs, MOST_LANES, Mask as _, Registers as _, VariableTime,
};
use crate::recode::{odd_digit, odd_digits};
use crate::scalar::Half;
use crate::table::prefetch;

/// The number of groups by which a table entry is prefetched before it is read. Measure with `bench
/// -- --only 'p256/verify/fresh/bulk'` after a change.
const AHEAD: usize = 8;

/// k P for every lane of every group, in affine coordinates, and the mask of exceptional lanes,
/// whose results are meaningless.
///
/// `order` is the field of the integers. A row of 256 bits costs 189 doublings of 5M + 2S, 63 times
/// 2P + Q of 9M + 2S, and 10 steps for the table of 8 points. All rows share some 300 inversions,
/// so this is for hundreds of rows (for fewer, see
/// [`variable_base_mul_lanes_vartime`](super::variable_base_mul_lanes_vartime)). A lane is
/// exceptional if a step had no slope. Variable time: for public values only.
///
/// If the curve has an endomorphism, the integers are split into odd halves, which share the
/// doublings. For 256 bits that is 96 doublings, 32 times 2P + Q, and 33 additions of 6M + 1S of an
/// image under the endomorphism. On such curves, integers can be chosen so that a step has no
/// slope.
///
/// On other curves, a step without a slope requires an order below 2^6. In the last window, the sum
/// P before 2P + Q is j times the point, where j = 2^3 m for an odd m. Q is d times the point,
/// where d is odd and below 2^4, and 2j + d = k is in 1 to n - 1. P and Q share x if j = |d|, but j
/// is even, or if j = n - |d|, but 2j < n + 2^4. The points P + Q and P share x if d = 0 or k = 0
/// modulo n. In earlier windows, the multiples are smaller.
#[inline(never)]
pub fn variable_base_mul_affine_vartime<C: Curve, L: LanesOf<C>, S: ScalarField<C>>(
    group: &Group<C, L>,
    order: S,
    terms: &[LanesTerm<'_, L::Element, C::Integer>],
) -> Vec<(AffinePoint<L::Element>, L::Mask)> {
    let mut points = Vec::with_capacity(terms.len());
    let mut odd = Vec::with_capacity(terms.len() * L::WIDTH);
    let (curve, n) = (group.curve(), order.modulus());
    for (point, scalars) in terms {
        points.push(DoubledPoint::from_affine(group.field(), point));
        for k in &scalars[..L::WIDTH] {
            odd.push(parts::odd_parts(curve, k, &n));
        }
    }
    let tables = Tables::build(group, &points);
    const { assert!(L::WIDTH <= MOST_LANES) };
    let count = odd_digits(parts::bits(curve, order.bits()), WINDOW);
    let beta = parts::beta(group);
    let mut wanted = vec![Wanted::default(); terms.len()];
    let mut load = |entries: &mut [DoubledPoint<L::Element>], part: usize, index: u32| {
        for (wanted, scalars) in wanted.iter_mut().zip(odd.chunks_exact(L::WIDTH)) {
            wanted.set(scalars, part, index, count);
        }
        tables.load(&wanted, (part > 0).then_some(&beta), entries);
    };
    let (mut sums, mut entries) = (points.clone(), points);
    let mut exceptional = vec![L::Mask::from_lanes(|_| tables.are_exceptional); terms.len()];
    let mut steps = AffineSteps::<C, L, VariableTime>::new(*group);
    for index in (0..count).rev() {
        if index == count - 1 {
            load(&mut sums, 0, index);
        } else {
            for _ in 0..WINDOW - 1 {
                steps.double(&mut sums, &mut exceptional);
            }
            load(&mut entries, 0, index);
            steps.double_and_add(&mut sums, &mut exceptional, &entries);
        }
        for part in 1..parts::count(curve) {
            load(&mut entries, part, index);
            steps.add(&mut sums, &mut exceptional, &entries);
        }
    }
    let mut products = Vec::with_capacity(sums.len());
    for (sum, exceptional) in sums.iter().zip(exceptional) {
        products.push((sum.to_affine(group.field()), exceptional));
    }
    products
}

/// The odd multiples of every lane of every group.
struct Tables<C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    /// `TABLE` multiples of each group, and the lanes of each multiple.
    points: AVec<DoubledPoint<L::Lane>>,
    /// True if some step had no slope, which requires a tiny order.
    are_exceptional: bool,
}

impl<C: Curve, L: LanesOf<C>> Tables<C, L> {
    #[inline(always)]
    fn build(group: &Group<C, L>, points: &[DoubledPoint<L::Element>]) -> Self {
        let mut tables = Self {
            group: *group,
            points: AVec::with_capacity(64, points.len() * L::WIDTH * TABLE),
            are_exceptional: false,
        };
        let most = BUILDING.min(points.len());
        let mut odd = vec![DoubledPoint::zeros(group.field()); most * TABLE];
        let mut building = OddMultiples::new(group);
        for points in points.chunks(BUILDING) {
            let odd = &mut odd[..points.len() * TABLE];
            tables.are_exceptional |= building.make_vartime(points, odd);
            tables.store(odd, points.len());
        }
        tables
    }

    /// Moves the multiples of this number of groups, which are stored side by side, to their
    /// tables.
    #[inline(never)]
    fn store(&mut self, odd: &[DoubledPoint<L::Element>], groups: usize) {
        let field = self.group.field();
        for place in 0..groups {
            for multiple in odd.iter().skip(place).step_by(groups) {
                let x = field.lanes(&multiple.x);
                let double_y = field.lanes(&multiple.double_y);
                for (&x, &double_y) in x.as_ref().iter().zip(double_y.as_ref()) {
                    self.points.push(DoubledPoint { x, double_y });
                }
            }
        }
    }

    /// Loads the wanted entries, with x multiplied by `beta`.
    #[inline(never)]
    fn load(
        &self,
        wanted: &[Wanted],
        beta: Option<&L::Element>,
        entries: &mut [DoubledPoint<L::Element>],
    ) {
        let loading = Loading::<L> {
            points: &self.points,
            wanted,
            beta,
            entries,
        };
        self.group.field().each(wanted.len(), loading);
    }
}

/// The wanted entries of the tables of a group's lanes.
#[derive(Clone, Copy, Default)]
struct Wanted {
    /// Entry m is 2m + 1 times the point.
    multiples: [u32; MOST_LANES],
    negative: [bool; MOST_LANES],
}

impl Wanted {
    /// Sets the entries for digit `index` of `count`, of one part of the integers of a group's
    /// lanes.
    #[inline(never)]
    fn set<I: Limbs>(
        &mut self,
        integers: &[[Half<I>; parts::MOST]],
        part: usize,
        index: u32,
        count: u32,
    ) {
        for (lane, k) in integers.iter().enumerate() {
            let k = &k[part];
            let digit = odd_digit(k.magnitude.as_ref(), WINDOW, index, count);
            self.multiples[lane] = digit.unsigned_abs() / 2;
            self.negative[lane] = (digit < 0) ^ (k.negative != 0);
        }
    }
}

/// Loads one entry for each lane from the tables.
struct Loading<'a, L: Lanes> {
    points: &'a [DoubledPoint<L::Lane>],
    wanted: &'a [Wanted],
    /// The factor of x.
    beta: Option<&'a L::Element>,
    entries: &'a mut [DoubledPoint<L::Element>],
}

impl<L: Lanes> Loading<'_, L> {
    /// The entries of its tables that a group wants.
    #[inline(always)]
    fn entries(&self, group: usize) -> [&DoubledPoint<L::Lane>; MOST_LANES] {
        let tables = &self.points[group * TABLE * L::WIDTH..][..TABLE * L::WIDTH];
        let mut entries = [&tables[0]; MOST_LANES];
        for lane in 0..L::WIDTH {
            let multiple = self.wanted[group].multiples[lane] as usize;
            entries[lane] = &tables[multiple * L::WIDTH + lane];
        }
        entries
    }
}

impl<L: Lanes> Body<L> for Loading<'_, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        if i + AHEAD < self.wanted.len() {
            for entry in &self.entries(i + AHEAD)[..L::WIDTH] {
                prefetch(*entry);
            }
        }
        let entries = self.entries(i);
        let negative = self.wanted[i].negative;
        let negative = L::Mask::from_lanes(|lane| negative[lane]);
        let mut x = field.gather_lanes(entries.map(|entry| &entry.x));
        if let Some(beta) = self.beta {
            x = field.mul(&x, &field.load(beta));
        }
        let double_y = field.gather_lanes(entries.map(|entry| &entry.double_y));
        let double_y = field.negate_if(&double_y, negative);
        self.entries[i] = DoubledPoint {
            x: field.store(&x),
            double_y: field.store(&double_y),
        };
    }
}
