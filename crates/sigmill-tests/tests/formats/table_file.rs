//! Tables of multiples: every entry against a referee, and the bytes of a prepared key, in which
//! every change is detected.

use std::collections::HashSet;

use num_bigint::BigUint;
use sha2::{Digest, Sha256};
use sigmill::hazmat::TableParts as _;
use sigmill::hazmat::curve::{
    AffinePoint, BaseElement, BrainpoolP256r1, Curve, Group, NamedCurve, P256, P384, P521,
    Secp256k1,
};
use sigmill::hazmat::field::p256::PRIME;
use sigmill::hazmat::field::{Field, PrimeField, Residue};
use sigmill::hazmat::table::generator_table;
use sigmill::keys::{PreparedKey, VerifyingKey};
use sigmill::{AnyPreparedKey, AnyVerifyingKey, CurveName, Error};
use sigmill_tests::numbers::{big, random_nonzero, rng};
use sigmill_tests::referee::Referee;

fn key<C: NamedCurve + Default>(referee: &Referee, d: &BigUint) -> VerifyingKey<C> {
    VerifyingKey::from_sec1_bytes(&referee.generator_multiple(d)).unwrap()
}

fn point_bytes<C: NamedCurve + Default>(point: &AffinePoint<BaseElement<C>>) -> Vec<u8> {
    let field = C::default().curve().base_field();
    let length = field.bytes();
    let mut bytes = vec![4; 1 + 2 * length];
    let (x, y) = bytes[1..].split_at_mut(length);
    field.write_be_bytes(&point.x, x);
    field.write_be_bytes(&point.y, y);
    bytes
}

/// Listing 6 of Drucker and Gueron, *Speeding-Up P-256 ECDSA Verification on x86-64 Servers*: the
/// table of 2G with window 7 begins with these words (Montgomery form, x then y).
///
/// As printed, two words of the first y have a wrong digit: 0x19a82b0e92042dbe and
/// 0x78c577510a5b9a3b give a point that is not on the curve. The words below give a point on the
/// curve.
#[test]
fn table_of_two_g_is_that_of_the_paper() {
    let referee = Referee::new(CurveName::P256);
    let prepared = key::<P256>(&referee, &big(2))
        .prepare_with_window(7)
        .unwrap();
    let row = prepared.rows().next().unwrap();
    let words: Vec<u64> = row
        .iter()
        .flat_map(|point| [point.x, point.y])
        .flat_map(|coordinate| *coordinate.montgomery_limbs())
        .collect();
    let expected = [
        0x850046d410ddd64d,
        0xaa6ae3c1a433827d,
        0x732205038d1490d9,
        0xf6bb32e43dcf3a3b,
        0x2f3648d361bee1a5,
        0x152cd7cbeb236ff8,
        0x19a8fb0e92042dbe,
        0x78c577510a5b8a3b,
        0x74b0b50d46918dcc,
        0x4650a6edc623c173,
    ];
    assert_eq!(words[..10], expected);
    let group = Group::new(P256, P256.base_field());
    let y = [
        expected[4],
        expected[5],
        0x19a82b0e92042dbe,
        0x78c577510a5b9a3b,
    ];
    let printed = AffinePoint {
        x: row[0].x,
        y: Residue::try_from_montgomery_limbs(&PRIME, y).unwrap(),
    };
    assert!(group.is_on_curve(&row[0]) && !group.is_on_curve(&printed));
    assert_eq!(prepared.rows().len(), 37);
    assert_eq!(prepared.memory_bytes(), 151_552);
}

/// Row i, place j is (j + 1) 2^(w i) d G, as computed by OpenSSL.
fn check_entries<C: NamedCurve + Default>(windows: &[u32], keys: usize) {
    let referee = Referee::new(C::default().name());
    let mut rng = rng(41);
    let mut special = vec![big(1), &referee.n - 1u32];
    special.extend((0..keys).map(|_| random_nonzero(&mut rng, &referee.n)));
    for (d, &window) in special.iter().zip(windows.iter().cycle()) {
        let prepared = key::<C>(&referee, d).prepare_with_window(window).unwrap();
        let bits = C::default().curve().scalar_field().bits();
        assert_eq!(prepared.rows().len() as u32, (bits + 1).div_ceil(window));
        for (i, row) in prepared.rows().enumerate() {
            assert_eq!(row.len(), 1 << (window - 1));
            for (j, point) in row
                .iter()
                .enumerate()
                .step_by(1 + row.len() / sigmill_tests::rounds(4, 16))
            {
                let k = (d << (window as usize * i)) * (j as u32 + 1) % &referee.n;
                assert_eq!(
                    point_bytes::<C>(point),
                    referee.generator_multiple(&k),
                    "{i} {j}"
                );
            }
            let last = (d << (window as usize * i)) * row.len() as u32 % &referee.n;
            let point = row.last().unwrap();
            assert_eq!(point_bytes::<C>(point), referee.generator_multiple(&last));
        }
    }
}

