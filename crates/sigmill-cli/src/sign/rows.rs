//! Signs the rows of a chunk.

use std::borrow::Cow;
use std::sync::Arc;

use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER};
use sigmill::{Algorithm, AnySigningKey, SignOptions, SignatureFormat};

use crate::encoding::MessageEncoding;
use crate::format::TableFormat;
use crate::pipeline::Work;
use crate::rows::Chunk;
use crate::rows::cells::{InputKind, ReadOptions, input};
use crate::rows::csv::CsvParser;
use crate::rows::defect::{Defect, RowDefect};
use crate::rows::walk::walk;
use crate::signed::{SignedRow, Value};
use crate::written::CellEncoding;

/// Rows signed in one call. They share its inversions.
const TOGETHER: usize = 512;

/// Signs rows.
pub(super) struct RowSigner {
    pub(super) key: AnySigningKey,
    pub(super) algorithm: Algorithm,
    pub(super) options: ReadOptions,
    pub(super) encoding: CellEncoding,
    /// The format of the output.
    pub(super) format: TableFormat,
    pub(super) signature_format: SignatureFormat,
    /// The public key as a cell of the output.
    pub(super) key_cell: Value,
}

/// The result for the rows of a chunk.
#[derive(Default)]
pub(crate) struct Signed {
    /// The number of rows.
    pub(crate) rows: u64,
    pub(crate) signed: Vec<SignedRow>,
    pub(crate) rejected: Vec<Rejected>,
}

/// A row's number in the chunk (counted from 0), its id, and the reason.
pub(crate) type Rejected = (u64, Option<String>, Defect);

/// A row that waits for its signature.
struct Pending {
    number: u64,
    id: Option<String>,
    kind: InputKind,
    input: Vec<u8>,
}

/// Signs chunks. Each thread has one.
pub(super) struct Worker {
    signer: Arc<RowSigner>,
    csv: CsvParser,
}

impl Worker {
    pub(super) fn new(signer: Arc<RowSigner>) -> Self {
        Self {
            signer,
            csv: CsvParser::default(),
        }
    }
}

impl Work for Worker {
    type Output = Signed;

    fn chunk(&mut self, chunk: &Chunk, _turn: u64) -> Result<Signed, String> {
        self.signer.sign(chunk, &mut self.csv)
    }
}

impl RowSigner {
    /// Signs every readable row of `chunk`. An error is not the fault of a row.
    pub(super) fn sign(&self, chunk: &Chunk, csv: &mut CsvParser) -> Result<Signed, String> {
        let (mut rows, mut pending, mut rejected) = (0, vec![], vec![]);
        let mut buffer = vec![];
        walk(chunk, &self.options.wanted, csv, |row, read| {
            let number = rows;
            rows += 1;
            let id = row.id_text().map(|id| id.into_owned());
            let checked = read
                .and_then(|()| row.check_id())
                .and_then(|()| input(row, self.algorithm, &self.options, &mut buffer));
            match checked {
                Ok((kind, input)) => pending.push(Pending {
                    number,
                    id,
                    kind,
                    input: input.to_vec(),
                }),
                Err(defect) => rejected.push((number, id, defect.into())),
            }
            Ok(())
        })?;
        let mut signed = Vec::with_capacity(pending.len());
        let mut pending = pending.into_iter();
        loop {
            let together: Vec<Pending> = pending.by_ref().take(TOGETHER).collect();
            if together.is_empty() {
                break;
            }
            for result in self.rows(together) {
                match result {
                    Ok(row) => signed.push(row),
                    Err(defect) => rejected.push(defect),
                }
            }
        }
        rejected.sort_unstable_by_key(|&(number, ..)| number);
        Ok(Signed {
            rows,
            signed,
            rejected,
        })
    }

    fn rows(&self, rows: Vec<Pending>) -> Vec<Result<SignedRow, Rejected>> {
        let hash = self.algorithm.hash;
        let digests: Vec<_> = rows
            .iter()
            .map(|row| match row.kind {
                InputKind::Message => Cow::Owned(hash.digest(&row.input).to_vec()),
                InputKind::Digest => Cow::Borrowed(row.input.as_slice()),
            })
            .collect();
        let to_sign = digests.iter().map(|digest| (&self.key, digest.as_ref()));
        let to_sign: Vec<(_, &[u8])> = to_sign.collect();
        let format = self.signature_format;
        let options = SignOptions::new().hash(hash);
        let signed = AnySigningKey::sign_prehash_many_with(&to_sign, format, &options);
        let rows = rows.into_iter().zip(signed);
        rows.map(|(row, signed)| self.row(row, signed.map(|(signature, _)| signature)))
            .collect()
    }

    fn row(
        &self,
        row: Pending,
        signature: Result<Vec<u8>, sigmill::Error>,
    ) -> Result<SignedRow, Rejected> {
        let rejected = |defect: Defect| (row.number, row.id.clone(), defect);
        let signature = signature.map_err(|e| rejected(e.into()))?;
        let (message, digest) = match row.kind {
            InputKind::Message => {
                let encoding = self.options.message_encoding;
                let cell = message_cell(row.input, self.encoding, encoding);
                let cell = cell.map_err(|e| rejected(e.into()))?;
                (Some(cell), None)
            }
            InputKind::Digest => (None, Some(Value::Bytes(row.input))),
        };
        let signed = SignedRow {
            id: row.id.clone().map(Value::Text),
            alg: Some(Value::Text(self.algorithm.to_string())),
            key: Some(self.key_cell.clone()),
            message,
            digest,
            signature: Some(Value::Bytes(signature)),
            is_truncated: false,
        };
        match signed.check(self.format) {
            Ok(()) => Ok(signed),
            Err(defect) => Err((row.number, row.id, defect.into())),
        }
    }
}

/// Encodes a message for the output: bytes unchanged, text in the encoding that was read.
pub(crate) fn message_cell(
    message: Vec<u8>,
    written: CellEncoding,
    read: MessageEncoding,
) -> Result<Value, RowDefect> {
    if written == CellEncoding::Binary {
        return Ok(Value::Bytes(message));
    }
    Ok(Value::Text(match read {
        MessageEncoding::Utf8 => {
            let text = String::from_utf8(message);
            text.map_err(|_| RowDefect::MessageNotText)?
        }
        MessageEncoding::Auto | MessageEncoding::Hex => HEXLOWER.encode(&message),
        MessageEncoding::Base64 => BASE64.encode(&message),
        MessageEncoding::Base64url => BASE64URL_NOPAD.encode(&message),
    }))
}
