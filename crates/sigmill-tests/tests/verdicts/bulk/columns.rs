//! Columns in every layout hold the same rows, and columns that do not make rows are errors.

use super::{Owned, Population};
use sigmill::bulk::{
    Algorithms, Column, Engine, Field, Id, Ids, Input, Inputs, Row, Rows, ShapeError,
};
use sigmill::{Algorithm, Error, SignatureFormat};
use sigmill_tests::rounds;

/// Values one after the other, and where they end.
fn joined<'a>(values: impl Iterator<Item = &'a [u8]>) -> (Vec<u8>, Vec<i32>) {
    let (mut bytes, mut offsets) = (vec![], vec![0]);
    for value in values {
        bytes.extend_from_slice(value);
        offsets.push(i32::try_from(bytes.len()).unwrap());
    }
    (bytes, offsets)
}

/// Rows of a population with digests, whose signatures are all in one format.
fn digested(population: &Population) -> Vec<usize> {
    (0..population.rows.len())
        .filter(|&i| {
            let row = &population.rows[i];
            row.hashed && row.format == SignatureFormat::P1363
        })
        .collect()
}

#[test]
fn every_layout_holds_the_same_rows() {
    let population = Population::new(71, rounds(200, 1500));
    let numbers = digested(&population);
    let rows: Vec<&Owned> = numbers.iter().map(|&i| &population.rows[i]).collect();
    assert!(rows.len() > 20);
    let algorithms: Vec<Algorithm> = rows.iter().map(|row| row.algorithm).collect();
    let fields: [fn(&Owned) -> &[u8]; 3] =
        [|row| &row.key, |row| &row.message, |row| &row.signature];
    let joined = fields.map(|field| joined(rows.iter().map(|row| field(row))));
    let wide: Vec<Vec<i64>> = joined
        .iter()
        .map(|(_, offsets)| offsets.iter().map(|&offset| i64::from(offset)).collect())
        .collect();
    let slices = fields.map(|field| rows.iter().map(|row| field(row)).collect::<Vec<_>>());
    let options = slices
        .clone()
        .map(|slices| slices.into_iter().map(Some).collect::<Vec<_>>());
    // Dictionaries whose values stand in another order, some of them twice, some unused.
    let places: Vec<u32> = (0..rows.len() as u32).rev().collect();
    let reversed = fields.map(|field| {
        let mut values: Vec<&[u8]> = rows.iter().rev().map(|row| field(row)).collect();
        values.extend(rows.iter().take(3).map(|row| field(row)));
        values
    });
    let wide_places: Vec<i64> = places.iter().map(|&place| i64::from(place)).collect();

    let columns: Vec<[Column<'_>; 3]> = vec![
        [0, 1, 2].map(|i| Column::variable(&joined[i].0, &joined[i].1)),
        [0, 1, 2].map(|i| Column::variable(&joined[i].0, &wide[i])),
        [0, 1, 2].map(|i| Column::slices(&slices[i])),
        [0, 1, 2].map(|i| Column::optional_slices(&options[i])),
        [0, 1, 2].map(|i| Column::slices(&reversed[i]).dictionary(&places)),
        [0, 1, 2].map(|i| Column::slices(&reversed[i]).dictionary(&wide_places)),
    ];
    for (i, [keys, digests, signatures]) in columns.into_iter().enumerate() {
        let rows = Rows::new(&algorithms, keys, Inputs::Digests(digests), signatures)
            .unwrap()
            .format(SignatureFormat::P1363);
        let engine = Engine::builder().window(4).build().unwrap();
        let verdicts = engine.verify(&rows);
        population.check_verdicts(&verdicts, &numbers);
        assert!(
            verdicts.valid() > 0 && verdicts.rejected() > 0,
            "layout {i}"
        );
    }
    // Messages and digests in turn.
    let numbers: Vec<usize> = (0..population.rows.len())
        .filter(|&i| population.rows[i].format == SignatureFormat::Auto)
        .collect();
    let rows: Vec<&Owned> = numbers.iter().map(|&i| &population.rows[i]).collect();
    let inputs: Vec<Input<'_>> = rows.iter().map(|row| row.row().input).collect();
    let algorithms: Vec<Algorithm> = rows.iter().map(|row| row.algorithm).collect();
    let [keys, signatures] =
        [fields[0], fields[2]].map(|field| rows.iter().map(|row| field(row)).collect::<Vec<_>>());
    let engine = Engine::builder().build().unwrap();
    let rows = Rows::new(
        &algorithms[..],
        Column::slices(&keys),
        Inputs::Each(&inputs),
        Column::slices(&signatures),
    );
    population.check_verdicts(&engine.verify(&rows.unwrap()), &numbers);
}

