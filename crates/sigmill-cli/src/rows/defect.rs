//! Reasons to reject a row.

use std::fmt;

use crate::encoding::TextDefect;

/// The reason to reject a row: its signature, key or algorithm breaks a rule of the library, or the
/// row is malformed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Defect {
    /// The library's error.
    Signature(sigmill::Error),
    /// The row cannot be read.
    Row(RowDefect),
}

/// A defect of a malformed row: the field and the rule that it breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RowDefect {
    #[error("row: must not be longer than {limit} bytes")]
    TooLong { limit: usize },
    #[error("row: must be one JSON object: {0}")]
    Json(String),
    #[error("row: must have {expected} fields, as the header has, not {actual}")]
    CsvFieldCount { expected: usize, actual: String },
    #[error("row: quoted field is not closed, so it extends to the end of the file")]
    CsvQuote,
    #[error("row: carriage return outside of quotes must be followed by a line feed")]
    CsvLineEnd,
    #[error("row: must not contain NUL")]
    CsvNul,
    #[error("{field}: missing")]
    Missing { field: &'static str },
    #[error("{field}: must not be null or empty")]
    Null { field: &'static str },
    #[error("{field}: must not be longer than {limit} bytes")]
    CellTooLong { field: &'static str, limit: usize },
    #[error("{field}: given twice")]
    Duplicate { field: &'static str },
    #[error("{field}: must be {expected}, not {actual}")]
    Type {
        field: &'static str,
        expected: &'static str,
        actual: &'static str,
    },
    #[error("{field}: {defect}")]
    Encoding {
        field: &'static str,
        defect: TextDefect,
    },
    #[error("alg: {0:?} is not supported")]
    Algorithm(String),
    #[error("message: must not be given together with digest")]
    MessageAndDigest,
    #[error("message: must be UTF-8 to be written as text; name another --message-encoding")]
    MessageNotText,
    #[error("digest: must have {expected} bytes for {hash}, not {actual}")]
    DigestLength {
        hash: sigmill::HashName,
        expected: usize,
        actual: usize,
    },
}

impl Defect {
    /// A short code of the rule, in lower case with hyphens. It is stable between versions.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Self::Signature(error) => error.reason(),
            Self::Row(defect) => defect.reason(),
        }
    }
}

impl RowDefect {
    /// The same for a malformed row.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Self::TooLong { .. } => "row-too-long",
            Self::Json(_) => "json-syntax",
            Self::CsvFieldCount { .. } => "csv-field-count",
            Self::CsvQuote => "csv-quote-unclosed",
            Self::CsvLineEnd => "csv-line-end",
            Self::CsvNul => "csv-nul",
            Self::Missing { .. } => "field-missing",
            Self::Null { .. } => "field-null",
            Self::CellTooLong { .. } => "field-too-long",
            Self::Duplicate { .. } => "field-duplicate",
            Self::Type { .. } => "field-type",
            Self::Encoding { .. } => "field-encoding",
            Self::Algorithm(_) => "unknown-algorithm",
            Self::MessageAndDigest => "message-and-digest",
            Self::MessageNotText => "message-not-text",
            Self::DigestLength { .. } => "digest-length",
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signature(error) => error.fmt(f),
            Self::Row(defect) => defect.fmt(f),
        }
    }
}

impl From<sigmill::Error> for Defect {
    fn from(error: sigmill::Error) -> Self {
        Self::Signature(error)
    }
}

impl From<RowDefect> for Defect {
    fn from(defect: RowDefect) -> Self {
        Self::Row(defect)
    }
}
