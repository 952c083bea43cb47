//! Public keys with a table of their multiples.

use sigmill::AnyPreparedKey;

use crate::border::{bytes, give, guard, reference, take_back, value_or};
use crate::choice;
use crate::error::sigmill_error;
use crate::verifying_key::sigmill_verifying_key;

/// A public key with a table of its multiples, which verifies several times as fast. It occupies
/// 148 KiB on P-256. It never changes, so threads may share it. Free it with
/// `sigmill_prepared_key_free`.
#[allow(non_camel_case_types, reason = "the name of C")]
pub struct sigmill_prepared_key(AnyPreparedKey);

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

/// Verifies a signature of a message as `sigmill_verify_message` does, with the same results and
/// errors, in a fraction of the time. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_prepared_verify_message(
    prepared: *const sigmill_prepared_key,
    message: *const u8,
    message_len: usize,
    hash: u32,
    signature: *const u8,
    signature_len: usize,
    format: u32,
    policy: u32,
) -> sigmill_error {
    guard(|| {
        // SAFETY: the caller vouches for the handle (see `border`).
        let key = &unsafe { reference(prepared) }?.0;
        let hash = choice::hash(hash, key.curve())?;
        // SAFETY: the caller vouches for the bytes (see `border`).
        let message = unsafe { bytes(message, message_len) }?;
        // SAFETY: the caller vouches for the bytes (see `border`).
        let signature = unsafe { bytes(signature, signature_len) }?;
        let (format, policy) = (choice::format(format)?, choice::policy(policy)?);
        let digest = hash.digest(message);
        Ok(key.verify_prehash_with_policy(&digest, signature, format, policy)?)
    })
}

/// Verifies a signature of a digest as `sigmill_verify_prehash` does, with the same results and
/// errors, in a fraction of the time. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_prepared_verify_prehash(
    prepared: *const sigmill_prepared_key,
    digest: *const u8,
    digest_len: usize,
    signature: *const u8,
    signature_len: usize,
    format: u32,
    policy: u32,
) -> sigmill_error {
    guard(|| {
        // SAFETY: the caller vouches for the handle (see `border`).
        let key = &unsafe { reference(prepared) }?.0;
        // SAFETY: the caller vouches for the bytes (see `border`).
        let digest = unsafe { bytes(digest, digest_len) }?;
        // SAFETY: the caller vouches for the bytes (see `border`).
        let signature = unsafe { bytes(signature, signature_len) }?;
        let (format, policy) = (choice::format(format)?, choice::policy(policy)?);
        Ok(key.verify_prehash_with_policy(digest, signature, format, policy)?)
    })
}
