//! Public keys as SubjectPublicKeyInfo in DER (RFC 5280 §4.1.2.7, RFC 5480 §2).

use alloc::vec::Vec;

use der::asn1::{AnyRef, BitStringRef, ObjectIdentifier};
use der::{Encode as _, Reader, SliceReader, Tag, Tagged};
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};

use crate::curve::CurveName;
use crate::error::Error;

/// id-ecPublicKey (RFC 5480 §2.1.1).
pub(super) const ID_EC_PUBLIC_KEY: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
/// The object identifiers of the curves, in the order of [`CurveName::ALL`].
const CURVES: [ObjectIdentifier; CurveName::ALL.len()] = {
    let mut identifiers = [ID_EC_PUBLIC_KEY; CurveName::ALL.len()];
    let mut i = 0;
    while i < identifiers.len() {
        let dotted = CurveName::ALL[i].object_identifier();
        identifiers[i] = ObjectIdentifier::new_unwrap(dotted);
        i += 1;
    }
    identifiers
};

/// The curve of an object identifier.
pub(super) fn curve_of(oid: ObjectIdentifier) -> Option<CurveName> {
    let place = CURVES.iter().position(|&known| known == oid)?;
    Some(CurveName::ALL[place])
}

/// The object identifier of a curve.
pub(super) const fn object_identifier_of(curve: CurveName) -> ObjectIdentifier {
    CURVES[curve as usize]
}

/// Writes SPKI in DER from a SEC 1 point.
pub(crate) fn encode_der(curve: CurveName, point: &[u8]) -> Vec<u8> {
    let oid = object_identifier_of(curve);
    let encode = || {
        SubjectPublicKeyInfoRef {
            algorithm: AlgorithmIdentifierRef {
                oid: ID_EC_PUBLIC_KEY,
                parameters: Some(AnyRef::from(&oid)),
            },
            subject_public_key: BitStringRef::from_bytes(point)?,
        }
        .to_der()
    };
    match encode() {
        Ok(der) => der,
        Err(_) => unreachable!("some hundred bytes have a length in DER"),
    }
}

