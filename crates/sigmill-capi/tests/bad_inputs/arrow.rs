//! Record batches by the Arrow C Data Interface, exported by another implementation of Arrow.

use std::ptr;
use std::sync::Arc;

use arrow_array::builder::{BinaryDictionaryBuilder, BinaryViewBuilder};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::types::{ArrowDictionaryKeyType, Int8Type, Int64Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, FixedSizeBinaryArray, Int32Array,
    LargeBinaryArray, ListArray, NullArray, StringArray, StringViewArray, StructArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{Field, Fields};
use sigmill::{AnySigningKey, CurveName, SignatureFormat};
use sigmill_capi::arrow::{ArrowArray, ArrowSchema};
use sigmill_capi::engine::*;
use sigmill_capi::error::*;
use sigmill_capi::rows::sigmill_failure;
use sigmill_capi::verifying_key::*;

use super::rows::engine;
use super::{P256, P1363, rule, text};

const ROWS: usize = 24;

/// The columns of rows; a value may be missing.
struct Values {
    keys: Vec<Option<Vec<u8>>>,
    digests: Vec<Option<Vec<u8>>>,
    signatures: Vec<Option<Vec<u8>>>,
}

impl Values {
    /// Rows of three keys, with nulls in each column and some invalid rows. In each column, all
    /// values have the same length.
    fn new() -> Self {
        let secrets = [1_u8, 2, 3].map(|d| {
            let scalar = [[0; 31].as_slice(), &[d]].concat();
            AnySigningKey::from_be_bytes(CurveName::P256, &scalar).unwrap()
        });
        let secret = |row: usize| &secrets[row % 3];
        let digest = |row: usize| vec![row as u8 + 1; 32];
        let key = |row| Some(secret(row).verifying_key().to_sec1_bytes(false));
        let sign = |row| secret(row).sign_prehash(&digest(row), SignatureFormat::P1363);
        let mut values = Self {
            keys: (0..ROWS).map(key).collect(),
            digests: (0..ROWS).map(|row| Some(digest(row))).collect(),
            signatures: (0..ROWS).map(|row| sign(row).ok()).collect(),
        };
        (values.keys[5], values.digests[9], values.signatures[11]) = (None, None, None);
        values.signatures[20] = values.signatures[0].clone();
        values.keys[21].as_mut().unwrap()[64] ^= 1;
        values.signatures[22].as_mut().unwrap()[..32].fill(0);
        values
    }

    fn columns(&self) -> [&[Option<Vec<u8>>]; 3] {
        [&self.keys, &self.digests, &self.signatures]
    }

    /// Returns the results of single calls, and the expected verdicts of rows without a value.
    fn expected(&self) -> Vec<sigmill_error> {
        (0..self.keys.len()).map(|row| self.single(row)).collect()
    }

    fn single(&self, row: usize) -> sigmill_error {
        let [keys, digests, signatures] = self.columns();
        let Some(key) = &keys[row] else {
            return rule("key-null");
        };
        let Some(digest) = &digests[row] else {
            return rule("input-null");
        };
        let Some(signature) = &signatures[row] else {
            return rule("signature-null");
        };
        let mut public = ptr::null_mut();
        // SAFETY: the lengths are those of the bytes, and the handle is freed once.
        unsafe {
            let error = sigmill_verifying_key_from_sec1(P256, key.as_ptr(), key.len(), &mut public);
            if error != SIGMILL_OK {
                return error;
            }
            let (bytes, len) = (signature.as_ptr(), signature.len());
            let (digest, count) = (digest.as_ptr(), digest.len());
            let error = sigmill_verify_prehash(public, digest, count, bytes, len, P1363);
            sigmill_verifying_key_free(public);
            error
        }
    }
}

fn slices(values: &[Option<Vec<u8>>]) -> Vec<Option<&[u8]>> {
    values.iter().map(Option::as_deref).collect()
}

/// Returns the same values in every layout that can hold values of one length.
fn layouts(values: &[Option<Vec<u8>>]) -> Vec<ArrayRef> {
    let values = slices(values);
    let mut view = BinaryViewBuilder::new();
    values.iter().for_each(|value| view.append_option(*value));
    let width = values.iter().flatten().next().unwrap().len() as i32;
    let fixed = FixedSizeBinaryArray::try_from_sparse_iter_with_size(values.iter().copied(), width);
    vec![
        Arc::new(BinaryArray::from_opt_vec(values.clone())),
        dictionary::<UInt32Type>(&values),
        Arc::new(LargeBinaryArray::from_opt_vec(values.clone())),
        Arc::new(view.finish()),
        dictionary::<Int8Type>(&values),
        Arc::new(fixed.unwrap()),
        dictionary::<Int64Type>(&values),
    ]
}

fn dictionary<K: ArrowDictionaryKeyType>(values: &[Option<&[u8]>]) -> ArrayRef {
    let mut builder = BinaryDictionaryBuilder::<K>::new();
    for value in values {
        match value {
            Some(value) => drop(builder.append(value).unwrap()),
            None => builder.append_null(),
        }
    }
    Arc::new(builder.finish())
}

fn binary(values: &[Option<Vec<u8>>]) -> ArrayRef {
    Arc::new(BinaryArray::from_opt_vec(slices(values)))
}

fn batch(columns: &[(&str, ArrayRef)]) -> StructArray {
    batch_with_nulls(columns, None)
}

fn batch_with_nulls(columns: &[(&str, ArrayRef)], nulls: Option<NullBuffer>) -> StructArray {
    let field = |(name, array): &(&str, ArrayRef)| {
        Field::new(*name, array.data_type().clone(), array.is_nullable())
    };
    let fields: Fields = columns.iter().map(field).collect();
    let arrays = columns.iter().map(|column| column.1.clone()).collect();
    StructArray::new(fields, arrays, nulls)
}

fn of_three(keys: ArrayRef, digests: ArrayRef, signatures: ArrayRef) -> StructArray {
    batch(&[
        ("key", keys),
        ("digest", digests),
        ("signature", signatures),
    ])
}

/// Returns the verdicts of a batch, or the error and its message. `rows` selects a part by the
/// struct's own offset and length, which the columns do not have.
fn judge(
    batch: &StructArray,
    rows: Option<(usize, usize)>,
) -> Result<Vec<sigmill_error>, (sigmill_error, String)> {
    let data = batch.to_data();
    let schema = FFI_ArrowSchema::try_from(data.data_type()).unwrap();
    let mut array = FFI_ArrowArray::new(&data);
    let len = rows.map_or(batch.len(), |(_, len)| len);
    if let Some((offset, len)) = rows {
        let place = (&raw mut array).cast::<[i64; 3]>();
        // SAFETY: the struct of the interface begins with length, number of nulls, and offset.
        unsafe { place.write([len as i64, -1, offset as i64]) };
    }
    let mut verdicts = vec![SIGMILL_OK; len];
    let (mut valid, mut failure) = (77, sigmill_failure { message: [1; 256] });
    let engine = engine();
    // SAFETY: the structs are those of the interface, and there is a verdict for each row.
    let error = unsafe {
        let schema = (&raw const schema).cast::<ArrowSchema>();
        let array = (&raw const array).cast::<ArrowArray>();
        let (place, failure) = (verdicts.as_mut_ptr(), &raw mut failure);
        let error = sigmill_engine_verify_arrow(
            engine, schema, array, P256, 0, P1363, place, len, &mut valid, failure,
        );
        sigmill_engine_free(engine);
        error
    };
    if error == SIGMILL_OK {
        let expected = verdicts.iter().filter(|&&verdict| verdict == SIGMILL_OK);
        assert_eq!(valid, expected.count());
        return Ok(verdicts);
    }
    assert_eq!((verdicts, valid), (vec![rule("not-judged"); len], 0));
    Err((error, text(failure.message.as_ptr()).to_string()))
}

#[test]
fn every_layout_holds_the_same_rows() {
    let values = Values::new();
    let expected = values.expected();
    assert_eq!(
        expected
            .iter()
            .filter(|&&error| error == SIGMILL_OK)
            .count(),
        ROWS - 6
    );
    for null in [
        rule("key-null"),
        rule("input-null"),
        rule("signature-null"),
        rule("signature-mismatch"),
        rule("key-not-on-curve"),
        rule("r-zero"),
    ] {
        assert!(expected.contains(&null), "{null:?}");
    }
    let columns = values.columns().map(layouts);
    for i in 0..columns[0].len() {
        let of = |column: usize| columns[column][(i + column) % columns[column].len()].clone();
        let whole = of_three(of(0), of(1), of(2));
        assert_eq!(
            judge(&whole, None).as_ref(),
            Ok(&expected),
            "layouts from {i}"
        );
        for (offset, len) in [(0, 10), (3, 9), (10, 14), (23, 1), (8, 0), (24, 0)] {
            let expected = Ok(expected[offset..offset + len].to_vec());
            let part = format!("layouts from {i}, {len} rows from {offset}");
            // The offset is that of the columns, that of the struct, or both.
            assert_eq!(judge(&whole.slice(offset, len), None), expected, "{part}");
            assert_eq!(judge(&whole, Some((offset, len))), expected, "{part}");
            let later = whole.slice(offset / 2, ROWS - offset / 2);
            assert_eq!(
                judge(&later, Some((offset - offset / 2, len))),
                expected,
                "{part}"
            );
        }
    }
}

/// Values of wrong lengths get the error of their row, in all layouts that can hold them.
#[test]
fn values_of_wrong_lengths() {
    let mut values = Values::new();
    let change = |column: &mut Vec<Option<Vec<u8>>>, row: usize, len: usize| {
        column[row].as_mut().unwrap().resize(len, 0);
    };
    for (row, len) in [(0, 0), (1, 1), (2, 64), (3, 66)] {
        change(&mut values.keys, row, len);
    }
    for (row, len) in [(4, 0), (6, 31), (7, 64)] {
        change(&mut values.digests, row, len);
    }
    for (row, len) in [(8, 0), (10, 63), (12, 65), (13, 128)] {
        change(&mut values.signatures, row, len);
    }
    let expected = values.expected();
    assert_eq!(expected[0], rule("key-empty"));
    assert_eq!(expected[4], rule("digest-empty"));
    assert_eq!(
        (expected[6], expected[7]),
        (rule("signature-mismatch"), SIGMILL_OK)
    );
    assert_eq!(expected[10], rule("signature-length"));
    let variable = values.columns().map(binary);
    let views = values.columns().map(|column| {
        let mut view = BinaryViewBuilder::new();
        slices(column)
            .into_iter()
            .for_each(|value| view.append_option(value));
        Arc::new(view.finish()) as ArrayRef
    });
    let encoded = values
        .columns()
        .map(|column| dictionary::<Int8Type>(&slices(column)));
    for [keys, digests, signatures] in [variable, views, encoded] {
        let of = format!("{}", keys.data_type());
        assert_eq!(
            judge(&of_three(keys, digests, signatures), None),
            Ok(expected.clone()),
            "{of}"
        );
    }
}

/// Values of a dictionary may be null. An index whose row is null may be anything; any other index
/// must be that of a value.
#[test]
fn dictionaries_with_nulls_and_wrong_indices() {
    let values = Values::new();
    let [keys, digests, signatures] = values.columns().map(|column| binary(&column[..4]));
    let points = binary(&[values.keys[0].clone(), None, values.keys[1].clone()]);
    let indices = |indices: [i32; 4], is_there: [bool; 4]| {
        Int32Array::new(indices.to_vec().into(), Some(is_there.to_vec().into()))
    };
    let encoded = |indices| -> ArrayRef { Arc::new(DictionaryArray::new(indices, points.clone())) };
    let keys_of = |keys: ArrayRef| of_three(keys, digests.clone(), signatures.clone());
    let null = rule("key-null");
    let some = encoded(indices([0, 2, 99, 1], [true, true, false, true]));
    assert_eq!(
        judge(&keys_of(some), None),
        Ok(vec![SIGMILL_OK, SIGMILL_OK, null, null])
    );
    // Row 2 has the key of row 1: a mismatch.
    let other = encoded(indices([0, 2, 2, -1], [true, true, true, false]));
    let mismatch = rule("signature-mismatch");
    assert_eq!(
        judge(&keys_of(other), None),
        Ok(vec![SIGMILL_OK, SIGMILL_OK, mismatch, null])
    );
    for wrong in [3, -1, i32::MAX, i32::MIN] {
        let indices = indices([0, 1, wrong, 0], [true; 4]);
        // SAFETY: only the library uses these indices, and it checks them.
        let wrong = unsafe { DictionaryArray::new_unchecked(indices, points.clone()) };
        let refused = judge(&keys_of(Arc::new(wrong)), None);
        let message = "key: the index of row 2 must be below the number of values, 3";
        assert_eq!(refused, Err((SIGMILL_ERROR_ROWS_SHAPE, message.into())));
    }
    // The other columns may be dictionaries with few values, too.
    let same = vec![values.digests[0].clone(); 4];
    let same = dictionary::<Int8Type>(&slices(&same));
    let expected = vec![SIGMILL_OK, mismatch, mismatch, mismatch];
    assert_eq!(
        judge(&of_three(keys, same, signatures.clone()), None),
        Ok(expected)
    );
}

#[test]
fn text_in_every_layout() {
    let jwk = r#"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#;
    let texts = [Some(jwk), None, Some("{}"), Some("short")];
    let values = Values::new();
    let [_, digests, signatures] = values.columns().map(|column| binary(&column[..4]));
    let arrays: [ArrayRef; 3] = [
        Arc::new(StringArray::from_iter(texts)),
        Arc::new(arrow_array::LargeStringArray::from_iter(texts)),
        Arc::new(StringViewArray::from_iter(texts)),
    ];
    for keys in arrays {
        let verdicts = judge(&of_three(keys, digests.clone(), signatures.clone()), None).unwrap();
        assert_eq!(verdicts[0], rule("signature-mismatch"));
        assert_eq!(verdicts[1], rule("key-null"));
        assert_eq!(verdicts[2], rule("jwk-member-missing"));
        assert_eq!(verdicts[3], rule("key-encoding-unknown"));
    }
}

/// A column of another type is refused with its name, wherever it is.
#[test]
fn columns_of_other_types() {
    let values = Values::new();
    let columns = values.columns().map(binary);
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1; ROWS]));
    let lists = ListArray::from_iter_primitive::<arrow_array::types::Int32Type, _, _>(vec![
        Some(
            vec![Some(1)]
        );
        ROWS
    ]);
    let indices = Int32Array::from(vec![0; ROWS]);
    let of_numbers = DictionaryArray::new(indices, Arc::new(Int32Array::from(vec![1])));
    let others: [(ArrayRef, sigmill_error); 4] = [
        (numbers, SIGMILL_ERROR_ARROW_FORMAT),
        (Arc::new(NullArray::new(ROWS)), SIGMILL_ERROR_ARROW_FORMAT),
        (Arc::new(lists), SIGMILL_ERROR_ARROW_CHILDREN),
        (Arc::new(of_numbers), SIGMILL_ERROR_ARROW_FORMAT),
    ];
    for (other, expected) in others {
        for (column, name) in ["key", "digest", "signature"].into_iter().enumerate() {
            let mut columns = columns.clone();
            columns[column] = other.clone();
            let [keys, digests, signatures] = columns;
            let (error, message) = judge(&of_three(keys, digests, signatures), None).unwrap_err();
            assert_eq!(error, expected, "{message}");
            assert!(message.starts_with(&format!("{name}: ")), "{message}");
        }
    }
}

