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
            (Some(expected), Some(actual)) if expected != actual => Err(ShapeError::Length {
                field,
                expected,
                actual,
            }),
            _ => {
                self.0 = self.0.or(rows);
                Ok(())
            }
        }
    }

    /// Returns the number of rows, once all columns were added.
    pub(super) fn rows(self) -> Result<usize, ShapeError> {
        self.0.ok_or(ShapeError::NoLength)
    }
}

/// The start of each value, and the end of the last one: one entry more than values.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Offsets<'a> {
    /// As in Arrow's `Binary`.
    I32(&'a [i32]),
    /// As in Arrow's `LargeBinary`.
    I64(&'a [i64]),
}

/// For each row, the place of its value in a dictionary, counted from 0.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Indices<'a> {
    /// 8 bits, signed.
    I8(&'a [i8]),
    /// 16 bits, signed.
    I16(&'a [i16]),
    /// 32 bits, signed.
    I32(&'a [i32]),
    /// 64 bits, signed.
    I64(&'a [i64]),
    /// 8 bits.
    U8(&'a [u8]),
    /// 16 bits.
    U16(&'a [u16]),
    /// 32 bits.
    U32(&'a [u32]),
    /// 64 bits.
    U64(&'a [u64]),
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

impl Offsets<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::I32(offsets) => offsets.len(),
            Self::I64(offsets) => offsets.len(),
        }
    }

    #[inline]
    pub(super) fn range(&self, row: usize) -> Option<core::ops::Range<usize>> {
        Some(match self {
            Self::I32(offsets) => {
                usize::try_from(*offsets.get(row)?).ok()?
                    ..usize::try_from(*offsets.get(row + 1)?).ok()?
            }
            Self::I64(offsets) => {
                usize::try_from(*offsets.get(row)?).ok()?
                    ..usize::try_from(*offsets.get(row + 1)?).ok()?
            }
        })
    }

    pub(super) fn check(&self, field: Field, bytes: usize) -> Result<(), ShapeError> {
        fn decrease<T: Copy + Default + PartialOrd>(offsets: &[T]) -> Option<usize> {
            if offsets.first().is_some_and(|&first| first < T::default()) {
                return Some(0);
            }
            let at = offsets.windows(2).position(|pair| pair[1] < pair[0])?;
            Some(at + 1)
        }
        let (decrease, last) = match self {
            Self::I32(offsets) => (
                decrease(offsets),
                offsets.last().map(|&last| i64::from(last)),
            ),
            Self::I64(offsets) => (decrease(offsets), offsets.last().copied()),
        };
        if let Some(at) = decrease {
            return Err(ShapeError::OffsetsDecrease { field, at });
        }
        // Not negative, as no offset is.
        match last.map(i64::cast_unsigned) {
            None => Err(ShapeError::OffsetsEmpty { field }),
            Some(offset) if offset > bytes as u64 => Err(ShapeError::OffsetsBeyondEnd {
                field,
                offset,
                bytes,
            }),
            Some(_) => Ok(()),
        }
    }
}

/// Evaluates one expression for indices of any type.
macro_rules! for_any_index {
    ($indices:expr, $slice:ident => $result:expr) => {
        match $indices {
            Indices::I8($slice) => $result,
            Indices::I16($slice) => $result,
            Indices::I32($slice) => $result,
            Indices::I64($slice) => $result,
            Indices::U8($slice) => $result,
            Indices::U16($slice) => $result,
            Indices::U32($slice) => $result,
            Indices::U64($slice) => $result,
        }
    };
}

fn to_usize(index: impl TryInto<usize>) -> Option<usize> {
    index.try_into().ok()
}

impl Indices<'_> {
    pub(super) fn len(&self) -> usize {
        for_any_index!(self, slice => slice.len())
    }

    #[inline]
    pub(super) fn get(&self, row: usize) -> Option<usize> {
        for_any_index!(self, slice => to_usize(*slice.get(row)?))
    }

    /// Returns the first row that has a value and whose index is not below `count`.
    pub(super) fn first_beyond(
        &self,
        count: usize,
        is_null: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        for_any_index!(self, slice => {
            let is_beyond = |&index| to_usize(index).is_none_or(|index| index >= count);
            let beyond = slice.iter().enumerate().filter(|(_, index)| is_beyond(*index));
            beyond.map(|(row, _)| row).find(|&row| !is_null(row))
        })
    }
}

macro_rules! from_slices {
    ($($name:ident::$variant:ident($element:ty);)*) => {
        $(
            impl<'a> From<&'a [$element]> for $name<'a> {
                fn from(slice: &'a [$element]) -> Self {
                    Self::$variant(slice)
                }
            }

            impl<'a, const N: usize> From<&'a [$element; N]> for $name<'a> {
                fn from(array: &'a [$element; N]) -> Self {
                    Self::$variant(array)
                }
            }

            impl<'a> From<&'a Vec<$element>> for $name<'a> {
                fn from(vector: &'a Vec<$element>) -> Self {
                    Self::$variant(vector)
                }
            }
        )*
    };
}

from_slices! {
    Offsets::I32(i32);
    Offsets::I64(i64);
    Indices::I8(i8);
    Indices::I16(i16);
    Indices::I32(i32);
    Indices::I64(i64);
    Indices::U8(u8);
    Indices::U16(u16);
    Indices::U32(u32);
    Indices::U64(u64);
}
