//! A key that the store has parsed.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, RwLock};

use super::budget::ARC_BYTES;
use crate::bulk::locks::{read, write};
use crate::keys::{AnyPreparedKey, AnyVerifyingKey};

/// A key with the data that the store has on it. It stays usable when the store has forgotten it.
pub(in crate::bulk) struct KnownKey {
    key: AnyVerifyingKey,
    hash: u64,
    rows_seen: AtomicU64,
    /// The number of rows seen from which on it may ask for a table again.
    ask_again: AtomicU64,
    table: RwLock<Option<Arc<AnyPreparedKey>>>,
}

impl KnownKey {
    /// The memory of a known key behind an `Arc`, in bytes.
    pub(super) const BYTES: usize = size_of::<Self>() + ARC_BYTES;

    pub(super) fn new(key: AnyVerifyingKey, hash: u64, rows_seen: u64) -> Self {
        Self {
            key,
            hash,
            rows_seen: AtomicU64::new(rows_seen),
            ask_again: AtomicU64::new(0),
            table: RwLock::default(),
        }
    }

    /// Returns the key.
    pub(in crate::bulk) fn key(&self) -> &AnyVerifyingKey {
        &self.key
    }

    /// Returns the hash of the key itself, whatever its encoding.
    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns the number of rows that it was used for while the store knows it. If it was known
    /// and forgotten before, the count begins with an estimate of the earlier rows.
    pub(in crate::bulk) fn rows_seen(&self) -> u64 {
        self.rows_seen.load(Relaxed)
    }

    pub(super) fn add_rows(&self, rows: u32) {
        self.rows_seen.fetch_add(u64::from(rows), Relaxed);
    }

    /// Returns true if it may ask for a table. After a refusal it waits for some more rows, as
    /// asking needs a lock that others wait for.
    pub(super) fn may_ask(&self) -> bool {
        self.rows_seen() >= self.ask_again.load(Relaxed)
    }

    /// Makes it wait for this number of rows.
    pub(super) fn wait(&self, rows: u32) {
        let until = self.rows_seen().saturating_add(u64::from(rows));
        self.ask_again.store(until, Relaxed);
    }

    pub(super) fn table(&self) -> Option<Arc<AnyPreparedKey>> {
        read(&self.table).clone()
    }

    /// Sets another table and returns the previous one.
    pub(super) fn replace_table(&self, table: Arc<AnyPreparedKey>) -> Option<Arc<AnyPreparedKey>> {
        write(&self.table).replace(table)
    }

    /// Returns true if it has a table that nobody is using.
    pub(super) fn table_is_idle(&self) -> bool {
        matches!(&*read(&self.table), Some(table) if Arc::strong_count(table) == 1)
    }

    /// Takes the table away if nobody is using it. The result is then the only reference, so the
    /// memory is free as soon as it is dropped. Under the lock nobody can get another one.
    pub(super) fn take_idle_table(&self) -> Option<Arc<AnyPreparedKey>> {
        write(&self.table).take_if(|table| Arc::strong_count(table) == 1)
    }
}
