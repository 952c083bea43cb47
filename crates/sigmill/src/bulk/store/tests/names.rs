//! Encoded keys: parsed once, remembered within their memory.

use super::super::names::LONGEST_NAME;
use super::*;

#[test]
fn a_key_is_parsed_once_and_counts_its_rows() {
    let store = seeded(1 << 20);
    let key = &points(1)[0];
    let known = store.lookup(CurveName::P256, key).unwrap();
    assert_eq!(known.rows_seen(), 0);
    store.count_rows(&known, 3);
    store.count_rows(&known, 2);
    let again = store.lookup(CurveName::P256, key).unwrap();
    assert!(Arc::ptr_eq(&known, &again));
    assert_eq!(again.rows_seen(), 5);
    assert_eq!(again.key().to_sec1_bytes(false), *key);
    let stats = store.stats();
    assert_eq!((stats.hits, stats.misses, stats.keys), (1, 1, 1));
    assert_eq!((stats.distinct_keys, stats.tables), (1, 0));
}

/// A hash alone finds no table, neither by the bytes of a key nor by its point: the table of
/// another key would verify what that key has signed.
#[test]
fn keys_of_one_hash_are_told_apart() {
    let store = KeyStore::with_hasher(1 << 20, Hasher::Seeded(SAME_HASHES));
    let points = points(3);
    let lookup = |encoded: &[u8]| store.lookup(CurveName::P256, encoded).unwrap();
    for point in &points {
        assert_eq!(use_key(&store, point, 1000, 4), Some(4));
    }
    for point in &points {
        let known = lookup(point);
        assert_eq!(known.key().to_sec1_bytes(false), *point);
        let table = store.table(&known).unwrap();
        assert_eq!(table.verifying_key(), *known.key());
        // Bytes that the store has not seen, of a key that has a table.
        let again = lookup(&known.key().to_sec1_bytes(true));
        assert!(Arc::ptr_eq(&known, &again));
    }
    assert_eq!(store.stats().tables, 3);
}

#[test]
fn unusable_keys_are_errors_and_leave_nothing_behind() {
    let store = seeded(1 << 20);
    for (curve, bytes, error) in [
        (CurveName::P256, &[][..], Error::KeyEmpty),
        (CurveName::P256, &[9; 33][..], Error::KeyEncodingUnknown),
        (CurveName::P384, &[0][..], Error::KeyIsInfinity),
        (CurveName::P256, &[4; 65][..], Error::KeyNotOnCurve),
    ] {
        for _ in 0..2 {
            assert_eq!(store.lookup(curve, bytes).err(), Some(error));
        }
    }
    let stats = store.stats();
    assert_eq!((stats.misses, stats.keys, stats.distinct_keys), (8, 0, 0));
}

#[test]
fn bytes_are_remembered_with_their_curve() {
    let store = seeded(1 << 20);
    let key = &points(1)[0];
    store.lookup(CurveName::P256, key).unwrap();
    let error = Error::KeyLength {
        expected: 97,
        actual: 65,
    };
    assert_eq!(store.lookup(CurveName::P384, key).err(), Some(error));
}

