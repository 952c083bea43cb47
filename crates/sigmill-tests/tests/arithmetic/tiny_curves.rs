//! The generic code on curves of tiny prime order: every key, digest and signature, every point,
//! every pair of points, against plain integers.

use sigmill::Error;
use sigmill::SignatureFormat;
use sigmill::ecdsa::Signature;
use sigmill::hazmat::curve::{Group, JacobianPoint};
use sigmill::hazmat::ecdsa::{Verify, verify_many_vartime};
use sigmill::hazmat::field::PrimeField;
use sigmill::hazmat::{KeyParts as _, SignatureParts as _, TableParts as _};
use sigmill::keys::VerifyingKey;
use sigmill_tests::processes::{on_every_backend_without_doubles, unless_again};
use sigmill_tests::tiny::{Element, Plain, Tiny, TinyCurve, inverse};
use sigmill_tests::{rounds, tiny_curve};

// p > n, so that x(R) >= n and r + n < p occur; p < n, so that r >= p occurs; both classes of p
// modulo 4; n of one byte and of two.
tiny_curve!(MINUS_THREE_ABOVE, p = 31, n = 23, a = 28, b = 25, G = (0, 5), window 3);
tiny_curve!(MINUS_THREE_BELOW, p = 13, n = 19, a = 10, b = 1, G = (0, 1), window 4);
tiny_curve!(ZERO_ABOVE, p = 43, n = 31, a = 0, b = 7, G = (2, 12), window 2);
tiny_curve!(ZERO_BELOW, p = 13, n = 19, a = 0, b = 2, G = (1, 4), window 1);
tiny_curve!(GENERAL_ABOVE, p = 29, n = 23, a = 1, b = 17, G = (6, 6), window 4);
tiny_curve!(GENERAL_BELOW, p = 17, n = 23, a = 5, b = 7, G = (1, 8), window 2);
// With an endomorphism, with the orders that libsecp256k1 tests.
tiny_curve!(ENDOMORPHISM_7, p = 13, n = 7, a = 0, b = 6, G = (2, 1), window 1,
    endomorphism beta = 9, split by 1 and 2);
tiny_curve!(ENDOMORPHISM_13_BELOW, p = 7, n = 13, a = 0, b = 3, G = (1, 2), window 2,
    endomorphism beta = 4, split by 1 and 3);
tiny_curve!(ENDOMORPHISM_13, p = 19, n = 13, a = 0, b = 2, G = (4, 3), window 3,
    endomorphism beta = 7, split by 1 and 3);
tiny_curve!(ENDOMORPHISM_199, p = 211, n = 199, a = 0, b = 2, G = (4, 53), window 4,
    endomorphism beta = 196, split by 2 and 13);
// Too large for every signature of every key and digest: a sample of them.
tiny_curve!(LARGE_MINUS_THREE, p = 239, n = 211, a = 236, b = 176, G = (0, 43), window 7);
tiny_curve!(LARGE_ZERO, p = 241, n = 211, a = 0, b = 13, G = (3, 47), window 5);
tiny_curve!(LARGE_GENERAL, p = 227, n = 257, a = 1, b = 146, G = (3, 67), window 8);

const fn bits(n: i64) -> u32 {
    64 - (n as u64).leading_zeros()
}

fn scalar_bytes(value: i64, length: usize) -> Vec<u8> {
    value.to_be_bytes()[8 - length..].to_vec()
}

/// The key d G.
fn key<C: TinyCurve>(tiny: &Tiny<C>, point: Plain) -> VerifyingKey<C> {
    let (x, y) = point.unwrap();
    VerifyingKey::from_sec1_bytes_on(tiny.curve, &[4, x as u8, y as u8]).unwrap()
}

