//! Keys as JWK (RFC 7517 §4, RFC 7518 §6.2).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use base64ct::{Base64UrlUnpadded, Encoding as _};
use serde_json::Value;
use zeroize::Zeroizing;

use super::jwk_members::{JwkPoint, Members, Reading};
use super::key_purpose::KeyPurpose;
#[cfg(feature = "signing")]
use super::private_key::PrivateKey;
use crate::curve::CurveName;
use crate::error::Error;

/// Reads the JSON text of one JWK that is for `purpose`, and returns its point.
///
/// # Errors
/// One of the variants whose name begins with `Jwk`.
pub(crate) fn decode(purpose: KeyPurpose, text: &str) -> Result<JwkPoint, Error> {
    Members::read(text)?.point(Some(purpose))
}

/// The contents of a private JWK. The caller must check the numbers.
pub(crate) struct PrivateJwk {
    point: JwkPoint,
    secret: Zeroizing<Vec<u8>>,
}

#[cfg(feature = "signing")]
impl PrivateJwk {
    /// Returns the key, with its public key.
    pub(crate) fn private_key(&self) -> PrivateKey<'_> {
        PrivateKey {
            curve: self.point.curve(),
            secret: &self.secret,
            public: [Some(self.point.sec1_bytes()), None],
        }
    }
}

/// Reads the JSON text of one private JWK that is for `purpose`.
///
/// # Errors
/// One of the variants whose name begins with `Jwk`; [`Error::SecretLength`].
pub(crate) fn decode_private(purpose: KeyPurpose, text: &str) -> Result<PrivateJwk, Error> {
    let members = Members::read_alone(Reading::Private, text)?;
    let point = members.point(Some(purpose))?;
    let secret = members.secret(point.curve())?;
    Ok(PrivateJwk { point, secret })
}

/// Returns the JSON text of the key with these coordinates, which must have full length; `None` if
/// JOSE has no name for the curve.
pub(crate) fn encode(curve: CurveName, x: &[u8], y: &[u8]) -> Option<String> {
    encode_with(curve, x, y, &[])
}

