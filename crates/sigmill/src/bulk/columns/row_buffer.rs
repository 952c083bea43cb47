//! Rows that own their bytes, for batches that grow row by row.

use super::column::Column;
use super::inputs::Inputs;
use super::recover_rows::RecoverRows;
use super::row::Row;
use super::shape_error::ShapeError;
use crate::keys::Input;
use crate::{Algorithm, SignatureFormat};

/// Rows to verify that own their bytes, all in one block of memory.
///
/// ```
/// use sigmill::bulk::{AsRows, Engine, Input, Row, RowBuffer};
/// use sigmill::{Algorithm, SignatureFormat};
///
/// let mut rows = RowBuffer::default();
/// for digest in [[1; 32], [2; 32]] {
///     rows.push(&Row::new(
///         Algorithm::ES256,
///         &[4; 65],
///         Input::Digest(&digest),
///         &[1; 64],
///         SignatureFormat::P1363,
///     ));
/// }
/// let verdicts = Engine::builder().build()?.verify(&rows.as_rows()?);
/// assert_eq!(verdicts.reasons()["key-not-on-curve"], 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RowBuffer {
    /// Key, message or digest, and signature of each row, one row after the other.
    bytes: Vec<u8>,
    rows: Vec<Place>,
}

/// A row, and the ends of its byte strings. They begin where those of the row before end.
#[derive(Clone, Copy, Debug)]
struct Place {
    algorithm: Algorithm,
    format: SignatureFormat,
    is_digest: bool,
    key_end: usize,
    input_end: usize,
    end: usize,
}

impl RowBuffer {
    /// Appends a copy of a row.
    pub fn push(&mut self, row: &Row<'_>) {
        let (input, is_digest) = match row.input {
            Input::Message(message) => (message, false),
            Input::Digest(digest) => (digest, true),
        };
        let mut append = |bytes: &[u8]| {
            self.bytes.extend_from_slice(bytes);
            self.bytes.len()
        };
        self.rows.push(Place {
            algorithm: row.algorithm,
            format: row.format,
            is_digest,
            key_end: append(row.key),
            input_end: append(input),
            end: append(row.signature),
        });
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Removes all rows and keeps the memory for others.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.rows.clear();
    }

    /// Returns a row below the number of rows.
    #[inline]
    pub(super) fn row(&self, row: usize) -> Row<'_> {
        let place = &self.rows[row];
        let start = row.checked_sub(1).map_or(0, |before| self.rows[before].end);
        let input = &self.bytes[place.key_end..place.input_end];
        Row {
            algorithm: place.algorithm,
            key: &self.bytes[start..place.key_end],
            input: match place.is_digest {
                true => Input::Digest(input),
                false => Input::Message(input),
            },
            signature: &self.bytes[place.input_end..place.end],
            format: place.format,
        }
    }
}

/// Rows to recover public keys from that own their bytes: digests and signatures on one curve.
#[derive(Clone, Debug)]
pub struct RecoverBuffer {
    algorithm: Algorithm,
    digests: Vec<u8>,
    digest_ends: Vec<i64>,
    signatures: Vec<u8>,
    signature_ends: Vec<i64>,
}

impl RecoverBuffer {
    /// Creates an empty buffer for signatures on the curve of this algorithm.
    #[must_use]
    pub fn new(algorithm: Algorithm) -> Self {
        Self {
            algorithm,
            digests: vec![],
            digest_ends: vec![0],
            signatures: vec![],
            signature_ends: vec![0],
        }
    }

    /// Appends a copy of a row: a digest, and r, s and v.
    pub fn push(&mut self, digest: &[u8], signature: &[u8]) {
        self.digests.extend_from_slice(digest);
        self.digest_ends.push(self.digests.len() as i64);
        self.signatures.extend_from_slice(signature);
        self.signature_ends.push(self.signatures.len() as i64);
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.digest_ends.len() - 1
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all rows and keeps the memory for others.
    pub fn clear(&mut self) {
        self.digests.clear();
        self.digest_ends.truncate(1);
        self.signatures.clear();
        self.signature_ends.truncate(1);
    }

    pub(super) fn rows(&self) -> Result<RecoverRows<'_>, ShapeError> {
        let digests = Column::variable(&self.digests, &self.digest_ends);
        let signatures = Column::variable(&self.signatures, &self.signature_ends);
        RecoverRows::new(self.algorithm, Inputs::Digests(digests), signatures)
    }
}
