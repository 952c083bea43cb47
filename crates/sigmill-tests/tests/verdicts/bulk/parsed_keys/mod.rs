//! Rows with parsed keys: their verdicts equal those of encoded keys and of single calls.

mod tables;

use std::collections::HashSet;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;

use super::{Owned, Population, check_length, engine, valid_row};
use sigmill::bulk::{
    Algorithms, Column, Control, Engine, Field, Input, Inputs, Keys, Plan, Rows, ShapeError,
    Signatures, Speed, map_in_order,
};
use sigmill::keys::TableCoordinate;
use sigmill::{
    Algorithm, AnyVerifyingKey, CurveName, Error, Policy, SignatureFormat, VerifyOptions,
};
use sigmill_tests::numbers::hex_bytes;
use sigmill_tests::rounds;

/// The fields of owned rows as columns, with their keys parsed.
struct Columns<'a> {
    algorithms: Vec<Algorithm>,
    /// Each row's own copy.
    keys: Vec<AnyVerifyingKey>,
    inputs: Vec<Input<'a>>,
    signatures: Vec<&'a [u8]>,
    format: SignatureFormat,
}

impl<'a> Columns<'a> {
    /// The rows in one format. Rows with a malformed key get another row's key.
    fn new(rows: &'a [Owned], format: SignatureFormat) -> Self {
        let parse =
            |row: &Owned| AnyVerifyingKey::from_encoded(Some(row.algorithm.curve), &row.key);
        let usable: Vec<AnyVerifyingKey> = rows.iter().filter_map(|row| parse(row).ok()).collect();
        let rows: Vec<&Owned> = rows.iter().filter(|row| row.format == format).collect();
        let key = |(i, row): (usize, &&Owned)| parse(row).unwrap_or(usable[i % usable.len()]);
        Self {
            algorithms: rows.iter().map(|row| row.algorithm).collect(),
            keys: rows.iter().enumerate().map(key).collect(),
            inputs: rows.iter().map(|row| row.row().input).collect(),
            signatures: rows.iter().map(|row| &row.signature[..]).collect(),
            format,
        }
    }

    fn len(&self) -> usize {
        self.keys.len()
    }

    /// A key for each row: equal ones at one address or at several.
    fn parsed(&self) -> Vec<&AnyVerifyingKey> {
        let at = |i: usize| {
            let mut equal = (0..=i).filter(|&j| self.keys[j] == self.keys[i]);
            equal.nth(i % 3).unwrap_or(i)
        };
        (0..self.len()).map(|i| &self.keys[at(i)]).collect()
    }

    fn rows<'r>(&'r self, keys: impl Into<Keys<'r>>, range: Range<usize>) -> Rows<'r> {
        Rows::new(
            &self.algorithms[range.clone()],
            keys,
            Inputs::Each(&self.inputs[range.clone()]),
            Signatures::new(self.format, Column::slices(&self.signatures[range])),
        )
        .unwrap()
    }

    /// The verdict of the single call on a row.
    fn single(&self, row: usize, policy: Policy) -> Result<(), Error> {
        let (key, algorithm) = (&self.keys[row], self.algorithms[row]);
        if key.curve() != algorithm.curve {
            return Err(Error::KeyCurveMismatch {
                expected: algorithm.curve,
                actual: key.curve(),
            });
        }
        let hashed;
        let digest = match self.inputs[row] {
            Input::Digest(digest) => digest,
            Input::Message(message) => {
                hashed = algorithm.hash.digest(message);
                &hashed
            }
            other => panic!("no row has {other:?}"),
        };
        let options = VerifyOptions::new().policy(policy);
        key.verify_with(
            Input::Digest(digest),
            self.signatures[row],
            self.format,
            &options,
        )
    }
}

impl Owned {
    fn parsed(&self) -> AnyVerifyingKey {
        AnyVerifyingKey::from_encoded(Some(self.algorithm.curve), &self.key).unwrap()
    }
}

