//! Columns that do not form rows are errors.

use sigmill::Algorithm;
use sigmill::bulk::{Column, Field, Inputs, Rows, ShapeError, Signatures};

#[test]
fn shapes_that_are_errors() {
    let bytes = [4_u8; 130];
    let two = || Column::fixed(&bytes, 65);
    let make = |keys, inputs, signatures| {
        Rows::new(
            Algorithm::ES256,
            keys,
            inputs,
            Signatures::P1363(signatures),
        )
        .map(|rows| rows.len())
    };
    let digests = |column| Inputs::Digests(column);
    assert_eq!(make(two(), digests(two()), two()), Ok(2));
    let field = Field::Key;
    let keys: Vec<(Column<'_>, ShapeError)> = vec![
        (Column::fixed(&bytes, 0), ShapeError::WidthZero { field }),
        (
            Column::fixed(&bytes, 64),
            ShapeError::WidthPartial {
                field,
                width: 64,
                bytes: 130,
            },
        ),
        (
            Column::variable(&bytes, &[] as &[i32]),
            ShapeError::OffsetsEmpty { field },
        ),
        (
            Column::variable(&bytes, &[-1, 0, 5]),
            ShapeError::OffsetsDecrease { field, at: 0 },
        ),
        (
            Column::variable(&bytes, &[0, 7, 5_i64]),
            ShapeError::OffsetsDecrease { field, at: 2 },
        ),
        (
            Column::variable(&bytes, &[0, 7, 131]),
            ShapeError::OffsetsBeyondEnd {
                field,
                offset: 131,
                bytes: 130,
            },
        ),
        (
            Column::variable(&bytes, &[0, 7, i64::MAX]),
            ShapeError::OffsetsBeyondEnd {
                field,
                offset: i64::MAX as u64,
                bytes: 130,
            },
        ),
        (
            two().dictionary(&[0_u32, 2]),
            ShapeError::IndexBeyondEnd {
                field,
                row: 1,
                values: 2,
            },
        ),
        (
            two().dictionary(&[-1_i8, 0]),
            ShapeError::IndexBeyondEnd {
                field,
                row: 0,
                values: 2,
            },
        ),
        (
            two().dictionary(&[0_u8, 1]).dictionary(&[0_u8, 1]),
            ShapeError::DictionaryValues { field },
        ),
        (
            Column::same(&bytes).dictionary(&[0_u8, 0]),
            ShapeError::DictionaryValues { field },
        ),
        (
            Column::fixed(&bytes, 64).dictionary(&[0_u8, 0]),
            ShapeError::WidthPartial {
                field,
                width: 64,
                bytes: 130,
            },
        ),
        (
            two().with_validity(&[0xff], 7),
            ShapeError::ValidityTooShort {
                field,
                expected: 2,
                actual: 1,
            },
        ),
        (
            two().with_validity(&[], usize::MAX),
            ShapeError::ValidityTooShort {
                field,
                expected: 2,
                actual: 0,
            },
        ),
    ];
    for (column, error) in keys {
        let message = error.to_string();
        assert_eq!(make(column.clone(), digests(two()), two()), Err(error));
        assert!(message.starts_with("key: "), "{message}");
        // The same column in another field is an error of that field.
        let error = make(two(), digests(column.clone()), two()).unwrap_err();
        assert!(error.to_string().starts_with("input: "), "{error}");
        let error = make(two(), digests(two()), column).unwrap_err();
        assert!(error.to_string().starts_with("signature: "), "{error}");
    }
    let same = || Column::same(&bytes);
    assert_eq!(
        make(same(), digests(same()), same()),
        Err(ShapeError::NoLength)
    );
    let length = |field, actual| ShapeError::Length {
        field,
        expected: 2,
        actual,
    };
    let one = || Column::fixed(&bytes, 130);
    assert_eq!(
        make(two(), digests(one()), two()),
        Err(length(Field::Input, 1))
    );
    assert_eq!(
        make(two(), digests(same()), one()),
        Err(length(Field::Signature, 1))
    );
    assert_eq!(
        make(same(), Inputs::Each(&[]), two())
            .unwrap_err()
            .to_string(),
        "signature: the column must have 0 rows as those before it, not 2"
    );
    let three = [Algorithm::ES256; 2];
    let rows = Rows::new(&three[..], one(), digests(one()), Signatures::P1363(one()));
    assert_eq!(rows.err(), Some(length(Field::Key, 1)));
}
