//! Arrays of bytes in any layout of Arrow.

use sigmill::bulk::{Column, Integers};

use crate::abi::{ArrowArray, ArrowSchema};
use crate::buffers::{Part, Source, Validity, format_of, is_there};
use crate::error::ArrayError;
use crate::error::ErrorKind::{Children, Format, Length};

/// The types that a column may have in addition to bytes.
#[derive(Clone, Copy, Debug)]
pub struct Accepted {
    /// Text.
    pub text: bool,
    /// Integers of eight bits, each read as a byte.
    pub integers: bool,
    /// Arrow's type null: rows without a value.
    pub nulls: bool,
    /// All accepted types, in words.
    pub name: &'static str,
}

/// The values of an array.
#[derive(Debug)]
pub struct Bytes<'a> {
    len: usize,
    layout: Layout<'a>,
    validity: Validity<'a>,
    indices: Option<(Integers<'a>, Validity<'a>)>,
}

#[derive(Debug)]
enum Layout<'a> {
    /// Arrow's type null, or no rows: there are no values in memory.
    Nulls(usize),
    Offsets32(&'a [u8], &'a [i32]),
    Offsets64(&'a [u8], &'a [i64]),
    Fixed(&'a [u8], usize),
    Slices(Vec<Option<&'a [u8]>>),
}

impl<'a> Bytes<'a> {
    /// Reads an array.
    ///
    /// # Errors
    /// The rule that it breaks.
    ///
    /// # Safety
    /// Schema and array obey the Arrow C Data Interface in what cannot be checked: pointers that
    /// are not NULL are valid during `'a`, strings end with a zero byte, children and buffers have
    /// the numbers stated, and these have the lengths that format, offset and length require.
    pub unsafe fn read(
        schema: &'a ArrowSchema,
        array: &'a ArrowArray,
        accepted: &Accepted,
    ) -> Result<Self, ArrayError> {
        let all = Part::of(array)?;
        // SAFETY: the caller guarantees this.
        unsafe { Self::part(schema, array, all, accepted) }
    }

    /// Reads a part of an array.
    ///
    /// # Safety
    /// That of [`read`](Self::read), and the part lies within the array.
    pub(crate) unsafe fn part(
        schema: &'a ArrowSchema,
        array: &'a ArrowArray,
        part: Part,
        accepted: &Accepted,
    ) -> Result<Self, ArrayError> {
        // SAFETY: the caller guarantees this.
        let format = unsafe { format_of(schema) }?;
        match (schema.dictionary.is_null(), array.dictionary.is_null()) {
            (true, true) => {
                // SAFETY: the caller guarantees this.
                let (layout, validity) = unsafe { flat(format, array, part, accepted) }?;
                Ok(Self {
                    len: part.len,
                    layout,
                    validity,
                    indices: None,
                })
            }
            // SAFETY: the caller guarantees this.
            (false, false) => unsafe { Self::dictionary(format, schema, array, part, accepted) },
            _ => {
                let rule = "schema and array must both have a dictionary, or none";
                Err(ArrayError::new(Children, rule))
            }
        }
    }

    /// # Safety
    /// That of [`read`](Self::read), and both have a dictionary.
    unsafe fn dictionary(
        format: &[u8],
        schema: &'a ArrowSchema,
        array: &'a ArrowArray,
        part: Part,
        accepted: &Accepted,
    ) -> Result<Self, ArrayError> {
        if array.n_children != 0 {
            let rule = "the indices of a dictionary must not have children";
            return Err(ArrayError::new(Children, rule));
        }
        // SAFETY: the caller guarantees this.
        let source = unsafe { Source::new(array, part, 2..=2) }?;
        let validity = source.validity()?;
        // SAFETY: the caller guarantees this for each type.
        let indices: Integers<'a> = unsafe {
            match format {
                b"c" => source.numbers::<i8>(part.len)?.into(),
                b"s" => source.numbers::<i16>(part.len)?.into(),
                b"i" => source.numbers::<i32>(part.len)?.into(),
                b"l" => source.numbers::<i64>(part.len)?.into(),
                b"C" => source.numbers::<u8>(part.len)?.into(),
                b"S" => source.numbers::<u16>(part.len)?.into(),
                b"I" => source.numbers::<u32>(part.len)?.into(),
                b"L" => source.numbers::<u64>(part.len)?.into(),
                _ => {
                    let rule = "the indices of a dictionary must be integers";
                    return Err(ArrayError::new(Format, rule));
                }
            }
        };
        if !schema.dictionary.is_aligned() || !array.dictionary.is_aligned() {
            let rule = "the dictionaries of schema and array must be aligned";
            return Err(ArrayError::new(Children, rule));
        }
        // SAFETY: the caller guarantees this; neither pointer is NULL.
        let (schema, values) = unsafe { (&*schema.dictionary, &*array.dictionary) };
        if !schema.dictionary.is_null() || !values.dictionary.is_null() {
            let rule = "the values of a dictionary must not be in a dictionary";
            return Err(ArrayError::new(Format, rule));
        }
        // SAFETY: the caller guarantees this.
        let format = unsafe { format_of(schema) }?;
        let of_values = Part::of(values)?;
        // SAFETY: the caller guarantees this.
        let (layout, of_values) = unsafe { flat(format, values, of_values, accepted) }?;
        Ok(Self {
            len: part.len,
            layout,
            validity: of_values,
            indices: Some((indices, validity)),
        })
    }

    /// Returns the values as a column of the library, which checks offsets and indices.
    pub fn column(&self) -> Column<'_> {
        let column = match &self.layout {
            Layout::Nulls(rows) => Column::nulls(*rows),
            Layout::Offsets32(bytes, offsets) => Column::variable(bytes, *offsets),
            Layout::Offsets64(bytes, offsets) => Column::variable(bytes, *offsets),
            Layout::Fixed(bytes, width) => Column::fixed(bytes, *width),
            Layout::Slices(values) => Column::optional_slices(values),
        };
        let column = with_validity(column, self.validity);
        match self.indices {
            None => column,
            Some((indices, validity)) => with_validity(column.dictionary(indices), validity),
        }
    }

    /// Returns true if no values are in memory: no row has a value.
    pub fn is_null(&self) -> bool {
        self.indices.is_none() && matches!(self.layout, Layout::Nulls(_))
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.len
    }

    /// Returns the number of values in the dictionary, if there is one.
    pub fn dictionary_len(&self) -> Option<usize> {
        self.indices.map(|_| match &self.layout {
            Layout::Nulls(rows) => *rows,
            Layout::Offsets32(_, offsets) => offsets.len() - 1,
            Layout::Offsets64(_, offsets) => offsets.len() - 1,
            Layout::Fixed(bytes, width) => bytes.len() / width,
            Layout::Slices(values) => values.len(),
        })
    }

    /// Returns a value by its number, or `None` if it is null. The number is below
    /// [`dictionary_len`](Self::dictionary_len), or below [`rows`](Self::rows) if there is no
    /// dictionary.
    ///
    /// # Errors
    /// [`ErrorKind::Length`](crate::ErrorKind::Length) for offsets that decrease or point beyond
    /// the end.
    pub fn own_value(&self, at: usize) -> Result<Option<&'a [u8]>, ArrayError> {
        if !is_there(self.validity, at) {
            return Ok(None);
        }
        let offset = |offset: Option<i64>| usize::try_from(offset?).ok();
        let between = |bytes: &'a [u8], begin: Option<i64>, end: Option<i64>| {
            let value = bytes.get(offset(begin)?..offset(end)?);
            value.map(Some)
        };
        let value = match &self.layout {
            Layout::Nulls(rows) => (at < *rows).then_some(None),
            Layout::Offsets32(bytes, offsets) => {
                let offset = |at| offsets.get(at).map(|&offset| i64::from(offset));
                between(bytes, offset(at), offset(at + 1))
            }
            Layout::Offsets64(bytes, offsets) => between(
                bytes,
                offsets.get(at).copied(),
                offsets.get(at + 1).copied(),
            ),
            Layout::Fixed(bytes, width) => bytes.get(at * width..(at + 1) * width).map(Some),
            Layout::Slices(values) => values.get(at).copied(),
        };
        value.ok_or_else(|| {
            let rule = "must not decrease, and not be beyond the end";
            ArrayError::new(Length, format!("the offsets of value {at} {rule}"))
        })
    }

    /// Returns the number of a row's value in the dictionary, or in the array if it has no
    /// dictionary. Returns `None` if the dictionary's index is null. The row is below
    /// [`rows`](Self::rows).
    ///
    /// # Errors
    /// [`ErrorKind::Length`](crate::ErrorKind::Length) for an index beyond the dictionary.
    pub fn index(&self, row: usize) -> Result<Option<usize>, ArrayError> {
        let Some((indices, validity)) = self.indices else {
            return Ok(Some(row));
        };
        if !is_there(validity, row) {
            return Ok(None);
        }
        let values = self.dictionary_len().unwrap_or(0);
        match indices.get(row).filter(|&index| index < values) {
            Some(index) => Ok(Some(index)),
            None => {
                let rule = format!("must be below the number of values, {values}");
                Err(ArrayError::new(
                    Length,
                    format!("the index of row {row} {rule}"),
                ))
            }
        }
    }

    /// Returns the value of a row, or `None` if it is null. The row is below [`rows`](Self::rows).
    ///
    /// # Errors
    /// Those of [`index`](Self::index) and [`own_value`](Self::own_value).
    pub fn value(&self, row: usize) -> Result<Option<&'a [u8]>, ArrayError> {
        match self.index(row)? {
            Some(at) => self.own_value(at),
            None => Ok(None),
        }
    }
}

