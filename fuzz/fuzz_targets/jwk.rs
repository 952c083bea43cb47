//! A key as JWK: what is accepted survives a rewriting, and names its curve.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sigmill::{AnyVerifyingKey, CurveName};

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
});
