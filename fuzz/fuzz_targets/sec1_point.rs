//! A SEC 1 point: RustCrypto gives the same result, and an accepted point is written back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sigmill::{Error, p256, p384};

macro_rules! check {
    ($bytes:expr, $ours:ident, $theirs:ident) => {
        let ours = $ours::VerifyingKey::from_sec1_bytes($bytes);
        let theirs = ::$theirs::ecdsa::VerifyingKey::from_sec1_bytes($bytes);
        match ours {
            Ok(key) => {
                let compressed = $bytes[0] != 4;
                assert_eq!(key.to_sec1_bytes(compressed), $bytes);
                let theirs = theirs.unwrap();
                assert_eq!(
                    theirs.to_sec1_point(false).as_bytes(),
                    key.to_sec1_bytes(false)
                );
            }
            // Only RustCrypto has the compact form (5).
            Err(Error::KeyTag { tag: 5 }) => {}
            Err(error) => assert!(theirs.is_err(), "{error}"),
        }
    };
}

fuzz_target!(|bytes: &[u8]| {
    check!(bytes, p256, p256);
    check!(bytes, p384, p384);
});
