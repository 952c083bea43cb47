//! Public keys with their metadata.

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use sigmill::jose::Jwk;
use sigmill::{AnyVerifyingKey, CurveName, Error, KeyPurpose};

use super::{base64url, curves, jwk, key};

/// RFC 7517 §A.1, the key on a curve.
const ENCRYPTION: &str = r#"{"kty":"EC",
    "crv":"P-256",
    "x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
    "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
    "use":"enc",
    "kid":"1"}"#;

#[test]
fn the_examples_of_the_rfcs() {
    let jwk = Jwk::from_json(ENCRYPTION).unwrap();
    assert_eq!(jwk.key().curve(), CurveName::P256);
    assert_eq!((jwk.kid(), jwk.usage()), (Some("1"), Some("enc")));
    assert_eq!((jwk.alg(), jwk.key_operations()), (None, None));
    assert_eq!(jwk.key().algorithm(), sigmill::Algorithm::ES256);
    assert_eq!(jwk.check(KeyPurpose::Verify), Err(Error::JwkUse));
    assert_eq!(jwk.check(KeyPurpose::Agree), Ok(()));
    // RFC 9449 §4.2 and §6.1: a key and its thumbprint.
    let jwk = r#"{"kty":"EC",
        "x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
        "y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
        "crv":"P-256"}"#;
    let jwk = Jwk::from_json(jwk).unwrap();
    let thumbprint = base64url(&jwk.thumbprint_sha256());
    assert_eq!(thumbprint, "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I");
}

#[test]
fn what_a_key_says_is_kept_and_written_in_order() {
    for curve in curves() {
        let key = key(curve, 7);
        let alg = curve.jose_algorithm().unwrap();
        let plain = Jwk::from_json(&jwk(&key, "")).unwrap();
        assert_eq!(Jwk::from_key(key.verifying_key()), Ok(plain.clone()));
        assert_eq!(plain.key(), &key.verifying_key());
        assert_eq!(plain.to_json(), key.verifying_key().to_jwk_str().unwrap());
        let digest = Sha256::digest(plain.to_json());
        assert_eq!(plain.thumbprint_sha256()[..], digest[..]);

        let more = format!(
            r#" "use":"sig", "x5c":[["a"],{{"d":1}}], "kid":"\"\u00e9\u0000\n", "d":7,
                "key_ops":["verify","sign"], "alg":"{alg}", "#
        );
        let full = Jwk::from_json(&jwk(&key, &more)).unwrap();
        assert_eq!(full.kid(), Some("\"é\0\n"));
        assert_eq!((full.usage(), full.alg()), (Some("sig"), Some(alg)));
        assert_eq!(full.key_operations().unwrap(), ["verify", "sign"]);
        assert_eq!(full.key(), plain.key());
        assert_eq!(full.check(KeyPurpose::Verify), Ok(()));
        assert_eq!(full.thumbprint_sha256(), plain.thumbprint_sha256());
        // The members in lexicographic order, as `Value` has them; no white space.
        let json = full.to_json();
        let value: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value.to_string(), json);
        let members: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
        let expected = ["alg", "crv", "key_ops", "kid", "kty", "use", "x", "y"];
        assert_eq!(members, expected);
        assert_eq!(Jwk::from_json(&json), Ok(full.clone()));
        assert_eq!(Jwk::from_value(&value), Ok(full.clone()));
        assert_eq!(AnyVerifyingKey::from_jwk_str(&json), Ok(*full.key()));
        assert_eq!(plain.with_kid("\"é\0\n").kid(), full.kid());
    }
    // JOSE has no name for this curve.
    let brainpool = key(CurveName::BrainpoolP256r1, 7).verifying_key();
    assert_eq!(Jwk::from_key(brainpool), Err(Error::JwkCurveUnknown));
}

#[test]
fn a_key_is_for_what_it_says() {
    let sign = jwk(&key(CurveName::P256, 7), r#""use":"sig","#);
    for (text, verify, agree) in [
        (sign.as_str(), Ok(()), Err(Error::JwkUse)),
        (ENCRYPTION, Err(Error::JwkUse), Ok(())),
    ] {
        let jwk = Jwk::from_json(text).unwrap();
        assert_eq!(jwk.check(KeyPurpose::Verify), verify);
        assert_eq!(jwk.check(KeyPurpose::Agree), agree);
        let key = |()| *jwk.key();
        assert_eq!(AnyVerifyingKey::from_jwk_str(text), verify.map(key));
        let read = |purpose| AnyVerifyingKey::from_encoded_for(purpose, None, text.as_bytes());
        assert_eq!(read(KeyPurpose::Verify), verify.map(key));
        assert_eq!(read(KeyPurpose::Agree), agree.map(key));
    }
}

#[test]
fn every_rule_has_its_error() {
    let good = jwk(&key(CurveName::P256, 7), "");
    let other = jwk(&key(CurveName::P256, 8), "");
    let other: Value = serde_json::from_str(&other).unwrap();
    let with = |more: &str| good.replacen('{', &format!("{{{more},"), 1);
    let y = other["y"].as_str().unwrap();
    let at = good.find(r#""y":""#).unwrap();
    let moved = format!(r#"{}"y":"{y}"}}"#, &good[..at]);
    let cases = [
        (moved, Error::KeyNotOnCurve),
        (good.replace("P-256", "P-384"), {
            Error::JwkCoordinateLength {
                coordinate: "x",
                expected: 48,
                actual: 32,
            }
        }),
        (good.replace("P-256", "Ed25519"), Error::JwkCurveUnknown),
        (good.replace("EC", "OKP"), Error::JwkKeyType),
        (with(r#""kid":1"#), Error::JwkMalformed),
        (with(r#""kid":["a"]"#), Error::JwkMalformed),
        (with(r#""use":{}"#), Error::JwkMalformed),
        (with(r#""alg":false"#), Error::JwkMalformed),
        (with(r#""key_ops":"verify""#), Error::JwkMalformed),
        (with(r#""key_ops":["verify",null]"#), Error::JwkMalformed),
        (with(r#""kid":"a","kid":"a""#), Error::JwkMemberTwice),
        (with(r#""\u0078":"AA""#), Error::JwkMemberTwice),
        (with(r#""use":[{"a":1,"a":1}]"#), Error::JwkMemberTwice),
        (with(r#""key_ops":[{"a":1,"a":1}]"#), Error::JwkMemberTwice),
        (format!("[{good}]"), Error::JwkMalformed),
        (format!("{good},"), Error::JwkMalformed),
        (String::from("null"), Error::JwkMalformed),
        (with(&format!(r#""a":{}"#, "[".repeat(100_000))), {
            Error::JwkMalformed
        }),
    ];
    for (text, error) in cases {
        assert_eq!(Jwk::from_json(&text), Err(error), "{text:.200}");
        // A `Value` has lost duplicate members, and nothing else.
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            let read = Jwk::from_value(&value);
            match error {
                Error::JwkMemberTwice => assert_ne!(read, Err(error), "{text}"),
                _ => assert_eq!(read, Err(error), "{text}"),
            }
        }
    }
    // A member with the value null is absent.
    let nulls = with(r#""kid":null,"use":null,"key_ops":null,"alg":null"#);
    assert_eq!(Jwk::from_json(&nulls), Jwk::from_json(&good));
    // Reading only the key ignores its kid.
    let named = with(r#""kid":7"#);
    assert_eq!(
        AnyVerifyingKey::from_jwk_str(&named),
        AnyVerifyingKey::from_jwk_str(&good)
    );
}
