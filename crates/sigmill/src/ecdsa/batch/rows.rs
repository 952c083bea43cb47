//! The rows of batches: their points R, their multiples, and the one sum.

use alloc::vec;
use alloc::vec::Vec;

use super::{Fate, HintedVerify};
use crate::curve::{AffinePoint, BaseField, Curve, Group, LanesOf, ScalarField, ScalarLanesOf};
use crate::ecdsa::hint::x_integer_vartime;
use crate::ecdsa::verify_many::Quotients;
use crate::ecdsa::{Hint, RecoveryId};
use crate::field::{
    Field as _, Lanes, Limbs, MOST_LANES, Mask as _, PrimeField as _, SingleElement, SingleInteger,
    invert_all_vartime,
};
use crate::multiply::MultiVartime;
use crate::scalar::{self, Half};

/// A batch of at most so many rows that fails is not cut in half once more: its rows are judged
/// without it.
const SMALLEST: usize = 256;

/// The length of the weights in bits.
const WEIGHT_BITS: u32 = 128;

/// So many roots are taken together: what they need then stays in a first-level cache.
const IN_FIRST_CACHE: usize = 256;

/// So many s share an inversion: enough for its part in a row to be some cycles.
const INVERTED_TOGETHER: usize = 1024;

/// A row whose R is known.
#[derive(Clone, Copy)]
pub(super) struct Known<L> {
    row: usize,
    r: AffinePoint<L>,
}

/// The points R that the hints name, in the order of their rows: so that rows of one key are
/// neighbours as they were.
#[inline(never)]
pub(super) fn known_points<C: Curve, L: LanesOf<C>, S: ScalarField<C>>(
    group: &Group<C, L>,
    order: S,
    rows: &[HintedVerify<'_, C>],
) -> Vec<Known<L::Lane>> {
    let field = group.field();
    let single = Group::new(group.curve(), field.single());
    let Named { to_lift, to_check } = named_points(field.single(), order, rows);
    let mut known = Vec::with_capacity(to_lift.len() + to_check.len());
    let r = field.r();
    let mut points = vec![];
    if !lift_all(group, &r, &to_lift, &mut known) {
        points = lift_one_by_one(&single, &to_lift);
    }
    drop(to_lift);
    check_all(group, &r, &to_check, &mut known);
    let mut is_known = vec![false; rows.len()];
    for known in &known {
        is_known[known.row] = true;
    }
    for (row, ..) in to_check {
        if !is_known[row] {
            points.extend(reduced_point(&single, order, &rows[row]).map(|point| (row, point)));
        }
    }
    in_lanes(
        field,
        &points,
        |point| &point.1,
        |&(row, _), r| known.push(Known { row, r }),
    );
    by_row(known, rows.len())
}

/// What hints name: the numbers of the rows, and integers below p.
struct Named<I> {
    /// x(R), and the hint with the parity of y(R).
    to_lift: Vec<(usize, I, RecoveryId)>,
    /// x(R) and y(R), if x(R) is r.
    to_check: Vec<(usize, I, I)>,
}

#[inline(never)]
fn named_points<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
    base: F,
    order: S,
    rows: &[HintedVerify<'_, C>],
) -> Named<C::Integer> {
    let has_y = |row: &&HintedVerify<'_, C>| matches!(row.hint, Some(Hint::Y(_)));
    let whole = rows.iter().filter(has_y).count();
    let (mut to_lift, mut to_check) = (
        Vec::with_capacity(rows.len() - whole),
        Vec::with_capacity(whole),
    );
    for (row, i) in rows.iter().zip(0..) {
        let r = row.verify.signature.r();
        match row.hint {
            // The row has its verdict already.
            _ if row.verify.digest.is_empty() => {}
            Some(Hint::Id(id)) => {
                if let Some(x) = x_integer_vartime(base, order, *r, id.is_x_reduced()) {
                    to_lift.push((i, x, id));
                }
            }
            Some(Hint::Y(bytes)) => {
                let x = x_integer_vartime(base, order, *r, false);
                let point = x.zip(base.integer_from_be_bytes(bytes));
                to_check.extend(point.map(|(x, y)| (i, x, y)));
            }
            None => {}
        }
    }
    Named { to_lift, to_check }
}

/// Keeps the points of these x that are on the curve; `r` is [`Lanes::r`]. Says whether this prime
/// has roots in lanes: nothing is kept where it has none.
#[inline(never)]
fn lift_all<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    r: &L::Element,
    to_lift: &[(usize, C::Integer, RecoveryId)],
    known: &mut Vec<Known<L::Lane>>,
) -> bool {
    let field = group.field();
    let (mut x, mut y_is_odd) = (vec![], vec![]);
    for to_lift in to_lift.chunks(IN_FIRST_CACHE) {
        x.clear();
        y_is_odd.clear();
        for rows in to_lift.chunks(L::WIDTH) {
            // Where lanes are left over, the last row again.
            let of = |lane: usize| &rows[lane.min(rows.len() - 1)];
            x.push(field.mul(&field.pack_over_r(|lane| of(lane).1), r));
            y_is_odd.push(L::Mask::from_lanes(|lane| of(lane).2.is_y_odd()));
        }
        let Some(lifted) = group.lift_all_x_vartime(&x, &y_is_odd) else {
            return false;
        };
        for ((rows, x), (y, is_on_curve)) in to_lift.chunks(L::WIDTH).zip(&x).zip(&lifted) {
            let (x, y) = (field.lanes(x), field.lanes(y));
            let lanes = x.as_ref().iter().zip(y.as_ref()).zip(rows).enumerate();
            for (lane, ((&x, &y), &(row, ..))) in lanes {
                if is_on_curve.lane(lane) {
                    let r = AffinePoint { x, y };
                    known.push(Known { row, r });
                }
            }
        }
    }
    true
}

