//! A key as JWK, public or private: an accepted key survives rewriting, and names its curve.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sigmill::jose::Jwk;
use sigmill::{AnySigningKey, AnyVerifyingKey, CurveName, KeyPurpose};

fuzz_target!(|text: &str| {
    let key = AnyVerifyingKey::from_jwk_str(text);
    if let Ok(key) = key {
        assert!(text.trim_start().starts_with('{') && text.trim_end().ends_with('}'));
        assert_eq!(
            AnyVerifyingKey::from_encoded(None, text.trim().as_bytes()),
            Ok(key)
        );
        let full = key.to_sec1_bytes(false);
        assert_eq!(full.len(), 1 + 2 * key.curve().field_len());
        assert_eq!(
            AnyVerifyingKey::from_sec1_bytes(key.curve(), &full),
            Ok(key)
        );
        for &other in CurveName::ALL {
            let named = AnyVerifyingKey::from_encoded(Some(other), text.trim().as_bytes());
            assert_eq!(named.is_ok(), other == key.curve());
        }
    }
    if let Ok(jwk) = Jwk::from_json(text) {
        assert_eq!(jwk.check(KeyPurpose::Verify), key.map(|_| ()));
        assert_eq!(Jwk::from_json(&jwk.to_json()), Ok(jwk.clone()));
        let value = serde_json::from_str(text).expect("a JWK is JSON");
        assert_eq!(Jwk::from_value(&value), Ok(jwk));
    }
    for purpose in [KeyPurpose::Sign, KeyPurpose::Agree] {
        let Ok(private) = AnySigningKey::from_jwk_str_for(purpose, text) else {
            continue;
        };
        let public = AnyVerifyingKey::from_jwk_str(&private.verifying_key().to_jwk_str().unwrap());
        assert_eq!(public, Ok(private.verifying_key()));
        let written = private.to_jwk_str().expect("it was read from one");
        assert!(AnySigningKey::from_jwk_str(&written) == Ok(private));
    }
});
