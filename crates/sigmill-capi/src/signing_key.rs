//! Private keys, and what they sign. All of it in constant time.

use sigmill::{AnySigningKey, CurveName, HashName, RecoveryId, SignatureFormat};

use crate::border::{Outcome, bytes, copy, fill, give, reference, take_back, text, value_or};
use crate::choice;
use crate::error::sigmill_error::{self, SIGMILL_ERROR_NULL_POINTER, SIGMILL_OK};
use crate::verifying_key::sigmill_verifying_key;

/// A private key on any of the curves. Never changed, so threads may share it; wiped and freed by
/// `sigmill_signing_key_free`.
#[allow(non_camel_case_types, reason = "the name of C")]
pub struct sigmill_signing_key(pub(crate) AnySigningKey);

/// A new key from the operating system's generator. `curve` is a `sigmill_curve`. `*key` gets a
/// handle to free, or NULL if there is an error.
///
/// Errors: `SIGMILL_ERROR_RANDOMNESS_UNAVAILABLE`, `_ARGUMENT_OUT_OF_RANGE`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_generate(
    curve: u32,
    key: *mut *mut sigmill_signing_key,
) -> sigmill_error {
    let generate = || Ok(AnySigningKey::generate(choice::curve(curve)?)?);
    // SAFETY: the caller's place for a handle (`border`).
    unsafe { give(key, || generate().map(sigmill_signing_key)) }
}

/// Reads a private key: PEM, label "PRIVATE KEY" (PKCS#8) or "EC PRIVATE KEY" (SEC 1), `len` bytes
/// with or without a zero byte counted behind them. `*key` gets a handle to free, or NULL if there
/// is an error.
///
/// Errors: `SIGMILL_ERROR_TEXT_NOT_UTF8`, `_PEM_...`, `_PRIVATE_KEY_...`, `_SECRET_...`.
/// Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_from_pem(
    pem: *const u8,
    len: usize,
    key: *mut *mut sigmill_signing_key,
) -> sigmill_error {
    let read = || {
        // SAFETY: the caller's bytes (`border`).
        let pem = unsafe { text(pem, len) }?;
        Ok(sigmill_signing_key(AnySigningKey::from_pem(pem)?))
    };
    // SAFETY: the caller's place for a handle (`border`).
    unsafe { give(key, read) }
}

/// Reads a private key: PKCS#8 in DER (RFC 5958). `*key` gets a handle to free, or NULL if there is
/// an error.
///
/// Errors: `SIGMILL_ERROR_PRIVATE_KEY_...`, `_SECRET_...`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_from_pkcs8_der(
    der: *const u8,
    len: usize,
    key: *mut *mut sigmill_signing_key,
) -> sigmill_error {
    let read = || {
        // SAFETY: the caller's bytes (`border`).
        let der = unsafe { bytes(der, len) }?;
        Ok(sigmill_signing_key(AnySigningKey::from_pkcs8_der(der)?))
    };
    // SAFETY: the caller's place for a handle (`border`).
    unsafe { give(key, read) }
}

/// Reads a private key: the integer d, big-endian, in the full length of the order (32, 48 or 66
/// bytes). `curve` is a `sigmill_curve`. `*key` gets a handle to free, or NULL if there is an
/// error.
///
/// Errors: `SIGMILL_ERROR_SECRET_...`, `_ARGUMENT_OUT_OF_RANGE`. Thread-safe.
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
        // SAFETY: the caller's bytes (`border`).
        let scalar = unsafe { bytes(scalar, len) }?;
        Ok(sigmill_signing_key(AnySigningKey::from_be_bytes(
            curve, scalar,
        )?))
    };
    // SAFETY: the caller's place for a handle (`border`).
    unsafe { give(key, read) }
}

/// The same key, with signatures of another policy, a sum of `sigmill_policy`: low s, or friendly.
/// Keys that are read or generated sign by `SIGMILL_POLICY_ANY`. `*other` gets a handle to free, or
/// NULL if there is an error.
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
        // SAFETY: the caller's handle (`border`).
        let key = &unsafe { reference(key) }?.0;
        let policy = choice::policy(policy)?;
        let copy = AnySigningKey::from_be_bytes(key.curve(), &key.to_be_bytes())?;
        Ok(sigmill_signing_key(copy.with_policy(policy)))
    };
    // SAFETY: the caller's place for a handle (`border`).
    unsafe { give(other, copy) }
}

/// Wipes and frees a key; NULL is none. No other call may use it then. Thread-safe for different
/// keys.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_free(key: *mut sigmill_signing_key) {
    // SAFETY: the caller's handle (`border`).
    unsafe { take_back(key) };
}

/// The curve of a key, a `sigmill_curve`; 0 for NULL. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_curve(key: *const sigmill_signing_key) -> u32 {
    value_or(0, || {
        // SAFETY: the caller's handle (`border`).
        let key = unsafe { reference(key) };
        key.map_or(0, |key| choice::curve_number(key.0.curve()))
    })
}

/// The public key of a private key. `*public_key` gets a handle to free, or NULL if there is an
/// error; it does not need `key` any more.
///
/// Errors: `SIGMILL_ERROR_NULL_POINTER`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_verifying_key(
    key: *const sigmill_signing_key,
    public_key: *mut *mut sigmill_verifying_key,
) -> sigmill_error {
    let copy = || {
        // SAFETY: the caller's handle (`border`).
        let key = unsafe { reference(key) }?;
        Ok(sigmill_verifying_key(key.0.verifying_key()))
    };
    // SAFETY: the caller's place for a handle (`border`).
    unsafe { give(public_key, copy) }
}