/// The points of these x that are on the curve.
#[inline(never)]
fn lift_one_by_one<C: Curve, F: BaseField<C>>(
    single: &Group<C, F>,
    to_lift: &[(usize, C::Integer, RecoveryId)],
) -> Vec<(usize, AffinePoint<C::BaseElement>)> {
    let mut points = vec![];
    for (row, x, id) in to_lift {
        let x = single.field().from_integer(x);
        let point = x.and_then(|x| single.lift_x_vartime(&x, id.is_y_odd()));
        points.extend(point.map(|point| (*row, point)));
    }
    points
}

/// The point of a row that is not at x = r: at x = r + n, which hardly ever is below p.
#[cold]
#[inline(never)]
fn reduced_point<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
    single: &Group<C, F>,
    order: S,
    row: &HintedVerify<'_, C>,
) -> Option<AffinePoint<C::BaseElement>> {
    let r = row.verify.signature.r();
    row.hint?.point_vartime(single, order, r)
}

/// In the order of their rows, of which there are so many.
fn by_row<L: Copy>(known: Vec<Known<L>>, rows: usize) -> Vec<Known<L>> {
    if known.windows(2).all(|two| two[0].row < two[1].row) {
        return known;
    }
    let mut places = vec![None; rows];
    for (known, place) in known.iter().zip(0_usize..) {
        places[known.row] = Some(place);
    }
    let mut ordered = Vec::with_capacity(known.len());
    for place in places.into_iter().flatten() {
        ordered.push(known[place]);
    }
    ordered
}

/// Keeps the points that are on the curve, as lanes hold them; x and y are integers below p, and
/// `r` is [`Lanes::r`]. 4M + 2S each.
#[inline(never)]
fn check_all<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    r: &L::Element,
    points: &[(usize, C::Integer, C::Integer)],
    known: &mut Vec<Known<L::Lane>>,
) {
    let field = group.field();
    for points in points.chunks(L::WIDTH) {
        // Where lanes are left over, the last point again.
        let of = |lane: usize| &points[lane.min(points.len() - 1)];
        let (point, is_on_curve) = group.from_integers(r, |lane| of(lane).1, |lane| of(lane).2);
        let (x, y) = (field.lanes(&point.x), field.lanes(&point.y));
        let coordinates = x.as_ref().iter().zip(y.as_ref());
        for (lane, ((&x, &y), &(row, ..))) in coordinates.zip(points).enumerate() {
            if is_on_curve.lane(lane) {
                let r = AffinePoint { x, y };
                known.push(Known { row, r });
            }
        }
    }
}