fn with_validity<'a>(column: Column<'a>, validity: Validity<'a>) -> Column<'a> {
    match validity {
        Some((bits, offset)) => column.with_validity(bits, offset),
        None => column,
    }
}

/// Reads an array that holds its own values.
///
/// # Safety
/// That of `Bytes::read`.
unsafe fn flat<'a>(
    format: &[u8],
    array: &'a ArrowArray,
    part: Part,
    accepted: &Accepted,
) -> Result<(Layout<'a>, Validity<'a>), ArrayError> {
    if accepted.nulls && format == b"n" {
        return Ok((Layout::Nulls(part.len), None));
    }
    let is_text = matches!(format, b"u" | b"U" | b"vu");
    let is_view = matches!(format, b"vz" | b"vu");
    let width = match format.strip_prefix(b"w:") {
        Some(width) => str::from_utf8(width)
            .ok()
            .and_then(|width| width.parse().ok()),
        // One byte as a number.
        None if accepted.integers && matches!(format, b"c" | b"C") => Some(1),
        None => None,
    };
    let width = width.filter(|&width: &usize| width > 0);
    let buffers = match format {
        _ if is_text && !accepted.text => {
            let rule = format!("must be {}, not text", accepted.name);
            return Err(ArrayError::new(Format, rule));
        }
        b"z" | b"u" | b"Z" | b"U" => 3..=3,
        _ if is_view => 3..=i64::MAX,
        _ if width.is_some() => 2..=2,
        _ => {
            let found = String::from_utf8_lossy(&format[..format.len().min(40)]);
            let rule = format!("must be {}, not Arrow's format {found:?}", accepted.name);
            // An array with children is not an array of bytes, whatever its format.
            let kind = match array.n_children {
                0 => Format,
                _ => Children,
            };
            return Err(ArrayError::new(kind, rule));
        }
    };
    if array.n_children != 0 {
        let rule = "an array of bytes must not have children";
        return Err(ArrayError::new(Children, rule));
    }
    // SAFETY: the caller guarantees this.
    let source = unsafe { Source::new(array, part, buffers) }?;
    if part.len == 0 {
        return Ok((Layout::Nulls(0), None));
    }
    // SAFETY: the caller guarantees this; each array has what its format requires.
    let layout = unsafe {
        match (format, width) {
            (_, Some(width)) => Layout::Fixed(source.fixed(width)?, width),
            (b"z" | b"u", _) => {
                let offsets = source.numbers::<i32>(part.len + 1)?;
                let last = offsets.last().map_or(0, |&last| i64::from(last));
                Layout::Offsets32(source.data(last)?, offsets)
            }
            (b"Z" | b"U", _) => {
                let offsets = source.numbers::<i64>(part.len + 1)?;
                let last = offsets.last().map_or(0, |&last| last);
                Layout::Offsets64(source.data(last)?, offsets)
            }
            _ => Layout::Slices(source.views()?),
        }
    };
    // Views already have `None` for a null value.
    let validity = if is_view { None } else { source.validity()? };
    Ok((layout, validity))
}
