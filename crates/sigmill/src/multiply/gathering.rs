//! Points from tables, gathered one for each lane.

use crate::curve::{AffinePoint, Curve, Group, LanesOf};
use crate::field::{Body, MOST_LANES, Mask as _, Registers as _};

/// A point to add, or to subtract if the flag is true.
pub(super) type Term<'p, C> = (&'p AffinePoint<<C as Curve>::BaseElement>, bool);

/// Gathers one point for each lane, and negates those of a mask.
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
        // The sign of a digit is a coin toss that no branch predictor wins, so negate without a
        // branch.
        y: field.gather_signed(y, negative),
    };
    group.store(&point)
}

/// Gathers terms into lanes: slot i receives the terms from place i times the width on.
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
