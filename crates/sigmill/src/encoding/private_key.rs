//! Private keys as PKCS#8 (RFC 5958) and SEC 1 (RFC 5915), in DER.
//!
//! The crates `pkcs8` and `sec1` parse the structures; this module checks their contents.

use alloc::vec::Vec;

use der::asn1::{BitStringRef, OctetStringRef};
use der::{AnyRef, Encode as _, Reader as _, SliceReader, Tag, Tagged as _};
use pkcs8::PrivateKeyInfoRef;
use sec1::{EcParameters, EcPrivateKey};
use spki::AlgorithmIdentifierRef;
use zeroize::Zeroizing;

use super::spki::{ID_EC_PUBLIC_KEY, curve_of, object_identifier_of};
use crate::curve::CurveName;
use crate::error::Error;

/// The contents of a private key file. The caller must check the numbers.
#[derive(Debug)]
pub(crate) struct PrivateKey<'a> {
    /// The curve.
    pub(crate) curve: CurveName,
    /// The private key, big-endian.
    pub(crate) secret: &'a [u8],
    /// SEC 1 points of the public key: none, one, or one from each structure.
    pub(crate) public: [Option<&'a [u8]>; 2],
}

/// Reads PKCS#8 in DER, version 1 or 2.
///
/// # Errors
/// One of the variants whose name begins with `PrivateKey`.
pub(crate) fn decode_pkcs8(der: &[u8]) -> Result<PrivateKey<'_>, Error> {
    let malformed = |_| Error::PrivateKeyMalformed;
    let mut reader = SliceReader::new(der).map_err(malformed)?;
    let info: PrivateKeyInfoRef<'_> = reader.decode().map_err(malformed)?;
    reader.finish().map_err(|_| Error::PrivateKeyTrailingData)?;
    if info.algorithm.oid != ID_EC_PUBLIC_KEY {
        return Err(Error::PrivateKeyAlgorithmNotEc);
    }
    let parameters = info
        .algorithm
        .parameters
        .ok_or(Error::PrivateKeyCurveMissing)?;
    if parameters.tag() != Tag::ObjectIdentifier {
        return Err(Error::PrivateKeyCurveNotNamed);
    }
    let curve = curve_of(parameters.decode_as().map_err(malformed)?)
        .ok_or(Error::PrivateKeyCurveUnknown)?;
    let inner = EcKey::decode(info.private_key.as_bytes())?;
    if inner.curve.is_some_and(|inner| inner != curve) {
        return Err(Error::PrivateKeyCurvesDiffer);
    }
    let outer_public = match info.public_key {
        Some(public) => Some(public.as_bytes().ok_or(Error::PrivateKeyMalformed)?),
        None => None,
    };
    Ok(PrivateKey {
        curve,
        secret: inner.secret,
        public: [inner.public, outer_public],
    })
}

/// Reads an ECPrivateKey of SEC 1 in DER, which names its curve.
///
/// # Errors
/// One of the variants whose name begins with `PrivateKey`.
pub(crate) fn decode_sec1(der: &[u8]) -> Result<PrivateKey<'_>, Error> {
    let key = EcKey::decode(der)?;
    Ok(PrivateKey {
        curve: key.curve.ok_or(Error::PrivateKeyCurveMissing)?,
        secret: key.secret,
        public: [key.public, None],
    })
}

/// The contents of an ECPrivateKey, which need not name a curve or a public key.
struct EcKey<'a> {
    curve: Option<CurveName>,
    secret: &'a [u8],
    public: Option<&'a [u8]>,
}

impl<'a> EcKey<'a> {
    fn decode(der: &'a [u8]) -> Result<Self, Error> {
        let malformed = |_| Error::PrivateKeyMalformed;
        let mut reader = SliceReader::new(der).map_err(malformed)?;
        let key: EcPrivateKey<'_> = reader.decode().map_err(malformed)?;
        reader.finish().map_err(|_| Error::PrivateKeyTrailingData)?;
        let curve = match key.parameters {
            None => None,
            Some(EcParameters::NamedCurve(oid)) => {
                Some(curve_of(oid).ok_or(Error::PrivateKeyCurveUnknown)?)
            }
        };
        Ok(Self {
            curve,
            secret: key.private_key,
            public: key.public_key,
        })
    }
}

/// Writes PKCS#8, version 1, in DER, with the curve in the algorithm and the public key in the
/// ECPrivateKey, as OpenSSL does.
pub(crate) fn encode_pkcs8(curve: CurveName, secret: &[u8], public: &[u8]) -> Zeroizing<Vec<u8>> {
    let inner = encode_ec_private_key(None, secret, public);
    let oid = object_identifier_of(curve);
    let encode = || -> der::Result<Vec<u8>> {
        PrivateKeyInfoRef {
            algorithm: AlgorithmIdentifierRef {
                oid: ID_EC_PUBLIC_KEY,
                parameters: Some(AnyRef::from(&oid)),
            },
            private_key: OctetStringRef::new(&inner)?,
            public_key: None::<BitStringRef<'_>>,
        }
        .to_der()
    };
    written(encode())
}

/// Writes an ECPrivateKey of SEC 1 in DER, with its curve and its public key.
pub(crate) fn encode_sec1(curve: CurveName, secret: &[u8], public: &[u8]) -> Zeroizing<Vec<u8>> {
    encode_ec_private_key(Some(curve), secret, public)
}

fn encode_ec_private_key(
    curve: Option<CurveName>,
    secret: &[u8],
    public: &[u8],
) -> Zeroizing<Vec<u8>> {
    let key = EcPrivateKey {
        private_key: secret,
        parameters: curve.map(|curve| EcParameters::NamedCurve(object_identifier_of(curve))),
        public_key: Some(public),
    };
    written(key.to_der())
}

fn written(der: der::Result<Vec<u8>>) -> Zeroizing<Vec<u8>> {
    match der {
        Ok(der) => Zeroizing::new(der),
        Err(_) => unreachable!("some hundred bytes have a length in DER"),
    }
}
