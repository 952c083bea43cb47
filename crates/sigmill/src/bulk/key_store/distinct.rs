//! How many different keys came by.

use std::sync::Mutex;

use hashbrown::HashTable;

use super::locks::lock;

/// Hashes of the keys seen, up to a number.
pub(super) struct Distinct {
    seen: Mutex<HashTable<u64>>,
    most: usize,
}

impl Distinct {
    /// Counts as many keys as so many bytes hold.
    pub(super) fn new(bytes: usize) -> Self {
        // A table of 2^k buckets holds 7/8 of them, at 9 bytes each and 64 more at the most.
        let buckets = (bytes.saturating_sub(64) / 9).max(8);
        Self {
            seen: Mutex::default(),
            most: (1usize << buckets.ilog2()) / 8 * 7,
        }
    }

    /// Notes a key by its hash. Two keys with one hash of 64 bits count as one.
    pub(super) fn note(&self, hash: u64) {
        let mut seen = lock(&self.seen);
        if seen.capacity() == 0 {
            // All at once: growing would take the old memory and the new for a moment.
            seen.reserve(self.most, |&hash| hash);
        }
        if seen.len() < self.most && seen.find(hash, |&other| other == hash).is_none() {
            seen.insert_unique(hash, hash, |&hash| hash);
        }
    }

    /// The number of keys, and whether there were more.
    pub(super) fn count(&self) -> (u64, bool) {
        let seen = lock(&self.seen).len();
        (seen as u64, seen == self.most)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        lock(&self.seen).allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_until_the_memory_is_used_up() {
        for bytes in [0, 150, 1000, 9 * 1024 + 64, 9 * 1024 + 63, 100_000] {
            let distinct = Distinct::new(bytes);
            assert_eq!(distinct.count(), (0, false));
            for i in 0..20_000u64 {
                distinct.note((i % 15_000).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                assert!(distinct.memory_bytes() <= bytes.max(9 * 8 + 64));
            }
            let (count, more) = distinct.count();
            assert_eq!(count, distinct.most.min(15_000) as u64);
            assert_eq!(more, distinct.most <= 15_000);
        }
        assert_eq!(Distinct::new(9 * 1024 + 64).most, 896);
    }
}
