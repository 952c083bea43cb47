//! A private key that signs.

use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;
use subtle::{Choice, ConstantTimeEq};
use zeroize::{ZeroizeOnDrop, Zeroizing};

use super::options::{Input, SignOptions, hash_on};
use super::{SecretScalar, VerifyingKey};
use crate::ct;
use crate::curve::{Curve as _, Domain, ScalarElement};
use crate::ecdsa::{Policy, RecoveryId, Sign, Signature, try_nonces};
use crate::error::Error;
use crate::hash::HashName;
use crate::scalar;

/// A private key on curve `C`, with its public key.
///
/// Signatures are deterministic (RFC 6979), so a bad random generator cannot reveal the key. The
/// secret is wiped when the key is dropped, keys are compared in constant time, and `Debug` prints
/// only the curve. The time of signing depends neither on the key nor on the nonce. A signature
/// costs a multiple of the generator (36 point additions on P-256, 11 with eight lanes), two
/// inversions and the HMACs of the nonce.
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
pub struct SigningKey<C: Domain> {
    secret: SecretScalar<C>,
    public: VerifyingKey<C>,
    policy: Policy,
}

/// Constructors for curve types that name one curve.
impl<C: Domain + Default> SigningKey<C> {
    /// Reads a private key: a big-endian integer of the full length of the order, from 1 to n - 1.
    /// Computes the public key.
    ///
    /// # Errors
    /// [`Error::SecretLength`], [`Error::SecretZero`], [`Error::SecretOutOfRange`].
    pub fn from_be_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_be_bytes_on(C::default(), bytes)
    }

    /// Generates a key with the operating system's generator.
    ///
    /// # Errors
    /// [`Error::RandomnessUnavailable`].
    #[cfg(feature = "std")]
    pub fn generate() -> Result<Self, Error> {
        Self::generate_from_rng(&mut getrandom::SysRng).map_err(|_| Error::RandomnessUnavailable)
    }

    /// Generates a key with a generator that the caller chooses.
    ///
    /// # Errors
    /// Those of the generator.
    pub fn generate_from_rng<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        Self::generate_from_rng_on(C::default(), rng)
    }
}

impl<C: Domain> SigningKey<C> {
    /// [`from_be_bytes`](Self::from_be_bytes) on a curve known at run time.
    #[doc(hidden)]
    pub fn from_be_bytes_on(domain: C, bytes: &[u8]) -> Result<Self, Error> {
        ct::wiping_stack(ct::Depth::of_length(size_of::<ScalarElement<C>>()), || {
            Self::read(domain, bytes)
        })
    }

    /// [`from_be_bytes_on`](Self::from_be_bytes_on) for callers that wipe the stack.
    pub(super) fn read(domain: C, bytes: &[u8]) -> Result<Self, Error> {
        SecretScalar::from_be_bytes_on(domain, bytes).map(Self::with_public)
    }

    /// [`generate_from_rng`](Self::generate_from_rng) on a curve known at run time.
    #[doc(hidden)]
    pub fn generate_from_rng_on<R: TryCryptoRng + ?Sized>(
        domain: C,
        rng: &mut R,
    ) -> Result<Self, R::Error> {
        ct::wiping_stack(ct::Depth::of_length(size_of::<ScalarElement<C>>()), || {
            SecretScalar::draw(domain, rng).map(Self::with_public)
        })
    }

    /// A copy of the key with another type for its domain parameters.
    pub(crate) fn named<D: Domain<Curve = C::Curve>>(&self, domain: D) -> SigningKey<D> {
        SigningKey {
            secret: self.secret.named(domain),
            public: self.public.named(domain),
            policy: self.policy,
        }
    }

    /// The domain parameters.
    pub(crate) fn domain(&self) -> C {
        self.secret.domain()
    }

    /// Writes the private key big-endian in the full length of the order: 32 bytes for P-256. The
    /// bytes are wiped when dropped.
    #[must_use]
    pub fn to_be_bytes(&self) -> Zeroizing<Vec<u8>> {
        self.secret.to_be_bytes()
    }

    /// Computes the public key, for callers that wipe the stack.
    fn with_public(secret: SecretScalar<C>) -> Self {
        let public = secret.multiply_generator();
        Self::from_parts(secret, public)
    }

    /// Creates a key from its two halves, which must belong together.
    pub(super) fn from_parts(secret: SecretScalar<C>, public: VerifyingKey<C>) -> Self {
        Self {
            secret,
            public,
            policy: Policy::default(),
        }
    }

