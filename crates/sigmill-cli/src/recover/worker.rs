//! Signers for the rows of a chunk.

use std::sync::Arc;

use sigmill::bulk::{Column, Engine, Inputs, RecoverRows};
use sigmill::ethereum::Address;
use sigmill::secp256k1::VerifyingKey;
use sigmill::{Algorithm, Error};

use super::defect::Defect;
use super::row::{Row, Signer};
use super::transaction::{Facts, Transaction};
use crate::encoding::{TextEncoding, decode};
use crate::pipeline::Work;
use crate::rows::Chunk;
use crate::rows::cells::bytes;
use crate::rows::columns::Wanted;
use crate::rows::csv::CsvParser;
use crate::rows::defect::RowDefect;
use crate::rows::fields::RawRow;
use crate::rows::strings::Strings;
use crate::rows::text::{TextKind, records};
use crate::rows::walk::{check_length, walk};
use crate::signed::{KeyShape, Value};

/// The task of a run.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) source: Source,
    /// The format of public keys.
    pub(super) key_shape: KeyShape,
    /// The engine, with the policy of the run.
    pub(super) engine: Engine,
}

/// The content of a row.
#[derive(Debug)]
pub(super) enum Source {
    /// A digest and a signature of 65 bytes.
    Digests {
        wanted: Wanted,
        digest_encoding: TextEncoding,
        signature_encoding: TextEncoding,
    },
    /// A line with a transaction; `chain_id` restricts it to one chain.
    Transactions { chain_id: Option<u64> },
}

/// Recovers the signers of chunks. Each thread has one; it keeps its buffers from one chunk to the
/// next.
pub(super) struct Worker {
    job: Arc<Job>,
    csv: CsvParser,
    /// Buffers for the cells of one row.
    digest: Vec<u8>,
    bytes: Vec<u8>,
    rows: Vec<Row>,
    waiting: Waiting,
}

/// The rows that wait for their signer, as columns.
#[derive(Default)]
struct Waiting {
    /// The places of these rows in the chunk.
    places: Vec<usize>,
    /// Digests of 32 bytes each.
    digests: Vec<u8>,
    /// r, s and v.
    signatures: Strings,
}

impl Waiting {
    fn push(&mut self, place: usize, digest: &[u8; 32], signature: &[u8]) {
        self.places.push(place);
        self.digests.extend_from_slice(digest);
        self.signatures.push(signature);
    }

    fn clear(&mut self) {
        self.places.clear();
        self.digests.clear();
        self.signatures.clear();
    }
}

impl Worker {
    pub(super) fn new(job: Arc<Job>) -> Self {
        Self {
            job,
            csv: CsvParser::default(),
            digest: vec![],
            bytes: vec![],
            rows: vec![],
            waiting: Waiting::default(),
        }
    }

    /// Adds the next row of a table, or the defect for which it could not be read.
    fn table_row(
        &mut self,
        row: &RawRow<'_>,
        read: Result<(), RowDefect>,
        encodings: [TextEncoding; 2],
    ) {
        let id = row.id_text().map(Box::from);
        let taken = read
            .map_err(Defect::from)
            .and_then(|()| self.cells(row, encodings));
        self.push(id, None, taken);
    }

    /// Adds the cells of the next row to the waiting ones.
    fn cells(
        &mut self,
        row: &RawRow<'_>,
        [digest_encoding, signature_encoding]: [TextEncoding; 2],
    ) -> Result<(), Defect> {
        row.check_id()?;
        row.digest.check_len("digest")?;
        let digest = bytes(
            &row.digest,
            "digest",
            Some(digest_encoding),
            &mut self.digest,
        )?;
        let digest = digest.try_into().map_err(|_| Defect::DigestLength {
            actual: digest.len(),
        })?;
        row.signature.check_len("signature")?;
        let signature = bytes(
            &row.signature,
            "signature",
            Some(signature_encoding),
            &mut self.bytes,
        )?;
        self.waiting.push(self.rows.len(), digest, signature);
        Ok(())
    }

