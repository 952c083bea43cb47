//! Sums over the lanes of a point.

use crate::curve::{Curve, ExtendedPoint, Group, LanesOf};
use crate::field::{Body, Lanes, Mask as _};

/// The point whose lane i holds what lane i + `by` of `point` does.
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

/// Adds another point to the sum, and marks the lanes in which that was exceptional.
pub(super) struct AddOther<'a, C: Curve, L: LanesOf<C>> {
    pub(super) group: Group<C, L>,
    pub(super) other: &'a ExtendedPoint<L::Element>,
    pub(super) sum: &'a mut ExtendedPoint<L::Element>,
    pub(super) exceptional: &'a mut L::Mask,
}

impl<C: Curve, L: LanesOf<C>> Body<L> for AddOther<'_, C, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, _: usize) {
        let group = self.group.in_registers(field);
        let p = group.load_extended(self.sum);
        let q = group.load_extended(self.other);
        let (sum, exceptional) = group.add_extended_points_incomplete(&p, &q);
        *self.exceptional = self.exceptional.or(exceptional);
        *self.sum = group.store_extended(&sum);
    }
}
