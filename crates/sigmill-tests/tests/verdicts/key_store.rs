//! The key store of an engine: floods, budgets, promotions, pins, and threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use num_bigint::BigUint;
use rand_chacha::rand_core::Rng;
use sigmill::bulk::{Engine, Input, KeyStore, Row, Speed};
use sigmill::{Algorithm, AnyVerifyingKey, CurveName, Error, HashName, SignatureFormat};
use sigmill_tests::der::der_signature;
use sigmill_tests::numbers::{big, rng};
use sigmill_tests::referee::{Referee, digest_integer, sign};
use sigmill_tests::rounds;

/// A key with a digest that it signed.
struct Signed {
    curve: CurveName,
    key: Vec<u8>,
    digest: Vec<u8>,
    signature: Vec<u8>,
}

impl Signed {
    fn new(referee: &Referee, d: u64) -> Self {
        let digest = HashName::Sha256.digest(&d.to_be_bytes());
        let e = digest_integer(&digest, &referee.n);
        let (r, s) = sign(referee, &big(d), &big(d ^ 0x5555_5555), &e);
        Self {
            curve: referee.name,
            key: referee.generator_multiple(&big(d)),
            digest: digest.to_vec(),
            signature: der_signature(&r, &s),
        }
    }

    /// Many keys at the cost of one signature: the verdicts do not matter.
    fn one_time(referee: &Referee, d: u64, signature: &[u8]) -> Self {
        Self {
            curve: referee.name,
            key: referee.generator_multiple(&(BigUint::from(d) << 70u32)),
            digest: vec![1; 32],
            signature: signature.to_vec(),
        }
    }

    fn row(&self) -> Row<'_> {
        Row::new(
            Algorithm::new(self.curve, HashName::Sha256),
            &self.key,
            Input::Digest(&self.digest),
            &self.signature,
            SignatureFormat::Der,
        )
    }

    fn any(&self) -> AnyVerifyingKey {
        AnyVerifyingKey::from_sec1_bytes(self.curve, &self.key).unwrap()
    }
}

fn engine(store: &Arc<KeyStore>, window: u32) -> Engine {
    let builder = Engine::builder()
        .speed(Speed::Fixed)
        .key_store(store.clone());
    builder.window(window).build().unwrap()
}

#[track_caller]
fn assert_within(store: &KeyStore) {
    let stats = store.stats();
    assert!(stats.bytes_used <= stats.bytes_limit, "{stats:?}");
    assert!(stats.table_bytes < stats.bytes_used, "{stats:?}");
}

/// Three keys have tables, and the memory is almost full. A flood of other keys passes through,
/// each with `times` rows, and one row of a hot key among every `among` rows. The bound: no table
/// is evicted, every row of a hot key is judged with its table, and no key of the flood gets one.
fn flood(times: usize, among: usize, rows: usize) {
    let referee = Referee::new(CurveName::P256);
    let hot: Vec<Signed> = (1..=3).map(|d| Signed::new(&referee, 1000 + d)).collect();
    let store = Arc::new(KeyStore::new(556 << 10));
    let engine = engine(&store, 7);
    for signed in &hot {
        store.pin(&signed.any(), 7).unwrap();
        store.unpin(&signed.any());
        for _ in 0..40 {
            assert_eq!(engine.verify_row(&signed.row()), Ok(()));
        }
    }
    let before = store.stats();
    assert_eq!((before.tables, before.table_bytes), (3, 454_656));
    let prepared = engine.stats().prepared;
    let mut key = None;
    for i in 0..rows {
        if i % times == 0 {
            let d = 1 + i as u64;
            key = Some(Signed::one_time(&referee, d, &hot[0].signature));
        }
        let row = key.as_ref().unwrap().row();
        assert_eq!(engine.verify_row(&row), Err(Error::SignatureMismatch));
        if i % (among - 1) == 0 {
            let row = hot[i / (among - 1) % 3].row();
            assert_eq!(engine.verify_row(&row), Ok(()));
            assert_within(&store);
        }
    }
    let stats = store.stats();
    assert_eq!((stats.tables, stats.evictions), (3, 0));
    assert_eq!(stats.promotions, before.promotions);
    // The store refused keys that were frequent enough for the engine.
    assert!(times <= 3 || stats.refused - before.refused >= (rows / times) as u64);
    let hot_rows = rows.div_ceil(among - 1) as u64;
    assert_eq!(engine.stats().prepared - prepared, hot_rows);
    assert!(stats.distinct_keys as usize >= (3 + rows / times).min(890));
}

#[test]
fn a_flood_of_one_time_keys_flushes_nothing() {
    flood(1, 10, rounds(900, 9000));
}

/// Six rows each suffice for the engine to request a table, but not for the store to grant one.
#[test]
fn a_flood_of_six_time_keys_flushes_nothing() {
    flood(6, 2, rounds(900, 9000));
}

/// Keys that keep returning get tables, one after the other, although the memory is full of tables
/// that were once hot.
#[test]
fn new_favourites_displace_old_ones() {
    let referee = Referee::new(CurveName::P256);
    let keys: Vec<Signed> = (1..=8).map(|d| Signed::new(&referee, d << 33)).collect();
    let store = Arc::new(KeyStore::new(190 << 10));
    let engine = engine(&store, 4);
    for signed in keys[..4].iter().cycle().take(400) {
        engine.verify_row(&signed.row()).unwrap();
    }
    assert_eq!(store.stats().tables, 4);
    let rows = |signed: &Signed| {
        let before = engine.stats().prepared;
        engine.verify_row(&signed.row()).unwrap();
        engine.stats().prepared - before
    };
    for signed in keys[4..].iter().cycle().take(rounds(1500, 3000)) {
        rows(signed);
    }
    assert_eq!(keys[4..].iter().map(rows).sum::<u64>(), 4);
    assert!(store.stats().evictions >= 4);
    assert_within(&store);
}

