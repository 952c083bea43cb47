//! Signing: invalid secrets, digests of all lengths, invalid choices, and buffers that do not fit.

use std::ptr;

use sigmill_capi::error::*;
use sigmill_capi::options::{sigmill_sign_options, sigmill_verify_options};
use sigmill_capi::signing_key::*;
use sigmill_capi::verifying_key::*;

use super::{DER, DIGESTS, MESSAGES, P256, P384, P1363, keys, rule};

/// The order of P-256.
const ORDER: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
];

/// Returns the order plus a small difference.
fn near_order(difference: i8) -> [u8; 32] {
    let mut near = ORDER;
    near[31] = near[31].wrapping_add_signed(difference);
    near
}

#[test]
fn secrets_that_are_none() {
    let mut one = [0; 32];
    one[31] = 1;
    let cases: [(u32, &[u8], sigmill_error); 12] = [
        (P256, &[0; 32], rule("secret-zero")),
        (P256, &one, SIGMILL_OK),
        (P256, &near_order(-1), SIGMILL_OK),
        (P256, &ORDER, rule("secret-out-of-range")),
        (P256, &near_order(1), rule("secret-out-of-range")),
        (P256, &[255; 32], rule("secret-out-of-range")),
        (P256, &[1; 31], rule("secret-length")),
        (P256, &[1; 33], rule("secret-length")),
        (P256, &[], rule("secret-length")),
        (P384, &[1; 32], rule("secret-length")),
        (P384, &[255; 48], rule("secret-out-of-range")),
        (0, &[1; 32], SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE),
    ];
    for (curve, scalar, expected) in cases {
        let mut key = ptr::dangling_mut();
        // SAFETY: the length is that of the bytes; the handle is freed once.
        unsafe {
            let (bytes, len) = (scalar.as_ptr(), scalar.len());
            let error = sigmill_signing_key_from_scalar(curve, bytes, len, &mut key);
            assert_eq!(error, expected, "{scalar:?}");
            assert_eq!(key.is_null(), expected != SIGMILL_OK);
            sigmill_signing_key_free(key);
        }
    }
    // SAFETY: NULL is checked before anything is read.
    unsafe {
        let mut key = ptr::dangling_mut();
        let error = sigmill_signing_key_from_scalar(P256, ptr::null(), 32, &mut key);
        assert_eq!((error, key.is_null()), (SIGMILL_ERROR_NULL_POINTER, true));
        let error = sigmill_signing_key_from_scalar(P256, [1; 32].as_ptr(), 32, ptr::null_mut());
        assert_eq!(error, SIGMILL_ERROR_NULL_POINTER);
    }
}

/// The same secrets in PKCS#8, which has no other fields for them.
#[test]
fn secrets_that_are_none_in_pkcs8() {
    let (secret, public) = keys();
    let (mut der, mut scalar) = ([0_u8; 241], [0_u8; 32]);
    let (mut len, mut scalar_len) = (der.len(), 32);
    // SAFETY: the handles are alive, and the lengths are those of the buffers.
    unsafe {
        let place = der.as_mut_ptr();
        assert_eq!(
            sigmill_signing_key_to_pkcs8_der(secret, place, &mut len),
            SIGMILL_OK
        );
        let place = scalar.as_mut_ptr();
        assert_eq!(
            sigmill_signing_key_to_scalar(secret, place, &mut scalar_len),
            SIGMILL_OK
        );
        sigmill_verifying_key_free(public);
        sigmill_signing_key_free(secret);
    }
    let at = der.windows(32).position(|part| part == scalar).unwrap();
    let with = |scalar: [u8; 32]| {
        let mut changed = der[..len].to_vec();
        changed[at..at + 32].copy_from_slice(&scalar);
        changed
    };
    let mut other = scalar;
    other[31] ^= 1;
    let cases = [
        (with(scalar), SIGMILL_OK),
        (with([0; 32]), rule("secret-zero")),
        (with(ORDER), rule("secret-out-of-range")),
        (with(other), rule("private-key-public-mismatch")),
        (der[..len - 1].to_vec(), rule("private-key-malformed")),
        (vec![], rule("private-key-malformed")),
        (
            [&der[..len], &[0]].concat(),
            rule("private-key-trailing-data"),
        ),
    ];
    for (der, expected) in cases {
        let mut key = ptr::dangling_mut();
        // SAFETY: the length is that of the bytes; the handle is freed once.
        unsafe {
            let error = sigmill_signing_key_from_pkcs8_der(der.as_ptr(), der.len(), &mut key);
            assert_eq!(
                (error, key.is_null()),
                (expected, expected != SIGMILL_OK),
                "{der:?}"
            );
            sigmill_signing_key_free(key);
        }
    }
}

