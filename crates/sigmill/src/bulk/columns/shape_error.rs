//! Errors in the shape of columns, one entry per rule.

use core::fmt;

use crate::error::errors;

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
    /// The hints.
    Hint,
}

errors! {
    /// Columns that do not form rows. The message names the field and the rule.
    ///
    /// This covers only the shape of columns. A fault in the bytes of a row is the verdict of that
    /// row.
    pub enum ShapeError;

    Length {
        /// The column.
        field: Field,
        /// The rows of the columns before it.
        expected: usize,
        /// The rows found.
        actual: usize,
    } => "length",
        "{field}: the column must have {expected} rows as those before it, not {actual}";
    /// That column sets the number of rows.
    NoLength => "no-length",
        "rows: at least one column must be longer than one value for all rows";
    WidthZero {
        /// The column.
        field: Field,
    } => "width-zero", "{field}: values of fixed length must have at least one byte";
    WidthPartial {
        /// The column.
        field: Field,
        /// The length of a value, in bytes.
        width: usize,
        /// The length of all of them, in bytes.
        bytes: usize,
    } => "width-partial",
        "{field}: {bytes} bytes must be a whole number of values of {width} bytes";
    OffsetsEmpty {
        /// The column.
        field: Field,
    } => "offsets-empty", "{field}: there must be one offset more than values";
    OffsetsDecrease {
        /// The column.
        field: Field,
        /// The place of the offset, counted from 0.
        at: usize,
    } => "offsets-decrease",
        "{field}: offset {at} must be at least the one before it, and at least 0";
    OffsetsBeyondEnd {
        /// The column.
        field: Field,
        /// The last offset.
        offset: u64,
        /// The number of bytes.
        bytes: usize,
    } => "offsets-beyond-end",
        "{field}: the last offset must be at most the number of bytes, {bytes}, not {offset}";
    IndexBeyondEnd {
        /// The column.
        field: Field,
        /// The row, counted from 0.
        row: usize,
        /// The number of values.
        values: usize,
    } => "index-beyond-end",
        "{field}: the index of row {row} must be below the number of values, {values}";
    DictionaryValues {
        /// The column.
        field: Field,
    } => "dictionary-values",
        "{field}: the values of a dictionary must be a column with rows and no dictionary";
    ValidityTooShort {
        /// The column.
        field: Field,
        /// The bits needed.
        expected: usize,
        /// The bits found.
        actual: usize,
    } => "validity-too-short",
        "{field}: the validity must have a bit for each of {expected} rows, not {actual}";
    ArrowType {
        /// The name of its type.
        found: String,
    } => "arrow-type", "column: the array must hold bytes or text, not {found}";
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Algorithm => "algorithm",
            Self::Key => "key",
            Self::Input => "input",
            Self::Signature => "signature",
            Self::Hint => "hint",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::ShapeError;

    #[test]
    fn messages_name_a_field_and_reasons_are_the_variants() {
        crate::error::tests::check_entries(ShapeError::ENTRIES, &["{field}", "rows", "column"]);
    }
}
