//! Verifies and converts the rows of a chunk.

use std::collections::HashMap;
use std::sync::Arc;

use sigmill::bulk::{Control, Engine};
use sigmill::curves::NamedCurve;
use sigmill::ecdsa::Signature;
use sigmill::{CurveName, Error, RecoveryId, SignatureFormat, on_curve};

use crate::format::TableFormat;
use crate::pipeline::Work;
use crate::rows::Chunk;
use crate::rows::cells::{Cells, DecodedRow, InputKind, ReadOptions, is_pem_or_jwk};
use crate::rows::csv::CsvParser;
use crate::rows::defect::Defect;
use crate::rows::fields::RawRow;
use crate::rows::walk::walk;
use crate::sign::rows::{Signed, message_cell};
use crate::signed::{SignedRow, Value};
use crate::written::CellEncoding;

/// The size of decoded cells, in bytes, at which rows are converted before the end of their chunk.
const MAX_CELLS_SIZE: usize = 4 << 20;

/// The form of converted signatures.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    Friendly,
    LowS,
}

/// Converts rows.
pub(super) struct Converter {
    pub(super) engine: Engine,
    pub(super) form: Form,
    pub(super) options: ReadOptions,
    pub(super) encoding: CellEncoding,
    /// The format of the output.
    pub(super) format: TableFormat,
}

/// Converts chunks. Each thread has one.
pub(super) struct Worker {
    converter: Arc<Converter>,
    csv: CsvParser,
    cells: Cells,
}

impl Worker {
    pub(super) fn new(converter: Arc<Converter>) -> Self {
        Self {
            converter,
            csv: CsvParser::default(),
            cells: Cells::default(),
        }
    }
}

impl Work for Worker {
    type Output = Signed;

    fn chunk(&mut self, chunk: &Chunk, _turn: u64) -> Result<Signed, String> {
        // A chunk that ended in a panic may have left rows behind.
        self.cells.clear();
        let (converter, cells) = (self.converter.clone(), &mut self.cells);
        let mut done = Signed::default();
        let mut ids = HashMap::new();
        walk(
            chunk,
            &converter.options.wanted,
            &mut self.csv,
            |row, read| {
                let number = done.rows;
                done.rows += 1;
                // Each row is written with its own copy of a message that rows share.
                let row = RawRow {
                    shared_message: None,
                    ..row.clone()
                };
                let id = row.id_text().map(|id| id.into_owned());
                match read.and_then(|()| cells.push(number, &row, &converter.options)) {
                    Err(defect) => done.rejected.push((number, id, defect.into())),
                    Ok(()) => {
                        ids.insert(number, id);
                    }
                }
                match cells.size() >= MAX_CELLS_SIZE {
                    true => converter.convert(cells, &mut ids, &mut done),
                    false => Ok(()),
                }
            },
        )?;
        converter.convert(cells, &mut ids, &mut done)?;
        done.rejected.sort_unstable_by_key(|&(number, ..)| number);
        Ok(done)
    }
}

impl Converter {
    /// Converts the pending rows.
    fn convert(
        &self,
        cells: &mut Cells,
        ids: &mut HashMap<u64, Option<String>>,
        done: &mut Signed,
    ) -> Result<(), String> {
        if cells.len() == 0 {
            return Ok(());
        }
        let control = Control::default().hints(true);
        let verdicts = cells.with_rows(&self.options, |rows| {
            self.engine.verify_with(rows, &control)
        });
        let verdicts = verdicts.map_err(|e| e.to_string())?;
        let points = verdicts.hints().ok_or("no hints")?;
        for (i, (&number, verdict)) in cells.numbers().iter().zip(verdicts.as_slice()).enumerate() {
            let id = ids.remove(&number).flatten();
            let row = cells.row(i, &self.options);
            let converted = match (verdict, points[i]) {
                (Err(error), _) => Err((*error).into()),
                (Ok(()), Some(point)) => self.row(&row, point),
                (Ok(()), None) => return Err("a valid row has no hint".into()),
            };
            match converted {
                Ok(mut row) => {
                    row.id = id.clone().map(Value::Text);
                    match row.check(self.format) {
                        Ok(()) => done.signed.push(row),
                        Err(defect) => done.rejected.push((number, id, defect.into())),
                    }
                }
                Err(defect) => done.rejected.push((number, id, defect)),
            }
        }
        cells.clear();
        Ok(())
    }

    fn row(&self, row: &DecodedRow<'_>, point: RecoveryId) -> Result<SignedRow, Defect> {
        let curve = row.algorithm.curve;
        let signature = self.signature(curve, row, point)?;
        let (message, digest) = match row.kind {
            InputKind::Message => {
                let encoding = self.options.message_encoding;
                let cell = message_cell(row.input.to_vec(), self.encoding, encoding);
                (Some(cell?), None)
            }
            InputKind::Digest => (None, Some(Value::Bytes(row.input.to_vec()))),
        };
        Ok(SignedRow {
            alg: Some(Value::Text(row.algorithm.to_string())),
            key: Some(key_cell(row.key)),
            message,
            digest,
            signature: Some(Value::Bytes(signature)),
            ..SignedRow::default()
        })
    }

    /// Converts a valid signature to the requested form, and keeps its encoding.
    fn signature(
        &self,
        curve: CurveName,
        row: &DecodedRow<'_>,
        point: RecoveryId,
    ) -> Result<Vec<u8>, Error> {
        on_curve!(curve, C => self.signature_on::<C>(row, point))
    }

    fn signature_on<C: NamedCurve + Default>(
        &self,
        row: &DecodedRow<'_>,
        point: RecoveryId,
    ) -> Result<Vec<u8>, Error> {
        let before = Signature::<C>::from_bytes(row.signature, SignatureFormat::Auto)?;
        let signature = match self.form {
            Form::Friendly => before.to_friendly(point)?,
            Form::LowS => before.normalize_s(),
        };
        let p1363 = signature.to_p1363();
        if row.has_v {
            // -R has the other y.
            let is_negated = signature != before;
            let point = RecoveryId::new(point.is_y_odd() ^ is_negated, point.is_x_reduced());
            return Ok(signature.to_rsv(point));
        }
        let der = signature.to_der();
        // A signature of this length is read as r and s side by side, so DER of this length is not
        // written.
        Ok(
            match [row.signature.len(), der.len()].contains(&p1363.len()) {
                true => p1363,
                false => der,
            },
        )
    }
}

/// Returns the key as it was read: text for PEM and JWK, bytes otherwise.
fn key_cell(key: &[u8]) -> Value {
    match str::from_utf8(key) {
        Ok(text) if is_pem_or_jwk(key) => Value::Text(text.to_owned()),
        _ => Value::Bytes(key.to_vec()),
    }
}
