//! Recovery: ids, points and signatures that do not yield a key.

use std::ptr;

use sigmill_capi::error::*;
use sigmill_capi::recover::sigmill_recover;
use sigmill_capi::signing_key::*;
use sigmill_capi::verifying_key::*;

use super::{DER, DIGESTS, P256, P1363, keys, rule};

/// The x-coordinate of the generator of P-256, whose y is odd.
const GENERATOR_X: [u8; 32] = [
    0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2,
    0x77, 0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96,
];

/// Recovers the key of a signature in P1363. Returns the error or the point.
fn recover(digest: &[u8], signature: &[u8], v: u8, policy: u32) -> Result<[u8; 65], sigmill_error> {
    let (mut key, mut point) = (ptr::dangling_mut(), [0; 65]);
    let (bytes, count) = (digest.as_ptr(), digest.len());
    let (place, len) = (signature.as_ptr(), signature.len());
    // SAFETY: the lengths are those of the bytes, and the handle is freed once.
    unsafe {
        let error = sigmill_recover(P256, bytes, count, place, len, P1363, v, policy, &mut key);
        assert_eq!(key.is_null(), error != SIGMILL_OK);
        if error != SIGMILL_OK {
            return Err(error);
        }
        sigmill_verifying_key_to_sec1(key, 0, point.as_mut_ptr(), &mut 65);
        sigmill_verifying_key_free(key);
    }
    Ok(point)
}

#[test]
fn ids_and_signatures_that_lead_nowhere() {
    let (secret, public) = keys();
    let (digest, mut signature, mut point) = ([3_u8; 32], [0_u8; 64], [0_u8; 65]);
    let (mut id, mut len) = (9, 64);
    // SAFETY: the handles are alive, and the lengths are those of the buffers.
    unsafe {
        sigmill_verifying_key_to_sec1(public, 0, point.as_mut_ptr(), &mut 65);
        let (bytes, place) = (digest.as_ptr(), signature.as_mut_ptr());
        let none = ptr::null();
        let error = sigmill_sign_with(
            secret, DIGESTS, bytes, 32, P1363, none, place, &mut len, &mut id,
        );
        assert_eq!(error, SIGMILL_OK);
        sigmill_verifying_key_free(public);
        sigmill_signing_key_free(secret);
    }
    assert!(id < 2, "x(R) of a random nonce is below the order");
    assert_eq!(recover(&digest, &signature, id, 0), Ok(point));
    assert_eq!(recover(&digest, &signature, id + 27, 0), Ok(point));
    let other = recover(&digest, &signature, id ^ 1, 0);
    assert!(other.is_ok_and(|other| other != point));
    for v in [4, 26, 29, 31, 255] {
        let error = recover(&digest, &signature, v, 0);
        assert_eq!(error, Err(rule("recovery-byte-out-of-range")), "{v}");
    }
    // r + n is beyond the prime, even under a policy that accepts this id.
    let error = recover(&digest, &signature, id + 2, 0);
    assert_eq!(error, Err(rule("recovery-x-out-of-range")));
    let error = recover(&digest, &signature, id + 2, 4);
    assert_eq!(error, Err(rule("recovery-id-reduced")));
    let error = recover(&digest, &signature, id, 3);
    assert_eq!(error, Err(SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE));
    let error = recover(&[], &signature, id, 0);
    assert_eq!(error, Err(rule("digest-empty")));
    for len in [0, 32, 63] {
        let error = recover(&digest, &signature[..len], id, 0);
        assert_eq!(error, Err(rule("signature-length")));
    }
    for (from, byte, expected) in [
        (0, 0, rule("r-zero")),
        (0, 255, rule("r-out-of-range")),
        (32, 0, rule("s-zero")),
        (32, 255, rule("s-out-of-range")),
    ] {
        let mut changed = signature;
        changed[from..from + 32].fill(byte);
        assert_eq!(recover(&digest, &changed, id, 0), Err(expected));
    }
}

/// Half of all r are not x-coordinates. With R = G and s = e, the key would be the point at
/// infinity.
#[test]
fn points_that_are_none() {
    let digest = [3_u8; 32];
    let of_r = |r: u8| {
        let mut signature = [0_u8; 64];
        (signature[31], signature[63]) = (r, 1);
        recover(&digest, &signature, 0, 0)
    };
    let found: Vec<_> = (1..60).map(of_r).collect();
    let none = Err(rule("recovery-not-on-curve"));
    let missing = found.iter().filter(|&&one| one == none).count();
    let keys = found.iter().filter(|one| one.is_ok()).count();
    assert_eq!(missing + keys, 59);
    assert!(missing > 15 && keys > 15, "{missing} and {keys}");

    let signature = [GENERATOR_X, digest].concat();
    let error = recover(&digest, &signature, 1, 0);
    assert_eq!(error, Err(rule("recovered-infinity")));
    assert!(recover(&digest, &signature, 0, 0).is_ok());
}

#[test]
fn places_and_choices() {
    let one = [1_u8; 70];
    let bytes = one.as_ptr();
    let mut key = ptr::dangling_mut();
    let null = SIGMILL_ERROR_NULL_POINTER;
    let choice = SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE;
    // SAFETY: NULL and lengths are checked before anything is read.
    unsafe {
        for (curve, format) in [(0, P1363), (6, P1363), (P256, 0), (P256, 4)] {
            let error = sigmill_recover(curve, bytes, 32, bytes, 64, format, 0, 0, &mut key);
            assert_eq!((error, key.is_null()), (choice, true));
        }
        let error = sigmill_recover(P256, ptr::null(), 32, bytes, 64, P1363, 0, 0, &mut key);
        assert_eq!(error, null);
        let error = sigmill_recover(P256, bytes, 32, ptr::null(), 64, P1363, 0, 0, &mut key);
        assert_eq!(error, null);
        let place = ptr::null_mut();
        assert_eq!(
            sigmill_recover(P256, bytes, 32, bytes, 64, P1363, 0, 0, place),
            null
        );
        let long = usize::MAX;
        let error = sigmill_recover(P256, bytes, 32, bytes, long, P1363, 0, 0, &mut key);
        assert_eq!(error, SIGMILL_ERROR_LENGTH_OUT_OF_RANGE);
        let error = sigmill_recover(P256, bytes, 32, bytes, 64, DER, 0, 0, &mut key);
        assert_eq!((error, key.is_null()), (rule("der-tag"), true));
    }
}
