//! The options of verifying and signing, and the arguments that these functions share.

use sigmill::{CurveName, Hint, Input, RecoveryId, SignOptions, SignatureFormat, VerifyOptions};

use crate::border::{Outcome, bytes, guard, reference};
use crate::choice::{self, sigmill_input};
use crate::error::{SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE, sigmill_error};

/// The options of a verification. A structure of zeros has the default options, as NULL in its
/// place has.
#[allow(non_camel_case_types, reason = "the name of C")]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct sigmill_verify_options {
    /// The hash of a message, a `sigmill_hash`. It does not affect a digest.
    pub hash: u32,
    /// The rules for s, a sum of `sigmill_policy`.
    pub policy: u32,
    /// A hint: the recovery id of the signature, 0 to 3, or NULL. The right one saves time if the
    /// key has no table. A wrong one does not change the result.
    pub hint: *const u8,
    /// Zeros. A later version may give them a meaning.
    pub reserved: [usize; 4],
}

/// The options of a signature. A structure of zeros has the default options, as NULL in its place
/// has. The policy belongs to the key (`sigmill_signing_key_with_policy`).
#[allow(non_camel_case_types, reason = "the name of C")]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct sigmill_sign_options {
    /// The hash of a message, and of the HMAC that the nonce comes from, a `sigmill_hash`. For a
    /// digest, it should be the hash that produced it.
    pub hash: u32,
    /// Additional bytes for the nonce (RFC 6979, section 3.6), or NULL. Random bytes hinder fault
    /// attacks. The signature is safe for any value of these bytes.
    pub entropy: *const u8,
    /// The number of these bytes.
    pub entropy_len: usize,
    /// Zeros. A later version may give them a meaning.
    pub reserved: [usize; 4],
}

/// Refuses words that this version gives no meaning. An older library must not ignore what a
/// newer caller asks for.
pub(crate) fn check_reserved(words: [usize; 4]) -> Outcome<()> {
    match words {
        [0, 0, 0, 0] => Ok(()),
        _ => Err(SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE),
    }
}

/// Returns the caller's message or digest.
///
/// # Safety
/// That of [`bytes`].
pub(crate) unsafe fn input<'a>(kind: u32, data: *const u8, len: usize) -> Outcome<Input<'a>> {
    const MESSAGE: u32 = sigmill_input::SIGMILL_INPUT_MESSAGE as u32;
    const DIGEST: u32 = sigmill_input::SIGMILL_INPUT_DIGEST as u32;
    // SAFETY: the caller guarantees this.
    let data = unsafe { bytes(data, len) }?;
    match kind {
        MESSAGE => Ok(Input::Message(data)),
        DIGEST => Ok(Input::Digest(data)),
        _ => Err(SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE),
    }
}

/// A handle whose key verifies.
pub(crate) trait Verifier {
    /// The curve of the key.
    fn curve(&self) -> CurveName;

    /// Verifies a signature.
    fn verify(
        &self,
        input: Input<'_>,
        signature: &[u8],
        format: SignatureFormat,
        options: &VerifyOptions<'_>,
    ) -> Result<(), sigmill::Error>;
}

/// Verifies a signature for every function that does. `input` is its kind, its bytes and their
/// number; `signature` is bytes and their number.
///
/// # Safety
/// The handle is NULL, or came from this library and is alive; the rest is that of [`bytes`] and
/// [`of_verification`].
pub(crate) unsafe fn verify<K: Verifier>(
    key: *const K,
    input: (u32, *const u8, usize),
    signature: (*const u8, usize),
    format: u32,
    options: *const sigmill_verify_options,
) -> sigmill_error {
    guard(|| {
        // SAFETY: the caller guarantees this.
        let key = unsafe { reference(key) }?;
        // SAFETY: the caller guarantees this.
        let input = unsafe { self::input(input.0, input.1, input.2) }?;
        // SAFETY: the caller guarantees this.
        let signature = unsafe { bytes(signature.0, signature.1) }?;
        // SAFETY: the caller guarantees this.
        let (format, options) = unsafe { of_verification(key.curve(), format, options) }?;
        Ok(key.verify(input, signature, format, &options)?)
    })
}

/// Returns the format and the options of a verification on a curve.
///
/// # Safety
/// The pointer is NULL, or it points to options whose hint is NULL or points to a byte. All exist
/// during `'a`, and nothing changes them.
unsafe fn of_verification<'a>(
    curve: CurveName,
    format: u32,
    options: *const sigmill_verify_options,
) -> Outcome<(SignatureFormat, VerifyOptions<'a>)> {
    let format = choice::format(format)?;
    let mut read = VerifyOptions::new();
    // SAFETY: the caller guarantees this.
    if let Some(given) = unsafe { options.as_ref() } {
        check_reserved(given.reserved)?;
        let hash = choice::hash(given.hash, curve)?;
        read = read.hash(hash).policy(choice::policy(given.policy)?);
        // SAFETY: the caller guarantees this.
        if let Some(&id) = unsafe { given.hint.as_ref() } {
            read = read.hint(Hint::Id(RecoveryId::from_byte(id)?));
        }
    }
    Ok((format, read))
}

/// Returns the format and the options of a signature on a curve.
///
/// # Safety
/// The pointer is NULL, or it points to options whose bytes can be read. All exist during `'a`, and
/// nothing changes them.
pub(crate) unsafe fn of_signature<'a>(
    curve: CurveName,
    format: u32,
    options: *const sigmill_sign_options,
) -> Outcome<(SignatureFormat, SignOptions<'a>)> {
    let format = choice::format(format)?;
    let mut read = SignOptions::new();
    // SAFETY: the caller guarantees this.
    if let Some(given) = unsafe { options.as_ref() } {
        check_reserved(given.reserved)?;
        // SAFETY: the caller guarantees this.
        let entropy = unsafe { bytes(given.entropy, given.entropy_len) }?;
        read = read.hash(choice::hash(given.hash, curve)?).entropy(entropy);
    }
    Ok((format, read))
}
