//! Private keys and signing, all in constant time.

use std::ptr;

use sigmill::{AnySigningKey, RecoveryId};

use crate::border::{bytes, fill, give, reference, take_back, text, value_or};
use crate::choice::sigmill_input::{SIGMILL_INPUT_DIGEST, SIGMILL_INPUT_MESSAGE};
use crate::error::{SIGMILL_OK, sigmill_error};
use crate::options::sigmill_sign_options;
use crate::verifying_key::sigmill_verifying_key;
use crate::{choice, options};

/// A private key on any of the curves. It never changes, so threads may share it. Wipe and free it
/// with `sigmill_signing_key_free`.
#[allow(non_camel_case_types, reason = "the name of C")]
pub struct sigmill_signing_key(pub(crate) AnySigningKey);

/// Makes a new key from the operating system's random number generator. `curve` is a
/// `sigmill_curve`. `*key` receives a handle, which the caller frees, or NULL after an error.
///
/// Errors: `SIGMILL_ERROR_RANDOMNESS_UNAVAILABLE`, `_ARGUMENT_OUT_OF_RANGE`, `_NULL_POINTER`.
/// Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_generate(
    curve: u32,
    key: *mut *mut sigmill_signing_key,
) -> sigmill_error {
    let generate = || Ok(AnySigningKey::generate(choice::curve(curve)?)?);
    // SAFETY: the caller vouches for the place of the handle (see `border`).
    unsafe { give(key, || generate().map(sigmill_signing_key)) }
}

/// Reads a private key as PEM with the label "PRIVATE KEY" (PKCS#8) or "EC PRIVATE KEY" (SEC 1).
/// `len` is the length of the text and may include a zero byte at its end. `*key` receives a
/// handle, which the caller frees, or NULL after an error.
///
/// Errors: `SIGMILL_ERROR_TEXT_NOT_UTF8`, `_PEM_...`, `_PRIVATE_KEY_...`, `_SECRET_...`, and
/// `_KEY_...` for a public key in the text; `_NULL_POINTER`, `_LENGTH_OUT_OF_RANGE`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_from_pem(
    pem: *const u8,
    len: usize,
    key: *mut *mut sigmill_signing_key,
) -> sigmill_error {
    let read = || {
        // SAFETY: the caller vouches for the bytes (see `border`).
        let pem = unsafe { text(pem, len) }?;
        Ok(sigmill_signing_key(AnySigningKey::from_pem(pem)?))
    };
    // SAFETY: the caller vouches for the place of the handle (see `border`).
    unsafe { give(key, read) }
}

/// Reads a private key as PKCS#8 in DER (RFC 5958). `*key` receives a handle, which the caller
/// frees, or NULL after an error.
///
/// Errors: `SIGMILL_ERROR_PRIVATE_KEY_...`, `_SECRET_...`, and `_KEY_...` for a public key in the
/// DER; `_NULL_POINTER`, `_LENGTH_OUT_OF_RANGE`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_from_pkcs8_der(
    der: *const u8,
    len: usize,
    key: *mut *mut sigmill_signing_key,
) -> sigmill_error {
    let read = || {
        // SAFETY: the caller vouches for the bytes (see `border`).
        let der = unsafe { bytes(der, len) }?;
        Ok(sigmill_signing_key(AnySigningKey::from_pkcs8_der(der)?))
    };
    // SAFETY: the caller vouches for the place of the handle (see `border`).
    unsafe { give(key, read) }
}

/// Reads a private key as the integer d, big-endian, in the full length of the order (32, 48 or 66
/// bytes). `curve` is a `sigmill_curve`. `*key` receives a handle, which the caller frees, or NULL
/// after an error.
///
/// Errors: `SIGMILL_ERROR_SECRET_...`, `_ARGUMENT_OUT_OF_RANGE`, `_NULL_POINTER`,
/// `_LENGTH_OUT_OF_RANGE`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_from_scalar(
    curve: u32,
    scalar: *const u8,
    len: usize,
    key: *mut *mut sigmill_signing_key,
) -> sigmill_error {
    let read = || {
        let curve = choice::curve(curve)?;
        // SAFETY: the caller vouches for the bytes (see `border`).
        let scalar = unsafe { bytes(scalar, len) }?;
        Ok(sigmill_signing_key(AnySigningKey::from_be_bytes(
            curve, scalar,
        )?))
    };
    // SAFETY: the caller vouches for the place of the handle (see `border`).
    unsafe { give(key, read) }
}

