//! Batches of random weights for the keys of a section: those that are possible, and their cost.

use super::planner::{BatchOption, Planner};
use crate::CurveName;
use crate::bulk::columns::{DistinctKeys, Rows};
use crate::bulk::plan::BatchCosts;
use crate::ecdsa::{FEWEST_IN_BATCH, Hint, LowS, MOST_IN_BATCH, Policy, RecoveryId};

/// Returns the hint of a row about R. Under a policy that accepts friendly signatures only, the
/// policy is the hint: y(R) is even, and x(R) is r. A row for which this is wrong is judged by
/// itself, and rejected.
pub(super) fn hint<'r>(policy: Policy, rows: &Rows<'r>, row: usize) -> Option<Hint<'r>> {
    match policy.low_s {
        LowS::Friendly => Some(Hint::Id(RecoveryId::FRIENDLY)),
        _ => rows.hint(row),
    }
}

/// The batches that the keys of a section can be in. There are none if the policy or the rows allow
/// no batches, or if batches are paused.
pub(super) struct BatchOptions {
    /// The number of rows with hints, for each key.
    hinted: Vec<u32>,
    /// The costs of batches on each curve.
    costs: Vec<(CurveName, BatchCosts)>,
}

impl BatchOptions {
    /// Counts the hints of a section, which begins at row `first`. `block_rows` returns how many of
    /// a number of rows are judged together.
    pub(super) fn new(
        planner: &Planner,
        policy: Policy,
        rows: &Rows<'_>,
        first: usize,
        distinct: &DistinctKeys<'_>,
        block_rows: impl Fn(usize) -> usize,
    ) -> Self {
        let mut batches = Self {
            hinted: vec![],
            costs: vec![],
        };
        let takes_roots = match rows.caller_hints() {
            _ if !policy.batch => return batches,
            _ if policy.low_s == LowS::Friendly => true,
            Some(hints) => hints.are_ids(),
            None => return batches,
        };
        batches.hinted.resize(distinct.keys.len(), 0);
        for (row, &key) in (first..).zip(&distinct.of_row) {
            batches.hinted[key as usize] += u32::from(hint(policy, rows, row).is_some());
        }
        if !planner.trials().may_batch() {
            return batches;
        }
        for &curve in CurveName::ALL {
            let keys = distinct.keys.iter().zip(&batches.hinted);
            let hinted = keys.filter(|(key, hinted)| key.curve() == curve && **hinted > 0);
            let (keys, rows) = hinted.fold((0, 0), |(keys, rows), (_, &hinted)| {
                (keys + 1, rows + hinted as usize)
            });
            if rows >= FEWEST_IN_BATCH {
                // The number of keys that the rows of one batch have.
                let batch = block_rows(rows).min(MOST_IN_BATCH).min(rows);
                let keys = usize::div_ceil(keys * batch, rows) as u64;
                let costs = planner.costs.batch(curve, batch as u64, keys, takes_roots);
                batches.costs.push((curve, costs));
            }
        }
        batches
    }

    /// Returns the number of rows that have hints and no batch.
    pub(super) fn passed_over(&self) -> usize {
        match self.costs.is_empty() {
            true => self.hinted.iter().map(|&rows| rows as usize).sum(),
            false => 0,
        }
    }

    /// Returns the batch for a key by its number.
    pub(super) fn of_key(&self, key: usize, curve: CurveName) -> Option<BatchOption> {
        let hinted = *self.hinted.get(key)?;
        let (_, costs) = self.costs.iter().find(|(other, _)| *other == curve)?;
        let costs = *costs;
        (hinted > 0).then_some(BatchOption { costs, hinted })
    }
}
