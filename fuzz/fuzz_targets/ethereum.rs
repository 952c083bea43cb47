//! Addresses of Ethereum, and signatures with their recovery id: accepted values are written back,
//! and an address has only its own checksum.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sigmill::RecoveryId;
use sigmill::ethereum::Address;
use sigmill::secp256k1::Signature;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = str::from_utf8(bytes)
        && let Ok(address) = text.parse::<Address>()
    {
        let written = address.to_string();
        let digits = text.strip_prefix("0x").unwrap_or(text);
        assert!(written[2..].eq_ignore_ascii_case(digits));
        let mixed = digits.to_lowercase() != digits && digits.to_uppercase() != digits;
        assert!(!mixed || written[2..] == *digits);
        assert_eq!(written.parse(), Ok(address));
    }
    if let Ok((signature, id)) = Signature::from_rsv(bytes) {
        let written = signature.to_rsv(id);
        assert_eq!(written[..64], bytes[..64]);
        assert_eq!(
            RecoveryId::from_v(written[64]),
            RecoveryId::from_v(bytes[64])
        );
    }
});
