//! Keys whose curve is known only at run time.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::kinds::{any_key, for_any};
use super::prepared_key::DEFAULT_WINDOW;
use super::{OfKind as _, PreparedKey, TableCoordinate, VerifyingKey};
use crate::curve::{CurveName, for_curve};
use crate::ecdsa::{Algorithm, Signature, SignatureFormat};
use crate::encoding::key_purpose::KeyPurpose;
#[cfg(feature = "pem")]
use crate::encoding::pem;
use crate::encoding::spki;
use crate::error::Error;

any_key! {
/// A public key on any curve of this crate.
///
/// ```
/// use sigmill::{AnyVerifyingKey, CurveName};
///
/// let key = AnyVerifyingKey::from_encoded(None, br#"{
///     "kty": "EC", "crv": "P-256",
///     "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
///     "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
/// }"#)?;
/// assert_eq!(key.curve(), CurveName::P256);
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
AnyVerifyingKey(VerifyingKeyKind of VerifyingKey)
}

any_key! {
/// A prepared key on any curve of this crate.
#[derive(Clone)]
AnyPreparedKey(PreparedKeyKind of PreparedKey)
}

impl AnyVerifyingKey {
    /// Reads a key in any encoding, recognized by its content: a JWK (`{`; feature `jwk`), PEM text
    /// (contains `-----BEGIN`; other text may surround it), SPKI in DER (30), or otherwise a SEC 1
    /// point (02, 03, 04).
    ///
    /// A SEC 1 point does not name its curve. It is on `curve` or, if that is `None`, on the only
    /// curve that the length fits (P-384, P-521). Points of 33 or 65 bytes fit several curves, some
    /// of which may not be compiled in. The other encodings name the curve; `curve`, if given, must
    /// be the same. A JWK must be for [`KeyPurpose::Verify`].
    ///
    /// # Errors
    /// [`Error::KeyEmpty`], [`Error::KeyEncodingUnknown`], [`Error::KeyCurveAmbiguous`],
    /// [`Error::KeyCurveMismatch`], or those of the encoding's own function.
    pub fn from_encoded(curve: Option<CurveName>, bytes: &[u8]) -> Result<Self, Error> {
        Self::from_encoded_for(KeyPurpose::Verify, curve, bytes)
    }

    /// [`from_encoded`](Self::from_encoded), except that a JWK must be for `purpose`.
    ///
    /// # Errors
    /// Those of [`from_encoded`](Self::from_encoded).
    pub fn from_encoded_for(
        purpose: KeyPurpose,
        curve: Option<CurveName>,
        bytes: &[u8],
    ) -> Result<Self, Error> {
        let key = match bytes.first() {
            None => return Err(Error::KeyEmpty),
            Some(&tag) if is_tag(tag) => {
                let curve = curve.map_or_else(|| curve_of_point(bytes), Ok)?;
                return Self::from_sec1_bytes(curve, bytes);
            }
            // The byte is also a digit, which may begin the text around PEM.
            Some(0x30) => match Self::from_public_key_der(bytes) {
                #[cfg(feature = "pem")]
                Err(Error::SpkiMalformed) if pem::is_pem(bytes) => Self::from_text(purpose, bytes),
                key => key,
            }?,
            Some(_) => Self::from_text(purpose, bytes)?,
        };
        match curve {
            Some(expected) if expected != key.curve() => Err(Error::KeyCurveMismatch {
                expected,
                actual: key.curve(),
            }),
            _ => Ok(key),
        }
    }

    fn from_text(purpose: KeyPurpose, bytes: &[u8]) -> Result<Self, Error> {
        let text = core::str::from_utf8(bytes).map_err(|_| Error::KeyEncodingUnknown)?;
        #[cfg(feature = "jwk")]
        if text.trim_start().starts_with('{') {
            return Self::from_jwk_str_for(purpose, text);
        }
        #[cfg(feature = "pem")]
        if pem::is_pem(bytes) {
            return Self::from_public_key_pem(text);
        }
        Err(Error::KeyEncodingUnknown)
    }

