//! Unit tests of the store, with hashes of a fixed seed: the same in every run.

mod memory;
mod names;
mod pins;
mod policy;
mod threads;

use super::*;
use crate::bulk::locks::read;
use crate::bulk::plan::{Costs, Speed};
use crate::curve::{AffinePoint, Curve, P256};
use crate::field::PrimeField;
use crate::keys::VerifyingKey;

/// The seed of hashes that are all equal.
const SAME_HASHES: u64 = u64::MAX;

/// Returns a hash that is the same in every run and with every compiler.
pub(super) fn hash(seed: u64, kind: u64, curve: u64, bytes: &[u8]) -> u64 {
    if seed == SAME_HASHES {
        return 1;
    }
    let start = seed + (kind << 8) + (curve << 16);
    let mixed = bytes.iter().fold(start, |hash, &byte| {
        let z = (hash ^ u64::from(byte)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z ^ (z >> 29)
    });
    mixed.wrapping_mul(0x94d0_49bb_1331_11eb) ^ mixed.rotate_left(31)
}

impl KeyStore {
    fn tables(&self) -> &tables::Tables {
        &self.contents().tables
    }

    /// Returns the bytes of tables that are held and not replaced.
    fn held_bytes(&self) -> usize {
        let entries = read(&self.tables().entries);
        entries.slots.iter().map(|held| held.bytes).sum()
    }

    /// Returns a table of at least this window, built if the store agrees.
    fn promote(&self, key: &Arc<KnownKey>, window: u32) -> Option<Arc<AnyPreparedKey>> {
        let has = || self.table(key).filter(|table| table.window() >= window);
        has().or_else(|| match self.admit(key, window, fixed_costs()) {
            Some(admission) => admission.build(key),
            // It may have come in between.
            None => has(),
        })
    }
}

/// The costs of single calls at a fixed speed.
fn fixed_costs() -> &'static BlockCosts {
    Costs::at(Speed::Fixed).in_block(1)
}

fn seeded(memory: usize) -> KeyStore {
    KeyStore::with_hasher(memory, Hasher::Seeded(7))
}

fn hex(digits: &str) -> Vec<u8> {
    (0..digits.len() / 2)
        .map(|i| u8::from_str_radix(&digits[2 * i..][..2], 16).unwrap())
        .collect()
}

/// G of P-256 as a key.
fn generator() -> VerifyingKey<P256> {
    let g = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";
    VerifyingKey::from_sec1_bytes(&hex(g)).unwrap()
}

/// Returns the keys d G of P-256 for `count` different d, as uncompressed SEC 1 points.
fn points(count: usize) -> Vec<Vec<u8>> {
    let prepared = generator().prepare_with_window(10).unwrap();
    let encode = |point: &AffinePoint<_>| {
        let mut bytes = vec![4; 65];
        let (x, y) = bytes[1..].split_at_mut(32);
        P256.base_field().write_be_bytes(&point.x, x);
        P256.base_field().write_be_bytes(&point.y, y);
        bytes
    };
    let points: Vec<_> = prepared.rows().flatten().take(count).map(encode).collect();
    assert_eq!(points.len(), count);
    points
}

/// Creates a store whose memory for tables is that of `tables` tables of P-256 with this window,
/// and less than one more.
fn store_for(tables: usize, window: u32) -> KeyStore {
    let bytes = AnyVerifyingKey::from(generator()).table_bytes(window);
    let cost = tables::table_cost(bytes.unwrap());
    let mut memory = tables * cost;
    while seeded(memory).tables().budget.limit() < tables * cost {
        memory += 1 << 10;
    }
    let store = seeded(memory);
    assert!(store.tables().budget.limit() < (tables + 1) * cost);
    store
}

/// Looks up a key, records `rows` rows, and asks for a table.
fn use_key(store: &KeyStore, encoded: &[u8], rows: u32, window: u32) -> Option<u32> {
    let known = store.lookup(CurveName::P256, encoded).unwrap();
    store.count_rows(&known, rows);
    store.promote(&known, window).map(|table| table.window())
}

/// Returns the window of a key's table.
fn window_of(store: &KeyStore, encoded: &[u8]) -> Option<u32> {
    let known = store.lookup(CurveName::P256, encoded).unwrap();
    store.table(&known).map(|table| table.window())
}

#[track_caller]
fn assert_within(store: &KeyStore) {
    let stats = store.stats();
    assert!(stats.bytes_used <= stats.bytes_limit, "{stats:?}");
    assert!(stats.table_bytes <= stats.bytes_used, "{stats:?}");
}
