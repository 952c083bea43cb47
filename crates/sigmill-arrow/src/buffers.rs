//! The buffers of an array, checked before they are read.

use std::ffi::{CStr, c_void};
use std::ops::RangeInclusive;
use std::slice;

use crate::abi::{ArrowArray, ArrowSchema};
use crate::error::ErrorKind::{Buffers, Format, Length, Released};
use crate::error::{ArrayError, ErrorKind, room};

const BEYOND_MEMORY: &str = "offsets and lengths must be those of memory";

/// A range of the values of an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) offset: usize,
    pub(crate) len: usize,
}

/// The bits of validity and the position of the first; `None` if every value is present.
pub(crate) type Validity<'a> = Option<(&'a [u8], usize)>;

/// Returns true if the value of a row, counted from 0, is present.
pub(crate) fn is_there(validity: Validity<'_>, row: usize) -> bool {
    validity.is_none_or(|(bits, offset)| {
        let bit = offset + row;
        bits[bit / 8] >> (bit % 8) & 1 == 1
    })
}

/// Returns the format of an array, without the zero byte.
///
/// # Safety
/// The format of the schema is NULL or ends with a zero byte.
pub(crate) unsafe fn format_of(schema: &ArrowSchema) -> Result<&[u8], ArrayError> {
    if schema.format.is_null() {
        return Err(ArrayError::new(Format, "the format must not be NULL"));
    }
    // SAFETY: the caller guarantees this.
    Ok(unsafe { CStr::from_ptr(schema.format) }.to_bytes())
}

/// Checks a number of children or buffers: an array of as many pointers can exist.
pub(crate) fn count(kind: ErrorKind, number: i64, what: &str) -> Result<usize, ArrayError> {
    let most = isize::MAX as usize / size_of::<*const c_void>();
    let count = usize::try_from(number).ok().filter(|&count| count <= most);
    count.ok_or_else(|| ArrayError::new(kind, format!("{number} {what} cannot be")))
}

impl Part {
    /// Returns the range of all values of an array.
    pub(crate) fn of(array: &ArrowArray) -> Result<Self, ArrayError> {
        if array.release.is_none() {
            return Err(ArrayError::new(Released, "the array was released"));
        }
        let number = |number: i64, what| {
            let wrong = |_| ArrayError::new(Length, format!("the {what} must not be negative"));
            usize::try_from(number).map_err(wrong)
        };
        let offset = number(array.offset, "offset")?;
        let len = number(array.length, "length")?;
        // Neither a sum of these nor its bytes, at most 16 per value, can then overflow.
        match offset.checked_add(len) {
            Some(end) if end < isize::MAX as usize / 32 => Ok(Self { offset, len }),
            _ => Err(ArrayError::new(Length, BEYOND_MEMORY)),
        }
    }

    /// Returns the range of these rows within this range.
    pub(crate) fn narrow(self, rows: Self) -> Result<Self, ArrayError> {
        let last = rows.offset + rows.len;
        if last > self.len {
            let rule = format!("the column has {} rows, and must have {last}", self.len);
            return Err(ArrayError::new(Length, rule));
        }
        Ok(Self {
            offset: self.offset + rows.offset,
            len: rows.len,
        })
    }
}

/// An array that has the buffers of its format, and the range to read.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    array: &'a ArrowArray,
    buffers: &'a [*const c_void],
    part: Part,
}

impl<'a> Source<'a> {
    /// An array whose number of buffers is in a range.
    ///
    /// # Safety
    /// The array has the buffers of its format. Each has the length that the interface requires for
    /// the array's offset and length. All functions of a source rely on this.
    pub(crate) unsafe fn new(
        array: &'a ArrowArray,
        part: Part,
        buffers: RangeInclusive<i64>,
    ) -> Result<Self, ArrayError> {
        let found = array.n_buffers;
        if !buffers.contains(&found) {
            let least = buffers.start();
            let rule = format!("there must be {least} buffers, not {found}");
            return Err(ArrayError::new(Buffers, rule));
        }
        let count = count(Buffers, found, "buffers")?;
        if array.buffers.is_null() || !array.buffers.is_aligned() {
            let rule = "the buffers must be there, and their pointers aligned";
            return Err(ArrayError::new(Buffers, rule));
        }
        // SAFETY: the caller guarantees this, and memory can hold that number.
        let buffers = unsafe { slice::from_raw_parts(array.buffers, count) };
        Ok(Self {
            array,
            buffers,
            part,
        })
    }

