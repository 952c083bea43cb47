//! A saved key store: reading returns what was written, and every change is refused with the rule
//! that it breaks.

use std::io::{self, Read, Write};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use sigmill::bulk::{Engine, Input, KeyStore, LoadError, Loaded, Row, Speed};
use sigmill::{AnyVerifyingKey, CurveName, Error, HashName, SignatureFormat};
use sigmill_tests::numbers::big;
use sigmill_tests::referee::Referee;

const HEADER: usize = 16;
/// The bytes of a key in front of its point: curve, window, and two for its recent rows.
const ENTRY: usize = 4;

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

/// The number of a curve in a saved store.
fn number(curve: CurveName) -> u8 {
    match curve {
        CurveName::P256 => 1,
        CurveName::P384 => 2,
        CurveName::Secp256k1 => 3,
        CurveName::BrainpoolP256r1 => 4,
        CurveName::P521 => 5,
        other => panic!("the number of {other} is to be written down"),
    }
}

/// The start of each entry: its curve, window, frequency and point.
fn entries(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![];
    let mut at = HEADER;
    while at < bytes.len() - 32 {
        starts.push(at);
        let mut curves = CurveName::ALL.iter();
        let curve = curves.find(|curve| number(**curve) == bytes[at]).unwrap();
        at += ENTRY + 2 * curve.field_len();
    }
    assert_eq!(at, bytes.len() - 32);
    starts
}

#[test]
fn what_was_saved_is_loaded() {
    let (keys, bytes) = saved();
    assert_eq!(bytes[..HEADER], *b"sigmkst\0\0\x02\0\0\0\0\0\x03");
    // The pinned ones come first. None of them was in a row.
    let starts = entries(&bytes);
    let mut found: Vec<_> = starts
        .iter()
        .map(|&at| {
            (
                bytes[at..at + ENTRY].to_vec(),
                bytes[at + ENTRY..][..64].to_vec(),
            )
        })
        .collect();
    found[..2].sort();
    let expected = [(1, 1, 4), (2, 2, 1), (0, 1, 0)].map(|(key, curve, window)| {
        let (x, y) = keys[key].to_coordinates();
        let point = [x, y].concat()[..64].to_vec();
        (vec![curve, window, 0, 0], point)
    });
    assert_eq!(found, expected);
    let store = KeyStore::new(1 << 20);
    let loaded = load_into(&store, &bytes).unwrap();
    assert_eq!((loaded.keys, loaded.tables, loaded.skipped), (3, 2, 0));
    let stats = store.stats();
    assert_eq!((stats.tables, stats.pinned), (2, 0));
    assert_eq!(stats.table_bytes, 33_280 + 36_960);
    assert!(stats.bytes_used <= stats.bytes_limit);
    // Loading twice builds nothing. A new save has the keys with tables.
    assert_eq!(load_into(&store, &bytes).unwrap().tables, 0);
    assert_eq!(store.stats(), stats);
    let mut again = vec![];
    assert_eq!(store.save(&mut again).unwrap(), 2);
    assert_eq!(load_into(&KeyStore::new(1 << 20), &again).unwrap().keys, 2);
    // A new pin finds its table, and no other key is pinned.
    store.pin(&keys[2], 1).unwrap();
    assert_eq!(store.stats().table_bytes, stats.table_bytes);
    for (key, pinned) in keys.iter().zip([false, false, true]) {
        assert_eq!(store.unpin(key), pinned);
    }
}

fn engine(store: &Arc<KeyStore>) -> Engine {
    let builder = Engine::builder().speed(Speed::Fixed);
    builder.key_store(store.clone()).build().unwrap()
}

/// Judges an invalid row of this key.
fn use_key(engine: &Engine, curve: CurveName, key: &[u8]) {
    let digest = HashName::Sha256.digest(b"");
    let mut one = vec![0; curve.order_len()];
    one[curve.order_len() - 1] = 1;
    let signature = one.repeat(2);
    let row = Row::new(
        curve.default_algorithm(),
        key,
        Input::Digest(&digest),
        &signature,
        SignatureFormat::P1363,
    );
    assert_eq!(engine.verify_row(&row), Err(Error::SignatureMismatch));
}

