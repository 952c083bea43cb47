//! Calls of every size: other rows in a call do not change a row's verdict.

use std::sync::Arc;

use super::{Owned, Population, valid_row};
use sigmill::bulk::{Column, Engine, Inputs, KeyStore, Row, Rows, Signatures, Speed};
use sigmill::{
    Algorithm, AnySigningKey, AnyVerifyingKey, CurveName, Error, Policy, SignatureFormat,
};
use sigmill_tests::processes::{is_again, on_every_backend};
use sigmill_tests::{THOROUGH, rounds};

/// Memory for all tables, for a few small ones, and for none; one thread and several.
fn engines() -> Vec<Engine> {
    [
        (256 << 20, 4, 1),
        (160 << 10, 5, 1),
        (100 << 10, 6, 3),
        (0, 7, 2),
        (0, 1, 1),
    ]
    .into_iter()
    .map(|(memory, window, count)| {
        let builder = Engine::builder()
            .speed(Speed::Fixed)
            .key_memory(memory)
            .window(window);
        builder.threads(count).build().unwrap()
    })
    .collect()
}

#[test]
fn every_size_of_a_call() {
    let population = Population::new(61, rounds(150, 900));
    let engines = engines();
    let sizes: Vec<usize> = if !THOROUGH || is_again() {
        (0..12).chain([31, 32, 33, 64, 65, 130, 257]).collect()
    } else {
        (0..=320).chain([511, 512, 513, 700]).collect()
    };
    for (i, size) in sizes.into_iter().enumerate() {
        for (j, engine) in engines.iter().enumerate() {
            if i % 3 == j % 3 {
                population.check(engine, &population.numbers(i * 41 + j * 7, size));
            }
        }
    }
    let stats = engines[0].stats();
    assert!(stats.prepared > 0 && stats.fresh > 0 && stats.tables_built > 0);
    assert_eq!(stats.passing_tables, 0);
    assert!(engines[1].key_store().stats().table_bytes <= 160 << 10);
    for engine in &engines[3..] {
        let stats = engine.stats();
        assert_eq!(engine.key_store().stats().table_bytes, 0);
        assert_eq!(stats.passing_tables, stats.tables_built);
    }
}

/// Each row has a different key, and every third key is malformed: errors stay with their rows, no
/// matter which thread looked the keys up.
#[test]
fn each_of_many_bad_keys_has_its_own_error() {
    let (curve, digest) = (CurveName::P256, [7; 32]);
    let (mut keys, mut signatures) = (vec![], vec![]);
    for (i, key) in (0..).zip(AnySigningKey::generate_many(curve, 700).unwrap()) {
        let mut point = key.verifying_key().to_sec1_bytes(false).to_vec();
        match i % 12 {
            1 => point[64] ^= 1,
            4 => point[0] = 9,
            7 => point[1..33].fill(0xff),
            10 => point.truncate(64),
            _ => {}
        }
        keys.push(point);
        let signature = key.sign_prehash_recoverable(&digest, SignatureFormat::P1363);
        signatures.push(signature.unwrap().0.to_vec());
    }
    let [keys, signatures] = [&keys, &signatures]
        .map(|column| column.iter().map(|value| &value[..]).collect::<Vec<_>>());
    let expected: Vec<_> = keys
        .iter()
        .map(|key| AnyVerifyingKey::from_encoded(Some(curve), key).map(|_| ()))
        .collect();
    assert!((1..12).step_by(3).all(|i| expected[i].is_err()) && expected[1] != expected[7]);
    let rows = Rows::new(
        Algorithm::ES256,
        Column::slices(&keys),
        Inputs::Digests(Column::same(&digest)),
        Signatures::P1363(Column::slices(&signatures)),
    )
    .unwrap();
    for engine in engines() {
        // The second time some of the keys are remembered.
        for _ in 0..2 {
            assert!(engine.verify(&rows).as_slice() == expected);
        }
    }
}

