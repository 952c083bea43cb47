//! Each column has its own stride. A row is judged by its own values, whatever the others are.

use std::ptr;

use sigmill::{AnySigningKey, CurveName, SignatureFormat};
use sigmill_capi::engine::*;
use sigmill_capi::error::*;
use sigmill_capi::rows::*;

use super::rows::engine;
use super::{P256, P1363, rule};

const ROWS: usize = 6;
const SIZE: usize = size_of::<Record>();
const NOT_VALID: usize = 4;

/// A row as a program stores it. No two rows share a value.
#[repr(C)]
struct Record {
    key: [u8; 33],
    digest: [u8; 32],
    signature: [u8; 64],
}

fn records() -> Vec<Record> {
    let record = |row: usize| {
        let byte = row as u8 + 1;
        let key = AnySigningKey::from_be_bytes(CurveName::P256, &[byte; 32]).unwrap();
        let digest = [byte; 32];
        let signature = key.sign_prehash(&digest, SignatureFormat::P1363).unwrap();
        let mut signature: [u8; 64] = signature.try_into().unwrap();
        signature[63] ^= u8::from(row == NOT_VALID);
        let key = key.verifying_key().to_sec1_bytes(true);
        Record {
            key: key.try_into().unwrap(),
            digest,
            signature,
        }
    };
    (0..ROWS).map(record).collect()
}

fn column(data: &[u8], stride: usize) -> sigmill_column {
    sigmill_column {
        data: data.as_ptr(),
        pointers: ptr::null(),
        stride,
        len: data.len(),
        lens: ptr::null(),
    }
}

/// Returns the columns of the records with these strides, and no hints.
fn rows_of(first: &Record, [keys, inputs, signatures]: [usize; 3], len: usize) -> sigmill_rows {
    sigmill_rows {
        len,
        curve: P256,
        hash: 0,
        format: P1363,
        input: 2,
        keys: column(&first.key, keys),
        inputs: column(&first.digest, inputs),
        signatures: column(&first.signature, signatures),
        hints: sigmill_column {
            data: ptr::null(),
            ..column(&[], 0)
        },
        reserved: [0; 4],
    }
}

fn verdicts(rows: &sigmill_rows) -> Vec<sigmill_error> {
    let engine = engine();
    let mut verdicts = vec![SIGMILL_ERROR_UNNAMED; rows.len];
    let (place, mut valid, none) = (verdicts.as_mut_ptr(), 0, ptr::null_mut());
    // SAFETY: the columns lie in the records of the caller; there is a verdict for each row.
    unsafe {
        let error = sigmill_engine_verify(engine, rows, place, &mut valid, none);
        assert_eq!(error, SIGMILL_OK);
        sigmill_engine_free(engine);
    }
    let are_valid = verdicts.iter().filter(|&&verdict| verdict == SIGMILL_OK);
    assert_eq!(are_valid.count(), valid);
    verdicts
}

fn valid(rows: &sigmill_rows) -> Vec<bool> {
    let verdicts = verdicts(rows);
    verdicts
        .iter()
        .map(|&verdict| verdict == SIGMILL_OK)
        .collect()
}

#[test]
fn each_column_has_its_own_stride() {
    let records = records();
    let first = &records[0];
    let own: Vec<bool> = (0..ROWS).map(|row| row != NOT_VALID).collect();
    assert_eq!(valid(&rows_of(first, [SIZE; 3], ROWS)), own);
    let second = 2 * SIZE;
    assert_eq!(valid(&rows_of(first, [second; 3], 3)), [true, true, false]);
    // A column with stride 0 or a double stride matches the others in the first row only.
    for other in [0, second] {
        for place in 0..3 {
            let mut strides = [SIZE; 3];
            strides[place] = other;
            if (place, other) != (2, 0) {
                assert_eq!(valid(&rows_of(first, strides, 3)), [true, false, false]);
            }
        }
    }
}

/// A program that forgets the strides must not get the first row's verdict for all.
#[test]
fn signatures_have_a_stride() {
    let records = records();
    for strides in [[SIZE, SIZE, 0], [0; 3]] {
        let mut rows = rows_of(&records[0], strides, 3);
        let lens = [64; 3];
        for lens in [ptr::null(), lens.as_ptr()] {
            rows.signatures.lens = lens;
            let (engine, mut verdicts, mut valid) = (engine(), [SIGMILL_OK; 3], 3);
            // SAFETY: as above.
            let error = unsafe {
                let place = verdicts.as_mut_ptr();
                let error =
                    sigmill_engine_verify(engine, &rows, place, &mut valid, ptr::null_mut());
                sigmill_engine_free(engine);
                error
            };
            assert_eq!(error, SIGMILL_ERROR_LENGTH_OUT_OF_RANGE);
            assert_eq!((verdicts, valid), ([rule("not-judged"); 3], 0));
        }
        rows.signatures.lens = ptr::null();
        assert_eq!(valid(&rows_of(&records[0], strides, 1)), [true]);
    }
}

#[test]
fn values_that_are_missing_or_short_are_those_of_their_rows() {
    let records = records();
    let nulls = [rule("key-null"), rule("input-null"), rule("signature-null")];
    let mut rows = rows_of(&records[0], [SIZE; 3], ROWS);
    let own = verdicts(&rows);
    for (place, null) in nulls.into_iter().enumerate() {
        let field = |record: &Record| match place {
            0 => record.key.as_ptr(),
            1 => record.digest.as_ptr(),
            _ => record.signature.as_ptr(),
        };
        let mut pointers: Vec<*const u8> = records.iter().map(field).collect();
        pointers[2] = ptr::null();
        let mut lens = [[33, 32, 64][place]; ROWS];
        lens[3] -= 1;
        let before = rows;
        let column = match place {
            0 => &mut rows.keys,
            1 => &mut rows.inputs,
            _ => &mut rows.signatures,
        };
        (column.pointers, column.lens) = (pointers.as_ptr(), lens.as_ptr());
        let found = verdicts(&rows);
        assert_eq!(found[2], null);
        assert_ne!(found[3], SIGMILL_OK);
        for row in [0, 1, 4, 5] {
            assert_eq!(found[row], own[row], "row {row}");
        }
        rows = before;
    }
}
