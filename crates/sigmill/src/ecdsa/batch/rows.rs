//! The rows of batches: their multiples, and the one sum.

use alloc::vec;
use alloc::vec::Vec;

use super::points::{Known, in_lanes};
use super::{Fate, HintedVerify};
use crate::curve::{AffinePoint, Curve, Group, LanesOf, ScalarLanesOf};
use crate::ecdsa::verify_many::Quotients;
use crate::field::{
    Field as _, Lanes, Limbs, MOST_LANES, PrimeField as _, SingleElement, SingleInteger,
    invert_all_vartime,
};
use crate::multiply::MultiVartime;
use crate::scalar::{self, Half};

/// A batch of at most so many rows that fails is not cut in half once more: its rows are judged
/// without it.
const SMALLEST: usize = 256;

/// The length of the weights in bits.
const WEIGHT_BITS: u32 = 128;

/// So many s share an inversion: enough for its part in a row to be some cycles.
const INVERTED_TOGETHER: usize = 1024;

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