#[test]
fn digests_of_all_lengths() {
    let (secret, public) = keys();
    let digest: Vec<u8> = (0..=255).collect();
    let (mut signature, mut other) = ([7_u8; 64], [1_u8; 64]);
    let (place, mut len) = (signature.as_mut_ptr(), 64);
    // SAFETY: the handles are alive, and no length exceeds its buffer.
    unsafe {
        let empty = rule("digest-empty");
        for none in [digest.as_ptr(), ptr::null()] {
            assert_eq!(
                sigmill_sign_prehash(secret, none, 0, P1363, place, &mut len),
                empty
            );
            let error = sigmill_verify_prehash(public, none, 0, other.as_ptr(), 64, P1363);
            assert_eq!(error, empty);
        }
        let error = sigmill_sign_prehash(secret, ptr::null(), 32, P1363, place, &mut len);
        assert_eq!(error, SIGMILL_ERROR_NULL_POINTER);
        let (bytes, too_long) = (digest.as_ptr(), usize::MAX);
        let error = sigmill_sign_prehash(secret, bytes, too_long, P1363, place, &mut len);
        assert_eq!(error, SIGMILL_ERROR_LENGTH_OUT_OF_RANGE);
        assert_eq!((signature, len), ([7; 64], 0));
        len = 64;

        let verify = |digest: &[u8], signature: &[u8]| {
            let (bytes, count) = (digest.as_ptr(), digest.len());
            sigmill_verify_prehash(public, bytes, count, signature.as_ptr(), 64, P1363)
        };
        for count in [1, 20, 31, 32, 33, 48, 64, 256] {
            let (bytes, place) = (digest.as_ptr(), signature.as_mut_ptr());
            let error = sigmill_sign_prehash(secret, bytes, count, P1363, place, &mut len);
            assert_eq!((error, len), (SIGMILL_OK, 64), "{count} bytes");
            assert_eq!(
                verify(&digest[..count], &signature),
                SIGMILL_OK,
                "{count} bytes"
            );
            // Only the leftmost 32 bytes of a longer digest count. A shorter one is the same number
            // as one with leading zeros.
            let mut same = vec![0; 32_usize.saturating_sub(count)];
            same.extend_from_slice(&digest[..count.min(32)]);
            assert_eq!(verify(&same, &signature), SIGMILL_OK, "{count} bytes");
            same[31] ^= 1;
            let error = verify(&same, &signature);
            assert_eq!(error, rule("signature-mismatch"), "{count} bytes");
        }
        // Messages may be empty.
        let place = other.as_mut_ptr();
        let error = sigmill_sign(secret, ptr::null(), 0, P1363, place, &mut len);
        assert_eq!((error, len), (SIGMILL_OK, 64));
        let error = sigmill_sign(secret, ptr::null(), 1, P1363, place, &mut len);
        assert_eq!((error, len), (SIGMILL_ERROR_NULL_POINTER, 0));
        let place = other.as_ptr();
        let error = sigmill_verify(public, ptr::null(), 0, place, 64, P1363);
        assert_eq!(error, SIGMILL_OK);
        sigmill_verifying_key_free(public);
        sigmill_signing_key_free(secret);
    }
}

