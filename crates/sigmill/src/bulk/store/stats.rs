//! What a store has done and what it holds.

/// What a [`KeyStore`](super::KeyStore) has done so far and what it holds now. Counts of other
/// threads' work may lag behind by a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyStoreStats {
    /// Lookups of a key that was remembered.
    pub hits: u64,
    /// Lookups of a key that was not: one that came encoded was parsed.
    pub misses: u64,
    /// Tables built because a key came back, or grown to a wider window.
    pub promotions: u64,
    /// Tables given up for those of hotter keys.
    pub evictions: u64,
    /// Tables asked for and not built, because the memory is better used as it is.
    pub refused: u64,
    /// Encoded keys that are remembered now.
    pub keys: u64,
    /// Tables that are held now.
    pub tables: u64,
    /// Tables among them that are pinned.
    pub pinned: u64,
    /// The memory of the points of these tables, in bytes.
    pub table_bytes: u64,
    /// All memory of the store, in bytes.
    pub bytes_used: u64,
    /// The memory that the store may take, in bytes.
    pub bytes_limit: u64,
    /// Different usable keys that were looked up, however encoded.
    pub distinct_keys: u64,
    /// Whether there were more keys than are counted: then `distinct_keys` is a lower bound.
    pub distinct_keys_saturated: bool,
}
