//! A signature: r and s, both from 1 to n - 1.

use alloc::vec;
use alloc::vec::Vec;

use super::{RecoveryId, SignatureFormat};
use crate::curve::Curve;
use crate::encoding::{signature_der, signature_p1363};
use crate::error::Error;
use crate::field::{Limbs as _, PrimeField};
use crate::limbs;

/// An ECDSA signature on curve `C` whose r and s are in range. 64 bytes on P-256.
///
/// ```
/// use sigmill::p256::Signature;
///
/// let signature = Signature::from_p1363(&[1; 64])?;
/// assert_eq!(Signature::from_der(&signature.to_der())?, signature);
/// assert_eq!(Signature::from_p1363(&[0; 64]), Err(sigmill::Error::RZero));
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature<C: Curve> {
    r: C::Integer,
    s: C::Integer,
}

impl<C: Curve> Signature<C> {
    /// The length of r, and of s, in bytes: 48 for P-384, else 32.
    pub const SCALAR_BYTES: usize = <C::ScalarField as PrimeField>::BYTES;

    /// Reads a strict DER signature: a SEQUENCE of two INTEGERs, minimal lengths, minimal
    /// positive integers, nothing behind.
    ///
    /// # Errors
    /// One of the `Der...` variants of [`Error`], or the range errors of
    /// [`from_scalars`](Self::from_scalars).
    pub fn from_der(bytes: &[u8]) -> Result<Self, Error> {
        let (r, s) = signature_der::split(bytes, Self::SCALAR_BYTES)?;
        Self::from_scalars(r, s)
    }

    /// Reads r and s in full length, big-endian, one after the other (IEEE P1363, JWS).
    ///
    /// # Errors
    /// [`Error::SignatureLength`], or the range errors of [`from_scalars`](Self::from_scalars).
    pub fn from_p1363(bytes: &[u8]) -> Result<Self, Error> {
        let (r, s) = signature_p1363::split(bytes, Self::SCALAR_BYTES)?;
        Self::from_scalars(r, s)
    }

    /// Reads a signature in the format named.
    ///
    /// # Errors
    /// Those of [`from_der`](Self::from_der) or [`from_p1363`](Self::from_p1363).
    pub fn from_bytes(bytes: &[u8], format: SignatureFormat) -> Result<Self, Error> {
        match format {
            SignatureFormat::P1363 => Self::from_p1363(bytes),
            SignatureFormat::Auto if bytes.len() == 2 * Self::SCALAR_BYTES => {
                Self::from_p1363(bytes)
            }
            SignatureFormat::Der | SignatureFormat::Auto => Self::from_der(bytes),
        }
    }

    /// Reads r and s in full length, big-endian, and v, one after the other, as Ethereum has them and,
    /// with the recovery id for v, libsecp256k1: 65 bytes, 97 for P-384.
    ///
    /// # Errors
    /// [`Error::RecoverableSignatureLength`], that of [`RecoveryId::from_v`], or the range errors of
    /// [`from_scalars`](Self::from_scalars).
    pub fn from_rsv(bytes: &[u8]) -> Result<(Self, RecoveryId), Error> {
        let expected = 2 * Self::SCALAR_BYTES + 1;
        let Some((&v, scalars)) = bytes.split_last().filter(|_| bytes.len() == expected) else {
            return Err(Error::RecoverableSignatureLength {
                expected,
                actual: bytes.len(),
            });
        };
        let id = RecoveryId::from_v(v)?;
        Ok((Self::from_p1363(scalars)?, id))
    }

    /// Writes r and s in full length, big-endian, and v ([`RecoveryId::to_v`]), one after the other: what
    /// [`from_rsv`](Self::from_rsv) reads.
    pub fn to_rsv(&self, id: RecoveryId) -> Vec<u8> {
        let mut bytes = self.to_p1363();
        bytes.push(id.to_v());
        bytes
    }

    /// Takes r and s as big-endian integers of any length.
    ///
    /// # Errors
    /// [`Error::RZero`], [`Error::ROutOfRange`], [`Error::SZero`], [`Error::SOutOfRange`].
    pub fn from_scalars(r: &[u8], s: &[u8]) -> Result<Self, Error> {
        let r = Self::below_order(r).ok_or(Error::ROutOfRange)?;
        if r == C::Integer::ZERO {
            return Err(Error::RZero);
        }
        let s = Self::below_order(s).ok_or(Error::SOutOfRange)?;
        if s == C::Integer::ZERO {
            return Err(Error::SZero);
        }
        Ok(Self { r, s })
    }

    fn below_order(bytes: &[u8]) -> Option<C::Integer> {
        let mut integer = C::Integer::ZERO;
        let n = C::scalar_field().modulus();
        let fits = limbs::read_be_bytes(bytes, integer.as_mut());
        (fits && limbs::is_below(integer.as_ref(), n.as_ref())).then_some(integer)
    }

    /// A signature of r and s from 1 to n - 1.
    pub(super) fn from_integers(r: C::Integer, s: C::Integer) -> Self {
        debug_assert!(r != C::Integer::ZERO && s != C::Integer::ZERO);
        Self { r, s }
    }

    /// Writes strict DER: at most 104 bytes for P-384, else 72.
    pub fn to_der(&self) -> Vec<u8> {
        let (r, s) = self.to_scalars();
        signature_der::join(&r, &s)
    }

    /// Writes r and s in full length, big-endian: 96 bytes for P-384, else 64.
    pub fn to_p1363(&self) -> Vec<u8> {
        let (r, s) = self.to_scalars();
        signature_p1363::join(&r, &s)
    }

    fn to_scalars(self) -> (Vec<u8>, Vec<u8>) {
        let write = |scalar: C::Integer| {
            let mut bytes = vec![0; Self::SCALAR_BYTES];
            limbs::write_be_bytes(scalar.as_ref(), &mut bytes);
            bytes
        };
        (write(self.r), write(self.s))
    }

    /// r, from 1 to n - 1, little-endian in limbs.
    pub fn r(&self) -> &C::Integer {
        &self.r
    }

    /// s, from 1 to n - 1, little-endian in limbs.
    pub fn s(&self) -> &C::Integer {
        &self.s
    }

    /// Whether s is above n/2.
    pub fn is_high_s(&self) -> bool {
        // 2s > n, that is s > n - s, as n is odd.
        limbs::is_below(self.negated_s().as_ref(), self.s.as_ref())
    }

    /// The same signature with s at most n/2: s is replaced by n - s where it is above.
    #[must_use]
    pub fn normalize_s(self) -> Self {
        if self.is_high_s() {
            Self {
                r: self.r,
                s: self.negated_s(),
            }
        } else {
            self
        }
    }

    /// n - s.
    fn negated_s(&self) -> C::Integer {
        let mut negated = C::scalar_field().modulus();
        limbs::subtract_assign(negated.as_mut(), self.s.as_ref());
        negated
    }
}
