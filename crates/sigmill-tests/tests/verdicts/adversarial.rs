//! Signatures that an attacker would craft, under every strategy, window and backend, judged by
//! OpenSSL and RustCrypto as well as the expectation.
//!
//! The differences: RustCrypto does not accept digests shorter than half the field, so those are
//! not checked with it. This crate refuses an empty digest, which OpenSSL treats as e = 0 (see
//! `properties`).

use num_bigint::BigUint;
use sigmill::{CurveName, Error};
use sigmill_tests::expect::{expect, expect_valid_but_not_its_neighbours};
use sigmill_tests::numbers::{
    big, invert, nasty_below, pick, random_below, random_nonzero, rng, to_bytes,
};
use sigmill_tests::processes::{curves, is_on, on_every_backend, unless_again, unless_shared};
use sigmill_tests::referee::{Forged, Referee, digest_integer, sign};
use sigmill_tests::rounds;
use sigmill_tests::strategies::{ALL_WINDOWS, Strategies};

fn strategies(referee: &Referee, d: &BigUint, windows: &[u32]) -> Strategies {
    Strategies::new(referee.name, &referee.generator_multiple(d), windows).unwrap()
}

/// u1 and u2 for which partial sums of the key's part and of the generator's part meet: one part
/// equals a multiple in the other's tables, with or without more digits to come.
fn colliding_scalars(
    referee: &Referee,
    d: &BigUint,
    seed: u64,
    count: usize,
) -> Vec<(BigUint, BigUint)> {
    let n = &referee.n;
    let mut rng = rng(seed);
    let inverse_d = invert(d, n);
    let mut pairs = vec![];
    for i in 0..count as u32 {
        // u2 Q = +- j 2^i G, where j 2^i is one Booth digit.
        let multiple = ((big(1) << (i * 37 % 256)) * (1 + i % 64)) % n;
        let u2 = &multiple * &inverse_d % n;
        // u1 = the same, or its negative, or the same in the low digits and more above.
        let more = random_below(&mut rng, n) << (8 * (i % 32));
        for u1 in [
            multiple.clone(),
            (n - &multiple) % n,
            (&multiple + &more) % n,
        ] {
            pairs.push((u1.clone(), u2.clone()));
            // The reverse: u2 is small, and u1 is chosen so that u1 G meets u2 Q.
            let small = big(1 + u64::from(i));
            pairs.push((&small * d % n, small));
        }
    }
    pairs
}

fn special_keys(n: &BigUint) -> Vec<BigUint> {
    let mut keys: Vec<BigUint> = (1..=4)
        .chain([7, 8, 15, 16, 17, 128, 129])
        .map(big)
        .collect();
    keys.extend([20u32, 64, 128, 255].map(|i| big(1) << i));
    keys.extend([(n - 1u32) / 2u32, (n + 1u32) / 2u32]);
    let negatives: Vec<_> = keys.iter().map(|d| n - d).collect();
    keys.extend(negatives);
    keys
}

/// Checks every `step`-th key.
fn sums_that_meet(name: CurveName, step: usize) {
    if !is_on(name) {
        return;
    }
    let referee = Referee::new(name);
    let n = &referee.n;
    for (i, d) in special_keys(n)
        .iter()
        .enumerate()
        .step_by(step * unless_again(rounds(7, 1), rounds(35, 7)))
    {
        let windows: &[u32] = if i % rounds(14, 4) == 0 {
            &ALL_WINDOWS
        } else {
            &[7, 1, 5]
        };
        let strategies = strategies(&referee, d, windows);
        for (u1, u2) in colliding_scalars(&referee, d, i as u64, rounds(2, 6)) {
            // The sum at infinity has no valid signature; see the next test.
            if let Some(case) = referee.forge(d, &u1, &u2) {
                expect(&referee, &strategies, &case, true);
            }
        }
        let nasty = [
            big(1),
            big(2),
            n - 1u32,
            n - 2u32,
            (n - 1u32) / 2u32,
            (n + 1u32) / 2u32,
        ];
        for u2 in &nasty {
            // u1 G = u2 Q, and u1 = 0, 1 and n - 1.
            for u1 in [u2 * d % n, big(0), big(1), n - 1u32] {
                if let Some(case) = referee.forge(d, &u1, u2) {
                    expect(&referee, &strategies, &case, true);
                }
            }
        }
    }
}

#[test]
fn equal_and_colliding_partial_sums_verify_p256() {
    sums_that_meet(CurveName::P256, 1);
}

#[test]
fn equal_and_colliding_partial_sums_verify_on_other_curves() {
    sums_that_meet(CurveName::P384, 3);
    sums_that_meet(CurveName::Secp256k1, 1);
}

#[test]
fn equal_and_colliding_partial_sums_verify_on_any_prime_curve() {
    sums_that_meet(CurveName::BrainpoolP256r1, 4);
    sums_that_meet(CurveName::P521, 9);
}

