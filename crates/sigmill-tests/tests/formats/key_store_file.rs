//! A saved key store: reading returns what was written, and every change is refused with the rule
//! that it breaks.

use std::io::{self, Read, Write};

use sha2::{Digest, Sha256};
use sigmill::bulk::{KeyStore, LoadError, Loaded};
use sigmill::{AnyVerifyingKey, CurveName, Error};
use sigmill_tests::numbers::big;
use sigmill_tests::referee::Referee;
use sigmill_tests::rounds;

const HEADER: usize = 16;
const ENTRY: usize = 9;

fn keys(curve: CurveName, count: u64) -> Vec<AnyVerifyingKey> {
    let referee = Referee::new(curve);
    let point = |d| referee.generator_multiple(&big(d));
    (1..=count)
        .map(|d| AnyVerifyingKey::from_sec1_bytes(curve, &point(d)).unwrap())
        .collect()
}

/// A store with two tables of P-256 and one of P-384; the second and the third are pinned.
fn saved() -> (Vec<AnyVerifyingKey>, Vec<u8>) {
    let store = KeyStore::new(1 << 20);
    let mut keys = keys(CurveName::P256, 2);
    keys.push(self::keys(CurveName::P384, 1)[0]);
    for (key, window) in keys.iter().zip([2, 4, 1]) {
        store.pin(key, window).unwrap();
    }
    assert!(store.unpin(&keys[0]));
    let mut bytes = vec![];
    assert_eq!(store.save(&mut bytes).unwrap(), 3);
    (keys, bytes)
}

/// The content with a correct checksum.
fn sealed(content: &[u8]) -> Vec<u8> {
    [content, &Sha256::digest(content)[..]].concat()
}

fn load_into(store: &KeyStore, bytes: &[u8]) -> Result<Loaded, Error> {
    store.load(bytes).map_err(|error| match error {
        LoadError::Invalid(error) => error,
        other => panic!("{other}"),
    })
}

/// The error for a bad saved store, which must leave the reading store unchanged.
#[track_caller]
fn refusal(bytes: &[u8]) -> Error {
    let store = KeyStore::new(1 << 20);
    let before = store.stats();
    let error = load_into(&store, bytes).unwrap_err();
    assert_eq!(store.stats(), before);
    error
}

/// The start of each entry: its flag, frequency, length and table.
fn entries(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![];
    let mut at = HEADER;
    while at < bytes.len() - 32 {
        starts.push(at);
        let length = bytes[at + 5..at + 9].try_into().unwrap();
        at += ENTRY + u32::from_be_bytes(length) as usize;
    }
    assert_eq!(at, bytes.len() - 32);
    starts
}

#[test]
fn what_was_saved_is_loaded() {
    let (keys, bytes) = saved();
    assert_eq!(bytes[..HEADER], *b"sigmkst\0\0\x01\0\0\0\0\0\x03");
    let store = KeyStore::new(1 << 20);
    let loaded = load_into(&store, &bytes).unwrap();
    assert_eq!((loaded.tables, loaded.skipped), (3, 0));
    let stats = store.stats();
    assert_eq!((stats.tables, stats.pinned), (3, 0));
    assert_eq!(stats.table_bytes, 16_512 + 33_280 + 36_960);
    assert!(stats.bytes_used <= stats.bytes_limit);
    // A new save is equal except for the order of equally hot keys; loading twice changes nothing.
    load_into(&store, &bytes).unwrap();
    assert_eq!(store.stats(), stats);
    let mut again = vec![];
    store.save(&mut again).unwrap();
    assert_eq!(again.len(), bytes.len());
    load_into(&KeyStore::new(1 << 20), &again).unwrap();
    // A new pin finds its table, and no other key is pinned.
    store.pin(&keys[2], 1).unwrap();
    assert_eq!(store.stats().promotions, 0);
    for (key, pinned) in keys.iter().zip([false, false, true]) {
        assert_eq!(store.unpin(key), pinned);
    }
}

/// An attacker who can write the file cannot occupy the memory: tables marked as pinned can be
/// evicted.
#[test]
fn a_file_pins_nothing() {
    let keys = keys(CurveName::P256, 12);
    let full = KeyStore::new(190 << 10);
    let pinned = keys[..11].iter();
    let pinned = pinned.take_while(|key| full.pin(key, 3).is_ok()).count() as u64;
    assert!((4..9).contains(&pinned));
    let mut bytes = vec![];
    assert_eq!(full.save(&mut bytes).unwrap(), pinned);
    for start in entries(&bytes) {
        assert_eq!(bytes[start], 1);
    }
    let store = KeyStore::new(190 << 10);
    assert_eq!(load_into(&store, &bytes).unwrap().tables, pinned);
    assert_eq!(store.stats().pinned, 0);
    // Each of the program's own pins finds room, and stays pinned when the file is loaded again.
    store.pin(&keys[11], 3).unwrap();
    store.pin(&keys[0], 3).unwrap();
    load_into(&store, &bytes).unwrap();
    assert_eq!(store.stats().pinned, 2);
    // The same holds for a file saved by this store.
    let mut again = vec![];
    store.save(&mut again).unwrap();
    let store = KeyStore::new(190 << 10);
    load_into(&store, &again).unwrap();
    assert_eq!(store.stats().pinned, 0);
}

