//! From a row's cells to its verdict.

use std::sync::Arc;

use sigmill::bulk::{Engine, Input, Row};
use sigmill::{Algorithm, SignatureFormat};

use crate::encoding::{MessageEncoding, TextEncoding, decode};
use crate::rows::Chunk;
use crate::rows::batch::{BatchRows, without_dictionaries};
use crate::rows::columns::Wanted;
use crate::rows::csv::CsvParser;
use crate::rows::defect::{Defect, RowDefect};
use crate::rows::fields::{Field, RawRow};
use crate::rows::jsonl;
use crate::rows::text::{MAX_RECORD_LEN, TextKind, records};

/// An algorithm's name in an error message is cut off here.
const MAX_NAME_LEN: usize = 40;

/// How cells are read.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    /// The columns to look for.
    pub(crate) wanted: Wanted,
    /// How text columns hold keys, signatures and digests.
    pub(crate) key_encoding: TextEncoding,
    pub(crate) signature_encoding: TextEncoding,
    pub(crate) digest_encoding: TextEncoding,
    /// How text columns hold messages.
    pub(crate) message_encoding: MessageEncoding,
    pub(crate) signature_format: SignatureFormat,
    /// The algorithm of every row, instead of a column.
    pub(crate) algorithm: Option<Algorithm>,
    /// The key of every row, instead of a column.
    pub(crate) key: Option<Vec<u8>>,
}

/// The verdicts of a chunk.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    /// How many rows there are.
    pub(crate) rows: u64,
    /// Those that were rejected, in order.
    pub(crate) rejected: Vec<Rejected>,
    /// The id of every row, if [`Judge::new`] was asked to keep them.
    pub(crate) ids: Option<Vec<Option<Box<str>>>>,
}

/// A rejected row.
#[derive(Debug)]
pub(crate) struct Rejected {
    /// Its place in the chunk, counted from 0.
    pub(crate) index: u64,
    /// Its id, if it has one.
    pub(crate) id: Option<Box<str>>,
    /// Why.
    pub(crate) defect: Defect,
}

/// Judges rows; keeps its buffers from one row to the next. One per worker.
pub(crate) struct Judge {
    engine: Arc<Engine>,
    reading: Arc<Reading>,
    keeps_ids: bool,
    csv: CsvParser,
    key: Vec<u8>,
    signature: Vec<u8>,
    input: Vec<u8>,
}

impl Judge {
    /// A judge for rows that are read as `reading` says; `keeps_ids` if the ids of valid rows are of interest too.
    pub(crate) fn new(engine: Arc<Engine>, reading: Arc<Reading>, keeps_ids: bool) -> Self {
        Self {
            engine,
            reading,
            keeps_ids,
            csv: CsvParser::default(),
            key: Vec::new(),
            signature: Vec::new(),
            input: Vec::new(),
        }
    }

    /// Judges every row of `chunk`. The error is not of a row: a batch that contradicts itself.
    pub(crate) fn chunk(&mut self, chunk: &Chunk) -> Result<Verdicts, String> {
        let mut verdicts = Verdicts {
            ids: self.keeps_ids.then(Vec::new),
            ..Verdicts::default()
        };
        match chunk {
            Chunk::Jsonl(text) => {
                for line in records(TextKind::Lines, text) {
                    let mut row = RawRow::default();
                    let verdict = check_length(line)
                        .and_then(|()| jsonl::read_row(line, &self.reading.wanted, &mut row))
                        .map_err(Defect::from)
                        .and_then(|()| self.row(&row));
                    verdicts.push(&row, verdict);
                }
            }
            Chunk::Csv(text, header) => {
                // Taken out for the loop: its rows borrow from it while the judge works on them.
                let mut parser = std::mem::take(&mut self.csv);
                for record in records(TextKind::Csv, text) {
                    match check_length(record).and_then(|()| parser.read_row(record, header)) {
                        Ok(row) => verdicts.push(&row, self.row(&row)),
                        Err(defect) => verdicts.push(&RawRow::default(), Err(defect.into())),
                    }
                }
                self.csv = parser;
            }
            Chunk::Batch(batch, header) => {
                let columns = without_dictionaries(batch).map_err(|e| e.to_string())?;
                for row in BatchRows::new(&columns, batch.num_rows(), header).rows() {
                    verdicts.push(&row, self.row(&row));
                }
            }
            Chunk::Defect(defect) => verdicts.push(&RawRow::default(), Err(defect.clone().into())),
        }
        Ok(verdicts)
    }