#[test]
fn every_entry_is_its_multiple() {
    check_entries::<P256>(&[7, 1, 4, 9], sigmill_tests::rounds(1, 6));
    check_entries::<P384>(&[5, 2, 6, 10], sigmill_tests::rounds(1, 6));
    check_entries::<BrainpoolP256r1>(&[6, 3], sigmill_tests::rounds(1, 3));
    check_entries::<P521>(&[7, 2, 9], sigmill_tests::rounds(1, 3));
}

/// The generator's table: each multiple that one digit can select is one entry, with its sign, or
/// two if the digit carries into the next.
fn check_generator<C: NamedCurve + Default>() {
    let referee = Referee::new(C::default().name());
    let curve = C::default().curve();
    let group = Group::new(curve, curve.base_field());
    let rows = generator_table(&group);
    let (n, window) = (&referee.n, curve.generator_window());
    let mut entries = HashSet::new();
    let mut check = |k: &BigUint, compare: bool| {
        let mut limbs = k.to_u64_digits();
        limbs.resize(referee.length().div_ceil(8), 0);
        let mut sum = group.infinity();
        for (point, negative) in rows.terms_vartime(&limbs) {
            entries.insert(core::ptr::from_ref(point));
            let y = if negative {
                group.field().negate(&point.y)
            } else {
                point.y
            };
            sum = group.add_mixed_vartime(&sum, &AffinePoint { x: point.x, y });
        }
        if compare {
            let affine = group.to_affine_vartime(&sum).unwrap();
            assert_eq!(
                point_bytes::<C>(&affine),
                referee.generator_multiple(k),
                "{k:x}"
            );
        }
    };
    let digits = n.bits() as u32 / window;
    for i in 0..digits {
        for digit in 1..=1u32 << (window - 1) {
            check(
                &((big(1) << (window * i)) * digit),
                digit % sigmill_tests::rounds(64, 4) as u32 == 1,
            );
        }
    }
    let mut rng = rng(42);
    for _ in 0..sigmill_tests::rounds(20, 2000) {
        check(&random_nonzero(&mut rng, n), true);
    }
    check(&(n - 1u32), true);
    assert!(
        entries.len() as u32 >= digits << (window - 1),
        "every entry was used"
    );
}

/// The content with a correct checksum.
fn sealed(content: &[u8]) -> Vec<u8> {
    [content, &Sha256::digest(content)[..]].concat()
}

