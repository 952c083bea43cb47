//! Sums in extended coordinates, one in each lane.
//!
//! Additions are incomplete. An exceptional addition yields z^2 = 0, and so does every later one of
//! that sum, because each z^2 is a product with the one before. Callers that need to know check at
//! the end.

use crate::curve::{AffinePoint, Curve, ExtendedPoint, Group, LanesOf};
use crate::field::{Body, Lanes};

/// Adds each of the affine points to its own sum. 8M + 2S each.
#[inline(always)]
pub(super) fn add_to_each<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    points: &[AffinePoint<L::Element>],
    sums: &mut [ExtendedPoint<L::Element>],
) {
    debug_assert_eq!(points.len(), sums.len());
    let adding = AddAffine {
        group: *group,
        points,
        sums,
        to_each: true,
    };
    group.field().each(points.len(), adding);
}

/// Adds all affine points to one sum. 8M + 2S each.
#[inline(always)]
pub(super) fn add_all<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    points: &[AffinePoint<L::Element>],
    sum: &mut ExtendedPoint<L::Element>,
) {
    let adding = AddAffine {
        group: *group,
        points,
        sums: core::slice::from_mut(sum),
        to_each: false,
    };
    group.field().each(points.len(), adding);
}

/// Adds affine points, each to its own sum or all to the first. One loop serves both, because the
/// formulas are long.
struct AddAffine<'a, C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    points: &'a [AffinePoint<L::Element>],
    sums: &'a mut [ExtendedPoint<L::Element>],
    to_each: bool,
}

impl<C: Curve, L: LanesOf<C>> Body<L> for AddAffine<'_, C, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let group = self.group.in_registers(field);
        let sum = &mut self.sums[if self.to_each { i } else { 0 }];
        let point = group.load(&self.points[i]);
        let (next, _) = group.add_extended_incomplete(&group.load_extended(sum), &point);
        *sum = group.store_extended(&next);
    }
}

/// The point whose lane i holds lane i + `by` of `point`.
#[inline(always)]
pub(super) fn rotated<L: Lanes>(
    field: L,
    point: &ExtendedPoint<L::Element>,
    by: usize,
) -> ExtendedPoint<L::Element> {
    ExtendedPoint {
        x: field.rotate(&point.x, by),
        y: field.rotate(&point.y, by),
        zz: field.rotate(&point.zz, by),
        zzz: field.rotate(&point.zzz, by),
    }
}

/// Adds another point to the sum. 12M + 2S.
#[inline(always)]
pub(super) fn add_other<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    other: &ExtendedPoint<L::Element>,
    sum: &mut ExtendedPoint<L::Element>,
) {
    if const { L::HAS_LONG_PRODUCTS } {
        *sum = group.add_extended_points_incomplete(sum, other).0;
        return;
    }
    let adding = AddOther {
        group: *group,
        other,
        sum,
    };
    group.field().each(1, adding);
}

/// [`add_other`] as the body of a loop.
struct AddOther<'a, C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    other: &'a ExtendedPoint<L::Element>,
    sum: &'a mut ExtendedPoint<L::Element>,
}

impl<C: Curve, L: LanesOf<C>> Body<L> for AddOther<'_, C, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, _: usize) {
        let group = self.group.in_registers(field);
        let p = group.load_extended(self.sum);
        let q = group.load_extended(self.other);
        let (sum, _) = group.add_extended_points_incomplete(&p, &q);
        *self.sum = group.store_extended(&sum);
    }
}
