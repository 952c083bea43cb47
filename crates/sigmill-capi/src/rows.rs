//! Rows as C passes them: columns by pointer and stride.

use std::ffi::c_char;
use std::{ptr, slice};

use sigmill::bulk::{Column, ShapeError};

use crate::border::{Outcome, bytes, check_len};
use crate::error::*;

/// A column of byte strings, one for each row.
///
/// Value i begins at `data + i * stride`, or at `pointers[i]` if `pointers` is not NULL. A row
/// whose pointer is NULL has no value. Value i has `lens[i]` bytes, or `len` bytes if `lens` is
/// NULL. If `stride` is 0, all rows share the value at `data`; several rows must not share a
/// signature.
///
/// A field in an array of structs is a column, too: `data` points to the field of the first struct,
/// and `stride` is the size of the struct.
#[allow(non_camel_case_types, reason = "the name of C")]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct sigmill_column {
    /// Where the first value begins; ignored if `pointers` is not NULL.
    pub data: *const u8,
    /// Where each value begins, or NULL.
    pub pointers: *const *const u8,
    /// The bytes from the beginning of a value to that of the next.
    pub stride: usize,
    /// The length of every value in bytes, if `lens` is NULL.
    pub len: usize,
    /// The length of each value in bytes, or NULL.
    pub lens: *const usize,
}

/// Rows to verify. No field left at zero is accepted by mistake.
#[allow(non_camel_case_types, reason = "the name of C")]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct sigmill_rows {
    /// The number of rows.
    pub len: usize,
    /// The curve of all keys, a `sigmill_curve`.
    pub curve: u32,
    /// The hash of all messages, a `sigmill_hash`.
    pub hash: u32,
    /// The format of all signatures, a `sigmill_format`.
    pub format: u32,
    /// The kind of the inputs, messages or digests, a `sigmill_input`.
    pub input: u32,
    /// The public keys: SEC 1 points, SPKI in DER or PEM, or JWK.
    pub keys: sigmill_column,
    /// The messages or the digests.
    pub inputs: sigmill_column,
    /// The signatures.
    pub signatures: sigmill_column,
    /// Recovery ids of one byte each, as hints (see `SIGMILL_POLICY_BATCH`); without hints, `data`
    /// and `pointers` are NULL. Hints do not change a verdict.
    pub hints: sigmill_column,
    /// Zeros. A later version may give them a meaning.
    pub reserved: [usize; 4],
}

/// The reason why rows were rejected, in words: the column, and the rule that it breaks.
#[allow(non_camel_case_types, reason = "the name of C")]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct sigmill_failure {
    /// English text in UTF-8, with a zero byte at its end; truncated if it is too long.
    pub message: [c_char; 256],
}

/// A defect of rows: its number and its message.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) code: sigmill_error,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(code: sigmill_error, message: String) -> Self {
        Self { code, message }
    }

    /// The defect of a column, with the usual message of the error.
    fn of_column(code: sigmill_error, name: &str) -> Self {
        let text = message(code.0).to_string_lossy();
        let rule = text.split_once(": ").map_or(&*text, |(_, rule)| rule);
        Self::new(code, format!("{name}: {rule}"))
    }

    /// Writes the message for the caller.
    ///
    /// # Safety
    /// `failure` is NULL, or a message can be written there.
    pub(crate) unsafe fn tell(&self, failure: *mut sigmill_failure) {
        if failure.is_null() {
            return;
        }
        let mut message = [0; 256];
        let most = self.message.len().min(message.len() - 1);
        let is_boundary = |&at: &usize| self.message.is_char_boundary(at);
        let fits = (0..=most).rev().find(is_boundary).unwrap_or(0);
        for (place, byte) in message.iter_mut().zip(&self.message.as_bytes()[..fits]) {
            *place = *byte as c_char;
        }
        // SAFETY: the caller guarantees this.
        unsafe { failure.write(sigmill_failure { message }) };
    }
}

impl From<sigmill_error> for Refusal {
    fn from(code: sigmill_error) -> Self {
        Self::new(code, message(code.0).to_string_lossy().into_owned())
    }
}

impl From<ShapeError> for Refusal {
    fn from(error: ShapeError) -> Self {
        Self::new(SIGMILL_ERROR_ROWS_SHAPE, error.to_string())
    }
}

/// The values of a column, before they become a [`Column`].
pub(crate) enum Values<'a> {
    Same(&'a [u8]),
    Fixed(&'a [u8], usize),
    Slices(Vec<Option<&'a [u8]>>),
}

impl Values<'_> {
    /// Returns the values as a column of the library.
    pub(crate) fn column(&self) -> Column<'_> {
        match self {
            Self::Same(value) => Column::same(value),
            Self::Fixed(bytes, width) => Column::fixed(bytes, *width),
            Self::Slices(values) => Column::optional_slices(values),
        }
    }
}