/// Fresh, then a small window, then wider ones up to the engine's: never back.
#[test]
fn a_key_that_returns_is_promoted_step_by_step() {
    for (name, sizes) in [
        (CurveName::P256, [33_280, 53_248, 88_064, 151_552]),
        (CurveName::P384, [74_496, 118_272, 199_680, 337_920]),
    ] {
        let signed = Signed::new(&Referee::new(name), 77);
        let store = Arc::new(KeyStore::new(4 << 20));
        let engine = engine(&store, 7);
        let mut seen = vec![store.stats().table_bytes];
        for _ in 0..rounds(400, 4000) {
            engine.verify_row(&signed.row()).unwrap();
            let bytes = store.stats().table_bytes;
            if seen.last() != Some(&bytes) {
                seen.push(bytes);
            }
        }
        assert_eq!(seen[0], 0);
        assert!(seen.is_sorted(), "{seen:?}");
        assert!(
            seen[1..].iter().all(|bytes| sizes.contains(bytes)),
            "{seen:?}"
        );
        assert!(seen.len() >= 3, "fresh, small, wider: {seen:?}");
        assert_eq!(store.stats().promotions as usize, seen.len() - 1);
        assert_eq!((store.stats().tables, store.stats().evictions), (1, 0));
    }
}

#[test]
fn pinned_tables_survive_everything() {
    let referee = Referee::new(CurveName::P256);
    let pinned: Vec<Signed> = (1..=3).map(|d| Signed::new(&referee, 50 + d)).collect();
    let others: Vec<Signed> = (1..=6).map(|d| Signed::new(&referee, 90 + d)).collect();
    let store = Arc::new(KeyStore::new(190 << 10));
    for signed in &pinned {
        store.pin(&signed.any(), 4).unwrap();
    }
    let engine = engine(&store, 4);
    for i in 0..rounds(600, 6000) {
        engine.verify_row(&others[i / 50 % 6].row()).unwrap();
    }
    // The fourth place changed hands repeatedly.
    let stats = store.stats();
    assert_eq!((stats.pinned, stats.tables), (3, 4));
    assert!(stats.evictions > 0);
    let before = engine.stats().prepared;
    for signed in &pinned {
        assert_eq!(engine.verify_row(&signed.row()), Ok(()));
        assert!(store.unpin(&signed.any()));
    }
    assert_eq!(engine.stats().prepared - before, 3);
    assert_eq!(store.stats().pinned, 0);
}

/// Engines and other users share a store that is too small for their keys: every verdict is right,
/// the budget holds at every moment, and pins hold.
#[test]
fn threads_share_a_store_that_is_too_small() {
    let referees = [CurveName::P256, CurveName::P384].map(Referee::new);
    let keys: Vec<Signed> = (0..24)
        .map(|i| Signed::new(&referees[usize::from(i % 5 == 4)], 300 + i))
        .collect();
    let store = Arc::new(KeyStore::new(400 << 10));
    store.pin(&keys[0].any(), 3).unwrap();
    let done = AtomicBool::new(false);
    let finished = thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|worker| {
                let (store, keys) = (&store, &keys);
                scope.spawn(move || {
                    let engine = engine(store, 4 + worker as u32 % 2);
                    let mut rng = rng(worker);
                    let mut valid = 0;
                    for _ in 0..rounds(400, 6000) {
                        // Small numbers are more frequent.
                        let [a, b] = [(); 2].map(|()| rng.next_u32() as usize % keys.len());
                        let signed = &keys[a.min(b)];
                        let mut digest = signed.digest.clone();
                        let spoilt = rng.next_u32().is_multiple_of(3);
                        digest[3] ^= u8::from(spoilt);
                        let mut row = signed.row();
                        row.input = Input::Digest(&digest);
                        let expected = if spoilt {
                            Err(Error::SignatureMismatch)
                        } else {
                            Ok(())
                        };
                        assert_eq!(engine.verify_row(&row), expected);
                        valid += u64::from(!spoilt);
                    }
                    valid
                })
            })
            .collect();
        // Meanwhile, pins are added and removed, stores are saved, and the budget is checked.
        let watcher = scope.spawn(|| {
            let mut looks = 0u64;
            while !done.load(Relaxed) {
                let i = 1 + looks as usize % 4;
                if store.pin(&keys[i].any(), 2).is_ok() {
                    assert!(store.unpin(&keys[i].any()));
                }
                if looks.is_multiple_of(16) {
                    store.save(std::io::sink()).unwrap();
                }
                assert_within(&store);
                assert!(store.stats().pinned >= 1);
                looks += 1;
                thread::yield_now();
            }
            looks
        });
        let valid: u64 = workers.into_iter().map(|w| w.join().unwrap()).sum();
        done.store(true, Relaxed);
        (valid, watcher.join().unwrap())
    });
    assert!(finished.0 > 500 && finished.1 > 5, "{finished:?}");
    let stats = store.stats();
    assert!(stats.promotions > 5 && stats.evictions > 0, "{stats:?}");
    assert_eq!((stats.pinned, stats.distinct_keys), (1, 24));
    assert!(store.unpin(&keys[0].any()));
    assert_within(&store);
}
