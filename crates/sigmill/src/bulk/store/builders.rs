//! Turns for the threads that build the table of a key.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::bulk::locks::lock;

/// One turn at a time for each key, by the key's hash.
#[derive(Default)]
pub(super) struct Builders {
    busy: Mutex<HashSet<u64>>,
    done: Condvar,
}

impl Builders {
    /// Returns a turn, unless another thread has it.
    pub(super) fn try_begin(&self, hash: u64) -> Option<Turn<'_>> {
        let free = lock(&self.busy).insert(hash);
        free.then(|| Turn {
            builders: self,
            hash,
        })
    }

    /// Waits for the turn of another thread to end, and returns a turn.
    pub(super) fn begin(&self, hash: u64) -> Turn<'_> {
        let waited = self
            .done
            .wait_while(lock(&self.busy), |busy| !busy.insert(hash));
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        Turn {
            builders: self,
            hash,
        }
    }
}

/// The turn of a thread; it ends on drop.
pub(super) struct Turn<'a> {
    builders: &'a Builders,
    hash: u64,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        lock(&self.builders.busy).remove(&self.hash);
        self.builders.done.notify_all();
    }
}