/// A function that signs: key, choices of hash and format, buffer, length.
type Sign<'a> =
    &'a dyn Fn(*const sigmill_signing_key, [u32; 2], *mut u8, *mut usize) -> sigmill_error;

#[test]
fn keys_choices_and_buffers() {
    let (secret, public) = keys();
    let digest = [3_u8; 32];
    let bytes = digest.as_ptr();
    let sign_with = |key, kind, hash, format, place, len| {
        let (entropy, entropy_len) = (ptr::null(), 0);
        let options = sigmill_sign_options {
            hash,
            entropy,
            entropy_len,
            reserved: [0; 4],
        };
        let id = &mut 0;
        // SAFETY: the handle is alive or NULL, and no length exceeds its buffer.
        let error =
            unsafe { sigmill_sign_with(key, kind, bytes, 32, format, &options, place, len, id) };
        assert_eq!(*id == 255, error != SIGMILL_OK);
        error
    };
    // SAFETY: the handles are alive or NULL, and no length exceeds its buffer.
    let signers: [Sign<'_>; 3] = unsafe {
        [
            &|key, [hash, format], place, len| match hash {
                0 => sigmill_sign(key, bytes, 32, format, place, len),
                _ => sign_with(key, MESSAGES, hash, format, place, len),
            },
            &|key, [hash, format], place, len| match hash {
                0 => sigmill_sign_prehash(key, bytes, 32, format, place, len),
                _ => sign_with(key, DIGESTS, hash, format, place, len),
            },
            &|key, [hash, format], place, len| sign_with(key, DIGESTS, hash, format, place, len),
        ]
    };
    for sign in signers {
        let (mut signature, mut len) = ([7_u8; 139], 139);
        let place = signature.as_mut_ptr();
        let error = sign(ptr::null(), [0, DER], place, &mut len);
        assert_eq!(error, SIGMILL_ERROR_NULL_POINTER);
        for choices in [[4, DER], [u32::MAX, DER], [0, 0], [0, 4], [0, u32::MAX]] {
            let error = sign(secret, choices, place, &mut len);
            assert_eq!(error, SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE, "{choices:?}");
        }
        assert_eq!((signature, len), ([7; 139], 0));
        for room in [0, 1, 32, 63] {
            len = room;
            let error = sign(secret, [0, P1363], place, &mut len);
            assert_eq!((error, len), (SIGMILL_ERROR_BUFFER_TOO_SMALL, 64));
            assert_eq!(signature, [7; 139]);
        }
        // Signatures in DER differ in length. A buffer of the reported length suffices.
        len = 1;
        let error = sign(secret, [0, DER], place, &mut len);
        assert_eq!(
            (error, signature),
            (SIGMILL_ERROR_BUFFER_TOO_SMALL, [7; 139])
        );
        let needed = len;
        assert_eq!(sign(secret, [0, DER], place, &mut len), SIGMILL_OK);
        assert_eq!((len, signature[0]), (needed, 0x30));
        assert!(signature[needed..].iter().all(|&byte| byte == 7));
    }
    let mut signature = [7_u8; 64];
    let (place, mut len) = (signature.as_mut_ptr(), 64);
    // SAFETY: the handle is alive; NULL is checked.
    unsafe {
        let mut options = sigmill_sign_options {
            hash: 0,
            entropy: ptr::null(),
            entropy_len: 1,
            reserved: [0; 4],
        };
        let sign = |kind, options: *const _, place, len: &mut usize| {
            let no_id = ptr::null_mut();
            sigmill_sign_with(secret, kind, bytes, 32, P1363, options, place, len, no_id)
        };
        let error = sign(DIGESTS, &options, place, &mut len);
        assert_eq!((error, signature), (SIGMILL_ERROR_NULL_POINTER, [7; 64]));
        for kind in [0, 3, u32::MAX] {
            let error = sign(kind, ptr::null(), place, &mut len);
            assert_eq!(error, SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE, "{kind}");
        }
        len = 64;
        // Options of zeros and none are the same. Entropy yields another signature.
        let error = sigmill_sign_prehash(secret, bytes, 32, P1363, place, &mut len);
        assert_eq!(error, SIGMILL_OK);
        let plain = signature;
        (options.entropy_len, options.reserved[3]) = (0, 1);
        let place = signature.as_mut_ptr();
        let error = sign(DIGESTS, &options, place, &mut len);
        assert_eq!((error, len), (SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE, 0));
        (options.reserved[3], len) = (0, 64);
        for none in [ptr::null(), &raw const options] {
            let place = signature.as_mut_ptr();
            assert_eq!(sign(DIGESTS, none, place, &mut len), SIGMILL_OK);
            assert_eq!(signature, plain);
        }
        (options.entropy, options.entropy_len) = (bytes, 32);
        let place = signature.as_mut_ptr();
        assert_eq!(sign(DIGESTS, &options, place, &mut len), SIGMILL_OK);
        assert_ne!(signature, plain);
        let none = ptr::null();
        let verify = |kind, options: *const _| {
            let signature = signature.as_ptr();
            sigmill_verify_with(public, kind, bytes, 32, signature, 64, P1363, options)
        };
        assert_eq!(verify(DIGESTS, none), SIGMILL_OK);
        assert_eq!(verify(MESSAGES, none), rule("signature-mismatch"));
        assert_eq!(verify(0, none), SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE);
        for hint in [0, 1, 2, 3, 4] {
            let options = sigmill_verify_options {
                hash: 0,
                policy: 0,
                hint: &hint,
                reserved: [0; 4],
            };
            let expected = match hint {
                4 => rule("recovery-id-out-of-range"),
                _ => SIGMILL_OK,
            };
            assert_eq!(verify(DIGESTS, &options), expected, "{hint}");
            let reserved = [0, 0, 0, 1];
            let options = sigmill_verify_options {
                reserved,
                ..options
            };
            let error = verify(DIGESTS, &options);
            assert_eq!(error, SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE);
        }
        signature = [7; 64];
        len = 64;
        let error = sigmill_sign_prehash(secret, bytes, 32, P1363, ptr::null_mut(), &mut len);
        assert_eq!(error, SIGMILL_ERROR_NULL_POINTER);
        let place = signature.as_mut_ptr();
        let error = sigmill_sign_prehash(secret, bytes, 32, P1363, place, ptr::null_mut());
        assert_eq!((error, signature), (SIGMILL_ERROR_NULL_POINTER, [7; 64]));
        sigmill_verifying_key_free(public);
        sigmill_signing_key_free(secret);
    }
}