#[test]
fn a_bad_row_in_every_position() {
    let size = rounds(12, 90);
    let good: Vec<Owned> = (0..size as u64).map(|i| valid_row(3 + i % 3, i)).collect();
    let mut bad = vec![];
    type Spoiler = (fn(&mut Owned), Error);
    let spoilers: [Spoiler; 8] = [
        (|row| row.signature[40] ^= 4, Error::SignatureMismatch),
        (|row| row.message[0] ^= 0x80, Error::SignatureMismatch),
        (|row| row.signature[..32].fill(0), Error::RZero),
        (|row| row.signature[32..].fill(0xff), Error::SOutOfRange),
        (|row| row.message.clear(), Error::DigestEmpty),
        (|row| row.key[64] ^= 1, Error::KeyNotOnCurve),
        (|row| row.format = SignatureFormat::Der, Error::DerTag),
        (
            |row| row.algorithm = Algorithm::ES384,
            Error::KeyLength {
                expected: 97,
                actual: 65,
            },
        ),
    ];
    for (spoil, error) in spoilers {
        let mut row = good[0].clone();
        spoil(&mut row);
        assert_eq!(row.single(Policy::default()), Err(error));
        bad.push((row, error));
    }
    let engine = Engine::builder()
        .speed(Speed::Fixed)
        .window(4)
        .build()
        .unwrap();
    for position in 0..size {
        for (row, error) in &bad {
            let mut rows: Vec<Row<'_>> = good.iter().map(Owned::row).collect();
            rows[position] = row.row();
            let verdicts = engine.verify(&Rows::from(&rows));
            assert_eq!(verdicts.rejected(), 1, "{error:?} at {position}");
            assert_eq!(verdicts.get(position), Err(*error));
            // One valid row among invalid ones.
            let mut rows = vec![row.row(); size];
            rows[position] = good[position].row();
            let verdicts = engine.verify(&Rows::from(&rows));
            assert_eq!(verdicts.valid(), 1, "{error:?} around {position}");
            assert_eq!(verdicts.get(position), Ok(()));
        }
    }
}

#[test]
fn policies_are_those_of_the_single_call() {
    let population = Population::new(62, rounds(120, 600));
    let rows: Vec<Row<'_>> = population.rows.iter().map(Owned::row).collect();
    for policy in [Policy::default(), Policy::LOW_S] {
        let engine = Engine::builder()
            .speed(Speed::Fixed)
            .policy(policy)
            .build()
            .unwrap();
        let verdicts = engine.verify(&Rows::from(&rows));
        for (row, verdict) in population.rows.iter().zip(verdicts.as_slice()) {
            assert_eq!(*verdict, row.single(policy));
        }
        let high_s = verdicts.reasons().contains_key("high-s");
        assert_eq!(high_s, policy == Policy::LOW_S);
    }
}

#[test]
fn calls_of_several_threads_at_one_engine_and_one_store() {
    let population = Population::new(63, rounds(100, 500));
    let store = Arc::new(KeyStore::new(120 << 10));
    let engines = [1, 2].map(|count| {
        let builder = Engine::builder()
            .speed(Speed::Fixed)
            .key_store(store.clone())
            .window(5);
        builder.threads(count).build().unwrap()
    });
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (population, engine) = (&population, &engines[thread % 2]);
            scope.spawn(move || {
                for i in 0..rounds(2, 12) {
                    let numbers = population.numbers(i * 97 + thread * 31, 60 + 50 * thread);
                    population.check(engine, &numbers);
                }
            });
        }
    });
    assert!(store.stats().bytes_used <= 120 << 10);
}