    /// Judges one row.
    fn row(&mut self, row: &RawRow<'_>) -> Result<(), Defect> {
        let reading = &*self.reading;
        if let Field::Wrong(actual) = row.id {
            return Err(RowDefect::Type {
                field: "id",
                expected: "text or a number",
                actual,
            }
            .into());
        }
        let algorithm = match reading.algorithm {
            Some(algorithm) => algorithm,
            None => parse_algorithm(text(&row.alg, "alg")?)?,
        };
        let key = match &reading.key {
            Some(key) => key,
            None => match &row.key {
                // PEM and JWK are text that means itself.
                Field::Text(text) if is_pem_or_jwk(text) => text.as_ref(),
                field => bytes(field, "key", Some(reading.key_encoding), &mut self.key)?,
            },
        };
        let signature = bytes(
            &row.signature,
            "signature",
            Some(reading.signature_encoding),
            &mut self.signature,
        )?;
        let input = match (&row.message, &row.digest) {
            (Field::Missing | Field::Null, Field::Missing) => {
                bytes(&row.message, "message", None, &mut self.input).map(Input::Message)?
            }
            (Field::Missing | Field::Null, field) => {
                let digest = bytes(
                    field,
                    "digest",
                    Some(reading.digest_encoding),
                    &mut self.input,
                )?;
                let expected = algorithm.hash.output_len();
                if digest.len() != expected {
                    let actual = digest.len();
                    return Err(RowDefect::DigestLength {
                        hash: algorithm.hash,
                        expected,
                        actual,
                    }
                    .into());
                }
                Input::Digest(digest)
            }
            (field, Field::Missing | Field::Null) => Input::Message(bytes(
                field,
                "message",
                reading.message_encoding.bytes(),
                &mut self.input,
            )?),
            _ => return Err(RowDefect::MessageAndDigest.into()),
        };
        let row = Row {
            algorithm,
            key,
            input,
            signature,
            format: reading.signature_format,
        };
        Ok(self.engine.verify_row(&row)?)
    }
}

impl Verdicts {
    fn push(&mut self, row: &RawRow<'_>, verdict: Result<(), Defect>) {
        let id = |row: &RawRow<'_>| row.id_text().map(|id| Box::from(&*id));
        if let Some(ids) = &mut self.ids {
            ids.push(id(row));
        }
        if let Err(defect) = verdict {
            self.rejected.push(Rejected {
                index: self.rows,
                id: id(row),
                defect,
            });
        }
        self.rows += 1;
    }
}

fn check_length(record: &[u8]) -> Result<(), RowDefect> {
    if record.len() > MAX_RECORD_LEN {
        return Err(RowDefect::TooLong {
            limit: MAX_RECORD_LEN,
        });
    }
    Ok(())
}

fn is_pem_or_jwk(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    text.starts_with(b"-----BEGIN") || text.starts_with(b"{")
}

fn parse_algorithm(name: &[u8]) -> Result<Algorithm, RowDefect> {
    std::str::from_utf8(name)
        .ok()
        .and_then(|name| name.parse().ok())
        .ok_or_else(|| {
            let shown = &name[..name.len().min(MAX_NAME_LEN)];
            RowDefect::Algorithm(String::from_utf8_lossy(shown).into_owned())
        })
}

/// The text of a cell.
fn text<'a>(field: &'a Field<'_>, name: &'static str) -> Result<&'a [u8], RowDefect> {
    match field {
        Field::Text(text) => Ok(text),
        Field::Bytes(_) => Err(RowDefect::Type {
            field: name,
            expected: "text",
            actual: "bytes",
        }),
        Field::Missing => Err(RowDefect::Missing { field: name }),
        Field::Null => Err(RowDefect::Null { field: name }),
        Field::Duplicate => Err(RowDefect::Duplicate { field: name }),
        Field::Wrong(actual) => Err(RowDefect::Type {
            field: name,
            expected: "text",
            actual,
        }),
    }
}

/// The bytes of a cell: of a text those that it encodes, or its own if there is no encoding.
fn bytes<'a>(
    field: &'a Field<'_>,
    name: &'static str,
    encoding: Option<TextEncoding>,
    buffer: &'a mut Vec<u8>,
) -> Result<&'a [u8], RowDefect> {
    if let Field::Bytes(bytes) = field {
        return Ok(bytes);
    }
    let text = text(field, name)?;
    let Some(encoding) = encoding else {
        return Ok(text);
    };
    decode(text, encoding, buffer).map_err(|defect| RowDefect::Encoding {
        field: name,
        defect,
    })?;
    Ok(buffer)
}
