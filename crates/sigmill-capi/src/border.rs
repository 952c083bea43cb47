//! Where C calls in: no panic goes out, and no pointer is trusted to be there.
//!
//! What cannot be looked at is the caller's promise, for every function of the interface: a pointer
//! that is not NULL points to as many values as the description of the function says, which nobody
//! changes during the call; a handle came from this library, was not freed, and what a result is
//! written to overlaps nothing else of the call.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice, str};

use crate::error::sigmill_error::{self, *};

/// What a step of a call gives, or the number of the rule that is broken.
pub(crate) type Outcome<T> = Result<T, sigmill_error>;

/// Runs what a function does; `on_panic` if there is a panic, which must not reach the caller's
/// frames. There is no input that is known to cause one.
pub(crate) fn value_or<T>(on_panic: T, body: impl FnOnce() -> T) -> T {
    // Nothing of what a panic left half changed is looked at again: handles are not changed, and
    // the engine's locks are poisoned.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(on_panic)
}

/// The same, of a function that returns an error.
pub(crate) fn guard(body: impl FnOnce() -> Outcome<()>) -> sigmill_error {
    value_or(SIGMILL_ERROR_PANIC, || match body() {
        Ok(()) => SIGMILL_OK,
        Err(error) => error,
    })
}

/// Refuses what Rust's slices cannot be, and no memory is.
pub(crate) fn check_len(bytes: usize) -> Outcome<()> {
    match isize::try_from(bytes) {
        Ok(_) => Ok(()),
        Err(_) => Err(SIGMILL_ERROR_LENGTH_OUT_OF_RANGE),
    }
}

/// Bytes of the caller's. Of none the pointer does not matter.
///
/// # Safety
/// As many bytes can be read there, during `'a`.
pub(crate) unsafe fn bytes<'a>(pointer: *const u8, len: usize) -> Outcome<&'a [u8]> {
    if len == 0 {
        return Ok(&[]);
    }
    check_len(len)?;
    if pointer.is_null() {
        return Err(SIGMILL_ERROR_NULL_POINTER);
    }
    // SAFETY: as the caller says; the length is one of memory.
    Ok(unsafe { slice::from_raw_parts(pointer, len) })
}

/// Text of the caller's; a zero byte at its end is not part of it.
///
/// # Safety
/// As of [`bytes`].
pub(crate) unsafe fn text<'a>(pointer: *const u8, len: usize) -> Outcome<&'a str> {
    // SAFETY: as the caller says.
    let bytes = unsafe { bytes(pointer, len) }?;
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(bytes);
    str::from_utf8(bytes).map_err(|_| SIGMILL_ERROR_TEXT_NOT_UTF8)
}

/// Bytes of the caller's, of a length that the function has.
///
/// # Safety
/// As of [`bytes`].
pub(crate) unsafe fn array<const N: usize>(pointer: *const u8) -> Outcome<[u8; N]> {
    // SAFETY: as the caller says.
    let bytes = unsafe { bytes(pointer, N) }?;
    bytes
        .try_into()
        .map_err(|_| SIGMILL_ERROR_LENGTH_OUT_OF_RANGE)
}

/// What a pointer points to.
///
/// # Safety
/// If it is not NULL, there is such a value during `'a`, which nobody changes.
pub(crate) unsafe fn reference<'a, T>(pointer: *const T) -> Outcome<&'a T> {
    // SAFETY: as the caller says.
    unsafe { pointer.as_ref() }.ok_or(SIGMILL_ERROR_NULL_POINTER)
}

/// Makes a handle, which the caller gets; NULL if there is an error.
///
/// # Safety
/// If it is not NULL, a pointer can be written to `place`.
pub(crate) unsafe fn give<T>(
    place: *mut *mut T,
    make: impl FnOnce() -> Outcome<T>,
) -> sigmill_error {
    guard(|| {
        if place.is_null() {
            return Err(SIGMILL_ERROR_NULL_POINTER);
        }
        // SAFETY: as the caller says.
        unsafe { place.write(ptr::null_mut()) };
        let made = Box::into_raw(Box::new(make()?));
        // SAFETY: as the caller says.
        unsafe { place.write(made) };
        Ok(())
    })
}

/// Takes a handle back, and ends it.
///
/// # Safety
/// It is NULL, or came from [`give`] and was not taken back.
pub(crate) unsafe fn take_back<T>(handle: *mut T) {
    value_or((), || {
        if !handle.is_null() {
            // SAFETY: as the caller says.
            drop(unsafe { Box::from_raw(handle) });
        }
    });
}

/// Makes bytes, which are written to a buffer of the caller's. `len` says how long it is, and then
/// how long they are, which is also said where they do not fit; 0 if there is another error.
///
/// # Safety
/// If `len` is not NULL, it can be read and written, and if `buffer` is not NULL, so many bytes can
/// be written there.
pub(crate) unsafe fn fill<T: AsRef<[u8]>>(
    buffer: *mut u8,
    len: *mut usize,
    make: impl FnOnce() -> Outcome<T>,
) -> sigmill_error {
    guard(|| {
        if len.is_null() {
            return Err(SIGMILL_ERROR_NULL_POINTER);
        }
        // SAFETY: as the caller says.
        let room = unsafe { len.replace(0) };
        let made = make()?;
        let value = made.as_ref();
        // SAFETY: as the caller says.
        unsafe { len.write(value.len()) };
        if room < value.len() {
            return Err(SIGMILL_ERROR_BUFFER_TOO_SMALL);
        }
        // SAFETY: as the caller says; there is room.
        unsafe { copy(value, buffer) }
    })
}

/// Writes bytes to a place of the caller's.
///
/// # Safety
/// If it is not NULL, so many bytes can be written there.
pub(crate) unsafe fn copy(value: &[u8], place: *mut u8) -> Outcome<()> {
    if place.is_null() {
        return Err(SIGMILL_ERROR_NULL_POINTER);
    }
    // SAFETY: there is room; the value is not there, as the place is the caller's.
    unsafe { ptr::copy_nonoverlapping(value.as_ptr(), place, value.len()) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        assert_eq!(guard(|| Ok(())), SIGMILL_OK);
        assert_eq!(guard(|| panic!("on purpose")), SIGMILL_ERROR_PANIC);
        let mut handle = ptr::dangling_mut::<u8>();
        // SAFETY: there is the variable.
        let error = unsafe { give(&raw mut handle, || panic!("on purpose")) };
        assert_eq!(error, SIGMILL_ERROR_PANIC);
        assert!(handle.is_null());
    }
}