/// Many more rows than are planned together. Most are malformed, which costs little; the others are
/// at the ends of the sections and sometimes between.
#[test]
fn sections_of_a_large_call() {
    let population = Population::new(64, 40);
    let sections = 1 << 16;
    let count = 2 * sections + 1000;
    let is_of_interest = |row: usize| {
        let at_end = [0, sections, 2 * sections, count]
            .iter()
            .any(|&end| row.abs_diff(end) < 5);
        at_end || row.is_multiple_of(rounds(4001, 257))
    };
    let mut keys = population.rows.iter().map(|row| &row.key);
    let junk = Row::new(
        Algorithm::ES256,
        keys.find(|key| key.len() == 65).unwrap(),
        population.rows[0].row().input,
        &[0; 64],
        SignatureFormat::P1363,
    );
    let rows: Vec<Row<'_>> = (0..count)
        .map(|row| match is_of_interest(row) {
            true => population.rows[row % population.rows.len()].row(),
            false => junk,
        })
        .collect();
    for count in [1, 3] {
        let engine = Engine::builder()
            .speed(Speed::Fixed)
            .threads(count)
            .build()
            .unwrap();
        let verdicts = engine.verify(&Rows::from(&rows));
        assert_eq!(verdicts.judged(), rows.len());
        for (row, verdict) in verdicts.as_slice().iter().enumerate() {
            if is_of_interest(row) {
                let expected = population.expected[row % population.rows.len()];
                assert_eq!(*verdict, expected, "row {row}");
            } else {
                let is_junk = matches!(verdict, Err(Error::RZero | Error::KeyNotOnCurve));
                assert!(is_junk, "row {row}: {verdict:?}");
            }
        }
    }
}

/// More keys in a call than the store remembers, all but one occurring once, and one hot key.
#[test]
fn a_flood_of_keys() {
    let hot = valid_row(5, 1);
    let mut rng = sigmill_tests::numbers::rng(65);
    let count = rounds(300, 6000);
    let mut keys = vec![];
    for i in 0..count {
        let mut key = [2_u8; 33];
        rand_chacha::rand_core::Rng::fill_bytes(&mut rng, &mut key[1..]);
        match i % 3 {
            0 => keys.extend_from_slice(&hot.key[..]),
            // Half of these are on the curve.
            _ => keys.extend([&key[..], &[0; 32]].concat()),
        }
    }
    // The flood's keys are 33 bytes, the hot one has 65.
    let ends: Vec<&[u8]> = keys
        .chunks(65)
        .map(|key| if key[0] == 4 { key } else { &key[..33] })
        .collect();
    let engine = Engine::builder()
        .speed(Speed::Fixed)
        .key_memory(64 << 10)
        .build()
        .unwrap();
    let rows = Rows::new(
        Algorithm::ES256,
        Column::slices(&ends),
        Inputs::Digests(Column::same(&hot.message)),
        Signatures::P1363(Column::same(&hot.signature)),
    )
    .unwrap();
    let verdicts = engine.verify(&rows);
    for (i, verdict) in verdicts.as_slice().iter().enumerate() {
        let is_of_the_flood = matches!(
            verdict,
            Err(Error::SignatureMismatch | Error::KeyNotOnCurve)
        );
        assert_eq!(verdict.is_ok(), i % 3 == 0);
        assert_eq!(is_of_the_flood, i % 3 != 0, "{verdict:?}");
    }
    assert_eq!(verdicts.valid(), count / 3);
    assert!(engine.key_store().stats().table_bytes <= 64 << 10);
    assert!(engine.stats().prepared >= count as u64 / 3);
}

#[test]
fn no_number_of_threads_is_what_the_machine_runs_side_by_side() {
    let row = valid_row(2, 1);
    let rows = vec![row.row(); 300];
    let machine = std::thread::available_parallelism().map_or(1, usize::from);
    for (asked, count) in [(0, machine), (1, 1), (2, 2)] {
        let builder = Engine::builder().speed(Speed::Fixed).threads(asked);
        let engine = builder.build().unwrap();
        let text = format!("{engine:?}");
        assert!(text.contains(&format!("threads: {count},")), "{text}");
        assert!(engine.verify(&Rows::from(&rows)).all_valid());
    }
}

/// Runs the same in separate processes, each limited to one backend.
#[test]
fn every_backend() {
    on_every_backend(
        "bulk::calls::every_size_of_a_call",
        "bulk::calls::every_size_of_a_call",
    );
}
