//! Messages and digests as input, and the options of signing and verifying.

use crate::curve::{Curve as _, Domain};
use crate::ecdsa::{Hint, Policy};
use crate::field::PrimeField as _;
use crate::hash::HashName;

/// The message that is signed or verified, or its digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input<'a> {
    /// A message, which is hashed.
    Message(&'a [u8]),
    /// A digest of any length except 0. Its leftmost bits are used, up to the bit length of the
    /// order.
    Digest(&'a [u8]),
}

impl Input<'_> {
    /// Calls `judge` with the digest.
    pub(super) fn with_digest<T>(self, hash: HashName, judge: impl FnOnce(&[u8]) -> T) -> T {
        match self {
            Self::Message(message) => judge(&hash.digest(message)),
            Self::Digest(digest) => judge(digest),
        }
    }
}

/// The options of a verification. By default, messages are hashed with the curve's own hash, every
/// s from 1 to n - 1 is accepted, and nothing is known of R.
///
/// ```
/// use sigmill::p256::SigningKey;
/// use sigmill::{HashName, Hint, Input, Policy, SignOptions, VerifyOptions};
///
/// let key = SigningKey::generate()?.with_policy(Policy::LOW_S);
/// let message = Input::Message(b"sample");
/// let (signature, id) = key.sign_with(message, &SignOptions::new().hash(HashName::Sha384))?;
///
/// let options = VerifyOptions::new().hash(HashName::Sha384).policy(Policy::LOW_S);
/// let key = key.verifying_key();
/// key.verify_with(message, &signature, &options)?;
/// key.verify_with(message, &signature, &options.hint(Hint::Id(id)))?;
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct VerifyOptions<'a> {
    pub(super) hash: Option<HashName>,
    pub(super) policy: Policy,
    pub(super) hint: Option<Hint<'a>>,
}

impl<'a> VerifyOptions<'a> {
    /// The default options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the hash of a message, such as SHA-256 with P-384 in some certificates. No effect on a
    /// digest.
    #[must_use]
    pub fn hash(mut self, hash: HashName) -> Self {
        self.hash = Some(hash);
        self
    }

    /// Sets the rules for s.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets the point R that the signature is expected to mean. A correct hint saves time if the
    /// key has no table, except on secp256k1. A wrong hint, or any hint for an invalid signature,
    /// costs time. The result does not depend on the hint.
    #[must_use]
    pub fn hint(mut self, hint: Hint<'a>) -> Self {
        self.hint = Some(hint);
        self
    }
}

/// The options of a signature. By default, the hash is the curve's own, and the nonce is that of
/// RFC 6979 without additional bytes. The [policy](super::SigningKey::with_policy) belongs to the
/// key.
#[cfg(feature = "signing")]
#[derive(Clone, Copy, Debug, Default)]
pub struct SignOptions<'a> {
    pub(super) hash: Option<HashName>,
    pub(super) entropy: &'a [u8],
}

#[cfg(feature = "signing")]
impl<'a> SignOptions<'a> {
    /// The default options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the hash of a message, and of the HMAC that the nonce comes from. For a digest, it
    /// should be the hash that produced it.
    #[must_use]
    pub fn hash(mut self, hash: HashName) -> Self {
        self.hash = Some(hash);
        self
    }

    /// Sets additional bytes for the nonce (RFC 6979 §3.6). Random bytes hinder fault attacks; a
    /// counter makes signatures of one message differ. The signature is safe for any value of these
    /// bytes.
    #[must_use]
    pub fn entropy(mut self, entropy: &'a [u8]) -> Self {
        self.entropy = entropy;
        self
    }
}

/// The hash of an option: that given, or the curve's own.
pub(super) fn hash_on<C: Domain>(domain: C, given: Option<HashName>) -> HashName {
    given.unwrap_or_else(|| HashName::of_order(domain.curve().scalar_field().bytes()))
}
