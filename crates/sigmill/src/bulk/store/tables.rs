//! The tables that are held, and the rule by which keys get one.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, RwLock};

use super::budget::{ARC_BYTES, Budget, HEAP_BYTES, Reservation};
use super::builders::Builders;
use super::entries::{TableEntries, TableEntry};
use super::known_key::KnownKey;
use super::sketch::FrequencySketch;
use super::slots::Slot as _;
use super::stats::KeyStoreStats;
use crate::Error;
use crate::bulk::locks::{read, write};
use crate::bulk::plan::{BlockCosts, Costs, Speed};
use crate::keys::{AnyPreparedKey, AnyVerifyingKey};

/// The fewest tables that are checked to make room for another one.
const SAMPLE: usize = 16;

/// The least bytes of a table (P-256, window 1). For a longer one, more tables are checked.
pub(super) const SMALLEST_TABLE: usize = 16_448;

/// A key that was refused a table asks again after a quarter of its recent rows, but after this
/// number at the latest.
const LONGEST_WAIT: u32 = 32;

/// The reason for a request for room.
#[derive(Clone, Copy)]
enum Demand<'a> {
    /// A key that comes back: the tables that go must save less than this.
    Saving(u64, &'a BlockCosts),
    /// A key that is pinned: at any cost.
    Pin,
}

/// Room for a table of a key; released if it is dropped.
pub(in crate::bulk) struct Admission<'a> {
    tables: &'a Tables,
    room: Reservation<'a>,
    window: u32,
}

/// The tables, within a budget.
pub(super) struct Tables {
    pub(super) entries: RwLock<TableEntries>,
    /// The number of slots, for readers that need no lock.
    count: AtomicUsize,
    pub(super) budget: Budget,
    pub(super) builders: Builders,
    promotions: AtomicU64,
    evictions: AtomicU64,
    refused: AtomicU64,
}

/// A key with the data that is saved with it; the window is that of its table, 0 without one.
pub(super) struct Snapshot {
    pub(super) key: AnyVerifyingKey,
    pub(super) hash: u64,
    pub(super) window: u32,
    pub(super) frequency: u32,
    pub(super) pinned: bool,
}

/// Returns the memory of a table with everything that the store keeps for it: the points at a cache
/// line, the prepared key, the known key, and the slot, which may have doubled its capacity.
pub(super) fn table_cost(point_bytes: usize) -> usize {
    let points = point_bytes + 64 + HEAP_BYTES;
    let prepared = size_of::<AnyPreparedKey>() + ARC_BYTES;
    let slot = 3 * (size_of::<TableEntry>() + 12);
    points + prepared + KnownKey::BYTES + slot
}

impl Admission<'_> {
    /// Builds the table, outside of all locks; it replaces a smaller one. Returns `None` if another
    /// thread is building one of this key, or has built it meanwhile.
    pub(in crate::bulk) fn build(self, key: &Arc<KnownKey>) -> Option<Arc<AnyPreparedKey>> {
        let Self {
            tables,
            room,
            window,
        } = self;
        let _turn = tables.builders.try_begin(key.hash())?;
        {
            let entries = read(&tables.entries);
            let held = entries.find(key.hash(), key.key());
            if held.is_some_and(|i| entries.slots.get(i).window >= window) {
                return None;
            }
        }
        let table = Arc::new(key.key().prepare_with_window(window).ok()?);
        tables.promotions.fetch_add(1, Relaxed);
        tables.adopt(key, table.clone(), room, false);
        Some(table)
    }
}

