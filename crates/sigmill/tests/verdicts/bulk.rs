//! The verdict of the engine is that of the single call: good, bad, malformed and crafted rows,
//! from several threads, with memory for all tables, for few and for none.

use crate::common::der::der_signature;
use crate::common::numbers::{big, hex_bytes, random_nonzero, rng, to_bytes};
use crate::common::referee::{Referee, digest_integer, sign};
use crate::common::rounds;
use rand_chacha::rand_core::Rng;
use sigmill::bulk::{Engine, Input, Row};
use sigmill::{Algorithm, AnyVerifyingKey, CurveName, Error, HashName, Policy, SignatureFormat};

/// A row that owns its bytes.
struct Owned {
    algorithm: Algorithm,
    key: Vec<u8>,
    message: Vec<u8>,
    hashed: bool,
    signature: Vec<u8>,
    format: SignatureFormat,
}

impl Owned {
    fn row(&self) -> Row<'_> {
        Row {
            algorithm: self.algorithm,
            key: &self.key,
            input: if self.hashed {
                Input::Digest(&self.message)
            } else {
                Input::Message(&self.message)
            },
            signature: &self.signature,
            format: self.format,
        }
    }

    /// What the calls for a single signature say.
    fn single(&self, policy: Policy) -> Result<(), Error> {
        let key = AnyVerifyingKey::from_encoded(Some(self.algorithm.curve), &self.key)?;
        let digest = self.algorithm.hash.digest(&self.message);
        let digest = if self.hashed {
            &self.message[..]
        } else {
            &digest
        };
        key.verify_prehash(digest, &self.signature, self.format, policy)
    }
}

/// Rows of a few keys in several encodings, a third of them spoilt in one way or another.
fn rows(seed: u64, count: usize) -> Vec<Owned> {
    let mut rng = rng(seed);
    let referees: Vec<_> = CurveName::ALL
        .iter()
        .map(|&name| Referee::new(name))
        .collect();
    let spki = [
        "3059301306072a8648ce3d020106082a8648ce3d030107034200",
        "3076301006072a8648ce3d020106052b81040022036200",
    ];
    let mut rows: Vec<Owned> = vec![];
    for i in 0..count {
        let which = usize::from(rng.next_u32().is_multiple_of(4));
        let referee = &referees[which];
        let d = big([1, 2, 3, 0xabcd, 0x1234_5678][rng.next_u32() as usize % 5]);
        let full = referee.generator_multiple(&d);
        let hash = HashName::ALL[rng.next_u32() as usize % 3];
        let message: Vec<u8> = (0..rng.next_u32() % 70)
            .map(|_| rng.next_u32() as u8)
            .collect();
        let digest = hash.digest(&message);
        let k = random_nonzero(&mut rng, &referee.n);
        let (r, s) = sign(referee, &d, &k, &digest_integer(&digest, &referee.n));
        let p1363 = [
            to_bytes(&r, referee.length()),
            to_bytes(&s, referee.length()),
        ]
        .concat();
        let hashed = rng.next_u32().is_multiple_of(2);
        let (signature, format) = match rng.next_u32() % 3 {
            0 => (p1363, SignatureFormat::P1363),
            1 => (der_signature(&r, &s), SignatureFormat::Der),
            _ => (p1363, SignatureFormat::Auto),
        };
        let mut row = Owned {
            algorithm: Algorithm {
                curve: referee.name,
                hash,
            },
            key: match rng.next_u32() % 3 {
                0 => referee.compress(&full),
                1 => [hex_bytes(spki[which]), full].concat(),
                _ => full,
            },
            message: if hashed { digest.to_vec() } else { message },
            hashed,
            signature,
            format,
        };
        match i % 12 {
            0 => *row.signature.last_mut().unwrap() ^= 1,
            1 => row
                .signature
                .truncate(rng.next_u32() as usize % row.signature.len()),
            2 => *row.key.last_mut().unwrap() ^= 1,
            3 => row.key.truncate(rng.next_u32() as usize % row.key.len()),
            4 => row.message.push(7),
            5 => row.signature.iter_mut().for_each(|byte| *byte = 0),
            6 if row.hashed => row.message.clear(),
            7 => row.algorithm.curve = CurveName::ALL[1 - which],
            8 => row.format = SignatureFormat::Der,
            _ => {}
        }
        rows.push(row);
    }
    rows
}

#[test]
fn verdicts_equal_those_of_single_calls() {
    let rows = rows(51, rounds(250, 3000));
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
                .key_memory(memory)
                .window(window)
                .policy(policy);
            let engine = builder.build().unwrap();
            std::thread::scope(|scope| {
                for start in 0..3 {
                    let (engine, rows, expected) = (&engine, &rows, &expected);
                    scope.spawn(move || {
                        // Each thread in its own order, so that they meet at the same keys.
                        for i in (0..rows.len()).map(|i| (i * (2 * start + 1) + start) % rows.len())
                        {
                            assert_eq!(engine.verify_row(&rows[i].row()), expected[i], "row {i}");
                        }
                    });
                }
            });
            let stats = engine.stats();
            assert!(stats.table_bytes <= memory as u64);
            assert_eq!(stats.tables_built == 0, memory == 0);
            assert_eq!(stats.prepared == 0, memory == 0);
            // Five private keys on two curves, and none that is broken but usable.
            assert!((10..=16).contains(&stats.distinct_keys), "{stats:?}");
            assert!(!stats.distinct_keys_saturated);
        }
    }
}

#[test]
fn a_row_of_the_wrong_curve_or_hash_is_not_mixed_up_with_a_known_one() {
    let referee = Referee::new(CurveName::P256);
    let key = referee.generator_multiple(&big(9));
    let engine = Engine::builder().window(3).build().unwrap();
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
        Row {
            algorithm,
            key,
            input,
            signature,
            format: SignatureFormat::Auto,
        }
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
        let other = Algorithm {
            hash: HashName::Sha512,
            ..Algorithm::ES256
        };
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
    assert_eq!(engine.stats().distinct_keys, 1);
    assert_eq!(engine.stats().tables_built, 1);
}
