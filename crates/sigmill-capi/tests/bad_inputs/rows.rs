//! Rows by pointer and stride: verdicts equal to those of single calls, and malformed columns.

use std::ptr;

use sigmill::{Input, VerifyOptions};
use sigmill_capi::engine::*;
use sigmill_capi::error::*;
use sigmill_capi::rows::*;
use sigmill_capi::signing_key::*;
use sigmill_capi::verifying_key::*;

use super::{DER, P256, P1363, keys, rule, text};

/// Returns an engine with one thread, which the test frees.
pub(crate) fn engine() -> *mut sigmill_engine {
    let mut engine = ptr::null_mut();
    // SAFETY: the pointer is that of a variable.
    let error = unsafe { sigmill_engine_new(1, 1 << 20, 4, 0, &mut engine) };
    assert_eq!(error, SIGMILL_OK);
    engine
}

/// An absent column.
const NONE: sigmill_column = sigmill_column {
    data: ptr::null(),
    pointers: ptr::null(),
    stride: 0,
    len: 0,
    lens: ptr::null(),
};

/// Rows get the verdicts of single calls, valid or not.
#[test]
fn rows_and_single_calls_agree() {
    const ROWS: usize = 40;
    let (secret, public) = keys();
    let engine = engine();
    let mut point = [0_u8; 65];
    let mut signatures = vec![];
    let digests: Vec<[u8; 32]> = (0..ROWS).map(|row| [row as u8 + 1; 32]).collect();
    // SAFETY: the handles are alive, and the lengths are those of the buffers.
    unsafe {
        sigmill_verifying_key_to_sec1(public, 0, point.as_mut_ptr(), &mut 65);
        for (row, digest) in digests.iter().enumerate() {
            let (mut signature, mut len) = (vec![0; 139], 139);
            let place = signature.as_mut_ptr();
            let error = sigmill_sign_prehash(secret, digest.as_ptr(), 32, DER, place, &mut len);
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
    let mut rows = sigmill_rows {
        len: ROWS,
        curve: P256,
        hash: 0,
        format: DER,
        input: 2,
        keys: sigmill_column {
            data: point.as_ptr(),
            len: 65,
            ..NONE
        },
        inputs: sigmill_column {
            data: digests[0].as_ptr(),
            stride: 32,
            len: 32,
            ..NONE
        },
        signatures: sigmill_column {
            pointers: pointers.as_ptr(),
            lens: lens.as_ptr(),
            ..NONE
        },
        hints: NONE,
        reserved: [0; 4],
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
        (rows.input, rows.reserved[3]) = (2, 1);
        assert_eq!(verify(&rows, place), SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE);
        (rows.reserved[3], rows.inputs.data) = (0, ptr::null());
        assert_eq!(verify(&rows, place), SIGMILL_ERROR_NULL_POINTER);
        assert!(text(failure.message.as_ptr()).starts_with("inputs: "));
        assert_eq!(*place, rule("not-judged"));
        rows.inputs.data = digests[0].as_ptr();
        let error = sigmill_engine_verify(engine, &rows, place, &mut valid, &mut failure);
        assert_eq!(error, SIGMILL_OK);
        assert_eq!(verdicts[0], rule("signature-null"));
        let public_key =
            sigmill::AnyVerifyingKey::from_sec1_bytes(sigmill::CurveName::P256, &point);
        let public_key = public_key.unwrap();
        for row in 1..ROWS {
            let (digest, signature) = (&digests[row], &signatures[row]);
            let (place, len) = (signature.as_ptr(), signature.len());
            let single = sigmill_verify_prehash(public, digest.as_ptr(), 32, place, len, DER);
            assert_eq!(verdicts[row], single, "row {row}");
            let format = sigmill::SignatureFormat::Der;
            let theirs = public_key.verify_with(
                Input::Digest(digest),
                signature,
                format,
                &VerifyOptions::new(),
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

/// A row as a program stores it: its fields are columns.
#[derive(Clone, Copy)]
#[repr(C)]
struct Record {
    key: [u8; 33],
    digest: [u8; 32],
    signature: [u8; 64],
    number: u32,
}

/// Returns valid records, except every third.
fn records(count: u8) -> Vec<Record> {
    let (secret, public) = keys();
    let mut records = vec![];
    for number in 0..count {
        let mut record = Record {
            key: [0; 33],
            digest: [number; 32],
            signature: [0; 64],
            number: number.into(),
        };
        let (digest, place) = (record.digest.as_ptr(), record.signature.as_mut_ptr());
        // SAFETY: the handles are alive, and the lengths are those of the fields.
        unsafe {
            sigmill_verifying_key_to_sec1(public, 1, record.key.as_mut_ptr(), &mut 33);
            let error = sigmill_sign_prehash(secret, digest, 32, P1363, place, &mut 64);
            assert_eq!(error, SIGMILL_OK);
        }
        record.signature[63] ^= u8::from(number % 3 == 2);
        records.push(record);
    }
    // SAFETY: the handles are alive.
    unsafe {
        sigmill_verifying_key_free(public);
        sigmill_signing_key_free(secret);
    }
    records
}

fn rows_of(records: &[Record]) -> sigmill_rows {
    let field = |data, len| sigmill_column {
        data,
        len,
        stride: size_of::<Record>(),
        ..NONE
    };
    let first = &records[0];
    sigmill_rows {
        len: records.len(),
        curve: P256,
        hash: 0,
        format: P1363,
        input: 2,
        keys: field(first.key.as_ptr(), 33),
        inputs: field(first.digest.as_ptr(), 32),
        signatures: field(first.signature.as_ptr(), 64),
        hints: NONE,
        reserved: [0; 4],
    }
}

#[test]
fn fields_of_records() {
    let records = records(20);
    let mut rows = rows_of(&records);
    let engine = engine();
    let mut verdicts = [SIGMILL_ERROR_UNNAMED; 20];
    let (place, mut valid) = (verdicts.as_mut_ptr(), 0);
    let failure = ptr::null_mut();
    // SAFETY: the columns are fields of the records; there is a verdict for each.
    unsafe {
        let error = sigmill_engine_verify(engine, &rows, place, &mut valid, failure);
        assert_eq!((error, valid), (SIGMILL_OK, 14));
        for (record, verdict) in records.iter().zip(&verdicts) {
            let is_valid = record.number % 3 != 2;
            assert_eq!(*verdict == SIGMILL_OK, is_valid, "row {}", record.number);
        }
        // A caller may omit the number and the reason.
        let error = sigmill_engine_verify(engine, &rows, place, ptr::null_mut(), failure);
        assert_eq!(error, SIGMILL_OK);
        // An absent column of keys is an empty key for all rows, and their verdicts report it.
        rows.keys = NONE;
        let error = sigmill_engine_verify(engine, &rows, place, &mut valid, failure);
        assert_eq!((error, valid), (SIGMILL_OK, 0));
        assert_eq!(verdicts, [rule("key-empty"); 20]);
        // Zero rows need no columns and no verdicts.
        rows.len = 0;
        (rows.keys, rows.inputs, rows.signatures) = (NONE, NONE, NONE);
        let error = sigmill_engine_verify(engine, &rows, ptr::null_mut(), &mut valid, failure);
        assert_eq!((error, valid), (SIGMILL_OK, 0));
        sigmill_engine_free(engine);
    }
}

/// A refused call judges nothing, whatever the memory held before. The reason names the column.
#[test]
fn columns_that_are_none() {
    let records = records(3);
    let engine = engine();
    let refused = |change: &dyn Fn(&mut sigmill_rows)| {
        let mut rows = rows_of(&records);
        change(&mut rows);
        // Zeroed memory.
        let mut verdicts = [SIGMILL_OK; 3];
        let (mut valid, mut failure) = (77, sigmill_failure { message: [1; 256] });
        // SAFETY: the columns are fields of the records, or are refused before they are read.
        let error = unsafe {
            let place = verdicts.as_mut_ptr();
            sigmill_engine_verify(engine, &rows, place, &mut valid, &mut failure)
        };
        // No array is that long, so nothing is written.
        let verdict = match rows.len {
            usize::MAX => SIGMILL_OK,
            _ => rule("not-judged"),
        };
        assert_eq!((verdicts, valid), ([verdict; 3], 0));
        (error, text(failure.message.as_ptr()).to_string())
    };
    let none = |change: &dyn Fn(&mut sigmill_rows), column: &str, expected: sigmill_error| {
        let (error, message) = refused(change);
        assert_eq!(error, expected, "{message}");
        assert!(message.starts_with(column), "{message}");
    };
    let null = SIGMILL_ERROR_NULL_POINTER;
    none(&|rows| rows.keys.data = ptr::null(), "keys: ", null);
    none(&|rows| rows.inputs.data = ptr::null(), "inputs: ", null);
    none(
        &|rows| rows.signatures.data = ptr::null(),
        "signatures: ",
        null,
    );
    none(&|rows| rows.signatures = NONE, "signatures: ", null);
    let length = SIGMILL_ERROR_LENGTH_OUT_OF_RANGE;
    none(&|rows| rows.keys.stride = usize::MAX, "keys: ", length);
    none(
        &|rows| rows.inputs.stride = usize::MAX / 2,
        "inputs: ",
        length,
    );
    none(&|rows| rows.inputs.len = usize::MAX, "inputs: ", length);
    none(
        &|rows| rows.signatures.len = usize::MAX,
        "signatures: ",
        length,
    );
    none(&|rows| rows.len = usize::MAX, "", length);
    let choice = SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE;
    none(&|rows| rows.curve = 0, "", choice);
    none(&|rows| rows.hash = 4, "", choice);
    none(&|rows| rows.format = 0, "", choice);
    none(&|rows| rows.input = 0, "", choice);

    let rows = rows_of(&records);
    let mut verdicts = [SIGMILL_OK; 3];
    let (place, none) = (verdicts.as_mut_ptr(), ptr::null_mut());
    let mut valid = 77;
    // SAFETY: NULL is checked.
    unsafe {
        let error = sigmill_engine_verify(engine, ptr::null(), place, &mut valid, none);
        assert_eq!((error, valid), (null, 0));
        valid = 77;
        let error = sigmill_engine_verify(ptr::null(), &rows, place, &mut valid, none);
        assert_eq!((error, valid), (null, 0));
        assert_eq!(verdicts, [rule("not-judged"); 3]);
        sigmill_engine_free(engine);
        for (threads, window, policy, expected) in [
            (1025, 4, 0, choice),
            (usize::MAX, 4, 0, choice),
            (1, 12, 0, rule("window-out-of-range")),
            (1, 4, 3, choice),
        ] {
            let mut engine = ptr::dangling_mut();
            let error = sigmill_engine_new(threads, 1 << 20, window, policy, &mut engine);
            assert_eq!((error, engine.is_null()), (expected, true));
        }
        assert_eq!(sigmill_engine_new(1, 0, 0, 0, ptr::null_mut()), null);
    }
}
