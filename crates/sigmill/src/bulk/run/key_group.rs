//! A key with its rows in a section.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::planner::{BatchOption, Decision, Planner, Workload};
use crate::CurveName;
use crate::bulk::locks::lock;
use crate::bulk::plan::{GroupKey, PlannedStrategy};
use crate::bulk::store::{Admission, KnownKey};
use crate::ecdsa::SignatureFormat;
use crate::keys::{AnyPreparedKey, AnyVerifyingKey};

/// A key with its rows in a section, and the decision about them.
///
/// Its table is fetched or built when the first block needs it, and released when the last one is
/// done. So a call holds few tables in addition to those of the store.
pub(super) struct KeyGroup<'a> {
    known: Arc<KnownKey>,
    rows: u32,
    decision: Decision,
    /// True if the store had a table of it.
    has_table: bool,
    table: Mutex<SharedTable<'a>>,
}

#[derive(Default)]
struct SharedTable<'a> {
    is_fetched: bool,
    /// Room in the store, for a table that is to be built.
    room: Option<Admission<'a>>,
    table: Option<Arc<AnyPreparedKey>>,
    blocks_left: usize,
}

impl<'a> KeyGroup<'a> {
    /// Counts the rows in the store, and decides.
    pub(super) fn new(
        planner: &'a Planner,
        known: Arc<KnownKey>,
        workload: Workload,
        rows: u32,
        batch: Option<BatchOption>,
    ) -> Self {
        let table = planner.store.table(&known);
        let have = table.map_or(0, |table| table.window());
        let (decision, room) = planner.decide_for(&known, workload, rows, have, batch);
        let table = SharedTable {
            room,
            ..SharedTable::default()
        };
        Self {
            known,
            rows,
            decision,
            has_table: have > 0,
            table: Mutex::new(table),
        }
    }

    pub(super) fn key(&self) -> &AnyVerifyingKey {
        self.known.key()
    }

    pub(super) fn curve(&self) -> CurveName {
        self.key().curve()
    }

    pub(super) fn rows(&self) -> u32 {
        self.rows
    }

    /// Judges an invalid signature. After that, what a process builds once, such as the table of
    /// the generator, is in no measured time.
    pub(super) fn warm_up(&self) {
        let length = self.curve().order_len();
        let mut one = vec![0; length];
        one[length - 1] = 1;
        let signature = [&one[..], &one].concat();
        let _ = self
            .key()
            .verify_prehash(&one, &signature, SignatureFormat::P1363);
    }

    /// Returns the group of the plan that this key belongs to.
    pub(super) fn plan_key(&self) -> GroupKey {
        self.decision.group(self.curve())
    }

    /// Returns true if its rows with hints are judged by batches.
    pub(super) fn is_batched(&self) -> bool {
        self.decision.strategy == PlannedStrategy::Batch
    }

    /// Returns the time of its rows without batches, relative to that in batches; 1 if none are
    /// planned.
    pub(super) fn batch_speedup(&self) -> f64 {
        self.decision.batch_speedup
    }

    /// Returns the cost of its rows in addition to the estimate for their group.
    pub(super) fn extra_cost(&self) -> Duration {
        self.decision.extra_cost
    }

    /// Sets the number of blocks that will ask for the table.
    pub(super) fn expect_blocks(&mut self, blocks: usize) {
        let table = self.table.get_mut().unwrap_or_else(|e| e.into_inner());
        table.blocks_left = blocks;
    }

    /// Returns the table, for one block.
    pub(super) fn borrow_table(&self, planner: &Planner) -> Option<Arc<AnyPreparedKey>> {
        if self.decision.window == 0 {
            return None;
        }
        if self.is_batched() && planner.trials().may_batch() {
            // For rows that no batch accepts.
            let table = || planner.store.table(&self.known);
            return self.has_table.then(table).flatten();
        }
        let mut shared = lock(&self.table);
        if !shared.is_fetched {
            shared.is_fetched = true;
            shared.table = self.fetch(planner, shared.room.take());
        }
        shared.table.clone()
    }

    /// Returns the planned table; if another thread is building one for the store, the present one.
    fn fetch(&self, planner: &Planner, room: Option<Admission<'_>>) -> Option<Arc<AnyPreparedKey>> {
        let store = &planner.store;
        let has = store.table(&self.known);
        let window = self.decision.window;
        if has.as_ref().is_some_and(|table| table.window() >= window) {
            return has;
        }
        let built = match room {
            Some(room) => room.build(&self.known),
            None => planner.passing_table(&self.known, window),
        };
        built.or(has)
    }

    /// Records that one block is done with the table.
    pub(super) fn return_table(&self) {
        if self.decision.window == 0 {
            return;
        }
        let mut shared = lock(&self.table);
        shared.blocks_left = shared.blocks_left.saturating_sub(1);
        if shared.blocks_left == 0 {
            shared.table = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bulk::plan::{Costs, Speed};
    use crate::bulk::store::KeyStore;

    /// G and 2G, compressed.
    const POINTS: [&str; 2] = [
        "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        "037cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978",
    ];

    fn planner(memory: usize) -> Planner {
        Planner::new(Arc::new(KeyStore::new(memory)), Costs::at(Speed::Fixed), 10)
    }

    fn group<'a>(planner: &'a Planner, point: &str, rows: u32) -> KeyGroup<'a> {
        let bytes: Vec<u8> = (0..point.len())
            .step_by(2)
            .map(|i| u8::from_str_radix(&point[i..i + 2], 16).unwrap())
            .collect();
        let known = planner.store.lookup(CurveName::P256, &bytes).unwrap();
        let workload = planner.workload(u64::from(rows), 1);
        KeyGroup::new(planner, known, workload, rows, None)
    }

    #[test]
    fn a_passing_table_is_built_once_and_goes_with_the_last_block() {
        let planner = planner(0);
        let mut group = group(&planner, POINTS[0], 1000);
        group.expect_blocks(2);
        let table = group.borrow_table(&planner).unwrap();
        let again = group.borrow_table(&planner).unwrap();
        assert!(Arc::ptr_eq(&table, &again));
        assert_eq!(planner.passing_tables(), 1);
        let weak = Arc::downgrade(&table);
        drop((table, again));
        group.return_table();
        assert!(weak.upgrade().is_some());
        group.return_table();
        assert!(weak.upgrade().is_none());
        assert_eq!(planner.store.stats().table_bytes, 0);
    }

    #[test]
    fn a_table_of_the_store_stays_and_a_single_row_gets_none() {
        let planner = planner(64 << 20);
        let mut hot = group(&planner, POINTS[0], 1000);
        hot.expect_blocks(1);
        let weak = Arc::downgrade(&hot.borrow_table(&planner).unwrap());
        hot.return_table();
        assert!(weak.upgrade().is_some());
        assert_eq!(planner.passing_tables(), 0);
        let mut cold = group(&planner, POINTS[1], 1);
        cold.expect_blocks(1);
        assert!(cold.borrow_table(&planner).is_none());
        cold.return_table();
        assert_eq!(planner.store.stats().promotions, 1);
    }
}