/// Engines with memory for all tables, for few and for none, with one thread and several.
fn engines() -> Vec<(Engine, Policy)> {
    [
        (256 << 20, 1, Policy::default()),
        (160 << 10, 3, Policy::LOW_S),
        (0, 2, Policy::default()),
    ]
    .into_iter()
    .map(|(memory, threads, policy)| {
        let builder = Engine::builder()
            .speed(Speed::Fixed)
            .key_memory(memory)
            .window(5)
            .threads(threads)
            .policy(policy);
        (builder.build().unwrap(), policy)
    })
    .collect()
}

const FORMATS: [SignatureFormat; 3] = [
    SignatureFormat::P1363,
    SignatureFormat::Der,
    SignatureFormat::Auto,
];

#[test]
fn verdicts_are_those_of_encoded_rows_and_of_single_calls() {
    let population = Population::new(81, rounds(250, 2500));
    let mut mismatches = 0;
    for format in FORMATS {
        let columns = Columns::new(&population.rows, format);
        let (count, parsed) = (columns.len(), columns.parsed());
        assert!(count > 50);
        let is_on_its_curve =
            |row: usize| columns.keys[row].curve() == columns.algorithms[row].curve;
        for &curve in CurveName::ALL {
            assert!(
                (0..count).any(|row| is_on_its_curve(row) && columns.keys[row].curve() == curve)
            );
        }
        for compressed in [false, true] {
            let encoded: Vec<Vec<u8>> = columns
                .keys
                .iter()
                .map(|key| key.to_sec1_bytes(compressed))
                .collect();
            let encoded: Vec<&[u8]> = encoded.iter().map(|key| &key[..]).collect();
            for (engine, policy) in engines() {
                let expected: Vec<_> = (0..count).map(|row| columns.single(row, policy)).collect();
                for range in [0..count, 0..0, 3..4, 10..12, 5..50, 0..count, 0..1] {
                    let rows = columns.rows(&parsed[range.clone()], range.clone());
                    let verdicts = engine.verify(&rows);
                    assert_eq!(verdicts.as_slice(), &expected[range.clone()]);
                    let keys = Column::slices(&encoded[range.clone()]);
                    let others = engine.verify(&columns.rows(keys, range.clone()));
                    for (i, row) in range.enumerate() {
                        assert_eq!(is_on_its_curve(row), others.get(i) == verdicts.get(i));
                    }
                }
                let is_mismatch = |verdict: &Result<(), Error>| {
                    matches!(verdict, Err(Error::KeyCurveMismatch { .. }))
                };
                mismatches += expected
                    .iter()
                    .filter(|verdict| is_mismatch(verdict))
                    .count();
                assert!(expected.iter().any(Result::is_ok));
            }
        }
    }
    assert!(mismatches > 0);
}

#[test]
fn one_key_for_all_rows() {
    let population = Population::new(82, rounds(100, 600));
    let columns = Columns::new(&population.rows, SignatureFormat::P1363);
    for (engine, policy) in engines() {
        for key in [&columns.keys[0], &valid_row(3, 1).parsed()] {
            let columns = Columns {
                keys: vec![*key; columns.len()],
                algorithms: columns.algorithms.clone(),
                inputs: columns.inputs.clone(),
                signatures: columns.signatures.clone(),
                ..columns
            };
            let expected: Vec<_> = (0..columns.len())
                .map(|row| columns.single(row, policy))
                .collect();
            for range in [0..columns.len(), 4..5, 2..2] {
                let rows = columns.rows(key, range.clone());
                assert_eq!(engine.verify(&rows).as_slice(), &expected[range]);
            }
            // All rows on one curve, which may not be the key's.
            for &curve in CurveName::ALL {
                let columns = Columns {
                    algorithms: vec![curve.default_algorithm(); columns.len()],
                    keys: columns.keys.clone(),
                    inputs: columns.inputs.clone(),
                    signatures: columns.signatures.clone(),
                    ..columns
                };
                let rows = Rows::new(
                    curve.default_algorithm(),
                    key,
                    Inputs::Each(&columns.inputs),
                    Signatures::P1363(Column::slices(&columns.signatures)),
                )
                .unwrap();
                for (row, verdict) in engine.verify(&rows).as_slice().iter().enumerate() {
                    assert_eq!(*verdict, columns.single(row, policy), "{curve} {row}");
                }
            }
        }
    }
}