/// Verifies signatures: every `steps[0]`-th key, every `steps[1]`-th digest, every `steps[2]`-th
/// pair of r and s. Each is verified fresh, and with tables of the key: with one table at a time in
/// rotation, or (`every_window`) with all of them. Signatures are verified one at a time, and all
/// of a digest in one call. Backends other than the first run a third of the keys.
fn verify_everything<C: TinyCurve>(tiny: &Tiny<C>, steps: [usize; 3], every_window: bool) {
    let [key_step, digest_step, signature_step] = steps;
    let key_step = key_step * unless_again(1, 3);
    let (n, length) = (tiny.n, tiny.curve.scalar_field().bytes());
    let multiples = tiny.multiples();
    let windows = 1..bits(n);
    let signatures: Vec<_> = (1..n)
        .flat_map(|r| (1..n).map(move |s| (r, s)))
        .step_by(signature_step)
        .map(|(r, s)| {
            let (r_bytes, s_bytes) = (scalar_bytes(r, length), scalar_bytes(s, length));
            (
                r,
                s,
                Signature::from_scalars_on(tiny.curve, &r_bytes, &s_bytes).unwrap(),
            )
        })
        .collect();
    let (mut valid, mut turn) = (0, 0);
    for d in (1..n).step_by(key_step) {
        let key = key(tiny, multiples[d as usize]);
        let tables: Vec<_> = windows
            .clone()
            .map(|window| key.prepare_with_window(window).unwrap())
            .collect();
        // Every integer with the number of bits of n, including those from n on.
        for e in (d as usize % digest_step..1 << bits(n)).step_by(digest_step) {
            let aligned = (e as u16) << (8 * length as u32 - bits(n));
            let digest = &aligned.to_be_bytes()[2 - length..];
            let mut rows = Vec::with_capacity(2 * signatures.len());
            let mut expected_of_rows = Vec::with_capacity(2 * signatures.len());
            for (r, s, signature) in &signatures {
                let expected = tiny.plain_verify(&multiples, d, e as i64 % n, *r, *s);
                valid += usize::from(expected);
                let expected = if expected {
                    Ok(())
                } else {
                    Err(Error::SignatureMismatch)
                };
                let context = || format!("{}: d {d}, e {e}, r {r}, s {s}", tiny.curve.label());
                assert_eq!(
                    key.verify_prehash(digest, signature),
                    expected,
                    "{}",
                    context()
                );
                turn += 1;
                for strategy in [key.strategy(), tables[turn % tables.len()].strategy()] {
                    rows.push(Verify {
                        strategy,
                        digest,
                        signature: signature.scalars(),
                    });
                    expected_of_rows.push(expected);
                }
                for (i, table) in tables.iter().enumerate() {
                    if every_window || i == turn % tables.len() {
                        let verdict = table.verify_prehash(digest, signature);
                        assert_eq!(
                            verdict,
                            expected,
                            "{}, window {}",
                            context(),
                            table.window()
                        );
                    }
                }
            }
            // The same in one call, in which almost every row has exceptional additions.
            let mut verdicts = vec![Err(Error::KeyEmpty); rows.len()];
            verify_many_vartime(tiny.curve, &rows, &mut verdicts);
            assert_eq!(
                verdicts,
                expected_of_rows,
                "{}: d {d}, e {e}",
                tiny.curve.label()
            );
        }
    }
    assert!(valid > turn / (2 * n as usize), "{valid} of {turn}");
}

/// The steps of the smaller curves: thorough tests skip nothing.
const SMALL: [usize; 3] = [rounds(5, 1), rounds(4, 1), 1];
/// The steps of the larger ones.
const LARGE: [usize; 3] = [rounds(97, 31), rounds(61, 17), rounds(11, 5)];

/// Runs the same again on every backend except the current one; others process the rows of a call
/// in lanes when this one does not.
#[test]
fn every_backend() {
    on_every_backend_without_doubles(
        "tiny_curves::every_signature",
        "tiny_curves::every_signature_minus_three",
    );
}

#[test]
fn every_signature_minus_three() {
    verify_everything(&MINUS_THREE_BELOW, SMALL, true);
    verify_everything(&MINUS_THREE_ABOVE, SMALL, false);
    verify_everything(&LARGE_MINUS_THREE, LARGE, false);
}

#[test]
fn every_signature_zero() {
    verify_everything(&ZERO_BELOW, SMALL, true);
    verify_everything(&ZERO_ABOVE, SMALL, false);
    verify_everything(&LARGE_ZERO, LARGE, false);
}

#[test]
fn every_signature_with_an_endomorphism() {
    verify_everything(&ENDOMORPHISM_7, [1; 3], true);
    verify_everything(&ENDOMORPHISM_13_BELOW, [1; 3], true);
    verify_everything(&ENDOMORPHISM_13, SMALL, true);
    verify_everything(&ENDOMORPHISM_199, LARGE, false);
}

/// (beta x, y) is lambda (x, y), where lambda = a / b, for every point.
fn endomorphism<C: TinyCurve>(tiny: &Tiny<C>, a: i64, b: i64) {
    let beta = tiny.curve.endomorphism().unwrap().beta;
    let group = Group::new(tiny.curve, tiny.curve.base_field());
    let multiples = tiny.multiples();
    let lambda = a * inverse(b, tiny.n) % tiny.n;
    for k in 1..tiny.n {
        let (x, y) = multiples[k as usize].unwrap();
        let image = group.endomorphism(&beta, &tiny.affine((x, y)));
        assert_eq!(
            tiny.plain_point(&image),
            multiples[(lambda * k % tiny.n) as usize]
        );
    }
}