    /// Adds the next line.
    fn line(&mut self, line: &[u8], chain_id: Option<u64>) {
        let read = check_length(line).and_then(|()| {
            decode(line.trim_ascii(), TextEncoding::Hex, &mut self.bytes).map_err(|defect| {
                RowDefect::Encoding {
                    field: "transaction",
                    defect,
                }
            })
        });
        let read = read.map_err(Defect::from);
        let transaction = match read.and_then(|()| Transaction::read(&self.bytes)) {
            Ok(transaction) => transaction,
            Err(defect) => return self.push(None, None, Err(defect)),
        };
        let facts = transaction.facts;
        let taken = match (chain_id, facts.chain_id) {
            (Some(expected), Some(actual)) if expected != actual => {
                Err(Defect::ChainId { expected, actual })
            }
            _ => {
                let (place, waiting) = (self.rows.len(), &mut self.waiting);
                waiting.push(place, &transaction.digest, &transaction.signature);
                Ok(())
            }
        };
        self.push(None, Some(Box::new(facts)), taken);
    }

    /// Adds the next row, which waits for its signer or has a defect.
    fn push(&mut self, id: Option<Box<str>>, facts: Option<Box<Facts>>, taken: Result<(), Defect>) {
        let defect = taken.err().unwrap_or(Error::NotJudged.into());
        self.rows.push(Row {
            number: 0,
            id,
            facts,
            outcome: Err(defect),
        });
    }

    /// Lets the engine find the signers of the waiting rows.
    fn recover(&mut self) -> Result<(), String> {
        let Waiting {
            places,
            digests,
            signatures,
        } = &self.waiting;
        let digests = Inputs::Digests(Column::fixed(digests, 32));
        let rows = RecoverRows::new(Algorithm::ES256K, digests, signatures.column())
            .map_err(|e| e.to_string())?;
        let recovered = self.job.engine.recover(&rows);
        for (i, &place) in places.iter().enumerate() {
            let signer = recovered
                .get(i)
                .and_then(|point| signer(point, self.job.key_shape));
            self.rows[place].outcome = signer.map_err(Defect::from);
        }
        self.waiting.clear();
        Ok(())
    }
}

fn signer(point: &[u8], shape: KeyShape) -> Result<Signer, Error> {
    let key = VerifyingKey::from_sec1_bytes(point)?;
    Ok(Signer {
        key: match shape {
            KeyShape::Sec1 => Value::Bytes(point.to_vec()),
            KeyShape::Sec1Compressed => Value::Bytes(key.to_sec1_bytes(true)),
            KeyShape::Spki => Value::Bytes(key.to_public_key_der()),
            KeyShape::Pem => Value::Text(key.to_public_key_pem()),
        },
        address: Address::of(&key),
    })
}

impl Work for Worker {
    type Output = Vec<Row>;

    fn chunk(&mut self, chunk: &Chunk, _turn: u64) -> Result<Vec<Row>, String> {
        // A chunk that ended in a panic may have left rows behind.
        self.rows.clear();
        self.waiting.clear();
        let job = self.job.clone();
        match &job.source {
            Source::Digests {
                wanted,
                digest_encoding,
                signature_encoding,
            } => {
                // Taken out for the walk: its rows borrow from the parser.
                let mut csv = std::mem::take(&mut self.csv);
                walk(chunk, wanted, &mut csv, |row, read| {
                    self.table_row(row, read, [*digest_encoding, *signature_encoding]);
                    Ok(())
                })?;
                self.csv = csv;
            }
            Source::Transactions { chain_id } => match chunk {
                Chunk::Jsonl(text) => {
                    for line in records(TextKind::Lines, text) {
                        self.line(line, *chain_id);
                    }
                }
                Chunk::Defect(defect) => self.push(None, None, Err(defect.clone().into())),
                Chunk::Csv(..) | Chunk::Batch(..) => {
                    return Err("transactions are read as lines".into());
                }
            },
        }
        self.recover()?;
        Ok(std::mem::take(&mut self.rows))
    }
}
