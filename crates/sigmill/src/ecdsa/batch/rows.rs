//! The rows of batches: their points R, their multiples, and the one sum.

use alloc::vec;
use alloc::vec::Vec;

use super::{Fate, HintedVerify};
use crate::curve::{AffinePoint, Curve, Group, LanesOf, ScalarLanesOf};
use crate::ecdsa::Hint;
use crate::ecdsa::hint::x_integer_vartime;
use crate::field::{
    Field as _, Lanes, Limbs, MOST_LANES, Mask as _, PrimeField as _, SingleElement,
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
pub(super) struct Known<L> {
    row: usize,
    r: AffinePoint<L>,
}

/// The points R that the hints name.
#[inline(never)]
pub(super) fn known_points<C: Curve, L: LanesOf<C>, S: ScalarLanesOf<C>>(
    group: &Group<C, L>,
    order: S,
    rows: &[HintedVerify<'_, C>],
) -> Vec<Known<L::Lane>> {
    let (field, base, order) = (group.field(), group.field().single(), order.single());
    let single = Group::new(group.curve(), base);
    // By x and the parity of y, and whole ones.
    let has_y = |row: &&HintedVerify<'_, C>| matches!(row.hint, Some(Hint::Y(_)));
    let whole = rows.iter().filter(has_y).count();
    let mut to_lift = Vec::with_capacity(rows.len() - whole);
    let (mut to_check, mut points) = (Vec::with_capacity(whole), vec![]);
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
    let mut known = Vec::with_capacity(to_lift.len() + to_check.len());
    let (r, mut x, mut y_is_odd) = (field.r(), vec![], vec![]);
    for to_lift in to_lift.chunks(IN_FIRST_CACHE) {
        x.clear();
        y_is_odd.clear();
        for rows in to_lift.chunks(L::WIDTH) {
            // Where lanes are left over, the last row again.
            let of = |lane: usize| &rows[lane.min(rows.len() - 1)];
            x.push(field.mul(&field.pack_over_r(|lane| of(lane).1), &r));
            y_is_odd.push(L::Mask::from_lanes(|lane| of(lane).2.is_y_odd()));
        }
        match group.lift_all_x_vartime(&x, &y_is_odd) {
            Some(lifted) => {
                for ((rows, x), (y, is_on_curve)) in to_lift.chunks(L::WIDTH).zip(&x).zip(&lifted) {
                    let lanes = field.lanes(x).zip(field.lanes(y)).zip(rows).enumerate();
                    for (lane, ((x, y), &(row, ..))) in lanes {
                        if is_on_curve.lane(lane) {
                            let r = AffinePoint { x, y };
                            known.push(Known { row, r });
                        }
                    }
                }
            }
            // No roots in lanes for this prime.
            None => {
                for (row, x, id) in to_lift {
                    let x = base.from_integer(x);
                    let point = x.and_then(|x| single.lift_x_vartime(&x, id.is_y_odd()));
                    points.extend(point.map(|point| (*row, point)));
                }
            }
        }
    }
    drop(to_lift);
    check_all(group, &r, &to_check, &mut known);
    known.sort_unstable_by_key(|known| known.row);
    // x(R) = r + n, which hardly ever is below p.
    let found: Vec<_> = known.iter().map(|known| known.row).collect();
    for (row, ..) in to_check {
        if found.binary_search(&row).is_err() {
            let HintedVerify { verify, hint } = &rows[row];
            let r = verify.signature.r();
            let point = hint.and_then(|hint| hint.point_vartime(&single, order, r));
            points.extend(point.map(|point| (row, point)));
        }
    }
    in_lanes(
        field,
        &points,
        |point| &point.1,
        |&(row, _), r| known.push(Known { row, r }),
    );
    // So that rows of one key are neighbours as they were.
    known.sort_unstable_by_key(|known| known.row);
    known
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
        let coordinates = field.lanes(&point.x).zip(field.lanes(&point.y));
        for (lane, ((x, y), &(row, ..))) in coordinates.zip(points).enumerate() {
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
        for (item, (x, y)) in items.iter().zip(field.lanes(&x).zip(field.lanes(&y))) {
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
        let multiples = multiples(order, rows, known, |row| weight(weights[row], weight_bits));
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

/// z u1 / R = z e / (s R) and z u2 / R = z r / (s R) of each row; many s are inverted at once.
///
/// As integers e, r, s and z are divided by R, the constant of the Montgomery form; so are the
/// results, which are made of the words of z u1 and z u2 then.
#[inline(never)]
fn multiples<C: Curve, S: ScalarLanesOf<C>, E>(
    order: S,
    rows: &[HintedVerify<'_, C>],
    known: &[Known<E>],
    weight: impl Fn(usize) -> C::Integer,
) -> Vec<[SingleElement<S>; 2]> {
    let single = order.single();
    // Where lanes are left over, the last row again.
    let place = |place: usize| place.min(known.len() - 1);
    let row = |at: usize| &rows[known[place(at)].row].verify;
    let (mut inverses, mut scratch) = (vec![], vec![]);
    let mut multiples = Vec::with_capacity(known.len());
    let zero = single.zero();
    let (mut u1, mut u2) = ([zero; MOST_LANES], [zero; MOST_LANES]);
    for start in (0..known.len()).step_by(INVERTED_TOGETHER) {
        let firsts = (start..known.len().min(start + INVERTED_TOGETHER)).step_by(S::WIDTH);
        inverses.clear();
        inverses.extend(
            firsts
                .clone()
                .map(|first| order.pack_over_r(|lane| *row(first + lane).signature.s())),
        );
        scratch.clone_from(&inverses);
        invert_all_vartime(order, &mut inverses[..], &mut scratch);
        for (first, inverse) in firsts.zip(&inverses) {
            let z = order.pack_over_r(|lane| weight(place(first + lane)));
            let z_by_s = order.mul(&z, inverse);
            let e = |lane| scalar::integer_from_digest(single, row(first + lane).digest);
            let r = |lane| *row(first + lane).signature.r();
            order.unpack(
                &order.mul(&order.pack_over_r(e), &z_by_s),
                &mut u1[..S::WIDTH],
            );
            order.unpack(
                &order.mul(&order.pack_over_r(r), &z_by_s),
                &mut u2[..S::WIDTH],
            );
            let lanes = S::WIDTH.min(known.len() - first);
            multiples.extend((0..lanes).map(|lane| [u1[lane], u2[lane]]));
        }
    }
    multiples
}
