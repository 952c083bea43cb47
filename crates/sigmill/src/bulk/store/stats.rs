//! Counts of a store's work and contents.

/// Counts of the work that a [`KeyStore`](super::KeyStore) has done so far, and of what it holds
/// now. Counts of other threads' work may lag behind by a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyStoreStats {
    /// Lookups of a key that was remembered.
    pub hits: u64,
    /// Lookups of a key that was not remembered. An encoded key was parsed.
    pub misses: u64,
    /// Tables built because a key came back, grown to a wider window, or built by
    /// [`load`](super::KeyStore::load).
    pub promotions: u64,
    /// Tables displaced by those of hotter keys.
    pub evictions: u64,
    /// Tables requested and not built, because the memory is better used as it is.
    pub refused: u64,
    /// Encoded keys that are remembered now.
    pub keys: u64,
    /// Tables that are held now.
    pub tables: u64,
    /// Pinned tables among them.
    pub pinned: u64,
    /// The memory of the points of these tables, in bytes.
    pub table_bytes: u64,
    /// All memory of the store, in bytes.
    pub bytes_used: u64,
    /// The memory that the store may use, in bytes.
    pub bytes_limit: u64,
    /// Distinct usable keys that were looked up, whatever their encodings.
    pub distinct_keys: u64,
    /// True if there were more keys than a 64th of the memory holds hashes of (229,376 at 256 MiB):
    /// then `distinct_keys` is a lower bound.
    pub distinct_keys_saturated: bool,
}
