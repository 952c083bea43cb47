//! Counts distinct keys.

use std::sync::Mutex;

use hashbrown::HashTable;

use crate::bulk::locks::lock;

/// The buckets of the first table: 9 KiB.
const FIRST_BUCKETS: usize = 1 << 10;

/// Hashes of the keys seen, in a limited number of bytes. Memory is allocated as keys come.
pub(super) struct Distinct {
    seen: Mutex<Seen>,
    bytes: usize,
}

#[derive(Default)]
struct Seen {
    hashes: HashTable<u64>,
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
        (seen.hashes.len() as u64, seen.were_more)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        lock(&self.seen).hashes.allocation_size()
    }
}

impl Seen {
    /// Counts a key, in at most `bytes` bytes.
    fn note(&mut self, hash: u64, bytes: usize) {
        if self.hashes.find(hash, |&other| other == hash).is_some() {
            return;
        }
        if self.hashes.len() == self.hashes.capacity() && !self.grow(bytes) {
            self.were_more = true;
            return;
        }
        self.hashes.insert_unique(hash, hash, |&hash| hash);
    }

    /// Makes the table twice as large. Returns false if `bytes` or the machine have no room for the
    /// old memory and the new together.
    fn grow(&mut self, bytes: usize) -> bool {
        // A table of 2^k buckets holds 7/8 of them, at 9 bytes each and at most 64 more.
        let free = bytes.saturating_sub(self.hashes.allocation_size() + 64) / 9;
        let buckets = match self.hashes.num_buckets() {
            // Any memory holds eight.
            0..8 => FIRST_BUCKETS.min(1 << free.max(8).ilog2()),
            present => 2 * present,
        };
        let more = buckets / 8 * 7 - self.hashes.len();
        buckets <= free.max(8) && self.hashes.try_reserve(more, |&hash| hash).is_ok()
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
            (100_000, 3584),
            (usize::MAX, u64::MAX),
        ] {
            let distinct = Distinct::new(bytes);
            assert_eq!(distinct.count(), (0, false));
            for i in 0..20_000u64 {
                distinct.note(&[(i % 15_000).wrapping_mul(0x9e37_79b9_7f4a_7c15)]);
                let keys = distinct.count().0 as usize;
                assert!(distinct.memory_bytes() <= bytes.max(9 * 8 + 64));
                assert!(distinct.memory_bytes() <= 12 * FIRST_BUCKETS + 22 * keys);
            }
            assert_eq!(
                distinct.count(),
                (most.min(15_000), most < 15_000),
                "{bytes}"
            );
        }
    }
}