/// Copies a key. The copy makes signatures under another policy, a sum of `sigmill_policy`: low s,
/// or friendly. Keys that were read or generated sign under `SIGMILL_POLICY_ANY`. `*other` receives
/// a handle, which the caller frees, or NULL after an error.
///
/// Errors: `SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE`, `_NULL_POINTER`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_with_policy(
    key: *const sigmill_signing_key,
    policy: u32,
    other: *mut *mut sigmill_signing_key,
) -> sigmill_error {
    let copy = || {
        // SAFETY: the caller vouches for the handle (see `border`).
        let key = &unsafe { reference(key) }?.0;
        let policy = choice::policy(policy)?;
        let copy = AnySigningKey::from_be_bytes(key.curve(), &key.to_be_bytes())?;
        Ok(sigmill_signing_key(copy.with_policy(policy)))
    };
    // SAFETY: the caller vouches for the place of the handle (see `border`).
    unsafe { give(other, copy) }
}

/// Wipes and frees a key. NULL is allowed. No other call may use the key during or after this call.
/// Thread-safe for different keys.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_free(key: *mut sigmill_signing_key) {
    // SAFETY: the caller vouches for the handle (see `border`).
    unsafe { take_back(key) };
}

/// Returns the curve of a key, a `sigmill_curve`, or 0 for NULL. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_curve(key: *const sigmill_signing_key) -> u32 {
    value_or(0, || {
        // SAFETY: the caller vouches for the handle (see `border`).
        let key = unsafe { reference(key) };
        key.map_or(0, |key| choice::curve_number(key.0.curve()))
    })
}

/// Returns the public key of a private key. `*public_key` receives a handle, which the caller
/// frees, or NULL after an error. It does not depend on `key` afterwards.
///
/// Errors: `SIGMILL_ERROR_NULL_POINTER`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_verifying_key(
    key: *const sigmill_signing_key,
    public_key: *mut *mut sigmill_verifying_key,
) -> sigmill_error {
    let copy = || {
        // SAFETY: the caller vouches for the handle (see `border`).
        let key = unsafe { reference(key) }?;
        Ok(sigmill_verifying_key(key.0.verifying_key()))
    };
    // SAFETY: the caller vouches for the place of the handle (see `border`).
    unsafe { give(public_key, copy) }
}

/// Writes a private key as PKCS#8 in DER of at most `SIGMILL_MAX_PKCS8_LEN` bytes. `*len` is the
/// length of the buffer on entry and that of the DER on return. The caller wipes the buffer after
/// use.
///
/// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`, `_NULL_POINTER`. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_to_pkcs8_der(
    key: *const sigmill_signing_key,
    der: *mut u8,
    len: *mut usize,
) -> sigmill_error {
    let write = || {
        // SAFETY: the caller vouches for the handle (see `border`).
        let key = unsafe { reference(key) }?;
        Ok(key.0.to_pkcs8_der())
    };
    // SAFETY: the caller vouches for the buffer and its length (see `border`).
    unsafe { fill(der, len, write) }
}

/// Writes a private key as PKCS#8 in PEM, without a zero byte at the end. `*len` is the length of
/// the buffer on entry and that of the text on return. The caller wipes the buffer after use.
///
/// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`, `_NULL_POINTER`. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_to_pkcs8_pem(
    key: *const sigmill_signing_key,
    pem: *mut u8,
    len: *mut usize,
) -> sigmill_error {
    let write = || {
        // SAFETY: the caller vouches for the handle (see `border`).
        let key = unsafe { reference(key) }?;
        Ok(key.0.to_pkcs8_pem())
    };
    // SAFETY: the caller vouches for the buffer and its length (see `border`).
    unsafe { fill(pem, len, write) }
}