fn check_file<C: NamedCurve + Default>() {
    let referee = Referee::new(C::default().name());
    let d = big(0xfeed_f00d);
    let number = match C::default().name() {
        CurveName::P256 => 1,
        CurveName::P384 => 2,
        CurveName::Secp256k1 => 3,
        CurveName::BrainpoolP256r1 => 4,
        CurveName::P521 => 5,
        other => panic!("the number of {other} is to be written down"),
    };
    for window in [1, 3, 6].into_iter().take(sigmill_tests::rounds(2, 3)) {
        let prepared = key::<C>(&referee, &d).prepare_with_window(window).unwrap();
        let bytes = prepared.to_bytes();
        let length = referee.length();
        let points = prepared.rows().map(<[_]>::len).sum::<usize>();
        assert_eq!(bytes.len(), 16 + 1 + 2 * length + points * 2 * length + 32);
        let decode = |bytes: &[u8]| PreparedKey::<C>::from_bytes(bytes).err();
        let loaded = PreparedKey::<C>::from_bytes(&bytes).unwrap();
        assert_eq!(loaded.to_bytes(), bytes);
        assert!(loaded.rows().eq(prepared.rows()));
        assert_eq!(loaded.verifying_key(), prepared.verifying_key());
        let any = AnyPreparedKey::from_bytes(&bytes).unwrap();
        assert_eq!((any.curve(), any.window()), (C::default().name(), window));
        assert_eq!(any.to_bytes(), bytes);

        // The header, with a correct checksum: the error is that of the rule and not of the
        // checksum.
        let content = &bytes[..bytes.len() - 32];
        let header = |at: usize, value: u8| {
            let mut content = content.to_vec();
            content[at] = value;
            decode(&sealed(&content))
        };
        for (at, byte) in bytes[..8].iter().enumerate() {
            assert_eq!(header(at, byte ^ 0x20), Some(Error::TableMagic));
        }
        for (at, value) in [(8, 1), (9, 0), (9, 2), (14, 1), (15, 1)] {
            assert_eq!(header(at, value), Some(Error::TableVersion));
        }
        assert_eq!(bytes[10..12], [0, number]);
        assert_eq!(header(10, 1), Some(Error::TableCurve));
        // The numbers of other curves, and unassigned numbers.
        for other in (0..=255).filter(|&other| other != number) {
            assert_eq!(header(11, other), Some(Error::TableCurve));
        }
        for (at, value) in [(12, 1), (13, 0), (13, 12), (13, 255)] {
            assert_eq!(header(at, value), Some(Error::TableWindow));
        }
        // Windows 1 and 2 both hold 2^i Q in order, and the same number of points if the digits
        // fill the last row.
        let is_also_of = |other: u8| {
            let rows = C::default().name().order_bits() + 1;
            rows.is_multiple_of(2) && [window, other.into()] == [1, 2]
        };
        for value in (1..=11).filter(|&value| u32::from(value) != window) {
            let expected = (!is_also_of(value)).then_some(Error::TableLength);
            assert_eq!(header(13, value), expected, "{value}");
        }
        // Lengths.
        for end in (0..bytes.len())
            .step_by(sigmill_tests::rounds(997, 13))
            .chain([bytes.len() - 1])
        {
            let expected = if end < 16 {
                Error::TableMagic
            } else {
                Error::TableLength
            };
            assert_eq!(decode(&bytes[..end]), Some(expected), "{end}");
        }
        assert_eq!(
            decode(&[&bytes[..], &[0]].concat()),
            Some(Error::TableLength)
        );
        // A flipped bit after the header: the checksum detects it.
        for at in (16..bytes.len()).step_by(sigmill_tests::rounds(2111, 7)) {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            assert_eq!(decode(&changed), Some(Error::TableChecksum), "{at}");
        }
        for at in content.len()..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            assert_eq!(decode(&changed), Some(Error::TableChecksum), "{at}");
        }
        // The same with a correct checksum: the key or the points reveal it.
        let key_end = 17 + 2 * length;
        for at in (16..key_end)
            .chain((key_end..content.len()).step_by(content.len() / sigmill_tests::rounds(3, 60)))
        {
            let mut changed = content.to_vec();
            changed[at] ^= 1 << (at % 8);
            let error = decode(&sealed(&changed)).unwrap();
            if at >= key_end {
                assert_eq!(error, Error::TablePoint, "{at}");
            } else {
                let key = VerifyingKey::<C>::from_sec1_bytes(&changed[16..key_end]);
                assert_eq!(Some(error), key.err(), "{at}");
            }
        }
        // The table of one key with another key.
        let stranger = key::<C>(&referee, &big(77)).to_sec1_bytes(false);
        let mut swapped = content.to_vec();
        swapped[16..key_end].copy_from_slice(&stranger);
        assert_eq!(decode(&sealed(&swapped)), Some(Error::TablePoint));
        // Two points exchanged.
        if points > 1 {
            let mut swapped = content.to_vec();
            let (first, second) = swapped[key_end..].split_at_mut(2 * length);
            first.swap_with_slice(&mut second[..2 * length]);
            assert_eq!(decode(&sealed(&swapped)), Some(Error::TablePoint));
        }
    }
}

#[test]
fn file_of_p256() {
    check_file::<P256>();
}

#[test]
fn file_of_p384() {
    check_file::<P384>();
    check_file::<Secp256k1>();
}

#[test]
fn file_of_any_prime_curve() {
    check_file::<BrainpoolP256r1>();
    check_file::<P521>();
}

#[test]
fn generator_table_of_p256() {
    check_generator::<P256>();
}

#[test]
fn generator_table_of_p384() {
    check_generator::<P384>();
    check_generator::<Secp256k1>();
    check_generator::<BrainpoolP256r1>();
    check_generator::<P521>();
}

#[test]
fn windows_outside_of_one_to_eleven() {
    for &curve in CurveName::ALL {
        let g = Referee::new(curve).generator_multiple(&big(1));
        let key = AnyVerifyingKey::from_sec1_bytes(curve, &g).unwrap();
        for window in [0, 12, 13, 31, 32, 64, 255, u32::MAX] {
            let error = Error::WindowOutOfRange { window };
            assert_eq!(key.prepare_with_window(window).err(), Some(error));
            assert_eq!(key.table_bytes(window), Err(error));
            {
                let engine = sigmill::bulk::Engine::builder()
                    .speed(sigmill::bulk::Speed::FIXED)
                    .window(window)
                    .build();
                assert_eq!(engine.err(), Some(error));
            }
        }
    }
}
