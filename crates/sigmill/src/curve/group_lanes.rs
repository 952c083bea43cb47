//! The group over lanes.

use alloc::vec::Vec;

use super::{AffinePoint, Curve, Group, LanesOf};
use crate::field::{Field as _, Limbs as _, MOST_LANES, Mask, lane_item, roots_of_all};

/// The number of roots computed together: their data then stays in a first-level cache. Measure
/// with `bench -- --only 'p256/verify/hinted/*'` after a change.
const IN_FIRST_CACHE: usize = 256;

/// The consumer of points of a group of lanes. For each lane that has a point to read, it receives
/// the point's place and whether the point is on the curve.
pub(crate) type TakePoints<'t, E> = dyn FnMut(&AffinePoint<E>, &[(usize, bool)]) + 't;

/// The place of each lane's item, and whether its point is on the curve.
#[inline(always)]
fn places<I, T>(of_lanes: &[(usize, I, T)], is_on_curve: impl Mask) -> [(usize, bool); MOST_LANES] {
    let mut places = [(0, false); MOST_LANES];
    for (lane, (place, ..)) in of_lanes.iter().enumerate() {
        places[lane] = (*place, is_on_curve.lane(lane));
    }
    places
}

impl<C: Curve, L: LanesOf<C>> Group<C, L> {
    /// The point whose lane i holds `point(i)`.
    #[inline(always)]
    pub(crate) fn pack<'a>(
        &self,
        point: impl Fn(usize) -> &'a AffinePoint<C::BaseElement>,
    ) -> AffinePoint<L::Element> {
        AffinePoint {
            x: self.field().pack(|lane| &point(lane).x),
            y: self.field().pack(|lane| &point(lane).y),
        }
    }

    /// Hands over the points of the first lanes, with the number of the lane.
    #[inline(always)]
    pub(crate) fn unpack(
        &self,
        point: &AffinePoint<L::Element>,
        lanes: usize,
        mut take: impl FnMut(usize, AffinePoint<C::BaseElement>),
    ) {
        let zero = self.field().single().zero();
        let (mut x, mut y) = ([zero; MOST_LANES], [zero; MOST_LANES]);
        self.field().unpack(&point.x, &mut x[..L::WIDTH]);
        self.field().unpack(&point.y, &mut y[..L::WIDTH]);
        for (lane, (&x, &y)) in x[..lanes].iter().zip(&y[..lanes]).enumerate() {
            take(lane, AffinePoint { x, y });
        }
    }

    /// The point whose lane i holds `point(i)`, which came from any lane of any point.
    #[inline(always)]
    pub(crate) fn load_lanes<'a>(
        &self,
        point: impl Fn(usize) -> &'a AffinePoint<L::Lane>,
    ) -> AffinePoint<L::Element> {
        AffinePoint {
            x: self.field().load_lanes(|lane| &point(lane).x),
            y: self.field().load_lanes(|lane| &point(lane).y),
        }
    }

    /// Hands over the point of each lane, first lane first, with one of the items. There may be
    /// fewer items than lanes.
    #[inline(always)]
    pub(crate) fn take_lanes<T>(
        &self,
        point: &AffinePoint<L::Element>,
        items: impl IntoIterator<Item = T>,
        mut take: impl FnMut(T, AffinePoint<L::Lane>),
    ) {
        let (x, y) = (self.field().lanes(&point.x), self.field().lanes(&point.y));
        for (item, (&x, &y)) in items.into_iter().zip(x.as_ref().iter().zip(y.as_ref())) {
            take(item, AffinePoint { x, y });
        }
    }

    /// Hands over the points with these x, integers below p, and y of these parities (true if odd),
    /// each with its place. Returns true if this prime has roots in lanes; if not, nothing is
    /// handed over ([`lift_all_x_vartime`](Self::lift_all_x_vartime)). Variable time: for public
    /// values only.
    #[inline(never)]
    pub(crate) fn lift_placed_vartime(
        &self,
        to_lift: &[(usize, C::Integer, bool)],
        take: &mut TakePoints<'_, L::Element>,
    ) -> bool {
        let field = self.field();
        let r = field.r();
        let (mut x, mut y_is_odd) = (Vec::new(), Vec::new());
        for to_lift in to_lift.chunks(IN_FIRST_CACHE) {
            x.clear();
            y_is_odd.clear();
            for of_lanes in to_lift.chunks(L::WIDTH) {
                let of = |lane: usize| lane_item(of_lanes, lane);
                x.push(field.mul(&field.pack_over_r(|lane| of(lane).1), &r));
                y_is_odd.push(L::Mask::from_lanes(|lane| of(lane).2));
            }
            let Some(lifted) = self.lift_all_x_vartime(&x, &y_is_odd) else {
                return false;
            };
            for ((of_lanes, &x), (y, is_on_curve)) in to_lift.chunks(L::WIDTH).zip(&x).zip(lifted) {
                let places = places(of_lanes, is_on_curve);
                take(&AffinePoint { x, y }, &places[..of_lanes.len()]);
            }
        }
        true
    }

    /// Hands over the points with these coordinates, integers below p, each with its place. 4M + 2S
    /// each. Variable time: for public values only.
    #[inline(never)]
    pub(crate) fn check_placed_vartime(
        &self,
        coordinates: &[(usize, C::Integer, C::Integer)],
        take: &mut TakePoints<'_, L::Element>,
    ) {
        let r = self.field().r();
        for of_lanes in coordinates.chunks(L::WIDTH) {
            let of = |lane: usize| lane_item(of_lanes, lane);
            let (point, is_on_curve) = self.from_integers(&r, |lane| of(lane).1, |lane| of(lane).2);
            let places = places(of_lanes, is_on_curve);
            take(&point, &places[..of_lanes.len()]);
        }
    }

    /// Hands over each item with its point, converted from a single value to the form of a lane.
    #[inline(always)]
    pub(crate) fn each_lane<T>(
        &self,
        items: &[T],
        point: impl Fn(&T) -> &AffinePoint<C::BaseElement>,
        mut take: impl FnMut(&T, AffinePoint<L::Lane>),
    ) {
        for items in items.chunks(L::WIDTH) {
            let points = self.pack(|lane| point(lane_item(items, lane)));
            self.take_lanes(&points, items, &mut take);
        }
    }

    /// The point of each lane, given its coordinates, integers below p, and the lanes in which it
    /// is on the curve. `r` is R in the lanes of the field. 4M + 2S.
    #[inline(always)]
    fn from_integers(
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

    /// The y-coordinates of the points with these x, odd or even as requested, and the lanes in
    /// which x is on the curve; `None` if the prime is not 3 modulo 4. Each costs a power: one
    /// square for each bit of the prime, and one product for five of them. Variable time: for
    /// public values only.
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
            // y = 0 would be a point of order two, and a group of odd order has none.
            f.to_integers(y, &mut integers[..L::WIDTH]);
            let is_odd = |lane: usize| integers[lane].as_ref()[0] & 1 == 1;
            let is_other = L::Mask::from_lanes(|lane| is_odd(lane) != y_is_odd[i].lane(lane));
            lifted.push((f.negate_if(y, is_other), is_on_curve));
        }
        Some(lifted)
    }
}
