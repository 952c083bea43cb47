//! A private key that signatures are made with.

use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;
use subtle::{Choice, ConstantTimeEq};
use zeroize::{ZeroizeOnDrop, Zeroizing};

use super::sign::Sign;
use super::{HashName, LowS, Policy, RecoveryId, SecretScalar, Signature, VerifyingKey, nonce};
use crate::ct;
use crate::curve::{Curve, NamedCurve};
use crate::error::Error;
use crate::scalar;

/// A private key on curve `C`, with its public key.
///
/// Signatures are deterministic (RFC 6979), so no bad generator can give the key away. The secret
/// is wiped when the key is dropped, keys are compared in constant time, and `Debug` prints the
/// curve only. The time of signing does not depend on the key, nor on the nonce.
///
/// ```
/// use sigmill::p256::SigningKey;
///
/// let key = SigningKey::generate()?;
/// let signature = key.sign(b"sample");
/// key.verifying_key().verify(b"sample", &signature)?;
/// let der = signature.to_der();
/// # assert!(der.len() <= 72);
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone)]
pub struct SigningKey<C: Curve> {
    secret: SecretScalar<C>,
    public: VerifyingKey<C>,
}

impl<C: Curve> SigningKey<C> {
    /// Reads a private key: a big-endian integer of the full length of the order, from 1 to n - 1.
    /// Computes the public key.
    ///
    /// # Errors
    /// [`Error::SecretLength`], [`Error::SecretZero`], [`Error::SecretOutOfRange`].
    pub fn from_be_bytes(bytes: &[u8]) -> Result<Self, Error> {
        ct::wiping_stack::<{ ct::DEEP }, _>(|| Self::read(bytes))
    }

    /// [`from_be_bytes`](Self::from_be_bytes) for callers that wipe the stack.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Error> {
        SecretScalar::from_be_bytes(bytes).map(Self::with_public)
    }

    /// Writes the private key big-endian in the full length of the order: 32 bytes for P-256. The
    /// bytes are wiped when they are dropped.
    #[must_use]
    pub fn to_be_bytes(&self) -> Zeroizing<Vec<u8>> {
        self.secret.to_be_bytes()
    }

    /// A new key from the operating system's generator.
    ///
    /// # Errors
    /// [`Error::RandomnessUnavailable`].
    #[cfg(feature = "std")]
    pub fn generate() -> Result<Self, Error> {
        ct::wiping_stack::<{ ct::DEEP }, _>(|| SecretScalar::random().map(Self::with_public))
    }

    /// A new key from a generator of the caller's choice.
    ///
    /// # Errors
    /// Those of the generator.
    pub fn generate_from<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        ct::wiping_stack::<{ ct::DEEP }, _>(|| SecretScalar::draw(rng).map(Self::with_public))
    }

    /// Computes the public key; for callers that wipe the stack.
    fn with_public(secret: SecretScalar<C>) -> Self {
        let public = secret.multiply_generator();
        Self::from_parts(secret, public)
    }

    /// A key of both halves, which belong together.
    pub(super) fn from_parts(secret: SecretScalar<C>, public: VerifyingKey<C>) -> Self {
        Self { secret, public }
    }

    /// The same key under another policy: with [`Policy::LOW_S`] every signature has s at most n/2.
    #[must_use]
    pub fn with_policy(self, policy: Policy) -> Self {
        // The one that was given is wiped; a move would leave a copy.
        Self::from_parts(self.secret.clone(), self.public.with_policy(policy))
    }

    /// The policy that this key's signatures obey.
    pub fn policy(&self) -> Policy {
        self.public.policy()
    }

    /// The public key, under the same policy.
    pub fn verifying_key(&self) -> &VerifyingKey<C> {
        &self.public
    }

    /// The private key as a number.
    pub fn secret_scalar(&self) -> &SecretScalar<C> {
        &self.secret
    }

    /// Signs a digest of any length but 0; its leftmost bits count, as many as the order has. The
    /// nonce comes from HMAC under `hash`, which should be the hash that made the digest.
    ///
    /// # Errors
    /// [`Error::DigestEmpty`].
    pub fn sign_prehash_with_hash(
        &self,
        hash: HashName,
        digest: &[u8],
    ) -> Result<Signature<C>, Error> {
        self.sign_prehash_with_entropy(hash, digest, &[])
    }

    /// [`sign_prehash_with_hash`](Self::sign_prehash_with_hash) with additional bytes that the
    /// nonce depends on (RFC 6979 §3.6): random ones hinder attacks by faults, a counter makes
    /// signatures of one message differ. The signature is safe whatever they are.
    ///
    /// # Errors
    /// [`Error::DigestEmpty`].
    pub fn sign_prehash_with_entropy(
        &self,
        hash: HashName,
        digest: &[u8],
        entropy: &[u8],
    ) -> Result<Signature<C>, Error> {
        Ok(self.sign_recoverable(hash, digest, entropy)?.0)
    }

    /// [`sign_prehash_with_hash`](Self::sign_prehash_with_hash), with what it takes to recover the
    /// public key from the signature.
    ///
    /// # Errors
    /// [`Error::DigestEmpty`].
    pub fn sign_prehash_recoverable_with_hash(
        &self,
        hash: HashName,
        digest: &[u8],
    ) -> Result<(Signature<C>, RecoveryId), Error> {
        self.sign_recoverable(hash, digest, &[])
    }

    fn sign_recoverable(
        &self,
        hash: HashName,
        digest: &[u8],
        entropy: &[u8],
    ) -> Result<(Signature<C>, RecoveryId), Error> {
        if digest.is_empty() {
            return Err(Error::DigestEmpty);
        }
        let (signature, id) = ct::wiping_stack::<{ ct::DEEP }, _>(|| {
            let e = scalar::from_digest(C::scalar_field(), digest);
            let sign = |nonce: SecretScalar<C>| {
                C::dispatch_lanes(Sign {
                    secret: &self.secret,
                    nonce: &nonce,
                    e: &e,
                })
            };
            nonce::try_nonces(hash, &self.secret, &e, entropy, sign)
        });
        Ok(match self.policy().low_s {
            LowS::Optional => (signature, id),
            // n - s goes with -R.
            LowS::Required => (signature.normalize_s(), id.negate_if(signature.is_high_s())),
        })
    }
}

