//! A column of bytes or text, in any layout of Arrow.

use sigmill::bulk::{Column, Indices};

use super::abi::{ArrowArray, ArrowSchema};
use super::source::{Part, Source, Validity, format_of, refuse};
use crate::error::sigmill_error::*;
use crate::rows::Refusal;

/// The values of a column.
pub(crate) struct Bytes<'a> {
    layout: Layout<'a>,
    validity: Validity<'a>,
    indices: Option<(Indices<'a>, Validity<'a>)>,
}

enum Layout<'a> {
    Empty,
    Offsets32(&'a [u8], &'a [i32]),
    Offsets64(&'a [u8], &'a [i64]),
    Fixed(&'a [u8], usize),
    Views(Vec<Option<&'a [u8]>>),
}

impl<'a> Bytes<'a> {
    /// Reads the column of the rows that a struct has.
    ///
    /// # Safety
    /// As of `Batch::read`.
    pub(super) unsafe fn read(
        column: &'static str,
        schema: &'a ArrowSchema,
        array: &'a ArrowArray,
        rows: Part,
    ) -> Result<Self, Refusal> {
        let part = Part::of(column, array)?;
        let last = rows.offset.saturating_add(rows.len);
        if last > part.len {
            let rule = format!("the column has {} rows, and must have {last}", part.len);
            return Err(refuse(SIGMILL_ERROR_ARROW_LENGTH, column, &rule));
        }
        let part = Part {
            offset: part.offset + rows.offset,
            len: rows.len,
        };
        // SAFETY: as the caller says.
        let format = unsafe { format_of(column, schema) }?;
        match (schema.dictionary.is_null(), array.dictionary.is_null()) {
            (true, true) => {
                // SAFETY: as the caller says.
                let (layout, validity) = unsafe { flat(column, format, array, part) }?;
                Ok(Self {
                    layout,
                    validity,
                    indices: None,
                })
            }
            // SAFETY: as the caller says.
            (false, false) => unsafe { Self::dictionary(column, format, schema, array, part) },
            _ => {
                let rule = "schema and array must both have a dictionary, or none";
                Err(refuse(SIGMILL_ERROR_ARROW_CHILDREN, column, rule))
            }
        }
    }

    /// # Safety
    /// As of `Batch::read`; both have a dictionary.
    unsafe fn dictionary(
        column: &'static str,
        format: &[u8],
        schema: &'a ArrowSchema,
        array: &'a ArrowArray,
        part: Part,
    ) -> Result<Self, Refusal> {
        // SAFETY: as the caller says.
        let source = unsafe { Source::new(column, array, part, 2..=2) }?;
        let validity = source.validity()?;
        // SAFETY: as the caller says, of each type.
        let indices: Indices<'a> = unsafe {
            match format {
                b"c" => source.numbers::<i8>(1, part.len)?.into(),
                b"s" => source.numbers::<i16>(1, part.len)?.into(),
                b"i" => source.numbers::<i32>(1, part.len)?.into(),
                b"l" => source.numbers::<i64>(1, part.len)?.into(),
                b"C" => source.numbers::<u8>(1, part.len)?.into(),
                b"S" => source.numbers::<u16>(1, part.len)?.into(),
                b"I" => source.numbers::<u32>(1, part.len)?.into(),
                b"L" => source.numbers::<u64>(1, part.len)?.into(),
                _ => {
                    let rule = "the indices of a dictionary must be integers";
                    return Err(refuse(SIGMILL_ERROR_ARROW_FORMAT, column, rule));
                }
            }
        };
        // SAFETY: as the caller says: neither pointer is NULL.
        let (schema, values) = unsafe { (&*schema.dictionary, &*array.dictionary) };
        if !schema.dictionary.is_null() || !values.dictionary.is_null() {
            let rule = "the values of a dictionary must not be in a dictionary";
            return Err(refuse(SIGMILL_ERROR_ARROW_FORMAT, column, rule));
        }
        // SAFETY: as the caller says.
        let format = unsafe { format_of(column, schema) }?;
        let part = Part::of(column, values)?;
        // SAFETY: as the caller says.
        let (layout, of_values) = unsafe { flat(column, format, values, part) }?;
        Ok(Self {
            layout,
            validity: of_values,
            indices: Some((indices, validity)),
        })
    }

    /// The same as a column of the library's, which checks offsets and indices.
    pub(crate) fn column(&self) -> Column<'_> {
        let column = match &self.layout {
            Layout::Empty => Column::slices(&[]),
            Layout::Offsets32(bytes, offsets) => Column::variable(bytes, *offsets),
            Layout::Offsets64(bytes, offsets) => Column::variable(bytes, *offsets),
            Layout::Fixed(bytes, width) => Column::fixed(bytes, *width),
            Layout::Views(values) => Column::optional_slices(values),
        };
        let column = match self.validity {
            Some((bits, offset)) => column.with_validity(bits, offset),
            None => column,
        };
        match self.indices {
            None => column,
            Some((indices, None)) => column.dictionary(indices),
            Some((indices, Some((bits, offset)))) => {
                column.dictionary(indices).with_validity(bits, offset)
            }
        }
    }
}

/// Reads an array that holds its own values.
///
/// # Safety
/// As of `Batch::read`.
unsafe fn flat<'a>(
    column: &'static str,
    format: &[u8],
    array: &'a ArrowArray,
    part: Part,
) -> Result<(Layout<'a>, Validity<'a>), Refusal> {
    let is_view = matches!(format, b"vz" | b"vu");
    let width = format.strip_prefix(b"w:").map(|width| {
        let width = str::from_utf8(width).ok()?.parse::<usize>().ok()?;
        (width > 0).then_some(width)
    });
    let buffers = match format {
        b"z" | b"u" | b"Z" | b"U" => 3..=3,
        _ if is_view => 3..=i64::MAX,
        _ if matches!(width, Some(Some(_))) => 2..=2,
        _ => {
            let found = String::from_utf8_lossy(&format[..format.len().min(40)]);
            let rule = format!("the format must be bytes or text, not {found}");
            return Err(refuse(SIGMILL_ERROR_ARROW_FORMAT, column, &rule));
        }
    };
    // SAFETY: as the caller says.
    let source = unsafe { Source::new(column, array, part, buffers) }?;
    if part.len == 0 {
        return Ok((Layout::Empty, None));
    }
    let validity = source.validity()?;
    // SAFETY: as the caller says: each array has what its format says.
    let layout = unsafe {
        match (format, width.flatten()) {
            (_, Some(width)) => Layout::Fixed(source.fixed(width)?, width),
            (b"z" | b"u", _) => {
                let offsets = source.numbers::<i32>(1, part.len + 1)?;
                let last = offsets.last().map_or(0, |&last| i64::from(last));
                Layout::Offsets32(source.data(last)?, offsets)
            }
            (b"Z" | b"U", _) => {
                let offsets = source.numbers::<i64>(1, part.len + 1)?;
                let last = offsets.last().map_or(0, |&last| last);
                Layout::Offsets64(source.data(last)?, offsets)
            }
            _ => Layout::Views(source.views(validity)?),
        }
    };
    // Views without a value are none already.
    let validity = validity.filter(|_| !is_view);
    Ok((layout, validity))
}
