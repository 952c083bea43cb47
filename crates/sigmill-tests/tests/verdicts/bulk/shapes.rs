//! Columns that do not form rows are errors.

use sigmill::Algorithm;
use sigmill::bulk::{Column, Field, Inputs, Rows, Signatures};

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
    let partial = "130 bytes must be a whole number of values of 64 bytes";
    let dictionary = "the values of a dictionary must be a column with rows and no dictionary";
    let columns: [(Column<'_>, &str, &str); 14] = [
        (
            Column::fixed(&bytes, 0),
            "width-zero",
            "values of fixed length must have at least one byte",
        ),
        (Column::fixed(&bytes, 64), "width-partial", partial),
        (
            Column::variable(&bytes, &[] as &[i32]),
            "offsets-empty",
            "there must be one offset more than values",
        ),
        (
            Column::variable(&bytes, &[-1, 0, 5]),
            "offsets-decrease",
            "offset 0 must be at least the one before it, and at least 0",
        ),
        (
            Column::variable(&bytes, &[0, 7, 5_i64]),
            "offsets-decrease",
            "offset 2 must be at least the one before it, and at least 0",
        ),
        (
            Column::variable(&bytes, &[0, 7, 131]),
            "offsets-beyond-end",
            "the last offset must be at most the number of bytes, 130, not 131",
        ),
        (
            Column::variable(&bytes, &[0, 7, i64::MAX]),
            "offsets-beyond-end",
            "the last offset must be at most the number of bytes, 130, not 9223372036854775807",
        ),
        (
            two().dictionary(&[0_u32, 2]),
            "index-beyond-end",
            "the index of row 1 must be below the number of values, 2",
        ),
        (
            two().dictionary(&[-1_i8, 0]),
            "index-beyond-end",
            "the index of row 0 must be below the number of values, 2",
        ),
        (
            two().dictionary(&[0_u8, 1]).dictionary(&[0_u8, 1]),
            "dictionary-values",
            dictionary,
        ),
        (
            Column::same(&bytes).dictionary(&[0_u8, 0]),
            "dictionary-values",
            dictionary,
        ),
        (
            Column::fixed(&bytes, 64).dictionary(&[0_u8, 0]),
            "width-partial",
            partial,
        ),
        (
            two().with_validity(&[0xff], 7),
            "validity-too-short",
            "the validity must have a bit for each of 2 rows, not 1",
        ),
        (
            two().with_validity(&[], usize::MAX),
            "validity-too-short",
            "the validity must have a bit for each of 2 rows, not 0",
        ),
    ];
    for (column, reason, rule) in columns {
        // The same column in another field is an error of that field.
        for (field, rows) in [
            (Field::Key, make(column.clone(), digests(two()), two())),
            (Field::Input, make(two(), digests(column.clone()), two())),
            (Field::Signature, make(two(), digests(two()), column)),
        ] {
            let error = rows.unwrap_err();
            assert_eq!((error.field(), error.reason()), (Some(field), reason));
            assert_eq!(error.to_string(), format!("{field}: {rule}"));
        }
    }
    let same = || Column::same(&bytes);
    let error = make(same(), digests(same()), same()).unwrap_err();
    assert_eq!((error.field(), error.reason()), (None, "no-length"));
    let one = || Column::fixed(&bytes, 130);
    for (rows, field, expected, actual) in [
        (make(two(), digests(one()), two()), Field::Input, 2, 1),
        (make(two(), digests(same()), one()), Field::Signature, 2, 1),
        (
            make(same(), Inputs::Each(&[]), two()),
            Field::Signature,
            0,
            2,
        ),
    ] {
        super::check_length(&rows.unwrap_err(), field, expected, actual);
    }
    let three = [Algorithm::ES256; 2];
    let rows = Rows::new(&three, one(), digests(one()), Signatures::P1363(one()));
    super::check_length(&rows.unwrap_err(), Field::Key, 2, 1);
}
