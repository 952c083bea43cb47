//! Many signatures on one curve whose points R are known, judged by one equation.
//!
//! For rows i with R_i, D_i = u1_i G + u2_i Q_i - R_i is infinity if and only if the signature is
//! valid. A *batch* checks whether the sum of z_i D_i is infinity. The z_i are integers of 128 bits
//! that are random, independent and unknown to whoever created the rows. The sum is u G + (a term
//! for each key) - (the sum of z_i R_i). Its doublings and buckets are shared among all rows. If
//! all rows are valid, the sum is infinity. If some D_i is not infinity, at most one z_i in 2^128 -
//! 1 makes the sum infinity, whatever the others are, because the order of the group is a prime
//! above 2^128 (docs/batch.md).

mod points;
mod rows;

use alloc::vec;
use alloc::vec::Vec;

#[cfg(feature = "bulk")]
use chacha20::{
    ChaCha20Rng,
    rand_core::{Rng as _, SeedableRng as _},
};

use super::verify_many::verify_many_vartime;
use super::{Hint, Verify};
use crate::curve::{Curve, Group, LanesOf, LanesOperation, ScalarLanesOf};
use crate::error::Error;
use points::known_points;
use rows::Batch;

/// The maximum number of rows in a batch. More rows would share a little more, and leave the
/// caches. Measure with `bench -- --only 'p256/verify/hinted/*'` after a change.
pub const MOST_IN_BATCH: usize = 8192;

/// The minimum number of rows in a batch. Fewer rows are judged without a batch. Measure with
/// `bench -- --only 'p256/verify/hinted/*'` after a change.
pub(crate) const FEWEST_IN_BATCH: usize = 16;

/// A signature to verify, with an optional hint for its point R.
#[derive(Clone, Copy, Debug)]
pub struct HintedVerify<'a, C: Curve> {
    /// The signature with its key and digest.
    pub verify: Verify<'a, C>,
    /// The hint for R. It never changes a verdict.
    pub hint: Option<Hint<'a>>,
}

/// Statistics of how rows got their verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchCounts {
    /// The number of rows in a batch: those whose hints named a point.
    pub batched: usize,
    /// The number of batched rows that were accepted, each by a batch that held.
    pub accepted: usize,
    /// The number of rows in all batches that were summed. Each part of a batch that did not hold
    /// counts again, unless it is known not to hold either.
    pub summed: usize,
    /// The number of batched rows that are not valid.
    pub invalid: usize,
    /// The number of batches that did not hold and were not split again. In each, some row is not
    /// valid, or its hint is wrong.
    pub failures: usize,
}

/// Returns the requested number of weights, each of 128 random bits; `None` if no randomness is
/// available.
pub type Weights<'w> = dyn FnMut(usize) -> Option<Vec<u128>> + 'w;

/// Judges rows without batches. Its arguments are the row numbers, the rows, and the places of
/// their verdicts.
type Alone<'v, C> = dyn FnMut(&[usize], &[Verify<'_, C>], &mut [Result<(), Error>]) + 'v;