/// A key that came often before gets its table when it returns, and a new key does not.
#[test]
fn tables_are_built_when_their_keys_return() {
    for &curve in CurveName::ALL {
        let keys = keys(curve, 2).into_iter();
        let keys: Vec<_> = keys.map(|key| key.to_sec1_bytes(true)).collect();
        let store = Arc::new(KeyStore::new(4 << 20));
        let first = engine(&store);
        for _ in 0..40 {
            use_key(&first, curve, &keys[0]);
        }
        assert_eq!(store.stats().tables, 1, "{curve}");
        let mut bytes = vec![];
        store.save(&mut bytes).unwrap();
        let length = HEADER + ENTRY + 2 * curve.field_len() + 32;
        assert_eq!((bytes.len(), bytes[HEADER]), (length, number(curve)));
        assert_eq!(bytes[HEADER + 1..][..3], [0, 0, 40]);
        let store = Arc::new(KeyStore::new(4 << 20));
        let loaded = load_into(&store, &bytes).unwrap();
        assert_eq!((loaded.keys, loaded.tables, loaded.skipped), (1, 0, 0));
        let second = engine(&store);
        use_key(&second, curve, &keys[1]);
        assert_eq!(store.stats().tables, 0, "{curve}");
        use_key(&second, curve, &keys[0]);
        assert_eq!(store.stats().tables, 1, "{curve}");
    }
}

/// A job that meets other keys saves those of the file, too, until their recent rows have faded.
#[test]
fn keys_that_do_not_return_are_saved_again() {
    let curve = CurveName::P256;
    let keys = keys(curve, 6).into_iter();
    let keys: Vec<_> = keys.map(|key| key.to_sec1_bytes(true)).collect();
    let save = |store: &KeyStore| {
        let mut bytes = vec![];
        let count = store.save(&mut bytes).unwrap();
        let stats = store.stats();
        assert!(stats.bytes_used <= stats.bytes_limit, "{stats:?}");
        (count, bytes)
    };
    // Room for all tables, and for some.
    for memory in [4 << 20, 400 << 10] {
        let store = Arc::new(KeyStore::new(memory));
        let first = engine(&store);
        for key in &keys[..4] {
            (0..40).for_each(|_| use_key(&first, curve, key));
        }
        let (count, bytes) = save(&store);
        assert_eq!(count, store.stats().tables);
        assert!(count > 1);
        let store = Arc::new(KeyStore::new(memory));
        for _ in 0..3 {
            let loaded = load_into(&store, &bytes).unwrap();
            assert_eq!((loaded.keys, loaded.tables), (count, 0));
            assert_eq!(save(&store).0, count);
        }
        // One of them returns, and another key comes.
        let second = engine(&store);
        use_key(&second, curve, &keys[0]);
        (0..40).for_each(|_| use_key(&second, curve, &keys[4]));
        let tables = store.stats().tables;
        let (again, bytes) = save(&store);
        assert_eq!((tables, again), (2, count + 1));
        // In a store with counts of a short period, those that stay away fade.
        let store = Arc::new(KeyStore::new(400 << 10));
        assert_eq!(load_into(&store, &bytes).unwrap().keys, again);
        let third = engine(&store);
        (0..8000).for_each(|_| use_key(&third, curve, &keys[5]));
        assert_eq!(save(&store).0, 1);
        // They make way for others when a file is loaded.
        let used = store.stats().bytes_used;
        assert_eq!(load_into(&store, &bytes).unwrap().keys, again);
        assert_eq!(
            (save(&store).0, store.stats().bytes_used),
            (again + 1, used)
        );
    }
    // Whatever a file claims, a key that stays away is gone after some saves.
    let mut bytes = saved().1;
    bytes.truncate(bytes.len() - 32);
    bytes[HEADER + 1..][..3].copy_from_slice(&[0, 255, 255]);
    let mut bytes = sealed(&bytes);
    let mut rows = vec![];
    for _ in 0..20 {
        let store = KeyStore::new(1 << 20);
        load_into(&store, &bytes).unwrap();
        let count;
        (count, bytes) = save(&store);
        if count == 0 {
            break;
        }
        rows.push(u16::from_be_bytes([bytes[HEADER + 2], bytes[HEADER + 3]]));
    }
    assert_eq!(
        rows,
        [
            32_767, 16_383, 8191, 4095, 2047, 1023, 511, 255, 127, 63, 31, 15, 7, 3, 1
        ]
    );
    // Without memory for a table nothing is kept.
    let tiny = KeyStore::new(20 << 10);
    let bytes = saved().1;
    load_into(&tiny, &bytes).unwrap();
    assert_eq!(save(&tiny).0, 0);
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
        assert_eq!(bytes[start + 1], 3);
    }
    let store = KeyStore::new(190 << 10);
    let loaded = load_into(&store, &bytes).unwrap();
    assert_eq!((loaded.keys, loaded.tables), (pinned, pinned));
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

