//! How keys are used, and what was done with them so far.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::trials::Trials;
use crate::CurveName;
use crate::bulk::forks::PerProcess;
use crate::bulk::plan::{BatchCosts, Costs, GroupKey, KeyUse, PlannedStrategy, WINDOWS, Worth};
use crate::bulk::store::{Admission, KeyStore, KnownKey};
use crate::ecdsa::AnyPreparedKey;

/// Decides for each key whether its rows are worth a table, and finds or builds the table. All
/// calls of an engine share one.
pub(super) struct Planner {
    pub(super) store: Arc<KeyStore>,
    pub(super) costs: Arc<Costs>,
    /// The widest window of the tables that are built.
    pub(super) window: u32,
    rows_by_window: [AtomicU64; WINDOWS + 1],
    passing_tables: AtomicU64,
    batched: AtomicU64,
    trials: PerProcess<Trials>,
}

/// What a key is decided about among.
#[derive(Clone, Copy, Debug)]
pub(super) struct Company {
    /// The rows that are judged together.
    rows: u64,
    /// All rows so far, and these.
    all_rows: u64,
    /// The most keys that can have tables in use.
    keys: u64,
}

/// What a batch offers to a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    pub(super) costs: BatchCosts,
    /// The rows of the key that have hints.
    pub(super) hinted: u32,
}

/// How a key is used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision {
    pub(super) strategy: PlannedStrategy,
    /// 0 without a table.
    pub(super) window: u32,
    /// What its rows here cost beside others of the same strategy and window, as their table is
    /// farther away.
    pub(super) beside: Duration,
    /// Where they are judged by batches: how it would be without.
    pub(super) otherwise: Option<Otherwise>,
}

/// How a key would be used if there were no batches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Otherwise {
    /// The window of its table, 0 without one.
    pub(super) window: u32,
    /// How many times as long its rows with hints would take.
    pub(super) alone: f64,
}

impl Planner {
    pub(super) fn new(store: Arc<KeyStore>, costs: Arc<Costs>, window: u32) -> Self {
        Self {
            store,
            costs,
            window,
            rows_by_window: Default::default(),
            passing_tables: AtomicU64::new(0),
            batched: AtomicU64::new(0),
            trials: PerProcess::new(),
        }
    }

    /// Whether batches pay.
    pub(super) fn trials(&self) -> &Trials {
        self.trials.get_or_make(Trials::new)
    }

    /// The company of so many rows of so many keys.
    pub(super) fn company(&self, rows: u64, keys: u64) -> Company {
        let so_far: u64 = self.rows_by_window().iter().sum();
        Company {
            rows,
            all_rows: so_far.saturating_add(self.batched()).saturating_add(rows),
            keys: self.store.table_count() as u64 + keys,
        }
    }

    /// How a key is to be used that has so many rows here and had so many before, and a table of
    /// the window `have` (0: none).
    pub(super) fn decide(
        &self,
        curve: CurveName,
        company: Company,
        rows: u64,
        seen: u64,
        have: u32,
    ) -> Decision {
        // A key with one row in a hundred has ninety-nine like it beside it, if there are as many.
        let share = rows.saturating_add(seen).max(1) as f64 / company.all_rows.max(1) as f64;
        let key = KeyUse {
            rows,
            seen,
            have,
            keys_alike: share.recip().min(company.keys as f64).max(1.0),
        };
        let weights = self.costs.weights(curve, company.rows);
        let window = weights.best_window(&key, self.window);
        let strategy = match window {
            0 => PlannedStrategy::Fresh,
            window if window == have => PlannedStrategy::Prepared,
            _ => PlannedStrategy::Build,
        };
        // What was just built is near.
        let beside = match strategy {
            PlannedStrategy::Prepared => weights.far(&key, window) * rows as f64,
            _ => 0.0,
        };
        Decision {
            strategy,
            window,
            beside: Duration::from_nanos(beside as u64),
            otherwise: None,
        }
    }