/// Hands over for each item its point as a lane holds it.
fn in_lanes<L: Lanes, T>(
    field: L,
    items: &[T],
    point: impl Fn(&T) -> &AffinePoint<SingleElement<L>>,
    mut take: impl FnMut(&T, AffinePoint<L::Lane>),
) {
    for items in items.chunks(L::WIDTH) {
        // Where lanes are left over, the last point again.
        let of = |lane: usize| point(&items[lane.min(items.len() - 1)]);
        let x = field.pack(|lane| &of(lane).x);
        let y = field.pack(|lane| &of(lane).y);
        let (x, y) = (field.lanes(&x), field.lanes(&y));
        for (item, (&x, &y)) in items.iter().zip(x.as_ref().iter().zip(y.as_ref())) {
            take(item, AffinePoint { x, y });
        }
    }
}

/// Rows that can be judged together, and every part of them.
pub(super) struct Batch<'b, 'a, C: Curve, L: LanesOf<C>, S: ScalarLanesOf<C>> {
    group: &'b Group<C, L>,
    order: S::Single,
    rows: &'b [HintedVerify<'a, C>],
    known: &'b [Known<L::Lane>],
    /// z of each row, of which as many bits count.
    weights: &'b [u128],
    weight_bits: u32,
    /// z u1 / R and z u2 / R of each row: made of the words of the integers.
    multiples: Vec<[SingleElement<S>; 2]>,
}

impl<'b, 'a, C: Curve, L: LanesOf<C>, S: ScalarLanesOf<C>> Batch<'b, 'a, C, L, S> {
    #[inline(never)]
    pub(super) fn new(
        group: &'b Group<C, L>,
        order: S,
        rows: &'b [HintedVerify<'a, C>],
        known: &'b [Known<L::Lane>],
        weights: &'b [u128],
    ) -> Self {
        let weight_bits = (order.single().bits() - 1).min(WEIGHT_BITS);
        let mut of_rows = Vec::with_capacity(known.len());
        for known in known {
            of_rows.push(Quotients::of(&rows[known.row].verify));
        }
        let multiples = multiples(order, &of_rows, weights, weight_bits);
        Self {
            group,
            order: order.single(),
            rows,
            known,
            weights,
            weight_bits,
            multiples,
        }
    }

    /// Accepts the rows from `first` to before `end` if their batch holds, or parts of them; those
    /// that are left have failed. `fails` where it is known that it does not hold. Returns how many
    /// batches were left failing.
    pub(super) fn judge(&self, first: usize, end: usize, fails: bool, fates: &mut [Fate]) -> usize {
        let holds = !fails && self.holds(first, end);
        if holds || end - first <= SMALLEST {
            for known in &self.known[first..end] {
                fates[known.row] = if holds { Fate::Accepted } else { Fate::Failed };
            }
            return usize::from(!holds);
        }
        let middle = first + (end - first) / 2;
        let failures = self.judge(first, middle, false, fates);
        // What is left of a sum that is not infinity is none either.
        failures + self.judge(middle, end, failures == 0, fates)
    }

    /// Whether the sum of z (u1 G + u2 Q - R) over these rows is infinity.
    #[inline(never)]
    fn holds(&self, first: usize, end: usize) -> bool {
        let (order, field) = (self.order, self.group.field());
        let mut sum = order.zero();
        let generator = self.group.curve().generator();
        let mut keys: Vec<(&AffinePoint<C::BaseElement>, SingleElement<S>)> = vec![];
        for (known, [u1, u2]) in self.known[first..end]
            .iter()
            .zip(&self.multiples[first..end])
        {
            let q = self.rows[known.row].verify.strategy.point();
            sum = order.add(&sum, u1);
            match keys.last_mut() {
                // Neighbouring rows of one key.
                Some((last, multiple)) if core::ptr::eq(*last, q) || *last == q => {
                    *multiple = order.add(multiple, u2);
                }
                _ => keys.push((q, *u2)),
            }
        }
        keys.push((generator, sum));
        let mut multi = MultiVartime::new(self.group, keys.len() + end - first);
        in_lanes(
            field,
            &keys,
            |key| key.0,
            |(_, multiple), point| {
                let magnitude = S::Single::to_words(multiple);
                multi.push(point, half(magnitude, false));
            },
        );
        drop(keys);
        for (known, &z) in self.known[first..end].iter().zip(&self.weights[first..end]) {
            multi.push(known.r, half(weight(z, self.weight_bits), true));
        }
        let single = Group::new(self.group.curve(), field.single());
        single.is_infinity(&multi.sum(order.bits()))
    }
}

