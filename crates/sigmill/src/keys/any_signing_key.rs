//! Private keys whose curve is known only at run time.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;
use subtle::{Choice, ConstantTimeEq};
use zeroize::{ZeroizeOnDrop, Zeroizing};

use super::kinds::{OfKind, any_key, for_any};
use super::options::{Input, SignOptions};
use super::{AnyVerifyingKey, SigningKey, sign_prehash_many_with};
use crate::ct;
use crate::curve::{CurveName, NamedCurve, for_curve};
use crate::ecdsa::{Algorithm, Policy, RecoveryId, SignatureFormat};
use crate::error::Error;

any_key! {
/// A private key on any curve of this crate, with its public key.
///
/// It corresponds to [`SigningKey`] as [`AnyVerifyingKey`] does to
/// [`VerifyingKey`](super::VerifyingKey), and keeps its promises: the secret is wiped when the key
/// is dropped, keys are compared in constant time, `Debug` prints only the curve, and no running
/// time depends on the secret. Signatures are bytes in a [`SignatureFormat`]. `Auto` writes P1363,
/// which `Auto` always reads as such.
///
/// ```
/// use sigmill::{AnySigningKey, CurveName, Policy, SignatureFormat};
///
/// let key = AnySigningKey::generate(CurveName::P384)?;
/// let digest = key.algorithm().hash.digest(b"sample");
/// let signature = key.sign_prehash(&digest, SignatureFormat::Der)?;
/// let public = key.verifying_key();
/// public.verify_prehash(&digest, &signature, SignatureFormat::Der)?;
/// assert_eq!(AnySigningKey::from_encoded(key.to_pkcs8_pem().as_bytes())?, key);
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone)]
AnySigningKey(SigningKeyKind of SigningKey)
}

// Keys are wrapped inside `ct::wiping_stack`, so that no copy of the key of one curve remains.
impl AnySigningKey {
    /// Wraps a key, for callers that wipe the stack.
    pub(super) fn wrap<C: NamedCurve>(key: SigningKey<C>) -> Self
    where
        Self: OfKind<SigningKey<C>>,
    {
        // The original is wiped; a move would leave a copy.
        Self::from_kind(key.clone())
    }

    /// Reads a private key on the given curve: a big-endian integer of the full length of the
    /// order, from 1 to n - 1. Computes the public key.
    ///
    /// # Errors
    /// [`Error::SecretLength`], [`Error::SecretZero`], [`Error::SecretOutOfRange`].
    pub fn from_be_bytes(curve: CurveName, bytes: &[u8]) -> Result<Self, Error> {
        ct::wiping_stack(
            ct::Depth::of_length(curve.order_len()),
            || for_curve!(curve, domain => SigningKey::read(domain, bytes).map(Self::wrap)),
        )
    }

    /// Writes the private key big-endian in the full length of the order. The bytes are wiped when
    /// dropped.
    #[must_use]
    pub fn to_be_bytes(&self) -> Zeroizing<Vec<u8>> {
        for_any!(SigningKeyKind, self, key => key.to_be_bytes())
    }

    /// Generates a key with the operating system's generator.
    ///
    /// # Errors
    /// [`Error::RandomnessUnavailable`].
    #[cfg(feature = "std")]
    pub fn generate(curve: CurveName) -> Result<Self, Error> {
        Self::generate_from_rng(curve, &mut getrandom::SysRng)
            .map_err(|_| Error::RandomnessUnavailable)
    }

    /// Generates a key with a generator that the caller chooses.
    ///
    /// # Errors
    /// Those of the generator.
    pub fn generate_from_rng<R: TryCryptoRng + ?Sized>(
        curve: CurveName,
        rng: &mut R,
    ) -> Result<Self, R::Error> {
        ct::wiping_stack(ct::Depth::of_length(curve.order_len()), || {
            for_curve!(curve, domain => {
                SigningKey::generate_from_rng_on(domain, rng).map(Self::wrap)
            })
        })
    }

