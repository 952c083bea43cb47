//! Columns in every layout hold the same rows.

use super::{Owned, Population};
use sigmill::bulk::{Column, Engine, Input, Inputs, Rows, Signatures};
use sigmill::p256::Signature;
use sigmill::{Algorithm, Error, SignatureFormat};
use sigmill_tests::rounds;

/// Concatenated values, and their end offsets.
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
    // Dictionaries whose values are in another order, some of them twice, some unused.
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
        let rows = Rows::new(
            &algorithms,
            keys,
            Inputs::Digests(digests),
            Signatures::P1363(signatures),
        )
        .unwrap();
        let engine = Engine::builder().window(4).build().unwrap();
        let verdicts = engine.verify(&rows);
        population.check_verdicts(&verdicts, &numbers);
        assert!(
            verdicts.valid() > 0 && verdicts.rejected() > 0,
            "layout {i}"
        );
    }
    // Messages and digests alternating.
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
        Signatures::Auto(Column::slices(&signatures)),
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
        Rows::new(
            Algorithm::ES256,
            keys,
            Inputs::Digests(digests),
            Signatures::P1363(signatures),
        )
        .unwrap()
    };
    let fixed = Column::fixed;
    let all = of(
        fixed(&keys, 65),
        fixed(&digests, 32),
        fixed(&signatures, 64),
    );
    assert!(engine.verify(&all).all_valid());
    // The first row's key for all rows.
    let same_key = of(
        Column::same(&keys[..65]),
        fixed(&digests, 32),
        fixed(&signatures, 64),
    );
    let verdicts = engine.verify(&same_key);
    let valid: Vec<usize> = (0..40).filter(|&i| verdicts.get(i).is_ok()).collect();
    assert_eq!(valid, (0..40).step_by(4).collect::<Vec<_>>());
    // A dictionary of the four keys, once with an unused value that is not a key.
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
    // Row i lacks its key if bit 0 of i is set, its digest with bit 1, its signature with bit 2.
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
        let rows = Rows::new(
            Algorithm::ES256,
            keys,
            Inputs::Digests(digests),
            Signatures::P1363(signatures),
        );
        assert_eq!(engine.verify(&rows.unwrap()).as_slice(), expected);
    };
    check(
        Column::optional_slices(&keys),
        Column::optional_slices(&digests),
        Column::optional_slices(&signatures),
    );
    // The same with a bitmap that begins at bit 3 of the first byte.
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
    // Dictionaries: the index of a null row may be anything, and a value may be null.
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
    // One value for all rows is never null.
    let rows = Rows::new(
        Algorithm::ES256,
        Column::same(key).with_validity(&[0], 0),
        Inputs::Digests(Column::optional_slices(&digests)),
        Signatures::P1363(Column::same(signature)),
    );
    assert_eq!(engine.verify(&rows.unwrap()).valid(), 4);
    // A column that is all null, and another number of rows.
    let without = |keys, count: usize| {
        let digests = Inputs::Digests(Column::optional_slices(&digests));
        let signatures = Signatures::P1363(Column::nulls(count));
        Rows::new(Algorithm::ES256, keys, digests, signatures)
    };
    let verdicts = engine.verify(&without(Column::same(key), 8).unwrap());
    for (i, verdict) in verdicts.as_slice().iter().enumerate() {
        let is_without_digest = digests[i].is_none();
        let error = [Error::SignatureNull, Error::InputNull][usize::from(is_without_digest)];
        assert_eq!(*verdict, Err(error), "row {i}");
    }
    let verdicts = engine.verify(&without(Column::nulls(8), 8).unwrap());
    assert_eq!(verdicts.as_slice(), [Err(Error::KeyNull); 8]);
    assert!(without(Column::same(key), usize::MAX).is_err());
}

/// A signature in one format is rejected in another, even if its r and s are right.
#[test]
fn signatures_are_read_as_they_are_said_to_be_written() {
    let row = super::valid_row(5, 3);
    let p1363 = &row.signature[..];
    let der = Signature::from_p1363(p1363).unwrap().to_der();
    let engine = Engine::builder().build().unwrap();
    let verdict = |signatures| {
        let digests = Inputs::Digests(Column::same(&row.message));
        let keys = [&row.key[..]];
        let keys = Column::slices(&keys);
        let rows = Rows::new(Algorithm::ES256, keys, digests, signatures).unwrap();
        engine.verify(&rows).get(0)
    };
    assert_eq!(verdict(Signatures::P1363(Column::same(p1363))), Ok(()));
    assert_eq!(verdict(Signatures::Der(Column::same(&der))), Ok(()));
    assert_eq!(
        verdict(Signatures::P1363(Column::same(&der))),
        Err(Error::SignatureLength {
            expected: 64,
            actual: der.len()
        })
    );
    assert_eq!(
        verdict(Signatures::Der(Column::same(p1363))),
        Signature::from_der(p1363).map(|_| ())
    );
    for (format, bytes) in [
        (SignatureFormat::P1363, p1363),
        (SignatureFormat::Der, &der),
        (SignatureFormat::Auto, p1363),
        (SignatureFormat::Auto, &der),
    ] {
        let signatures = Signatures::new(format, Column::same(bytes));
        assert_eq!(verdict(signatures), Ok(()), "{format}");
    }
}
