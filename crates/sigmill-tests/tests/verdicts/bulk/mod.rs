//! The engine: a row's verdict is that of the single call, whatever the other rows.

mod arrow;
mod calls;
mod columns;
mod control;
mod hinted;
mod hints_wanted;
mod memory;
mod parsed_keys;
mod plans;
mod recover;
mod shapes;
mod signed;
mod single_rows;
mod streams;

use num_bigint::BigUint;
use rand_chacha::rand_core::Rng;
use sigmill::bulk::{Engine, Field, Input, Row, Rows, ShapeError, Speed, Verdicts};
use sigmill::{
    Algorithm, AnyVerifyingKey, CurveName, Error, HashName, Policy, SignatureFormat, VerifyOptions,
};

use sigmill_tests::der::der_signature;
use sigmill_tests::numbers::{big, hex_bytes, invert, random_nonzero, rng, to_bytes};
use sigmill_tests::referee::{Forged, Referee, digest_integer, sign};

/// An engine with this number of threads.
fn engine(threads: usize) -> Engine {
    Engine::builder()
        .speed(Speed::Fixed)
        .threads(threads)
        .window(4)
        .build()
        .unwrap()
}

/// Checks the error for a column of another length than those before it.
#[track_caller]
fn check_length(error: &ShapeError, field: Field, expected: usize, actual: usize) {
    assert_eq!((error.field(), error.reason()), (Some(field), "length"));
    let rule = format!("must have {expected} rows as those before it, not {actual}");
    assert_eq!(error.to_string(), format!("{field}: the column {rule}"));
}

/// A row that owns its bytes.
#[derive(Clone)]
struct Owned {
    algorithm: Algorithm,
    key: Vec<u8>,
    /// The message, or its digest.
    message: Vec<u8>,
    hashed: bool,
    signature: Vec<u8>,
    format: SignatureFormat,
}

impl Owned {
    fn row(&self) -> Row<'_> {
        Row::new(
            self.algorithm,
            &self.key,
            if self.hashed {
                Input::Digest(&self.message)
            } else {
                Input::Message(&self.message)
            },
            &self.signature,
            self.format,
        )
    }

    /// The verdict of the calls for a single signature.
    fn single(&self, policy: Policy) -> Result<(), Error> {
        let key = AnyVerifyingKey::from_encoded(Some(self.algorithm.curve), &self.key)?;
        let digest = self.algorithm.hash.digest(&self.message);
        let digest = if self.hashed {
            &self.message[..]
        } else {
            &digest
        };
        let options = VerifyOptions::new().policy(policy);
        key.verify_with(
            Input::Digest(digest),
            &self.signature,
            self.format,
            &options,
        )
    }
}

/// Rows of a few keys in several encodings, a third of them damaged in various ways.
fn mixed_rows(seed: u64, count: usize) -> Vec<Owned> {
    let mut rng = rng(seed);
    let referees: Vec<_> = CurveName::ALL
        .iter()
        .map(|&name| Referee::new(name))
        .collect();
    let spki = [
        "3059301306072a8648ce3d020106082a8648ce3d030107034200",
        "3056301006072a8648ce3d020106052b8104000a034200",
        "305a301406072a8648ce3d020106092b2403030208010107034200",
        "3076301006072a8648ce3d020106052b81040022036200",
        "30819b301006072a8648ce3d020106052b8104002303818600",
    ];
    assert_eq!(spki.len(), referees.len(), "in the order of the list");
    let mut rows: Vec<Owned> = vec![];
    for i in 0..count {
        // P-256 is more frequent than the others.
        let which = (rng.next_u32() as usize % (referees.len() + 1)).saturating_sub(1);
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
            algorithm: Algorithm::new(referee.name, hash),
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
            7 => row.algorithm.curve = CurveName::ALL[(which + 1) % referees.len()],
            8 => row.format = SignatureFormat::Der,
            _ => {}
        }
        rows.push(row);
    }
    rows
}

