//! Private keys as JWK (RFC 7518 §6.2.2).

use num_bigint::BigUint;
use openssl::bn::{BigNum, BigNumContext};
use openssl::ec::{EcGroup, EcPoint, PointConversionForm};
use sigmill::{AnySigningKey, AnyVerifyingKey, CurveName, Error, KeyPurpose};
use sigmill_tests::referee::{Referee, nid};

use super::{base64url, curves, key};

/// RFC 7518 appendix C: Alice's and Bob's keys, and their shared secret.
const ALICE: &str = r#"{"kty":"EC",
    "crv":"P-256",
    "x":"gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0",
    "y":"SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps",
    "d":"0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo"}"#;
const BOB: &str = r#"{"kty":"EC",
    "crv":"P-256",
    "x":"weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ",
    "y":"e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck",
    "d":"VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw"}"#;
const AGREED: [u8; 32] = [
    158, 86, 217, 29, 129, 113, 53, 211, 114, 131, 66, 131, 191, 132, 38, 156, 251, 49, 110, 163,
    218, 128, 106, 72, 246, 218, 167, 121, 140, 254, 144, 196,
];

#[test]
fn the_examples_of_the_rfcs() {
    let read = |text| AnySigningKey::from_jwk_str_for(KeyPurpose::Agree, text).unwrap();
    let (alice, bob) = (read(ALICE), read(BOB));
    let shared = alice.diffie_hellman(&bob.verifying_key()).unwrap();
    assert_eq!(shared.as_bytes()[..], AGREED);
    // RFC 7517 §A.2, the key on a curve.
    let text = r#"{"kty":"EC",
        "crv":"P-256",
        "x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
        "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
        "d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE",
        "use":"enc",
        "kid":"1"}"#;
    assert!(AnySigningKey::from_jwk_str_for(KeyPurpose::Agree, text).is_ok());
    assert_eq!(AnySigningKey::from_jwk_str(text), Err(Error::JwkUse));
}

#[test]
fn what_is_written_is_read_and_is_what_openssl_has() {
    for curve in curves() {
        for byte in [1, 0x5a, 0xff] {
            let key = key(curve, byte);
            let json = key.to_jwk_str().unwrap();
            assert_eq!(AnySigningKey::from_jwk_str(&json).as_ref(), Ok(&key));
            let public = AnyVerifyingKey::from_jwk_str(&json);
            assert_eq!(public, Ok(key.verifying_key()));

            let value: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!(value.to_string(), *json);
            let members: Vec<_> = value.as_object().unwrap().keys().collect();
            assert_eq!(members, ["crv", "d", "kty", "x", "y"]);
            let d = key.to_be_bytes();
            assert_eq!(value["d"], base64url(&d));
            // The first byte of the number is zero, and is still written.
            assert_eq!((d[0], d.len()), (0, curve.order_len()));

            let group = EcGroup::from_curve_name(nid(curve)).unwrap();
            let mut ctx = BigNumContext::new().unwrap();
            let mut point = EcPoint::new(&group).unwrap();
            let number = BigNum::from_slice(&d).unwrap();
            point.mul_generator2(&group, &number, &mut ctx).unwrap();
            let form = PointConversionForm::UNCOMPRESSED;
            let point = point.to_bytes(&group, form, &mut ctx).unwrap();
            let (x, y) = point[1..].split_at(curve.field_len());
            assert_eq!(value["x"], base64url(x));
            assert_eq!(value["y"], base64url(y));
        }
    }
    let brainpool = key(CurveName::BrainpoolP256r1, 1);
    assert!(brainpool.to_jwk_str().is_none());
}

