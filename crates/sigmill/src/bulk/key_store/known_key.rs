//! A key that the store has parsed.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};

use crate::ecdsa::{AnyPreparedKey, AnyVerifyingKey};

/// A key with what is known of it. It stays usable when the store has forgotten it.
pub(in crate::bulk) struct KnownKey {
    key: AnyVerifyingKey,
    sightings: AtomicU64,
    table: RwLock<Option<Arc<AnyPreparedKey>>>,
}

impl KnownKey {
    pub(super) fn new(key: AnyVerifyingKey) -> Self {
        Self {
            key,
            sightings: AtomicU64::new(0),
            table: RwLock::default(),
        }
    }

    /// The key.
    pub(in crate::bulk) fn key(&self) -> &AnyVerifyingKey {
        &self.key
    }

    /// The rows that it was used for, as far as the store remembers.
    pub(in crate::bulk) fn sightings(&self) -> u64 {
        self.sightings.load(Relaxed)
    }

    pub(super) fn add_sightings(&self, rows: u32) {
        self.sightings.fetch_add(u64::from(rows), Relaxed);
    }

    pub(super) fn table(&self) -> Option<Arc<AnyPreparedKey>> {
        self.table
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Gives the key another table and returns the one it had.
    pub(super) fn replace_table(
        &self,
        table: Option<Arc<AnyPreparedKey>>,
    ) -> Option<Arc<AnyPreparedKey>> {
        let mut slot = self.table.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut slot, table)
    }
}
