//! Counts distinct keys.

use std::sync::Mutex;

use hashbrown::HashTable;

use crate::bulk::locks::lock;

/// The buckets of the first table: 9 KiB.
const FIRST_BUCKETS: usize = 1 << 10;

/// The factor by which the next table is larger.
const GROWTH: usize = 8;

/// Hashes of the keys seen, in a limited number of bytes.
///
/// When a table is full, a larger one is added next to it: growing a table would need both the old
/// memory and the new for a moment. So memory is allocated as keys come.
pub(super) struct Distinct {
    seen: Mutex<Seen>,
    bytes: usize,
}

#[derive(Default)]
struct Seen {
    tables: Vec<HashTable<u64>>,
    /// True if a key came for which there was no room.
    were_more: bool,
}

impl Distinct {
    /// Creates a counter for the number of keys that `bytes` bytes hold.
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            seen: Mutex::default(),
            bytes,
        }
    }

    /// Counts keys by their hashes. Two keys with one hash of 64 bits count as one.
    pub(super) fn note(&self, hashes: &[u64]) {
        let mut seen = lock(&self.seen);
        for &hash in hashes {
            seen.note(hash, self.bytes);
        }
    }

    /// Returns the number of keys, and whether there were more.
    pub(super) fn count(&self) -> (u64, bool) {
        let seen = lock(&self.seen);
        let keys: usize = seen.tables.iter().map(HashTable::len).sum();
        (keys as u64, seen.were_more)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        lock(&self.seen).memory_bytes()
    }
}

impl Seen {
    /// Counts a key, in at most `bytes` bytes.
    fn note(&mut self, hash: u64, bytes: usize) {
        let is = |&other: &u64| other == hash;
        if self
            .tables
            .iter()
            .any(|table| table.find(hash, is).is_some())
        {
            return;
        }
        let is_full = |table: &HashTable<u64>| table.len() == table.capacity();
        if self.tables.last().is_none_or(is_full) && !self.add_table(bytes) {
            self.were_more = true;
            return;
        }
        if let Some(table) = self.tables.last_mut() {
            table.insert_unique(hash, hash, |&hash| hash);
        }
    }

    fn memory_bytes(&self) -> usize {
        let tables = self.tables.iter().map(HashTable::allocation_size);
        tables.sum::<usize>() + self.tables.capacity() * size_of::<HashTable<u64>>()
    }

    /// Adds a table larger than the last one. Returns false if `bytes` or the machine have no room
    /// for it.
    fn add_table(&mut self, bytes: usize) -> bool {
        // A table of 2^k buckets holds 7/8 of them, at 9 bytes each and at most 64 more.
        let free = bytes.saturating_sub(self.memory_bytes() + 64) / 9;
        let last = self.tables.last().map_or(0, HashTable::num_buckets);
        let (most, wanted) = match last {
            0 => (free.max(8), FIRST_BUCKETS),
            _ => (free.max(1), last.saturating_mul(GROWTH)),
        };
        let buckets = wanted.min(1 << most.ilog2());
        let mut table = HashTable::new();
        if buckets <= last
            || self.tables.try_reserve_exact(1).is_err()
            || table.try_reserve(buckets / 8 * 7, |&hash| hash).is_err()
        {
            return false;
        }
        self.tables.push(table);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_until_the_memory_is_used_up() {
        for (bytes, most) in [
            (0, 7),
            (150, 7),
            (1000, 56),
            (9 * 1024 + 64, 896),
            (9 * 1024 + 63, 448),
            (100_000, 8064),
            (usize::MAX, u64::MAX),
        ] {
            let distinct = Distinct::new(bytes);
            assert_eq!(distinct.count(), (0, false));
            for i in 0..20_000u64 {
                distinct.note(&[(i % 15_000).wrapping_mul(0x9e37_79b9_7f4a_7c15)]);
                let keys = distinct.count().0 as usize;
                assert!(distinct.memory_bytes() <= bytes.max(9 * 8 + 64));
                assert!(distinct.memory_bytes() <= 12 * FIRST_BUCKETS + 11 * GROWTH * keys);
            }
            assert_eq!(
                distinct.count(),
                (most.min(15_000), most < 15_000),
                "{bytes}"
            );
        }
    }
}