/// [`encode`] with more members, each with its value as JSON. All members are in the order of RFC
/// 7638 §3.
pub(crate) fn encode_with(
    curve: CurveName,
    x: &[u8],
    y: &[u8],
    more: &[(&str, Value)],
) -> Option<String> {
    let text = |bytes| Value::String(Base64UrlUnpadded::encode_string(bytes));
    let key = [
        ("crv", curve.jwk_name()?.into()),
        ("kty", "EC".into()),
        ("x", text(x)),
        ("y", text(y)),
    ];
    let mut members: Vec<_> = key.iter().chain(more).collect();
    members.sort_unstable_by_key(|(name, _)| *name);
    let members: Vec<_> = members
        .into_iter()
        .map(|(name, value)| format!(r#""{name}":{value}"#))
        .collect();
    Some(format!("{{{}}}", members.join(",")))
}

/// Returns the JSON text of a private key with its public key: the members of [`encode`], and `d`,
/// which has the length of the order.
pub(crate) fn encode_private(
    curve: CurveName,
    secret: &[u8],
    x: &[u8],
    y: &[u8],
) -> Option<Zeroizing<String>> {
    let public = encode(curve, x, y)?;
    let d = Zeroizing::new(Base64UrlUnpadded::encode_string(secret));
    // `d` follows `crv`, the first member.
    let (crv, others) = public.split_once(',')?;
    let parts = [crv, r#","d":""#, &d, r#"","#, others];
    // Allocated at once, so that no part stays behind when a text grows.
    let len = parts.iter().map(|part| part.len()).sum();
    let mut text = Zeroizing::new(String::with_capacity(len));
    parts.iter().for_each(|part| text.push_str(part));
    Some(text)
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned as _;
    use alloc::vec;

    use super::*;

    fn decode(text: &str) -> Result<JwkPoint, Error> {
        super::decode(KeyPurpose::Verify, text)
    }

    /// A JWK with these bytes as coordinates.
    fn jwk(crv: &str, x: &[u8], y: &[u8]) -> String {
        let (x, y) = (
            Base64UrlUnpadded::encode_string(x),
            Base64UrlUnpadded::encode_string(y),
        );
        jwk_text(crv, &x, &y)
    }

    fn jwk_text(crv: &str, x: &str, y: &str) -> String {
        format!(r#"{{"kty":"EC","crv":"{crv}","x":"{x}","y":"{y}"}}"#)
    }

    #[test]
    fn returns_curve_and_point() {
        for &curve in CurveName::ALL {
            let x: Vec<u8> = (0..curve.field_len()).map(|i| 0xf8 ^ i as u8).collect();
            let y = vec![0; curve.field_len()];
            let decoded = decode(&jwk(curve.as_str(), &x, &y));
            if curve.jwk_name().is_none() {
                // JOSE has no name for it.
                assert_eq!(decoded.err(), Some(Error::JwkCurveUnknown));
                continue;
            }
            let point = decoded.unwrap();
            assert_eq!(point.curve(), curve);
            assert_eq!(point.sec1_bytes(), [&[4], &x[..], &y[..]].concat());
        }
    }

    // RFC 7517 §A.1.
    #[test]
    fn decodes_the_example_of_the_rfc() {
        let text = r#"{"kty":"EC",
            "crv":"P-256",
            "x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
            "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
            "use":"enc",
            "kid":"1"}"#;
        let point = super::decode(KeyPurpose::Agree, text).unwrap();
        assert_eq!(decode(text), Err(Error::JwkUse));
        assert_eq!(point.curve(), CurveName::P256);
        assert_eq!(point.sec1_bytes()[..5], [4, 0x30, 0xa0, 0x42, 0x4c]);
        assert_eq!(point.sec1_bytes()[33..37], [0xe0, 0x4b, 0x65, 0xe9]);
    }

    #[test]
    fn skips_other_members_the_private_key_too() {
        let good = jwk("P-256", &[1; 32], &[2; 32]);
        let more = good.replacen('{', r#"{"d":"AAAA","kid":7,"x5c":{},"#, 1);
        assert_eq!(decode(&more), decode(&good));
        assert!(decode(&format!("\r\n {more}\t")).is_ok());
        // A member's text may hold escapes.
        assert_eq!(decode(&good.replace("EC", "\\u0045C")), decode(&good));
    }

    #[test]
    fn rejects_what_is_not_one_object_of_texts() {
        let good = jwk("P-256", &[1; 32], &[2; 32]);
        let cases = [
            String::new(),
            String::from("[]"),
            String::from(r#"["EC","P-256","AQ","AQ"]"#),
            String::from(r#""EC""#),
            good.replace(r#""EC""#, "7"),
            good.replace(r#""EC""#, r#"["EC"]"#),
            good.replace('}', ""),
            good.replace('}', ",}"),
            good.clone() + "x",
            good.clone() + &good,
        ];
        for case in cases {
            assert_eq!(decode(&case), Err(Error::JwkMalformed), "{case}");
        }
    }

    #[test]
    fn rejects_what_two_readers_read_differently() {
        let good = jwk("P-256", &[1; 32], &[2; 32]);
        for member in ["kty", "crv", "x", "y", "kid", "use"] {
            let twice = good.replace('}', &format!(r#","{member}":"sig","{member}":"sig"}}"#));
            assert_eq!(decode(&twice), Err(Error::JwkMemberTwice), "{member}");
        }
        let cases = [
            (r#","a":[{"b":1,"b":2}]}"#, Error::JwkMemberTwice),
            (r#","a":"\ud800"}"#, Error::JwkMalformed),
            (r#","a":1e999}"#, Error::JwkMalformed),
            (",\"a\":\"\u{0}\"}", Error::JwkMalformed),
        ];
        for (end, error) in cases {
            assert_eq!(decode(&good.replace('}', end)), Err(error), "{end:?}");
        }
        assert_eq!(decode(&format!("\u{feff}{good}")), Err(Error::JwkMalformed));
    }

    #[test]
    fn rejects_missing_members_by_name() {
        let good = jwk("P-256", &[1; 32], &[2; 32]);
        for member in ["kty", "crv", "x", "y"] {
            let missing = good.replace(&format!(r#""{member}":"#), r#""other":"#);
            assert_eq!(decode(&missing), Err(Error::JwkMemberMissing { member }));
            let key = format!(r#""{member}":"#);
            let start = good.find(&key).unwrap() + key.len();
            let end = start + 1 + good[start + 1..].find('"').unwrap() + 1;
            let null = format!("{}null{}", &good[..start], &good[end..]);
            assert_eq!(decode(&null), Err(Error::JwkMemberMissing { member }));
        }
        assert_eq!(decode("{}"), Err(Error::JwkMemberMissing { member: "kty" }));
    }

    #[test]
    fn rejects_other_key_types_and_curves() {
        let good = jwk("P-256", &[1; 32], &[2; 32]);
        for kty in ["RSA", "OKP", "oct", "ec", ""] {
            assert_eq!(
                decode(&good.replace("EC", kty)),
                Err(Error::JwkKeyType),
                "{kty}"
            );
        }
        // Names from other standards are not JOSE names.
        for crv in ["P-192", "secp521r1", "prime256v1", "secp256r1", "p-256", ""] {
            let jwk = jwk(crv, &[1; 32], &[2; 32]);
            assert_eq!(decode(&jwk), Err(Error::JwkCurveUnknown), "{crv}");
        }
    }

    #[test]
    fn rejects_coordinates_without_the_full_length() {
        for (crv, expected) in [("P-256", 32), ("secp256k1", 32), ("P-384", 48)] {
            let full = vec![1; expected];
            for actual in (0..70).filter(|&n| n != expected) {
                let wrong = vec![1; actual];
                for (coordinate, jwk) in [
                    ("x", jwk(crv, &wrong, &full)),
                    ("y", jwk(crv, &full, &wrong)),
                ] {
                    let error = Error::JwkCoordinateLength {
                        coordinate,
                        expected,
                        actual,
                    };
                    assert_eq!(decode(&jwk), Err(error));
                }
            }
        }
    }

    #[test]
    fn rejects_coordinates_that_are_not_base64url() {
        let full = Base64UrlUnpadded::encode_string(&[0xff; 32]);
        assert_eq!(full.len(), 43);
        let cases = [
            full.clone() + "=",
            full.clone() + "\\n",
            full.replacen('_', "/", 1),
            full.replacen('_', "+", 1),
            full.replacen('_', "é", 1),
            // One letter too many, and nonzero bits after the last byte.
            full.clone() + "AA",
            full[..42].to_owned() + "9",
        ];
        for case in cases {
            for (coordinate, jwk) in [
                ("x", jwk_text("P-256", &case, &full)),
                ("y", jwk_text("P-256", &full, &case)),
            ] {
                assert_eq!(
                    decode(&jwk),
                    Err(Error::JwkCoordinateEncoding { coordinate }),
                    "{case}"
                );
            }
        }
    }
}
