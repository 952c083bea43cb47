//! Rows of batches: their multiples, and the single sum.

use alloc::vec;
use alloc::vec::Vec;

use super::points::Known;
use super::{BatchCounts, BatchOutcome, HintedVerify};
use crate::curve::{AffinePoint, Curve, Group, LanesOf, ScalarLanesOf};
use crate::ecdsa::quotients::{Quotients, quotients};
use crate::field::{Field as _, Limbs, PrimeField as _, SingleElement, SingleInteger};
use crate::multiply::MultiVartime;
use crate::scalar::Half;

/// The largest batch that is not split when it fails. Its rows are judged without it. Measure with
/// `bench -- --only 'p256/verify/hinted/*'` after a change.
const SMALLEST: usize = 256;

/// The length of the weights in bits.
const WEIGHT_BITS: u32 = 128;

/// Rows that can be judged together, as can every part of them.
pub(super) struct Batch<'b, 'a, C: Curve, L: LanesOf<C>, S: ScalarLanesOf<C>> {
    group: &'b Group<C, L>,
    order: S::Single,
    rows: &'b [HintedVerify<'a, C>],
    known: &'b [Known<L::Lane>],
    /// z of each row.
    weights: Vec<C::Integer>,
    /// z u1 and z u2 of each row.
    multiples: [Vec<SingleInteger<S>>; 2],
}

impl<'b, 'a, C: Curve, L: LanesOf<C>, S: ScalarLanesOf<C>> Batch<'b, 'a, C, L, S> {
    #[inline(never)]
    pub(super) fn new(
        group: &'b Group<C, L>,
        order: S,
        rows: &'b [HintedVerify<'a, C>],
        known: &'b [Known<L::Lane>],
        weights: &[u128],
    ) -> Self {
        assert_eq!(weights.len(), known.len(), "a weight for each row");
        let bits = (order.single().bits() - 1).min(WEIGHT_BITS);
        let mut of_rows = Vec::with_capacity(known.len());
        for known in known {
            of_rows.push(Quotients::of(&rows[known.row].verify));
        }
        let mut integers = Vec::with_capacity(known.len());
        for &z in weights {
            integers.push(weight(z, bits));
        }
        let multiples = quotients(order, &of_rows, Some(&integers), false);
        Self {
            group,
            order: order.single(),
            rows,
            known,
            weights: integers,
            multiples,
        }
    }

    /// Accepts the rows from `first` to before `end` if their batch holds, or parts of them. The
    /// remaining rows have failed. `fails` is true if the batch is known not to hold. Counts the
    /// rows that were summed, and the batches that were left failing.
    pub(super) fn judge(
        &self,
        first: usize,
        end: usize,
        fails: bool,
        outcomes: &mut [BatchOutcome],
        counts: &mut BatchCounts,
    ) {
        counts.summed += if fails { 0 } else { end - first };
        let holds = !fails && self.holds(first, end);
        if holds || end - first <= SMALLEST {
            for known in &self.known[first..end] {
                outcomes[known.row] = if holds {
                    BatchOutcome::Accepted
                } else {
                    BatchOutcome::Failed
                };
            }
            counts.failures += usize::from(!holds);
            return;
        }
        let middle = first + (end - first) / 2;
        let failures = counts.failures;
        self.judge(first, middle, false, outcomes, counts);
        // If the first half holds, the second does not: the sum of both is not infinity.
        let first_holds = counts.failures == failures;
        self.judge(middle, end, first_holds, outcomes, counts);
    }

    /// Reports whether the sum of z (u1 G + u2 Q - R) over these rows is infinity.
    #[inline(never)]
    fn holds(&self, first: usize, end: usize) -> bool {
        let order = self.order;
        let mut sum = order.zero();
        let generator = self.group.curve().generator();
        let mut keys: Vec<(&AffinePoint<C::BaseElement>, SingleElement<S>)> = vec![];
        let [u1, u2] = &self.multiples;
        let multiples = u1[first..end].iter().zip(&u2[first..end]);
        for (known, (&u1, &u2)) in self.known[first..end].iter().zip(multiples) {
            // Uses these words as elements directly: a sum is the same for both.
            let [u1, u2] = [u1, u2].map(S::Single::from_words);
            let q = self.rows[known.row].verify.strategy.point();
            sum = order.add(&sum, &u1);
            match keys.last_mut() {
                // Neighbouring rows of one key.
                Some((last, multiple)) if core::ptr::eq(*last, q) || *last == q => {
                    *multiple = order.add(multiple, &u2);
                }
                _ => keys.push((q, u2)),
            }
        }
        keys.push((generator, sum));
        let mut multi = MultiVartime::new(self.group, keys.len() + end - first);
        self.group.each_lane(
            &keys,
            |key| key.0,
            |(_, multiple), point| {
                let magnitude = S::Single::to_words(multiple);
                multi.push(point, half(magnitude, false));
            },
        );
        drop(keys);
        for (known, &z) in self.known[first..end].iter().zip(&self.weights[first..end]) {
            multi.push(known.r, half(z, true));
        }
        let single = self.group.single();
        single.is_infinity(&multi.sum(order.bits()))
    }
}

fn half<I>(magnitude: I, negative: bool) -> Half<I> {
    Half {
        magnitude,
        negative: if negative { u64::MAX } else { 0 },
    }
}

/// The lowest `bits` bits of a weight, with one in place of zero.
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