/// A smaller store loads the keys whose tables could fit, and builds those that do; a wider table
/// that exists already stays.
#[test]
fn a_smaller_store_takes_the_first() {
    let store = KeyStore::new(2 << 20);
    let keys = keys(CurveName::P256, 12);
    for key in &keys {
        store.pin(key, 3).unwrap();
    }
    let mut bytes = vec![];
    store.save(&mut bytes).unwrap();
    let small = KeyStore::new(190 << 10);
    small.pin(&keys[11], 4).unwrap();
    let loaded = load_into(&small, &bytes).unwrap();
    assert_eq!(loaded.keys + loaded.skipped, 12);
    assert!((4..9).contains(&loaded.keys), "{loaded:?}");
    assert!((3..8).contains(&loaded.tables), "{loaded:?}");
    let stats = small.stats();
    assert_eq!((stats.tables, stats.pinned), (loaded.tables + 1, 1));
    assert_eq!(stats.table_bytes, loaded.tables * 22_016 + 33_280);
    assert!(stats.bytes_used <= stats.bytes_limit && stats.evictions == 0);
    // In a store without room for any table nothing is kept.
    let tiny = KeyStore::new(16 << 10);
    let loaded = load_into(&tiny, &bytes).unwrap();
    assert_eq!((loaded.keys, loaded.tables, loaded.skipped), (0, 0, 12));
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
    for (at, value) in [(8, 1), (9, 0), (9, 1), (9, 3), (10, 1), (11, 1)] {
        assert_eq!(changed(at, value), Error::StoreVersion);
    }
    // One key more than exists, which begins with the checksum; four thousand million keys; one
    // key less.
    let one_more = [Error::StoreCurve, Error::StoreTruncated];
    assert!(one_more.contains(&changed(15, 4)));
    assert!(one_more.contains(&changed(12, 255)));
    assert_eq!(changed(15, 2), Error::StoreChecksum);
    for &start in &starts {
        let known = |value: &u8| (1..=5).contains(value);
        for value in (0..=255).filter(|value| !known(value)) {
            assert_eq!(changed(start, value), Error::StoreCurve);
        }
        for value in [12, 255] {
            let window = value.into();
            assert_eq!(
                changed(start + 1, value),
                Error::WindowOutOfRange { window }
            );
        }
        // The rules of a point: on the curve, with coordinates below p.
        for at in [ENTRY, ENTRY + 31, ENTRY + 63] {
            let at = start + at;
            assert_eq!(changed(at, bytes[at] ^ 1), Error::KeyNotOnCurve);
        }
        let mut large = content.to_vec();
        large[start + ENTRY..][..32].fill(255);
        assert_eq!(refusal(&sealed(&large)), Error::KeyXOutOfRange);
    }
    // A key that comes twice, with the same window and with another one.
    let first = &content[starts[0]..starts[1]];
    for window in [0, first[1]] {
        let again = [&first[..1], &[window], &first[2..]].concat();
        let mut twice = [content, &again].concat();
        twice[15] = 4;
        assert_eq!(refusal(&sealed(&twice)), Error::StoreDuplicateKey);
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

/// A file of the first version, which held tables, is refused by its version.
#[test]
fn the_version_with_tables_is_refused() {
    let old = sealed(b"sigmkst\0\0\x01\0\0\0\0\0\0");
    let error = KeyStore::new(1 << 20).load(&old[..]).unwrap_err();
    assert_eq!(error.to_string(), "key store: its version is not supported");
}

#[test]
fn every_truncation_and_every_flipped_bit_is_refused() {
    let (_, bytes) = saved();
    for at in 0..bytes.len() {
        assert_eq!(refusal(&bytes[..at]), Error::StoreTruncated, "{at}");
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            refusal(&changed);
        }
    }
}

/// A claimed number allocates nothing: four thousand million keys claimed, and one there.
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
    assert_eq!(store.load(&mut Stingy(&bytes, 0)).unwrap().keys, 3);
    let mut claim = bytes[..entries(&bytes)[1]].to_vec();
    claim[12..16].copy_from_slice(&[255; 4]);
    let mut reader = Stingy(&claim, 0);
    assert!(matches!(
        store.load(&mut reader),
        Err(LoadError::Invalid(Error::StoreTruncated))
    ));
    assert!(reader.1 < 200, "a buffer of {} bytes", reader.1);
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
        100,
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
    let mut bytes = vec![];
    store.save(&mut bytes).unwrap();
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
