//! k G for many secret k, one in each lane.

use alloc::vec::Vec;

use super::affine_steps::{AffineSteps, DoubledPoint};
use super::base::base_mul;
use super::extended_sums::add_to_each;
use crate::ct::{Secrets, secrets};
use crate::curve::{
    AffinePoint, Coordinates as _, Curve, ExtendedPoint, Group, ScalarField, SecretLanesOf,
};
use crate::field::{
    Body, ConstantTime, Field, LOOKUP_BLOCK, Mask as _, Registers as _, SecretLanes,
    SecretRegisters, SingleElement, invert_all, lane_item,
};
use crate::limbs::{self, array_from_fn};
use crate::recode::{LaneScalars, odd_digits};
use crate::table::base_table;

/// The fewest scalars for which lanes are faster than one scalar after the other: eight lanes cost
/// as much as three or four multiplications that are spread over them
/// ([`base_mul_spread`](super::base_mul_spread)). Measured with `bench -- --only 'p256/sign/*'`.
pub const FEWEST_IN_LANES: usize = 4;

/// k G for each scalar k in 1 .. n - 1, little-endian in limbs. A group has one scalar for each
/// lane. Constant time.
///
/// Computes the sums of [`base_mul`], with another scalar in every lane. Each lane reads whole rows
/// of the same [table](base_table), by permutations and under masks. Rows are added from the
/// highest to the lowest, each row for all groups before the next. For P-256, a group reads 37 rows
/// of 64 points and performs 36 additions. A few groups add in extended coordinates, 10 products
/// and squares each, and share one inversion at the end. From 48 groups on, each addition is
/// affine, costs 6 products and squares, and shares an inversion.
///
/// No addition meets an exceptional case: row 0 comes last, and if that alone does not exclude
/// exceptions, the groups are split into single scalars (docs/constant-time.md, "No exceptions").
#[inline(never)]
pub fn base_mul_lanes<C: Curve, L: SecretLanesOf<C>, S: ScalarField<C>>(
    wide: &Group<C, L>,
    single: &Group<C, L::Single>,
    order: S,
    scalars: &[C::Integer],
) -> Vec<AffinePoint<L::Element>> {
    assert!(scalars.len().is_multiple_of(L::WIDTH), "whole groups");
    let n = order.modulus();
    let groups = scalars.len() / L::WIDTH;
    let window = single.curve().base_window();
    let sums = if const { L::WIDTH > 1 } && limbs::bits(n.as_ref(), window, 1) == 0 {
        let rows = TableRows {
            table: base_table(single),
            scalars: &LaneScalars::new(scalars, &n, L::WIDTH),
            window,
            count: odd_digits(order.bits(), window),
        };
        if groups >= MANY_GROUPS {
            return sum_rows_affine(wide, &rows, groups);
        }
        sum_rows(wide, &rows, groups)
    } else {
        let mut sums = secrets(ExtendedPoint::filled(wide.field().zero()), groups);
        for (sum, scalars) in sums.iter_mut().zip(scalars.chunks_exact(L::WIDTH)) {
            *sum = one_by_one(wide, single, order, scalars);
        }
        sums
    };
    to_affine(wide.field(), &sums)
}

/// The fewest groups for which additions that share inversions pay. An inversion costs as much as
/// some 60 of the products that each group saves by it. Measure with `bench -- --only
/// 'p256/sign/bulk'` after a change.
const MANY_GROUPS: usize = 48;

/// The rows of the table, and the scalars whose digits select points in them.
struct TableRows<'a, L: SecretLanes> {
    table: &'a [AffinePoint<SingleElement<L>>],
    scalars: &'a LaneScalars,
    window: u32,
    count: u32,
}

impl<L: SecretLanes> TableRows<'_, L> {
    /// Hands over the rows, from the highest to the lowest, each in look-up blocks.
    #[inline(always)]
    fn for_each(&self, field: L, mut add: impl FnMut(&TableRow<'_, L>)) {
        let width = 1usize << (self.window - 1);
        let mut blocks = Vec::with_capacity(width.div_ceil(LOOKUP_BLOCK));
        for row in (0..self.count).rev() {
            let start = row as usize * width;
            to_lookup_blocks(field, &self.table[start..start + width], &mut blocks);
            add(&TableRow {
                blocks: &blocks,
                rows: self,
                row,
            });
        }
    }
}

/// A row of the table, in look-up blocks.
struct TableRow<'a, L: SecretLanes> {
    blocks: &'a [<L::Registers as SecretRegisters>::LookupBlock],
    rows: &'a TableRows<'a, L>,
    row: u32,
}

impl<L: SecretLanes> TableRow<'_, L> {
    /// Returns true if this row is the first to be handed over.
    fn is_highest(&self) -> bool {
        self.row + 1 == self.rows.count
    }

    /// Looks up a point in every lane, for a digit of the group's scalar in that lane.
    #[inline(always)]
    fn look_up(
        &self,
        field: L::Registers,
        group: usize,
    ) -> AffinePoint<<L::Registers as Field>::Element> {
        let TableRows {
            scalars,
            window,
            count,
            ..
        } = *self.rows;
        let digits = scalars.digits(group, L::WIDTH, window, self.row, count);
        let [x, y] = field.look_up(self.blocks, &digits.numbers);
        let negative = field.is_number(&digits.negative, 1);
        AffinePoint {
            x,
            y: field.negate_if(&y, negative),
        }
    }
}