#[test]
fn endomorphisms_multiply_by_lambda() {
    endomorphism(&ENDOMORPHISM_7, 1, 2);
    endomorphism(&ENDOMORPHISM_13_BELOW, 1, 3);
    endomorphism(&ENDOMORPHISM_13, 1, 3);
    endomorphism(&ENDOMORPHISM_199, 2, 13);
}

#[test]
fn every_signature_general() {
    verify_everything(&GENERAL_BELOW, SMALL, false);
    verify_everything(&GENERAL_ABOVE, SMALL, false);
    verify_everything(&LARGE_GENERAL, LARGE, false);
}

/// Range, windows and keys at their limits.
fn edges<C: TinyCurve>(tiny: &Tiny<C>) {
    let (n, length) = (tiny.n, tiny.curve.scalar_field().bytes());
    assert_eq!(bits(n), tiny.curve.scalar_field().bits());
    assert_eq!(
        tiny.all_points().len() as i64 + 1,
        n,
        "the order is counted, not believed"
    );
    let one = scalar_bytes(1, length);
    for value in 0..(1i64 << (8 * length)).min(700) {
        let bytes = scalar_bytes(value, length);
        let r = Signature::from_scalars_on(tiny.curve, &bytes, &one).err();
        let s = Signature::from_scalars_on(tiny.curve, &one, &bytes).err();
        let expected = match value {
            0 => (Some(Error::RZero), Some(Error::SZero)),
            _ if value >= n => (Some(Error::ROutOfRange), Some(Error::SOutOfRange)),
            _ => (None, None),
        };
        assert_eq!((r, s), expected, "{value}");
        if (1..n).contains(&value) {
            let signature = Signature::from_scalars_on(tiny.curve, &one, &bytes).unwrap();
            assert_eq!(signature.is_high_s(), 2 * value > n);
            let low = Signature::from_scalars_on(
                tiny.curve,
                &one,
                &scalar_bytes(value.min(n - value), length),
            );
            assert_eq!(Ok(signature.normalize_s()), low);
            for (bytes, format) in [
                (signature.to_p1363(), SignatureFormat::P1363),
                (signature.to_der(), SignatureFormat::Der),
            ] {
                let read = Signature::from_bytes_on(tiny.curve, &bytes, format);
                assert_eq!(read, Ok(signature));
            }
        }
    }
    let key = key(tiny, Some(tiny.g));
    for window in 0..14 {
        let admissible = (1..=11).contains(&window) && window < bits(n);
        let error = Error::WindowOutOfRange { window };
        assert_eq!(
            key.prepare_with_window(window).err(),
            (!admissible).then_some(error)
        );
    }
}

/// Decodes every tag, every x and every y.
fn decode_everything<C: TinyCurve>(tiny: &Tiny<C>) {
    let points = tiny.all_points();
    let decode = |bytes: &[u8]| VerifyingKey::from_sec1_bytes_on(tiny.curve, bytes);
    for x in 0..=255u8 {
        for y in 0..=255u8 {
            let expected = if i64::from(x) >= tiny.p {
                Err(Error::KeyXOutOfRange)
            } else if i64::from(y) >= tiny.p {
                Err(Error::KeyYOutOfRange)
            } else if points.contains(&(x.into(), y.into())) {
                Ok(Some((x.into(), y.into())))
            } else {
                Err(Error::KeyNotOnCurve)
            };
            let key = decode(&[4, x, y]);
            assert_eq!(
                key.map(|key| tiny.plain_point(key.as_affine())),
                expected,
                "{x} {y}"
            );
            if let Ok(key) = key {
                assert_eq!(key.to_sec1_bytes(false), [4, x, y]);
                assert_eq!(key.to_sec1_bytes(true), [2 + y % 2, x]);
            }
        }
        for tag in [2, 3] {
            let y = points
                .iter()
                .find(|&&(px, py)| px == i64::from(x) && py % 2 == i64::from(tag % 2));
            let expected = match y {
                _ if i64::from(x) >= tiny.p => Err(Error::KeyXOutOfRange),
                Some(&point) => Ok(Some(point)),
                None => Err(Error::KeyNotOnCurve),
            };
            let key = decode(&[tag, x]).map(|key| tiny.plain_point(key.as_affine()));
            assert_eq!(key, expected, "{tag} {x}");
        }
    }
}

/// The Jacobian forms of a point with every scale from a list.
fn forms<C: TinyCurve>(
    tiny: &Tiny<C>,
    point: Plain,
    scales: &[i64],
) -> Vec<JacobianPoint<Element>> {
    scales.iter().map(|&z| tiny.jacobian(point, z)).collect()
}

