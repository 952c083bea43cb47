//! Errors in the shape of columns, one variant per rule.

use core::fmt;

/// The field of a row that a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Field {
    /// The algorithms.
    Algorithm,
    /// The keys.
    Key,
    /// The messages or digests.
    Input,
    /// The signatures.
    Signature,
    /// The caller's ids.
    Id,
    /// The hints.
    Hint,
}

/// Columns that do not form rows. The message names the field and the rule.
///
/// This covers only the shape of columns. A fault in the bytes of a row is the verdict of that row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShapeError {
    /// All columns have the same number of rows.
    Length {
        /// The column.
        field: Field,
        /// The rows of the columns before it.
        expected: usize,
        /// The rows found.
        actual: usize,
    },
    /// At least one column is longer than one value for all rows, and sets the number of rows.
    NoLength,
    /// Values of fixed length have at least one byte.
    WidthZero {
        /// The column.
        field: Field,
    },
    /// The bytes of a column of fixed length are a whole number of values.
    WidthPartial {
        /// The column.
        field: Field,
        /// The length of a value, in bytes.
        width: usize,
        /// The length of all of them, in bytes.
        bytes: usize,
    },
    /// There is one more offset than values, so at least one.
    OffsetsEmpty {
        /// The column.
        field: Field,
    },
    /// An offset is at least the one before it, and the first is at least 0.
    OffsetsDecrease {
        /// The column.
        field: Field,
        /// The place of the offset, counted from 0.
        at: usize,
    },
    /// The last offset is at most the number of bytes.
    OffsetsBeyondEnd {
        /// The column.
        field: Field,
        /// The last offset.
        offset: u64,
        /// The number of bytes.
        bytes: usize,
    },
    /// An index into a dictionary is below the number of its values.
    IndexBeyondEnd {
        /// The column.
        field: Field,
        /// The row, counted from 0.
        row: usize,
        /// The number of values.
        values: usize,
    },
    /// The values of a dictionary are not themselves a dictionary, and not one value for all rows.
    DictionaryValues {
        /// The column.
        field: Field,
    },
    /// Each row has a validity bit.
    ValidityTooShort {
        /// The column.
        field: Field,
        /// The bits needed.
        expected: usize,
        /// The bits found.
        actual: usize,
    },
    /// The array has a type that holds bytes or text.
    ArrowType {
        /// The name of its type.
        found: String,
    },
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Algorithm => "algorithm",
            Self::Key => "key",
            Self::Input => "input",
            Self::Signature => "signature",
            Self::Id => "id",
            Self::Hint => "hint",
        })
    }
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length {
                field,
                expected,
                actual,
            } => write!(
                f,
                "{field}: the column must have {expected} rows as those before it, not {actual}"
            ),
            Self::NoLength => {
                f.write_str("rows: at least one column must be longer than one value for all rows")
            }
            Self::WidthZero { field } => {
                write!(
                    f,
                    "{field}: values of fixed length must have at least one byte"
                )
            }
            Self::WidthPartial {
                field,
                width,
                bytes,
            } => write!(
                f,
                "{field}: {bytes} bytes must be a whole number of values of {width} bytes"
            ),
            Self::OffsetsEmpty { field } => {
                write!(f, "{field}: there must be one offset more than values")
            }
            Self::OffsetsDecrease { field, at } => write!(
                f,
                "{field}: offset {at} must be at least the one before it, and at least 0"
            ),
            Self::OffsetsBeyondEnd {
                field,
                offset,
                bytes,
            } => write!(
                f,
                "{field}: the last offset must be at most the number of bytes, {bytes}, not \
                 {offset}"
            ),
            Self::IndexBeyondEnd { field, row, values } => write!(
                f,
                "{field}: the index of row {row} must be below the number of values, {values}"
            ),
            Self::DictionaryValues { field } => write!(
                f,
                "{field}: the values of a dictionary must be a column with rows and no dictionary"
            ),
            Self::ValidityTooShort {
                field,
                expected,
                actual,
            } => write!(
                f,
                "{field}: the validity must have a bit for each of {expected} rows, not {actual}"
            ),
            Self::ArrowType { found } => {
                write!(f, "column: the array must hold bytes or text, not {found}")
            }
        }
    }
}

impl core::error::Error for ShapeError {}
