//! The layout of a column: offsets, indices and validity.

use super::shape_error::{Field, ShapeError};

/// The number of rows, found column by column.
#[derive(Clone, Copy, Default)]
pub(super) struct Length(Option<usize>);

impl Length {
    /// Returns the length of rows whose number is known.
    pub(super) fn of(rows: usize) -> Self {
        Self(Some(rows))
    }

    /// Adds a column with this number of rows; `None` if one value stands for any number.
    pub(super) fn meet(&mut self, field: Field, rows: Option<usize>) -> Result<(), ShapeError> {
        match (self.0, rows) {
            (Some(expected), Some(actual)) if expected != actual => {
                let rule = format!(
                    "the column must have {expected} rows as those before it, not {actual}"
                );
                Err(ShapeError::of(field, "length", rule))
            }
            _ => {
                self.0 = self.0.or(rows);
                Ok(())
            }
        }
    }

    /// Returns the number of rows, once all columns were added.
    pub(super) fn rows(self) -> Result<usize, ShapeError> {
        let rule = "rows: at least one column must be longer than one value for all rows";
        self.0.ok_or_else(|| ShapeError::new("no-length", rule))
    }
}

/// One bit for each row, least significant first: 1 if the row has a value.
#[derive(Clone, Copy)]
pub(super) struct Validity<'a> {
    pub(super) bits: &'a [u8],
    pub(super) offset: usize,
}

impl Validity<'_> {
    #[inline]
    pub(super) fn get(&self, row: usize) -> bool {
        let bit = self.offset + row;
        self.bits
            .get(bit / 8)
            .is_none_or(|byte| byte >> (bit % 8) & 1 == 1)
    }
}

/// Integers of any type up to 64 bits, as a column's offsets or indices: a slice, an array or a
/// vector, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct Integers<'a>(Slice<'a>);

/// A type of integers, up to 64 bits. No other crate implements it.
pub trait Integer: Copy {
    #[doc(hidden)]
    fn slice(slice: &[Self]) -> Slice<'_>;
}

macro_rules! integers {
    ($($variant:ident($type:ty))*) => {
        /// A slice of integers of any type.
        #[derive(Clone, Copy, Debug)]
        pub enum Slice<'a> {
            $(#[doc = stringify!($type)] $variant(&'a [$type]),)*
        }

        $(impl Integer for $type {
            fn slice(slice: &[Self]) -> Slice<'_> {
                Slice::$variant(slice)
            }
        })*

        /// Evaluates one expression for integers of any type.
        macro_rules! for_any {
            ($integers:expr, $slice:ident => $result:expr) => {
                match $integers.0 {
                    $(Slice::$variant($slice) => $result,)*
                }
            };
        }
    };
}

integers! { I8(i8) I16(i16) I32(i32) I64(i64) U8(u8) U16(u16) U32(u32) U64(u64) }

fn to_usize(integer: impl TryInto<usize>) -> Option<usize> {
    integer.try_into().ok()
}

impl Integers<'_> {
    pub(super) fn len(&self) -> usize {
        for_any!(self, slice => slice.len())
    }

    /// Returns an integer by its place, if it exists and is a `usize`.
    #[inline]
    pub fn get(&self, at: usize) -> Option<usize> {
        for_any!(self, slice => to_usize(*slice.get(at)?))
    }

    /// Returns the first row that has a value and whose index is not below `count`.
    pub(super) fn first_beyond(
        &self,
        count: usize,
        is_null: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        for_any!(self, slice => {
            let is_beyond = |&index| to_usize(index).is_none_or(|index| index >= count);
            let beyond = slice.iter().enumerate().filter(|(_, index)| is_beyond(*index));
            beyond.map(|(row, _)| row).find(|&row| !is_null(row))
        })
    }

    /// Returns the range of a value whose start and end are offsets.
    #[inline]
    pub(super) fn range(&self, row: usize) -> Option<core::ops::Range<usize>> {
        Some(self.get(row)?..self.get(row + 1)?)
    }

    /// Checks offsets into this number of bytes.
    pub(super) fn check_offsets(&self, field: Field, bytes: usize) -> Result<(), ShapeError> {
        for_any!(self, slice => {
            if slice.first().is_some_and(|&first| i128::from(first) < 0) {
                return Err(decrease(field, 0));
            }
            if let Some(at) = slice.windows(2).position(|pair| pair[1] < pair[0]) {
                return Err(decrease(field, at + 1));
            }
            match slice.last() {
                None => {
                    let rule = "there must be one offset more than values";
                    Err(ShapeError::of(field, "offsets-empty", rule))
                }
                Some(&last) if to_usize(last).is_none_or(|last| last > bytes) => {
                    let rule = "the last offset must be at most the number of bytes";
                    let rule = format!("{rule}, {bytes}, not {last}");
                    Err(ShapeError::of(field, "offsets-beyond-end", rule))
                }
                Some(_) => Ok(()),
            }
        })
    }
}

fn decrease(field: Field, at: usize) -> ShapeError {
    let rule = format!("offset {at} must be at least the one before it, and at least 0");
    ShapeError::of(field, "offsets-decrease", rule)
}

impl<'a, T: Integer> From<&'a [T]> for Integers<'a> {
    fn from(slice: &'a [T]) -> Self {
        Self(T::slice(slice))
    }
}

impl<'a, T: Integer, const N: usize> From<&'a [T; N]> for Integers<'a> {
    fn from(array: &'a [T; N]) -> Self {
        Self(T::slice(array))
    }
}

impl<'a, T: Integer> From<&'a Vec<T>> for Integers<'a> {
    fn from(vector: &'a Vec<T>) -> Self {
        Self(T::slice(vector))
    }
}
