//! Points that stand in tables, one for each lane.

use crate::curve::{AffinePoint, Curve, Group, LanesOf};
use crate::field::{Body, MOST_LANES, Mask as _, Registers as _};

/// A point to add, and whether to subtract it instead.
pub(super) type Term<'p, C> = (&'p AffinePoint<<C as Curve>::BaseElement>, bool);

/// Points in lanes, one for each, those of a mask negated.
#[inline(always)]
pub(super) fn gather<C: Curve, L: LanesOf<C>>(
    group: Group<C, L>,
    field: L::Registers,
    points: &[&AffinePoint<C::BaseElement>],
    negative: L::Mask,
) -> AffinePoint<L::Element> {
    let group = group.in_registers(field);
    let (mut x, mut y) = ([&points[0].x; MOST_LANES], [&points[0].y; MOST_LANES]);
    for lane in 0..L::WIDTH {
        (x[lane], y[lane]) = (&points[lane].x, &points[lane].y);
    }
    let point = AffinePoint {
        x: field.gather_values(x),
        // The sign of a digit is a coin toss that no branch predictor wins: no branch.
        y: field.gather_signed(y, negative),
    };
    group.store(&point)
}

/// The way of terms into lanes: slot i takes the terms of places i times the width and on.
pub(super) struct Gathering<'a, 'p, C: Curve, L: LanesOf<C>> {
    pub(super) group: Group<C, L>,
    pub(super) terms: &'a [Term<'p, C>],
    pub(super) slots: &'a mut [AffinePoint<L::Element>],
}

impl<C: Curve, L: LanesOf<C>> Body<L> for Gathering<'_, '_, C, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let terms = &self.terms[i * L::WIDTH..][..L::WIDTH];
        let mut points = [terms[0].0; MOST_LANES];
        for (lane, (point, _)) in terms.iter().enumerate() {
            points[lane] = point;
        }
        let negative = L::Mask::from_lanes(|lane| terms[lane].1);
        self.slots[i] = gather(self.group, field, &points, negative);
    }
}