#[test]
fn every_rule_has_its_error() {
    for curve in curves() {
        let (signing, other) = (key(curve, 7), key(curve, 8));
        let json = signing.to_jwk_str().unwrap();
        let (len, alg) = (curve.order_len(), curve.jose_algorithm().unwrap());
        let d = base64url(&signing.to_be_bytes());
        let with_d = |json_d: &str| json.replace(&format!(r#""{d}""#), json_d);
        let with_bytes = |bytes: &[u8]| with_d(&format!(r#""{}""#, base64url(bytes)));
        let and = |more: &str| json.replacen('{', &format!("{{{more},"), 1);
        let n = Referee::new(curve).n;
        let number = |n: &BigUint| {
            let bytes = n.to_bytes_be();
            [vec![0; len - bytes.len()], bytes].concat()
        };
        let length = |actual| Error::SecretLength {
            expected: len,
            actual,
        };
        let whole = signing.to_be_bytes();
        let escaped = format!(r#""\u0041{}""#, &d[1..]);
        let letters = escaped.len() - 2;
        let mut cases = vec![
            (with_bytes(&vec![0; len]), Error::SecretZero),
            (with_bytes(&number(&n)), Error::SecretOutOfRange),
            (with_bytes(&vec![0xff; len]), Error::SecretOutOfRange),
            (
                with_bytes(&number(&(&n - 1u32))),
                Error::PrivateKeyPublicMismatch,
            ),
            (
                with_bytes(&other.to_be_bytes()),
                Error::PrivateKeyPublicMismatch,
            ),
            // One leading zero fewer, and one more.
            (with_bytes(&whole[1..]), length(len - 1)),
            (with_bytes(&[&[0], &whole[..]].concat()), length(len + 1)),
            (with_d(r#""""#), length(0)),
            (with_d("null"), Error::JwkMemberMissing { member: "d" }),
            (json.replace(r#""d":"#, r#""D":"#), {
                Error::JwkMemberMissing { member: "d" }
            }),
            (with_d("7"), Error::JwkMalformed),
            (with_d(r#"["AA"]"#), Error::JwkMalformed),
            (with_d(&format!(r#"["{d}"]"#)), Error::JwkMalformed),
            (
                with_d(&format!(r#""{}+""#, &d[1..])),
                Error::JwkSecretEncoding,
            ),
            (
                with_d(&format!(r#"" {}""#, &d[1..])),
                Error::JwkSecretEncoding,
            ),
            // Escapes are refused: a JSON parser that decodes them would copy the key.
            (
                with_d(&escaped),
                length(letters / 4 * 3 + letters % 4 * 3 / 4),
            ),
            (with_d(&format!(r#""\u0041{}""#, &d[6..])), {
                Error::JwkSecretEncoding
            }),
            (and(&format!(r#""d":"{d}""#)), Error::JwkMemberTwice),
            (and(r#""\u0064":1"#), Error::JwkMemberTwice),
            (and(r#""a":{"b":1,"b":1}"#), Error::JwkMemberTwice),
            (json.replace("EC", "oct"), Error::JwkKeyType),
            (json.replace(r#""y":"#, r#""z":"#), {
                Error::JwkMemberMissing { member: "y" }
            }),
            (and(r#""use":"enc""#), Error::JwkUse),
            (and(r#""key_ops":["verify"]"#), Error::JwkKeyOperations),
            (and(r#""key_ops":[]"#), Error::JwkKeyOperations),
            (and(r#""alg":"ECDH-ES""#), Error::JwkAlgorithm),
            (and(r#""alg":"HS256""#), Error::JwkAlgorithm),
        ];
        // Excess bits in the last character, if it has any.
        if len % 3 != 0 {
            let bits = format!(r#""{}{}""#, &d[..d.len() - 1], {
                char::from(d.as_bytes()[d.len() - 1] + 1)
            });
            cases.push((with_d(&bits), Error::JwkSecretEncoding));
        }
        for (text, error) in cases {
            let read = AnySigningKey::from_jwk_str(&text);
            assert_eq!(read.err(), Some(error), "{text}");
        }
        for more in [
            r#""use":"sig""#.to_owned(),
            r#""key_ops":["sign","verify"],"kid":"\u0041""#.to_owned(),
            format!(r#""alg":"{alg}","x5c":["AA"]"#),
        ] {
            let read = AnySigningKey::from_jwk_str(&and(&more));
            assert_eq!(read.as_ref(), Ok(&signing), "{more}");
        }
        // A public key is not a private key.
        let public = signing.verifying_key().to_jwk_str().unwrap();
        let missing = Some(Error::JwkMemberMissing { member: "d" });
        assert_eq!(AnySigningKey::from_jwk_str(&public).err(), missing);
    }
}
