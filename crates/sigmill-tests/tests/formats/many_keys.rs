//! Many keys in one call, against one at a time.

use base64ct::{Base64UrlUnpadded, Encoding};
use rand_chacha::rand_core::Rng;
use sigmill::curves::NamedCurve;
use sigmill::keys::VerifyingKey;
use sigmill::{AnyVerifyingKey, CurveName, Error};

use sigmill_tests::numbers::{big, random_nonzero, rng, to_bytes};
use sigmill_tests::processes::on_every_backend;
use sigmill_tests::referee::Referee;
use sigmill_tests::{for_curve, for_each_curve};

/// Points in both forms, including some with x off the curve, and malformed points.
fn pool<C: NamedCurve + Default>() -> Vec<Vec<u8>> {
    let referee = Referee::new(C::default().name());
    let length = referee.length();
    let mut rng = rng(33);
    let mut pool = vec![];
    for d in [big(1), big(2), &referee.n - 1u32] {
        pool.push(referee.generator_multiple(&d));
    }
    for _ in 0..4 {
        let d = random_nonzero(&mut rng, &referee.n);
        pool.push(referee.generator_multiple(&d));
    }
    for full in pool.clone() {
        let compressed = referee.compress(&full);
        let negated = [&[compressed[0] ^ 1], &compressed[1..]].concat();
        pool.extend([compressed, negated]);
    }
    let mut x = |tag: u8, x| pool.push([vec![tag], to_bytes(&x, length)].concat());
    (0..8).for_each(|value| x(2, big(value)));
    (1..9u32).for_each(|value| x(3, &referee.p - value));
    x(2, referee.p.clone());
    x(3, (big(1) << (8 * length)) - 1u32);
    let mut moved = pool[0].clone();
    moved[2 * length] ^= 1;
    let empty = vec![];
    pool.extend([moved, empty, vec![0], vec![2], vec![5; 1 + length]]);
    pool
}

/// Every number of points up to about forty, drawn from the pool with more or fewer compressed
/// ones.
fn points_agree<C: NamedCurve + Default>() {
    let pool = pool::<C>();
    let mut rng = rng(34);
    let single: Vec<_> = pool
        .iter()
        .map(|bytes| VerifyingKey::<C>::from_sec1_bytes(bytes))
        .collect();
    let is_on_curve = |key: &&Result<VerifyingKey<C>, _>| key.is_ok();
    assert!(single.iter().filter(is_on_curve).count() > 21);
    assert!(single.contains(&Err(Error::KeyNotOnCurve)));
    for count in 0..=40 {
        let rows: Vec<_> = (0..count)
            .map(|_| rng.next_u32() as usize % pool.len())
            .collect();
        let bytes: Vec<&[u8]> = rows.iter().map(|&i| &pool[i][..]).collect();
        let many = VerifyingKey::<C>::from_sec1_bytes_many(&bytes);
        let expected: Vec<_> = rows.iter().map(|&i| single[i]).collect();
        assert_eq!(many, expected, "{count} points: {rows:?}");
    }
    let all: Vec<&[u8]> = pool.iter().map(|bytes| &bytes[..]).collect();
    assert_eq!(VerifyingKey::<C>::from_sec1_bytes_many(&all), single);
}

#[test]
fn many_points_are_the_points() {
    for_each_curve!(C => { points_agree::<C>() });
}

#[test]
fn many_keys_of_all_encodings_are_the_keys() {
    let mut rows: Vec<(CurveName, Vec<u8>)> = vec![];
    for &curve in CurveName::ALL {
        let points = for_curve!(curve, C => { pool::<C>() });
        let mut encodings = vec![b"no key".to_vec(), b"{}".to_vec(), vec![0x30, 0]];
        for point in points {
            if let Ok(key) = AnyVerifyingKey::from_sec1_bytes(curve, &point) {
                let der = key.to_public_key_der();
                let full = key.to_sec1_bytes(false);
                let (x, y) = full[1..].split_at(curve.field_len());
                let [x, y] = [x, y].map(Base64UrlUnpadded::encode_string);
                let jwk = format!(r#"{{"kty":"EC","crv":"{curve}","x":"{x}","y":"{y}"}}"#);
                let mut off_curve = der.clone();
                *off_curve.last_mut().unwrap() ^= 1;
                encodings.extend([der, jwk.into_bytes(), off_curve]);
            }
            encodings.push(point);
        }
        for bytes in encodings {
            // Each under every name: at most one fits.
            rows.extend(CurveName::ALL.iter().map(|&name| (name, bytes.clone())));
        }
    }
    let rows: Vec<_> = rows
        .iter()
        .map(|(curve, bytes)| (*curve, &bytes[..]))
        .collect();
    let single: Vec<_> = rows
        .iter()
        .map(|(curve, bytes)| AnyVerifyingKey::from_encoded(Some(*curve), bytes))
        .collect();
    assert_eq!(AnyVerifyingKey::from_encoded_many(&rows), single);
    assert!(single.iter().filter(|key| key.is_ok()).count() > 100);
    let errors: std::collections::BTreeSet<_> = single
        .iter()
        .filter_map(|key| key.as_ref().err())
        .map(|error| format!("{error:?}"))
        .collect();
    assert!(errors.len() > 8, "{errors:?}");
}

#[test]
fn every_backend() {
    on_every_backend("many_keys::", "many_keys::many_points_are_the_points");
}
