//! Tables of multiples: every entry against a referee.

use std::collections::HashSet;

use num_bigint::BigUint;
use sigmill::hazmat::TableParts as _;
use sigmill::hazmat::curve::{
    AffinePoint, BaseElement, BrainpoolP256r1, Curve, Group, NamedCurve, P256, P384, P521,
    Secp256k1,
};
use sigmill::hazmat::field::p256::PRIME;
use sigmill::hazmat::field::{Field, PrimeField, Residue};
use sigmill::hazmat::table::generator_table;
use sigmill::keys::VerifyingKey;
use sigmill::{AnyVerifyingKey, CurveName, Error};
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

/// The plain numbers of a table are its points, row by row.
#[test]
fn coordinates_are_those_of_the_points() {
    fn check<C: NamedCurve + Default>() {
        let curve = C::default().name();
        let bytes = Referee::new(curve).generator_multiple(&big(0xfeed_f00d));
        let typed = VerifyingKey::<C>::from_sec1_bytes(&bytes).unwrap();
        let any = AnyVerifyingKey::from_sec1_bytes(curve, &bytes).unwrap();
        for window in [1, 3, 6].into_iter().take(sigmill_tests::rounds(2, 3)) {
            let typed = typed.prepare_with_window(window).unwrap();
            let any = any.prepare_with_window(window).unwrap();
            assert_eq!((any.curve(), any.window()), (curve, window));
            assert_eq!(any.row_count(), typed.rows().len());
            assert!(any.coordinates().eq(typed.coordinates()));
            let points = typed.rows().flatten().map(point_bytes::<C>);
            let plain = any
                .coordinates()
                .map(|[x, y]| [&[4], &x.bytes[..], &y.bytes].concat());
            assert!(plain.eq(points), "{curve}, window {window}");
        }
    }
    check::<P256>();
    check::<P384>();
    check::<Secp256k1>();
    check::<BrainpoolP256r1>();
    check::<P521>();
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
