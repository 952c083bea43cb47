//! The keys that saved stores had, so that the next save has them too.

use std::collections::HashSet;
use std::sync::Mutex;

use super::sketch::FrequencySketch;
use super::tables::{SMALLEST_TABLE, Tables, table_cost};
use crate::bulk::locks::lock;
use crate::keys::AnyVerifyingKey;

/// A key with its hash. Two keys with one hash of 64 bits count as one.
type SavedKey = (u64, AnyVerifyingKey);

/// Keys that were loaded, each once, in a small part of the memory for tables.
#[derive(Default)]
pub(super) struct SavedKeys(Mutex<Vec<SavedKey>>);

impl SavedKeys {
    /// Adds keys: as many as there could be tables, as long as memory is free. Those whose recent
    /// rows have faded make way for them.
    pub(super) fn add(
        &self,
        mut keys: Vec<SavedKey>,
        tables: &Tables,
        frequency: &FrequencySketch,
    ) {
        let mut saved = lock(&self.0);
        saved.retain(|&(hash, _)| frequency.estimate(hash) > 0);
        let present: HashSet<u64> = saved.iter().map(|&(hash, _)| hash).collect();
        keys.retain(|(hash, _)| !present.contains(hash));
        let most = tables.budget.limit() / table_cost(SMALLEST_TABLE);
        keys.truncate(most.saturating_sub(saved.len()));
        let (before, wanted) = (saved.capacity(), saved.len() + keys.len());
        if wanted > before {
            // The old memory and the new are both allocated for a moment.
            let Some(room) = tables.budget.reserve(wanted * size_of::<SavedKey>()) else {
                return;
            };
            if saved.try_reserve_exact(keys.len()).is_err() {
                return;
            }
            room.keep();
            tables.budget.release(before * size_of::<SavedKey>());
        }
        saved.append(&mut keys);
    }

    /// Returns all keys.
    pub(super) fn all(&self) -> Vec<SavedKey> {
        lock(&self.0).clone()
    }

    /// Returns the bytes that the budget of tables has reserved for them.
    #[cfg(test)]
    pub(super) fn reserved(&self) -> usize {
        lock(&self.0).capacity() * size_of::<SavedKey>()
    }
}
