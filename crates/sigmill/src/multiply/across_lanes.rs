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
#[inline(always)]
pub(super) fn add_other<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    other: &ExtendedPoint<L::Element>,
    sum: &mut ExtendedPoint<L::Element>,
    exceptional: &mut L::Mask,
) {
    if const { L::HAS_LONG_PRODUCTS } {
        let (next, marked) = group.add_extended_points_incomplete(sum, other);
        *sum = next;
        *exceptional = exceptional.or(marked);
        return;
    }
    let adding = AddOther {
        group: *group,
        other,
        sum,
        exceptional,
    };
    group.field().each(1, adding);
}

/// The same as the body of a loop.
struct AddOther<'a, C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    other: &'a ExtendedPoint<L::Element>,
    sum: &'a mut ExtendedPoint<L::Element>,
    exceptional: &'a mut L::Mask,
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