#[test]
fn columns_of_one_length_and_one_value_for_all() {
    let rows: Vec<Owned> = (0..40).map(|i| super::valid_row(1 + i % 4, i)).collect();
    let [keys, digests, signatures] = [
        rows.iter()
            .flat_map(|row| row.key.clone())
            .collect::<Vec<_>>(),
        rows.iter().flat_map(|row| row.message.clone()).collect(),
        rows.iter().flat_map(|row| row.signature.clone()).collect(),
    ];
    let engine = Engine::builder().build().unwrap();
    let of = |keys, digests, signatures| {
        Rows::new(Algorithm::ES256, keys, Inputs::Digests(digests), signatures).unwrap()
    };
    let fixed = Column::fixed;
    let all = of(
        fixed(&keys, 65),
        fixed(&digests, 32),
        fixed(&signatures, 64),
    );
    assert!(engine.verify(&all).all_valid());
    // The first row's key for all.
    let same_key = of(
        Column::same(&keys[..65]),
        fixed(&digests, 32),
        fixed(&signatures, 64),
    );
    let verdicts = engine.verify(&same_key);
    let valid: Vec<usize> = (0..40).filter(|&i| verdicts.get(i).is_ok()).collect();
    assert_eq!(valid, (0..40).step_by(4).collect::<Vec<_>>());
    // A dictionary of the four keys, once with a value that no row has and that is no key.
    let dictionary = [&keys[..4 * 65], &[9; 65]].concat();
    let indices: Vec<u8> = (0..40).map(|i| i % 4).collect();
    let by_index = fixed(&dictionary, 65).dictionary(&indices);
    let rows = of(by_index, fixed(&digests, 32), fixed(&signatures, 64));
    assert!(engine.verify(&rows).all_valid());
    // A dictionary with far more values than rows.
    let many = keys.repeat(10);
    let by_index = fixed(&many, 65).dictionary(&indices[..4]);
    let rows = of(
        by_index,
        fixed(&digests[..128], 32),
        fixed(&signatures[..256], 64),
    );
    assert!(engine.verify(&rows).all_valid());
    // No rows at all.
    let none = of(fixed(&[], 65), fixed(&[], 32), fixed(&[], 64));
    let verdicts = engine.verify(&none);
    assert!(none.is_empty() && verdicts.is_empty() && verdicts.all_valid());
    assert_eq!(verdicts.get(0), Err(Error::NotJudged));
}

#[test]
fn rows_without_a_value() {
    let row = super::valid_row(2, 9);
    let (key, digest, signature) = (&row.key[..], &row.message[..], &row.signature[..]);
    // Row i lacks its key where bit 0 of i is set, its digest at bit 1, its signature at bit 2.
    let optional = |value, bit: usize| -> Vec<Option<&[u8]>> {
        (0..8)
            .map(|i| (i >> bit & 1 == 0).then_some(value))
            .collect()
    };
    let keys = optional(key, 0);
    let digests = optional(digest, 1);
    let signatures = optional(signature, 2);
    let expected = [
        Ok(()),
        Err(Error::KeyNull),
        Err(Error::InputNull),
        Err(Error::KeyNull),
        Err(Error::SignatureNull),
        Err(Error::KeyNull),
        Err(Error::InputNull),
        Err(Error::KeyNull),
    ];
    let engine = Engine::builder().build().unwrap();
    let check = |keys, digests, signatures| {
        let rows = Rows::new(Algorithm::ES256, keys, Inputs::Digests(digests), signatures);
        assert_eq!(engine.verify(&rows.unwrap()).as_slice(), expected);
    };
    check(
        Column::optional_slices(&keys),
        Column::optional_slices(&digests),
        Column::optional_slices(&signatures),
    );
    // The same by bits, which begin at bit 3 of the first byte.
    let all = [key.repeat(8), digest.repeat(8), signature.repeat(8)];
    let bits = |bit: usize| {
        let bits = (0..8)
            .filter(|i| i >> bit & 1 == 0)
            .fold(0_u16, |bits, i| bits | 1 << (i + 3));
        bits.to_le_bytes()
    };
    let bits = [bits(0), bits(1), bits(2)];
    check(
        Column::fixed(&all[0], 65).with_validity(&bits[0], 3),
        Column::fixed(&all[1], 32).with_validity(&bits[1], 3),
        Column::fixed(&all[2], 64).with_validity(&bits[2], 3),
    );
    // Dictionaries: indices without a value may be anything, and a value may be missing.
    let indices: Vec<i16> = (0..8).map(|i| if i & 1 == 0 { 0 } else { -1 }).collect();
    let values = [Some(key), None];
    check(
        Column::optional_slices(&values)
            .dictionary(&indices)
            .with_validity(&bits[0], 3),
        Column::optional_slices(&digests),
        Column::optional_slices(&signatures),
    );
    let indices: Vec<u64> = (0..8).map(|i| i & 1).collect();
    check(
        Column::optional_slices(&values).dictionary(&indices),
        Column::optional_slices(&digests),
        Column::optional_slices(&signatures),
    );
    // One value for all rows is always there.
    let rows = Rows::new(
        Algorithm::ES256,
        Column::same(key).with_validity(&[0], 0),
        Inputs::Digests(Column::optional_slices(&digests)),
        Column::same(signature),
    );
    assert_eq!(engine.verify(&rows.unwrap()).valid(), 4);
}