    /// Generates `count` keys with the operating system's generator; see
    /// [`SigningKey::generate_many`].
    ///
    /// # Errors
    /// [`Error::RandomnessUnavailable`].
    #[cfg(feature = "std")]
    pub fn generate_many(curve: CurveName, count: usize) -> Result<Vec<Self>, Error> {
        Self::generate_many_from_rng(curve, &mut getrandom::SysRng, count)
            .map_err(|_| Error::RandomnessUnavailable)
    }

    /// Generates `count` keys with a generator that the caller chooses; see
    /// [`SigningKey::generate_many_from_rng`].
    ///
    /// # Errors
    /// Those of the generator.
    pub fn generate_many_from_rng<R: TryCryptoRng + ?Sized>(
        curve: CurveName,
        rng: &mut R,
        count: usize,
    ) -> Result<Vec<Self>, R::Error> {
        ct::wiping_stack(ct::Depth::Many, || {
            for_curve!(curve, domain => {
                let keys = SigningKey::generate_many_from_rng_on(domain, rng, count)?;
                // The originals stay in place and are wiped; the new vector does not grow.
                Ok(keys.iter().map(|key| Self::wrap(key.clone())).collect())
            })
        })
    }

    /// The same key under another policy: with [`Policy::LOW_S`] every signature has s at most
    /// n/2, with [`Policy::FRIENDLY`] every signature is friendly.
    #[must_use]
    pub fn with_policy(self, policy: Policy) -> Self {
        ct::wiping_stack(
            ct::Depth::Shallow,
            || for_any!(SigningKeyKind, self, key => Self::wrap(key.clone().with_policy(policy))),
        )
    }

    /// The policy that the signatures of this key obey.
    pub fn policy(&self) -> Policy {
        for_any!(SigningKeyKind, self, key => key.policy())
    }

    /// The public key.
    #[must_use]
    pub fn verifying_key(&self) -> AnyVerifyingKey {
        for_any!(SigningKeyKind, self, key => AnyVerifyingKey::from(*key.verifying_key()))
    }

    /// The curve.
    pub fn curve(&self) -> CurveName {
        for_any!(SigningKeyKind, self, key => key.verifying_key().algorithm().curve)
    }

    /// The curve with its default hash.
    pub fn algorithm(&self) -> Algorithm {
        self.curve().default_algorithm()
    }

    /// Signs a message under the curve's own hash (that of [`algorithm`](Self::algorithm)).
    #[must_use]
    pub fn sign(&self, message: &[u8], format: SignatureFormat) -> Vec<u8> {
        for_any!(SigningKeyKind, self, key => key.sign(message).to_bytes(format))
    }

    /// Signs a digest of any length except 0. The nonce comes from HMAC with the curve's own hash.
    ///
    /// # Errors
    /// [`Error::DigestEmpty`].
    pub fn sign_prehash(&self, digest: &[u8], format: SignatureFormat) -> Result<Vec<u8>, Error> {
        Ok(self.sign_prehash_recoverable(digest, format)?.0)
    }

    /// [`sign_prehash`](Self::sign_prehash) that also returns the recovery id, which recovers the
    /// public key from the signature.
    ///
    /// # Errors
    /// [`Error::DigestEmpty`].
    pub fn sign_prehash_recoverable(
        &self,
        digest: &[u8],
        format: SignatureFormat,
    ) -> Result<(Vec<u8>, RecoveryId), Error> {
        self.sign_with(Input::Digest(digest), format, &SignOptions::new())
    }

    /// Signs a message or a digest with another hash, or with additional bytes for the nonce, and
    /// also returns the recovery id; see [`SigningKey::sign_with`].
    ///
    /// # Errors
    /// [`Error::DigestEmpty`], only for a digest.
    pub fn sign_with(
        &self,
        input: Input<'_>,
        format: SignatureFormat,
        options: &SignOptions<'_>,
    ) -> Result<(Vec<u8>, RecoveryId), Error> {
        for_any!(SigningKeyKind, self, key => {
            let (signature, id) = key.sign_with(input, options)?;
            Ok((signature.to_bytes(format), id))
        })
    }