/// Writes the integer d of a private key, big-endian, in the full length of the order. `*len` is
/// the length of the buffer on entry and that of the integer on return. The caller wipes the buffer
/// after use.
///
/// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`, `_NULL_POINTER`. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_to_scalar(
    key: *const sigmill_signing_key,
    scalar: *mut u8,
    len: *mut usize,
) -> sigmill_error {
    let write = || {
        // SAFETY: the caller vouches for the handle (see `border`).
        let key = unsafe { reference(key) }?;
        Ok(key.0.to_be_bytes())
    };
    // SAFETY: the caller vouches for the buffer and its length (see `border`).
    unsafe { fill(scalar, len, write) }
}

/// Signs a message under the curve's own hash. The nonce is that of RFC 6979: the same key and
/// message yield the same signature. `format` is a `sigmill_format`. `*len` is the length of the
/// buffer on entry and that of the signature on return, at most `SIGMILL_MAX_SIGNATURE_LEN`.
///
/// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`, `_ARGUMENT_OUT_OF_RANGE`, `_NULL_POINTER`,
/// `_LENGTH_OUT_OF_RANGE`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_sign(
    key: *const sigmill_signing_key,
    message: *const u8,
    message_len: usize,
    format: u32,
    signature: *mut u8,
    len: *mut usize,
) -> sigmill_error {
    let (kind, none) = (SIGMILL_INPUT_MESSAGE as u32, ptr::null());
    let (input, input_len, no_id) = (message, message_len, ptr::null_mut());
    // SAFETY: the caller vouches for the same.
    unsafe {
        sigmill_sign_with(
            key, kind, input, input_len, format, none, signature, len, no_id,
        )
    }
}

/// Signs a digest. The digest has at least one byte; of one longer than the order, only the
/// leftmost bits count. The other arguments are those of `sigmill_sign`.
///
/// Errors: those of `sigmill_sign`, `SIGMILL_ERROR_DIGEST_EMPTY`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_sign_prehash(
    key: *const sigmill_signing_key,
    digest: *const u8,
    digest_len: usize,
    format: u32,
    signature: *mut u8,
    len: *mut usize,
) -> sigmill_error {
    let (kind, none) = (SIGMILL_INPUT_DIGEST as u32, ptr::null());
    let (input, input_len, no_id) = (digest, digest_len, ptr::null_mut());
    // SAFETY: the caller vouches for the same.
    unsafe {
        sigmill_sign_with(
            key, kind, input, input_len, format, none, signature, len, no_id,
        )
    }
}

/// Signs a message or a digest, with options: another hash, additional bytes for the nonce.
/// `*recovery_id` receives the recovery id for `sigmill_recover`, 0 to 3, or 255 after an error,
/// which recovers nothing.
///
/// `input_kind` is a `sigmill_input`. `options` and `recovery_id` may be NULL.
///
/// Errors: those of `sigmill_sign_prehash`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_sign_with(
    key: *const sigmill_signing_key,
    input_kind: u32,
    input: *const u8,
    input_len: usize,
    format: u32,
    options: *const sigmill_sign_options,
    signature: *mut u8,
    len: *mut usize,
    recovery_id: *mut u8,
) -> sigmill_error {
    let mut found = NO_ID;
    let write = || {
        // SAFETY: the caller vouches for the handle (see `border`).
        let key = &unsafe { reference(key) }?.0;
        // SAFETY: the caller vouches for the bytes (see `border`).
        let input = unsafe { options::input(input_kind, input, input_len) }?;
        // SAFETY: the caller vouches for the options (see `border`).
        let options = unsafe { options::of_signature(key.curve(), format, options) }?;
        let (format, options) = options;
        let (made, id) = key.sign_with(input, format, &options)?;
        found = RecoveryId::to_byte(id);
        Ok(made)
    };
    // SAFETY: the caller vouches for the buffer and its length (see `border`).
    let error = unsafe { fill(signature, len, write) };
    if !recovery_id.is_null() {
        let id = if error == SIGMILL_OK { found } else { NO_ID };
        // SAFETY: the caller vouches for this place (see `border`).
        unsafe { recovery_id.write(id) };
    }
    error
}

/// A byte that is not a recovery id.
const NO_ID: u8 = u8::MAX;