    /// [`from_encoded`](Self::from_encoded) of many keys, in order, each with its curve. SEC 1
    /// points, including those in DER, are read by [`VerifyingKey::from_sec1_bytes_many`].
    ///
    /// # Errors
    /// For each key, those of [`from_encoded`](Self::from_encoded).
    #[must_use]
    pub fn from_encoded_many(encoded: &[(CurveName, &[u8])]) -> Vec<Result<Self, Error>> {
        let mut keys = vec![Err(Error::KeyEmpty); encoded.len()];
        for &together in CurveName::ALL {
            let (mut places, mut points) = (Vec::new(), Vec::new());
            for (i, &(curve, bytes)) in encoded.iter().enumerate() {
                if curve != together {
                    continue;
                }
                let point = match bytes.first() {
                    Some(&tag) if is_tag(tag) => Some(bytes),
                    Some(0x30) => match spki::decode_der(bytes) {
                        Ok((actual, point)) if actual == curve => Some(point),
                        _ => None,
                    },
                    _ => None,
                };
                match point {
                    Some(point) => {
                        places.push(i);
                        points.push(point);
                    }
                    None => keys[i] = Self::from_encoded(Some(curve), bytes),
                }
            }
            for (i, key) in places
                .into_iter()
                .zip(Self::from_sec1_bytes_many(together, &points))
            {
                keys[i] = key;
            }
        }
        keys
    }

    fn from_sec1_bytes_many(curve: CurveName, points: &[&[u8]]) -> Vec<Result<Self, Error>> {
        for_curve!(curve, domain => {
            let keys = VerifyingKey::from_sec1_bytes_many_on(domain, points).into_iter();
            keys.map(|key| key.map(Self::from)).collect()
        })
    }

    /// Reads a SEC 1 point on the given curve.
    ///
    /// # Errors
    /// Those of [`VerifyingKey::from_sec1_bytes`].
    pub fn from_sec1_bytes(curve: CurveName, bytes: &[u8]) -> Result<Self, Error> {
        for_curve!(curve, domain => {
            VerifyingKey::from_sec1_bytes_on(domain, bytes).map(Self::from)
        })
    }

    /// Reads a SubjectPublicKeyInfo in DER.
    ///
    /// # Errors
    /// Those of [`VerifyingKey::from_public_key_der`].
    pub fn from_public_key_der(der: &[u8]) -> Result<Self, Error> {
        let (curve, point) = spki::decode_der(der)?;
        Self::from_sec1_bytes(curve, point)
    }

    /// Reads a SubjectPublicKeyInfo in PEM.
    ///
    /// # Errors
    /// Those of [`VerifyingKey::from_public_key_pem`].
    #[cfg(feature = "pem")]
    pub fn from_public_key_pem(pem: &str) -> Result<Self, Error> {
        Self::from_public_key_der(&pem::decode_spki(pem)?)
    }

    /// Writes a SEC 1 point, compressed or not.
    pub fn to_sec1_bytes(&self, compressed: bool) -> Vec<u8> {
        for_any!(VerifyingKeyKind, self, key => key.to_sec1_bytes(compressed))
    }

    /// Creates a key from the coordinates of its point; see [`VerifyingKey::from_coordinates`].
    ///
    /// # Errors
    /// Those of [`VerifyingKey::from_coordinates`].
    pub fn from_coordinates(curve: CurveName, x: &[u8], y: &[u8]) -> Result<Self, Error> {
        for_curve!(curve, domain => {
            VerifyingKey::from_coordinates_on(domain, x, y).map(Self::from)
        })
    }

    /// Writes x and y; see [`VerifyingKey::to_coordinates`].
    #[must_use]
    pub fn to_coordinates(&self) -> (Vec<u8>, Vec<u8>) {
        for_any!(VerifyingKeyKind, self, key => key.to_coordinates())
    }

    /// Writes a SubjectPublicKeyInfo in DER, which names the curve; see
    /// [`VerifyingKey::to_public_key_der`].
    #[must_use]
    pub fn to_public_key_der(&self) -> Vec<u8> {
        for_any!(VerifyingKeyKind, self, key => key.to_public_key_der())
    }

    /// Writes a SubjectPublicKeyInfo in PEM; see [`VerifyingKey::to_public_key_pem`].
    #[cfg(feature = "pem")]
    #[must_use]
    pub fn to_public_key_pem(&self) -> String {
        for_any!(VerifyingKeyKind, self, key => key.to_public_key_pem())
    }

    /// The curve.
    pub fn curve(&self) -> CurveName {
        for_any!(VerifyingKeyKind, self, key => key.algorithm().curve)
    }

    /// The curve with its default hash.
    pub fn algorithm(&self) -> Algorithm {
        self.curve().default_algorithm()
    }

    /// Returns the key with a table; see [`VerifyingKey::prepare`].
    #[must_use]
    pub fn prepare(&self) -> AnyPreparedKey {
        for_any!(VerifyingKeyKind, self, key => AnyPreparedKey::from_kind(key.prepare()))
    }

