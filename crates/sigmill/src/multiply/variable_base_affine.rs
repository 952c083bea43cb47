//! k P for many secret k and public P, in affine coordinates throughout. Every step of all
//! multiplications shares one inversion.

use alloc::vec;
use alloc::vec::Vec;

use super::affine_steps::{AffineSteps, DoubledPoint};
use super::odd_multiples_affine_vartime::{BUILDING, OddMultiples, TABLE, WINDOW};
use crate::ct::{Secrets, secrets};
use crate::curve::{AffinePoint, Curve, Group, ScalarField, SecretLanesOf};
use crate::field::{Body, ConstantTime, Field as _, Registers as _, SecretLanes};
use crate::recode::{LaneScalars, odd_digits};

/// k P for every lane of every group, affine, for k in 1 .. n - 1 and points P of order n, which is
/// above 2^7. For more than one lane. Constant time in the k; the time may depend on the P.
///
/// `scalars` has one scalar for each lane of each of `points`, little-endian in limbs; `order` is
/// their field. A row of 256 bits costs 189 doublings of 5M + 2S, 63 times 2P + Q of 9M + 2S, 10
/// steps for the table of 8 points, and 64 look-ups that read all of them. All rows share some 300
/// inversions, so this is for dozens of rows.
///
/// Every step has a slope (docs/constant-time.md, "In affine coordinates").
#[inline(never)]
pub fn variable_base_mul_affine<C: Curve, L: SecretLanesOf<C>, S: ScalarField<C>>(
    group: &Group<C, L>,
    order: S,
    points: &[AffinePoint<L::Element>],
    scalars: &[C::Integer],
) -> Secrets<AffinePoint<L::Element>> {
    assert_eq!(scalars.len(), points.len() * L::WIDTH, "one for each lane");
    assert!(order.bits() > 7, "an order above 2^7");
    // The masks of one lane are `bool`s, which the compiler would turn into branches here.
    assert!(L::WIDTH > 1, "in lanes");
    let scalars = LaneScalars::new(scalars, &order.modulus(), L::WIDTH);
    let (tables, field) = (tables(group, points), group.field());
    let mut steps = AffineSteps::<C, L, ConstantTime>::new(*group);
    let count = odd_digits(order.bits(), WINDOW);
    let mut entries = secrets(DoubledPoint::zeros(field), points.len());
    let mut sums = entries.clone();
    for index in (0..count).rev() {
        let look_up = LookUp::<L> {
            tables: &tables,
            scalars: &scalars,
            index,
            count,
            entries: &mut entries,
        };
        field.each(points.len(), look_up);
        if index + 1 == count {
            sums.copy_from_slice(&entries);
            continue;
        }
        for _ in 0..WINDOW - 1 {
            steps.double(&mut sums, &mut []);
        }
        steps.double_and_add(&mut sums, &mut [], &entries);
    }
    let mut products = secrets(AffinePoint::filled(field.zero()), sums.len());
    for (i, (product, sum)) in products.iter_mut().zip(&*sums).enumerate() {
        let point = sum.to_affine(field);
        *product = group.negate_affine_if(&point, scalars.were_even(i));
    }
    products
}

/// The odd multiples of every group. Tables that are built side by side are stored side by side.
#[inline(never)]
fn tables<C: Curve, L: SecretLanesOf<C>>(
    group: &Group<C, L>,
    points: &[AffinePoint<L::Element>],
) -> Vec<DoubledPoint<L::Element>> {
    let field = group.field();
    let mut tables = vec![DoubledPoint::zeros(field); points.len() * TABLE];
    let mut building = OddMultiples::new(group);
    let mut doubled = Vec::with_capacity(BUILDING.min(points.len()));
    let parts = tables.chunks_mut(BUILDING * TABLE);
    for (points, odd) in points.chunks(BUILDING).zip(parts) {
        doubled.clear();
        for point in points {
            doubled.push(DoubledPoint::from_affine(field, point));
        }
        let is_exceptional = building.make_vartime(&doubled, odd);
        debug_assert!(!is_exceptional, "points of large order");
    }
    tables
}

/// Looks up, in every lane, the multiple for a digit in the table of each group.
struct LookUp<'a, L: SecretLanes> {
    tables: &'a [DoubledPoint<L::Element>],
    scalars: &'a LaneScalars,
    index: u32,
    count: u32,
    entries: &'a mut [DoubledPoint<L::Element>],
}

impl<L: SecretLanes> Body<L> for LookUp<'_, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let (index, count) = (self.index, self.count);
        let digits = self.scalars.digits(i, L::WIDTH, WINDOW, index, count);
        // Its position among the tables that were built together.
        let first = i - i % BUILDING;
        let (start, groups) = (
            first * TABLE + i % BUILDING,
            BUILDING.min(self.entries.len() - first),
        );
        let mut x = field.load(&self.tables[start].x);
        let mut double_y = field.load(&self.tables[start].double_y);
        for j in 1..TABLE {
            let here = field.is_number(&digits.numbers, j as u64);
            let entry = &self.tables[start + j * groups];
            x = field.select(here, &field.load(&entry.x), &x);
            double_y = field.select(here, &field.load(&entry.double_y), &double_y);
        }
        let negative = field.is_number(&digits.negative, 1);
        self.entries[i] = DoubledPoint {
            x: field.store(&x),
            double_y: field.store(&field.negate_if(&double_y, negative)),
        };
    }
}
