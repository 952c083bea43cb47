//! Public keys, and verification of single signatures.

use std::ptr;

use sigmill::{AnyVerifyingKey, CurveName, Error, Input, SignatureFormat, VerifyOptions};

use crate::border::{bytes, fill, give, reference, take_back, text, value_or};
use crate::choice::sigmill_input::{SIGMILL_INPUT_DIGEST, SIGMILL_INPUT_MESSAGE};
use crate::error::sigmill_error;
use crate::options::{Verifier, sigmill_verify_options};
use crate::{choice, options};

/// A public key on any of the curves. It never changes, so threads may share it. Free it with
/// `sigmill_verifying_key_free`.
#[allow(non_camel_case_types, reason = "the name of C")]
pub struct sigmill_verifying_key(pub(crate) AnyVerifyingKey);

impl Verifier for sigmill_verifying_key {
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

/// Reads a public key as PEM with the label "PUBLIC KEY". `len` is the length of the text and may
/// include a zero byte at its end. `*key` receives a handle, which the caller frees, or NULL after
/// an error.
///
/// Errors: `SIGMILL_ERROR_TEXT_NOT_UTF8`, `_PEM_...`, `_SPKI_...`, `_KEY_...`, `_NULL_POINTER`,
/// `_LENGTH_OUT_OF_RANGE`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_verifying_key_from_pem(
    pem: *const u8,
    len: usize,
    key: *mut *mut sigmill_verifying_key,
) -> sigmill_error {
    let read = || {
        // SAFETY: the caller vouches for the bytes (see `border`).
        let pem = unsafe { text(pem, len) }?;
        let key = AnyVerifyingKey::from_public_key_pem(pem)?;
        Ok(sigmill_verifying_key(key))
    };
    // SAFETY: the caller vouches for the place of the handle (see `border`).
    unsafe { give(key, read) }
}

/// Reads a public key as SubjectPublicKeyInfo in DER (RFC 5280, RFC 5480) with a named curve.
/// `*key` receives a handle, which the caller frees, or NULL after an error.
///
/// Errors: `SIGMILL_ERROR_SPKI_...`, `_KEY_...`, `_NULL_POINTER`, `_LENGTH_OUT_OF_RANGE`.
/// Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_verifying_key_from_spki_der(
    der: *const u8,
    len: usize,
    key: *mut *mut sigmill_verifying_key,
) -> sigmill_error {
    let read = || {
        // SAFETY: the caller vouches for the bytes (see `border`).
        let der = unsafe { bytes(der, len) }?;
        Ok(sigmill_verifying_key(AnyVerifyingKey::from_public_key_der(
            der,
        )?))
    };
    // SAFETY: the caller vouches for the place of the handle (see `border`).
    unsafe { give(key, read) }
}

/// Reads a public key as a SEC 1 point: 04 x y, or compressed as 02 x or 03 x. x and y are
/// big-endian, as long as the field. `curve` is a `sigmill_curve`. `*key` receives a handle, which
/// the caller frees, or NULL after an error.
///
/// Errors: `SIGMILL_ERROR_KEY_...`, `_ARGUMENT_OUT_OF_RANGE`, `_NULL_POINTER`,
/// `_LENGTH_OUT_OF_RANGE`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_verifying_key_from_sec1(
    curve: u32,
    point: *const u8,
    len: usize,
    key: *mut *mut sigmill_verifying_key,
) -> sigmill_error {
    let read = || {
        let curve = choice::curve(curve)?;
        // SAFETY: the caller vouches for the bytes (see `border`).
        let point = unsafe { bytes(point, len) }?;
        Ok(sigmill_verifying_key(AnyVerifyingKey::from_sec1_bytes(
            curve, point,
        )?))
    };
    // SAFETY: the caller vouches for the place of the handle (see `border`).
    unsafe { give(key, read) }
}

/// Reads a public key for verifying signatures as a JSON Web Key (RFC 7517) in UTF-8. `len` may
/// include a zero byte at the end. `*key` receives a handle, which the caller frees, or NULL after
/// an error.
///
/// Errors: `SIGMILL_ERROR_TEXT_NOT_UTF8`, `_JWK_...`, `_KEY_...`, `_NULL_POINTER`,
/// `_LENGTH_OUT_OF_RANGE`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_verifying_key_from_jwk(
    jwk: *const u8,
    len: usize,
    key: *mut *mut sigmill_verifying_key,
) -> sigmill_error {
    let read = || {
        // SAFETY: the caller vouches for the bytes (see `border`).
        let jwk = unsafe { text(jwk, len) }?;
        Ok(sigmill_verifying_key(AnyVerifyingKey::from_jwk_str(jwk)?))
    };
    // SAFETY: the caller vouches for the place of the handle (see `border`).
    unsafe { give(key, read) }
}

/// Frees a key. NULL is allowed. No other call may use the key during or after this call.
/// Thread-safe for different keys.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_verifying_key_free(key: *mut sigmill_verifying_key) {
    // SAFETY: the caller vouches for the handle (see `border`).
    unsafe { take_back(key) };
}

