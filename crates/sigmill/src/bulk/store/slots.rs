//! A hash table whose entries are also numbered, so that a hand can go round them.

use hashbrown::HashTable;

/// An entry with a hash that does not change.
pub(super) trait Slot {
    fn hash(&self) -> u64;
}

/// Entries by hash and by position. Removal moves the last entry into the gap.
pub(super) struct Slots<T> {
    index: HashTable<u32>,
    entries: Vec<T>,
    hand: usize,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self {
            index: HashTable::new(),
            entries: Vec::new(),
            hand: 0,
        }
    }
}

impl<T: Slot> Slots<T> {
    /// Returns an upper bound of the memory of `capacity` entries, in bytes: each needs up to 2 *
    /// 8/7 * 9/8 positions of 5 bytes in the index.
    pub(super) fn bytes_of(capacity: usize) -> usize {
        capacity.saturating_mul(size_of::<T>() + 13)
    }

    /// Allocates memory for `capacity` entries in all; returns false if the machine does not have
    /// it. For a moment the old memory and the new are both allocated.
    pub(super) fn allocate(&mut self, capacity: usize) -> bool {
        let entries = &self.entries;
        let more = capacity.saturating_sub(entries.len());
        let hash = |&i: &u32| entries[i as usize].hash();
        // With some room for the gaps that removals leave.
        let index = self.index.try_reserve(more + capacity / 8, hash);
        index.is_ok() && self.entries.try_reserve_exact(more).is_ok()
    }

    /// Returns the allocated memory, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.index.allocation_size() + self.entries.capacity() * size_of::<T>()
    }

    /// Returns the number of entries for which memory is allocated.
    pub(super) fn capacity(&self) -> usize {
        self.entries.capacity()
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
        self.entries.iter()
    }

    pub(super) fn get(&self, position: usize) -> &T {
        &self.entries[position]
    }

    pub(super) fn get_mut(&mut self, position: usize) -> &mut T {
        &mut self.entries[position]
    }

    /// Returns the position of the entry with this hash for which `is` returns true.
    pub(super) fn find(&self, hash: u64, is: impl Fn(&T) -> bool) -> Option<usize> {
        let found = self.index.find(hash, |&i| {
            let entry = &self.entries[i as usize];
            entry.hash() == hash && is(entry)
        });
        found.map(|&i| i as usize)
    }

    /// Adds an entry that is not present yet.
    pub(super) fn insert(&mut self, entry: T) {
        // More than 2^32 entries would be more than 2^32 allocations.
        let position = u32::try_from(self.entries.len()).expect("fewer than 2^32 entries");
        let entries = &self.entries;
        let has_room = self.index.len() < self.index.capacity();
        if !has_room && entries.len() < entries.capacity() {
            // Gaps use up the rest of the index, which would grow otherwise.
            self.index.clear();
            for (i, entry) in (0..).zip(entries) {
                let hash = |&i: &u32| entries[i as usize].hash();
                self.index.insert_unique(entry.hash(), i, hash);
            }
        }
        self.index
            .insert_unique(entry.hash(), position, |&i| entries[i as usize].hash());
        self.entries.push(entry);
    }

    /// Removes an entry and returns it.
    pub(super) fn swap_remove(&mut self, position: usize) -> T {
        let last = self.entries.len() - 1;
        let moved = self.entries[last].hash();
        let gone = self.entries[position].hash();
        if let Ok(found) = self.index.find_entry(gone, |&i| i as usize == position) {
            found.remove();
        }
        if position != last
            && let Some(i) = self.index.find_mut(moved, |&i| i as usize == last)
        {
            *i = position as u32;
        }
        self.entries.swap_remove(position)
    }

    /// Returns the entry that the next sample begins with.
    pub(super) fn under_hand(&self) -> Option<&T> {
        self.entries.get(self.hand).or(self.entries.first())
    }

    /// Returns the positions of the next entries under the hand, at most `count` and each once; the
    /// hand moves on.
    pub(super) fn sample(&mut self, count: usize) -> impl Iterator<Item = usize> + use<T> {
        let len = self.entries.len();
        let count = count.min(len);
        let start = if self.hand < len { self.hand } else { 0 };
        self.hand = start + count;
        if self.hand >= len {
            self.hand -= len;
        }
        (start..start + count).map(move |i| if i < len { i } else { i - len })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    struct Entry(u64, u32);

    impl Slot for Entry {
        fn hash(&self) -> u64 {
            self.0
        }
    }

    #[test]
    fn agrees_with_a_set_under_insertions_and_removals() {
        let mut slots = Slots::default();
        let mut twin = BTreeSet::new();
        let mut state = 1u64;
        for step in 0..5000u32 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            // Only 16 hashes: every lookup meets collisions.
            let hash = (state >> 60).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            if (state >> 33) % 5 < 3 || twin.is_empty() {
                slots.insert(Entry(hash, step));
                twin.insert((hash, step));
            } else {
                let position = (state >> 35) as usize % slots.len();
                let Entry(hash, id) = slots.swap_remove(position);
                assert!(twin.remove(&(hash, id)));
                assert_eq!(slots.find(hash, |entry| entry.1 == id), None);
            }
            if step % 50 == 0 {
                assert_eq!(slots.len(), twin.len());
                for &(hash, id) in &twin {
                    let position = slots.find(hash, |entry| entry.1 == id).unwrap();
                    assert_eq!(slots.get(position).1, id);
                }
            }
        }
        assert!(twin.len() > 500);
    }

    #[test]
    fn entries_that_come_and_go_take_no_more_memory() {
        let mut slots = Slots::default();
        assert!(slots.allocate(100));
        let memory = slots.memory_bytes();
        assert!(memory <= Slots::<Entry>::bytes_of(100) + 64);
        for i in 0..20_000_u64 {
            if slots.len() == 100 {
                slots.swap_remove(i as usize % 100);
            }
            slots.insert(Entry(i.wrapping_mul(0x9e37_79b9_7f4a_7c15), 0));
            assert_eq!(slots.memory_bytes(), memory);
        }
    }

    #[test]
    fn the_hand_goes_round_and_passes_nobody_by() {
        let mut slots = Slots::default();
        assert_eq!(slots.sample(3).count(), 0);
        assert!(slots.under_hand().is_none());
        for i in 0..7 {
            slots.insert(Entry(i, 0));
        }
        let mut seen = vec![];
        for _ in 0..7 {
            let first = slots.under_hand().map(|entry| entry.0);
            seen.extend(slots.sample(3));
            assert_eq!(first, Some(seen[seen.len() - 3] as u64));
        }
        assert_eq!(seen, (0..21).map(|i| i % 7).collect::<Vec<_>>());
        assert_eq!(slots.sample(100).collect::<BTreeSet<_>>().len(), 7);
        // The hand is beyond the end after entries go.
        assert_eq!(slots.sample(6).count(), 6);
        while slots.len() > 2 {
            slots.swap_remove(0);
        }
        assert_eq!(slots.sample(2).collect::<BTreeSet<_>>(), [0, 1].into());
    }
}
