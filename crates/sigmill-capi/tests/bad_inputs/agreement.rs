//! Agreement: keys on different curves, points that are not keys, and buffers that do not fit.

use std::collections::HashSet;
use std::ptr;

use sigmill_capi::agreement::*;
use sigmill_capi::error::*;
use sigmill_capi::signing_key::*;
use sigmill_capi::verifying_key::*;

use super::{P256, P384, keys, keys_on, rule};

#[test]
fn shared_secrets_and_their_buffers() {
    let ((ours, our_public), (theirs, their_public)) = (keys(), keys());
    // SAFETY: the handles are alive, and no length exceeds its buffer.
    unsafe {
        let (mut expected, mut len) = ([0_u8; 32], 32);
        let place = expected.as_mut_ptr();
        assert_eq!(
            sigmill_ecdh(theirs, our_public, place, &mut len),
            SIGMILL_OK
        );

        let mut shared = [7_u8; 40];
        let place = shared.as_mut_ptr();
        for room in 0..32 {
            let mut len = room;
            let error = sigmill_ecdh(ours, their_public, place, &mut len);
            assert_eq!((error, len), (SIGMILL_ERROR_BUFFER_TOO_SMALL, 32));
            assert_eq!(shared[room..], [7; 40][room..]);
        }
        // A call without a buffer returns the length. A claimed length does not replace a buffer.
        for (room, expected) in [
            (0, SIGMILL_ERROR_BUFFER_TOO_SMALL),
            (32, SIGMILL_ERROR_NULL_POINTER),
        ] {
            let mut len = room;
            let error = sigmill_ecdh(ours, their_public, ptr::null_mut(), &mut len);
            assert_eq!((error, len), (expected, 32));
        }
        let error = sigmill_ecdh(ours, their_public, place, ptr::null_mut());
        assert_eq!(error, SIGMILL_ERROR_NULL_POINTER);
        // A longer buffer is unchanged after the secret.
        for room in [32, 33, 40] {
            shared = [7; 40];
            let mut len = room;
            let error = sigmill_ecdh(ours, their_public, shared.as_mut_ptr(), &mut len);
            assert_eq!((error, len), (SIGMILL_OK, 32));
            assert_eq!((&shared[..32], &shared[32..]), (&expected[..], &[7; 8][..]));
        }
        for (secret, public) in [(ours, our_public), (theirs, their_public)] {
            sigmill_verifying_key_free(public);
            sigmill_signing_key_free(secret);
        }
    }
}

#[test]
fn keys_that_do_not_go_together() {
    let ((secret, public), (other, other_public)) = (keys(), keys_on(P384));
    let mismatch = rule("key-curve-mismatch");
    // SAFETY: the handles are alive or NULL, and the length is that of the buffer.
    unsafe {
        // Zeros in the buffer are not a secret, and a refused call overwrites them.
        let mut seen = HashSet::from([[0_u8; 66]]);
        for (secret, public, expected) in [
            (secret, other_public, mismatch),
            (other, public, mismatch),
            (ptr::null_mut(), public, SIGMILL_ERROR_NULL_POINTER),
            (secret, ptr::null_mut(), SIGMILL_ERROR_NULL_POINTER),
        ] {
            let (mut shared, mut len) = ([0_u8; 66], 66);
            let error = sigmill_ecdh(secret, public, shared.as_mut_ptr(), &mut len);
            assert_eq!((error, len), (expected, 0));
            assert!(seen.insert(shared), "nobody knows what is there");
        }
        for (secret, public) in [(secret, public), (other, other_public)] {
            sigmill_verifying_key_free(public);
            sigmill_signing_key_free(secret);
        }
    }
}

