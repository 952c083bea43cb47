//! How keys are used, and what was done with them so far.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::CurveName;
use crate::bulk::plan::{Costs, GroupKey, PlannedStrategy, WINDOWS};
use crate::bulk::store::{KeyStore, KnownKey};
use crate::ecdsa::AnyPreparedKey;

/// Decides for each key whether its rows are worth a table, and finds or builds the table. All
/// calls of an engine share one.
pub(super) struct Planner {
    pub(super) store: Arc<KeyStore>,
    pub(super) costs: Costs,
    /// The widest window of the tables that are built.
    pub(super) window: u32,
    rows_by_window: [AtomicU64; WINDOWS + 1],
    passing_tables: AtomicU64,
}

impl Planner {
    pub(super) fn new(store: Arc<KeyStore>, costs: Costs, window: u32) -> Self {
        Self {
            store,
            costs,
            window,
            rows_by_window: Default::default(),
            passing_tables: AtomicU64::new(0),
        }
    }

    /// How a key is to be used that has so many rows here and had so many before, and a table of
    /// the window `have` (0: none): the strategy and its window (0: no table).
    pub(super) fn decide(
        &self,
        curve: CurveName,
        rows: u64,
        seen: u64,
        have: u32,
    ) -> (PlannedStrategy, u32) {
        let expected = rows.saturating_add(seen);
        match self
            .costs
            .of(curve)
            .best_window(expected, have, self.window)
        {
            0 => (PlannedStrategy::Fresh, 0),
            window if window == have => (PlannedStrategy::Prepared, window),
            window => (PlannedStrategy::Build, window),
        }
    }

    /// What the rows of a key cost, in nanoseconds.
    pub(super) fn estimate(&self, (curve, strategy, window): GroupKey, rows: u64) -> u64 {
        let costs = self.costs.of(curve);
        let build = match strategy {
            PlannedStrategy::Unusable => return 0,
            PlannedStrategy::Build => costs.build(window),
            PlannedStrategy::Fresh | PlannedStrategy::Prepared => 0,
        };
        rows.saturating_mul(costs.row(window)).saturating_add(build)
    }

    /// The table that a key is to be used with: of at least this window if the store has it or
    /// takes it, else one for this call alone if its rows are worth it, else what the store has.
    pub(super) fn table_for(
        &self,
        known: &Arc<KnownKey>,
        window: u32,
        rows: u64,
    ) -> Option<Arc<AnyPreparedKey>> {
        let table = self.store.table(known);
        let have = table.as_ref().map_or(0, |table| table.window());
        if have >= window {
            return table;
        }
        if let Some(table) = self.store.promote(known, window) {
            return Some(table);
        }
        let key = known.key();
        match self.decide(key.curve(), rows, 0, have) {
            (PlannedStrategy::Build, window) => match key.prepare(window) {
                Ok(table) => {
                    self.passing_tables.fetch_add(1, Relaxed);
                    Some(Arc::new(table))
                }
                Err(_) => table,
            },
            _ => table,
        }
    }

    /// Notes that so many rows were verified with a table of this window, or without one (0).
    pub(super) fn count(&self, window: u32, rows: u64) {
        self.rows_by_window[(window as usize).min(WINDOWS)].fetch_add(rows, Relaxed);
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
