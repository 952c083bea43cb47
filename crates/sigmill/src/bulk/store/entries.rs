//! The keys with tables, and replaced tables that are still in use.

use std::sync::{Arc, Weak};

use super::budget::{Budget, Reservation};
use super::known_key::KnownKey;
use super::sketch::FrequencySketch;
use super::slots::{Slot, Slots};
use crate::bulk::plan::BlockCosts;
use crate::keys::{AnyPreparedKey, AnyVerifyingKey};

/// A key with a table.
pub(super) struct TableEntry {
    pub(super) key: Arc<KnownKey>,
    pub(super) window: u32,
    pub(super) bytes: usize,
    pub(super) pinned: bool,
}

impl Slot for TableEntry {
    fn hash(&self) -> u64 {
        self.key.hash()
    }
}

impl TableEntry {
    /// Returns its recent savings.
    pub(super) fn saved(&self, frequency: &FrequencySketch, costs: &BlockCosts) -> u64 {
        let recent = u64::from(frequency.estimate(self.hash()));
        recent.saturating_mul(costs[self.key.key().curve()].saving(self.window))
    }
}

/// A table that was replaced while somebody was using it. Its bytes stay reserved until it is gone.
struct ReplacedTable {
    table: Weak<AnyPreparedKey>,
    bytes: usize,
}

/// The keys with tables.
#[derive(Default)]
pub(super) struct TableEntries {
    pub(super) slots: Slots<TableEntry>,
    replaced: Vec<ReplacedTable>,
}

impl TableEntries {
    /// Returns the position of a key with this hash.
    pub(super) fn find(&self, hash: u64, key: &AnyVerifyingKey) -> Option<usize> {
        self.slots.find(hash, |held| held.key.key() == key)
    }

    /// Releases the bytes of replaced tables that nobody uses any more.
    pub(super) fn release_unused(&mut self, budget: &Budget) {
        self.replaced.retain(|replaced| {
            let used = replaced.table.strong_count() > 0;
            if !used {
                budget.release(replaced.bytes);
            }
            used
        });
    }

    /// Installs a table in the room reserved for it, unless the key has one as wide.
    pub(super) fn install(
        &mut self,
        budget: &Budget,
        key: &Arc<KnownKey>,
        table: Arc<AnyPreparedKey>,
        reservation: Reservation<'_>,
        pinned: bool,
    ) {
        let window = table.window();
        let Some(position) = self.find(key.hash(), key.key()) else {
            key.replace_table(table);
            self.slots.insert(TableEntry {
                key: key.clone(),
                window,
                bytes: reservation.keep(),
                pinned,
            });
            return;
        };
        let held = self.slots.get_mut(position);
        held.pinned |= pinned;
        if held.window >= window {
            return;
        }
        held.window = window;
        let bytes = std::mem::replace(&mut held.bytes, reservation.keep());
        if let Some(old) = held.key.replace_table(table) {
            let table = Arc::downgrade(&old);
            drop(old);
            self.replaced.push(ReplacedTable { table, bytes });
            self.release_unused(budget);
        } else {
            budget.release(bytes);
        }
    }
}