#[test]
fn names_lengths_and_nulls_of_the_struct() {
    let values = Values::new();
    let [keys, digests, signatures] = values.columns().map(binary);
    let all = [
        ("key", keys),
        ("digest", digests.clone()),
        ("signature", signatures),
    ];
    let refused = |batch: &StructArray, rows| judge(batch, rows).unwrap_err();
    for missing in 0..3 {
        let mut some = all.to_vec();
        let (name, _) = some.remove(missing);
        let (error, message) = refused(&batch(&some), None);
        assert_eq!(error, SIGMILL_ERROR_ARROW_COLUMNS);
        // The message names the missing column. Without digests and messages, it names both.
        assert!(message.contains(name), "{message}");
    }
    for second in ["key", "digest", "message", "signature"] {
        let some = [&all[..], &[(second, digests.clone())]].concat();
        let (error, message) = refused(&batch(&some), None);
        assert_eq!(error, SIGMILL_ERROR_ARROW_COLUMNS);
        assert!(message.contains(second), "{message}");
    }
    // A column with another name is ignored, whatever its type.
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1; ROWS]));
    let some = [&all[..], &[("number", numbers), ("Key", digests)]].concat();
    assert_eq!(judge(&batch(&some), None), Ok(values.expected()));

    let whole = batch(&all);
    for (offset, len) in [(0, ROWS + 1), (ROWS, 1), (1, ROWS)] {
        let (error, message) = refused(&whole, Some((offset, len)));
        assert_eq!(error, SIGMILL_ERROR_ARROW_LENGTH);
        assert!(
            message.starts_with("digest: the column has 24 rows"),
            "{message}"
        );
    }
    let is_there: Vec<bool> = (0..ROWS).map(|row| row != 7).collect();
    let with_null = batch_with_nulls(&all, Some(is_there.into()));
    let (error, message) = refused(&with_null, None);
    assert_eq!(error, SIGMILL_ERROR_ARROW_NULLS);
    assert_eq!(message, "rows: row 7 must not be null as a whole");
    let expected = values.expected()[8..].to_vec();
    assert_eq!(judge(&with_null, Some((8, ROWS - 8))), Ok(expected));
}