    /// What to do with a key that has so many rows here and a table of the window `have`, where it
    /// is offered a batch: rows without a hint then go the way that they would go now.
    pub(super) fn choose(
        &self,
        curve: CurveName,
        company: Company,
        rows: u64,
        have: u32,
        decision: Decision,
        offer: Option<Offer>,
    ) -> Decision {
        let Some(Offer { costs, hinted }) = offer.filter(|offer| offer.hinted > 0) else {
            return decision;
        };
        let hinted = u64::from(hinted);
        let weights = self.costs.weights(curve, company.rows);
        let of_rows = |window, rows: u64| rows.saturating_mul(weights.row(window));
        let building = match decision.strategy {
            PlannedStrategy::Build => weights.building(decision.window),
            _ => 0,
        };
        let beside = decision.beside.as_nanos() as u64;
        let alone = of_rows(decision.window, rows).saturating_add(building + beside);
        let in_batch = hinted.saturating_mul(costs.row).saturating_add(costs.key);
        let unhinted = of_rows(have, rows.saturating_sub(hinted));
        if in_batch.saturating_add(unhinted) >= alone {
            return decision;
        }
        Decision {
            strategy: PlannedStrategy::Batch,
            window: 0,
            beside: Duration::from_nanos(in_batch),
            otherwise: Some(Otherwise {
                window: decision.window,
                alone: (alone - unhinted) as f64 / in_batch.max(1) as f64,
            }),
        }
    }

    /// What so many keys and rows of a group cost where so many rows at most are judged together,
    /// beside what [`Decision::beside`] says.
    pub(super) fn estimate(
        &self,
        (curve, strategy, window): GroupKey,
        keys: u64,
        rows: u64,
        together: u64,
    ) -> Duration {
        let tables = match strategy {
            // Those in batches know what they cost.
            PlannedStrategy::Unusable | PlannedStrategy::Batch => return Duration::ZERO,
            PlannedStrategy::Build => keys.saturating_mul(self.costs.build(curve, window)),
            PlannedStrategy::Fresh | PlannedStrategy::Prepared => 0,
        };
        let row = self.costs.row(curve, window, rows.min(together));
        Duration::from_nanos(rows.saturating_mul(row).saturating_add(tables))
    }

    /// How a key is to be used that has so many rows here and a table of the window `have` (0:
    /// none), and the room for its table if the store agrees to one. Where it does not, the rows at
    /// hand may still be worth a table for this call alone. Notes the rows.
    pub(super) fn decide_for(
        &self,
        known: &KnownKey,
        company: Company,
        rows: u32,
        have: u32,
        offer: Option<Offer>,
    ) -> (Decision, Option<Admission<'_>>) {
        let (curve, rows_here) = (known.key().curve(), u64::from(rows));
        let seen = known.sightings();
        self.store.sight(known, rows);
        let decision = self.decide(curve, company, rows_here, seen, have);
        let decision = self.choose(curve, company, rows_here, have, decision, offer);
        if decision.strategy != PlannedStrategy::Build {
            return (decision, None);
        }
        let worth = Worth {
            costs: &self.costs,
            together: company.rows,
        };
        match self.store.admit(known, decision.window, worth) {
            Some(admission) => (decision, Some(admission)),
            None => (self.decide(curve, company, rows_here, 0, have), None),
        }
    }

    /// A table of this window for one call alone.
    pub(super) fn passing_table(
        &self,
        known: &KnownKey,
        window: u32,
    ) -> Option<Arc<AnyPreparedKey>> {
        let table = known.key().prepare_with_window(window).ok()?;
        self.passing_tables.fetch_add(1, Relaxed);
        Some(Arc::new(table))
    }

    /// Notes that so many rows were verified with a table of this window, or without one (0).
    pub(super) fn count(&self, window: u32, rows: u64) {
        self.rows_by_window[(window as usize).min(WINDOWS)].fetch_add(rows, Relaxed);
    }

    /// Notes that so many rows were accepted by batches.
    pub(super) fn count_batched(&self, rows: u64) {
        self.batched.fetch_add(rows, Relaxed);
    }

    /// The rows that were accepted by batches so far.
    pub(super) fn batched(&self) -> u64 {
        self.batched.load(Relaxed)
    }

    /// The rows that were verified so far, by the window of their table.
    pub(super) fn rows_by_window(&self) -> [u64; WINDOWS + 1] {
        self.rows_by_window
            .each_ref()
            .map(|rows| rows.load(Relaxed))
    }

    /// The tables that were built for one call each.
    pub(super) fn passing_tables(&self) -> u64 {
        self.passing_tables.load(Relaxed)
    }
}