/// Allocates room for `len` values. The caller only claims this number, so too large a number is an
/// error.
pub(crate) fn room<T>(len: usize) -> Outcome<Vec<T>> {
    let mut values = Vec::new();
    match values.try_reserve_exact(len) {
        Ok(()) => Ok(values),
        Err(_) => Err(SIGMILL_ERROR_MEMORY_UNAVAILABLE),
    }
}

impl sigmill_column {
    /// Returns true if there is no such column.
    pub(crate) fn is_absent(&self) -> bool {
        self.data.is_null() && self.pointers.is_null()
    }

    /// Returns the values of `rows` rows. `may_be_same` if one value may stand for all of them.
    ///
    /// # Safety
    /// The pointers point to what the column states, during `'a`.
    pub(crate) unsafe fn values<'a>(
        &self,
        name: &str,
        rows: usize,
        may_be_same: bool,
    ) -> Result<Values<'a>, Refusal> {
        // SAFETY: the caller guarantees this.
        let values = unsafe { self.read(rows, may_be_same) };
        values.map_err(|code| Refusal::of_column(code, name))
    }

    /// # Safety
    /// That of [`values`](Self::values).
    unsafe fn read<'a>(&self, rows: usize, may_be_same: bool) -> Outcome<Values<'a>> {
        if rows == 0 {
            return Ok(Values::Slices(vec![]));
        }
        let is_first_only = self.pointers.is_null() && !self.data.is_null() && self.stride == 0;
        if is_first_only && rows > 1 && !may_be_same {
            // Otherwise a caller that left the strides at 0 would get the first row's verdict for
            // all.
            return Err(SIGMILL_ERROR_LENGTH_OUT_OF_RANGE);
        }
        if !self.pointers.is_null() || !self.lens.is_null() {
            // SAFETY: the caller guarantees this.
            return unsafe { self.slices(rows) };
        }
        if may_be_same && self.stride == 0 {
            // SAFETY: the caller guarantees this.
            return Ok(Values::Same(unsafe { bytes(self.data, self.len) }?));
        }
        if self.stride == self.len && self.len > 0 {
            let len = rows.checked_mul(self.len);
            let len = len.ok_or(SIGMILL_ERROR_LENGTH_OUT_OF_RANGE)?;
            // SAFETY: the caller guarantees this.
            return Ok(Values::Fixed(unsafe { bytes(self.data, len) }?, self.len));
        }
        // SAFETY: the caller guarantees this.
        unsafe { self.slices(rows) }
    }

    /// # Safety
    /// That of [`values`](Self::values).
    unsafe fn slices<'a>(&self, rows: usize) -> Outcome<Values<'a>> {
        check_len(rows.saturating_mul(size_of::<*const u8>()))?;
        // SAFETY: the caller guarantees this. If not NULL, `lens` points to a number for each row.
        let lens = unsafe { self.lens.as_ref() }
            .map(|first| unsafe { slice::from_raw_parts(ptr::from_ref(first), rows) });
        // SAFETY: the same holds for `pointers`.
        let pointers = unsafe { self.pointers.as_ref() }
            .map(|first| unsafe { slice::from_raw_parts(ptr::from_ref(first), rows) });
        let mut values = room(rows)?;
        for row in 0..rows {
            let len = lens.map_or(self.len, |lens| lens[row]);
            let begin = match pointers {
                Some(pointers) if pointers[row].is_null() => {
                    values.push(None);
                    continue;
                }
                Some(pointers) => pointers[row],
                None => self.at(row, len)?,
            };
            // SAFETY: the caller guarantees this.
            values.push(Some(unsafe { bytes(begin, len) }?));
        }
        Ok(Values::Slices(values))
    }

    /// Returns where the value of a row begins, if memory can hold `len` bytes from there.
    fn at(&self, row: usize, len: usize) -> Outcome<*const u8> {
        if self.data.is_null() {
            return Err(SIGMILL_ERROR_NULL_POINTER);
        }
        let offset = row.checked_mul(self.stride);
        let offset = offset.ok_or(SIGMILL_ERROR_LENGTH_OUT_OF_RANGE)?;
        check_len(offset.saturating_add(len))?;
        Ok(self.data.wrapping_add(offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number of rows that is only claimed causes an error and does not end the process.
    #[test]
    fn room_for_more_rows_than_there_is_memory() {
        for len in [isize::MAX as usize / 16, usize::MAX] {
            let room = room::<Option<&[u8]>>(len);
            assert_eq!(room.err(), Some(SIGMILL_ERROR_MEMORY_UNAVAILABLE));
        }
    }
}