/// Scalars whose digits select equal or opposite points from the generator's and the key's tables
/// at many positions at once, in any order of adding or pairing: Q = +-2^k G, and u1 equal to +-2^k
/// u2, entirely or in parts, with digits that repeat.
fn digits_that_meet(name: CurveName) {
    if !is_on(name) {
        return;
    }
    let referee = Referee::new(name);
    let n = &referee.n;
    let mut rng = rng(15);
    let repeated = |window: usize, digit: u32| {
        let value =
            (0..n.bits() as usize / window).fold(big(0), |value, _| (value << window) + digit);
        value % n
    };
    let window = 8;
    for k in [0i64, 1, 8, 64, -8, -16, -248]
        .into_iter()
        .take(unless_again(rounds(2, 7), rounds(1, 2)))
    {
        let power = (big(1) << k.unsigned_abs()) % n;
        let power = if k < 0 { invert(&power, n) } else { power };
        for d in [power.clone(), n - &power] {
            let strategies = strategies(&referee, &d, &[window, 4, 2]);
            let mut scalars: Vec<_> = [1, 0x80, 0x7f, 0xff, 0x81]
                .map(|digit| repeated(8, digit))
                .into();
            scalars.extend([repeated(16, 0x0101), repeated(16, 0x80), repeated(7, 0x40)]);
            scalars.extend((0..rounds(1, 10)).map(|_| random_nonzero(&mut rng, n)));
            let step = rounds(3, unless_shared(name, 1, 3));
            for u2 in scalars.into_iter().step_by(step) {
                let whole = &u2 * &d % n;
                let low = &whole % (big(1) << 64u32);
                let mirrored = (n - &whole) % n;
                let moved = (&whole + 1u32) % n;
                let high = (&whole >> 128u32) << 128u32;
                for u1 in [whole, mirrored, moved, low, high, u2.clone(), n - &u2] {
                    if let Some(case) = referee.forge(&d, &u1, &u2) {
                        expect(&referee, &strategies, &case, true);
                    }
                }
            }
        }
    }
}

#[test]
fn digits_that_ask_for_the_same_points_p256() {
    digits_that_meet(CurveName::P256);
}

#[test]
fn digits_that_ask_for_the_same_points_on_other_curves() {
    digits_that_meet(CurveName::P384);
    digits_that_meet(CurveName::Secp256k1);
    digits_that_meet(CurveName::BrainpoolP256r1);
}

#[test]
fn a_sum_at_infinity_is_never_valid() {
    for &name in curves() {
        let referee = Referee::new(name);
        let n = &referee.n;
        let mut rng = rng(11);
        for d in [
            big(1),
            n - 1u32,
            big(2),
            big(5),
            random_nonzero(&mut rng, n),
        ] {
            let key = referee.generator_multiple(&d);
            let strategies = strategies(&referee, &d, &[7, 2]);
            let g_x = referee.x(&referee.generator_multiple(&big(1))) % n;
            for r in [big(1), n - 1u32, g_x, random_nonzero(&mut rng, n)] {
                // u1 + u2 d = (e + r d) / s = 0, for any s.
                let e = (n - &r * &d % n) % n;
                for s in [big(1), n - 1u32, r.clone(), random_nonzero(&mut rng, n)] {
                    let case = Forged {
                        key: key.clone(),
                        e: e.clone(),
                        r: r.clone(),
                        s,
                    };
                    expect(&referee, &strategies, &case, false);
                }
            }
        }
    }
}

#[test]
fn r_and_s_out_of_range_are_named() {
    for &name in curves() {
        let referee = Referee::new(name);
        let (n, p) = (&referee.n, &referee.p);
        let d = big(0xdead_beef);
        let strategies = strategies(&referee, &d, &[7, 4]);
        let key = referee.generator_multiple(&d);
        let e = big(0x1234);
        let digest = referee.digest(&e);
        let (r, s) = sign(&referee, &d, &big(99), &e);
        assert_eq!(strategies.verdict(&digest, &r, &s), Ok(()));
        let top = (big(1) << (8 * referee.length())) - 1u32;
        let edges = [
            big(0),
            big(1),
            n - 1u32,
            n.clone(),
            n + 1u32,
            p.clone(),
            top,
            r.clone(),
            s.clone(),
            n - &s,
        ];
        for a in &edges {
            for b in &edges {
                let expected = if *a == big(0) {
                    Err(Error::RZero)
                } else if a >= n {
                    Err(Error::ROutOfRange)
                } else if *b == big(0) {
                    Err(Error::SZero)
                } else if b >= n {
                    Err(Error::SOutOfRange)
                } else if *a == r && (*b == s || *b == n - &s) {
                    Ok(())
                } else {
                    Err(Error::SignatureMismatch)
                };
                assert_eq!(
                    strategies.verdict(&digest, a, b),
                    expected,
                    "r {a:x}, s {b:x}"
                );
                assert_eq!(referee.openssl(&key, &digest, a, b), expected.is_ok());
                assert_eq!(
                    referee.rust_crypto(&key, &digest, a, b),
                    referee.has_rust_crypto().then_some(expected.is_ok())
                );
            }
        }
        // r + n if it fits into the bytes, and s + n: the same residues, not the same numbers.
        if (&r + n).bits() <= n.bits() {
            assert_eq!(
                strategies.verdict(&digest, &(&r + n), &s),
                Err(Error::ROutOfRange)
            );
        }
    }
}

