//! What C may hand over by mistake: an error, and nothing worse.

use std::ffi::CStr;
use std::ptr;

use sigmill_capi::engine::*;
use sigmill_capi::error::sigmill_error::{self, *};
use sigmill_capi::error::{sigmill_error_message, sigmill_error_name};
use sigmill_capi::prepared_key::*;
use sigmill_capi::recover::sigmill_recover;
use sigmill_capi::rows::*;
use sigmill_capi::signing_key::*;
use sigmill_capi::verifying_key::*;

const P256: u32 = 1;
const DER: u32 = 1;
const P1363: u32 = 2;

/// A pair of keys, to free.
fn keys() -> (*mut sigmill_signing_key, *mut sigmill_verifying_key) {
    let (mut secret, mut public) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the places are there.
    unsafe {
        assert_eq!(sigmill_signing_key_generate(P256, &mut secret), SIGMILL_OK);
        let error = sigmill_signing_key_verifying_key(secret, &mut public);
        assert_eq!(error, SIGMILL_OK);
    }
    (secret, public)
}

fn text(pointer: *const std::ffi::c_char) -> &'static str {
    // SAFETY: the library's texts are static.
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
    // SAFETY: NULL is looked at.
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
        let error = sigmill_prepared_key_from_bytes(one.as_ptr(), one.len(), &mut prepared);
        assert_eq!(error, SIGMILL_ERROR_TABLE_MAGIC);
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
    // SAFETY: the handles live, and lengths are those of the buffers.
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

fn engine() -> *mut sigmill_engine {
    let mut engine = ptr::null_mut();
    // SAFETY: the place is there.
    let error = unsafe { sigmill_engine_new(1, 1 << 20, 4, 0, &mut engine) };
    assert_eq!(error, SIGMILL_OK);
    engine
}

/// Rows get the verdicts of single calls, the good as the bad.
#[test]
fn rows_and_single_calls_agree() {
    const ROWS: usize = 40;
    let (secret, public) = keys();
    let engine = engine();
    let mut point = [0_u8; 65];
    let mut signatures = vec![];
    let digests: Vec<[u8; 32]> = (0..ROWS).map(|row| [row as u8 + 1; 32]).collect();
    // SAFETY: the handles live, and lengths are those of the buffers.
    unsafe {
        sigmill_verifying_key_to_sec1(public, 0, point.as_mut_ptr(), &mut 65);
        for (row, digest) in digests.iter().enumerate() {
            let (mut signature, mut len) = (vec![0; 139], 139);
            let place = signature.as_mut_ptr();
            let error = sigmill_sign_prehash(secret, digest.as_ptr(), 32, 0, DER, place, &mut len);
            assert_eq!(error, SIGMILL_OK);
            signature.truncate(len);
            match row % 4 {
                1 => signature[len - 1] ^= 1,
                2 => signature.truncate(len - 1),
                3 => signature.clear(),
                _ => {}
            }
            signatures.push(signature);
        }
    }
    let mut pointers: Vec<*const u8> = signatures.iter().map(|s| s.as_ptr()).collect();
    pointers[0] = ptr::null();
    let lens: Vec<usize> = signatures.iter().map(Vec::len).collect();
    let none = sigmill_column {
        data: ptr::null(),
        pointers: ptr::null(),
        stride: 0,
        len: 0,
        lens: ptr::null(),
    };
    let mut rows = sigmill_rows {
        len: ROWS,
        curve: P256,
        hash: 0,
        format: DER,
        input: 2,
        keys: sigmill_column {
            data: point.as_ptr(),
            len: 65,
            ..none
        },
        inputs: sigmill_column {
            data: digests[0].as_ptr(),
            stride: 32,
            len: 32,
            ..none
        },
        signatures: sigmill_column {
            pointers: pointers.as_ptr(),
            lens: lens.as_ptr(),
            ..none
        },
        hints: none,
    };
    let mut verdicts = [SIGMILL_ERROR_UNNAMED; ROWS];
    let (mut valid, mut failure) = (0, sigmill_failure { message: [1; 256] });
    // SAFETY: as above; there is a verdict for each row.
    unsafe {
        let mut verify = |rows: &sigmill_rows, verdicts: *mut sigmill_error| {
            sigmill_engine_verify(engine, rows, verdicts, &mut valid, &mut failure)
        };
        assert_eq!(verify(&rows, verdicts.as_mut_ptr()), SIGMILL_OK);
        assert_eq!(verify(&rows, ptr::null_mut()), SIGMILL_ERROR_NULL_POINTER);
        rows.input = 3;
        let place = verdicts.as_mut_ptr();
        assert_eq!(verify(&rows, place), SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE);
        (rows.input, rows.inputs.data) = (2, ptr::null());
        assert_eq!(verify(&rows, place), SIGMILL_ERROR_NULL_POINTER);
        assert!(text(failure.message.as_ptr()).starts_with("inputs: "));
        assert_eq!(verdicts[0], SIGMILL_ERROR_SIGNATURE_NULL);
        let public_key =
            sigmill::AnyVerifyingKey::from_sec1_bytes(sigmill::CurveName::P256, &point);
        let public_key = public_key.unwrap();
        for row in 1..ROWS {
            let (digest, signature) = (&digests[row], &signatures[row]);
            let (place, len) = (signature.as_ptr(), signature.len());
            let single = sigmill_verify_prehash(public, digest.as_ptr(), 32, place, len, DER, 0);
            assert_eq!(verdicts[row], single, "row {row}");
            let format = sigmill::SignatureFormat::Der;
            let theirs = public_key.verify_prehash_with_policy(
                digest,
                signature,
                format,
                sigmill::Policy::default(),
            );
            let theirs = theirs.map_or_else(sigmill_error::from, |()| SIGMILL_OK);
            assert_eq!(single, theirs, "row {row}");
            assert_eq!(single == SIGMILL_OK, row % 4 == 0);
        }
        assert_eq!(valid, ROWS / 4 - 1);
        sigmill_engine_free(engine);
        sigmill_verifying_key_free(public);
        sigmill_signing_key_free(secret);
    }
}
