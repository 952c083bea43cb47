//! A DER signature: accepted bytes are written back unchanged, and RustCrypto accepts them too.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sigmill::{Error, p256, p384};

macro_rules! check {
    ($bytes:expr, $ours:ident, $theirs:ident) => {
        let ours = $ours::Signature::from_der($bytes);
        let theirs = ::$theirs::ecdsa::Signature::from_der($bytes);
        match ours {
            Ok(signature) => {
                assert_eq!(signature.to_der(), $bytes);
                let p1363 = signature.to_p1363();
                assert_eq!(theirs.unwrap().to_bytes()[..], p1363);
                assert_eq!($ours::Signature::from_p1363(&p1363), Ok(signature));
                assert!(!signature.normalize_s().is_high_s());
            }
            Err(Error::RZero | Error::SZero | Error::ROutOfRange | Error::SOutOfRange) => {
                assert!(theirs.is_err());
            }
            Err(error) => assert!(theirs.is_err(), "{error}"),
        }
    };
}

fuzz_target!(|bytes: &[u8]| {
    check!(bytes, p256, p256);
    check!(bytes, p384, p384);
});
