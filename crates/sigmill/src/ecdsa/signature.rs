//! A signature: r and s, both from 1 to n - 1.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};

use super::{RecoveryId, SignatureFormat};
use crate::curve::{Curve as _, Domain, Integer};
use crate::encoding::{signature_der, signature_p1363};
use crate::error::Error;
use crate::field::{Limbs, PrimeField as _};
use crate::limbs::{self, Hexadecimal};

/// An ECDSA signature on curve `C`, with r and s in range. 64 bytes on P-256.
///
/// ```
/// use sigmill::p256::Signature;
///
/// let signature = Signature::from_p1363(&[1; 64])?;
/// assert_eq!(Signature::from_der(&signature.to_der())?, signature);
/// assert_eq!(Signature::from_p1363(&[0; 64]), Err(sigmill::Error::RZero));
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signature<C: Domain> {
    domain: C,
    scalars: SignatureScalars<Integer<C>>,
}

/// The two integers of a signature, both from 1 to n - 1, little-endian in limbs. The arithmetic
/// uses only these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SignatureScalars<I> {
    r: I,
    s: I,
}

impl<I: Limbs> SignatureScalars<I> {
    /// Creates the pair. Both integers must be from 1 to n - 1.
    pub(crate) fn new(r: I, s: I) -> Self {
        debug_assert!(r != I::ZERO && s != I::ZERO);
        Self { r, s }
    }

    /// r, from 1 to n - 1, little-endian in limbs.
    #[inline(always)]
    pub fn r(&self) -> &I {
        &self.r
    }

    /// s, from 1 to n - 1, little-endian in limbs.
    #[inline(always)]
    pub fn s(&self) -> &I {
        &self.s
    }
}

/// Constructors for curve types that name one curve.
impl<C: Domain + Default> Signature<C> {
    /// Reads a strict DER signature: a SEQUENCE of two INTEGERs with minimal lengths, minimal
    /// positive integers and no trailing bytes.
    ///
    /// # Errors
    /// One of the `Der...` variants of [`Error`], or the range errors of
    /// [`from_scalars`](Self::from_scalars).
    pub fn from_der(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(bytes, SignatureFormat::Der)
    }

    /// Reads r followed by s, each big-endian in full length (IEEE P1363, JWS).
    ///
    /// # Errors
    /// [`Error::SignatureLength`], or the range errors of [`from_scalars`](Self::from_scalars).
    pub fn from_p1363(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(bytes, SignatureFormat::P1363)
    }

    /// Reads a signature in the given format.
    ///
    /// # Errors
    /// Those of [`from_der`](Self::from_der) or [`from_p1363`](Self::from_p1363).
    pub fn from_bytes(bytes: &[u8], format: SignatureFormat) -> Result<Self, Error> {
        Self::from_bytes_on(C::default(), bytes, format)
    }

    /// Reads r, s and v, one after the other, with r and s big-endian in full length: 65 bytes, 97
    /// for P-384, 133 for P-521. This is the format of Ethereum and, if v is the recovery id, of
    /// libsecp256k1.
    ///
    /// # Errors
    /// [`Error::RecoverableSignatureLength`], that of [`RecoveryId::from_v`], or the range errors
    /// of [`from_scalars`](Self::from_scalars).
    pub fn from_rsv(bytes: &[u8]) -> Result<(Self, RecoveryId), Error> {
        Self::from_rsv_on(C::default(), bytes)
    }

    /// Creates a signature from r and s, big-endian integers of any length.
    ///
    /// # Errors
    /// [`Error::RZero`], [`Error::ROutOfRange`], [`Error::SZero`], [`Error::SOutOfRange`].
    pub fn from_scalars(r: &[u8], s: &[u8]) -> Result<Self, Error> {
        Self::from_scalars_on(C::default(), r, s)
    }
}

impl<C: Domain> Signature<C> {
    /// [`from_bytes`](Self::from_bytes) on a curve known at run time.
    #[doc(hidden)]
    #[inline]
    pub fn from_bytes_on(domain: C, bytes: &[u8], format: SignatureFormat) -> Result<Self, Error> {
        let length = domain.curve().scalar_field().bytes();
        let is_p1363 = match format {
            SignatureFormat::P1363 => true,
            SignatureFormat::Auto => bytes.len() == 2 * length,
            SignatureFormat::Der => false,
        };
        let (r, s) = if is_p1363 {
            signature_p1363::split(bytes, length)?
        } else {
            signature_der::split(bytes, length)?
        };
        Self::from_scalars_on(domain, r, s)
    }

    /// [`from_rsv`](Self::from_rsv) on a curve known at run time.
    pub(crate) fn from_rsv_on(domain: C, bytes: &[u8]) -> Result<(Self, RecoveryId), Error> {
        let expected = 2 * domain.curve().scalar_field().bytes() + 1;
        let Some((&v, scalars)) = bytes.split_last().filter(|_| bytes.len() == expected) else {
            return Err(Error::RecoverableSignatureLength {
                expected,
                actual: bytes.len(),
            });
        };
        let id = RecoveryId::from_v(v)?;
        Ok((
            Self::from_bytes_on(domain, scalars, SignatureFormat::P1363)?,
            id,
        ))
    }

    /// [`from_scalars`](Self::from_scalars) on a curve known at run time.
    #[doc(hidden)]
    #[inline]
    pub fn from_scalars_on(domain: C, r: &[u8], s: &[u8]) -> Result<Self, Error> {
        let order = domain.curve().scalar_field();
        let is_zero = |integer: &Integer<C>| limbs::are_zero(integer.as_ref());
        let r = order.integer_from_be_bytes(r).ok_or(Error::ROutOfRange)?;
        if is_zero(&r) {
            return Err(Error::RZero);
        }
        let s = order.integer_from_be_bytes(s).ok_or(Error::SOutOfRange)?;
        if is_zero(&s) {
            return Err(Error::SZero);
        }
        Ok(Self::new(domain, SignatureScalars::new(r, s)))
    }