/// Returns the curve of a key, a `sigmill_curve`, or 0 for NULL. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_verifying_key_curve(key: *const sigmill_verifying_key) -> u32 {
    value_or(0, || {
        // SAFETY: the caller vouches for the handle (see `border`).
        let key = unsafe { reference(key) };
        key.map_or(0, |key| choice::curve_number(key.0.curve()))
    })
}

/// Writes a key as a SEC 1 point of at most `SIGMILL_MAX_POINT_LEN` bytes, compressed if
/// `is_compressed` is not 0. `*len` is the length of the buffer on entry and that of the point on
/// return.
///
/// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`, `_NULL_POINTER`. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_verifying_key_to_sec1(
    key: *const sigmill_verifying_key,
    is_compressed: i32,
    point: *mut u8,
    len: *mut usize,
) -> sigmill_error {
    let write = || {
        // SAFETY: the caller vouches for the handle (see `border`).
        let key = unsafe { reference(key) }?;
        Ok(key.0.to_sec1_bytes(is_compressed != 0))
    };
    // SAFETY: the caller vouches for the buffer and its length (see `border`).
    unsafe { fill(point, len, write) }
}

/// Writes a key as SubjectPublicKeyInfo in DER of at most `SIGMILL_MAX_SPKI_LEN` bytes. `*len` is
/// the length of the buffer on entry and that of the DER on return.
///
/// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`, `_NULL_POINTER`. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_verifying_key_to_spki_der(
    key: *const sigmill_verifying_key,
    der: *mut u8,
    len: *mut usize,
) -> sigmill_error {
    let write = || {
        // SAFETY: the caller vouches for the handle (see `border`).
        let key = unsafe { reference(key) }?;
        Ok(key.0.to_public_key_der())
    };
    // SAFETY: the caller vouches for the buffer and its length (see `border`).
    unsafe { fill(der, len, write) }
}

/// Writes a key as PEM with the label "PUBLIC KEY", without a zero byte at the end. `*len` is the
/// length of the buffer on entry and that of the text on return.
///
/// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`, `_NULL_POINTER`. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_verifying_key_to_pem(
    key: *const sigmill_verifying_key,
    pem: *mut u8,
    len: *mut usize,
) -> sigmill_error {
    let write = || {
        // SAFETY: the caller vouches for the handle (see `border`).
        let key = unsafe { reference(key) }?;
        Ok(key.0.to_public_key_pem())
    };
    // SAFETY: the caller vouches for the buffer and its length (see `border`).
    unsafe { fill(pem, len, write) }
}

/// Verifies a signature of a message under the curve's own hash. Returns `SIGMILL_OK` if it is
/// valid, and an error in every other case.
///
/// `format` is a `sigmill_format`.
///
/// Errors: `SIGMILL_ERROR_SIGNATURE_MISMATCH`, `_DER_...`, `_SIGNATURE_LENGTH`, `_R_...`, `_S_...`,
/// `_ARGUMENT_OUT_OF_RANGE`, `_NULL_POINTER`, `_LENGTH_OUT_OF_RANGE`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_verify(
    key: *const sigmill_verifying_key,
    message: *const u8,
    message_len: usize,
    signature: *const u8,
    signature_len: usize,
    format: u32,
) -> sigmill_error {
    let input = (SIGMILL_INPUT_MESSAGE as u32, message, message_len);
    // SAFETY: the caller vouches for the pointers (see `border`).
    unsafe { options::verify(key, input, (signature, signature_len), format, ptr::null()) }
}

/// Verifies a signature of a digest. Returns `SIGMILL_OK` if it is valid, and an error in every
/// other case. The digest has at least one byte. Of a digest longer than the order, only the
/// leftmost bits count, as many as the order has.
///
/// Errors: those of `sigmill_verify`, `SIGMILL_ERROR_DIGEST_EMPTY`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_verify_prehash(
    key: *const sigmill_verifying_key,
    digest: *const u8,
    digest_len: usize,
    signature: *const u8,
    signature_len: usize,
    format: u32,
) -> sigmill_error {
    let input = (SIGMILL_INPUT_DIGEST as u32, digest, digest_len);
    // SAFETY: the caller vouches for the pointers (see `border`).
    unsafe { options::verify(key, input, (signature, signature_len), format, ptr::null()) }
}

/// Verifies a signature of a message or a digest, with options: another hash, a policy, a hint.
/// Returns `SIGMILL_OK` if it is valid, and an error in every other case.
///
/// `input_kind` is a `sigmill_input`. `options` may be NULL.
///
/// Errors: those of `sigmill_verify_prehash`, `SIGMILL_ERROR_HIGH_S`, `_NOT_FRIENDLY`,
/// `_RECOVERY_ID_OUT_OF_RANGE`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_verify_with(
    key: *const sigmill_verifying_key,
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
    unsafe { options::verify(key, input, (signature, signature_len), format, options) }
}