    /// Returns the bits of validity from the first buffer, if it matters.
    pub(crate) fn validity(&self) -> Result<Validity<'a>, ArrayError> {
        let buffer = self.buffers[0].cast::<u8>();
        if self.array.null_count == 0 || self.part.len == 0 {
            return Ok(None);
        }
        if buffer.is_null() {
            return match self.array.null_count {
                // The nulls were not counted.
                ..0 => Ok(None),
                _ => {
                    let rule = "the buffer of validity must be there if there are nulls";
                    Err(ArrayError::new(Buffers, rule))
                }
            };
        }
        let bits = self.part.offset + self.part.len;
        // SAFETY: every value of the array has a bit (`new`).
        let bytes = unsafe { slice::from_raw_parts(buffer, bits.div_ceil(8)) };
        Ok(Some((bytes, self.part.offset)))
    }

    /// Returns `len` numbers of the second buffer, from the first of the range on.
    ///
    /// # Safety
    /// The format requires that these numbers exist.
    pub(crate) unsafe fn numbers<T>(&self, len: usize) -> Result<&'a [T], ArrayError> {
        if self.part.len == 0 {
            return Ok(&[]);
        }
        let numbers = self.buffers[1].cast::<T>();
        if numbers.is_null() || !numbers.is_aligned() {
            let rule = "a buffer of numbers must be there, and aligned";
            return Err(ArrayError::new(Buffers, rule));
        }
        // SAFETY: the caller guarantees this; `Part` keeps the sum small enough.
        Ok(unsafe { slice::from_raw_parts(numbers.add(self.part.offset), len) })
    }

    /// Returns the third buffer up to the last offset.
    ///
    /// # Safety
    /// The format requires that this buffer exists.
    pub(crate) unsafe fn data(&self, last: i64) -> Result<&'a [u8], ArrayError> {
        let Ok(len) = usize::try_from(last) else {
            let rule = "the last offset must not be negative";
            return Err(ArrayError::new(Length, rule));
        };
        // SAFETY: the caller guarantees this.
        unsafe { self.bytes(2, 0, len) }
    }

    /// Returns the second buffer, which has values of one length.
    ///
    /// # Safety
    /// The format requires that this buffer exists.
    pub(crate) unsafe fn fixed(&self, width: usize) -> Result<&'a [u8], ArrayError> {
        let begin = self.part.offset.checked_mul(width);
        let len = self.part.len.checked_mul(width);
        let (Some(begin), Some(len)) = (begin, len) else {
            return Err(ArrayError::new(Length, BEYOND_MEMORY));
        };
        // SAFETY: the caller guarantees this.
        unsafe { self.bytes(1, begin, len) }
    }

    /// # Safety
    /// The buffer has at least `begin + len` bytes.
    unsafe fn bytes(
        &self,
        buffer: usize,
        begin: usize,
        len: usize,
    ) -> Result<&'a [u8], ArrayError> {
        if len == 0 {
            return Ok(&[]);
        }
        let end = begin.checked_add(len);
        if end.is_none_or(|end| isize::try_from(end).is_err()) {
            return Err(ArrayError::new(Length, BEYOND_MEMORY));
        }
        let bytes = self.buffers[buffer].cast::<u8>();
        if bytes.is_null() {
            let rule = "a buffer of values must not be NULL";
            return Err(ArrayError::new(Buffers, rule));
        }
        // SAFETY: the caller guarantees this, and memory can hold the sum.
        Ok(unsafe { slice::from_raw_parts(bytes.add(begin), len) })
    }

    /// Returns the values of views. A view has 16 bytes and begins with the length of the value. Up
    /// to 12 bytes follow it directly; a longer value is in the buffer and at the offset that the
    /// last eight bytes name.
    ///
    /// # Safety
    /// The format requires that there are views, then buffers, and finally the lengths of those
    /// buffers.
    pub(crate) unsafe fn views(&self) -> Result<Vec<Option<&'a [u8]>>, ArrayError> {
        let validity = self.validity()?;
        let [_, _, data @ .., lens] = self.buffers else {
            let rule = "there must be 3 buffers at least";
            return Err(ArrayError::new(Buffers, rule));
        };
        let lens = match lens.cast::<i64>() {
            lens if data.is_empty() || lens.is_null() => &[],
            // SAFETY: the caller guarantees this; there is a number for each buffer.
            lens if lens.is_aligned() => unsafe { slice::from_raw_parts(lens, data.len()) },
            _ => {
                let rule = "the lengths of buffers must be aligned";
                return Err(ArrayError::new(Buffers, rule));
            }
        };
        // SAFETY: the caller guarantees this; `Part` keeps the product small enough.
        let views = unsafe { self.bytes(1, 16 * self.part.offset, 16 * self.part.len) }?;
        let mut values = room(self.part.len)?;
        for (row, view) in views.chunks_exact(16).enumerate() {
            if !is_there(validity, row) {
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
                    // SAFETY: the buffer reaches to `end`.
                    Some(unsafe { slice::from_raw_parts(begin, len) })
                }),
                None => None,
            };
            let Some(value) = value else {
                let rule = format!("the view of row {row} must lie within its buffer");
                return Err(ArrayError::new(Length, rule));
            };
            values.push(Some(value));
        }
        Ok(values)
    }
}
