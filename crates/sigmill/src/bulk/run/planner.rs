//! Decisions about keys, and counts of the work done with them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::trials::Trials;
use crate::CurveName;
use crate::bulk::forks::PerProcess;
use crate::bulk::plan::{BatchCosts, Costs, GroupKey, KeyUse, PlannedStrategy, WINDOWS, Worth};
use crate::bulk::store::{Admission, KeyStore, KnownKey};
use crate::keys::AnyPreparedKey;

/// Decides for each key whether its rows are worth a table, and finds or builds the table. All
/// calls of an engine share one planner.
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

/// The rows and keys among which a decision about a key is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Company {
    /// The rows that are judged together.
    rows: u64,
    /// All rows so far, including these.
    all_rows: u64,
    /// The most keys that can have tables in use.
    keys: u64,
}

/// The offer of a batch to a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    pub(super) costs: BatchCosts,
    /// The rows of the key that have hints.
    pub(super) hinted: u32,
}

/// The way in which a key is used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision {
    pub(super) strategy: PlannedStrategy,
    /// The window of its table; 0 without a table.
    pub(super) window: u32,
    /// The cost of its rows here in addition to the estimate for their strategy and window: their
    /// table is farther away, or they are in a batch.
    pub(super) beside: Duration,
    /// For rows that are judged by batches: their use without batches.
    pub(super) otherwise: Option<Otherwise>,
}

/// The way in which a key would be used without batches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Otherwise {
    /// The window of its table, 0 without one.
    pub(super) window: u32,
    /// The time of its rows with hints, relative to that in a batch.
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

    /// Returns the trials, which show whether batches pay.
    pub(super) fn trials(&self) -> &Trials {
        self.trials.get_or_make(Trials::new)
    }

    /// Returns the company of `rows` rows of `keys` keys.
    pub(super) fn company(&self, rows: u64, keys: u64) -> Company {
        let so_far: u64 = self.rows_by_window().iter().sum();
        Company {
            rows,
            all_rows: so_far.saturating_add(self.batched()).saturating_add(rows),
            keys: self.store.table_count() as u64 + keys,
        }
    }

    /// Decides about a key that has `rows` rows here, had `seen` rows before, and has a table of
    /// the window `have` (0: none).
    pub(super) fn decide(
        &self,
        curve: CurveName,
        company: Company,
        rows: u64,
        seen: u64,
        have: u32,
    ) -> Decision {
        // A key with one row in a hundred has ninety-nine others like it, if there are that many.
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
        // A table that was just built is near.
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

    /// Decides about a key that has `rows` rows here and a table of the window `have`, if it is
    /// offered a batch. Rows without a hint are then judged with the table that it has.
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

    /// Returns the cost of `keys` keys and `rows` rows of a group if at most `together` rows are
    /// judged together. It does not include [`Decision::beside`].
    pub(super) fn estimate(
        &self,
        (curve, strategy, window): GroupKey,
        keys: u64,
        rows: u64,
        together: u64,
    ) -> Duration {
        let tables = match strategy {
            // The cost of keys in batches is in `Decision::beside`.
            PlannedStrategy::Unusable | PlannedStrategy::Batch => return Duration::ZERO,
            PlannedStrategy::Build => keys.saturating_mul(self.costs.build(curve, window)),
            PlannedStrategy::Fresh | PlannedStrategy::Prepared => 0,
        };
        let row = self.costs.row(curve, window, rows.min(together));
        Duration::from_nanos(rows.saturating_mul(row).saturating_add(tables))
    }

    /// Decides about a key that has `rows` rows here and a table of the window `have` (0: none),
    /// and returns the room for its table if the store agrees to one. If it does not, the rows at
    /// hand may still be worth a table for this call alone. Counts the rows.
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

    /// Builds a table of this window for one call alone.
    pub(super) fn passing_table(
        &self,
        known: &KnownKey,
        window: u32,
    ) -> Option<Arc<AnyPreparedKey>> {
        let table = known.key().prepare_with_window(window).ok()?;
        self.passing_tables.fetch_add(1, Relaxed);
        Some(Arc::new(table))
    }

    /// Counts rows that were verified with a table of this window, or without one (0).
    pub(super) fn count(&self, window: u32, rows: u64) {
        self.rows_by_window[(window as usize).min(WINDOWS)].fetch_add(rows, Relaxed);
    }

    /// Counts rows that batches accepted.
    pub(super) fn count_batched(&self, rows: u64) {
        self.batched.fetch_add(rows, Relaxed);
    }

    /// Returns the number of rows that batches accepted so far.
    pub(super) fn batched(&self) -> u64 {
        self.batched.load(Relaxed)
    }

    /// Returns the number of rows verified so far, by the window of their table.
    pub(super) fn rows_by_window(&self) -> [u64; WINDOWS + 1] {
        self.rows_by_window
            .each_ref()
            .map(|rows| rows.load(Relaxed))
    }

    /// Returns the number of tables that were built for one call each.
    pub(super) fn passing_tables(&self) -> u64 {
        self.passing_tables.load(Relaxed)
    }
}
