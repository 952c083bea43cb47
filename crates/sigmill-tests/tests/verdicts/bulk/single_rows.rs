//! The engine's verdict on a single row: several threads, with memory for all tables, for few and
//! for none.

use super::mixed_rows;
use sigmill::bulk::{Engine, Input, Row, Speed};
use sigmill::{Algorithm, CurveName, Error, HashName, Policy, SignatureFormat};
use sigmill_tests::der::der_signature;
use sigmill_tests::numbers::big;
use sigmill_tests::referee::{Referee, digest_integer, sign};
use sigmill_tests::rounds;

#[test]
fn verdicts_equal_those_of_single_calls() {
    let rows = mixed_rows(51, rounds(250, 3000));
    for policy in [Policy::default(), Policy::LOW_S] {
        let expected: Vec<_> = rows.iter().map(|row| row.single(policy)).collect();
        let valid = expected.iter().filter(|verdict| verdict.is_ok()).count();
        assert!(valid > rows.len() / 8 && valid < rows.len());
        assert_eq!(
            expected.contains(&Err(Error::HighS)),
            policy == Policy::LOW_S
        );
        // Tables for all keys, for one or two of window 5, and for none.
        for (memory, window) in [(256 << 20, 4), (160 << 10, 5), (60 << 10, 5), (0, 7)] {
            let builder = Engine::builder()
                .speed(Speed::Fixed)
                .key_memory(memory)
                .window(window)
                .policy(policy);
            let engine = builder.build().unwrap();
            std::thread::scope(|scope| {
                for start in 0..3 {
                    let (engine, rows, expected) = (&engine, &rows, &expected);
                    scope.spawn(move || {
                        // Each thread uses a different order, so that they meet at the same keys.
                        for i in (0..rows.len()).map(|i| (i * (2 * start + 1) + start) % rows.len())
                        {
                            assert_eq!(engine.verify_row(&rows[i].row()), expected[i], "row {i}");
                        }
                    });
                }
            });
            let stats = engine.stats();
            let held = engine.key_store().stats();
            assert!(held.table_bytes <= memory as u64);
            assert_eq!(stats.tables_built == 0, memory == 0);
            assert_eq!(stats.prepared == 0, memory == 0);
            // Five private keys on five curves, and keys that a flipped bit turned into others.
            assert!((25..=50).contains(&held.distinct_keys), "{held:?}");
            assert!(!held.distinct_keys_saturated);
        }
    }
}

#[test]
fn a_row_of_the_wrong_curve_or_hash_is_not_mixed_up_with_a_known_one() {
    let referee = Referee::new(CurveName::P256);
    let key = referee.generator_multiple(&big(9));
    let engine = Engine::builder()
        .speed(Speed::Fixed)
        .window(3)
        .build()
        .unwrap();
    let digest = HashName::Sha256.digest(b"message");
    let (r, s) = sign(
        &referee,
        &big(9),
        &big(5),
        &digest_integer(&digest, &referee.n),
    );
    let signature = der_signature(&r, &s);
    let row = |algorithm, input| {
        let (key, signature) = (&key[..], &signature[..]);
        Row::new(algorithm, key, input, signature, SignatureFormat::Auto)
    };
    for _ in 0..20 {
        assert_eq!(
            engine.verify_row(&row(Algorithm::ES256, Input::Message(b"message"))),
            Ok(())
        );
        assert_eq!(
            engine.verify_row(&row(Algorithm::ES256, Input::Digest(&digest))),
            Ok(())
        );
        let mismatch = Err(Error::SignatureMismatch);
        assert_eq!(
            engine.verify_row(&row(Algorithm::ES256, Input::Digest(b"message"))),
            mismatch
        );
        let other = Algorithm::new(CurveName::P256, HashName::Sha512);
        assert_eq!(
            engine.verify_row(&row(other, Input::Message(b"message"))),
            mismatch
        );
        let expected = Err(Error::KeyLength {
            expected: 97,
            actual: 65,
        });
        assert_eq!(
            engine.verify_row(&row(Algorithm::ES384, Input::Message(b"message"))),
            expected
        );
    }
    assert_eq!(engine.key_store().stats().distinct_keys, 1);
    assert_eq!(engine.stats().tables_built, 1);
}
