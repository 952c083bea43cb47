//! A borrowed column of byte strings, in the layouts that programs and files use.

use core::fmt;

use super::layout::{Integers, Validity};
use super::shape_error::{Field, ShapeError};

/// A column of byte strings: one value per row, borrowed from the caller.
///
/// The layout is checked when the column becomes part of [`Rows`](super::Rows); the error names the
/// field and the rule. Copying a column copies no value.
///
/// ```
/// use sigmill::bulk::Column;
///
/// let digests = [[7_u8; 32], [8; 32]].concat();
/// let digests = Column::fixed(&digests, 32);
/// let signatures = Column::variable(b"firstsecond", &[0_i32, 5, 11]);
/// let keys = Column::fixed(b"key 1key 2", 5).dictionary(&[1_u32, 1, 0, 1]);
/// # let _ = (digests, signatures, keys);
/// ```
#[derive(Clone)]
pub struct Column<'a> {
    values: Values<'a>,
    validity: Option<Validity<'a>>,
}

/// The values and their layout.
#[derive(Clone)]
pub(super) enum Values<'a> {
    /// One value for all rows.
    Same(&'a [u8]),
    Fixed {
        bytes: &'a [u8],
        width: usize,
    },
    Variable {
        bytes: &'a [u8],
        offsets: Integers<'a>,
    },
    Slices(&'a [&'a [u8]]),
    Options(&'a [Option<&'a [u8]>]),
    Dictionary {
        values: Box<Column<'a>>,
        indices: Integers<'a>,
    },
    /// This number of rows, all without a value.
    Nulls(usize),
    #[cfg(feature = "arrow")]
    BinaryView(&'a arrow_array::BinaryViewArray),
    #[cfg(feature = "arrow")]
    StringView(&'a arrow_array::StringViewArray),
}

impl<'a> Column<'a> {
    pub(super) fn new(values: Values<'a>) -> Self {
        Self {
            values,
            validity: None,
        }
    }

    /// Creates a column with one value for all rows.
    pub fn same(value: &'a [u8]) -> Self {
        Self::new(Values::Same(value))
    }

    /// Creates a column of values of one length, stored one after the other. `width` is at least 1
    /// and divides the length of `bytes`.
    pub fn fixed(bytes: &'a [u8], width: usize) -> Self {
        Self::new(Values::Fixed { bytes, width })
    }

    /// Creates a column of values of any length, stored one after the other: value i is
    /// `bytes[offsets[i]..offsets[i + 1]]`. Offsets are not negative and do not decrease; the last
    /// one is at most `bytes.len()`.
    pub fn variable(bytes: &'a [u8], offsets: impl Into<Integers<'a>>) -> Self {
        let offsets = offsets.into();
        Self::new(Values::Variable { bytes, offsets })
    }

    /// Creates a column of values stored anywhere.
    pub fn slices(values: &'a [&'a [u8]]) -> Self {
        Self::new(Values::Slices(values))
    }

    /// Creates a column of values stored anywhere. The verdict of a row without a value says so.
    pub fn optional_slices(values: &'a [Option<&'a [u8]>]) -> Self {
        Self::new(Values::Options(values))
    }

    /// Creates a column of `rows` rows without a value.
    pub fn nulls(rows: usize) -> Self {
        Self::new(Values::Nulls(rows))
    }

    /// Creates a column that selects its values from this one by index: row i has value
    /// `indices[i]`. Each index is below the number of values. In a column of keys, each value is
    /// looked up once, however many rows have it, and no bytes are compared.
    #[must_use]
    pub fn dictionary(self, indices: impl Into<Integers<'a>>) -> Self {
        Self::new(Values::Dictionary {
            values: Box::new(self),
            indices: indices.into(),
        })
    }

    /// Marks the rows that have a value: row i has one if the bit at `offset` + i is 1. Bits are
    /// numbered from the least significant one in each byte, as in Arrow. A row without a value is
    /// rejected with its own reason. In a column with one value for all rows, the bits have no
    /// effect.
    #[must_use]
    pub fn with_validity(mut self, bits: &'a [u8], offset: usize) -> Self {
        if !matches!(self.values, Values::Same(_)) {
            self.validity = Some(Validity { bits, offset });
        }
        self
    }

    /// Returns the number of rows; `None` if one value stands for any number.
    pub(super) fn len(&self) -> Option<usize> {
        Some(match &self.values {
            Values::Same(_) => return None,
            Values::Fixed { bytes, width } => bytes.len().checked_div(*width).unwrap_or(0),
            Values::Variable { offsets, .. } => offsets.len().saturating_sub(1),
            Values::Slices(values) => values.len(),
            Values::Options(values) => values.len(),
            Values::Dictionary { indices, .. } => indices.len(),
            Values::Nulls(rows) => *rows,
            #[cfg(feature = "arrow")]
            Values::BinaryView(array) => arrow_array::Array::len(*array),
            #[cfg(feature = "arrow")]
            Values::StringView(array) => arrow_array::Array::len(*array),
        })
    }

    /// Checks the layout. After that, [`value`](Self::value) finds every row below
    /// [`len`](Self::len), which this returns.
    pub(super) fn check(&self, field: Field) -> Result<Option<usize>, ShapeError> {
        match &self.values {
            Values::Fixed { width: 0, .. } => {
                let rule = "values of fixed length must have at least one byte";
                return Err(ShapeError::of(field, "width-zero", rule));
            }
            Values::Fixed { bytes, width } if !bytes.len().is_multiple_of(*width) => {
                let rule = "bytes must be a whole number of values of";
                let rule = format!("{} {rule} {width} bytes", bytes.len());
                return Err(ShapeError::of(field, "width-partial", rule));
            }
            Values::Variable { bytes, offsets } => offsets.check_offsets(field, bytes.len())?,
            Values::Dictionary { values, indices } => {
                let count = match (&values.values, values.len()) {
                    (Values::Dictionary { .. }, _) | (_, None) => {
                        let rule = "the values of a dictionary must be a column with rows and no \
                                    dictionary";
                        return Err(ShapeError::of(field, "dictionary-values", rule));
                    }
                    (_, Some(count)) => count,
                };
                values.check(field)?;
                let is_null = |row| self.validity.is_some_and(|validity| !validity.get(row));
                if let Some(row) = indices.first_beyond(count, is_null) {
                    let rule = "must be below the number of values";
                    let rule = format!("the index of row {row} {rule}, {count}");
                    return Err(ShapeError::of(field, "index-beyond-end", rule));
                }
            }
            _ => {}
        }
        let (Some(validity), Some(rows)) = (self.validity, self.len()) else {
            return Ok(self.len());
        };
        let actual = validity
            .bits
            .len()
            .saturating_mul(8)
            .saturating_sub(validity.offset);
        if actual < rows {
            let rule =
                format!("the validity must have a bit for each of {rows} rows, not {actual}");
            return Err(ShapeError::of(field, "validity-too-short", rule));
        }
        Ok(Some(rows))
    }

    /// Returns the value of a row, if it has one. Rows at or above the length have none.
    #[inline]
    pub(super) fn value(&self, row: usize) -> Option<&'a [u8]> {
        if let Some(validity) = self.validity
            && !validity.get(row)
        {
            return None;
        }
        match &self.values {
            Values::Same(value) => Some(value),
            Values::Fixed { bytes, width } => bytes.get(row * width..(row + 1) * width),
            Values::Variable { bytes, offsets } => bytes.get(offsets.range(row)?),
            Values::Slices(values) => values.get(row).copied(),
            Values::Options(values) => values.get(row).copied().flatten(),
            Values::Dictionary { values, indices } => values.value(indices.get(row)?),
            Values::Nulls(_) => None,
            #[cfg(feature = "arrow")]
            Values::BinaryView(array) => view(*array, row),
            #[cfg(feature = "arrow")]
            Values::StringView(array) => view(*array, row).map(str::as_bytes),
        }
    }

    /// Returns true if all rows have one value.
    pub(super) fn is_same(&self) -> bool {
        matches!(self.values, Values::Same(_))
    }

    /// Returns the number of values of a dictionary; `None` for other columns.
    pub(super) fn dictionary_len(&self) -> Option<usize> {
        match &self.values {
            Values::Dictionary { values, .. } => values.len(),
            _ => None,
        }
    }

    /// Returns the index of a row's value in the dictionary; `None` if the column is no dictionary
    /// or the row has no value.
    #[inline]
    pub(super) fn dictionary_index(&self, row: usize) -> Option<usize> {
        match &self.values {
            Values::Dictionary { indices, .. }
                if self.validity.is_none_or(|validity| validity.get(row)) =>
            {
                indices.get(row)
            }
            _ => None,
        }
    }
}

impl fmt::Debug for Column<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layout = match &self.values {
            Values::Same(_) => "same",
            Values::Fixed { .. } => "fixed",
            Values::Variable { .. } => "variable",
            Values::Slices(_) | Values::Options(_) => "slices",
            Values::Dictionary { .. } => "dictionary",
            Values::Nulls(_) => "null",
            #[cfg(feature = "arrow")]
            Values::BinaryView(_) | Values::StringView(_) => "view",
        };
        f.debug_struct("Column")
            .field("layout", &layout)
            .field("rows", &self.len())
            .field("nullable", &self.validity.is_some())
            .finish()
    }
}

/// Returns a value of a view array; `None` beyond its end.
#[cfg(feature = "arrow")]
fn view<T: arrow_array::types::ByteViewType>(
    array: &arrow_array::GenericByteViewArray<T>,
    row: usize,
) -> Option<&T::Native> {
    (row < arrow_array::Array::len(array)).then(|| array.value(row))
}
