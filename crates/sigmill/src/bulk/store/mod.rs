//! The keys that an engine has seen, with the data on each: bounded memory, shared by threads.

mod budget;
mod builders;
mod container;
mod distinct;
mod entries;
mod known_key;
mod names;
mod saved_keys;
mod sketch;
mod slots;
mod stats;
mod tables;
#[cfg(test)]
mod tests;

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use crate::bulk::columns::{ParsedKey, RowKey};
use crate::bulk::forks::PerProcess;
use crate::bulk::plan::BlockCosts;
use crate::keys::{AnyPreparedKey, AnyVerifyingKey};
use crate::{CurveName, Error};
use budget::HEAP_BYTES;
use distinct::Distinct;
use names::Names;
use saved_keys::SavedKeys;
use sketch::FrequencySketch;
use tables::Tables;

pub use container::{LoadError, Loaded};
pub(super) use known_key::KnownKey;
pub use stats::KeyStoreStats;
pub(super) use tables::Admission;

/// The least memory of a store, in bytes: it counts distinct keys even if it may keep none. It is
/// too little for any table; a caller who gives no more wants nothing kept.
const LEAST_MEMORY: usize = 16 << 10;

/// The bytes of an empty store.
const OWN_BYTES: usize = size_of::<KeyStore>() + PerProcess::<Contents>::BYTES + 2 * HEAP_BYTES;

/// Parsed keys that come back, the most useful of them with tables. Any number of engines and
/// threads may share a store.
///
/// # Contents
/// - Encoded keys with their parsed form, so that they are parsed once: an eighth of the memory. A
///   key in several encodings is remembered under each, and has one table.
/// - Tables of multiples of the keys that are used most: all the remaining memory.
/// - Counts of how often keys came recently, for many more keys than are remembered: a count-min
///   sketch with ageing in a 64th of the memory, rounded up to a power of two. Another 64th counts
///   the distinct keys.
///
/// All of it is counted, slots and allocations too, and the sum never exceeds the memory given (or
/// 16 KiB, if that is more). Memory is allocated as it is used: any number may be given, and costs
/// nothing by itself. The memory that callers hold is not counted: a key in use while it is
/// forgotten. A table in use is not given up.
///
/// # Forks
/// The child of a process that forks has an empty store in place of its parent's, whose memory is
/// not freed. Engines that shared the store share the child's.
///
/// # Admission
/// The engine decides when a table is worth building. If memory is free, it is built. If other
/// tables must go for it, the coldest of some tables under a rotating hand are weighed against the
/// newcomer (TinyLFU, with tables of different sizes as in *Lightweight Robust Size Aware Cache
/// Management*, Einziger et al., 2022):
///
/// > what the key's table would have saved on its recent rows, less the cost of building it,
/// > must be more than what the tables that go have saved on theirs.
///
/// So keys that come once displace nothing, however many they are: one row never pays for a table,
/// and a key needs four rows more than the one that it displaces (P-256, window 4). The hash that
/// chooses counters is keyed with a random secret, so nobody can aim at those of a hot key; by
/// chance, one key in some two million looks as hot as the hot ones. The same sketch decides which
/// encoded keys are remembered. docs/key-store.md has the full description.
///
/// ```
/// use std::sync::Arc;
/// use sigmill::bulk::KeyStore;
/// use sigmill::{AnyVerifyingKey, CurveName};
///
/// # let hex = "0360fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6";
/// # let byte = |i: usize| u8::from_str_radix(&hex[2 * i..][..2], 16).unwrap();
/// # let bytes: Vec<u8> = (0..33).map(byte).collect();
/// let store = Arc::new(KeyStore::new(64 << 20));
/// let key = AnyVerifyingKey::from_sec1_bytes(CurveName::P256, &bytes)?;
/// store.pin(&key, 7)?;
/// assert_eq!(store.stats().pinned, 1);
/// assert_eq!(store.stats().table_bytes, 151_552);
///
/// let mut file = Vec::new();
/// store.save(&mut file)?;
/// let other = KeyStore::new(64 << 20);
/// assert_eq!(other.load(&file[..])?.keys, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct KeyStore {
    contents: PerProcess<Contents>,
    hasher: Hasher,
    limit: usize,
}

