//! From a signature to the public key that it belongs to.

use sigmill::{AnyVerifyingKey, RecoveryId};

use crate::border::{bytes, give};
use crate::choice;
use crate::error::sigmill_error;
use crate::verifying_key::sigmill_verifying_key;

/// Recovers the public key of a signature of a digest. `curve` is a `sigmill_curve`, `format` a
/// `sigmill_format`, `policy` a sum of `sigmill_policy`. `v` is the recovery id, 0 to 3, or 27 or
/// 28
/// for 0 or 1. `*key` gets a handle to free, or NULL if there is an error.
///
/// Some key comes out of almost every signature: whether it is the right one is for the caller to
/// say.
///
/// Errors: `SIGMILL_ERROR_RECOVERY_...`, `_RECOVERED_INFINITY`, `_DIGEST_EMPTY`, and those of a
/// signature as of `sigmill_verify_message`. Thread-safe.
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
        // SAFETY: the caller's bytes (`border`).
        let digest = unsafe { bytes(digest, digest_len) }?;
        // SAFETY: the caller's bytes (`border`).
        let signature = unsafe { bytes(signature, signature_len) }?;
        let (format, policy) = (choice::format(format)?, choice::policy(policy)?);
        let id = RecoveryId::from_v(v)?;
        let key = AnyVerifyingKey::recover_from_prehash_with_policy(
            curve, digest, signature, format, id, policy,
        )?;
        Ok(sigmill_verifying_key(key))
    };
    // SAFETY: the caller's place for a handle (`border`).
    unsafe { give(key, recover) }
}
