//! The buffers of an array: what is said of them is looked at before they are read.

use std::ffi::{CStr, c_void};
use std::ops::RangeInclusive;
use std::slice;

use super::abi::{ArrowArray, ArrowSchema};
use crate::error::sigmill_error::{self, *};
use crate::rows::{Refusal, room};

/// An error of a column.
pub(super) fn refuse(code: sigmill_error, column: &str, rule: &str) -> Refusal {
    Refusal::new(code, format!("{column}: {rule}"))
}

/// The format of an array, without the zero byte.
///
/// # Safety
/// It is NULL, or ends with a zero byte.
pub(super) unsafe fn format_of<'a>(
    column: &str,
    schema: &'a ArrowSchema,
) -> Result<&'a [u8], Refusal> {
    if schema.format.is_null() {
        let rule = "the format must not be NULL";
        return Err(refuse(SIGMILL_ERROR_ARROW_FORMAT, column, rule));
    }
    // SAFETY: as the caller says.
    Ok(unsafe { CStr::from_ptr(schema.format) }.to_bytes())
}

/// Which values of an array are meant.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) offset: usize,
    pub(super) len: usize,
}

/// The bits of validity, and the place of the first; `None` where every value is there.
pub(super) type Validity<'a> = Option<(&'a [u8], usize)>;

impl Part {
    /// All of an array of bytes.
    pub(super) fn of(column: &str, array: &ArrowArray) -> Result<Self, Refusal> {
        if array.release.is_none() {
            let rule = "the array was released";
            return Err(refuse(SIGMILL_ERROR_ARROW_RELEASED, column, rule));
        }
        if array.n_children != 0 {
            let rule = "an array of bytes or text must not have children";
            return Err(refuse(SIGMILL_ERROR_ARROW_CHILDREN, column, rule));
        }
        Self::any(column, array)
    }

    /// All of a struct, none of whose rows may be null.
    ///
    /// # Safety
    /// As of `Batch::read`.
    pub(super) unsafe fn of_struct(array: &ArrowArray) -> Result<Self, Refusal> {
        let part = Self::any("rows", array)?;
        // SAFETY: as the caller says.
        let source = unsafe { Source::new("rows", array, part, 1..=1) }?;
        let Some((bits, offset)) = source.validity()? else {
            return Ok(part);
        };
        let is_null = |&row: &usize| {
            let bit = offset + row;
            bits[bit / 8] >> (bit % 8) & 1 == 0
        };
        match (0..part.len).find(is_null) {
            None => Ok(part),
            Some(row) => {
                let rule = format!("row {row} must not be null as a whole");
                Err(refuse(SIGMILL_ERROR_ARROW_NULLS, "rows", &rule))
            }
        }
    }

    fn any(column: &str, array: &ArrowArray) -> Result<Self, Refusal> {
        let wrong = |rule| refuse(SIGMILL_ERROR_ARROW_LENGTH, column, rule);
        let number = |number: i64, rule| usize::try_from(number).map_err(|_| wrong(rule));
        let offset = number(array.offset, "the offset must not be negative")?;
        let len = number(array.length, "the length must not be negative")?;
        // So that neither a sum nor its bytes, 16 at most a value, can be too large.
        match offset.checked_add(len) {
            Some(end) if end < isize::MAX as usize / 32 => Ok(Self { offset, len }),
            _ => Err(wrong("offset and length must be those of memory")),
        }
    }
}

/// An array with the name of its column, and the part that is meant.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    column: &'static str,
    array: &'a ArrowArray,
    buffers: &'a [*const c_void],
    part: Part,
}

impl<'a> Source<'a> {
    /// An array that has so many buffers.
    ///
    /// # Safety
    /// As of `Batch::read`, of an array whose format has such buffers.
    pub(super) unsafe fn new(
        column: &'static str,
        array: &'a ArrowArray,
        part: Part,
        buffers: RangeInclusive<i64>,
    ) -> Result<Self, Refusal> {
        let wrong = |rule: &str| refuse(SIGMILL_ERROR_ARROW_BUFFERS, column, rule);
        let found = array.n_buffers;
        if !buffers.contains(&found) || found > isize::MAX as i64 / 16 {
            let least = buffers.start();
            return Err(wrong(&format!(
                "there must be {least} buffers, not {found}"
            )));
        }
        if array.buffers.is_null() {
            return Err(wrong("the buffers must not be NULL"));
        }
        // SAFETY: as the caller says; the number is positive, and one of memory.
        let buffers = unsafe { slice::from_raw_parts(array.buffers, found as usize) };
        Ok(Self {
            column,
            array,
            buffers,
            part,
        })
    }

    fn wrong(&self, rule: &str) -> Refusal {
        refuse(SIGMILL_ERROR_ARROW_BUFFERS, self.column, rule)
    }