    /// Returns the key with a table for windows of `window` bits; see
    /// [`VerifyingKey::prepare_with_window`].
    ///
    /// # Errors
    /// [`Error::WindowOutOfRange`].
    pub fn prepare_with_window(&self, window: u32) -> Result<AnyPreparedKey, Error> {
        for_any!(VerifyingKeyKind, self, key => {
            key.prepare_with_window(window).map(AnyPreparedKey::from_kind)
        })
    }

    /// Returns the friendly one of (r, s) and (r, n - s), for a signature of this digest by this
    /// key, in the format given (`Auto` writes P1363). Runs one verification, then
    /// [`Signature::to_friendly`].
    ///
    /// # Errors
    /// Those of [`verify_prehash`](Self::verify_prehash); [`Error::CannotBeFriendly`] if x(R) =
    /// r + n.
    pub fn to_friendly_prehash(
        &self,
        digest: &[u8],
        signature: &[u8],
        format: SignatureFormat,
    ) -> Result<Vec<u8>, Error> {
        for_any!(VerifyingKeyKind, self, key => {
            let signature = Signature::from_bytes_on(key.domain(), signature, format)?;
            let id = key.verify_prehash_recoverable(digest, &signature)?;
            Ok(signature.to_friendly(id)?.to_bytes(format))
        })
    }

    /// The memory that the table of [`prepare_with_window`](Self::prepare_with_window) needs, in
    /// bytes.
    ///
    /// # Errors
    /// [`Error::WindowOutOfRange`].
    pub fn table_bytes(&self, window: u32) -> Result<usize, Error> {
        for_any!(VerifyingKeyKind, self, key => key.table_bytes(window))
    }
}

/// Reports whether a key with this first byte is a SEC 1 point or close to one. If so, the decoder
/// of SEC 1 reports its error. 06 and 07 are the hybrid forms. No other encoding begins with such a
/// byte.
fn is_tag(byte: u8) -> bool {
    byte <= 7
}

/// Returns the curve whose points have this length in SEC 1, if only one has. Curves that are not
/// compiled in count too.
fn curve_of_point(bytes: &[u8]) -> Result<CurveName, Error> {
    let coordinates = match bytes {
        [0] => return Err(Error::KeyIsInfinity),
        [2 | 3, ..] => 1,
        [4, ..] => 2,
        [tag, ..] => return Err(Error::KeyTag { tag: *tag }),
        [] => return Err(Error::KeyEmpty),
    };
    let fits = |curve: &&CurveName| bytes.len() == 1 + coordinates * curve.field_len();
    match CurveName::ALL.iter().copied().find(|curve| fits(&curve)) {
        Some(curve) if curve.has_length_of_its_own() => Ok(curve),
        Some(_) => Err(Error::KeyCurveAmbiguous),
        None => Err(Error::KeyEncodingUnknown),
    }
}

impl AnyPreparedKey {
    /// The window of [`AnyVerifyingKey::prepare`], in bits: 151,552 bytes on P-256. One bit
    /// more needs nearly twice the memory, and saves a ninth of the key's additions.
    pub const DEFAULT_WINDOW: u32 = DEFAULT_WINDOW;

    /// The key.
    pub fn verifying_key(&self) -> AnyVerifyingKey {
        for_any!(PreparedKeyKind, self, key => AnyVerifyingKey::from(*key.verifying_key()))
    }

    /// The curve.
    pub fn curve(&self) -> CurveName {
        self.verifying_key().curve()
    }

    /// The window of the table, in bits.
    pub fn window(&self) -> u32 {
        for_any!(PreparedKeyKind, self, key => key.window())
    }

    /// The number of rows of the table; each has 2^(window - 1) points.
    pub fn row_count(&self) -> usize {
        for_any!(PreparedKeyKind, self, key => key.rows().len())
    }

    /// The points of the table, row by row: x and y; see [`PreparedKey::coordinates`].
    pub fn coordinates(&self) -> Box<dyn Iterator<Item = [TableCoordinate; 2]> + '_> {
        for_any!(PreparedKeyKind, self, key => Box::new(key.coordinates()))
    }

    /// The memory that the table needs, in bytes.
    pub fn memory_bytes(&self) -> usize {
        for_any!(PreparedKeyKind, self, key => key.memory_bytes())
    }
}

impl fmt::Debug for AnyVerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for_any!(VerifyingKeyKind, self, key => key.fmt(f))
    }
}

impl fmt::Debug for AnyPreparedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for_any!(PreparedKeyKind, self, key => key.fmt(f))
    }
}
