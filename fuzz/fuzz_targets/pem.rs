//! A key in PEM: accepted text holds the DER of a key, whatever surrounds it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sigmill::{AnyVerifyingKey, p256};

fuzz_target!(|text: &str| {
    let key = AnyVerifyingKey::from_public_key_pem(text);
    let typed = key.and_then(p256::VerifyingKey::try_from);
    if typed.is_ok() {
        assert_eq!(p256::VerifyingKey::from_public_key_pem(text), typed);
    }
    if key.is_ok() {
        assert!(text.contains("-----BEGIN PUBLIC KEY-----"));
        assert!(text.trim_end().ends_with("-----END PUBLIC KEY-----"));
        // Only more white space may follow at the end.
        assert_eq!(
            AnyVerifyingKey::from_public_key_pem(&format!("{text}\n \n")),
            key
        );
        assert!(AnyVerifyingKey::from_public_key_pem(&format!("{text}x")).is_err());
    }
});