/// Signatures that an attacker would craft: sums that are infinity or end with a doubling, scalars
/// that are 0 or small, digests that are 0 or not below the order. Some are valid, some are not.
fn crafted_rows(seed: u64) -> Vec<Owned> {
    let mut rng = rng(seed);
    let mut rows = vec![];
    for &name in CurveName::ALL {
        let referee = Referee::new(name);
        let n = &referee.n;
        let row = |case: &Forged, digest: Vec<u8>| {
            let scalars = [&case.r, &case.s].map(|value| to_bytes(value, referee.length()));
            Owned {
                algorithm: name.default_algorithm(),
                key: case.key.clone(),
                message: digest,
                hashed: true,
                signature: scalars.concat(),
                format: SignatureFormat::P1363,
            }
        };
        for d in [big(1), big(2), n - 1u32, random_nonzero(&mut rng, n)] {
            let u2 = random_nonzero(&mut rng, n);
            let meeting = &u2 * &d % n;
            let scalars: [(BigUint, BigUint); 6] = [
                // u1 G = u2 Q.
                (meeting.clone(), u2.clone()),
                // u1 = 0, so that the digest is 0.
                (big(0), u2.clone()),
                (big(1), big(1)),
                (big(64), n - 1u32),
                (n - 1u32, big(2)),
                (&meeting + 1u32, u2.clone()),
            ];
            for (u1, u2) in scalars {
                if let Some(case) = referee.forge(&d, &(u1 % n), &u2) {
                    rows.push(row(&case, referee.digest(&case.e)));
                    // The same e, plus the order if the digest has room for it.
                    let above = &case.e + n;
                    if above.bits() <= n.bits() {
                        rows.push(row(&case, referee.digest(&above)));
                    }
                }
            }
            // u1 G = -u2 Q: the sum is infinity, for any r.
            let r = random_nonzero(&mut rng, n);
            let s = &r * invert(&u2, n) % n;
            let e = (n - &meeting) * &s % n;
            let key = referee.generator_multiple(&d);
            let case = Forged { key, e, r, s };
            rows.push(row(&case, referee.digest(&case.e)));
            // A digest of all ones.
            let digest = vec![0xff; referee.length()];
            let k = random_nonzero(&mut rng, n);
            let (r, s) = sign(&referee, &d, &k, &digest_integer(&digest, n));
            rows.push(row(&Forged { r, s, ..case }, digest));
        }
    }
    rows
}

/// Rows of every kind in random order, with the verdicts of the single calls.
struct Population {
    rows: Vec<Owned>,
    expected: Vec<Result<(), Error>>,
}

impl Population {
    fn new(seed: u64, mixed: usize) -> Self {
        let mut rows = mixed_rows(seed, mixed);
        rows.extend(crafted_rows(seed));
        // Fisher-Yates shuffle.
        let mut rng = rng(seed);
        for i in (1..rows.len()).rev() {
            rows.swap(i, rng.next_u32() as usize % (i + 1));
        }
        let expected: Vec<_> = rows
            .iter()
            .map(|row| row.single(Policy::default()))
            .collect();
        let valid = expected.iter().filter(|verdict| verdict.is_ok()).count();
        assert!(
            valid > rows.len() / 4 && valid < 9 * rows.len() / 10,
            "{valid}"
        );
        Self { rows, expected }
    }

    /// The numbers of `count` rows from `start` on, wrapping around at the end.
    fn numbers(&self, start: usize, count: usize) -> Vec<usize> {
        let numbers = (0..self.rows.len()).cycle();
        numbers.skip(start % self.rows.len()).take(count).collect()
    }

    /// Judges the rows with these numbers in one call.
    #[track_caller]
    fn check(&self, engine: &Engine, numbers: &[usize]) -> Verdicts {
        let rows: Vec<Row<'_>> = numbers.iter().map(|&i| self.rows[i].row()).collect();
        let verdicts = engine.verify(&Rows::from(&rows));
        self.check_verdicts(&verdicts, numbers);
        verdicts
    }

    /// Compares the verdicts of the rows with these numbers, and their counts.
    #[track_caller]
    fn check_verdicts(&self, verdicts: &Verdicts, numbers: &[usize]) {
        assert_eq!(verdicts.len(), numbers.len());
        for (place, &i) in numbers.iter().enumerate() {
            assert_eq!(
                verdicts.get(place),
                self.expected[i],
                "row {i} at {place} of {}",
                numbers.len()
            );
        }
        let valid = numbers
            .iter()
            .filter(|&&i| self.expected[i].is_ok())
            .count();
        assert_eq!(verdicts.valid(), valid);
        assert_eq!(verdicts.rejected(), numbers.len() - valid);
        assert_eq!(verdicts.judged(), numbers.len());
        assert_eq!(
            verdicts.reasons().values().sum::<usize>(),
            verdicts.rejected()
        );
    }
}

/// A valid row on P-256 under private key `d`, with the digest of `message`.
fn valid_row(d: u64, message: u64) -> Owned {
    let referee = Referee::new(CurveName::P256);
    let digest = HashName::Sha256.digest(&message.to_be_bytes());
    let e = digest_integer(&digest, &referee.n);
    let (r, s) = sign(&referee, &big(d), &big(message + 77), &e);
    let scalars = [r, s].map(|value| to_bytes(&value, 32));
    Owned {
        algorithm: Algorithm::ES256,
        key: referee.generator_multiple(&big(d)),
        message: digest.to_vec(),
        hashed: true,
        signature: scalars.concat(),
        format: SignatureFormat::P1363,
    }
}
