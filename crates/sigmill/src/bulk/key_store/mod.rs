//! The keys that an engine has seen, with what it knows of each: bounded memory, shared by
//! threads.

mod known_key;
mod stats;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::ecdsa::{AnyPreparedKey, AnyVerifyingKey};
use crate::{CurveName, Error};

pub(super) use known_key::KnownKey;
pub use stats::KeyStoreStats;

/// How many keys without a table are remembered; a key that is forgotten is parsed again.
const REMEMBERED_KEYS: usize = 1 << 16;

/// The longest encoding that is remembered, in bytes. Every usual one is shorter; a longer one
/// (a JWK with a certificate chain, say) is parsed at each row.
const LONGEST_REMEMBERED: usize = 4096;

/// How many different keys are counted before the count stops.
const COUNTED_KEYS: usize = 1 << 20;

type Keys = HashMap<CurveName, HashMap<Box<[u8]>, Arc<KnownKey>>>;

/// The store: encoded keys to what is known of them.
///
/// When more than [`REMEMBERED_KEYS`] keys are remembered without a table, these are forgotten, so
/// that a flood of keys that are used once costs neither memory nor the tables of the others.
pub struct KeyStore {
    keys: RwLock<Keys>,
    memory: usize,
    table_bytes: AtomicUsize,
    hits: AtomicU64,
    misses: AtomicU64,
    promotions: AtomicU64,
    refused: AtomicU64,
    counted: Mutex<HashSet<u64>>,
    hasher: RandomState,
}

impl KeyStore {
    /// A store that takes at most so many bytes.
    #[must_use]
    pub fn new(memory: usize) -> Self {
        Self {
            keys: RwLock::default(),
            memory,
            table_bytes: AtomicUsize::new(0),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            promotions: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            counted: Mutex::default(),
            hasher: RandomState::new(),
        }
    }

    /// What was done so far, and what is held now.
    pub fn stats(&self) -> KeyStoreStats {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        let keys = keys.values().map(HashMap::len).sum::<usize>() as u64;
        let distinct = self
            .counted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len();
        let table_bytes = self.table_bytes.load(Relaxed) as u64;
        let promotions = self.promotions.load(Relaxed);
        KeyStoreStats {
            hits: self.hits.load(Relaxed),
            misses: self.misses.load(Relaxed),
            promotions,
            refused: self.refused.load(Relaxed),
            keys,
            tables: promotions,
            table_bytes,
            bytes_used: table_bytes,
            bytes_limit: self.memory as u64,
            distinct_keys: distinct as u64,
            distinct_keys_saturated: distinct == COUNTED_KEYS,
            ..KeyStoreStats::default()
        }
    }

    /// The key of these bytes on this curve, parsed at the first sight.
    ///
    /// A panic in another thread leaves the maps whole, as every change is one call: so a poisoned
    /// lock is taken all the same.
    pub(super) fn lookup(&self, curve: CurveName, encoded: &[u8]) -> Result<Arc<KnownKey>, Error> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = keys.get(&curve).and_then(|keys| keys.get(encoded)) {
            self.hits.fetch_add(1, Relaxed);
            return Ok(known.clone());
        }
        drop(keys);
        self.misses.fetch_add(1, Relaxed);
        let key = AnyVerifyingKey::from_encoded(Some(curve), encoded)?;
        self.count(&key);
        let known = Arc::new(KnownKey::new(key));
        if encoded.len() > LONGEST_REMEMBERED {
            return Ok(known);
        }
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        let keys = keys.entry(curve).or_default();
        if keys.len() >= REMEMBERED_KEYS + self.promotions.load(Relaxed) as usize {
            keys.retain(|_, known| known.table().is_some());
        }
        Ok(keys.entry(Box::from(encoded)).or_insert(known).clone())
    }

    /// Notes a key that was parsed. Two keys with one 64-bit hash count as one.
    fn count(&self, key: &AnyVerifyingKey) {
        let hash = self.hasher.hash_one((key.curve(), key.to_sec1_bytes(true)));
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.len() < COUNTED_KEYS {
            counted.insert(hash);
        }
    }

    /// Notes that a key was used for so many rows.
    pub(super) fn sight(&self, key: &Arc<KnownKey>, rows: u32) {
        key.add_sightings(rows);
    }

    /// The table that the key has now.
    pub(super) fn table(&self, key: &Arc<KnownKey>) -> Option<Arc<AnyPreparedKey>> {
        key.table()
    }

    /// A table of at least this window, built if need be; `None` when it is not worth its memory,
    /// when another thread is building it, or when the window is not 1 to 11 bits.
    pub(super) fn promote(&self, key: &Arc<KnownKey>, window: u32) -> Option<Arc<AnyPreparedKey>> {
        if let Some(table) = key.table()
            && table.window() >= window
        {
            return Some(table);
        }
        let bytes = key.key().table_bytes(window).ok()?;
        let reserve = |used: usize| used.checked_add(bytes).filter(|&sum| sum <= self.memory);
        if self
            .table_bytes
            .fetch_update(Relaxed, Relaxed, reserve)
            .is_err()
        {
            self.refused.fetch_add(1, Relaxed);
            return None;
        }
        let table = Arc::new(key.key().prepare(window).ok()?);
        self.promotions.fetch_add(1, Relaxed);
        if let Some(old) = key.replace_table(Some(table.clone())) {
            self.table_bytes.fetch_sub(old.memory_bytes(), Relaxed);
        }
        Some(table)
    }
}

impl fmt::Debug for KeyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyStore")
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}