#[test]
fn digests_at_the_edges_and_of_every_length() {
    for &name in curves() {
        let referee = Referee::new(name);
        let (n, length) = (&referee.n, referee.length());
        let top = (big(1) << (8 * length)) - 1u32;
        let d = random_nonzero(&mut rng(14), n);
        let key = referee.generator_multiple(&d);
        let strategies = strategies(&referee, &d, &[7, 3]);
        let check = |digest: &[u8], k: u64| {
            let (r, s) = sign(&referee, &d, &big(k), &digest_integer(digest, n));
            assert_eq!(strategies.verdict(digest, &r, &s), Ok(()), "{digest:02x?}");
            assert!(referee.openssl(&key, digest, &r, &s), "{digest:02x?}");
            assert_ne!(
                referee.rust_crypto(&key, digest, &r, &s),
                Some(false),
                "{digest:02x?}"
            );
            let mut other = digest.to_vec();
            *other.first_mut().unwrap() ^= 0x10;
            assert_eq!(
                strategies.verdict(&other, &r, &s),
                Err(Error::SignatureMismatch)
            );
        };
        for (i, e) in [
            big(0),
            big(1),
            n - 1u32,
            n.clone(),
            n + 1u32,
            referee.p.clone(),
            top,
        ]
        .iter()
        .enumerate()
        {
            check(&to_bytes(e, length), 100 + i as u64);
        }
        // n - e and e + n are other digests of other or the same integer.
        let step = unless_shared(name, 1, 3) * unless_again(1, 5);
        for bytes in (1..=2 * length + 3).step_by(step * rounds(5, 1)) {
            check(&vec![0xb7; bytes], 200 + bytes as u64);
            check(&[vec![0; bytes], vec![0xff]].concat(), 400 + bytes as u64);
        }
        // Bits after the leftmost ones do not count; the last bit of the order's length does.
        let long = vec![0x5a; 80];
        let (r, s) = sign(&referee, &d, &big(9), &digest_integer(&long, n));
        let last = n.bits() - 1;
        let is_asked = |i: &usize| i.is_multiple_of(step) || i.abs_diff(last as usize / 8) <= 1;
        for i in (0..long.len()).filter(is_asked) {
            for bit in [7, last % 8, (last + 1) % 8] {
                let mut changed = long.clone();
                changed[i] ^= 0x80 >> bit;
                let verdict = strategies.verdict(&changed, &r, &s);
                let counts = 8 * i as u64 + bit <= last;
                assert_eq!(verdict.is_ok(), !counts, "byte {i}, bit {bit}");
            }
        }
        assert_eq!(strategies.verdict(&[], &r, &s), Err(Error::DigestEmpty));
    }
}

#[test]
fn everybody_agrees_on_random_and_nasty_signatures() {
    for (seed, &name) in curves().iter().enumerate() {
        let referee = Referee::new(name);
        let n = &referee.n;
        let nasty: Vec<_> = nasty_below(n)
            .into_iter()
            .filter(|v| *v != big(0))
            .collect();
        let mut rng = rng(1000 + seed as u64);
        let full = rounds(4, unless_shared(name, 30, 10));
        for round in 0..unless_again(full, rounds(2, unless_shared(name, 6, 3))) {
            let d = pick(&mut rng, &nasty, n);
            if d == big(0) {
                continue;
            }
            let window = ALL_WINDOWS[round % 11];
            let strategies = strategies(&referee, &d, &[window]);
            for i in 0..rounds(4, 25) {
                let (u1, u2) = (pick(&mut rng, &nasty, n), pick(&mut rng, &nasty, n));
                if u2 == big(0) {
                    continue;
                }
                let Some(case) = referee.forge(&d, &u1, &u2) else {
                    continue;
                };
                if i == 0 {
                    expect_valid_but_not_its_neighbours(&referee, &strategies, &case);
                } else {
                    expect(&referee, &strategies, &case, true);
                }
            }
        }
    }
}

#[test]
fn every_backend() {
    on_every_backend(
        "adversarial::",
        "adversarial::a_sum_at_infinity_is_never_valid",
    );
}