#[test]
fn policies_that_are_none() {
    let (secret, public) = keys();
    // SAFETY: the handles are alive or NULL.
    unsafe {
        for policy in [3, 16, 7, u32::MAX] {
            let mut other = ptr::dangling_mut();
            let error = sigmill_signing_key_with_policy(secret, policy, &mut other);
            let expected = (SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE, true);
            assert_eq!((error, other.is_null()), expected, "{policy}");
            let (digest, signature) = ([1_u8; 32].as_ptr(), [1_u8; 64].as_ptr());
            let options = sigmill_verify_options {
                hash: 0,
                policy,
                hint: ptr::null(),
                reserved: [0; 4],
            };
            let error =
                sigmill_verify_with(public, DIGESTS, digest, 32, signature, 64, P1363, &options);
            assert_eq!(error, expected.0);
        }
        let mut other = ptr::dangling_mut();
        let error = sigmill_signing_key_with_policy(ptr::null(), 1, &mut other);
        assert_eq!((error, other.is_null()), (SIGMILL_ERROR_NULL_POINTER, true));
        assert_eq!(sigmill_signing_key_curve(ptr::null()), 0);
        let mut other = ptr::dangling_mut();
        let error = sigmill_signing_key_verifying_key(ptr::null(), &mut other);
        assert_eq!((error, other.is_null()), (SIGMILL_ERROR_NULL_POINTER, true));
        sigmill_verifying_key_free(public);
        sigmill_signing_key_free(secret);
    }
}