/// Writes a private key as PKCS#8 in DER, at most `SIGMILL_MAX_PKCS8_LEN` bytes. `*len` is the
/// length of the buffer, and then that of the DER. The caller wipes the buffer.
///
/// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_to_pkcs8_der(
    key: *const sigmill_signing_key,
    der: *mut u8,
    len: *mut usize,
) -> sigmill_error {
    let write = || {
        // SAFETY: the caller's handle (`border`).
        let key = unsafe { reference(key) }?;
        Ok(key.0.to_pkcs8_der())
    };
    // SAFETY: the caller's buffer (`border`).
    unsafe { fill(der, len, write) }
}

/// Writes a private key as PKCS#8 in PEM, without a zero byte behind it. `*len` is the length of
/// the
/// buffer, and then that of the text. The caller wipes the buffer.
///
/// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_to_pkcs8_pem(
    key: *const sigmill_signing_key,
    pem: *mut u8,
    len: *mut usize,
) -> sigmill_error {
    let write = || {
        // SAFETY: the caller's handle (`border`).
        let key = unsafe { reference(key) }?;
        Ok(key.0.to_pkcs8_pem())
    };
    // SAFETY: the caller's buffer (`border`).
    unsafe { fill(pem, len, write) }
}

/// Writes the integer d of a private key, big-endian in the full length of the order. `*len` is the
/// length of the buffer, and then that of the integer. The caller wipes the buffer.
///
/// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`. Thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_signing_key_to_scalar(
    key: *const sigmill_signing_key,
    scalar: *mut u8,
    len: *mut usize,
) -> sigmill_error {
    let write = || {
        // SAFETY: the caller's handle (`border`).
        let key = unsafe { reference(key) }?;
        Ok(key.0.to_be_bytes())
    };
    // SAFETY: the caller's buffer (`border`).
    unsafe { fill(scalar, len, write) }
}

/// Signs a message, with a nonce by RFC 6979: the same key, message and hash give the same
/// signature. `hash` is a `sigmill_hash`, `format` a `sigmill_format`. `*len` is the length of the
/// buffer, and then that of the signature, at most `SIGMILL_MAX_SIGNATURE_LEN`.
///
/// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`, `_ARGUMENT_OUT_OF_RANGE`, `_NULL_POINTER`.
/// Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_sign_message(
    key: *const sigmill_signing_key,
    message: *const u8,
    message_len: usize,
    hash: u32,
    format: u32,
    signature: *mut u8,
    len: *mut usize,
) -> sigmill_error {
    let write = || {
        // SAFETY: the caller's handle (`border`).
        let key = &unsafe { reference(key) }?.0;
        // SAFETY: the caller's bytes (`border`).
        let message = unsafe { bytes(message, message_len) }?;
        let (hash, format) = choices(key.curve(), hash, format)?;
        Ok(key.sign_with_hash(hash, message, format))
    };
    // SAFETY: the caller's buffer (`border`).
    unsafe { fill(signature, len, write) }
}

/// Signs a digest of any length but 0; of a long one the leftmost bits count. `hash` is the one
/// that
/// the nonce is made by. Else as `sigmill_sign_message`.
///
/// Errors: `SIGMILL_ERROR_DIGEST_EMPTY`, and as of `sigmill_sign_message`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_sign_prehash(
    key: *const sigmill_signing_key,
    digest: *const u8,
    digest_len: usize,
    hash: u32,
    format: u32,
    signature: *mut u8,
    len: *mut usize,
) -> sigmill_error {
    let write = || {
        // SAFETY: the caller's handle (`border`).
        let key = &unsafe { reference(key) }?.0;
        // SAFETY: the caller's bytes (`border`).
        let digest = unsafe { bytes(digest, digest_len) }?;
        let (hash, format) = choices(key.curve(), hash, format)?;
        Ok(key.sign_prehash_with_hash(hash, digest, format)?)
    };
    // SAFETY: the caller's buffer (`border`).
    unsafe { fill(signature, len, write) }
}

/// As `sigmill_sign_prehash`, and `*recovery_id` gets what the public key is recovered by, 0 to 3;
/// 255, which recovers nothing, if there is an error. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_sign_prehash_recoverable(
    key: *const sigmill_signing_key,
    digest: *const u8,
    digest_len: usize,
    hash: u32,
    format: u32,
    signature: *mut u8,
    len: *mut usize,
    recovery_id: *mut u8,
) -> sigmill_error {
    let mut found = NO_ID;
    let write = || {
        if recovery_id.is_null() {
            return Err(SIGMILL_ERROR_NULL_POINTER);
        }
        // SAFETY: the caller's handle (`border`).
        let key = &unsafe { reference(key) }?.0;
        // SAFETY: the caller's bytes (`border`).
        let digest = unsafe { bytes(digest, digest_len) }?;
        let (hash, format) = choices(key.curve(), hash, format)?;
        let (made, id) = key.sign_prehash_recoverable_with_hash(hash, digest, format)?;
        found = RecoveryId::to_byte(id);
        Ok(made)
    };
    // SAFETY: the caller's buffer (`border`).
    let error = unsafe { fill(signature, len, write) };
    let id = if error == SIGMILL_OK { found } else { NO_ID };
    // SAFETY: the caller's place (`border`).
    match unsafe { copy(&[id], recovery_id) } {
        Ok(()) => error,
        Err(null) => null,
    }
}

/// What is no recovery id.
const NO_ID: u8 = u8::MAX;

/// How a signature is made and written.
fn choices(curve: CurveName, hash: u32, format: u32) -> Outcome<(HashName, SignatureFormat)> {
    Ok((choice::hash(hash, curve)?, choice::format(format)?))
}
