//! A public key that verifies signatures.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};

use crate::curve::{
    AffinePoint, BaseElement, BaseField, Curve, CurveName, Domain, Group, LanesOf, LanesOperation,
    NamedCurve, Operation, ScalarField, ScalarLanesOf,
};
use crate::ecdsa::{Algorithm, Strategy};
#[cfg(feature = "pem")]
use crate::encoding::pem;
use crate::encoding::{sec1, spki};
use crate::error::Error;
use crate::field::PrimeField as _;
use crate::limbs::Hexadecimal;

/// A public key on curve `C`: a point that is on the curve and not infinity.
///
/// Verifying one signature needs about one doubling per bit of the order. A key that is used
/// repeatedly is better [prepared](Self::prepare).
///
/// ```
/// use sigmill::p256::{Signature, VerifyingKey};
///
/// // RFC 6979 A.2.5: the message "sample" with SHA-256.
/// let hex = |digits: &str| -> Vec<u8> {
///     let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap();
///     (0..digits.len()).step_by(2).map(byte).collect()
/// };
/// let key = VerifyingKey::from_sec1_bytes(&hex(concat!(
///     "04",
///     "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6",
///     "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
/// )))?;
/// let signature = Signature::from_p1363(&hex(concat!(
///     "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
///     "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
/// )))?;
/// key.verify(b"sample", &signature)?;
/// assert_eq!(key.verify(b"simple", &signature), Err(sigmill::Error::SignatureMismatch));
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct VerifyingKey<C: Domain> {
    domain: C,
    point: AffinePoint<BaseElement<C>>,
}

/// Constructors for curve types that name one curve.
impl<C: Domain + Default> VerifyingKey<C> {
    /// Reads a SEC 1 point: `02 | x`, `03 | x` or `04 | x | y`, big-endian, full length.
    ///
    /// # Errors
    /// [`Error::KeyEmpty`], [`Error::KeyIsInfinity`], [`Error::KeyTag`], [`Error::KeyLength`],
    /// [`Error::KeyXOutOfRange`], [`Error::KeyYOutOfRange`], [`Error::KeyNotOnCurve`].
    pub fn from_sec1_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_sec1_bytes_on(C::default(), bytes)
    }

    /// Creates a key from the coordinates of its point, each big-endian in full length (32 bytes
    /// for P-256).
    ///
    /// # Errors
    /// [`Error::KeyLength`] for a coordinate of another length, [`Error::KeyXOutOfRange`],
    /// [`Error::KeyYOutOfRange`], [`Error::KeyNotOnCurve`].
    pub fn from_coordinates(x: &[u8], y: &[u8]) -> Result<Self, Error> {
        Self::from_coordinates_on(C::default(), x, y)
    }

    /// [`from_sec1_bytes`](Self::from_sec1_bytes) of many points, in order. If the CPU has lanes
    /// for the curve, they compute the square roots of compressed points side by side. With AVX-512
    /// IFMA this needs a tenth of the time on P-256 and secp256k1.
    ///
    /// # Errors
    /// For each point, those of [`from_sec1_bytes`](Self::from_sec1_bytes).
    #[must_use]
    pub fn from_sec1_bytes_many(encoded: &[&[u8]]) -> Vec<Result<Self, Error>> {
        Self::from_sec1_bytes_many_on(C::default(), encoded)
    }
}

impl<C: Domain> VerifyingKey<C> {
    /// [`from_sec1_bytes`](Self::from_sec1_bytes) on a curve known at run time.
    #[doc(hidden)]
    pub fn from_sec1_bytes_on(domain: C, bytes: &[u8]) -> Result<Self, Error> {
        let (curve, decode) = (domain.curve(), DecodePoint { bytes });
        let point = match bytes.first() {
            Some(2 | 3) => curve.dispatch(decode)?,
            // Runs on the caller's stack, as it needs little. Another stack would cost a quarter
            // more.
            _ => curve.choose_single(decode)?,
        };
        Ok(Self::from_affine(domain, point))
    }

    /// [`from_coordinates`](Self::from_coordinates) on a curve known at run time.
    pub(crate) fn from_coordinates_on(domain: C, x: &[u8], y: &[u8]) -> Result<Self, Error> {
        let expected = domain.curve().base_field().bytes();
        for coordinate in [x, y] {
            let actual = coordinate.len();
            if actual != expected {
                return Err(Error::KeyLength { expected, actual });
            }
        }
        Self::from_sec1_bytes_on(domain, &[&[4], x, y].concat())
    }

    /// [`from_sec1_bytes_many`](Self::from_sec1_bytes_many) on a curve known at run time.
    pub(crate) fn from_sec1_bytes_many_on(
        domain: C,
        encoded: &[&[u8]],
    ) -> Vec<Result<Self, Error>> {
        let points = domain.curve().dispatch_lanes(DecodePoints { encoded });
        let key = |point: Result<_, _>| point.map(|point| Self::from_affine(domain, point));
        points.into_iter().map(key).collect()
    }

    /// The key of a point that is on the curve.
    pub(crate) fn from_affine(domain: C, point: AffinePoint<BaseElement<C>>) -> Self {
        Self { domain, point }
    }