#[test]
fn columns_have_one_length() {
    let row = valid_row(1, 1);
    let key = row.parsed();
    let make = |algorithms: Algorithms<'_>,
                keys: Keys<'_>,
                signatures: usize|
     -> Result<usize, ShapeError> {
        let signatures = vec![&row.signature[..]; signatures];
        let rows = Rows::new(
            algorithms,
            keys,
            Inputs::Digests(Column::same(&row.message)),
            Signatures::P1363(Column::slices(&signatures)),
        )?;
        let verdicts = engine(1).verify(&rows);
        assert!(verdicts.all_valid());
        Ok(verdicts.len())
    };
    let (same, each) = (Algorithms::Same(row.algorithm), [row.algorithm; 3]);
    let each = Algorithms::Each(&each);
    let keys = vec![&key; 4];
    assert_eq!(make(same, Keys::from(&keys), 4), Ok(4));
    assert_eq!(make(each, Keys::from(&keys[..3]), 3), Ok(3));
    assert_eq!(make(each, Keys::from(&key), 3), Ok(3));
    assert_eq!(make(same, Keys::from(&keys[..0]), 0), Ok(0));
    assert_eq!(make(same, Keys::from(&key), 0), Ok(0));
    for (rows, field, expected, actual) in [
        (make(each, Keys::from(&keys), 3), Field::Key, 3, 4),
        (make(same, Keys::from(&keys), 3), Field::Signature, 4, 3),
        (
            make(same, Keys::from(&keys[..0]), 1),
            Field::Signature,
            0,
            1,
        ),
    ] {
        check_length(&rows.unwrap_err(), field, expected, actual);
    }
    let without_length = Rows::new(
        row.algorithm,
        &key,
        Inputs::Digests(Column::same(&row.message)),
        Signatures::P1363(Column::same(&row.signature)),
    );
    assert_eq!(without_length.unwrap_err().reason(), "no-length");
}

