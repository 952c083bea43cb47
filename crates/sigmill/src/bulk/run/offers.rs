//! The offers that batches of random weights make to the keys of a section.

use super::planner::{Offer, Planner};
use crate::CurveName;
use crate::bulk::columns::{DistinctKeys, Rows};
use crate::bulk::plan::BatchCosts;
use crate::ecdsa::{FEWEST_IN_BATCH, Hint, LowS, MOST_IN_BATCH, Policy, RecoveryId};

/// Returns the hint of a row about R. Under a policy that accepts friendly signatures only, the
/// policy is the hint: y(R) is even, and x(R) is r. A row for which this is wrong is judged alone,
/// and rejected.
pub(super) fn hint<'r>(policy: Policy, rows: &Rows<'r>, row: usize) -> Option<Hint<'r>> {
    match policy.low_s {
        LowS::Friendly => Some(Hint::Id(RecoveryId::FRIENDLY)),
        _ => rows.hint(row),
    }
}

/// The offers to the keys of a section. There are none if the policy or the rows allow no batches,
/// or if batches are paused.
pub(super) struct Offers {
    /// The number of rows with hints, for each key.
    hinted: Vec<u32>,
    /// The costs of batches on each curve.
    costs: Vec<(CurveName, BatchCosts)>,
}

impl Offers {
    /// Counts the hints of a section, which begins at row `first`. `together` returns how many of a
    /// number of rows are judged together.
    pub(super) fn new(
        planner: &Planner,
        policy: Policy,
        rows: &Rows<'_>,
        first: usize,
        distinct: &DistinctKeys<'_>,
        together: impl Fn(usize) -> usize,
    ) -> Self {
        let mut offers = Self {
            hinted: vec![],
            costs: vec![],
        };
        let takes_roots = match rows.caller_hints() {
            _ if !policy.batch => return offers,
            _ if policy.low_s == LowS::Friendly => true,
            Some(hints) => hints.are_ids(),
            None => return offers,
        };
        offers.hinted.resize(distinct.keys.len(), 0);
        for (row, &key) in (first..).zip(&distinct.of_row) {
            offers.hinted[key as usize] += u32::from(hint(policy, rows, row).is_some());
        }
        if !planner.trials().may_batch() {
            return offers;
        }
        for &curve in CurveName::ALL {
            offers.add_costs(planner, curve, distinct, takes_roots, &together);
        }
        offers
    }

    /// Returns the number of rows that have hints and no offer.
    pub(super) fn passed_over(&self) -> usize {
        match self.costs.is_empty() {
            true => self.hinted.iter().map(|&rows| rows as usize).sum(),
            false => 0,
        }
    }

    fn add_costs(
        &mut self,
        planner: &Planner,
        curve: CurveName,
        distinct: &DistinctKeys<'_>,
        takes_roots: bool,
        together: impl Fn(usize) -> usize,
    ) {
        let (mut rows, mut keys) = (0, 0);
        for (key, &hinted) in distinct.keys.iter().zip(&self.hinted) {
            if key.curve() == curve && hinted > 0 {
                rows += hinted as usize;
                keys += 1;
            }
        }
        if rows >= FEWEST_IN_BATCH {
            // The number of keys that the rows of one batch have.
            let batch = together(rows).min(MOST_IN_BATCH).min(rows);
            let keys = (keys * batch).div_ceil(rows);
            let costs = planner
                .costs
                .batch(curve, batch as u64, keys as u64, takes_roots);
            self.costs.push((curve, costs));
        }
    }

    /// Returns the offer to a key by its number.
    pub(super) fn of_key(&self, key: usize, curve: CurveName) -> Option<Offer> {
        let hinted = *self.hinted.get(key)?;
        let (_, costs) = self.costs.iter().find(|(other, _)| *other == curve)?;
        let batch = *costs;
        (hinted > 0).then_some(Offer { batch, hinted })
    }
}