#[test]
fn no_rows_and_no_places() {
    let values = Values::new();
    let [keys, digests, signatures] = values.columns().map(|column| {
        let layouts = layouts(column);
        layouts
            .into_iter()
            .map(|array| array.slice(0, 0))
            .collect::<Vec<_>>()
    });
    for ((keys, digests), signatures) in keys.iter().zip(&digests).zip(&signatures) {
        let none = of_three(keys.clone(), digests.clone(), signatures.clone());
        assert_eq!(judge(&none, None), Ok(vec![]));
    }
    let empty = binary(&[]);
    let none = of_three(empty.clone(), empty.clone(), dictionary::<Int8Type>(&[]));
    assert_eq!(judge(&none, None), Ok(vec![]));

    let [keys, digests, signatures] = values.columns().map(binary);
    let data = of_three(keys, digests, signatures).to_data();
    let schema = FFI_ArrowSchema::try_from(data.data_type()).unwrap();
    let array = FFI_ArrowArray::new(&data);
    let schema = (&raw const schema).cast::<ArrowSchema>();
    let array = (&raw const array).cast::<ArrowArray>();
    let mut verdicts = [SIGMILL_OK; ROWS];
    let engine = engine();
    let place = verdicts.as_mut_ptr();
    let call = |schema, array, choices: [u32; 3], place, len| {
        let [curve, hash, format] = choices;
        let (valid, failure) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the pointers are NULL or those above. There is a verdict for each row, or the
        // call states that there are fewer.
        unsafe {
            sigmill_engine_verify_arrow(
                engine, schema, array, curve, hash, format, place, len, valid, failure,
            )
        }
    };
    let choices = [P256, 0, P1363];
    let null = SIGMILL_ERROR_NULL_POINTER;
    assert_eq!(call(ptr::null(), array, choices, place, ROWS), null);
    assert_eq!(call(schema, ptr::null(), choices, place, ROWS), null);
    assert_eq!(call(schema, array, choices, ptr::null_mut(), ROWS), null);
    for len in [0, ROWS - 1] {
        let error = call(schema, array, choices, place, len);
        assert_eq!(error, SIGMILL_ERROR_BUFFER_TOO_SMALL);
    }
    for choices in [[0, 0, P1363], [P256, 4, P1363], [P256, 0, 0]] {
        let error = call(schema, array, choices, place, ROWS);
        assert_eq!(error, SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE);
    }
    assert_eq!(verdicts, [rule("not-judged"); ROWS]);
    assert_eq!(call(schema, array, choices, place, ROWS), SIGMILL_OK);
    assert_eq!(verdicts.to_vec(), values.expected());
    // SAFETY: the handle is alive.
    unsafe { sigmill_engine_free(engine) };
}