/// The contents of a store in one process.
struct Contents {
    names: Names,
    tables: Tables,
    frequency: FrequencySketch,
    distinct: Distinct,
    saved: SavedKeys,
}

/// The kind of data that is hashed: a key as it was written, or the key itself. So a name that
/// equals the store's own encoding of the key is counted separately.
#[derive(Clone, Copy)]
enum Kind {
    Name,
    Key,
}

/// The hash function of names and keys, with a secret unless a test chooses one.
enum Hasher {
    Random(RandomState),
    #[cfg(test)]
    Seeded(u64),
}

impl KeyStore {
    /// Creates an empty store that uses at most `memory` bytes, or 16 KiB if that is more. With
    /// 16 KiB or less it keeps nothing, and only counts distinct keys.
    #[must_use]
    pub fn new(memory: usize) -> Self {
        Self::with_hasher(memory, Hasher::Random(RandomState::new()))
    }

    fn with_hasher(memory: usize, hasher: Hasher) -> Self {
        let limit = memory.max(LEAST_MEMORY);
        Self {
            contents: PerProcess::with(Contents::new(limit)),
            hasher,
            limit,
        }
    }

    /// Returns the contents of the store in this process.
    fn contents(&self) -> &Contents {
        self.contents.get_or_make(|| Contents::new(self.limit))
    }

    /// Returns true if there is memory for more than counts of distinct keys. Otherwise a key is
    /// new each time, and nothing checks how often it came.
    fn keeps(&self) -> bool {
        self.limit > LEAST_MEMORY
    }

    /// Builds the table of a key now, with this window (1 to 11 bits), and keeps it until
    /// [`unpin`](Self::unpin). The coldest tables are displaced for it, whatever they are worth. If
    /// the key has a table with a wider window, that table stays.
    ///
    /// # Errors
    /// [`Error::WindowOutOfRange`]; [`Error::StoreMemory`] if the table does not fit next to the
    /// other pinned ones and those in use at this moment.
    pub fn pin(&self, key: &AnyVerifyingKey, window: u32) -> Result<(), Error> {
        let known = self.known(key);
        let contents = self.contents();
        contents.tables.pin(&known, window, &contents.frequency)
    }

    /// Removes the pin of a key and returns true if it had one. Its table stays, like that of any
    /// other key.
    pub fn unpin(&self, key: &AnyVerifyingKey) -> bool {
        self.contents().tables.unpin(self.hash_of(key), key)
    }

    /// Returns counts of the work so far, and of what is held now.
    pub fn stats(&self) -> KeyStoreStats {
        let contents = self.contents();
        let fixed = OWN_BYTES + contents.frequency.memory_bytes() + contents.names.fixed_bytes();
        let mut stats = KeyStoreStats {
            bytes_limit: self.limit as u64,
            ..KeyStoreStats::default()
        };
        contents.names.count_in(&mut stats);
        contents.tables.count_in(&mut stats);
        (stats.distinct_keys, stats.distinct_keys_saturated) = contents.distinct.count();
        stats.bytes_used += (fixed + contents.distinct.memory_bytes()) as u64;
        stats
    }

    /// Returns the key of these bytes on this curve, parsed if it is not remembered.
    ///
    /// # Errors
    /// Those of [`AnyVerifyingKey::from_encoded`].
    pub(super) fn lookup(&self, curve: CurveName, encoded: &[u8]) -> Result<Arc<KnownKey>, Error> {
        self.look_up(curve, encoded, || {
            AnyVerifyingKey::from_encoded(Some(curve), encoded)
        })
    }

    /// Returns the known key of a parsed key that must be on this curve. It is looked up, and
    /// remembered, under the name of its uncompressed SEC 1 point.
    ///
    /// # Errors
    /// [`Error::KeyCurveMismatch`].
    fn lookup_parsed(
        &self,
        expected: CurveName,
        key: &AnyVerifyingKey,
    ) -> Result<Arc<KnownKey>, Error> {
        let actual = key.curve();
        if actual != expected {
            return Err(Error::KeyCurveMismatch { expected, actual });
        }
        self.look_up(actual, &key.to_sec1_bytes(false), || Ok(*key))
    }