#[test]
fn an_empty_store_is_48_bytes() {
    let mut bytes = vec![];
    assert_eq!(KeyStore::new(0).save(&mut bytes).unwrap(), 0);
    assert_eq!(bytes.len(), HEADER + 32);
    assert_eq!(load_into(&KeyStore::new(0), &bytes), Ok(Loaded::default()));
}

/// A smaller store loads the tables that fit, the pinned ones first; a wider table that exists
/// already stays.
#[test]
fn a_smaller_store_takes_the_first() {
    let store = KeyStore::new(2 << 20);
    let keys = keys(CurveName::P256, 12);
    for key in &keys {
        store.pin(key, 3).unwrap();
    }
    for key in &keys[..10] {
        store.unpin(key);
    }
    let mut bytes = vec![];
    store.save(&mut bytes).unwrap();
    let small = KeyStore::new(190 << 10);
    small.pin(&keys[11], 4).unwrap();
    let loaded = load_into(&small, &bytes).unwrap();
    assert_eq!(loaded.tables + loaded.skipped, 12);
    assert!((4..9).contains(&loaded.tables), "{loaded:?}");
    let stats = small.stats();
    assert_eq!((stats.tables, stats.pinned), (loaded.tables, 1));
    assert_eq!(stats.table_bytes, (loaded.tables - 1) * 22_016 + 33_280);
    assert!(stats.bytes_used <= stats.bytes_limit && stats.evictions == 0);
    // Even pinned tables are skipped if they do not fit.
    let tiny = KeyStore::new(40 << 10);
    let loaded = load_into(&tiny, &bytes).unwrap();
    assert_eq!((loaded.tables, loaded.skipped), (0, 12));
    assert_eq!(tiny.stats().tables, 0);
}

#[test]
fn each_rule_of_the_header_and_of_entries_answers() {
    let (_, bytes) = saved();
    let content = &bytes[..bytes.len() - 32];
    let starts = entries(&bytes);
    let changed = |at: usize, value: u8| {
        let mut content = content.to_vec();
        assert_ne!(content[at], value);
        content[at] = value;
        refusal(&sealed(&content))
    };
    for (at, byte) in bytes[..8].iter().enumerate() {
        assert_eq!(changed(at, byte ^ 0x20), Error::StoreMagic);
    }
    for (at, value) in [(8, 1), (9, 0), (9, 2), (10, 1), (11, 1)] {
        assert_eq!(changed(at, value), Error::StoreVersion);
    }
    // One entry more than exist; four thousand million; one less.
    assert_eq!(changed(15, 4), Error::StoreEntry);
    assert_eq!(changed(12, 255), Error::StoreEntry);
    assert_eq!(changed(15, 2), Error::StoreChecksum);
    for &start in &starts {
        for value in [2, 255] {
            assert_eq!(changed(start, value), Error::StoreEntry);
        }
        // Lengths: beyond every table, beyond the end, and different from the table's own.
        assert_eq!(changed(start + 5, 1), Error::StoreEntry);
        assert_eq!(changed(start + 6, 0x80), Error::StoreEntry);
        assert_eq!(changed(start + 6, 0x7f), Error::StoreTruncated);
        let low = bytes[start + 8];
        assert_eq!(changed(start + 8, low.wrapping_sub(1)), Error::TableLength);
        let table = start + ENTRY;
        assert_eq!(changed(table, b'S'), Error::TableMagic);
        assert_eq!(changed(table + 9, 9), Error::TableVersion);
        assert_eq!(changed(table + 11, 9), Error::TableCurve);
        assert_eq!(changed(table + 13, 12), Error::TableWindow);
        assert_eq!(
            changed(table + 20, !bytes[table + 20]),
            Error::TableChecksum
        );
    }
    assert_eq!(
        refusal(&[&bytes[..], &[0]].concat()),
        Error::StoreTrailingData
    );
    assert_eq!(
        refusal(&[&bytes[..], &bytes].concat()),
        Error::StoreTrailingData
    );
}

