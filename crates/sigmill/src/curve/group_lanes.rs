//! The group over lanes.

use alloc::vec::Vec;

use super::{AffinePoint, Curve, Group, LanesOf};
use crate::field::{Limbs as _, MOST_LANES, Mask as _, roots_of_all};

impl<C: Curve, L: LanesOf<C>> Group<C, L> {
    /// The point of each lane by its coordinates, integers below p, and the lanes in which it is on
    /// the curve. `r` is that of the field in lanes. 4M + 2S.
    #[inline(always)]
    pub fn from_integers(
        &self,
        r: &L::Element,
        x: impl Fn(usize) -> C::Integer,
        y: impl Fn(usize) -> C::Integer,
    ) -> (AffinePoint<L::Element>, L::Mask) {
        let f = self.field();
        let (a, b) = (self.curve().a(), self.curve().b());
        let (a, b) = (f.pack(|_| &a), f.pack(|_| &b));
        let x = f.mul(&f.pack_over_r(x), r);
        let y = f.mul(&f.pack_over_r(y), r);
        let x3_ax = f.mul(&f.add(&f.square(&x), &a), &x);
        let is_on_curve = f.equal(&f.square(&y), &f.add(&x3_ax, &b));
        (AffinePoint { x, y }, is_on_curve)
    }

    /// The y-coordinates of the points with these x, odd or even as wanted, and the lanes in which
    /// x is on the curve; `None` where the prime is not 3 modulo 4. A power for each: as many
    /// squares as the prime has bits, and a product for five of them. Variable time: for public
    /// values only.
    #[inline(never)]
    pub fn lift_all_x_vartime(
        &self,
        x: &[L::Element],
        y_is_odd: &[L::Mask],
    ) -> Option<Vec<(L::Element, L::Mask)>> {
        let f = self.field();
        let (a, b) = (self.curve().a(), self.curve().b());
        let (a, b) = (f.pack(|_| &a), f.pack(|_| &b));
        let mut right_sides = Vec::with_capacity(x.len());
        for x in x {
            let x3_ax = f.mul(&f.add(&f.square(x), &a), x);
            right_sides.push(f.add(&x3_ax, &b));
        }
        let mut roots = right_sides.clone();
        if !roots_of_all(f, &mut roots) {
            return None;
        }
        let mut integers = [C::Integer::ZERO; MOST_LANES];
        let mut lifted = Vec::with_capacity(x.len());
        for (i, y) in roots.iter().enumerate() {
            let is_on_curve = f.equal(&f.square(y), &right_sides[i]);
            // y = 0 would be a point of order two: there is none in a group of odd order.
            f.to_integers(y, &mut integers[..L::WIDTH]);
            let is_odd = |lane: usize| integers[lane].as_ref()[0] & 1 == 1;
            let is_other = L::Mask::from_lanes(|lane| is_odd(lane) != y_is_odd[i].lane(lane));
            lifted.push((f.negate_if(y, is_other), is_on_curve));
        }
        Some(lifted)
    }
}
