//! Files of keys: a key that is read can be written, and is read again as the same key.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sigmill::CurveName;
use sigmill_cli::fuzzing::{is_transaction, private_key, public_key};

fuzz_target!(|file: &[u8]| {
    for &curve in CurveName::ALL {
        if let Some(key) = public_key(file, Some(curve)) {
            assert_eq!(key.curve(), curve);
            let written = key.to_sec1_bytes(false);
            assert_eq!(public_key(&written, Some(curve)), Some(key));
        }
    }
    if let Some(key) = public_key(file, None) {
        // A key that is read without a curve names its own, or is a point that fits only one.
        assert_eq!(public_key(file, Some(key.curve())), Some(key));
    }
    if let Some(written) = private_key(file) {
        assert_eq!(private_key(&written).as_ref(), Some(&written));
    }
    // Any bytes may be a transaction.
    let _ = is_transaction(file);
});
