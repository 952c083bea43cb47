//! The buffers of an array: what is said of them is looked at before they are read.

use std::ffi::{CStr, c_void};
use std::ops::RangeInclusive;
use std::slice;

use super::c_data::{Array, Schema};
use super::room;

/// The rule that an array breaks, in words.
pub(super) type Rule = String;

/// Which values of an array are meant.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) offset: usize,
    pub(super) len: usize,
}

/// The bits of validity, and the place of the first; `None` where every value is there.
pub(super) type Validity<'a> = Option<(&'a [u8], usize)>;

/// The bit of a row, counted from 0.
pub(super) fn is_there(validity: Validity<'_>, row: usize) -> bool {
    validity.is_none_or(|(bits, offset)| {
        let bit = offset + row;
        bits[bit / 8] >> (bit % 8) & 1 == 1
    })
}

/// The format of an array, without the zero byte.
///
/// # Safety
/// The text of the schema ends with a zero byte, if it is not NULL.
pub(super) unsafe fn format_of(schema: &Schema) -> Result<&[u8], Rule> {
    if schema.format.is_null() {
        return Err("the format must not be NULL".into());
    }
    // SAFETY: as the caller says.
    Ok(unsafe { CStr::from_ptr(schema.format) }.to_bytes())
}

/// A number of children or buffers that there are pointers for.
pub(super) fn count(number: i64, what: &str) -> Result<usize, Rule> {
    let most = isize::MAX as usize / size_of::<*const c_void>();
    let count = usize::try_from(number).ok().filter(|&count| count <= most);
    count.ok_or_else(|| format!("{number} {what} cannot be"))
}

impl Part {
    /// All of an array.
    pub(super) fn of(array: &Array) -> Result<Self, Rule> {
        if array.is_released() {
            return Err("the array was released".into());
        }
        let number = |number: i64, what| {
            usize::try_from(number).map_err(|_| format!("the {what} must not be negative"))
        };
        let offset = number(array.offset, "offset")?;
        let len = number(array.length, "length")?;
        // So that neither a sum nor its bytes, 16 at most a value, can be too large.
        match offset.checked_add(len) {
            Some(end) if end < isize::MAX as usize / 32 => Ok(Self { offset, len }),
            _ => Err("offset and length must be those of memory".into()),
        }
    }

    /// So many rows of these.
    pub(super) fn narrow(self, rows: Self) -> Result<Self, Rule> {
        let last = rows.offset + rows.len;
        if last > self.len {
            let found = self.len;
            return Err(format!("the column has {found} rows, and must have {last}"));
        }
        Ok(Self {
            offset: self.offset + rows.offset,
            len: rows.len,
        })
    }
}

/// An array that has the buffers of its format, and the part that is meant.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    array: &'a Array,
    buffers: &'a [*const c_void],
    part: Part,
}

impl<'a> Source<'a> {
    /// An array that has so many buffers.
    ///
    /// # Safety
    /// The array has the buffers of its format, each as long as the interface wants it for the
    /// array's offset and length; this holds for all functions of a source.
    pub(super) unsafe fn new(
        array: &'a Array,
        part: Part,
        buffers: RangeInclusive<i64>,
    ) -> Result<Self, Rule> {
        let found = array.n_buffers;
        if !buffers.contains(&found) {
            let least = buffers.start();
            return Err(format!("there must be {least} buffers, not {found}"));
        }
        let count = count(found, "buffers")?;
        if array.buffers.is_null() || !array.buffers.is_aligned() {
            return Err("the buffers must be there, and their pointers aligned".into());
        }
        // SAFETY: as the caller says; the number is one of memory.
        let buffers = unsafe { slice::from_raw_parts(array.buffers, count) };
        Ok(Self {
            array,
            buffers,
            part,
        })
    }