    /// Creates a signature from these integers.
    pub(crate) fn new(domain: C, scalars: SignatureScalars<Integer<C>>) -> Self {
        Self { domain, scalars }
    }

    /// The domain parameters.
    pub(crate) fn domain(&self) -> C {
        self.domain
    }

    /// Writes r, s and v ([`RecoveryId::to_v`]), one after the other, with r and s big-endian in
    /// full length. [`from_rsv`](Self::from_rsv) reads it.
    pub fn to_rsv(&self, id: RecoveryId) -> Vec<u8> {
        let mut bytes = self.to_p1363();
        bytes.push(id.to_v());
        bytes
    }

    /// Writes a signature in the given format. `Auto` writes P1363, which `Auto` always reads as
    /// such.
    pub(crate) fn to_bytes(self, format: SignatureFormat) -> Vec<u8> {
        match format {
            SignatureFormat::Der => self.to_der(),
            SignatureFormat::P1363 | SignatureFormat::Auto => self.to_p1363(),
        }
    }

    /// Writes strict DER: at most 104 bytes for P-384, 139 for P-521, 72 otherwise.
    pub fn to_der(&self) -> Vec<u8> {
        let (r, s) = self.to_scalars();
        signature_der::join(&r, &s)
    }

    /// Writes r followed by s, big-endian in full length: 96 bytes for P-384, 132 for P-521, 64
    /// otherwise.
    pub fn to_p1363(&self) -> Vec<u8> {
        let (r, s) = self.to_scalars();
        signature_p1363::join(&r, &s)
    }

    /// Writes r and s, each big-endian in full length. [`from_scalars`](Self::from_scalars) reads
    /// them.
    #[must_use]
    pub fn to_scalars(self) -> (Vec<u8>, Vec<u8>) {
        let write = |scalar: &Integer<C>| {
            let mut bytes = vec![0; self.domain.curve().scalar_field().bytes()];
            limbs::write_be_bytes(scalar.as_ref(), &mut bytes);
            bytes
        };
        (write(self.r()), write(self.s()))
    }

    /// The two integers.
    pub(crate) fn scalars(&self) -> &SignatureScalars<Integer<C>> {
        &self.scalars
    }

    /// r, from 1 to n - 1, little-endian in limbs.
    pub(crate) fn r(&self) -> &Integer<C> {
        self.scalars.r()
    }

    /// s, from 1 to n - 1, little-endian in limbs.
    pub(crate) fn s(&self) -> &Integer<C> {
        self.scalars.s()
    }

    /// Returns the friendly one of (r, s) and (r, n - s), for a signature whose recovery id is
    /// known: s if y(R) is even, n - s otherwise.
    ///
    /// With another id, the result is equally valid, but not friendly. The friendly s is as likely
    /// to be the higher as the lower one, so friendly signatures break low-s rules half of the
    /// time. [`normalize_s`](Self::normalize_s) is the way back.
    ///
    /// ```
    /// use sigmill::p256::SigningKey;
    /// use sigmill::{Input, Policy, VerifyOptions};
    ///
    /// let key = SigningKey::generate()?;
    /// let (signature, id) = key.sign_prehash_recoverable(&[7; 32])?;
    /// let friendly = signature.to_friendly(id)?;
    /// let key = key.verifying_key();
    /// let options = VerifyOptions::new().policy(Policy::FRIENDLY);
    /// key.verify_with(Input::Digest(&[7; 32]), &friendly, &options)?;
    /// // Without the id, at the cost of a verification:
    /// let id = key.verify_prehash_recoverable(&[7; 32], &signature)?;
    /// assert_eq!(signature.to_friendly(id)?, friendly);
    /// # Ok::<(), sigmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::CannotBeFriendly`] if x(R) = r + n: neither of the two is friendly.
    pub fn to_friendly(self, id: RecoveryId) -> Result<Self, Error> {
        if id.is_x_reduced() {
            return Err(Error::CannotBeFriendly);
        }
        Ok(if id.is_y_odd() { self.negate_s() } else { self })
    }

    /// Reports whether s is above n/2.
    pub fn is_high_s(&self) -> bool {
        // 2s > n is the same as s > n - s, as n is odd.
        limbs::is_below(self.negated_s().as_ref(), self.s().as_ref())
    }

    /// Returns the same signature with s at most n/2: replaces s by n - s if s is above n/2.
    #[must_use]
    pub fn normalize_s(self) -> Self {
        if self.is_high_s() {
            self.negate_s()
        } else {
            self
        }
    }

    /// (r, n - s).
    pub(crate) fn negate_s(self) -> Self {
        let scalars = SignatureScalars::new(*self.r(), self.negated_s());
        Self::new(self.domain, scalars)
    }

    /// n - s.
    fn negated_s(&self) -> Integer<C> {
        let mut negated = self.domain.curve().scalar_field().modulus();
        limbs::subtract_assign(negated.as_mut(), self.s().as_ref());
        negated
    }
}

/// Hashes r and s.
impl<C: Domain> Hash for Signature<C> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.scalars.hash(state);
    }
}

/// Writes the curve, r and s in hexadecimal.
impl<C: Domain> fmt::Debug for Signature<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = self.domain.curve().label();
        let (r, s) = self.to_scalars();
        let (r, s) = (Hexadecimal(&r), Hexadecimal(&s));
        write!(f, "Signature({label}, r: {r}, s: {s})")
    }
}