/// Reads SPKI in DER. Returns the curve it names and the bytes of its SEC 1 point, which are not
/// checked.
///
/// # Errors
/// One of the variants whose name begins with `Spki`.
pub(crate) fn decode_der(spki: &[u8]) -> Result<(CurveName, &[u8]), Error> {
    let mut reader = SliceReader::new(spki).map_err(|_| Error::SpkiMalformed)?;
    let info: SubjectPublicKeyInfoRef<'_> = reader.decode().map_err(|_| Error::SpkiMalformed)?;
    reader.finish().map_err(|_| Error::SpkiTrailingData)?;

    if info.algorithm.oid != ID_EC_PUBLIC_KEY {
        return Err(Error::SpkiAlgorithmNotEc);
    }
    let parameters = info
        .algorithm
        .parameters
        .ok_or(Error::SpkiParametersMissing)?;
    if parameters.tag() != Tag::ObjectIdentifier {
        return Err(Error::SpkiParametersNotNamedCurve);
    }
    let oid = parameters.decode_as().map_err(|_| Error::SpkiMalformed)?;
    let curve = curve_of(oid).ok_or(Error::SpkiCurveUnknown)?;
    let point = info
        .subject_public_key
        .as_bytes()
        .ok_or(Error::SpkiUnusedBits)?;
    Ok((curve, point))
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    const OID_EC: &[u8] = &[6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
    const OID_P256: &[u8] = &[6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
    const OID_SECP256K1: &[u8] = &[6, 5, 0x2b, 0x81, 4, 0, 0x0a];
    const OID_P384: &[u8] = &[6, 5, 0x2b, 0x81, 4, 0, 0x22];
    const OID_P224: &[u8] = &[6, 5, 0x2b, 0x81, 4, 0, 0x21];
    const OID_ED25519: &[u8] = &[6, 3, 0x2b, 0x65, 0x70];
    const POINT: &[u8] = &[0, 4, 0xaa, 0xbb];

    fn tlv(tag: u8, content: &[&[u8]]) -> Vec<u8> {
        let content = content.concat();
        assert!(content.len() < 0x80);
        [&[tag, content.len() as u8], &content[..]].concat()
    }

    /// An SPKI with these contents of its AlgorithmIdentifier and BIT STRING.
    fn spki(algorithm: &[&[u8]], bits: &[u8]) -> Vec<u8> {
        tlv(0x30, &[&tlv(0x30, algorithm), &tlv(3, &[bits])])
    }

    #[test]
    fn returns_curve_and_point() {
        for (oid, curve) in [
            (OID_P256, CurveName::P256),
            (OID_SECP256K1, CurveName::Secp256k1),
            (OID_P384, CurveName::P384),
        ] {
            let spki = spki(&[OID_EC, oid], POINT);
            assert_eq!(decode_der(&spki), Ok((curve, &POINT[1..])));
        }
    }

    #[test]
    fn every_prefix_is_malformed_and_every_suffix_is_trailing_data() {
        let mut spki = spki(&[OID_EC, OID_P256], POINT);
        for end in 0..spki.len() {
            assert_eq!(decode_der(&spki[..end]), Err(Error::SpkiMalformed), "{end}");
        }
        spki.push(0);
        assert_eq!(decode_der(&spki), Err(Error::SpkiTrailingData));
    }

    #[test]
    fn rejects_malformed_der() {
        let cases = [
            // Something after the parameters, or after the BIT STRING.
            spki(&[OID_EC, OID_P256, &[5, 0]], POINT),
            tlv(
                0x30,
                &[&tlv(0x30, &[OID_EC, OID_P256]), &tlv(3, &[POINT]), &[5, 0]],
            ),
            // An OCTET STRING in place of the BIT STRING; no BIT STRING; an empty one.
            tlv(0x30, &[&tlv(0x30, &[OID_EC, OID_P256]), &tlv(4, &[POINT])]),
            tlv(0x30, &[&tlv(0x30, &[OID_EC, OID_P256])]),
            spki(&[OID_EC, OID_P256], &[]),
            // A length that is not the shortest; an OID that never ends.
            [&[0x30, 0x81], &spki(&[OID_EC, OID_P256], POINT)[1..]].concat(),
            spki(&[OID_EC, &[6, 2, 0x2a, 0x86]], POINT),
            spki(&[], POINT),
            vec![0x31, 0],
        ];
        for case in cases {
            assert_eq!(decode_der(&case), Err(Error::SpkiMalformed), "{case:02x?}");
        }
    }

    #[test]
    fn rejects_other_algorithms() {
        assert_eq!(
            decode_der(&spki(&[OID_ED25519], POINT)),
            Err(Error::SpkiAlgorithmNotEc)
        );
        assert_eq!(
            decode_der(&spki(&[OID_P256, OID_P256], POINT)),
            Err(Error::SpkiAlgorithmNotEc)
        );
    }

    #[test]
    fn rejects_parameters_that_do_not_name_a_known_curve() {
        assert_eq!(
            decode_der(&spki(&[OID_EC], POINT)),
            Err(Error::SpkiParametersMissing)
        );
        // NULL (implicitlyCA) and a SEQUENCE (specifiedCurve) are forbidden by RFC 5480 §2.1.1.
        for parameters in [&[5, 0][..], &[0x30, 3, 2, 1, 1]] {
            assert_eq!(
                decode_der(&spki(&[OID_EC, parameters], POINT)),
                Err(Error::SpkiParametersNotNamedCurve)
            );
        }
        assert_eq!(
            decode_der(&spki(&[OID_EC, OID_P224], POINT)),
            Err(Error::SpkiCurveUnknown)
        );
    }

    #[test]
    fn rejects_unused_bits() {
        assert_eq!(
            decode_der(&spki(&[OID_EC, OID_P256], &[1, 4, 0xaa, 0xba])),
            Err(Error::SpkiUnusedBits)
        );
    }
}
