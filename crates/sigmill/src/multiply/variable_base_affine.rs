//! k P for many secret k and public P: affine coordinates throughout, every step of all of them sharing
//! one inversion.

use alloc::vec;
use alloc::vec::Vec;

use super::affine_steps::Steps;
use super::odd_multiples_affine_vartime::{BUILDING, OddMultiples, TABLE, WINDOW};
use crate::curve::{AffinePoint, Curve, Group, LanesOf, ScalarField};
use crate::field::{Body, ConstantTime, Field as _, Registers as _};
use crate::recode::{LaneScalars, odd_digits};

/// k P for every lane of every group, affine, for k in 1 .. n - 1 and points P of order n, which is
/// above 2^7. For more than one lane. Constant time in the k; the time may depend on the P.
///
/// `scalars` has one for each lane of each of `points`, little-endian in limbs; `order` is their field. For 256 bits and a row: 204 doublings of 5M + 2S, 51 times
/// 2P + Q of 9M + 2S, 19 steps for the table of 16 points, and 52 look-ups that read all of them; all rows
/// share some 300 inversions, so this is for dozens of rows.
///
/// Every step has a slope (docs/constant-time.md, "In affine coordinates").
#[inline(always)]
pub fn variable_base_mul_affine<C: Curve, L: LanesOf<C>, S: ScalarField<C>>(
    group: &Group<C, L>,
    order: S,
    points: &[AffinePoint<L::Element>],
    scalars: &[C::Integer],
) -> Vec<AffinePoint<L::Element>> {
    assert_eq!(scalars.len(), points.len() * L::WIDTH, "one for each lane");
    const { assert!(S::BITS > 7) };
    // The masks of one lane are `bool`s, of which the compiler made branches here.
    assert!(L::WIDTH > 1, "in lanes");
    let scalars = LaneScalars::new(scalars, &order.modulus(), L::WIDTH);
    let (tables, field) = (tables(group, points), group.field());
    let mut steps = Steps::<C, L, ConstantTime>::new(*group);
    let count = odd_digits(S::BITS, WINDOW);
    let zero = AffinePoint {
        x: field.zero(),
        y: field.zero(),
    };
    let mut entries = vec![zero; points.len()];
    let mut sums = vec![];
    for index in (0..count).rev() {
        let look_up = LookUp {
            group: *group,
            tables: &tables,
            scalars: &scalars,
            index,
            count,
            entries: &mut entries,
        };
        field.each(points.len(), look_up);
        if index + 1 == count {
            sums.extend_from_slice(&entries);
            continue;
        }
        for _ in 0..WINDOW - 1 {
            steps.double(&mut sums, &mut []);
        }
        steps.double_and_add(&mut sums, &mut [], &entries);
    }
    for (i, sum) in sums.iter_mut().enumerate() {
        sum.y = field.negate_if(&sum.y, scalars.were_even(i));
    }
    steps.wipe();
    for entry in &mut entries {
        field.wipe(core::slice::from_mut(&mut entry.x));
        field.wipe(core::slice::from_mut(&mut entry.y));
    }
    sums
}

/// The odd multiples of every group: tables that are built side by side lie side by side.
#[inline(always)]
fn tables<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    points: &[AffinePoint<L::Element>],
) -> Vec<AffinePoint<L::Element>> {
    let zero = group.field().zero();
    let mut tables = vec![AffinePoint { x: zero, y: zero }; points.len() * TABLE];
    let mut building = OddMultiples::new(group);
    let parts = tables.chunks_mut(BUILDING * TABLE);
    for (points, odd) in points.chunks(BUILDING).zip(parts) {
        let is_wrong = building.make_vartime(points, odd);
        debug_assert!(!is_wrong, "points of large order");
    }
    tables
}

/// Takes from the table of each group, in every lane, the multiple by a digit.
struct LookUp<'a, C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    tables: &'a [AffinePoint<L::Element>],
    scalars: &'a LaneScalars,
    index: u32,
    count: u32,
    entries: &'a mut [AffinePoint<L::Element>],
}

impl<C: Curve, L: LanesOf<C>> Body<L> for LookUp<'_, C, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let group = self.group.in_registers(field);
        let (index, count) = (self.index, self.count);
        let digits = self.scalars.digits(i, L::WIDTH, WINDOW, index, count);
        // Among the tables that were built together.
        let first = i - i % BUILDING;
        let (start, groups) = (
            first * TABLE + i % BUILDING,
            BUILDING.min(self.entries.len() - first),
        );
        let mut point = group.load(&self.tables[start]);
        for j in 1..TABLE {
            let here = field.is_number(&digits.numbers, j as u64);
            let entry = group.load(&self.tables[start + j * groups]);
            point.x = field.select(here, &entry.x, &point.x);
            point.y = field.select(here, &entry.y, &point.y);
        }
        let negative = field.is_number(&digits.negative, 1);
        self.entries[i] = group.store(&group.negate_affine_if(&point, negative));
    }
}