impl<C: NamedCurve> SigningKey<C> {
    /// Signs a message under the curve's own hash (SHA-384 for P-384, else SHA-256).
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Signature<C> {
        self.sign_with_hash(self.hash(), message)
    }

    /// Signs a message under a hash of the caller's choice.
    #[must_use]
    pub fn sign_with_hash(&self, hash: HashName, message: &[u8]) -> Signature<C> {
        match self.sign_prehash_with_hash(hash, &hash.digest(message)) {
            Ok(signature) => signature,
            Err(_) => unreachable!("a hash gives at least one byte"),
        }
    }

    /// Signs a digest that the curve's own hash made (or any other: the nonce comes from HMAC under
    /// the curve's own).
    ///
    /// # Errors
    /// [`Error::DigestEmpty`].
    pub fn sign_prehash(&self, digest: &[u8]) -> Result<Signature<C>, Error> {
        self.sign_prehash_with_hash(self.hash(), digest)
    }

    /// [`sign_prehash`](Self::sign_prehash), with what it takes to recover the public key from the
    /// signature (see [`VerifyingKey::recover_from_prehash`]).
    ///
    /// # Errors
    /// [`Error::DigestEmpty`].
    pub fn sign_prehash_recoverable(
        &self,
        digest: &[u8],
    ) -> Result<(Signature<C>, RecoveryId), Error> {
        self.sign_prehash_recoverable_with_hash(self.hash(), digest)
    }

    pub(super) fn hash(&self) -> HashName {
        C::NAME.default_algorithm().hash
    }
}

impl<C: Curve> From<SecretScalar<C>> for SigningKey<C> {
    /// Computes the public key.
    fn from(secret: SecretScalar<C>) -> Self {
        let public = secret.public_key();
        // The one that was given is wiped; a move would leave a copy.
        Self::from_parts(secret.clone(), public)
    }
}

impl<C: Curve> fmt::Debug for SigningKey<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", C::LABEL)
    }
}

impl<C: Curve> ConstantTimeEq for SigningKey<C> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.secret.ct_eq(&other.secret)
    }
}

/// Whether the secrets are equal, in constant time; the answer is public.
impl<C: Curve> PartialEq for SigningKey<C> {
    fn eq(&self, other: &Self) -> bool {
        self.secret == other.secret
    }
}

impl<C: Curve> Eq for SigningKey<C> {}

/// The secret wipes itself.
impl<C: Curve> ZeroizeOnDrop for SigningKey<C> {}
