//! Decisions about keys, and counts of the work done with them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::trials::Trials;
use crate::CurveName;
use crate::bulk::forks::PerProcess;
use crate::bulk::plan::{
    BatchCosts, Costs, GroupKey, KeyCosts, KeyUse, PlanGroup, PlannedStrategy, WINDOWS,
};
use crate::bulk::store::{Admission, KeyStore, KnownKey};
use crate::keys::AnyPreparedKey;

/// Decides for each key whether its rows are worth a table, and finds or builds the table. All
/// calls of an engine share one planner.
pub(super) struct Planner {
    pub(super) store: Arc<KeyStore>,
    pub(super) costs: &'static Costs,
    /// The widest window of the tables that are built.
    pub(super) window: u32,
    rows_by_window: [AtomicU64; WINDOWS + 1],
    passing_tables: AtomicU64,
    batched: AtomicU64,
    trials: PerProcess<Trials>,
}

/// The rows and keys among which a decision about a key is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Workload {
    /// The rows that are judged together.
    rows: u64,
    /// All rows so far, including these.
    all_rows: u64,
    /// The most keys that can have tables in use.
    keys: u64,
}

/// A batch that the rows of a key can be in.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchOption {
    pub(super) costs: BatchCosts,
    /// The rows of the key that have hints.
    pub(super) hinted: u32,
}

/// The way in which a key is used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision {
    pub(super) strategy: PlannedStrategy,
    /// The window of the table that it is worth without batches; 0 for none.
    pub(super) window: u32,
    /// The cost of its rows here in addition to the estimate for their strategy and window: their
    /// table is farther away, or they are in a batch.
    pub(super) extra_cost: Duration,
    /// The time of its rows with hints without batches, relative to that in a batch; 1 if no batch
    /// is planned.
    pub(super) batch_speedup: f64,
}

impl Decision {
    /// Returns the group of the plan that a key on this curve belongs to.
    pub(super) fn group(&self, curve: CurveName) -> GroupKey {
        match self.strategy {
            PlannedStrategy::Batch => (curve, self.strategy, 0),
            _ => (curve, self.strategy, self.window),
        }
    }

    /// Returns the decision for a batch if that costs less, for a key that has `rows` rows here and
    /// a table of the window `have`. Rows without a hint are then judged with the table that it
    /// has.
    fn or_batch(self, costs: &KeyCosts, rows: u64, have: u32, batch: BatchOption) -> Self {
        let hinted = u64::from(batch.hinted);
        let of_rows = |window, rows: u64| rows.saturating_mul(costs.row(window));
        let building = match self.strategy {
            PlannedStrategy::Build => costs.build(self.window),
            _ => 0,
        };
        let extra_cost = self.extra_cost.as_nanos() as u64;
        let without = of_rows(self.window, rows).saturating_add(building + extra_cost);
        let in_batch = hinted
            .saturating_mul(batch.costs.row)
            .saturating_add(batch.costs.key);
        let unhinted = of_rows(have, rows.saturating_sub(hinted));
        if in_batch.saturating_add(unhinted) >= without {
            return self;
        }
        Self {
            strategy: PlannedStrategy::Batch,
            window: self.window,
            extra_cost: Duration::from_nanos(in_batch),
            batch_speedup: (without - unhinted) as f64 / in_batch.max(1) as f64,
        }
    }
}

impl Planner {
    pub(super) fn new(store: Arc<KeyStore>, costs: &'static Costs, window: u32) -> Self {
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

    /// Returns the workload of `rows` rows of `keys` keys.
    pub(super) fn workload(&self, rows: u64, keys: u64) -> Workload {
        let so_far: u64 = self.rows_by_window().iter().sum();
        Workload {
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
        workload: Workload,
        rows: u64,
        seen: u64,
        have: u32,
        batch: Option<BatchOption>,
    ) -> Decision {
        // A key with one row in a hundred has ninety-nine others like it, if there are that many.
        let share = rows.saturating_add(seen).max(1) as f64 / workload.all_rows.max(1) as f64;
        let key = KeyUse {
            rows,
            seen,
            have,
            keys_alike: share.recip().min(workload.keys as f64).max(1.0),
        };
        let costs = &self.costs.in_block(workload.rows)[curve];
        let window = costs.best_window(&key, self.window);
        let strategy = match window {
            0 => PlannedStrategy::Fresh,
            window if window == have => PlannedStrategy::Prepared,
            _ => PlannedStrategy::Build,
        };
        // A table that was just built is near.
        let extra_cost = match strategy {
            PlannedStrategy::Prepared => costs.far(&key, window) * rows as f64,
            _ => 0.0,
        };
        let decision = Decision {
            strategy,
            window,
            extra_cost: Duration::from_nanos(extra_cost as u64),
            batch_speedup: 1.0,
        };
        match batch {
            Some(batch) => decision.or_batch(costs, rows, have, batch),
            None => decision,
        }
    }

    /// Returns the cost of a group if at most `block_rows` rows are judged together. It does not
    /// include [`Decision::extra_cost`].
    pub(super) fn estimate(&self, group: &PlanGroup, block_rows: u64) -> Duration {
        let &PlanGroup { curve, window, .. } = group;
        let tables = match group.strategy {
            // The cost of keys in batches is in `Decision::extra_cost`.
            PlannedStrategy::Unusable | PlannedStrategy::Batch => return Duration::ZERO,
            PlannedStrategy::Build => group.keys.saturating_mul(self.costs.build(curve, window)),
            PlannedStrategy::Fresh | PlannedStrategy::Prepared => 0,
        };
        let row = self.costs.row(curve, window, group.rows.min(block_rows));
        Duration::from_nanos(group.rows.saturating_mul(row).saturating_add(tables))
    }

    /// Decides about a key that has `rows` rows here and a table of the window `have` (0: none),
    /// and returns the room for its table if the store agrees to one. If it does not, the rows at
    /// hand may still be worth a table for this call alone. Counts the rows.
    pub(super) fn decide_for(
        &self,
        known: &KnownKey,
        workload: Workload,
        rows: u32,
        have: u32,
        batch: Option<BatchOption>,
    ) -> (Decision, Option<Admission<'_>>) {
        let (curve, rows_here) = (known.key().curve(), u64::from(rows));
        let seen = known.rows_seen();
        self.store.count_rows(known, rows);
        let decision = self.decide(curve, workload, rows_here, seen, have, batch);
        if decision.strategy != PlannedStrategy::Build {
            return (decision, None);
        }
        let costs = self.costs.in_block(workload.rows);
        match self.store.admit(known, decision.window, costs) {
            Some(admission) => (decision, Some(admission)),
            None => (self.decide(curve, workload, rows_here, 0, have, None), None),
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
