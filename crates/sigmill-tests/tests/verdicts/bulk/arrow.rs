//! Arrow arrays of every type that holds bytes, whole and sliced, with and without nulls.

use std::sync::Arc;

use arrow_array::builder::{BinaryDictionaryBuilder, BinaryViewBuilder};
use arrow_array::types::{ArrowDictionaryKeyType, Int8Type, Int64Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, FixedSizeBinaryArray, Int32Array,
    LargeBinaryArray, LargeStringArray, NullArray, StringArray, StringViewArray,
};

use super::signed::{mixed, single};
use super::valid_row;
use sigmill::bulk::{Column, Engine, Inputs, RecoverRows, Rows, Signatures};
use sigmill::curves::Secp256k1;
use sigmill::{Algorithm, Error, Policy};

/// The same values in arrays of every type.
fn arrays(values: &[Option<&[u8]>]) -> Vec<ArrayRef> {
    let mut view = BinaryViewBuilder::new();
    values.iter().for_each(|value| view.append_option(*value));
    let width = values.iter().flatten().next().unwrap().len() as i32;
    let fixed = FixedSizeBinaryArray::try_from_sparse_iter_with_size(values.iter().copied(), width);
    vec![
        Arc::new(BinaryArray::from_opt_vec(values.to_vec())),
        Arc::new(LargeBinaryArray::from_opt_vec(values.to_vec())),
        Arc::new(view.finish()),
        Arc::new(fixed.unwrap()),
        dictionary::<Int8Type>(values),
        dictionary::<UInt32Type>(values),
        dictionary::<Int64Type>(values),
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

#[test]
fn every_type_holds_the_same_rows() {
    let owned: Vec<_> = (0..24).map(|i| valid_row(1 + i % 3, i)).collect();
    // A null key, digest and signature, and a wrong bit.
    let mut keys: Vec<Option<&[u8]>> = owned.iter().map(|row| Some(&row.key[..])).collect();
    let mut digests: Vec<Option<&[u8]>> = owned.iter().map(|row| Some(&row.message[..])).collect();
    let mut signatures: Vec<Option<&[u8]>> =
        owned.iter().map(|row| Some(&row.signature[..])).collect();
    keys[5] = None;
    digests[9] = None;
    signatures[11] = None;
    signatures[20] = signatures[0];
    let mut expected = vec![Ok(()); 24];
    expected[5] = Err(Error::KeyNull);
    expected[9] = Err(Error::InputNull);
    expected[11] = Err(Error::SignatureNull);
    expected[20] = Err(Error::SignatureMismatch);

    let engine = Engine::builder().build().unwrap();
    let judge = |arrays: [&dyn Array; 3]| {
        let [keys, digests, signatures] = arrays.map(|array| Column::from_arrow(array).unwrap());
        let rows = Rows::new(
            Algorithm::ES256,
            keys,
            Inputs::Digests(digests),
            Signatures::P1363(signatures),
        );
        engine.verify(&rows.unwrap()).as_slice().to_vec()
    };
    let columns = [arrays(&keys), arrays(&digests), arrays(&signatures)];
    for i in 0..columns[0].len() {
        let [keys, digests, signatures] =
            [0, 1, 2].map(|j| &columns[j][(i + j) % columns[0].len()]);
        assert_eq!(
            judge([keys, digests, signatures]),
            expected,
            "types from {i}"
        );
        for (start, length) in [(0, 10), (3, 9), (10, 14), (23, 1), (8, 0)] {
            let [keys, digests, signatures] =
                [keys, digests, signatures].map(|array| array.slice(start, length));
            let expected = &expected[start..start + length];
            assert_eq!(
                judge([&keys, &digests, &signatures]),
                expected,
                "from {start}"
            );
        }
    }
}

#[test]
fn dictionaries_whose_values_are_null() {
    let row = valid_row(2, 3);
    let values = BinaryArray::from_opt_vec(vec![None, Some(&row.key[..])]);
    let indices = Int32Array::from(vec![Some(1), Some(0), None, Some(1)]);
    let keys = DictionaryArray::new(indices, Arc::new(values));
    let rows = Rows::new(
        Algorithm::ES256,
        Column::from_arrow(&keys).unwrap(),
        Inputs::Digests(Column::same(&row.message)),
        Signatures::P1363(Column::same(&row.signature)),
    );
    let null = Err(Error::KeyNull);
    let engine = Engine::builder().build().unwrap();
    assert_eq!(
        engine.verify(&rows.unwrap()).as_slice(),
        [Ok(()), null, null, Ok(())]
    );
}

#[test]
fn text_holds_keys() {
    let jwk = r#"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#;
    let texts = [Some(jwk), None, Some("{}")];
    let arrays: [ArrayRef; 3] = [
        Arc::new(StringArray::from_iter(texts)),
        Arc::new(LargeStringArray::from_iter(texts)),
        Arc::new(StringViewArray::from_iter(texts)),
    ];
    let nulls = NullArray::new(3);
    let engine = Engine::builder().build().unwrap();
    for array in &arrays {
        let rows = |inputs| {
            let keys = Column::from_arrow(array).unwrap();
            Rows::new(
                Algorithm::ES256,
                keys,
                inputs,
                Signatures::P1363(Column::same(&[1; 64])),
            )
            .unwrap()
        };
        let verdicts = engine.verify(&rows(Inputs::Messages(Column::same(b"text"))));
        let expected = [
            Err(Error::SignatureMismatch),
            Err(Error::KeyNull),
            Err(Error::JwkMemberMissing { member: "kty" }),
        ];
        assert_eq!(verdicts.as_slice(), expected);
        let inputs = Inputs::Messages(Column::from_arrow(&nulls).unwrap());
        assert_eq!(engine.verify(&rows(inputs)).get(0), Err(Error::InputNull));
    }
}

#[test]
fn other_types_are_errors() {
    let numbers = Int32Array::from(vec![1, 2]);
    let error = Column::from_arrow(&numbers).unwrap_err();
    assert_eq!((error.field(), error.reason()), (None, "arrow-type"));
    assert_eq!(
        error.to_string(),
        "column: the array must hold bytes or text, not Int32"
    );
    let indices = Int32Array::from(vec![0, 0]);
    let of_numbers = DictionaryArray::new(indices, Arc::new(numbers));
    assert!(Column::from_arrow(&of_numbers).is_err());
    let empty = FixedSizeBinaryArray::try_new(0, vec![0; 0].into(), None);
    if let Ok(empty) = empty {
        let column = Column::from_arrow(&empty).unwrap();
        let rows = Rows::new(
            Algorithm::ES256,
            column,
            Inputs::Digests(Column::same(&[1])),
            Signatures::P1363(Column::same(&[1])),
        );
        assert_eq!(rows.unwrap_err().reason(), "width-zero");
    }
}

#[test]
fn keys_that_are_recovered_make_an_array() {
    let rows = mixed::<Secp256k1>(88, 40);
    let digests = BinaryArray::from_iter_values(rows.iter().map(|row| &row.digest));
    let signatures = BinaryArray::from_iter_values(rows.iter().map(|row| &row.signature));
    let engine = Engine::builder().build().unwrap();
    for count in [40, 1, 0] {
        let (digests, signatures) = (digests.slice(0, count), signatures.slice(0, count));
        let digests = Inputs::Digests(Column::from_arrow(&digests).unwrap());
        let signatures = Column::from_arrow(&signatures).unwrap();
        let recovered =
            engine.recover(&RecoverRows::new(Algorithm::ES256K, digests, signatures).unwrap());
        let keys = recovered.into_arrow();
        assert_eq!((keys.len(), keys.value_length()), (count, 65));
        for (key, row) in keys.iter().zip(&rows) {
            let expected = single::<Secp256k1>(row, Policy::default());
            assert_eq!(key, expected.ok().as_deref());
        }
    }
}
