//! Entry points for the fuzz targets of the command: its readers, without files and threads.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use sigmill::bulk::Engine;
use sigmill::{AnyVerifyingKey, CurveName, KeyPurpose};

use crate::format::TableFormat;
use crate::rows::Chunk;
use crate::rows::columns::{ColumnNames, Wanted};
use crate::rows::csv::CsvParser;
use crate::rows::defect::RowDefect;
use crate::rows::fields::{Column, Field, RawRow};
use crate::rows::source::{self, ChunkReceiver, Input, Place};
use crate::rows::walk::walk;
use crate::secret::{Secret, SecretFormat};

/// The columns of a [`Row`], in order.
pub const COLUMNS: [&str; 6] = ["id", "alg", "key", "message", "digest", "signature"];

/// A cell as the readers return it, before decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// The row has no such member.
    Missing,
    /// The cell has no value.
    Null,
    /// Text or bytes.
    Value(Vec<u8>),
    /// A value of another type, or more than one value.
    Wrong,
}

/// The cells of a row, or the code of the rule that it breaks.
pub type Row = Result<[Cell; COLUMNS.len()], &'static str>;

/// The content of a table.
#[derive(Debug)]
pub struct Table {
    /// The rows before an error of the whole file.
    pub rows: Vec<Row>,
    /// The error of the whole file, if any.
    pub error: Option<String>,
}

/// Reads `bytes` as a table in the format of the extension: jsonl, csv, parquet, arrow.
///
/// # Panics
/// Panics for any other extension.
#[must_use]
pub fn read_table(bytes: &[u8], extension: &str) -> Table {
    let mut rows = vec![];
    let error = read_rows(bytes, extension, |row, read| {
        rows.push(match read {
            Ok(()) => Ok(cells(row)),
            Err(defect) => Err(defect.reason()),
        });
    });
    Table { rows, error }
}

/// Returns the number of rows of a table. Reads it as [`read_table`] does, but copies no rows.
///
/// # Panics
/// Panics as [`read_table`] does.
#[must_use]
pub fn count_rows(bytes: &[u8], extension: &str) -> usize {
    let mut count = 0;
    read_rows(bytes, extension, |_, _| count += 1);
    count
}

/// Passes every row to `take`. Returns an error of the whole file, if any.
fn read_rows(
    bytes: &[u8],
    extension: &str,
    take: impl FnMut(&RawRow<'_>, Result<(), RowDefect>),
) -> Option<String> {
    let path = format!("table.{extension}");
    let format = TableFormat::of(path.as_ref(), None, "").expect("the extension of a format");
    let input = Input {
        place: Place::Memory(bytes.into()),
        name: path.into(),
        format,
    };
    let wanted = Wanted::new(ColumnNames::default(), &[]).expect("columns of different names");
    let mut reader = Reader {
        wanted: &wanted,
        csv: CsvParser::default(),
        take,
        error: None,
    };
    let done = Arc::new(AtomicU64::new(0));
    let read = source::read(&input, &wanted, &done, &mut reader);
    reader.error.or(read.err().map(|error| error.to_string()))
}

struct Reader<'a, F> {
    wanted: &'a Wanted,
    csv: CsvParser,
    take: F,
    error: Option<String>,
}

impl<F: FnMut(&RawRow<'_>, Result<(), RowDefect>)> ChunkReceiver for Reader<'_, F> {
    fn receive(&mut self, chunk: Chunk) -> bool {
        let take = &mut self.take;
        let walked = walk(&chunk, self.wanted, &mut self.csv, |row, read| {
            take(row, read);
            Ok(())
        });
        self.error = walked.err();
        self.error.is_none()
    }

    fn has_idle_worker(&self) -> bool {
        false
    }
}

fn cells(row: &RawRow<'_>) -> [Cell; COLUMNS.len()] {
    let mut row = row.clone();
    std::array::from_fn(|i| match row.field_mut(Column::ALL[i]) {
        Field::Missing => Cell::Missing,
        Field::Null => Cell::Null,
        Field::Text(text) => Cell::Value(text.to_vec()),
        Field::Bytes(bytes) => Cell::Value(bytes.to_vec()),
        Field::Wrong(_) | Field::Duplicate => Cell::Wrong,
    })
}

/// Reports whether each token in `text`, one per line, is valid under the JWK set.
///
/// # Errors
/// The rule that the set breaks.
pub fn judge_tokens(jwks: &str, text: &[u8], engine: &Engine) -> Result<Vec<bool>, String> {
    crate::jws::judge_text(jwks, text, engine)
}

/// Returns the number of certificates in a PEM bundle, and the number of valid ones.
#[must_use]
pub fn judge_bundle(text: &[u8], engine: &Engine) -> (usize, usize) {
    crate::certs::count_valid(text, engine)
}

/// Reports whether the bytes are a raw signed transaction.
#[must_use]
pub fn is_transaction(bytes: &[u8]) -> bool {
    crate::recover::is_transaction(bytes)
}

/// Returns the number of rows in a file of hints, or `None` if it is not one.
#[must_use]
pub fn hints_file(mut file: &[u8]) -> Option<u64> {
    let len = file.len() as u64;
    let checked = crate::hints::check(&mut file, len).ok()?;
    assert!(file.is_empty(), "all of it was looked at");
    Some(checked.0)
}

/// Returns the public key in a file.
#[must_use]
pub fn public_key(file: &[u8], curve: Option<CurveName>) -> Option<AnyVerifyingKey> {
    crate::keyfile::parse(file, KeyPurpose::Verify, curve).ok()
}

/// Reads the private key in a file, and encodes it again as PKCS#8 in DER.
#[must_use]
pub fn private_key(file: &[u8]) -> Option<Vec<u8>> {
    let secret = Secret::parse(file).ok()?;
    Some(secret.to_file(SecretFormat::Der)?.to_vec())
}