/// Every pair of points in several Jacobian forms: sums, doubles, and both flags of exceptions.
fn add_everything<C: TinyCurve>(tiny: &Tiny<C>, scales: &[i64]) {
    let group = Group::new(tiny.curve, tiny.curve.base_field());
    let affine = |point: &JacobianPoint<Element>| match group.to_affine_vartime(point) {
        Some(affine) => {
            assert!(group.is_on_curve(&affine));
            tiny.plain_point(&affine)
        }
        None => {
            assert!(group.is_infinity(point));
            None
        }
    };
    let points: Vec<Plain> = [None]
        .into_iter()
        .chain(tiny.all_points().into_iter().map(Some))
        .collect();
    for &p in &points {
        for p_form in forms(tiny, p, scales) {
            assert_eq!(affine(&p_form), p);
            assert_eq!(affine(&group.double(&p_form)), tiny.plain_add(p, p));
            for &q in &points {
                let sum = tiny.plain_add(p, q);
                let exceptional = match (p, q) {
                    (Some((p_x, _)), Some((q_x, _))) => p_x == q_x,
                    _ => true,
                };
                for q_form in forms(tiny, q, scales) {
                    assert_eq!(
                        affine(&group.add_vartime(&p_form, &q_form)),
                        sum,
                        "{p:?} {q:?}"
                    );
                    let (incomplete, flag) = group.add_incomplete(&p_form, &q_form);
                    assert_eq!(flag, exceptional, "{p:?} {q:?}");
                    assert!(flag || affine(&incomplete) == sum);
                }
                let Some((x, y)) = q else { continue };
                let q = tiny.affine((x, y));
                assert_eq!(
                    affine(&group.add_mixed_vartime(&p_form, &q)),
                    sum,
                    "{p:?} {q:?}"
                );
                let (incomplete, flag) = group.add_mixed_incomplete(&p_form, &q);
                assert_eq!(flag, exceptional, "{p:?} {q:?}");
                assert!(flag || affine(&incomplete) == sum);
            }
        }
    }
}

/// Checks every entry of every table.
fn check_tables<C: TinyCurve>(tiny: &Tiny<C>) {
    let multiples = tiny.multiples();
    for d in (1..tiny.n).step_by(rounds(41, 1)) {
        let key = key(tiny, multiples[d as usize]);
        for window in 1..bits(tiny.n) {
            let table = key.prepare_with_window(window).unwrap();
            let mut entries = 0;
            for (i, row) in table.rows().enumerate() {
                for (j, point) in row.iter().enumerate() {
                    let k = (d << (window * i as u32)) % tiny.n * (j as i64 + 1) % tiny.n;
                    assert_eq!(tiny.plain_point(point), multiples[k as usize]);
                    entries += 1;
                }
            }
            let rows = (bits(tiny.n) + 1).div_ceil(window);
            assert_eq!(entries, rows << (window - 1));
        }
    }
}

macro_rules! for_each_curve {
    ($test:ident: $function:ident) => {
        #[test]
        fn $test() {
            $function(&MINUS_THREE_ABOVE);
            $function(&MINUS_THREE_BELOW);
            $function(&ZERO_ABOVE);
            $function(&ZERO_BELOW);
            $function(&GENERAL_ABOVE);
            $function(&GENERAL_BELOW);
            $function(&LARGE_MINUS_THREE);
            $function(&LARGE_ZERO);
            $function(&LARGE_GENERAL);
            $function(&ENDOMORPHISM_7);
            $function(&ENDOMORPHISM_13_BELOW);
            $function(&ENDOMORPHISM_13);
            $function(&ENDOMORPHISM_199);
        }
    };
}

for_each_curve!(edges_of_every_curve: edges);
for_each_curve!(every_point_decodes_and_nothing_else: decode_everything);
for_each_curve!(every_table_holds_its_multiples: check_tables);

#[test]
fn every_pair_of_points_adds() {
    let small: Vec<i64> = (1..rounds(3, 13) as i64).collect();
    add_everything(&MINUS_THREE_ABOVE, &small);
    add_everything(&MINUS_THREE_BELOW, &small);
    add_everything(&ZERO_ABOVE, &small);
    add_everything(&ZERO_BELOW, &small);
    add_everything(&GENERAL_ABOVE, &small);
    add_everything(&GENERAL_BELOW, &small);
    for scales in [[1], [7]].iter().take(rounds(1, 2)) {
        add_everything(&LARGE_MINUS_THREE, scales);
        add_everything(&LARGE_ZERO, scales);
        add_everything(&LARGE_GENERAL, scales);
    }
}