    /// Returns the key of these bytes, which `parse` returns if it is not remembered.
    fn look_up(
        &self,
        curve: CurveName,
        encoded: &[u8],
        parse: impl FnOnce() -> Result<AnyVerifyingKey, Error>,
    ) -> Result<Arc<KnownKey>, Error> {
        let name = self.hash(Kind::Name, curve, encoded);
        let (known, came) = self.remembered(name, curve, encoded);
        if let Some(known) = known {
            return Ok(known);
        }
        let key = parse()?;
        let hash = self.hash_of(&key);
        self.contents().distinct.note(&[hash]);
        Ok(self.remember(name, curve, encoded, key, hash, came))
    }

    /// Returns the hash of a row's key: of its name if it is encoded, of the key itself otherwise.
    pub(super) fn hash_of_row_key(&self, key: &RowKey<'_>) -> u64 {
        match *key {
            RowKey::Encoded(curve, bytes) => {
                self.hash(Kind::Name, curve, bytes.unwrap_or_default())
            }
            RowKey::Parsed(_, ParsedKey(key)) => self.hash_of(key),
        }
    }

    /// Returns the key of a row.
    ///
    /// # Errors
    /// [`Error::KeyNull`]; those of [`AnyVerifyingKey::from_encoded`].
    pub(super) fn lookup_key(&self, key: &RowKey<'_>) -> Result<Arc<KnownKey>, Error> {
        match *key {
            RowKey::Encoded(curve, Some(bytes)) => self.lookup(curve, bytes),
            RowKey::Encoded(_, None) => Err(Error::KeyNull),
            RowKey::Parsed(curve, ParsedKey(key)) => self.lookup_parsed(curve, key),
        }
    }

    /// Looks up many keys as [`lookup_key`](Self::lookup_key) does, with the hash of each
    /// ([`hash_of_row_key`](Self::hash_of_row_key)). Puts them into `found`, and returns the places
    /// and errors of those that are not keys. Encoded ones that are not remembered are parsed side
    /// by side.
    ///
    /// Counters that are not in a cache are prefetched, so that no key waits for them: each has
    /// four by its name and four by itself.
    pub(super) fn lookup_many(
        &self,
        keys: &[RowKey<'_>],
        hashes: &[u64],
        found: &mut [Option<Arc<KnownKey>>],
    ) -> Vec<(usize, Error)> {
        let frequency = &self.contents().frequency;
        hashes.iter().for_each(|&name| frequency.prefetch(name));
        let (mut new, mut names, mut errors) = (vec![], vec![], vec![]);
        for (i, (key, &name)) in keys.iter().zip(hashes).enumerate() {
            let RowKey::Encoded(curve, Some(bytes)) = *key else {
                match self.lookup_key(key) {
                    Ok(known) => found[i] = Some(known),
                    Err(error) => errors.push((i, error)),
                }
                continue;
            };
            let (known, came) = self.remembered(name, curve, bytes);
            if known.is_none() {
                if new.is_empty() {
                    new.reserve_exact(keys.len() - i);
                    names.reserve_exact(keys.len() - i);
                }
                new.push((curve, bytes));
                names.push((i, name, came));
            }
            found[i] = known;
        }
        let keys = AnyVerifyingKey::from_encoded_many(&new);
        let mut hashes = Vec::with_capacity(keys.len());
        for key in keys.iter().flatten() {
            let hash = self.hash_of(key);
            frequency.prefetch(hash);
            hashes.push(hash);
        }
        self.contents().distinct.note(&hashes);
        let mut hashes = hashes.into_iter();
        for ((key, (curve, bytes)), (i, name, came)) in keys.into_iter().zip(new).zip(names) {
            match key {
                Ok(key) => {
                    let Some(hash) = hashes.next() else {
                        unreachable!("every key that was parsed has a hash");
                    };
                    found[i] = Some(self.remember(name, curve, bytes, key, hash, came));
                }
                Err(error) => errors.push((i, error)),
            }
        }
        errors
    }

    /// Returns the key of a name, if it is remembered, and how often the name came recently,
    /// including this time.
    fn remembered(
        &self,
        name: u64,
        curve: CurveName,
        encoded: &[u8],
    ) -> (Option<Arc<KnownKey>>, u32) {
        if !self.keeps() {
            self.contents().names.miss(name);
            return (None, 1);
        }
        let contents = self.contents();
        let found = contents.names.get(name, curve, encoded);
        (found, contents.frequency.add(name, 1))
    }

    /// Returns the known key for a name that was not remembered and came `came` times recently. The
    /// key was counted by its hash.
    ///
    /// Two encodings of one key may yield two known keys until the key has a table; both then find
    /// it, and their frequency is counted together.
    fn remember(
        &self,
        name: u64,
        curve: CurveName,
        encoded: &[u8],
        key: AnyVerifyingKey,
        hash: u64,
        came: u32,
    ) -> Arc<KnownKey> {
        if !self.keeps() {
            return Arc::new(KnownKey::new(key, hash, 0));
        }
        let contents = self.contents();
        let known = contents.tables.find(hash, &key).unwrap_or_else(|| {
            let rows_seen = u64::from(contents.frequency.estimate(hash));
            Arc::new(KnownKey::new(key, hash, rows_seen))
        });
        let Contents {
            names, frequency, ..
        } = contents;
        names.remember(name, curve, encoded, known, came, frequency)
    }

    /// Records that a key was used for this number of rows.
    pub(super) fn count_rows(&self, key: &KnownKey, rows: u32) {
        key.add_rows(rows);
        if self.keeps() {
            self.contents().frequency.add(key.hash(), rows);
        }
    }

    /// Returns the table that the key has now. While it is held, it is not given up.
    pub(super) fn table(&self, key: &Arc<KnownKey>) -> Option<Arc<AnyPreparedKey>> {
        if !self.keeps() {
            return None;
        }
        let find = || self.contents().tables.find(key.hash(), key.key())?.table();
        key.table().or_else(find)
    }

    /// Reserves room for a table of this window; other tables may go for it. Returns `None` if the
    /// memory is better used as it is, if the key has such a table by now, or if the window is not
    /// 1 to 11 bits.
    pub(super) fn admit(
        &self,
        key: &KnownKey,
        window: u32,
        costs: &BlockCosts,
    ) -> Option<Admission<'_>> {
        let contents = self.contents();
        contents
            .tables
            .admit(key, window, costs, &contents.frequency)
    }

