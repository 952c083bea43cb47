//! A key that the store has parsed.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, RwLock};

use super::budget::ARC_BYTES;
use crate::bulk::locks::{read, write};
use crate::ecdsa::{AnyPreparedKey, AnyVerifyingKey};

/// A key with what is known of it. It stays usable when the store has forgotten it.
pub(in crate::bulk) struct KnownKey {
    key: AnyVerifyingKey,
    hash: u64,
    sightings: AtomicU64,
    /// The sightings at which it may ask for a table again.
    ask_again: AtomicU64,
    table: RwLock<Option<Arc<AnyPreparedKey>>>,
}

impl KnownKey {
    /// The memory of one behind an `Arc`, in bytes.
    pub(super) const BYTES: usize = size_of::<Self>() + ARC_BYTES;

    pub(super) fn new(key: AnyVerifyingKey, hash: u64, sightings: u64) -> Self {
        Self {
            key,
            hash,
            sightings: AtomicU64::new(sightings),
            ask_again: AtomicU64::new(0),
            table: RwLock::default(),
        }
    }

    /// The key.
    pub(in crate::bulk) fn key(&self) -> &AnyVerifyingKey {
        &self.key
    }

    /// The hash of the key itself, however it was encoded.
    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    /// The rows that it was used for since the store knows it, beginning with an estimate of those
    /// before, if it was known and forgotten.
    pub(in crate::bulk) fn sightings(&self) -> u64 {
        self.sightings.load(Relaxed)
    }

    pub(super) fn add_sightings(&self, rows: u32) {
        self.sightings.fetch_add(u64::from(rows), Relaxed);
    }

    /// Whether it may ask for a table: after a refusal it waits for some more rows, as asking takes
    /// a lock that others wait for.
    pub(super) fn may_ask(&self) -> bool {
        self.sightings() >= self.ask_again.load(Relaxed)
    }

    /// Makes it wait for so many rows.
    pub(super) fn wait(&self, rows: u32) {
        let until = self.sightings().saturating_add(u64::from(rows));
        self.ask_again.store(until, Relaxed);
    }

    pub(super) fn table(&self) -> Option<Arc<AnyPreparedKey>> {
        read(&self.table).clone()
    }

    /// Gives the key another table and returns the one it had.
    pub(super) fn replace_table(&self, table: Arc<AnyPreparedKey>) -> Option<Arc<AnyPreparedKey>> {
        write(&self.table).replace(table)
    }

    /// Whether it has a table that nobody is using.
    pub(super) fn table_is_idle(&self) -> bool {
        matches!(&*read(&self.table), Some(table) if Arc::strong_count(table) == 1)
    }

    /// Takes the table away if nobody is using it: then it is the only reference, and memory is
    /// free as soon as it is dropped. Under the lock nobody can get another one.
    pub(super) fn take_idle_table(&self) -> Option<Arc<AnyPreparedKey>> {
        write(&self.table).take_if(|table| Arc::strong_count(table) == 1)
    }
}
