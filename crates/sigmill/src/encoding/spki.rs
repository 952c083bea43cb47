//! Public keys as SubjectPublicKeyInfo, in DER and PEM (RFC 5280 §4.1.2.7, RFC 5480 §2, RFC 7468
//! §13).

use alloc::string::String;
use alloc::vec::Vec;

use der::asn1::{AnyRef, BitStringRef, ObjectIdentifier};
use der::pem::{Decoder, LineEnding, encode_string};
use der::{Encode as _, Reader, SliceReader, Tag, Tagged};
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};

use crate::curve::CurveName;
use crate::error::Error;

/// id-ecPublicKey (RFC 5480 §2.1.1).
pub(super) const ID_EC_PUBLIC_KEY: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
/// The object identifiers of the curves, in the order of the list.
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

/// The PEM label of SPKI (RFC 7468 §13).
const LABEL: &str = "PUBLIC KEY";

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

/// Writes PEM with lines of 64 characters, ended by LF.
pub(crate) fn encode_pem(der: &[u8]) -> String {
    match encode_string(LABEL, LineEnding::LF, der) {
        Ok(text) => text,
        Err(_) => unreachable!("some hundred bytes are a PEM text"),
    }
}

/// Takes SPKI in DER; returns the curve it names and the bytes of its SEC 1 point, which are not
/// looked at.
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

/// What a PEM block begins with.
const BEGIN: &str = "-----BEGIN ";
/// What its last line begins with.
const END: &str = "-----END ";

/// Whether these bytes may be a PEM text. No other encoding that is text holds a space.
pub(crate) fn is_pem(bytes: &[u8]) -> bool {
    bytes
        .windows(BEGIN.len())
        .any(|part| part == BEGIN.as_bytes())
}

/// The one block of a PEM text, without the text around it (RFC 7468 §2, §5.2).
///
/// Readers differ in which of several blocks they take, and in whether a boundary may stand within
/// a line. So there must be one of each mark, and white space alone before the first in its line.
fn only_block(text: &str) -> Result<&str, Error> {
    let mut begins = text.match_indices(BEGIN);
    let (start, _) = begins.next().ok_or(Error::PemMalformed)?;
    if begins.next().is_some() {
        return Err(Error::PemSeveralBlocks);
    }
    let before = text[..start].rsplit('\n').next().unwrap_or_default();
    let mut ends = text.match_indices(END);
    match (ends.next(), ends.next()) {
        (Some((end, _)), None) if start < end && before.trim().is_empty() => {
            let last_line = text[end..].split('\n').next().unwrap_or_default();
            Ok(text[start..end + last_line.len()].trim_end())
        }
        _ => Err(Error::PemMalformed),
    }
}

/// Takes SPKI in PEM; returns its DER.
///
/// Text may stand before the BEGIN line and behind the END line. Lines have any one width.
///
/// # Errors
/// [`Error::PemMalformed`], [`Error::PemLabel`], [`Error::PemSeveralBlocks`].
pub(crate) fn decode_pem(text: &str) -> Result<Vec<u8>, Error> {
    let malformed = |_| Error::PemMalformed;
    let block = only_block(text)?;
    let mut decoder = Decoder::new_detect_wrap(block.as_bytes()).map_err(malformed)?;
    if decoder.type_label() != LABEL {
        return Err(Error::PemLabel);
    }
    let mut der = Vec::new();
    decoder
        .decode_to_end(&mut der)
        .map_err(|_| Error::PemMalformed)?;
    Ok(der)
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned as _;
    use alloc::format;
    use alloc::vec;

    use base64ct::{Base64, Encoding as _};

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

    /// An SPKI from the contents of its AlgorithmIdentifier and BIT STRING.
    fn spki(algorithm: &[&[u8]], bits: &[u8]) -> Vec<u8> {
        tlv(0x30, &[&tlv(0x30, algorithm), &tlv(3, &[bits])])
    }

    fn pem(label: &str, der: &[u8]) -> String {
        pem_of_width(label, der, 64)
    }

    fn pem_of_width(label: &str, der: &[u8], width: usize) -> String {
        let base64 = Base64::encode_string(der);
        let mut text = format!("-----BEGIN {label}-----\n");
        for line in base64.as_bytes().chunks(width) {
            text += core::str::from_utf8(line).unwrap();
            text.push('\n');
        }
        text + &format!("-----END {label}-----\n")
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
            // Something behind the parameters, or behind the BIT STRING.
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

    #[test]
    fn pem_returns_its_der() {
        let spki = spki(
            &[OID_EC, OID_P256],
            &[[0, 4].as_slice(), &[0x5a; 64]].concat(),
        );
        let text = pem(LABEL, &spki);
        assert_eq!(decode_pem(&text), Ok(spki.clone()));
        assert_eq!(decode_pem(&text.replace('\n', "\r\n")), Ok(spki.clone()));
        for width in [4, 63, 65, 76, 1000] {
            let text = pem_of_width(LABEL, &spki, width);
            assert_eq!(decode_pem(&text), Ok(spki.clone()), "{text}");
        }
        assert_eq!(decode_pem(text.trim_end()), Ok(spki.clone()));
        assert_eq!(decode_pem(&format!("{text}\n\n")), Ok(spki.clone()));
        for around in ["a key\n", "\n \n", "# é: -----\r\n", " \t"] {
            let before = format!("{around}{text}");
            assert_eq!(decode_pem(&before), Ok(spki.clone()), "{before}");
            let both = format!("{before}\n{around}");
            assert_eq!(decode_pem(&both), Ok(spki.clone()), "{both}");
        }
    }

    #[test]
    fn pem_of_several_blocks_or_with_marks_in_its_lines_is_refused() {
        let (good, other) = (pem(LABEL, &[0x30; 60]), pem("CERTIFICATE", &[0x30; 60]));
        for several in [
            good.clone() + &good,
            good.clone() + &other,
            other + &good,
            format!("a -----BEGIN PUBLIC KEY----- line\n{good}"),
            format!("{good}-----BEGIN "),
        ] {
            let error = Err(Error::PemSeveralBlocks);
            assert_eq!(decode_pem(&several), error, "{several}");
        }
        for marked in [
            format!("{good}-----END PUBLIC KEY-----\n"),
            format!("-----END PUBLIC KEY-----\n{good}"),
            format!("key: {good}"),
            good.trim_end().to_owned() + " behind",
            good.replace("\n-----END", "-----END"),
        ] {
            assert_eq!(decode_pem(&marked), Err(Error::PemMalformed), "{marked}");
        }
    }

    #[test]
    fn pem_of_another_kind_is_refused_by_its_label() {
        for label in [
            "EC PRIVATE KEY",
            "CERTIFICATE",
            "RSA PUBLIC KEY",
            "PRIVATE KEY",
        ] {
            assert_eq!(decode_pem(&pem(label, &[5, 0])), Err(Error::PemLabel));
        }
    }

    #[test]
    fn rejects_malformed_pem() {
        let good = pem(LABEL, &[0x30; 60]);
        let cases = [
            String::new(),
            String::from("PUBLIC KEY"),
            pem(LABEL, &[]),
            good.replace("KEY-----\nMDAw", "KEY-----\n\nMDAw"),
            good.replace("END", "ENT"),
            good.replace("-----END PUBLIC", "-----END PRIVATE"),
            good.replace("MDAw", "MD!w"),
            good.replace("\nMDAw", "\nProc-Type: 4,ENCRYPTED\n\nMDAw"),
        ];
        for case in cases {
            assert_eq!(decode_pem(&case), Err(Error::PemMalformed), "{case}");
        }
    }
}