/// A table with a changed point and both checksums corrected is refused: an attacker who can write
/// the file cannot create a table that accepts signatures which the key rejects.
#[test]
fn a_tampered_table_is_refused() {
    let (_, bytes) = saved();
    let starts = entries(&bytes);
    for (i, &start) in starts.iter().enumerate() {
        let table = start + ENTRY;
        let end = starts.get(i + 1).copied().unwrap_or(bytes.len() - 32);
        let coordinate = if bytes[table + 11] == 1 { 32 } else { 48 };
        let points = table + 17 + 2 * coordinate;
        let tampered = |change: &dyn Fn(&mut [u8])| {
            let mut content = bytes[..bytes.len() - 32].to_vec();
            change(&mut content[table..end - 32]);
            let checksum = Sha256::digest(&content[table..end - 32]);
            content[end - 32..end].copy_from_slice(&checksum);
            refusal(&sealed(&content))
        };
        // A point negated, a bit flipped anywhere, the key exchanged for -Q or for another one.
        for at in (points..end - 32).step_by(rounds(4999, 211)) {
            let flip = |table_bytes: &mut [u8]| table_bytes[at - table] ^= 4;
            assert_eq!(tampered(&flip), Error::TablePoint, "{at}");
        }
        let swap = |table_bytes: &mut [u8]| {
            let first = points - table;
            let (a, b) = table_bytes[first..].split_at_mut(2 * coordinate);
            a.swap_with_slice(&mut b[..2 * coordinate]);
        };
        assert_eq!(tampered(&swap), Error::TablePoint);
        let other_key = |table_bytes: &mut [u8]| {
            let first = points - table;
            table_bytes.copy_within(first + 2 * coordinate..first + 4 * coordinate, 17);
        };
        assert_eq!(tampered(&other_key), Error::TablePoint);
        let no_key = |table_bytes: &mut [u8]| table_bytes[17] ^= 1;
        assert_eq!(tampered(&no_key), Error::KeyNotOnCurve);
    }
}

#[test]
fn every_truncation_and_every_flipped_bit_is_refused() {
    let (_, bytes) = saved();
    let starts = entries(&bytes);
    let near_an_edge = |at: usize| {
        let edges = starts
            .iter()
            .copied()
            .chain([0, bytes.len() - 32, bytes.len()]);
        edges.into_iter().any(|edge| at.abs_diff(edge) < 40)
    };
    let step = rounds(2999, 97);
    for at in (0..bytes.len()).filter(|&at| near_an_edge(at) || at % step == 0) {
        let error = refusal(&bytes[..at]);
        let expected = [Error::StoreTruncated, Error::TableMagic, Error::TableLength];
        assert!(expected.contains(&error), "{at}: {error:?}");
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        refusal(&changed);
    }
}

/// A claimed length allocates nothing: 8 MiB claimed, and no data.
#[test]
fn claims_are_not_believed() {
    struct Stingy<'a>(&'a [u8], usize);
    impl Read for Stingy<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = self.1.max(buffer.len());
            self.0.read(&mut buffer[..1])
        }
    }
    let (_, bytes) = saved();
    // A reader that returns a byte at a time is still read to the end.
    let store = KeyStore::new(1 << 20);
    assert_eq!(store.load(&mut Stingy(&bytes, 0)).unwrap().tables, 3);
    let mut claim = bytes[..HEADER].to_vec();
    claim[12..16].copy_from_slice(&[255; 4]);
    claim.extend([0, 0, 0, 0, 0, 0x00, 0x80, 0, 0]);
    let mut reader = Stingy(&claim, 0);
    assert!(matches!(
        store.load(&mut reader),
        Err(LoadError::Invalid(Error::StoreTruncated))
    ));
    assert!(reader.1 < 1 << 16, "a buffer of {} bytes", reader.1);
}

#[test]
fn readers_and_writers_that_fail_are_heard() {
    struct Broken(usize);
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("worn out"))
        }
    }
    impl Write for Broken {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self
                .0
                .checked_sub(bytes.len())
                .ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (_, bytes) = saved();
    let store = KeyStore::new(1 << 20);
    for end in [
        0,
        5,
        11,
        14,
        HEADER,
        HEADER + 3,
        1000,
        bytes.len() - 10,
        bytes.len(),
    ] {
        let reader = bytes[..end].chain(Broken(0));
        match store.load(reader) {
            Err(LoadError::Read(error)) => assert_eq!(error.to_string(), "worn out"),
            other => panic!("{end}: {other:?}"),
        }
    }
    assert_eq!(store.stats().tables, 0);
    store.load(&bytes[..]).unwrap();
    for room in [0, 7, 100, bytes.len() - 1] {
        let error = store.save(Broken(room)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
    store.save(Broken(bytes.len())).unwrap();
}

#[test]
fn errors_of_loading_say_what_and_why() {
    let error = KeyStore::new(0).load(&b"sigmkst\0"[..]).unwrap_err();
    assert_eq!(error.to_string(), Error::StoreTruncated.to_string());
    let source = std::error::Error::source(&error).unwrap();
    assert_eq!(source.to_string(), error.to_string());
}
