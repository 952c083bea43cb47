//! The engine: verdicts on all rows of all curves at once, its plans, and the contents of its
//! store.

use std::sync::Arc;

use sigmill::bulk::{
    Algorithms, Column, Engine, Input, Inputs as Digests, KeyStore, Plan, Row, Rows, Signatures,
    Speed,
};
use sigmill::{Error, SignatureFormat};

use crate::inputs::Inputs;
use crate::transcript::{Section, Transcript};

/// Enough for every table that pays for the rows.
const MEMORY: usize = 16 << 20;

pub(crate) fn sections(transcript: &mut Transcript, inputs: &[Inputs]) {
    let keys = Encoded::of(inputs);
    let rows = keys.rows(inputs);
    let expected: Vec<_> = inputs
        .iter()
        .flat_map(|inputs| inputs.rows.iter().map(|row| row.verdict))
        .collect();
    let store = Arc::new(KeyStore::new(MEMORY));
    let engine = engine(&store);
    // The first call builds tables, the second uses them.
    for call in ["first", "second"] {
        transcript.section(format!("bulk/plan-of-{call}-call"), |section| {
            plan(section, &engine.explain(&Rows::from(&rows[..])));
        });
        transcript.section(format!("bulk/verdicts-of-{call}-call"), |section| {
            let verdicts = engine.verify(&Rows::from(&rows[..]));
            assert_eq!(verdicts.as_slice(), expected, "bulk: {call} call");
            verdicts
                .as_slice()
                .iter()
                .for_each(|verdict| section.verdict(*verdict));
        });
    }
    transcript.section("bulk/columns", |section| {
        for engine in [without_store(1), without_store(2)] {
            columns(section, &engine, &inputs[0]);
        }
    });
    transcript.section("bulk/key-store", |section| {
        let stats = store.stats();
        section.number(stats.tables);
        section.number(stats.table_bytes);
        section.number(stats.distinct_keys);
        section.bytes(saved(&store));
        // The largest memory that a CPU can address.
        let boundless = KeyStore::new(usize::MAX);
        let pinned = boundless.pin(&inputs[0].public_keys[0], 2);
        section.verdict(pinned);
        section.bytes(saved(&boundless));
    });
}

/// An engine with the same plans on every CPU.
pub(crate) fn engine(store: &Arc<KeyStore>) -> Engine {
    let engine = Engine::builder().speed(Speed::Fixed).window(5);
    let engine = engine.key_store(Arc::clone(store));
    engine.build().expect("one thread")
}

/// The store as saved.
pub(crate) fn saved(store: &KeyStore) -> Vec<u8> {
    let mut bytes = vec![];
    store.save(&mut bytes).expect("memory");
    bytes
}

/// An engine with this number of threads, on targets with threads.
fn without_store(threads: usize) -> Engine {
    let threads = if cfg!(target_family = "wasm") {
        1
    } else {
        threads
    };
    let engine = Engine::builder().speed(Speed::Fixed).key_memory(0);
    let engine = engine.threads(threads);
    engine.build().expect("threads")
}

/// The public keys of every curve, each in one of its encodings.
pub(crate) struct Encoded(Vec<Vec<Vec<u8>>>);

impl Encoded {
    pub(crate) fn of(inputs: &[Inputs]) -> Self {
        let of_curve = |inputs: &Inputs| {
            let keys = inputs.public_keys.iter().enumerate();
            let encoded = keys.map(|(number, key)| match number % 3 {
                0 => key.to_sec1_bytes(false),
                1 => key.to_sec1_bytes(true),
                _ => key.to_public_key_der(),
            });
            encoded.collect()
        };
        Self(inputs.iter().map(of_curve).collect())
    }

    /// Every row of every curve.
    pub(crate) fn rows<'a>(&'a self, inputs: &'a [Inputs]) -> Vec<Row<'a>> {
        let mut rows = vec![];
        for (inputs, keys) in inputs.iter().zip(&self.0) {
            rows.extend(inputs.rows.iter().map(|row| {
                Row::new(
                    inputs.curve.default_algorithm(),
                    &keys[row.key],
                    Input::Digest(&row.digest),
                    &row.signature,
                    row.format,
                )
            }));
        }
        rows
    }
}

fn plan(section: &mut Section, plan: &Plan) {
    for group in plan.groups() {
        section.bytes(format!("{} {:?}", group.curve, group.strategy));
        for number in [group.window.into(), group.keys, group.rows] {
            section.number(number);
        }
        section.number(group.estimated.as_nanos() as u64);
    }
}

/// The same rows as columns: keys by index, digests and signatures concatenated.
fn columns(section: &mut Section, engine: &Engine, inputs: &Inputs) {
    let rows = inputs.rows.iter();
    let rows: Vec<_> = rows
        .filter(|row| row.format == SignatureFormat::P1363)
        .collect();
    let keys: Vec<_> = inputs
        .public_keys
        .iter()
        .map(|key| key.to_sec1_bytes(true))
        .collect();
    let keys = keys.concat();
    let width = keys.len() / inputs.public_keys.len();
    let indices: Vec<u64> = rows.iter().map(|row| row.key as u64).collect();
    let (digests, digest_offsets) = joined(rows.iter().map(|row| &row.digest));
    let (signatures, signature_offsets) = joined(rows.iter().map(|row| &row.signature));
    let columns = |last_offset: i64, last_index: u64| {
        let (mut offsets, mut indices) = (signature_offsets.clone(), indices.clone());
        *offsets.last_mut().expect("offsets") += last_offset;
        *indices.last_mut().expect("indices") += last_index;
        let rows = Rows::new(
            Algorithms::Same(inputs.curve.default_algorithm()),
            Column::fixed(&keys, width).dictionary(&indices),
            Digests::Digests(Column::variable(&digests, &digest_offsets)),
            Signatures::P1363(Column::variable(&signatures, &offsets)),
        );
        rows.map(|rows| engine.verify(&rows))
    };
    let verdicts = columns(0, 0).expect("columns of one length");
    let expected: Vec<Result<(), Error>> = rows.iter().map(|row| row.verdict).collect();
    assert_eq!(verdicts.as_slice(), expected, "bulk: columns");
    verdicts
        .as_slice()
        .iter()
        .for_each(|verdict| section.verdict(*verdict));
    // Values that truncation to 32 bits would turn into valid ones.
    for (offset, index) in [
        (1 << 32, 0),
        (i64::MAX >> 1, 0),
        (0, 1 << 32),
        (0, u64::MAX >> 1),
    ] {
        let error = columns(offset, index).expect_err("beyond the end");
        section.bytes(error.to_string());
    }
}

/// Concatenated values, and the start of each.
fn joined<'a>(values: impl Iterator<Item = &'a Vec<u8>>) -> (Vec<u8>, Vec<i64>) {
    let (mut bytes, mut offsets) = (vec![], vec![0]);
    for value in values {
        bytes.extend(value);
        offsets.push(bytes.len() as i64);
    }
    (bytes, offsets)
}
