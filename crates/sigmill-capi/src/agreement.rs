//! Shared secrets: ECDH on the curves for signatures, and X25519.

use sigmill::agreement::x25519::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

use crate::border::{Outcome, array, copy, fill, guard, reference};
use crate::error::{SIGMILL_OK, sigmill_error};
use crate::signing_key::sigmill_signing_key;
use crate::sizes::SIGMILL_MAX_SHARED_LEN;
use crate::verifying_key::sigmill_verifying_key;

/// Computes a shared secret by ECDH (SEC 1 §3.3.1, SP 800-56A): the x-coordinate of the shared
/// point, big-endian, as long as the field, at most `SIGMILL_MAX_SHARED_LEN` bytes. `*len` is the
/// length of the buffer on entry and that of the secret on return. Pass the secret through a key
/// derivation function. After an error the buffer holds random bytes: a caller that ignores the
/// error has a secret that nobody knows.
///
/// Errors: `SIGMILL_ERROR_KEY_CURVE_MISMATCH`, `_BUFFER_TOO_SMALL`, `_NULL_POINTER`. Constant time.
/// Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_ecdh(
    key: *const sigmill_signing_key,
    peer: *const sigmill_verifying_key,
    shared: *mut u8,
    len: *mut usize,
) -> sigmill_error {
    let agree = || {
        // SAFETY: the caller vouches for the handle (see `border`).
        let key = unsafe { reference(key) }?;
        // SAFETY: the caller vouches for the handle (see `border`).
        let peer = unsafe { reference(peer) }?;
        let secret = key.0.diffie_hellman(&peer.0)?;
        Ok(Zeroizing::new(secret.as_bytes().to_vec()))
    };
    // SAFETY: the caller vouches for the length (see `border`).
    let room = unsafe { len.as_ref() }.map_or(0, |len| *len);
    // SAFETY: the caller vouches for the buffer and its length (see `border`).
    unsafe { or_noise(shared, room, fill(shared, len, agree)) }
}

/// Makes a new X25519 private key of 32 bytes from the operating system's random number generator.
/// `secret` receives it.
///
/// Errors: `SIGMILL_ERROR_RANDOMNESS_UNAVAILABLE`, `_NULL_POINTER`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_x25519_generate(secret: *mut u8) -> sigmill_error {
    guard(|| {
        let new = StaticSecret::generate()?;
        // SAFETY: the caller vouches for these 32 bytes (see `border`).
        unsafe { copy(new.as_bytes(), secret) }
    })
}

/// Computes the X25519 public key of a private key (RFC 7748). Both have 32 bytes.
///
/// Errors: `SIGMILL_ERROR_NULL_POINTER`. Constant time. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_x25519_public_key(
    secret: *const u8,
    public_key: *mut u8,
) -> sigmill_error {
    guard(|| {
        // SAFETY: the caller vouches for these 32 bytes (see `border`).
        let secret = unsafe { secret_of(secret) }?;
        // SAFETY: the caller vouches for these 32 bytes (see `border`).
        unsafe { copy(PublicKey::from(&secret).as_bytes(), public_key) }
    })
}

/// Computes the X25519 shared secret (RFC 7748) of a private key and the peer's public key. All
/// three have 32 bytes. Pass the secret through a key derivation function. After an error `shared`
/// holds random bytes: a caller that ignores the error has a secret that nobody knows.
///
/// Errors: `SIGMILL_ERROR_SHARED_SECRET_ZERO` (the peer's key is a point of small order),
/// `_NULL_POINTER`. Constant time. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_x25519(
    secret: *const u8,
    peer: *const u8,
    shared: *mut u8,
) -> sigmill_error {
    let error = guard(|| {
        // SAFETY: the caller vouches for these 32 bytes (see `border`).
        let secret = unsafe { secret_of(secret) }?;
        // SAFETY: the caller vouches for these 32 bytes (see `border`).
        let peer = PublicKey::from(unsafe { array::<32>(peer) }?);
        let agreed = secret.diffie_hellman(&peer)?;
        // SAFETY: the caller vouches for these 32 bytes (see `border`).
        unsafe { copy(agreed.as_bytes(), shared) }
    });
    // SAFETY: the caller vouches for these 32 bytes (see `border`).
    unsafe { or_noise(shared, 32, error) }
}

/// Returns the caller's private key.
///
/// # Safety
/// 32 bytes can be read there.
unsafe fn secret_of(pointer: *const u8) -> Outcome<StaticSecret> {
    // SAFETY: the caller guarantees this.
    let bytes = Zeroizing::new(unsafe { array::<32>(pointer) }?);
    Ok(StaticSecret::from(*bytes))
}

/// Passes an error on. After an error, fills the place for a secret with bytes that nobody can
/// guess. Zeros left there would be a secret that everybody knows.
///
/// # Safety
/// `place` is NULL, or `len` bytes can be written there.
unsafe fn or_noise(place: *mut u8, len: usize, error: sigmill_error) -> sigmill_error {
    let mut noise = [0; SIGMILL_MAX_SHARED_LEN];
    let count = len.min(noise.len());
    if error != SIGMILL_OK && count > 0 && getrandom::fill(&mut noise).is_ok() {
        // SAFETY: the caller guarantees this. NULL is already an error.
        let _ = unsafe { copy(&noise[..count], place) };
    }
    error
}