/// The sums of the rows, for all groups together, in affine coordinates.
#[inline(never)]
fn sum_rows_affine<C: Curve, L: SecretLanesOf<C>>(
    wide: &Group<C, L>,
    rows: &TableRows<'_, L>,
    groups: usize,
) -> Vec<AffinePoint<L::Element>> {
    let field = wide.field();
    let mut entries = secrets(DoubledPoint::zeros(field), groups);
    let mut sums = entries.clone();
    let mut steps = AffineSteps::<C, L, ConstantTime>::new(*wide);
    rows.for_each(field, |row| {
        let entries = &mut *entries;
        field.each(groups, TakeRow { row, entries });
        if row.is_highest() {
            sums.copy_from_slice(entries);
        } else {
            steps.add(&mut sums, &mut [], entries);
        }
    });
    let mut points = Vec::with_capacity(groups);
    for (i, sum) in sums.iter().enumerate() {
        let point = sum.to_affine(field);
        points.push(wide.negate_affine_if(&point, rows.scalars.were_even(i)));
    }
    points
}

/// Looks up the points of a row for each group, with 2y, as affine additions need them.
struct TakeRow<'a, L: SecretLanes> {
    row: &'a TableRow<'a, L>,
    entries: &'a mut [DoubledPoint<L::Element>],
}

impl<L: SecretLanes> Body<L> for TakeRow<'_, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let point = self.row.look_up(field, i);
        self.entries[i] = DoubledPoint {
            x: field.store(&point.x),
            double_y: field.store(&field.double(&point.y)),
        };
    }
}

/// The sums of the rows, for all groups together.
#[inline(never)]
fn sum_rows<C: Curve, L: SecretLanesOf<C>>(
    wide: &Group<C, L>,
    rows: &TableRows<'_, L>,
    groups: usize,
) -> Secrets<ExtendedPoint<L::Element>> {
    let field = wide.field();
    let mut sums = secrets(ExtendedPoint::filled(field.zero()), groups);
    let mut points = secrets(AffinePoint::filled(field.zero()), groups);
    rows.for_each(field, |row| {
        let points = &mut *points;
        field.each(groups, TakePoints { row, points });
        if row.is_highest() {
            for (sum, point) in sums.iter_mut().zip(points) {
                *sum = wide.extended_from_affine(point);
            }
        } else {
            add_to_each(wide, points, &mut sums);
        }
    });
    debug_assert!(sums.iter().all(|sum| !field.is_zero(&sum.zz).any()));
    for (i, sum) in sums.iter_mut().enumerate() {
        sum.y = field.negate_if(&sum.y, rows.scalars.were_even(i));
    }
    sums
}

/// Puts the points of a row in look-up blocks.
#[inline(always)]
pub(super) fn to_lookup_blocks<L: SecretLanes>(
    field: L,
    points: &[AffinePoint<SingleElement<L>>],
    blocks: &mut Vec<<L::Registers as SecretRegisters>::LookupBlock>,
) {
    blocks.clear();
    let body = ToLookupBlocks::<L> { points, blocks };
    field.each(points.len().div_ceil(LOOKUP_BLOCK), body);
}

/// Puts points in look-up blocks. The rest of the last block repeats the last point.
struct ToLookupBlocks<'a, L: SecretLanes> {
    points: &'a [AffinePoint<SingleElement<L>>],
    blocks: &'a mut Vec<<L::Registers as SecretRegisters>::LookupBlock>,
}

impl<L: SecretLanes> Body<L> for ToLookupBlocks<'_, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let points = &self.points[i * LOOKUP_BLOCK..];
        let entries = array_from_fn(|j| lane_item(points, j).coordinates());
        self.blocks.push(field.lookup_block(entries));
    }
}

/// Looks up the points of a row for each group.
struct TakePoints<'a, L: SecretLanes> {
    row: &'a TableRow<'a, L>,
    points: &'a mut [AffinePoint<L::Element>],
}

impl<L: SecretLanes> Body<L> for TakePoints<'_, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let AffinePoint { x, y } = self.row.look_up(field, i);
        self.points[i] = AffinePoint {
            x: field.store(&x),
            y: field.store(&y),
        };
    }
}

/// The multiples of one group, computed one by one.
#[inline(always)]
fn one_by_one<C: Curve, L: SecretLanesOf<C>, S: ScalarField<C>>(
    wide: &Group<C, L>,
    single: &Group<C, L::Single>,
    order: S,
    scalars: &[C::Integer],
) -> ExtendedPoint<L::Element> {
    let mut points = Vec::with_capacity(L::WIDTH);
    for k in scalars {
        points.push(base_mul(single, order, k));
    }
    let field = wide.field();
    ExtendedPoint {
        x: field.pack(|lane| &points[lane].x),
        y: field.pack(|lane| &points[lane].y),
        zz: field.pack(|lane| &points[lane].zz),
        zzz: field.pack(|lane| &points[lane].zzz),
    }
}

/// The affine forms of points that are not infinity. One inversion, and 6M + 1S each.
#[inline(never)]
fn to_affine<L: SecretLanes>(
    field: L,
    sums: &[ExtendedPoint<L::Element>],
) -> Vec<AffinePoint<L::Element>> {
    // Like the point, its z would reveal something about k.
    let mut inverses = secrets(field.zero(), sums.len());
    for (inverse, sum) in inverses.iter_mut().zip(sums) {
        *inverse = sum.zzz;
    }
    let mut scratch = inverses.clone();
    invert_all(field, &mut **inverses, &mut scratch);
    let mut points = Vec::with_capacity(sums.len());
    for (sum, zzz_inverse) in sums.iter().zip(&*inverses) {
        let z_inverse = field.mul(&sum.zz, zzz_inverse);
        points.push(AffinePoint {
            x: field.mul(&sum.x, &field.square(&z_inverse)),
            y: field.mul(&sum.y, zzz_inverse),
        });
    }
    points
}
