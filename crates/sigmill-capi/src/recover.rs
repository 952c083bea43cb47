//! Recovery of the public key that a signature belongs to.

use sigmill::{AnyVerifyingKey, RecoveryId};

use crate::border::{bytes, give};
use crate::choice;
use crate::error::sigmill_error;
use crate::verifying_key::sigmill_verifying_key;

/// Recovers the public key from a signature of a digest. `curve` is a `sigmill_curve`, `format` a
/// `sigmill_format`, `policy` a sum of `sigmill_policy`. `v` is the recovery id, 0 to 3; 27 and 28
/// stand for 0 and 1. `*key` receives a handle, which the caller frees, or NULL after an error.
///
/// Almost every signature yields some key. The caller checks that it is the right one.
///
/// Errors: `SIGMILL_ERROR_RECOVERY_...`, `_RECOVERED_INFINITY`, `_DIGEST_EMPTY`, and those of
/// `sigmill_verify_with` except `_SIGNATURE_MISMATCH`. Thread-safe.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigmill_recover(
    curve: u32,
    digest: *const u8,
    digest_len: usize,
    signature: *const u8,
    signature_len: usize,
    format: u32,
    v: u8,
    policy: u32,
    key: *mut *mut sigmill_verifying_key,
) -> sigmill_error {
    let recover = || {
        let curve = choice::curve(curve)?;
        // SAFETY: the caller vouches for the bytes (see `border`).
        let digest = unsafe { bytes(digest, digest_len) }?;
        // SAFETY: the caller vouches for the bytes (see `border`).
        let signature = unsafe { bytes(signature, signature_len) }?;
        let (format, policy) = (choice::format(format)?, choice::policy(policy)?);
        let id = RecoveryId::from_v(v)?;
        let key = AnyVerifyingKey::recover_from_prehash_with_policy(
            curve, digest, signature, format, id, policy,
        )?;
        Ok(sigmill_verifying_key(key))
    };
    // SAFETY: the caller vouches for the place of the handle (see `border`).
    unsafe { give(key, recover) }
}