/// Verifies many signatures: `verdicts[i]` becomes the result of the single call for `rows[i]`,
/// except that an invalid row may pass as valid with a probability of at most 2^-120. Accepts any
/// mix of keys, strategies and hints.
///
/// Rows whose hints name a point R are judged by batches. A batch that does not hold is split in
/// half, down to 256 rows. Some rows are judged as in [`verify_many_vartime`]: those of a batch
/// that still does not hold, those without a hint, those with a hint that names no point, and all
/// rows if they are few. So every invalid row is identified. Neighbouring rows of one key share the
/// multiple of that key.
///
/// The weights are drawn after the rows are known, from a generator that the operating system
/// seeds. If it cannot, all rows are judged one by one. Variable time: for public values only.
///
/// # Panics
/// If the slices differ in length.
#[cfg(feature = "bulk")]
pub fn verify_batch_vartime<C: Curve>(
    curve: C,
    rows: &[HintedVerify<'_, C>],
    verdicts: &mut [Result<(), Error>],
) -> BatchCounts {
    verify_batch_or_vartime(curve, rows, verdicts, &mut |_, rows, verdicts| {
        verify_many_vartime(curve, rows, verdicts);
    })
}

/// [`verify_batch_vartime`], except that `alone` judges the rows that no batch accepts. Its
/// arguments are the row numbers, the rows, and the places of their verdicts. So hints that follow
/// from a rule can be judged by that rule.
///
/// # Panics
/// If the slices differ in length.
#[cfg(feature = "bulk")]
pub(crate) fn verify_batch_or_vartime<C: Curve>(
    curve: C,
    rows: &[HintedVerify<'_, C>],
    verdicts: &mut [Result<(), Error>],
    alone: &mut Alone<'_, C>,
) -> BatchCounts {
    verify(
        curve,
        rows,
        &mut random_weights,
        FEWEST_IN_BATCH,
        verdicts,
        alone,
    )
}

/// [`verify_batch_vartime`] with given weights, and batches of any number of rows.
///
/// The verdicts are right only if the weights are random, independent, and unknown to whoever
/// created the rows. With equal or related weights, invalid rows that cancel each other are
/// accepted. For tests.
///
/// # Panics
/// If the slices differ in length.
pub fn verify_batch_with_weights_vartime<C: Curve>(
    curve: C,
    rows: &[HintedVerify<'_, C>],
    weights: &mut Weights<'_>,
    verdicts: &mut [Result<(), Error>],
) -> BatchCounts {
    let alone: &mut Alone<'_, C> = &mut |_, rows, verdicts| {
        verify_many_vartime(curve, rows, verdicts);
    };
    verify(curve, rows, weights, 1, verdicts, alone)
}

fn verify<C: Curve>(
    curve: C,
    rows: &[HintedVerify<'_, C>],
    weights: &mut Weights<'_>,
    fewest: usize,
    verdicts: &mut [Result<(), Error>],
    alone: &mut Alone<'_, C>,
) -> BatchCounts {
    assert_eq!(rows.len(), verdicts.len(), "one verdict per row");
    let (outcomes, mut counts) = curve.dispatch_lanes(Batches {
        rows,
        weights,
        fewest,
    });
    let (mut left, mut jobs) = (vec![], vec![]);
    for ((outcome, row), i) in outcomes.iter().zip(rows).zip(0..) {
        counts.batched += usize::from(*outcome != BatchOutcome::NotBatched);
        counts.accepted += usize::from(*outcome == BatchOutcome::Accepted);
        if *outcome == BatchOutcome::Accepted {
            verdicts[i] = Ok(());
        } else {
            left.push(i);
            jobs.push(row.verify);
        }
    }
    let mut results = vec![Err(Error::NotJudged); jobs.len()];
    alone(&left, &jobs, &mut results);
    for (i, result) in left.into_iter().zip(results) {
        counts.invalid += usize::from(result.is_err() && outcomes[i] == BatchOutcome::Failed);
        verdicts[i] = result;
    }
    counts
}

/// Random weights from ChaCha20 (RFC 8439) with a new key from the operating system. This requests
/// 32 bytes in total instead of 16 per row, and is three times as fast. Linux and the BSDs use
/// ChaCha20 for their own generators.
#[cfg(feature = "bulk")]
fn random_weights(count: usize) -> Option<Vec<u128>> {
    let mut bytes = vec![0; count * size_of::<u128>()];
    let mut generator = ChaCha20Rng::try_from_rng(&mut getrandom::SysRng).ok()?;
    generator.fill_bytes(&mut bytes);
    let (weights, _) = bytes.as_chunks();
    Some(
        weights
            .iter()
            .map(|&bytes| u128::from_le_bytes(bytes))
            .collect(),
    )
}

/// The result of batches for a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchOutcome {
    /// The row was in no batch.
    NotBatched,
    /// The row is in a batch that holds.
    Accepted,
    /// The row was in batches, but none of them holds.
    Failed,
}

/// The operation behind [`verify_batch_vartime`]: judges rows by batches, and no row alone.
pub struct Batches<'a, 'r, 'w, C: Curve> {
    /// The rows.
    pub rows: &'r [HintedVerify<'a, C>],
    /// The source of the weights: see [`verify_batch_with_weights_vartime`].
    pub weights: &'r mut Weights<'w>,
    /// The minimum number of rows with a known R. Fewer are not judged.
    pub fewest: usize,
}

impl<C: Curve> LanesOperation<C> for Batches<'_, '_, '_, C> {
    /// The outcome of each row, and the counts that batches determine: the number of rows that were
    /// summed, and the number of batches that were left failing.
    type Output = (Vec<BatchOutcome>, BatchCounts);

    #[inline(always)]
    fn run<L: LanesOf<C>, S: ScalarLanesOf<C>>(self, curve: C, base: L, order: S) -> Self::Output {
        const { assert!(L::WIDTH == S::WIDTH, "both fields are equally wide") };
        let group = Group::wide(curve, base);
        let mut outcomes = vec![BatchOutcome::NotBatched; self.rows.len()];
        let known = known_points(&group, order.single(), self.rows);
        let mut counts = BatchCounts::default();
        if known.len() < self.fewest {
            return (outcomes, counts);
        }
        for known in known.chunks(MOST_IN_BATCH) {
            let Some(weights) = (self.weights)(known.len()) else {
                return (outcomes, counts);
            };
            let batch = Batch::new(&group, order, self.rows, known, &weights);
            batch.judge(0, known.len(), false, &mut outcomes, &mut counts);
        }
        (outcomes, counts)
    }
}

#[cfg(all(test, feature = "bulk"))]
mod tests {
    use std::collections::BTreeSet;

    use super::random_weights;

    /// Each weight has 128 random bits: no two weights are equal, in one call or in two, and each
    /// bit is one about half of the time (thirteen standard deviations of 8,192 coins are allowed).
    #[test]
    fn weights_have_128_random_bits_each() {
        let calls = [0; 2].map(|_| random_weights(4096).unwrap());
        let all: BTreeSet<u128> = calls.iter().flatten().copied().collect();
        assert_eq!(all.len(), 8192);
        assert!(!all.contains(&0));
        for bit in 0..u128::BITS {
            let ones = all.iter().filter(|&weight| weight >> bit & 1 == 1).count();
            assert!((3500..=4700).contains(&ones), "bit {bit}: {ones}");
        }
        assert_eq!(random_weights(0).unwrap(), []);
    }
}