    /// Returns the number of tables that are held.
    pub(super) fn table_count(&self) -> usize {
        self.contents().tables.count()
    }

    /// Returns the known key of a key that is in no row.
    fn known(&self, key: &AnyVerifyingKey) -> Arc<KnownKey> {
        let hash = self.hash_of(key);
        let found = self.contents().tables.find(hash, key);
        found.unwrap_or_else(|| Arc::new(KnownKey::new(*key, hash, 0)))
    }

    /// Returns the hash of a key, whatever its encoding.
    fn hash_of(&self, key: &AnyVerifyingKey) -> u64 {
        match &self.hasher {
            Hasher::Random(state) => state.hash_one((Kind::Key as u8, key.curve() as u8, key)),
            #[cfg(test)]
            Hasher::Seeded(_) => self.hash(Kind::Key, key.curve(), &key.to_sec1_bytes(true)),
        }
    }

    fn hash(&self, kind: Kind, curve: CurveName, bytes: &[u8]) -> u64 {
        match &self.hasher {
            Hasher::Random(state) => state.hash_one((kind as u8, curve as u8, bytes)),
            #[cfg(test)]
            Hasher::Seeded(seed) => tests::hash(*seed, kind as u64, curve as u64, bytes),
        }
    }
}

impl Contents {
    /// Creates the empty contents of a store of `limit` bytes.
    fn new(limit: usize) -> Self {
        let frequency = FrequencySketch::new((limit / 64).next_power_of_two().max(4 << 10));
        let distinct_bytes = (limit / 64).max(9 * 1024 + 64);
        let names_bytes = limit / 8;
        let names = Names::new(names_bytes);
        let fixed = OWN_BYTES + frequency.most_bytes() + names.fixed_bytes();
        let tables_bytes = limit.saturating_sub(fixed + distinct_bytes + names_bytes);
        Self {
            names,
            tables: Tables::new(tables_bytes),
            frequency,
            distinct: Distinct::new(distinct_bytes),
            saved: SavedKeys::default(),
        }
    }
}

impl fmt::Debug for KeyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyStore")
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}