    /// The same key under another policy: with [`Policy::LOW_S`] every signature has s at most n/2,
    /// with [`Policy::FRIENDLY`] every signature is friendly.
    #[must_use]
    pub fn with_policy(self, policy: Policy) -> Self {
        // The original is wiped; a move would leave a copy.
        Self {
            secret: self.secret.clone(),
            public: self.public,
            policy,
        }
    }

    /// The policy that the signatures of this key obey.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// The public key.
    pub fn verifying_key(&self) -> &VerifyingKey<C> {
        &self.public
    }

    /// The private key as an integer.
    pub fn secret_scalar(&self) -> &SecretScalar<C> {
        &self.secret
    }

    /// Signs a message under the curve's own hash (SHA-384 for P-384, SHA-512 for P-521, SHA-256
    /// for the others).
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Signature<C> {
        match self.sign_with(Input::Message(message), &SignOptions::new()) {
            Ok((signature, _)) => signature,
            Err(_) => unreachable!("a hash gives at least one byte"),
        }
    }

    /// Signs a digest, computed with the curve's own hash or any other. The digest may have any
    /// length except 0; its leftmost bits are used, up to the bit length of the order. The nonce
    /// comes from HMAC with the curve's own hash.
    ///
    /// # Errors
    /// [`Error::DigestEmpty`].
    pub fn sign_prehash(&self, digest: &[u8]) -> Result<Signature<C>, Error> {
        Ok(self.sign_prehash_recoverable(digest)?.0)
    }

    /// [`sign_prehash`](Self::sign_prehash) that also returns the recovery id, which recovers the
    /// public key from the signature (see [`VerifyingKey::recover_from_prehash`]).
    ///
    /// # Errors
    /// [`Error::DigestEmpty`].
    pub fn sign_prehash_recoverable(
        &self,
        digest: &[u8],
    ) -> Result<(Signature<C>, RecoveryId), Error> {
        self.sign_with(Input::Digest(digest), &SignOptions::new())
    }

    /// Signs a message or a digest with another hash, or with additional bytes for the nonce, and
    /// also returns the recovery id.
    ///
    /// # Errors
    /// [`Error::DigestEmpty`], only for a digest.
    pub fn sign_with(
        &self,
        input: Input<'_>,
        options: &SignOptions<'_>,
    ) -> Result<(Signature<C>, RecoveryId), Error> {
        let hash = hash_on(self.domain(), options.hash);
        input.with_digest(hash, |digest| {
            self.sign_recoverable(hash, digest, options.entropy)
        })
    }

    pub(super) fn sign_recoverable(
        &self,
        hash: HashName,
        digest: &[u8],
        entropy: &[u8],
    ) -> Result<(Signature<C>, RecoveryId), Error> {
        if digest.is_empty() {
            return Err(Error::DigestEmpty);
        }
        let (scalars, id) =
            ct::wiping_stack(ct::Depth::of_length(size_of::<ScalarElement<C>>()), || {
                let curve = self.domain().curve();
                let secret = self.secret.element();
                let e = scalar::from_digest(curve.scalar_field(), digest);
                let policy = self.policy;
                let sign = |nonce: Zeroizing<ScalarElement<C>>| {
                    let signed = curve.dispatch_secret_lanes(Sign {
                        secret,
                        nonce: &*nonce,
                        e: &e,
                    });
                    signed.filter(|(_, id)| policy.can_take(*id))
                };
                try_nonces(curve, hash, secret, &e, entropy, sign)
            });
        let signature = Signature::new(self.domain(), scalars);
        Ok(self.policy.take_form(signature, id))
    }
}

impl<C: Domain> From<SecretScalar<C>> for SigningKey<C> {
    /// Computes the public key.
    fn from(secret: SecretScalar<C>) -> Self {
        let public = secret.public_key();
        // The original is wiped; a move would leave a copy.
        Self::from_parts(secret.clone(), public)
    }
}

impl<C: Domain> fmt::Debug for SigningKey<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.domain().curve().label())
    }
}

impl<C: Domain> ConstantTimeEq for SigningKey<C> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.secret.ct_eq(&other.secret)
    }
}

/// Compares the secrets in constant time. The result is public.
impl<C: Domain> PartialEq for SigningKey<C> {
    fn eq(&self, other: &Self) -> bool {
        self.secret == other.secret
    }
}

impl<C: Domain> Eq for SigningKey<C> {}

/// The secret wipes itself.
impl<C: Domain> ZeroizeOnDrop for SigningKey<C> {}

#[cfg(test)]
mod tests;
