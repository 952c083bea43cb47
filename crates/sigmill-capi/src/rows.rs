//! Rows as C has them: columns by pointer and stride.

use std::ffi::c_char;
use std::{ptr, slice};

use sigmill::bulk::{Column, ShapeError};

use crate::border::{Outcome, bytes, check_len};
use crate::error::message;
use crate::error::sigmill_error::{self, *};

/// A column of byte strings, one a row.
///
/// Value i begins at `data + i * stride`, or, where `pointers` is not NULL, at `pointers[i]`; a row
/// whose pointer is NULL has no value. It has `lens[i]` bytes, or `len` where `lens` is NULL.
/// `stride` 0 says that all rows have the value at `data`, which signatures of several rows may
/// not.
///
/// Fields of an array of structs are a column, too: `data` is the field of the first, `stride` the
/// size of the struct.
#[allow(non_camel_case_types, reason = "the name of C")]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct sigmill_column {
    /// Where the first value begins; not looked at if `pointers` is not NULL.
    pub data: *const u8,
    /// Where each value begins, or NULL.
    pub pointers: *const *const u8,
    /// The bytes from the beginning of a value to that of the next.
    pub stride: usize,
    /// The length of every value, in bytes, if `lens` is NULL.
    pub len: usize,
    /// The length of each value, in bytes, or NULL.
    pub lens: *const usize,
}

/// Rows to verify. Filled with zeros, it says nothing that is accepted by mistake.
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
    /// How all signatures are written, a `sigmill_format`.
    pub format: u32,
    /// Whether the inputs are messages or digests, a `sigmill_input`.
    pub input: u32,
    /// The public keys: SEC 1 points, SPKI in DER or PEM, or JWK.
    pub keys: sigmill_column,
    /// The messages, or the digests.
    pub inputs: sigmill_column,
    /// The signatures.
    pub signatures: sigmill_column,
    /// Recovery ids of one byte, as hints (see `SIGMILL_POLICY_BATCH`); `data` and `pointers` NULL
    /// if there are none. They change no verdict.
    pub hints: sigmill_column,
}

/// Why rows were refused, in words: the column, and the rule that it breaks.
#[allow(non_camel_case_types, reason = "the name of C")]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct sigmill_failure {
    /// English, in UTF-8, with a zero byte behind it; cut off if it is too long.
    pub message: [c_char; 256],
}

/// What is wrong with rows, and how it is told.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) code: sigmill_error,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(code: sigmill_error, message: String) -> Self {
        Self { code, message }
    }

    /// That of a column, with the message that the error has everywhere.
    fn of_column(code: sigmill_error, name: &str) -> Self {
        let text = message(code as i32).to_string_lossy();
        let rule = text.split_once(": ").map_or(&*text, |(_, rule)| rule);
        Self::new(code, format!("{name}: {rule}"))
    }

    /// Tells the caller.
    ///
    /// # Safety
    /// If it is not NULL, a message can be written there.
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
        // SAFETY: as the caller says.
        unsafe { failure.write(sigmill_failure { message }) };
    }
}

impl From<sigmill_error> for Refusal {
    fn from(code: sigmill_error) -> Self {
        Self::new(code, message(code as i32).to_string_lossy().into_owned())
    }
}

impl From<ShapeError> for Refusal {
    fn from(error: ShapeError) -> Self {
        Self::new(SIGMILL_ERROR_ROWS_SHAPE, error.to_string())
    }
}

/// The values of a column, before it is one of the library's.
pub(crate) enum Values<'a> {
    Same(&'a [u8]),
    Fixed(&'a [u8], usize),
    Slices(Vec<Option<&'a [u8]>>),
}

impl Values<'_> {
    /// The same as a column of the library's.
    pub(crate) fn column(&self) -> Column<'_> {
        match self {
            Self::Same(value) => Column::same(value),
            Self::Fixed(bytes, width) => Column::fixed(bytes, *width),
            Self::Slices(values) => Column::optional_slices(values),
        }
    }
}

/// Room for so many values; an error where there is none, as the number is only claimed.
pub(crate) fn room<T>(len: usize) -> Outcome<Vec<T>> {
    let mut values = Vec::new();
    match values.try_reserve_exact(len) {
        Ok(()) => Ok(values),
        Err(_) => Err(SIGMILL_ERROR_MEMORY_UNAVAILABLE),
    }
}

impl sigmill_column {
    /// Whether it says that there is no such column.
    pub(crate) fn is_absent(&self) -> bool {
        self.data.is_null() && self.pointers.is_null()
    }

    /// The values of so many rows. `may_be_same` where one value may stand for all of them.
    ///
    /// # Safety
    /// The pointers point to what the column says, during `'a`.
    pub(crate) unsafe fn values<'a>(
        &self,
        name: &str,
        rows: usize,
        may_be_same: bool,
    ) -> Result<Values<'a>, Refusal> {
        // SAFETY: as the caller says.
        let values = unsafe { self.read(rows, may_be_same) };
        values.map_err(|code| Refusal::of_column(code, name))
    }

    /// # Safety
    /// As of [`values`](Self::values).
    unsafe fn read<'a>(&self, rows: usize, may_be_same: bool) -> Outcome<Values<'a>> {
        if rows == 0 {
            return Ok(Values::Slices(vec![]));
        }
        let is_first_only = self.pointers.is_null() && !self.data.is_null() && self.stride == 0;
        if is_first_only && rows > 1 && !may_be_same {
            // Else all rows would have the verdict of the first one where the strides were left 0.
            return Err(SIGMILL_ERROR_LENGTH_OUT_OF_RANGE);
        }
        if !self.pointers.is_null() || !self.lens.is_null() {
            // SAFETY: as the caller says.
            return unsafe { self.slices(rows) };
        }
        if may_be_same && self.stride == 0 {
            // SAFETY: as the caller says.
            return Ok(Values::Same(unsafe { bytes(self.data, self.len) }?));
        }
        if self.stride == self.len && self.len > 0 {
            let len = rows.checked_mul(self.len);
            let len = len.ok_or(SIGMILL_ERROR_LENGTH_OUT_OF_RANGE)?;
            // SAFETY: as the caller says.
            return Ok(Values::Fixed(unsafe { bytes(self.data, len) }?, self.len));
        }
        // SAFETY: as the caller says.
        unsafe { self.slices(rows) }
    }

    /// # Safety
    /// As of [`values`](Self::values).
    unsafe fn slices<'a>(&self, rows: usize) -> Outcome<Values<'a>> {
        check_len(rows.saturating_mul(size_of::<*const u8>()))?;
        // SAFETY: as the caller says; a pointer that is not NULL points to a number for each row.
        let lens = unsafe { self.lens.as_ref() }
            .map(|first| unsafe { slice::from_raw_parts(ptr::from_ref(first), rows) });
        // SAFETY: the same, of pointers.
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
            // SAFETY: as the caller says.
            values.push(Some(unsafe { bytes(begin, len) }?));
        }
        Ok(Values::Slices(values))
    }

    /// Where the value of a row begins, if so many bytes from there can be memory.
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

    /// What is only claimed is an error, and no end of the process.
    #[test]
    fn room_for_more_rows_than_there_is_memory() {
        for len in [isize::MAX as usize / 16, usize::MAX] {
            let room = room::<Option<&[u8]>>(len);
            assert_eq!(room.err(), Some(SIGMILL_ERROR_MEMORY_UNAVAILABLE));
        }
    }
}
