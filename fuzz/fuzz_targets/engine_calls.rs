//! Whole calls: columns of any shape form rows or yield an error, and the verdict of each row is
//! that of the single call, whatever the memory, the window and the layout.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sigmill::bulk::{Column, Control, Engine, Input, Inputs, Row, Rows, Signatures, Speed};
use sigmill::{Algorithm, AnyVerifyingKey, CurveName, Error, HashName, SignatureFormat};

#[derive(Arbitrary, Debug)]
struct AnyRow<'a> {
    curve: u8,
    hash: u8,
    /// Its index among the keys.
    key: u8,
    digest: bool,
    input: &'a [u8],
    /// Its index among the signatures; higher numbers select well-formed signatures.
    signature: u8,
    format: u8,
}

#[derive(Arbitrary, Debug)]
struct Shape<'a> {
    bytes: &'a [u8],
    width: u8,
    offsets: Vec<i32>,
    wide_offsets: Vec<i64>,
    indices: Vec<i8>,
    validity: &'a [u8],
    offset: usize,
    layout: u8,
}

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    keys: Vec<&'a [u8]>,
    signatures: Vec<&'a [u8]>,
    rows: Vec<AnyRow<'a>>,
    /// The number of times that the rows come.
    repeat: u8,
    memory: u32,
    window: u8,
    threads: u8,
    explain: bool,
    shapes: [Shape<'a>; 3],
}

/// G and 2G of P-256 and G of P-384, compressed: random bytes are hardly ever a key.
const POINTS: [&str; 3] = [
    "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
    "037cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978",
    "03aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b98\
     59f741e082542a385502f25dbf55296c3a545e3872760ab7",
];

fn bytes(digits: &str) -> Vec<u8> {
    let pairs = (0..digits.len()).step_by(2);
    pairs
        .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap())
        .collect()
}

impl<'a> Shape<'a> {
    fn column(&'a self) -> Column<'a> {
        let column = match self.layout % 4 {
            0 => Column::same(self.bytes),
            1 => Column::fixed(self.bytes, self.width.into()),
            2 => Column::variable(self.bytes, &self.offsets),
            _ => Column::variable(self.bytes, &self.wide_offsets),
        };
        let column = match self.layout & 4 {
            0 => column,
            _ => column.dictionary(&self.indices),
        };
        match self.layout & 8 {
            0 => column,
            _ => column.with_validity(self.validity, self.offset),
        }
    }
}

fn single(row: &Row<'_>) -> Result<(), Error> {
    let key = AnyVerifyingKey::from_encoded(Some(row.algorithm.curve), row.key)?;
    key.verify_prehash(&digest(row), row.signature, row.format)
}

fn digest(row: &Row<'_>) -> Vec<u8> {
    match row.input {
        Input::Digest(digest) => digest.to_vec(),
        Input::Message(message) => row.algorithm.hash.digest(message).to_vec(),
        other => panic!("no row has {other:?}"),
    }
}

/// Checks the rows whose keys can be read, with parsed keys, which may be on another curve.
fn parsed(engine: &Engine, rows: &[Row<'_>]) {
    let key_of = |row: &Row<'_>| {
        let on_curve = AnyVerifyingKey::from_encoded(Some(row.algorithm.curve), row.key);
        on_curve.or_else(|_| AnyVerifyingKey::from_encoded(None, row.key))
    };
    let rows = rows.iter().filter_map(|row| Some((row, key_of(row).ok()?)));
    let rows: Vec<_> = rows.collect();
    let keys: Vec<&AnyVerifyingKey> = rows.iter().map(|(_, key)| key).collect();
    let algorithms: Vec<Algorithm> = rows.iter().map(|(row, _)| row.algorithm).collect();
    let inputs: Vec<Input<'_>> = rows.iter().map(|(row, _)| row.input).collect();
    let signatures: Vec<&[u8]> = rows.iter().map(|(row, _)| row.signature).collect();
    let columns = Rows::new(
        &algorithms,
        &keys,
        Inputs::Each(&inputs),
        Signatures::Auto(Column::slices(&signatures)),
    );
    let verdicts = engine.verify(&columns.unwrap());
    for ((row, key), verdict) in rows.iter().zip(verdicts.as_slice()) {
        let expected = match key.curve() == row.algorithm.curve {
            true => key.verify_prehash(&digest(row), row.signature, SignatureFormat::Auto),
            false => Err(Error::KeyCurveMismatch {
                expected: row.algorithm.curve,
                actual: key.curve(),
            }),
        };
        assert_eq!(*verdict, expected);
    }
}

fuzz_target!(|case: Case<'_>| {
    let builder = Engine::builder()
        .speed(Speed::Fixed)
        .key_memory(case.memory as usize % (1 << 20))
        .window(1 + u32::from(case.window % 6));
    let threads = 1 + usize::from(case.threads % 2);
    let engine = builder.threads(threads).build().unwrap();

    let points = POINTS.map(bytes);
    let well_formed: Vec<Vec<u8>> = (1..5_u8)
        .map(|i| [vec![i; 32], vec![i + 1; 32 + 32 * usize::from(i % 2)]].concat())
        .collect();
    let keys: Vec<&[u8]> = points
        .iter()
        .map(|point| &point[..])
        .chain(case.keys.iter().copied())
        .collect();
    let signatures: Vec<&[u8]> = well_formed
        .iter()
        .map(|signature| &signature[..])
        .chain(case.signatures.iter().copied())
        .collect();
    let rows: Vec<Row<'_>> = case
        .rows
        .iter()
        .map(|row| {
            Row::new(
                Algorithm::new(
                    CurveName::ALL[usize::from(row.curve) % CurveName::ALL.len()],
                    HashName::ALL[usize::from(row.hash) % 3],
                ),
                keys[usize::from(row.key) % keys.len()],
                match row.digest {
                    true => Input::Digest(row.input),
                    false => Input::Message(row.input),
                },
                signatures[usize::from(row.signature) % signatures.len()],
                [
                    SignatureFormat::Auto,
                    SignatureFormat::Der,
                    SignatureFormat::P1363,
                ][usize::from(row.format) % 3],
            )
        })
        .collect();
    let expected: Vec<_> = rows.iter().map(single).collect();
    let times = 1 + usize::from(case.repeat % 16);
    let repeated = rows.repeat(times);
    let control = Control::default().explain(case.explain);
    let verdicts = engine.verify_with(&Rows::from(&repeated), &control);
    assert_eq!(verdicts.as_slice(), expected.repeat(times));
    assert_eq!(verdicts.judged(), repeated.len());
    if let Some(plan) = verdicts.plan() {
        assert_eq!(plan.rows(), repeated.len() as u64);
        assert!(plan.to_string().ends_with('\n'));
    }

    parsed(&engine, &repeated);

    let [keys, digests, signatures] = [0, 1, 2].map(|i| case.shapes[i].column());
    let (digests, signatures) = (Inputs::Digests(digests), Signatures::Auto(signatures));
    if let Ok(rows) = Rows::new(Algorithm::ES256, keys, digests, signatures) {
        let verdicts = engine.verify(&rows);
        assert_eq!(verdicts.judged(), rows.len());
        assert_eq!(engine.explain(&rows).rows(), rows.len() as u64);
    }
});