    /// The first buffer, where it says something.
    pub(super) fn validity(&self) -> Result<Validity<'a>, Refusal> {
        let buffer = self.buffers[0].cast::<u8>();
        if self.array.null_count == 0 || self.part.len == 0 {
            return Ok(None);
        }
        if buffer.is_null() {
            return match self.array.null_count {
                // Not counted.
                ..0 => Ok(None),
                _ => Err(self.wrong("the buffer of validity must be there if there are nulls")),
            };
        }
        let bits = self.part.offset + self.part.len;
        // SAFETY: there is a bit for every value of the array, as the interface wants it, which is
        // what `new` was promised.
        let bytes = unsafe { slice::from_raw_parts(buffer, bits.div_ceil(8)) };
        Ok(Some((bytes, self.part.offset)))
    }

    /// So many numbers of a buffer, from the part's first on.
    ///
    /// # Safety
    /// The format says that they are there.
    pub(super) unsafe fn numbers<T>(&self, buffer: usize, len: usize) -> Result<&'a [T], Refusal> {
        if self.part.len == 0 {
            return Ok(&[]);
        }
        let numbers = self.buffers[buffer].cast::<T>();
        if numbers.is_null() || !numbers.is_aligned() {
            return Err(self.wrong("a buffer of numbers must be there, and aligned"));
        }
        // SAFETY: as the caller says; `Part` keeps the sum small enough.
        Ok(unsafe { slice::from_raw_parts(numbers.add(self.part.offset), len) })
    }

    /// The third buffer, up to the last offset.
    ///
    /// # Safety
    /// The format says that it is there.
    pub(super) unsafe fn data(&self, last: i64) -> Result<&'a [u8], Refusal> {
        let Ok(len) = usize::try_from(last) else {
            let rule = "the last offset must not be negative";
            return Err(refuse(SIGMILL_ERROR_ARROW_LENGTH, self.column, rule));
        };
        // SAFETY: as the caller says.
        unsafe { self.bytes(2, 0, len) }
    }

    /// The second buffer, of values of one length.
    ///
    /// # Safety
    /// The format says that it is there.
    pub(super) unsafe fn fixed(&self, width: usize) -> Result<&'a [u8], Refusal> {
        let begin = self.part.offset.checked_mul(width);
        let len = self.part.len.checked_mul(width);
        let (Some(begin), Some(len)) = (begin, len) else {
            let rule = "offset and length must be those of memory";
            return Err(refuse(SIGMILL_ERROR_ARROW_LENGTH, self.column, rule));
        };
        // SAFETY: as the caller says.
        unsafe { self.bytes(1, begin, len) }
    }

    /// # Safety
    /// The buffer is so long.
    unsafe fn bytes(&self, buffer: usize, begin: usize, len: usize) -> Result<&'a [u8], Refusal> {
        if len == 0 {
            return Ok(&[]);
        }
        let end = begin.checked_add(len);
        if end.is_none_or(|end| isize::try_from(end).is_err()) {
            let rule = "offset and length must be those of memory";
            return Err(refuse(SIGMILL_ERROR_ARROW_LENGTH, self.column, rule));
        }
        let bytes = self.buffers[buffer].cast::<u8>();
        if bytes.is_null() {
            return Err(self.wrong("a buffer of values must not be NULL"));
        }
        // SAFETY: as the caller says; the sum is one of memory.
        Ok(unsafe { slice::from_raw_parts(bytes.add(begin), len) })
    }

    /// The values of views: 16 bytes each, the length first; up to 12 bytes stand behind it, more
    /// in the buffer and at the place that the last eight name.
    ///
    /// # Safety
    /// The format says that there are views, then buffers, and at last the lengths of those.
    pub(super) unsafe fn views(
        &self,
        validity: Validity<'a>,
    ) -> Result<Vec<Option<&'a [u8]>>, Refusal> {
        let [_, _, data @ .., lens] = self.buffers else {
            return Err(self.wrong("there must be 3 buffers at least"));
        };
        let lens = match lens.cast::<i64>() {
            lens if data.is_empty() || lens.is_null() => &[],
            // SAFETY: as the caller says; a number for each buffer.
            lens if lens.is_aligned() => unsafe { slice::from_raw_parts(lens, data.len()) },
            _ => return Err(self.wrong("the lengths of buffers must be aligned")),
        };
        // SAFETY: as the caller says; `Part` keeps the product small enough.
        let views = unsafe { self.bytes(1, 16 * self.part.offset, 16 * self.part.len) }?;
        let mut values = room(self.part.len)?;
        for (row, view) in views.chunks_exact(16).enumerate() {
            let is_null = validity.is_some_and(|(bits, offset)| {
                let bit = offset + row;
                bits[bit / 8] >> (bit % 8) & 1 == 0
            });
            if is_null {
                values.push(None);
                continue;
            }
            let number = |at: usize| {
                let bytes = view[at..at + 4].try_into().expect("four bytes");
                usize::try_from(i32::from_ne_bytes(bytes)).ok()
            };
            let value = match number(0) {
                Some(len @ ..=12) => Some(&view[4..4 + len]),
                Some(len) => Option::zip(number(8), number(12)).and_then(|(buffer, begin)| {
                    let end = i64::try_from(begin + len).ok()?;
                    if end > *lens.get(buffer)? || data[buffer].is_null() {
                        return None;
                    }
                    let begin = data[buffer].cast::<u8>().wrapping_add(begin);
                    // SAFETY: the buffer is so long.
                    Some(unsafe { slice::from_raw_parts(begin, len) })
                }),
                None => None,
            };
            let Some(value) = value else {
                let rule = format!("the view of row {row} must lie within its buffer");
                return Err(refuse(SIGMILL_ERROR_ARROW_LENGTH, self.column, &rule));
            };
            values.push(Some(value));
        }
        Ok(values)
    }
}