    /// The same key with another type for its domain parameters.
    pub(crate) fn named<D: Domain<Curve = C::Curve>>(self, domain: D) -> VerifyingKey<D> {
        VerifyingKey {
            domain,
            point: self.point,
        }
    }

    /// The domain parameters.
    #[doc(hidden)]
    pub fn domain(&self) -> C {
        self.domain
    }

    /// Writes a SEC 1 point, compressed (33 bytes for P-256) or uncompressed (65 bytes).
    pub fn to_sec1_bytes(&self, compressed: bool) -> Vec<u8> {
        sec1::encode_point(self.domain.curve(), &self.point, compressed)
    }

    /// Writes x and y, each big-endian in full length. [`from_coordinates`](Self::from_coordinates)
    /// reads them.
    #[must_use]
    pub fn to_coordinates(&self) -> (Vec<u8>, Vec<u8>) {
        let sec1 = self.to_sec1_bytes(false);
        let (x, y) = sec1[1..].split_at(sec1.len() / 2);
        (x.to_vec(), y.to_vec())
    }

    /// The point.
    pub(crate) fn as_affine(&self) -> &AffinePoint<BaseElement<C>> {
        &self.point
    }

    /// The strategy that multiplies this key: single use.
    pub(crate) fn strategy(&self) -> Strategy<'_, BaseElement<C>> {
        Strategy::Fresh(&self.point)
    }
}

/// Constructors for curve types that name one curve.
impl<C: NamedCurve + Default> VerifyingKey<C> {
    /// Reads a SubjectPublicKeyInfo in DER (RFC 5280 §4.1.2.7, RFC 5480): id-ecPublicKey with a
    /// named curve.
    ///
    /// # Errors
    /// One of the `Spki...` variants of [`Error`], [`Error::KeyCurveMismatch`], or those of
    /// [`from_sec1_bytes`](Self::from_sec1_bytes).
    pub fn from_public_key_der(der: &[u8]) -> Result<Self, Error> {
        let (curve, point) = spki::decode_der(der)?;
        on_curve(C::default(), curve)?;
        Self::from_sec1_bytes(point)
    }

    /// Reads a SubjectPublicKeyInfo in PEM (`-----BEGIN PUBLIC KEY-----`): one block. Other text
    /// may precede and follow it.
    ///
    /// # Errors
    /// [`Error::PemMalformed`], [`Error::PemLabel`], [`Error::PemSeveralBlocks`], or those of
    /// [`from_public_key_der`](Self::from_public_key_der).
    #[cfg(feature = "pem")]
    pub fn from_public_key_pem(pem: &str) -> Result<Self, Error> {
        Self::from_public_key_der(&pem::decode_spki(pem)?)
    }
}

impl<C: NamedCurve> VerifyingKey<C> {
    /// Writes a SubjectPublicKeyInfo in DER (RFC 5480) with an uncompressed point: 91 bytes for
    /// P-256.
    #[must_use]
    pub fn to_public_key_der(&self) -> Vec<u8> {
        spki::encode_der(self.domain.name(), &self.to_sec1_bytes(false))
    }

    /// Writes a SubjectPublicKeyInfo in PEM (`-----BEGIN PUBLIC KEY-----`).
    #[cfg(feature = "pem")]
    #[must_use]
    pub fn to_public_key_pem(&self) -> String {
        pem::encode_spki(&self.to_public_key_der())
    }

    /// The curve with its default hash: see
    /// [`CurveName::default_algorithm`](crate::CurveName::default_algorithm).
    pub fn algorithm(&self) -> Algorithm {
        self.domain.name().default_algorithm()
    }
}

/// Hashes the point.
impl<C: Domain> Hash for VerifyingKey<C> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.point.hash(state);
    }
}

/// Writes the curve and the compressed SEC 1 point in hexadecimal.
impl<C: Domain> fmt::Debug for VerifyingKey<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let point = self.to_sec1_bytes(true);
        let label = self.domain.curve().label();
        write!(f, "VerifyingKey({label}, {})", Hexadecimal(&point))
    }
}

/// Checks that a key's curve, `actual`, is the curve of `domain`.
pub(crate) fn on_curve<C: NamedCurve>(domain: C, actual: CurveName) -> Result<(), Error> {
    let expected = domain.name();
    if actual == expected {
        Ok(())
    } else {
        Err(Error::KeyCurveMismatch { expected, actual })
    }
}

struct DecodePoint<'a> {
    bytes: &'a [u8],
}

impl<C: Curve> Operation<C> for DecodePoint<'_> {
    type Output = Result<AffinePoint<C::BaseElement>, Error>;

    #[inline(always)]
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, _: S) -> Self::Output {
        sec1::decode_point(&Group::new(curve, base), self.bytes)
    }
}

struct DecodePoints<'a> {
    encoded: &'a [&'a [u8]],
}

impl<C: Curve> LanesOperation<C> for DecodePoints<'_> {
    type Output = Vec<Result<AffinePoint<C::BaseElement>, Error>>;

    #[inline(always)]
    fn run<L: LanesOf<C>, S: ScalarLanesOf<C>>(self, curve: C, base: L, _: S) -> Self::Output {
        sec1::decode_points(&Group::wide(curve, base), self.encoded)
    }
}
