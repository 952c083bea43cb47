//! The keys that an engine has seen, with what it knows of each: bounded memory, shared by
//! threads.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use crate::ecdsa::{AnyPreparedKey, AnyVerifyingKey};
use crate::{CurveName, Error};

/// How many keys without a table are remembered; a key that is forgotten is parsed again.
const REMEMBERED_KEYS: usize = 1 << 16;

/// The longest encoding that is remembered, in bytes. Every usual one is shorter; a longer one
/// (a JWK with a certificate chain, say) is parsed at each row.
const LONGEST_REMEMBERED: usize = 4096;

/// How many different keys are counted before the count stops.
const COUNTED_KEYS: usize = 1 << 20;

/// A key in the store.
pub(super) struct KnownKey {
    key: AnyVerifyingKey,
    sightings: AtomicU32,
    prepared: OnceLock<AnyPreparedKey>,
}

/// How a key is to be used now.
pub(super) enum Use<'a> {
    Fresh(&'a AnyVerifyingKey),
    Prepared(&'a AnyPreparedKey),
}

type Keys = HashMap<CurveName, HashMap<Box<[u8]>, Arc<KnownKey>>>;

/// The store: encoded keys to what is known of them.
///
/// A table is built when a key is seen for the `promote_at`-th time and the memory for tables is
/// not used up; tables stay until the store is dropped. When more than [`REMEMBERED_KEYS`] keys
/// are remembered without a table, these are forgotten, so that a flood of keys that are used once
/// costs neither memory nor the tables of the others.
pub(super) struct KeyStore {
    keys: RwLock<Keys>,
    window: u32,
    promote_at: u32,
    memory: usize,
    table_bytes: AtomicUsize,
    tables_built: AtomicU64,
    counted: Mutex<HashSet<u64>>,
    hasher: RandomState,
}

impl KeyStore {
    pub(super) fn new(window: u32, promote_at: u32, memory: usize) -> Self {
        Self {
            keys: RwLock::default(),
            window,
            promote_at,
            memory,
            table_bytes: AtomicUsize::new(0),
            tables_built: AtomicU64::new(0),
            counted: Mutex::default(),
            hasher: RandomState::new(),
        }
    }

    /// The memory that the tables take now, in bytes.
    pub(super) fn table_bytes(&self) -> u64 {
        self.table_bytes.load(Relaxed) as u64
    }

    /// How many tables were built.
    pub(super) fn tables_built(&self) -> u64 {
        self.tables_built.load(Relaxed)
    }

    /// How many different usable keys came by, and whether there were more than are counted.
    pub(super) fn distinct_keys(&self) -> (u64, bool) {
        let counted = self
            .counted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len();
        (counted as u64, counted == COUNTED_KEYS)
    }

    /// The key of these bytes on this curve, parsed at the first sight.
    ///
    /// A panic in another thread leaves the maps whole, as every change is one call: so a poisoned
    /// lock is taken all the same.
    pub(super) fn get(&self, curve: CurveName, bytes: &[u8]) -> Result<Arc<KnownKey>, Error> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = keys.get(&curve).and_then(|keys| keys.get(bytes)) {
            return Ok(known.clone());
        }
        drop(keys);
        let key = AnyVerifyingKey::from_encoded(Some(curve), bytes)?;
        self.count(&key);
        let known = Arc::new(KnownKey {
            key,
            sightings: AtomicU32::new(0),
            prepared: OnceLock::new(),
        });
        if bytes.len() > LONGEST_REMEMBERED {
            return Ok(known);
        }
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        let keys = keys.entry(curve).or_default();
        if keys.len() >= REMEMBERED_KEYS + self.tables_built() as usize {
            keys.retain(|_, known| known.prepared.get().is_some());
        }
        Ok(keys.entry(Box::from(bytes)).or_insert(known).clone())
    }

    /// Notes a key that was parsed. Two keys with one 64-bit hash count as one.
    fn count(&self, key: &AnyVerifyingKey) {
        let hash = self.hasher.hash_one((key.curve(), key.to_sec1_bytes(true)));
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.len() < COUNTED_KEYS {
            counted.insert(hash);
        }
    }

    /// Decides how a key is used for one more signature, and builds its table when it is worth it.
    pub(super) fn choose<'a>(&self, known: &'a KnownKey) -> Use<'a> {
        if let Some(prepared) = known.prepared.get() {
            return Use::Prepared(prepared);
        }
        // One caller meets the number at which the table is built; the others go on without.
        let sightings = known.sightings.fetch_add(1, Relaxed).saturating_add(1);
        if sightings == self.promote_at
            && let Some(prepared) = self.build(&known.key)
        {
            return Use::Prepared(known.prepared.get_or_init(|| prepared));
        }
        Use::Fresh(&known.key)
    }

    fn build(&self, key: &AnyVerifyingKey) -> Option<AnyPreparedKey> {
        let bytes = key.table_bytes(self.window).ok()?;
        let reserve = |used: usize| used.checked_add(bytes).filter(|&sum| sum <= self.memory);
        self.table_bytes
            .fetch_update(Relaxed, Relaxed, reserve)
            .ok()?;
        self.tables_built.fetch_add(1, Relaxed);
        key.prepare(self.window).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // G, 2G and the x-coordinate of no point, compressed.
    const G: &str = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";
    const TWO_G: &str = "037cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978";

    fn bytes(digits: &str) -> Vec<u8> {
        (0..digits.len())
            .step_by(2)
            .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap())
            .collect()
    }

    fn is_prepared(store: &KeyStore, key: &str) -> bool {
        let known = store.get(CurveName::P256, &bytes(key)).unwrap();
        matches!(store.choose(&known), Use::Prepared(_))
    }

    #[test]
    fn a_key_that_comes_back_gets_a_table_at_its_number() {
        let store = KeyStore::new(4, 3, usize::MAX);
        assert_eq!(
            [0; 5].map(|_| is_prepared(&store, G)),
            [false, false, true, true, true]
        );
        assert!(!is_prepared(&store, TWO_G));
        assert_eq!(store.tables_built(), 1);
        assert_eq!(store.table_bytes(), 65 * 8 * 64);
        assert_eq!(store.distinct_keys(), (2, false));
    }

    #[test]
    fn tables_stop_where_the_memory_stops() {
        let store = KeyStore::new(4, 1, 65 * 8 * 64);
        assert!(is_prepared(&store, G));
        assert!(!is_prepared(&store, TWO_G));
        assert_eq!(store.tables_built(), 1);
    }

    #[test]
    fn unusable_keys_are_errors_and_not_counted() {
        let store = KeyStore::new(4, 1, 0);
        assert_eq!(store.get(CurveName::P256, &[]).err(), Some(Error::KeyEmpty));
        assert_eq!(
            store.get(CurveName::P256, &[9; 33]).err(),
            Some(Error::KeyEncodingUnknown)
        );
        assert_eq!(store.distinct_keys(), (0, false));
    }
}
