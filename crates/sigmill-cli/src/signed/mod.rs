//! Writers of tables of signatures for `sigmill sample` and `sigmill sign`. `sigmill verify` reads
//! these tables.

use clap::ValueEnum;
use sigmill::{AnyVerifyingKey, SignatureFormat};

use crate::format::TableFormat;
use crate::rows::defect::RowDefect;
use crate::rows::fields::Column;
use crate::written::{CellValue, Kind, TableWriter, WrittenColumn, WrittenRow};

/// Writes a table of signatures.
pub(crate) type SignedWriter = TableWriter<Column>;

/// The columns of a table of signatures.
pub(crate) const COLUMNS: [Column; 6] = [
    Column::Id,
    Column::Alg,
    Column::Key,
    Column::Message,
    Column::Digest,
    Column::Signature,
];

/// A cell to write; `None` is an empty cell.
pub(crate) type Cell = Option<Value>;

/// The value of a cell.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// Bytes to encode.
    Bytes(Vec<u8>),
    /// Text to write unchanged.
    Text(String),
}

impl<'a> From<&'a Value> for CellValue<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Bytes(bytes) => Self::Bytes(bytes.into()),
            Value::Text(text) => Self::Text(text.into()),
        }
    }
}

/// A row to write.
#[derive(Clone, Debug, Default)]
pub(crate) struct SignedRow {
    pub(crate) id: Cell,
    pub(crate) alg: Cell,
    pub(crate) key: Cell,
    pub(crate) message: Cell,
    pub(crate) digest: Cell,
    pub(crate) signature: Cell,
    /// True if the line ends in the middle, as if the file were truncated.
    pub(crate) is_truncated: bool,
}

impl SignedRow {
    /// Checks that `sigmill verify` can read this row in a file of this format.
    ///
    /// # Errors
    /// The rule that the row would break.
    pub(crate) fn check(&self, format: TableFormat) -> Result<(), RowDefect> {
        let has_nul = |cell: &Cell| matches!(cell, Some(Value::Text(text)) if text.contains('\0'));
        let texts = [&self.id, &self.key, &self.message];
        match format == TableFormat::Csv && texts.into_iter().any(has_nul) {
            true => Err(RowDefect::CsvNul),
            false => Ok(()),
        }
    }
}

impl WrittenColumn for Column {
    fn name(self) -> &'static str {
        self.field()
    }

    fn kind(self) -> Kind {
        match self {
            Column::Id | Column::Alg => Kind::Text,
            Column::Hint => Kind::Number,
            Column::Key | Column::Message | Column::Digest | Column::Signature => Kind::Bytes,
        }
    }
}

impl WrittenRow for SignedRow {
    type Column = Column;

    fn cell(&self, column: Column) -> Option<CellValue<'_>> {
        let cell = match column {
            Column::Id => &self.id,
            Column::Alg => &self.alg,
            Column::Key => &self.key,
            Column::Message => &self.message,
            Column::Digest => &self.digest,
            Column::Signature => &self.signature,
            // These rows are written for a first pass, without hints.
            Column::Hint => &None,
        };
        cell.as_ref().map(CellValue::from)
    }

    fn is_truncated(&self) -> bool {
        self.is_truncated
    }
}

/// The format of signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SignatureShape {
    /// ASN.1 DER
    Der,
    /// r and s side by side
    P1363,
}

impl From<SignatureShape> for SignatureFormat {
    fn from(shape: SignatureShape) -> Self {
        match shape {
            SignatureShape::Der => Self::Der,
            SignatureShape::P1363 => Self::P1363,
        }
    }
}

/// The format of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyShape {
    /// An uncompressed SEC 1 point
    Sec1,
    /// A compressed SEC 1 point
    Sec1Compressed,
    /// `SubjectPublicKeyInfo` in DER
    Spki,
    /// `SubjectPublicKeyInfo` in PEM
    Pem,
}

impl KeyShape {
    /// Encodes a public key in this format.
    pub(crate) fn value(self, key: &AnyVerifyingKey) -> Value {
        match self {
            Self::Sec1 => Value::Bytes(key.to_sec1_bytes(false)),
            Self::Sec1Compressed => Value::Bytes(key.to_sec1_bytes(true)),
            Self::Spki => Value::Bytes(key.to_public_key_der()),
            Self::Pem => Value::Text(key.to_public_key_pem()),
        }
    }
}
