//! The border where C calls in. No panic crosses it, and every pointer is checked for NULL.
//!
//! Some conditions cannot be checked. The caller guarantees them for every function of the
//! interface: a pointer that is not NULL points to as many values as the description of the
//! function states, and nothing changes them during the call; a handle came from this library and
//! was not freed; memory that receives a result overlaps nothing else of the call.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice, str};

use crate::error::*;

/// The result of a step of a call, or the number of the broken rule.
pub(crate) type Outcome<T> = Result<T, sigmill_error>;

/// Runs the body of a function. Returns `on_panic` if it panics, as a panic must not reach the
/// caller's frames. No input is known to cause one.
pub(crate) fn value_or<T>(on_panic: T, body: impl FnOnce() -> T) -> T {
    // A panic may leave values half changed, but nothing reads them again: handles do not change,
    // and the engine's locks are poisoned.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(on_panic)
}

/// [`value_or`] for a function that returns an error.
pub(crate) fn guard(body: impl FnOnce() -> Outcome<()>) -> sigmill_error {
    value_or(SIGMILL_ERROR_PANIC, || match body() {
        Ok(()) => SIGMILL_OK,
        Err(error) => error,
    })
}

/// Rejects lengths that neither a slice in Rust nor memory can have.
pub(crate) fn check_len(bytes: usize) -> Outcome<()> {
    match isize::try_from(bytes) {
        Ok(_) => Ok(()),
        Err(_) => Err(SIGMILL_ERROR_LENGTH_OUT_OF_RANGE),
    }
}

/// Returns the caller's bytes. If `len` is 0, the pointer does not matter.
///
/// # Safety
/// `len` bytes can be read there during `'a`.
pub(crate) unsafe fn bytes<'a>(pointer: *const u8, len: usize) -> Outcome<&'a [u8]> {
    if len == 0 {
        return Ok(&[]);
    }
    check_len(len)?;
    if pointer.is_null() {
        return Err(SIGMILL_ERROR_NULL_POINTER);
    }
    // SAFETY: the caller guarantees this, and memory can have this length.
    Ok(unsafe { slice::from_raw_parts(pointer, len) })
}

/// Returns the caller's text, without a zero byte at its end.
///
/// # Safety
/// That of [`bytes`].
pub(crate) unsafe fn text<'a>(pointer: *const u8, len: usize) -> Outcome<&'a str> {
    // SAFETY: the caller guarantees this.
    let bytes = unsafe { bytes(pointer, len) }?;
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(bytes);
    str::from_utf8(bytes).map_err(|_| SIGMILL_ERROR_TEXT_NOT_UTF8)
}

/// Returns the caller's bytes, whose number is fixed.
///
/// # Safety
/// That of [`bytes`].
pub(crate) unsafe fn array<const N: usize>(pointer: *const u8) -> Outcome<[u8; N]> {
    // SAFETY: the caller guarantees this.
    let bytes = unsafe { bytes(pointer, N) }?;
    bytes
        .try_into()
        .map_err(|_| SIGMILL_ERROR_LENGTH_OUT_OF_RANGE)
}

/// Returns the value at a pointer.
///
/// # Safety
/// The pointer is NULL, or it points to a value that exists during `'a` and that nothing changes.
pub(crate) unsafe fn reference<'a, T>(pointer: *const T) -> Outcome<&'a T> {
    // SAFETY: the caller guarantees this.
    unsafe { pointer.as_ref() }.ok_or(SIGMILL_ERROR_NULL_POINTER)
}

/// Makes a handle and hands it to the caller, or NULL after an error.
///
/// # Safety
/// `place` is NULL, or a pointer can be written there.
pub(crate) unsafe fn give<T>(
    place: *mut *mut T,
    make: impl FnOnce() -> Outcome<T>,
) -> sigmill_error {
    guard(|| {
        if place.is_null() {
            return Err(SIGMILL_ERROR_NULL_POINTER);
        }
        // SAFETY: the caller guarantees this.
        unsafe { place.write(ptr::null_mut()) };
        let made = Box::into_raw(Box::new(make()?));
        // SAFETY: the caller guarantees this.
        unsafe { place.write(made) };
        Ok(())
    })
}

/// Takes a handle back and frees it.
///
/// # Safety
/// The handle is NULL, or came from [`give`] and was not taken back.
pub(crate) unsafe fn take_back<T>(handle: *mut T) {
    value_or((), || {
        if !handle.is_null() {
            // SAFETY: the caller guarantees this.
            drop(unsafe { Box::from_raw(handle) });
        }
    });
}

/// Makes bytes and writes them to the caller's buffer. `*len` is the length of the buffer on entry,
/// and that of the bytes on return, even if they do not fit; it is 0 after another error.
///
/// # Safety
/// `len` is NULL, or can be read and written. `buffer` is NULL, or `*len` bytes can be written
/// there.
pub(crate) unsafe fn fill<T: AsRef<[u8]>>(
    buffer: *mut u8,
    len: *mut usize,
    make: impl FnOnce() -> Outcome<T>,
) -> sigmill_error {
    guard(|| {
        if len.is_null() {
            return Err(SIGMILL_ERROR_NULL_POINTER);
        }
        // SAFETY: the caller guarantees this.
        let room = unsafe { len.replace(0) };
        let made = make()?;
        let value = made.as_ref();
        // SAFETY: the caller guarantees this.
        unsafe { len.write(value.len()) };
        if room < value.len() {
            return Err(SIGMILL_ERROR_BUFFER_TOO_SMALL);
        }
        // SAFETY: the caller guarantees this, and the value fits.
        unsafe { copy(value, buffer) }
    })
}

/// Writes bytes to the caller's memory.
///
/// # Safety
/// `place` is NULL, or `value.len()` bytes can be written there.
pub(crate) unsafe fn copy(value: &[u8], place: *mut u8) -> Outcome<()> {
    if place.is_null() {
        return Err(SIGMILL_ERROR_NULL_POINTER);
    }
    // SAFETY: the caller guarantees the room. The value does not overlap it, as the caller owns it.
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
        // SAFETY: the pointer is that of a local variable.
        let error = unsafe { give(&raw mut handle, || panic!("on purpose")) };
        assert_eq!(error, SIGMILL_ERROR_PANIC);
        assert!(handle.is_null());
    }
}