/// A peer at infinity, off the curve, or out of range never becomes a handle, in any encoding.
#[test]
fn points_that_are_no_peers() {
    let (secret, public) = keys();
    let (mut point, mut spki) = ([0_u8; 65], [0_u8; 158]);
    let (mut len, mut spki_len) = (65, spki.len());
    // SAFETY: the handles are alive, and the lengths are those of the buffers.
    unsafe {
        sigmill_verifying_key_to_sec1(public, 0, point.as_mut_ptr(), &mut len);
        sigmill_verifying_key_to_spki_der(public, spki.as_mut_ptr(), &mut spki_len);
    }
    let spki = &spki[..spki_len];
    assert!(spki.ends_with(&point));
    let changed = |change: fn(&mut Vec<u8>)| {
        let mut changed = point.to_vec();
        change(&mut changed);
        changed
    };
    let cases = [
        (vec![0], rule("key-is-infinity")),
        (vec![], rule("key-empty")),
        (vec![0; 65], rule("key-tag")),
        (changed(|point| point[64] ^= 1), rule("key-not-on-curve")),
        (
            changed(|point| point[1..].fill(0)),
            rule("key-not-on-curve"),
        ),
        (
            changed(|point| point[1..33].fill(255)),
            rule("key-x-out-of-range"),
        ),
        (
            changed(|point| point[33..].fill(255)),
            rule("key-y-out-of-range"),
        ),
        (changed(|point| point[0] = 5), rule("key-tag")),
        (changed(|point| point.truncate(64)), rule("key-length")),
        (changed(|point| point.push(0)), rule("key-length")),
        (changed(|point| point[0] = 2), rule("key-length")),
    ];
    for (point, expected) in cases {
        let (mut peer, mut len) = (ptr::dangling_mut(), 32);
        let mut shared = [7_u8; 32];
        // SAFETY: the lengths are those of the buffers, and the handle is NULL after an error.
        unsafe {
            let (bytes, count) = (point.as_ptr(), point.len());
            let error = sigmill_verifying_key_from_sec1(P256, bytes, count, &mut peer);
            assert_eq!((error, peer.is_null()), (expected, true), "{point:?}");
            let error = sigmill_ecdh(secret, peer, shared.as_mut_ptr(), &mut len);
            assert_eq!((error, len), (SIGMILL_ERROR_NULL_POINTER, 0));
            // The same point in a SubjectPublicKeyInfo, whose lengths remain correct.
            if point.len() == 65 {
                let der = [&spki[..spki.len() - 65], &point[..]].concat();
                peer = ptr::dangling_mut();
                let error = sigmill_verifying_key_from_spki_der(der.as_ptr(), der.len(), &mut peer);
                assert_eq!((error, peer.is_null()), (expected, true), "{der:?}");
            }
        }
    }
    // SAFETY: the handles are alive.
    unsafe {
        sigmill_verifying_key_free(public);
        sigmill_signing_key_free(secret);
    }
}

#[test]
fn x25519_without_values_and_with_points_of_small_order() {
    let (mut secret, mut public, mut shared) = ([0_u8; 32], [7_u8; 32], [7_u8; 32]);
    let null = SIGMILL_ERROR_NULL_POINTER;
    // SAFETY: the pointers are NULL or point to 32 bytes.
    unsafe {
        assert_eq!(sigmill_x25519_generate(ptr::null_mut()), null);
        assert_eq!(sigmill_x25519_generate(secret.as_mut_ptr()), SIGMILL_OK);
        assert_ne!(secret, [0; 32]);
        let (from, place) = (secret.as_ptr(), public.as_mut_ptr());
        assert_eq!(sigmill_x25519_public_key(ptr::null(), place), null);
        assert_eq!(sigmill_x25519_public_key(from, ptr::null_mut()), null);
        assert_eq!(public, [7; 32]);
        assert_eq!(sigmill_x25519_public_key(from, place), SIGMILL_OK);

        let (peer, place) = (public.as_ptr(), shared.as_mut_ptr());
        assert_eq!(sigmill_x25519(ptr::null(), peer, place), null);
        assert_eq!(sigmill_x25519(from, ptr::null(), place), null);
        assert_eq!(sigmill_x25519(from, peer, ptr::null_mut()), null);
        // u = 0, 1, p - 1, p and p + 1 yield zero with every secret.
        let mut one = [0_u8; 32];
        one[0] = 1;
        let mut prime = [0xff_u8; 32];
        (prime[0], prime[31]) = (0xed, 0x7f);
        let near_prime = |last| {
            let mut near = prime;
            near[0] = last;
            near
        };
        let mut seen = HashSet::from([[0; 32]]);
        for peer in [[0; 32], one, near_prime(0xec), prime, near_prime(0xee)] {
            let mut shared = [0; 32];
            let error = sigmill_x25519(from, peer.as_ptr(), shared.as_mut_ptr());
            assert_eq!(error, rule("shared-secret-zero"), "{peer:?}");
            assert!(seen.insert(shared), "nobody knows what is there");
        }
        assert_eq!(sigmill_x25519(from, peer, place), SIGMILL_OK);
        assert!(seen.insert(shared));
    }
}
