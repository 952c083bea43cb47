//! A key with the rows that it has in a section.

use std::sync::{Arc, Mutex};

use super::planner::Planner;
use crate::CurveName;
use crate::bulk::locks::lock;
use crate::bulk::plan::{GroupKey, PlannedStrategy};
use crate::bulk::store::KnownKey;
use crate::ecdsa::{AnyPreparedKey, AnyVerifyingKey};

/// A key with the rows that it has in a section, and how it is used for them.
///
/// Its table is fetched or built when the first block needs it, and let go when the last one is
/// done: so that a call holds few tables beyond those of the store.
pub(super) struct KeyGroup {
    known: Arc<KnownKey>,
    curve: CurveName,
    rows: u32,
    strategy: PlannedStrategy,
    /// 0 without a table.
    window: u32,
    table: Mutex<SharedTable>,
}

#[derive(Default)]
struct SharedTable {
    is_fetched: bool,
    table: Option<Arc<AnyPreparedKey>>,
    blocks_left: usize,
}

impl KeyGroup {
    /// Notes the rows in the store, and decides.
    pub(super) fn new(
        planner: &Planner,
        curve: CurveName,
        known: Arc<KnownKey>,
        rows: u32,
    ) -> Self {
        let store = &planner.store;
        let seen = known.sightings();
        store.sight(&known, rows);
        let have = store.table(&known).map_or(0, |table| table.window());
        let (strategy, window) = planner.decide(curve, u64::from(rows), seen, have);
        Self {
            known,
            curve,
            rows,
            strategy,
            window,
            table: Mutex::default(),
        }
    }

    pub(super) fn key(&self) -> &AnyVerifyingKey {
        self.known.key()
    }

    pub(super) fn curve(&self) -> CurveName {
        self.curve
    }

    pub(super) fn rows(&self) -> u32 {
        self.rows
    }

    /// The group of the plan that this key belongs to.
    pub(super) fn plan_key(&self) -> GroupKey {
        (self.curve, self.strategy, self.window)
    }

    /// What its rows cost, in nanoseconds.
    pub(super) fn estimate(&self, planner: &Planner) -> u64 {
        planner.estimate(self.plan_key(), u64::from(self.rows))
    }

    /// Says how many blocks will ask for the table.
    pub(super) fn expect_blocks(&mut self, blocks: usize) {
        let table = self.table.get_mut().unwrap_or_else(|e| e.into_inner());
        table.blocks_left = blocks;
    }

    /// The table, for one block.
    pub(super) fn borrow_table(&self, planner: &Planner) -> Option<Arc<AnyPreparedKey>> {
        if self.strategy == PlannedStrategy::Fresh {
            return None;
        }
        let mut shared = lock(&self.table);
        if !shared.is_fetched {
            shared.is_fetched = true;
            shared.table = planner.table_for(&self.known, self.window, u64::from(self.rows));
        }
        shared.table.clone()
    }

    /// One block is done with the table.
    pub(super) fn return_table(&self) {
        if self.strategy == PlannedStrategy::Fresh {
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
    use crate::bulk::plan::Costs;
    use crate::bulk::store::KeyStore;

    /// G and 2G, compressed.
    const POINTS: [&str; 2] = [
        "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        "037cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978",
    ];

    fn planner(memory: usize) -> Planner {
        Planner::new(Arc::new(KeyStore::new(memory)), Costs::reference(), 10)
    }

    fn group(planner: &Planner, point: &str, rows: u32) -> KeyGroup {
        let bytes: Vec<u8> = (0..point.len())
            .step_by(2)
            .map(|i| u8::from_str_radix(&point[i..i + 2], 16).unwrap())
            .collect();
        let known = planner.store.lookup(CurveName::P256, &bytes).unwrap();
        KeyGroup::new(planner, CurveName::P256, known, rows)
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