    /// The first buffer, where it says something.
    pub(super) fn validity(&self) -> Result<Validity<'a>, Rule> {
        let buffer = self.buffers[0].cast::<u8>();
        if self.array.null_count == 0 || self.part.len == 0 {
            return Ok(None);
        }
        if buffer.is_null() {
            return match self.array.null_count {
                // Not counted.
                ..0 => Ok(None),
                _ => Err("the buffer of validity must be there if there are nulls".into()),
            };
        }
        let bits = self.part.offset + self.part.len;
        // SAFETY: there is a bit for every value of the array (`new`).
        let bytes = unsafe { slice::from_raw_parts(buffer, bits.div_ceil(8)) };
        Ok(Some((bytes, self.part.offset)))
    }

    /// So many numbers of the second buffer, from the part's first on.
    ///
    /// # Safety
    /// The format says that they are there.
    pub(super) unsafe fn numbers<T>(&self, len: usize) -> Result<&'a [T], Rule> {
        if self.part.len == 0 {
            return Ok(&[]);
        }
        let numbers = self.buffers[1].cast::<T>();
        if numbers.is_null() || !numbers.is_aligned() {
            return Err("a buffer of numbers must be there, and aligned".into());
        }
        // SAFETY: as the caller says; `Part` keeps the sum small enough.
        Ok(unsafe { slice::from_raw_parts(numbers.add(self.part.offset), len) })
    }

    /// The third buffer, up to the last offset.
    ///
    /// # Safety
    /// The format says that it is there.
    pub(super) unsafe fn data(&self, last: i64) -> Result<&'a [u8], Rule> {
        let Ok(len) = usize::try_from(last) else {
            return Err("the last offset must not be negative".into());
        };
        // SAFETY: as the caller says.
        unsafe { self.bytes(2, 0, len) }
    }

    /// The second buffer, of values of one length.
    ///
    /// # Safety
    /// The format says that it is there.
    pub(super) unsafe fn fixed(&self, width: usize) -> Result<&'a [u8], Rule> {
        let begin = self.part.offset.checked_mul(width);
        let len = self.part.len.checked_mul(width);
        let (Some(begin), Some(len)) = (begin, len) else {
            return Err("offset and length must be those of memory".into());
        };
        // SAFETY: as the caller says.
        unsafe { self.bytes(1, begin, len) }
    }

    /// # Safety
    /// The buffer is so long.
    unsafe fn bytes(&self, buffer: usize, begin: usize, len: usize) -> Result<&'a [u8], Rule> {
        if len == 0 {
            return Ok(&[]);
        }
        let end = begin.checked_add(len);
        if end.is_none_or(|end| isize::try_from(end).is_err()) {
            return Err("offsets and lengths must be those of memory".into());
        }
        let bytes = self.buffers[buffer].cast::<u8>();
        if bytes.is_null() {
            return Err("a buffer of values must not be NULL".into());
        }
        // SAFETY: as the caller says; the sum is one of memory.
        Ok(unsafe { slice::from_raw_parts(bytes.add(begin), len) })
    }

    /// The values of views: 16 bytes each, the length first; up to 12 bytes stand behind it, more
    /// in the buffer and at the place that the last eight name.
    ///
    /// # Safety
    /// The format says that there are views, then buffers, and at last the lengths of those.
    pub(super) unsafe fn views(&self) -> Result<Vec<Option<&'a [u8]>>, Rule> {
        let validity = self.validity()?;
        let [_, _, data @ .., lens] = self.buffers else {
            return Err("there must be 3 buffers at least".into());
        };
        let lens = match lens.cast::<i64>() {
            lens if data.is_empty() || lens.is_null() => &[],
            // SAFETY: as the caller says; a number for each buffer.
            lens if lens.is_aligned() => unsafe { slice::from_raw_parts(lens, data.len()) },
            _ => return Err("the lengths of buffers must be aligned".into()),
        };
        // SAFETY: as the caller says; `Part` keeps the product small enough.
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
                    // SAFETY: the buffer is so long.
                    Some(unsafe { slice::from_raw_parts(begin, len) })
                }),
                None => None,
            };
            let Some(value) = value else {
                return Err(format!("the view of row {row} must lie within its buffer"));
            };
            values.push(Some(value));
        }
        Ok(values)
    }
}
