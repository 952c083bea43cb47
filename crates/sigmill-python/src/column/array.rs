//! An array of bytes, in any layout of Arrow.

use sigmill::bulk::{Column, Indices};

use super::Kind;
use super::buffers::{Part, Rule, Source, Validity, format_of, is_there};
use super::c_data::{Array, Schema};

/// The values of an array.
pub(super) struct Bytes<'a> {
    len: usize,
    layout: Layout<'a>,
    validity: Validity<'a>,
    indices: Option<(Indices<'a>, Validity<'a>)>,
}

enum Layout<'a> {
    /// Of Arrow's type null, or of no row: nothing is in memory.
    Nulls(usize),
    Offsets32(&'a [u8], &'a [i32]),
    Offsets64(&'a [u8], &'a [i64]),
    Fixed(&'a [u8], usize),
    Slices(Vec<Option<&'a [u8]>>),
}

impl<'a> Bytes<'a> {
    /// Reads so many rows of an array.
    ///
    /// # Safety
    /// Schema and array are as the Arrow C Data Interface wants them, as far as it cannot be seen:
    /// texts end with a zero byte, and buffers are as long as format, offset and length say.
    pub(super) unsafe fn read(
        schema: &'a Schema,
        array: &'a Array,
        rows: Part,
        kind: Kind,
    ) -> Result<Self, Rule> {
        let part = Part::of(array)?.narrow(rows)?;
        // SAFETY: as the caller says.
        let format = unsafe { format_of(schema) }?;
        match (schema.dictionary.is_null(), array.dictionary.is_null()) {
            (true, true) => {
                // SAFETY: as the caller says.
                let (layout, validity) = unsafe { flat(format, array, part, kind) }?;
                Ok(Self {
                    len: part.len,
                    layout,
                    validity,
                    indices: None,
                })
            }
            // SAFETY: as the caller says.
            (false, false) => unsafe { Self::dictionary(format, schema, array, part, kind) },
            _ => Err("schema and array must both have a dictionary, or none".into()),
        }
    }

    /// # Safety
    /// As of `read`; both have a dictionary.
    unsafe fn dictionary(
        format: &[u8],
        schema: &'a Schema,
        array: &'a Array,
        part: Part,
        kind: Kind,
    ) -> Result<Self, Rule> {
        if array.n_children != 0 {
            return Err("the indices of a dictionary must not have children".into());
        }
        // SAFETY: as the caller says.
        let source = unsafe { Source::new(array, part, 2..=2) }?;
        let validity = source.validity()?;
        // SAFETY: as the caller says, of each type.
        let indices: Indices<'a> = unsafe {
            match format {
                b"c" => source.numbers::<i8>(part.len)?.into(),
                b"s" => source.numbers::<i16>(part.len)?.into(),
                b"i" => source.numbers::<i32>(part.len)?.into(),
                b"l" => source.numbers::<i64>(part.len)?.into(),
                b"C" => source.numbers::<u8>(part.len)?.into(),
                b"S" => source.numbers::<u16>(part.len)?.into(),
                b"I" => source.numbers::<u32>(part.len)?.into(),
                b"L" => source.numbers::<u64>(part.len)?.into(),
                _ => return Err("the indices of a dictionary must be integers".into()),
            }
        };
        // SAFETY: as the caller says: neither pointer is NULL.
        let (schema, values) = unsafe { (&*schema.dictionary, &*array.dictionary) };
        if !schema.dictionary.is_null() || !values.dictionary.is_null() {
            return Err("the values of a dictionary must not be in a dictionary".into());
        }
        // SAFETY: as the caller says.
        let format = unsafe { format_of(schema) }?;
        let of_values = Part::of(values)?;
        // SAFETY: as the caller says.
        let (layout, of_values) = unsafe { flat(format, values, of_values, kind) }?;
        Ok(Self {
            len: part.len,
            layout,
            validity: of_values,
            indices: Some((indices, validity)),
        })
    }

    /// The same as a column of the library's, which checks offsets and indices.
    pub(super) fn column(&self) -> Column<'_> {
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

    /// Whether nothing of it is in memory.
    pub(super) fn is_null(&self) -> bool {
        self.indices.is_none() && matches!(self.layout, Layout::Nulls(_))
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The number of values in the dictionary, if there is one.
    pub(super) fn dictionary_len(&self) -> Option<usize> {
        self.indices.map(|_| match &self.layout {
            Layout::Nulls(rows) => *rows,
            Layout::Offsets32(_, offsets) => offsets.len() - 1,
            Layout::Offsets64(_, offsets) => offsets.len() - 1,
            Layout::Fixed(bytes, width) => bytes.len() / width,
            Layout::Slices(values) => values.len(),
        })
    }

    /// A value of the dictionary, or of an array that has none.
    pub(super) fn own_value(&self, at: usize) -> Result<Option<&'a [u8]>, Rule> {
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
            format!("the offsets of value {at} must not decrease, and not be beyond the end")
        })
    }

    /// Where the value of a row stands in the dictionary; none where the row is null.
    pub(super) fn index(&self, row: usize) -> Result<Option<usize>, Rule> {
        let Some((indices, validity)) = self.indices else {
            return Ok(Some(row));
        };
        if !is_there(validity, row) {
            return Ok(None);
        }
        let index = match indices {
            Indices::I8(indices) => usize::try_from(indices[row]).ok(),
            Indices::I16(indices) => usize::try_from(indices[row]).ok(),
            Indices::I32(indices) => usize::try_from(indices[row]).ok(),
            Indices::I64(indices) => usize::try_from(indices[row]).ok(),
            Indices::U8(indices) => Some(indices[row].into()),
            Indices::U16(indices) => Some(indices[row].into()),
            Indices::U32(indices) => usize::try_from(indices[row]).ok(),
            Indices::U64(indices) => usize::try_from(indices[row]).ok(),
            _ => None,
        };
        let values = self.dictionary_len().unwrap_or(0);
        match index.filter(|&index| index < values) {
            Some(index) => Ok(Some(index)),
            None => Err(format!(
                "the index of row {row} must be below the number of values, {values}"
            )),
        }
    }

    /// The value of a row.
    pub(super) fn value(&self, row: usize) -> Result<Option<&'a [u8]>, Rule> {
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
/// As of [`Bytes::read`].
unsafe fn flat<'a>(
    format: &[u8],
    array: &'a Array,
    part: Part,
    kind: Kind,
) -> Result<(Layout<'a>, Validity<'a>), Rule> {
    if format == b"n" {
        return Ok((Layout::Nulls(part.len), None));
    }
    let is_text = matches!(format, b"u" | b"U" | b"vu");
    let is_view = matches!(format, b"vz" | b"vu");
    let width = match format.strip_prefix(b"w:") {
        Some(width) => str::from_utf8(width)
            .ok()
            .and_then(|width| width.parse().ok()),
        // A byte as a number.
        None if kind == Kind::Ids && matches!(format, b"c" | b"C") => Some(1),
        None => None,
    };
    let width = width.filter(|&width: &usize| width > 0);
    let buffers = match format {
        _ if is_text && kind != Kind::Keys => {
            return Err(format!("must be {}, not text", kind.wanted()));
        }
        b"z" | b"u" | b"Z" | b"U" => 3..=3,
        _ if is_view => 3..=i64::MAX,
        _ if width.is_some() => 2..=2,
        _ => {
            let found = String::from_utf8_lossy(&format[..format.len().min(40)]);
            let wanted = kind.wanted();
            return Err(format!("must be {wanted}, not Arrow's format {found:?}"));
        }
    };
    if array.n_children != 0 {
        return Err("an array of bytes must not have children".into());
    }
    // SAFETY: as the caller says.
    let source = unsafe { Source::new(array, part, buffers) }?;
    if part.len == 0 {
        return Ok((Layout::Nulls(0), None));
    }
    // SAFETY: as the caller says: each array has what its format says.
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
    // Views without a value are none already.
    let validity = if is_view { None } else { source.validity()? };
    Ok((layout, validity))
}