/// Rows that are all equal to this one, with the given keys.
fn repeated<'a>(row: &'a Owned, keys: impl Into<Keys<'a>>, signatures: &'a [&'a [u8]]) -> Rows<'a> {
    Rows::new(
        row.algorithm,
        keys,
        Inputs::Digests(Column::same(&row.message)),
        Signatures::P1363(Column::slices(signatures)),
    )
    .unwrap()
}

/// The keys i G of P-256 for `count` different i, the first of which is 1.
fn points(count: usize) -> Vec<AnyVerifyingKey> {
    let generator = valid_row(1, 0).parsed();
    let table = generator.prepare_with_window(10).unwrap();
    let key = |[x, y]: [TableCoordinate; 2]| {
        AnyVerifyingKey::from_coordinates(CurveName::P256, &x.bytes, &y.bytes).unwrap()
    };
    let keys: Vec<AnyVerifyingKey> = table.coordinates().take(count).map(key).collect();
    assert!(keys.len() == count && keys[0] == generator);
    keys
}

#[test]
fn thousands_of_keys() {
    let count = rounds(1500, 9000);
    let row = valid_row(1, 5);
    // Each key twice, at two addresses; sometimes one on another curve.
    let [mut keys, again] = [0, 1].map(|_| points(count));
    let another = AnyVerifyingKey::from_sec1_bytes(
        CurveName::Secp256k1,
        &hex_bytes("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"),
    )
    .unwrap();
    keys.extend(again);
    let mut of_row: Vec<&AnyVerifyingKey> = keys.iter().collect();
    for row in (1..of_row.len()).step_by(101) {
        of_row[row] = &another;
    }
    let mismatch = Error::KeyCurveMismatch {
        expected: CurveName::P256,
        actual: CurveName::Secp256k1,
    };
    let signatures = vec![&row.signature[..]; of_row.len()];
    let rows = repeated(&row, &of_row, &signatures);
    for (memory, threads) in [(64 << 20, 1), (0, 3)] {
        let builder = Engine::builder().speed(Speed::Fixed).key_memory(memory);
        let engine = builder.threads(threads).build().unwrap();
        let plan = engine.explain(&rows);
        let verdicts = engine.verify_with(&rows, &Control::default().explain(true));
        for (key, verdict) in of_row.iter().zip(verdicts.as_slice()) {
            let expected = match *key {
                key if *key == another => Err(mismatch),
                key if *key == keys[0] => Ok(()),
                _ => Err(Error::SignatureMismatch),
            };
            assert_eq!(*verdict, expected);
        }
        assert_eq!(verdicts.valid(), 2);
        let different = of_row.iter().filter(|key| ***key != another);
        let different = different.collect::<HashSet<_>>().len() as u64;
        let planned = plan.groups().iter().map(|group| group.keys);
        assert_eq!(planned.sum::<u64>(), different + 1);
        if memory > 0 {
            let shape = |plan: &Plan| -> Vec<_> {
                let groups = plan.groups().iter();
                groups
                    .map(|group| (group.strategy, group.window, group.keys, group.rows))
                    .collect()
            };
            assert_eq!(shape(verdicts.plan().unwrap()), shape(&plan));
            assert_eq!(engine.key_store().stats().distinct_keys, different);
        }
    }
}

/// Several sections, on one thread and on more, and as batches of a stream. Most rows are
/// malformed, which costs little.
#[test]
fn sections_and_streams() {
    let section = 1 << 16;
    let count = 2 * section + 100;
    let good: Vec<Owned> = (1..4).map(|d| valid_row(d, 3)).collect();
    let keys: Vec<AnyVerifyingKey> = good.iter().map(Owned::parsed).collect();
    let is_good = |row: usize| row.is_multiple_of(rounds(4001, 257)) || (row + 1) % section < 3;
    let of_row: Vec<&AnyVerifyingKey> = (0..count).map(|row| &keys[row % 3]).collect();
    let junk = [0; 64];
    let signatures: Vec<&[u8]> = (0..count)
        .map(|row| match is_good(row) {
            true => &good[row % 3].signature[..],
            false => &junk[..],
        })
        .collect();
    let rows = repeated(&good[0], &of_row, &signatures);
    let check = |verdicts: &[Result<(), Error>]| {
        assert_eq!(verdicts.len(), count);
        for (row, verdict) in verdicts.iter().enumerate() {
            let expected = if is_good(row) {
                Ok(())
            } else {
                Err(Error::RZero)
            };
            assert_eq!(*verdict, expected, "row {row}");
        }
    };
    for threads in [1, 3] {
        let engine = engine(threads);
        check(engine.verify(&rows).as_slice());
        let batches = of_row.chunks(1000).zip(signatures.chunks(1000));
        let batches = batches.map(|(keys, signatures)| repeated(&good[0], keys, signatures));
        let mut verdicts = vec![];
        let (judge, stop) = (|rows| engine.verify(&rows), AtomicBool::new(false));
        let stream = map_in_order(
            threads,
            4,
            &stop,
            batches,
            || judge,
            |batch| {
                verdicts.extend_from_slice(batch.as_slice());
                ControlFlow::Continue(())
            },
        );
        assert_eq!(stream, Ok(()));
        check(&verdicts);
        assert_eq!(engine.key_store().stats().distinct_keys, 3);
    }
}