#[test]
#[cfg(feature = "jwk")]
fn encodings_of_one_key_share_its_table_and_its_frequency() {
    use base64ct::{Base64UrlUnpadded, Encoding};

    let store = seeded(1 << 20);
    let key = AnyVerifyingKey::from(generator());
    let full = key.to_sec1_bytes(false);
    let jwk_of = |spaces: usize| {
        let [x, y] = [1, 33].map(|at| Base64UrlUnpadded::encode_string(&full[at..at + 32]));
        let gap = " ".repeat(spaces);
        format!(r#"{{"kty":"EC","crv":"P-256","x":"{x}",{gap}"y":"{y}"}}"#).into_bytes()
    };
    let names = [full.clone(), key.to_sec1_bytes(true), jwk_of(0), jwk_of(1)];
    let known = names
        .each_ref()
        .map(|name| store.lookup(CurveName::P256, name).unwrap());
    for known in &known {
        store.count_rows(known, 2);
    }
    assert_eq!(store.contents().frequency.estimate(known[0].hash()), 8);
    let table = store.promote(&known[1], 3).unwrap();
    for known in &known {
        assert!(Arc::ptr_eq(&store.table(known).unwrap(), &table));
        assert!(Arc::ptr_eq(&store.promote(known, 3).unwrap(), &table));
    }
    // Growing it under another name grows the same table.
    assert_eq!(store.promote(&known[2], 5).unwrap().window(), 5);
    assert_eq!(store.table(&known[0]).unwrap().window(), 5);
    let stats = store.stats();
    assert_eq!((stats.keys, stats.distinct_keys), (4, 1));
    assert_eq!((stats.tables, stats.promotions), (1, 2));
    // A name that is too long is accepted and not remembered.
    let known = store.lookup(CurveName::P256, &jwk_of(LONGEST_NAME));
    assert_eq!(store.table(&known.unwrap()).unwrap().window(), 5);
    assert_eq!(store.stats().keys, 4);
    assert_within(&store);
}

#[test]
fn names_stay_within_their_memory_and_the_frequent_ones_stay() {
    let store = seeded(256 << 10);
    let all = points(3000);
    let (hot, flood) = all.split_at(20);
    for (i, key) in flood.iter().enumerate() {
        store.lookup(CurveName::P256, key).unwrap();
        if i % 5 == 0 {
            store.lookup(CurveName::P256, &hot[i / 5 % 20]).unwrap();
        }
        if i % 97 == 0 {
            assert_within(&store);
        }
    }
    let before = store.stats();
    assert!((50..1000).contains(&before.keys), "{before:?}");
    assert!(before.distinct_keys_saturated && before.distinct_keys >= 896);
    for key in hot {
        store.lookup(CurveName::P256, key).unwrap();
    }
    let stats = store.stats();
    // Occasionally a name looks as if it had come more often than it did.
    assert!(stats.hits - before.hits >= 18, "{stats:?}");
    // Of some 600 lookups of hot keys only the first ones were not remembered.
    assert!(stats.hits > 550, "{stats:?}");
}

/// Long names pay for their length: they cannot use more than the memory of names.
#[test]
fn long_names_stay_within_their_memory() {
    let store = seeded(256 << 10);
    let key = AnyVerifyingKey::from(generator()).to_sec1_bytes(false);
    let mut der = hex("3059301306072a8648ce3d020106082a8648ce3d030107034200");
    der.extend(key);
    use base64ct::{Base64, Encoding};
    let base64 = Base64::encode_string(&der);
    for blanks in 0..400 {
        let pem = format!(
            "{}-----BEGIN PUBLIC KEY-----\n{}\n{}\n-----END PUBLIC KEY-----\n",
            " ".repeat(10 * blanks),
            &base64[..64],
            &base64[64..]
        );
        for _ in 0..2 {
            store.lookup(CurveName::P256, pem.as_bytes()).unwrap();
        }
        assert_within(&store);
    }
    let stats = store.stats();
    assert_eq!(stats.distinct_keys, 1);
    assert!((8..100).contains(&stats.keys), "{stats:?}");
}

#[test]
fn a_forgotten_key_keeps_its_recent_frequency() {
    // Enough memory for a key with a few names, but not for a table.
    let store = seeded(LEAST_MEMORY + 1);
    let key = &points(1)[0];
    for rows in [5, 4] {
        store.count_rows(&store.lookup(CurveName::P256, key).unwrap(), rows);
    }
    let another_name = AnyVerifyingKey::from_sec1_bytes(CurveName::P256, key)
        .unwrap()
        .to_sec1_bytes(true);
    let known = store.lookup(CurveName::P256, &another_name).unwrap();
    assert_eq!(known.rows_seen(), 9);
    let mut stranger = another_name;
    stranger[0] ^= 1;
    let known = store.lookup(CurveName::P256, &stranger).unwrap();
    assert_eq!(known.rows_seen(), 0);
}

#[test]
fn what_may_keep_nothing_keeps_nothing() {
    for memory in [0, 1, LEAST_MEMORY] {
        let store = seeded(memory);
        let keys = points(1000);
        let key = &keys[0];
        let parsed = AnyVerifyingKey::from_sec1_bytes(CurveName::P256, key).unwrap();
        for _ in 0..3 {
            let known = store.lookup(CurveName::P256, key).unwrap();
            store.count_rows(&known, 1000);
            assert!(*known.key() == parsed && store.table(&known).is_none());
            assert_eq!(store.lookup(CurveName::P256, key).unwrap().rows_seen(), 0);
            assert!(store.promote(&known, 1).is_none());
        }
        let error = store.pin(&parsed, 1).unwrap_err();
        assert!(matches!(error, Error::StoreMemory { .. }), "{error}");
        let stats = store.stats();
        assert_eq!((stats.hits, stats.misses), (0, 6));
        assert_eq!((stats.keys, stats.tables, stats.distinct_keys), (0, 0, 1));
        // Other keys are known and counted, too.
        for key in &keys[1..] {
            let known = store.lookup(CurveName::P256, key).unwrap();
            store.count_rows(&known, 100);
            assert!(store.promote(&known, 1).is_none());
            assert_within(&store);
        }
        let stats = store.stats();
        assert_eq!(stats.bytes_limit, 16 << 10);
        assert_eq!((stats.tables, stats.refused), (0, 3 + 999));
        assert_eq!(stats.distinct_keys, 896);
        assert!(stats.distinct_keys_saturated);
    }
}
