//! Public keys with a table of their multiples.

use std::ptr;

use sigmill::{AnyPreparedKey, CurveName, Error, Input, SignatureFormat, VerifyOptions};

use crate::border::{give, reference, take_back, value_or};
use crate::choice::sigmill_input::{SIGMILL_INPUT_DIGEST, SIGMILL_INPUT_MESSAGE};
use crate::error::sigmill_error;
use crate::options::{self, Verifier, sigmill_verify_options};
use crate::verifying_key::sigmill_verifying_key;

/// A public key with a table of its multiples, which verifies several times as fast. It occupies
/// 148 KiB on P-256. It never changes, so threads may share it. Free it with
/// `sigmill_prepared_key_free`.
#[allow(non_camel_case_types, reason = "the name of C")]
pub struct sigmill_prepared_key(AnyPreparedKey);

impl Verifier for sigmill_prepared_key {
    fn curve(&self) -> CurveName {
        self.0.curve()
    }

    fn verify(
        &self,
        input: Input<'_>,
        signature: &[u8],
        format: SignatureFormat,
        options: &VerifyOptions<'_>,
    ) -> Result<(), Error> {
        self.0.verify_with(input, signature, format, options)
    }
}

/// Builds the table of a key. This costs as much time as verifying some signatures. `window` is the
/// width of the table, 1 to 11 bits, or 0 for the usual one. `*prepared` receives a handle, which
/// the caller frees, or NULL after an error. It does not depend on `key` afterwards.
///
/// Errors: `SIGMILL_ERROR_WINDOW_OUT_OF_RANGE`, `_NULL_POINTER`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_prepared_key_new(
    key: *const sigmill_verifying_key,
    window: u32,
    prepared: *mut *mut sigmill_prepared_key,
) -> sigmill_error {
    let build = || {
        // SAFETY: the caller vouches for the handle (see `border`).
        let key = unsafe { reference(key) }?;
        let window = match window {
            0 => AnyPreparedKey::DEFAULT_WINDOW,
            window => window,
        };
        Ok(sigmill_prepared_key(key.0.prepare_with_window(window)?))
    };
    // SAFETY: the caller vouches for the place of the handle (see `border`).
    unsafe { give(prepared, build) }
}

/// Frees a key. NULL is allowed. No other call may use the key during or after this call.
/// Thread-safe for different keys.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_prepared_key_free(prepared: *mut sigmill_prepared_key) {
    // SAFETY: the caller vouches for the handle (see `border`).
    unsafe { take_back(prepared) };
}

/// Returns the bytes of memory that a key and its table occupy, or 0 for NULL. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_prepared_key_memory(
    prepared: *const sigmill_prepared_key,
) -> usize {
    value_or(0, || {
        // SAFETY: the caller vouches for the handle (see `border`).
        let prepared = unsafe { reference(prepared) };
        prepared.map_or(0, |prepared| prepared.0.memory_bytes())
    })
}

/// Returns what `sigmill_verify` returns, in a fraction of the time. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_prepared_verify(
    prepared: *const sigmill_prepared_key,
    message: *const u8,
    message_len: usize,
    signature: *const u8,
    signature_len: usize,
    format: u32,
) -> sigmill_error {
    let input = (SIGMILL_INPUT_MESSAGE as u32, message, message_len);
    // SAFETY: the caller vouches for the pointers (see `border`).
    unsafe {
        options::verify(
            prepared,
            input,
            (signature, signature_len),
            format,
            ptr::null(),
        )
    }
}

/// Returns what `sigmill_verify_prehash` returns, in a fraction of the time. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_prepared_verify_prehash(
    prepared: *const sigmill_prepared_key,
    digest: *const u8,
    digest_len: usize,
    signature: *const u8,
    signature_len: usize,
    format: u32,
) -> sigmill_error {
    let input = (SIGMILL_INPUT_DIGEST as u32, digest, digest_len);
    // SAFETY: the caller vouches for the pointers (see `border`).
    unsafe {
        options::verify(
            prepared,
            input,
            (signature, signature_len),
            format,
            ptr::null(),
        )
    }
}

/// Returns what `sigmill_verify_with` returns, in a fraction of the time. A hint saves none.
/// Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_prepared_verify_with(
    prepared: *const sigmill_prepared_key,
    input_kind: u32,
    input: *const u8,
    input_len: usize,
    signature: *const u8,
    signature_len: usize,
    format: u32,
    options: *const sigmill_verify_options,
) -> sigmill_error {
    let input = (input_kind, input, input_len);
    // SAFETY: the caller vouches for the pointers (see `border`).
    unsafe { options::verify(prepared, input, (signature, signature_len), format, options) }
}
