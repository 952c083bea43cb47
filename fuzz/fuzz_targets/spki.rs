//! A key in SPKI: every way to read it gives the same result, and the point in it ends the input.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sigmill::{AnyVerifyingKey, CurveName, Error, p256, p384};

fuzz_target!(|der: &[u8]| {
    let any = AnyVerifyingKey::from_public_key_der(der);
    let p256 = p256::VerifyingKey::from_public_key_der(der);
    let p384 = p384::VerifyingKey::from_public_key_der(der);
    if let Ok(key) = any {
        let [full, compressed] = [false, true].map(|form| key.to_sec1_bytes(form));
        // RFC 5480 leaves no choice for the bytes before the point.
        let whole = key.to_public_key_der();
        assert!(whole.ends_with(&full));
        assert!(der == whole || der.ends_with(&compressed) && der.len() < whole.len());
        assert_eq!(p256.is_ok(), key.curve() == CurveName::P256);
        assert_eq!(p384.is_ok(), key.curve() == CurveName::P384);
        assert_eq!(AnyVerifyingKey::from_encoded(None, der), any);
        for extra in [0, 0xff] {
            let longer = [der, &[extra]].concat();
            let verdict = AnyVerifyingKey::from_public_key_der(&longer);
            assert_eq!(verdict, Err(Error::SpkiTrailingData));
        }
    } else {
        assert!(p256.is_err() && p384.is_err());
    }
});