    /// [`sign_prehash`](Self::sign_prehash) of every row, in order, with identical bytes. All rows
    /// on one curve go to one call of [`sign_prehash_many`](super::sign_prehash_many).
    ///
    /// ```
    /// use sigmill::{AnySigningKey, CurveName, SignatureFormat};
    ///
    /// let key = AnySigningKey::generate(CurveName::P256)?;
    /// let rows = [(&key, [1; 32].as_slice()), (&key, &[2; 32])];
    /// let signatures = AnySigningKey::sign_prehash_many(&rows, SignatureFormat::P1363);
    /// assert_eq!(signatures[1], key.sign_prehash(&[2; 32], SignatureFormat::P1363));
    /// # Ok::<(), sigmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// For each row, [`Error::DigestEmpty`].
    #[must_use]
    pub fn sign_prehash_many(
        rows: &[(&Self, &[u8])],
        format: SignatureFormat,
    ) -> Vec<Result<Vec<u8>, Error>> {
        let signed = Self::sign_prehash_many_with(rows, format, &SignOptions::new()).into_iter();
        signed.map(|signed| Ok(signed?.0)).collect()
    }

    /// [`sign_with`](Self::sign_with) of every row, in order, with the same options:
    /// [`sign_prehash_many`](Self::sign_prehash_many) that also returns recovery ids.
    ///
    /// # Errors
    /// For each row, [`Error::DigestEmpty`].
    #[must_use]
    pub fn sign_prehash_many_with(
        rows: &[(&Self, &[u8])],
        format: SignatureFormat,
        options: &SignOptions<'_>,
    ) -> Vec<Result<(Vec<u8>, RecoveryId), Error>> {
        // All are replaced: every key is on one of the curves.
        let mut signatures = vec![Err(Error::DigestEmpty); rows.len()];
        for &curve in CurveName::ALL {
            let signatures = &mut signatures;
            for_curve!(curve, domain => Self::sign_on(domain, rows, format, options, signatures));
        }
        signatures
    }

    /// Signs the rows on one curve.
    fn sign_on<C: NamedCurve>(
        domain: C,
        rows: &[(&Self, &[u8])],
        format: SignatureFormat,
        options: &SignOptions<'_>,
        signatures: &mut [Result<(Vec<u8>, RecoveryId), Error>],
    ) where
        Self: OfKind<SigningKey<C>>,
    {
        let (mut places, mut of_curve) = (Vec::new(), Vec::new());
        for (place, (key, digest)) in rows.iter().enumerate() {
            if let Some(signing_key) = key.on(domain) {
                places.push(place);
                of_curve.push((signing_key, *digest));
            }
        }
        let signed = sign_prehash_many_with(&of_curve, options);
        for (place, signed) in places.into_iter().zip(signed) {
            signatures[place] = signed.map(|(signature, id)| (signature.to_bytes(format), id));
        }
    }
}

impl fmt::Debug for AnySigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnySigningKey({})", self.curve())
    }
}

/// Keys on different curves differ.
impl ConstantTimeEq for AnySigningKey {
    fn ct_eq(&self, other: &Self) -> Choice {
        let same_curve = self.curve() == other.curve();
        for_any!(SigningKeyKind, self, key => {
            let other = other.of_kind().filter(|_| same_curve);
            other.map_or(Choice::from(0), |other| key.ct_eq(other))
        })
    }
}

/// Compares curves and secrets in constant time. The result is public.
impl PartialEq for AnySigningKey {
    fn eq(&self, other: &Self) -> bool {
        ct::declassify(&self.ct_eq(other).unwrap_u8()) == 1
    }
}

impl Eq for AnySigningKey {}

/// The secret wipes itself.
impl ZeroizeOnDrop for AnySigningKey {}
