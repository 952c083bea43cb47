//! Points that stand in tables, one for each lane.

use crate::curve::{AffinePoint, Curve, Group, LanesOf};
use crate::field::{Body, MOST_LANES, Mask as _, Registers as _};

/// A point to add, and whether to subtract it instead.
pub(super) type Term<'p, C> = (&'p AffinePoint<<C as Curve>::BaseElement>, bool);

/// The way of terms into lanes: slot i takes the terms of places i times the width and on.
pub(super) struct Gathering<'a, 'p, C: Curve, L: LanesOf<C>> {
    pub(super) group: Group<C, L>,
    pub(super) terms: &'a [Term<'p, C>],
    pub(super) slots: &'a mut [AffinePoint<L::Element>],
}

impl<C: Curve, L: LanesOf<C>> Body<L> for Gathering<'_, '_, C, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let group = self.group.in_registers(field);
        let terms = &self.terms[i * L::WIDTH..][..L::WIDTH];
        let (mut x, mut y) = ([&terms[0].0.x; MOST_LANES], [&terms[0].0.y; MOST_LANES]);
        for (lane, (point, _)) in terms.iter().enumerate() {
            (x[lane], y[lane]) = (&point.x, &point.y);
        }
        let point = AffinePoint {
            x: field.gather_values(x),
            y: field.gather_values(y),
        };
        // The sign of a digit is a coin toss that no branch predictor wins: no branch.
        let negative = L::Mask::from_lanes(|lane| terms[lane].1);
        self.slots[i] = group.store(&group.negate_affine_if(&point, negative));
    }
}
