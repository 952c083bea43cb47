//! Mistakes of callers in C cause errors and nothing worse.

#![allow(unused_must_use, reason = "what makes inputs for a test does not fail")]

mod agreement;
mod arrow;
mod recovery;
mod rows;
mod signing;
mod strides;

use std::ffi::CStr;
use std::ptr;

use sigmill_capi::engine::*;
use sigmill_capi::error::sigmill_error::*;
use sigmill_capi::error::{sigmill_error_message, sigmill_error_name};
use sigmill_capi::prepared_key::*;
use sigmill_capi::recover::sigmill_recover;
use sigmill_capi::signing_key::*;
use sigmill_capi::verifying_key::*;

const P256: u32 = 1;
const P384: u32 = 2;
const DER: u32 = 1;
const P1363: u32 = 2;

/// Returns a pair of keys on P-256, which the test frees.
fn keys() -> (*mut sigmill_signing_key, *mut sigmill_verifying_key) {
    keys_on(P256)
}

fn keys_on(curve: u32) -> (*mut sigmill_signing_key, *mut sigmill_verifying_key) {
    let (mut secret, mut public) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the pointers are those of variables.
    unsafe {
        assert_eq!(sigmill_signing_key_generate(curve, &mut secret), SIGMILL_OK);
        let error = sigmill_signing_key_verifying_key(secret, &mut public);
        assert_eq!(error, SIGMILL_OK);
    }
    (secret, public)
}

fn text(pointer: *const std::ffi::c_char) -> &'static str {
    // SAFETY: the library's strings are static.
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap()
}

#[test]
fn errors_have_names_and_messages() {
    for code in [i32::MIN, -1, 0, 1, 116, 9999, i32::MAX] {
        assert!(!text(sigmill_error_name(code)).is_empty());
        assert!(!text(sigmill_error_message(code)).is_empty());
    }
    let mismatch = sigmill::Error::SignatureMismatch;
    assert_eq!(text(sigmill_error_name(116)), mismatch.reason());
    assert_eq!(text(sigmill_error_message(116)), mismatch.to_string());
}

#[test]
fn null_handles_and_places() {
    // SAFETY: every call checks for NULL and for lengths before it reads.
    unsafe {
        assert_eq!(
            sigmill_signing_key_generate(P256, ptr::null_mut()),
            SIGMILL_ERROR_NULL_POINTER
        );
        let mut key = ptr::dangling_mut();
        let error = sigmill_verifying_key_from_sec1(P256, ptr::null(), 65, &mut key);
        assert_eq!((error, key.is_null()), (SIGMILL_ERROR_NULL_POINTER, true));
        let error = sigmill_verifying_key_from_sec1(P256, ptr::null(), 0, &mut key);
        assert_eq!((error, key.is_null()), (SIGMILL_ERROR_KEY_EMPTY, true));
        let error = sigmill_verifying_key_from_sec1(99, [4; 65].as_ptr(), 65, &mut key);
        assert_eq!(error, SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE);
        let error = sigmill_verifying_key_from_sec1(P256, [4; 65].as_ptr(), usize::MAX, &mut key);
        assert_eq!(error, SIGMILL_ERROR_LENGTH_OUT_OF_RANGE);
        let error = sigmill_verifying_key_from_pem([0xff; 4].as_ptr(), 4, &mut key);
        assert_eq!(error, SIGMILL_ERROR_TEXT_NOT_UTF8);
        let one = [1_u8; 70];
        let error =
            sigmill_verify_prehash(ptr::null(), one.as_ptr(), 32, one.as_ptr(), 64, P1363, 0);
        assert_eq!(error, SIGMILL_ERROR_NULL_POINTER);
        let error = sigmill_recover(
            P256,
            one.as_ptr(),
            32,
            one.as_ptr(),
            64,
            P1363,
            4,
            0,
            &mut key,
        );
        assert_eq!(error, SIGMILL_ERROR_RECOVERY_BYTE_OUT_OF_RANGE);
        let mut prepared = ptr::null_mut();
        let error = sigmill_prepared_key_new(ptr::null(), 0, &mut prepared);
        assert_eq!(error, SIGMILL_ERROR_NULL_POINTER);
        assert_eq!(sigmill_verifying_key_curve(ptr::null()), 0);
        assert_eq!(sigmill_prepared_key_memory(ptr::null()), 0);
        sigmill_verifying_key_free(ptr::null_mut());
        sigmill_signing_key_free(ptr::null_mut());
        sigmill_prepared_key_free(ptr::null_mut());
        sigmill_engine_free(ptr::null_mut());
    }
}

#[test]
fn buffers_that_are_too_small() {
    let (secret, public) = keys();
    // SAFETY: the handles are alive, and the lengths are those of the buffers.
    unsafe {
        let mut point = [7_u8; 65];
        let mut len = 64;
        let error = sigmill_verifying_key_to_sec1(public, 0, point.as_mut_ptr(), &mut len);
        assert_eq!((error, len), (SIGMILL_ERROR_BUFFER_TOO_SMALL, 65));
        assert_eq!(point, [7; 65]);
        let error = sigmill_verifying_key_to_sec1(public, 0, ptr::null_mut(), &mut len);
        assert_eq!(error, SIGMILL_ERROR_NULL_POINTER);
        let error = sigmill_verifying_key_to_sec1(public, 0, point.as_mut_ptr(), ptr::null_mut());
        assert_eq!(error, SIGMILL_ERROR_NULL_POINTER);
        let mut len = 65;
        let error = sigmill_verifying_key_to_sec1(public, 0, point.as_mut_ptr(), &mut len);
        assert_eq!((error, point[0]), (SIGMILL_OK, 4));
        sigmill_verifying_key_free(public);
        sigmill_signing_key_free(secret);
    }
}