impl Tables {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            entries: RwLock::default(),
            count: AtomicUsize::new(0),
            budget: Budget::new(bytes),
            builders: Builders::default(),
            promotions: AtomicU64::new(0),
            evictions: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }
    }

    /// Returns the known key that has the table of this key. `hash` is that of the key.
    pub(super) fn find(&self, hash: u64, key: &AnyVerifyingKey) -> Option<Arc<KnownKey>> {
        if self.budget.used() == 0 {
            return None;
        }
        let entries = read(&self.entries);
        let position = entries.find(hash, key)?;
        Some(entries.slots.get(position).key.clone())
    }

    /// Reserves room for a table of a key, in place of any narrower one that it has. Returns `None`
    /// if the memory is better used as it is, or if the key has a table of this window by now.
    pub(super) fn admit(
        &self,
        key: &KnownKey,
        window: u32,
        costs: &BlockCosts,
        frequency: &FrequencySketch,
    ) -> Option<Admission<'_>> {
        let bytes = table_cost(key.key().table_bytes(window).ok()?);
        let recent = frequency.estimate(key.hash());
        let key_costs = &costs[key.key().curve()];
        let demand = |present: u32| {
            let more = key_costs
                .saving(window)
                .saturating_sub(key_costs.saving(present));
            let gain = u64::from(recent).saturating_mul(more);
            Demand::Saving(gain.saturating_sub(key_costs.build(window)), costs)
        };
        // A refusal should not have to wait for a lock.
        let refused = !key.may_ask()
            || self.budget.free() < bytes && matches!(demand(0), Demand::Saving(0, _));
        if refused {
            self.refused.fetch_add(1, Relaxed);
            return None;
        }
        let (room, evicted) = {
            let mut entries = write(&self.entries);
            let held = entries.find(key.hash(), key.key());
            let present = held.map_or(0, |i| entries.slots.get(i).window);
            if present >= window {
                return None;
            }
            let room = self.make_room(&mut entries, key.hash(), bytes, demand(present), frequency);
            if room.is_none() {
                self.refused.fetch_add(1, Relaxed);
                key.wait((recent / 4).min(LONGEST_WAIT));
            }
            room?
        };
        drop(evicted);
        Some(self.admission(room, window))
    }

    fn admission<'a>(&'a self, room: Reservation<'a>, window: u32) -> Admission<'a> {
        Admission {
            tables: self,
            room,
            window,
        }
    }

    /// Builds a table that stays until it is unpinned. Waits for another thread that is building
    /// one of the same key.
    pub(super) fn pin(
        &self,
        key: &Arc<KnownKey>,
        window: u32,
        frequency: &FrequencySketch,
    ) -> Result<(), Error> {
        let bytes = table_cost(key.key().table_bytes(window)?);
        let _turn = self.builders.begin(key.hash());
        let (reservation, evicted) = {
            let mut entries = write(&self.entries);
            if let Some(i) = entries.find(key.hash(), key.key())
                && entries.slots.get(i).window >= window
            {
                entries.slots.get_mut(i).pinned = true;
                return Ok(());
            }
            self.make_room(&mut entries, key.hash(), bytes, Demand::Pin, frequency)
                .ok_or_else(|| self.memory_error(&entries, bytes))?
        };
        drop(evicted);
        let table = Arc::new(key.key().prepare_with_window(window)?);
        self.adopt(key, table, reservation, true);
        Ok(())
    }

    /// Removes the pin and returns true if there was one.
    pub(super) fn unpin(&self, hash: u64, key: &AnyVerifyingKey) -> bool {
        let mut entries = write(&self.entries);
        let position = entries.find(hash, key);
        position.is_some_and(|i| std::mem::take(&mut entries.slots.get_mut(i).pinned))
    }

    /// Builds a table if memory for it is free, and returns true if it did. A key that has one as
    /// wide needs none.
    pub(super) fn restore(&self, key: &Arc<KnownKey>, window: u32) -> bool {
        let Ok(bytes) = key.key().table_bytes(window) else {
            return false;
        };
        write(&self.entries).release_unused(&self.budget);
        let room = self.budget.reserve(table_cost(bytes));
        room.is_some_and(|room| self.admission(room, window).build(key).is_some())
    }

    /// Returns the number of tables; changes at this moment may be missing.
    pub(super) fn count(&self) -> usize {
        self.count.load(Relaxed)
    }

    fn memory_error(&self, entries: &TableEntries, needed: usize) -> Error {
        let pinned = entries.slots.iter().filter(|held| held.pinned);
        let pinned: usize = pinned.map(|held| held.bytes).sum();
        Error::StoreMemory {
            needed,
            available: self.budget.limit().saturating_sub(pinned),
        }
    }

    /// Adds a table in the room reserved for it.
    fn adopt(
        &self,
        key: &Arc<KnownKey>,
        table: Arc<AnyPreparedKey>,
        reservation: Reservation<'_>,
        pinned: bool,
    ) {
        let mut entries = write(&self.entries);
        entries.install(&self.budget, key, table, reservation, pinned);
        self.count.store(entries.slots.len(), Relaxed);
    }

    /// Returns the keys with tables.
    pub(super) fn snapshot(&self, frequency: &FrequencySketch) -> Vec<Snapshot> {
        let entries = read(&self.entries);
        let held = entries.slots.iter().map(|held| Snapshot {
            key: *held.key.key(),
            hash: held.hash(),
            window: held.window,
            frequency: frequency.estimate(held.hash()),
            pinned: held.pinned,
        });
        held.collect()
    }

    /// Adds the counts of tables and bytes.
    pub(super) fn count_in(&self, stats: &mut KeyStoreStats) {
        let entries = read(&self.entries);
        stats.promotions += self.promotions.load(Relaxed);
        stats.evictions += self.evictions.load(Relaxed);
        stats.refused += self.refused.load(Relaxed);
        for held in entries.slots.iter() {
            stats.tables += 1;
            stats.pinned += u64::from(held.pinned);
            stats.table_bytes += held.key.key().table_bytes(held.window).unwrap_or(0) as u64;
        }
        stats.bytes_used += self.budget.used() as u64;
    }

    /// Reserves `bytes` for a table of the key with hash `own`; other tables may have to go. They
    /// are returned, to be dropped outside of the lock and before the new one is built.
    ///
    /// Candidates are tables that are neither pinned nor in use. Those worth least go first.
    /// Returns `None` if that does not make enough room, or if they are worth too much.
    fn make_room(
        &self,
        entries: &mut TableEntries,
        own: u64,
        bytes: usize,
        demand: Demand<'_>,
        frequency: &FrequencySketch,
    ) -> Option<(Reservation<'_>, Vec<Arc<AnyPreparedKey>>)> {
        entries.release_unused(&self.budget);
        if let Some(reservation) = self.budget.reserve(bytes) {
            return Some((reservation, vec![]));
        }
        let missing = (self.budget.used() + bytes).saturating_sub(self.budget.limit());
        let (sample, allowed, costs) = match demand {
            Demand::Saving(allowed, costs) => {
                (SAMPLE.max(2 * missing / SMALLEST_TABLE), allowed, costs)
            }
            Demand::Pin => (usize::MAX, u64::MAX, Costs::at(Speed::Fixed).in_block(1)),
        };
        if bytes > self.budget.limit() || allowed == 0 {
            return None;
        }
        let positions = entries.slots.sample(sample);
        let mut candidates: Vec<(u64, usize)> = positions
            .filter_map(|i| {
                let held = entries.slots.get(i);
                let own = held.hash() == own && matches!(demand, Demand::Saving(..));
                let goes = !held.pinned && !own && held.key.table_is_idle();
                goes.then(|| (held.saved(frequency, costs), i))
            })
            .collect();
        candidates.sort_unstable();
        let (mut loss, mut room, mut victims) = (0u64, 0, vec![]);
        for (worth, i) in candidates {
            if room >= missing {
                break;
            }
            loss = loss.saturating_add(worth);
            room += entries.slots.get(i).bytes;
            victims.push(i);
        }
        if room < missing || loss >= allowed {
            return None;
        }
        // From the back, as a removal moves the last entry.
        victims.sort_unstable_by(|a, b| b.cmp(a));
        let mut evicted = vec![];
        for i in victims {
            // Another thread may have begun to use it.
            if let Some(table) = entries.slots.get(i).key.take_idle_table() {
                self.budget.release(entries.slots.swap_remove(i).bytes);
                evicted.push(table);
            }
        }
        self.evictions.fetch_add(evicted.len() as u64, Relaxed);
        self.count.store(entries.slots.len(), Relaxed);
        Some((self.budget.reserve(bytes)?, evicted))
    }
}
