//! Scalars of many rows: quotients whose divisors are inverted together.

use alloc::vec;
use alloc::vec::Vec;

use super::Verify;
use crate::curve::Curve;
use crate::field::{
    Field as _, Lanes, Limbs, MOST_LANES, PrimeField as _, SingleInteger, invert_all_vartime,
    lane_item,
};
use crate::scalar;

/// The number of divisors that share an inversion. It is large enough that the inversion costs each
/// row only some cycles. Measure with `bench -- --only 'p256/verify/hinted/*'` after a change.
const INVERTED_TOGETHER: usize = 1024;

/// The inputs for the scalars of a row.
pub(super) struct Quotients<'a, I> {
    pub(super) digest: &'a [u8],
    pub(super) number: &'a I,
    pub(super) divisor: &'a I,
}

impl<'a, I: Limbs> Quotients<'a, I> {
    /// The inputs for u1 = e / s and u2 = r / s.
    pub(super) fn of<C: Curve<Integer = I>>(row: &'a Verify<'_, C>) -> Self {
        Self {
            digest: row.digest,
            number: row.signature.r(),
            divisor: row.signature.s(),
        }
    }
}

/// Returns e z / d, and the same with `number` in place of e, for each row. e is the integer of the
/// row's digest, negated if `negate` is true. d is the row's divisor. z is its weight: one if no
/// weights are given. The last results repeat until all lanes are full. Many divisors are inverted
/// at once. One function serves all curves whose scalars have the same number of limbs.
///
/// As integers, e, d, z and `number` are divided by R, the constant of the Montgomery form. So are
/// the results, and their words are the integers that are wanted.
#[inline(never)]
pub(super) fn quotients<S: Lanes>(
    order: S,
    rows: &[Quotients<'_, SingleInteger<S>>],
    weights: Option<&[SingleInteger<S>]>,
    negate: bool,
) -> [Vec<SingleInteger<S>>; 2] {
    let single = order.single();
    let row = |at: usize| lane_item(rows, at);
    let mut one = SingleInteger::<S>::ZERO;
    one.as_mut()[0] = 1;
    let weight = |at: usize| weights.map_or(one, |weights| *lane_item(weights, at));
    let mut u1 = vec![SingleInteger::<S>::ZERO; rows.len().next_multiple_of(S::WIDTH)];
    let mut u2 = u1.clone();
    let (mut inverses, mut scratch) = (vec![], vec![]);
    for start in (0..rows.len()).step_by(INVERTED_TOGETHER) {
        let firsts = (start..rows.len().min(start + INVERTED_TOGETHER)).step_by(S::WIDTH);
        inverses.clear();
        for first in firsts.clone() {
            inverses.push(order.pack_over_r(|lane| *row(first + lane).divisor));
        }
        scratch.clone_from(&inverses);
        invert_all_vartime(order, &mut inverses[..], &mut scratch);
        for (first, inverse) in firsts.zip(&inverses) {
            let z = order.pack_over_r(|lane| weight(first + lane));
            let z = order.mul(&z, inverse);
            let e = |lane| scalar::integer_from_digest(single, row(first + lane).digest);
            let mut e = order.pack_over_r(e);
            if negate {
                e = order.negate(&e);
            }
            let number = order.pack_over_r(|lane| *row(first + lane).number);
            let mut words = [single.zero(); MOST_LANES];
            for (numerator, u) in [(&e, &mut u1), (&number, &mut u2)] {
                order.unpack(&order.mul(numerator, &z), &mut words[..S::WIDTH]);
                for (u, words) in u[first..first + S::WIDTH].iter_mut().zip(&words) {
                    *u = S::Single::to_words(words);
                }
            }
        }
    }
    [u1, u2]
}