#[test]
fn shapes_that_are_errors() {
    let bytes = [4_u8; 130];
    let two = || Column::fixed(&bytes, 65);
    let make = |keys, inputs, signatures| {
        Rows::new(Algorithm::ES256, keys, inputs, signatures).map(|rows| rows.len())
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
        // The same column elsewhere is the fault of that field.
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
    let rows = Rows::new(&three[..], one(), digests(one()), one());
    assert_eq!(rows.err(), Some(length(Field::Key, 1)));
    let rows = Rows::new(
        Algorithms::Same(Algorithm::ES256),
        two(),
        digests(two()),
        two(),
    )
    .unwrap();
    let error = rows.clone().ids(Ids::Numbers(&[1])).unwrap_err();
    assert_eq!(error, length(Field::Id, 1));
    let error = rows.ids(Ids::Names(Column::fixed(&bytes, 0))).unwrap_err();
    assert_eq!(error, ShapeError::WidthZero { field: Field::Id });
}

#[test]
fn ids_are_kept() {
    let row = super::valid_row(2, 9);
    let bad = [0_u8; 64];
    let row = row.row();
    let rows = [
        row,
        Row {
            signature: &bad,
            ..row
        },
        row,
    ];
    let engine = Engine::builder().build().unwrap();
    let verdicts = engine.verify(&Rows::from(&rows[..]));
    let ids: Vec<_> = verdicts.iter().collect();
    let error = Err(Error::RZero);
    assert_eq!(
        ids,
        [
            (Id::Number(0), Ok(())),
            (Id::Number(1), error),
            (Id::Number(2), Ok(()))
        ]
    );
    let named = |ids| engine.verify(&Rows::from(&rows[..]).ids(ids).unwrap());
    let verdicts = named(Ids::Numbers(&[70, 80, 90]));
    let rejected: Vec<_> = verdicts.iter_rejected().collect();
    assert_eq!(rejected, [(1, Id::Number(80), Error::RZero)]);
    let names = [Some(&b"a"[..]), None, Some(b"\xff")];
    let verdicts = named(Ids::Names(Column::optional_slices(&names)));
    let ids: Vec<_> = verdicts.iter().map(|(id, _)| id).collect();
    assert_eq!(ids, [Id::Name(b"a"), Id::Null, Id::Name(b"\xff")]);
    let texts: Vec<String> = ids.iter().map(|id| format!("{id:>2}")).collect();
    assert_eq!(texts, [" a", "  ", " \u{fffd}"]);
    assert_eq!(verdicts.id(3), Id::Null);
    let verdicts = named(Ids::Names(Column::variable(b"xyz", &[0, 1, 1, 3])));
    assert_eq!(verdicts.id(1), Id::Name(b""));
    assert_eq!(verdicts.id(2), Id::Name(b"yz"));
    assert_eq!(format!("{:>4}", Id::Number(7)), "   7");
}