fn half<I>(magnitude: I, negative: bool) -> Half<I> {
    Half {
        magnitude,
        negative: if negative { u64::MAX } else { 0 },
    }
}

/// The lowest bits of a weight, and one in place of zero.
fn weight<I: Limbs>(z: u128, bits: u32) -> I {
    debug_assert!((1..=WEIGHT_BITS).contains(&bits));
    let z = (z & u128::MAX >> (WEIGHT_BITS - bits)).max(1);
    let mut integer = I::ZERO;
    for (limb, z) in integer
        .as_mut()
        .iter_mut()
        .zip([z as u64, (z >> 64) as u64])
    {
        *limb = z;
    }
    integer
}

/// z u1 / R = z e / (s R) and z u2 / R = z r / (s R) of each row; many s are inverted at once. One
/// function for all curves whose scalars have so many limbs.
///
/// As integers e, r, s and z are divided by R, the constant of the Montgomery form; so are the
/// results, which are made of the words of z u1 and z u2 then.
#[inline(never)]
fn multiples<S: Lanes>(
    order: S,
    rows: &[Quotients<'_, SingleInteger<S>>],
    weights: &[u128],
    weight_bits: u32,
) -> Vec<[SingleElement<S>; 2]> {
    let single = order.single();
    // Where lanes are left over, the last row again.
    let place = |place: usize| place.min(rows.len() - 1);
    let row = |at: usize| &rows[place(at)];
    let (mut inverses, mut scratch) = (vec![], vec![]);
    let mut multiples = Vec::with_capacity(rows.len());
    let zero = single.zero();
    let (mut u1, mut u2) = ([zero; MOST_LANES], [zero; MOST_LANES]);
    for start in (0..rows.len()).step_by(INVERTED_TOGETHER) {
        let firsts = (start..rows.len().min(start + INVERTED_TOGETHER)).step_by(S::WIDTH);
        inverses.clear();
        for first in firsts.clone() {
            inverses.push(order.pack_over_r(|lane| *row(first + lane).divisor));
        }
        scratch.clone_from(&inverses);
        invert_all_vartime(order, &mut inverses[..], &mut scratch);
        for (first, inverse) in firsts.zip(&inverses) {
            let z = order.pack_over_r(|lane| weight(weights[place(first + lane)], weight_bits));
            let z_by_s = order.mul(&z, inverse);
            let e = |lane| scalar::integer_from_digest(single, row(first + lane).digest);
            let r = |lane| *row(first + lane).number;
            order.unpack(
                &order.mul(&order.pack_over_r(e), &z_by_s),
                &mut u1[..S::WIDTH],
            );
            order.unpack(
                &order.mul(&order.pack_over_r(r), &z_by_s),
                &mut u2[..S::WIDTH],
            );
            for lane in 0..S::WIDTH.min(rows.len() - first) {
                multiples.push([u1[lane], u2[lane]]);
            }
        }
    }
    multiples
}
