//! Signatures that an attacker would craft, under every strategy, window and backend, judged by
//! OpenSSL and RustCrypto beside the expectation.
//!
//! Where they differ: RustCrypto takes no digest shorter than half the field, so it is not asked
//! about one; this crate refuses an empty digest, which OpenSSL takes for e = 0 (see `properties`).

mod common;

use common::numbers::{
    big, invert, nasty_below, pick, random_below, random_nonzero, rng, to_bytes,
};
use common::referee::{Forged, Referee, digest_integer, sign};
use common::rounds;
use common::strategies::{ALL_WINDOWS, Strategies};
use num_bigint::BigUint;
use sigmill::{CurveName, Error};

/// Asks everybody about one signature of the integer e, written as a digest in full length.
#[track_caller]
fn expect(referee: &Referee, strategies: &Strategies, case: &Forged, valid: bool) {
    let digest = to_bytes(&case.e, referee.length());
    let verdict = strategies.verdict(&digest, &case.r, &case.s);
    assert_eq!(verdict.is_ok(), valid, "{verdict:?} {case:x?}");
    assert_eq!(
        referee.openssl(&case.key, &digest, &case.r, &case.s),
        valid,
        "OpenSSL: {case:x?}"
    );
    assert_eq!(
        referee.rust_crypto(&case.key, &digest, &case.r, &case.s),
        Some(valid),
        "RustCrypto: {case:x?}"
    );
}

/// A valid signature, and the same with e, r or s moved by one.
#[track_caller]
fn expect_valid_but_not_its_neighbours(referee: &Referee, strategies: &Strategies, case: &Forged) {
    let n = &referee.n;
    expect(referee, strategies, case, true);
    let next = |value: &BigUint| (value + 1u32) % n;
    for neighbour in [
        Forged {
            e: next(&case.e),
            ..case.clone()
        },
        Forged {
            r: next(&case.r),
            ..case.clone()
        },
        Forged {
            s: next(&case.s),
            ..case.clone()
        },
        Forged {
            e: (n - &case.e) % n,
            ..case.clone()
        },
    ] {
        let same = digest_integer(&to_bytes(&neighbour.e, referee.length()), n) == case.e
            && neighbour.r == case.r;
        if !(same && neighbour.s == case.s) {
            expect(referee, strategies, &neighbour, false);
        }
    }
    // (r, n - s) is the other signature of the same message.
    let mirrored = Forged {
        s: n - &case.s,
        ..case.clone()
    };
    expect(referee, strategies, &mirrored, true);
}

fn strategies(referee: &Referee, d: &BigUint, windows: &[u32]) -> Strategies {
    Strategies::new(referee.name, &referee.generator_multiple(d), windows).unwrap()
}

/// u1 and u2 at which partial sums of the key's part and of the generator's part meet: the whole
/// of one is a multiple that the tables hold of the other, with more digits to come or without.
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
            // The other way round: u2 small, u1 whatever makes u1 G meet u2 Q.
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

fn sums_that_meet(name: CurveName) {
    let referee = Referee::new(name);
    let n = &referee.n;
    for (i, d) in special_keys(n).iter().enumerate().step_by(rounds(3, 1)) {
        let windows: &[u32] = if i % rounds(9, 4) == 0 {
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
    sums_that_meet(CurveName::P256);
}

#[test]
fn equal_and_colliding_partial_sums_verify_p384() {
    sums_that_meet(CurveName::P384);
}

#[test]
fn a_sum_at_infinity_is_never_valid() {
    for &name in CurveName::ALL {
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
                // u1 + u2 d = (e + r d) / s = 0, whatever s is.
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

/// Points whose x-coordinate is n or little more: x mod n is not x.
#[test]
fn x_at_or_above_the_order_is_reduced() {
    for &name in CurveName::ALL {
        let referee = Referee::new(name);
        let n = &referee.n;
        let mut rng = rng(12);
        let mut wrapped = 0;
        for offset in 0..rounds(12, 60) as u64 {
            let x = n + offset;
            let Some(point) = referee.lift_x(&x, offset % 3 == 0) else {
                continue;
            };
            let (u1, u2) = (random_below(&mut rng, n), random_nonzero(&mut rng, n));
            if offset == 0 {
                continue; // x = n: r would be zero.
            }
            let case = referee.forge_key(&point, &big(offset), &u1, &u2);
            let strategies = Strategies::new(name, &case.key, &[7, 3]).unwrap();
            expect_valid_but_not_its_neighbours(&referee, &strategies, &case);
            wrapped += 1;
        }
        assert!(wrapped >= 4, "{wrapped}");
        // The highest ones: x just below p.
        for below in 1..rounds(6, 30) as u32 {
            let x = &referee.p - below;
            let Some(point) = referee.lift_x(&x, below % 2 == 0) else {
                continue;
            };
            let u2 = random_nonzero(&mut rng, n);
            let case = referee.forge_key(&point, &(&x - n), &big(0), &u2);
            let strategies = Strategies::new(name, &case.key, &[6]).unwrap();
            expect(&referee, &strategies, &case, true);
        }
    }
}

/// r + n has to be compared as an integer: not when it is p or more, and not reduced modulo p.
#[test]
fn r_plus_n_beyond_the_prime_is_no_candidate() {
    for &name in CurveName::ALL {
        let referee = Referee::new(name);
        let (n, p) = (&referee.n, &referee.p);
        let mut rng = rng(13);
        let mut tried = 0;
        for x in (0..rounds(12, 60) as u64).map(big) {
            let Some(point) = referee.lift_x(&x, x.bit(0)) else {
                continue;
            };
            tried += 1;
            let (u1, u2) = (random_below(&mut rng, n), random_nonzero(&mut rng, n));
            // (r + n) mod p = x, but r + n = x + p.
            let wrapped = referee.forge_key(&point, &(&x + p - n), &u1, &u2);
            let strategies = Strategies::new(name, &wrapped.key, &[7]).unwrap();
            expect(&referee, &strategies, &wrapped, false);
            // r = x: small, so r + n is below p as well; the first candidate is the right one.
            if x != big(0) {
                let case = referee.forge_key(&point, &x, &u1, &u2);
                let strategies = Strategies::new(name, &case.key, &[7]).unwrap();
                expect_valid_but_not_its_neighbours(&referee, &strategies, &case);
            }
            // r = p - n + x: r + n = p + x is beyond p, and x(R) = r is right.
            let x = p - n + &x;
            if let Some(point) = referee.lift_x(&x, false) {
                let case = referee.forge_key(&point, &x, &u1, &u2);
                let strategies = Strategies::new(name, &case.key, &[5]).unwrap();
                expect(&referee, &strategies, &case, true);
            }
        }
        assert!(tried >= 4, "{tried}");
        // x(R) = r + 2^128, r - 1, -r: near misses in single limbs.
        let x = big(77);
        for (i, distance) in [0u32, 63, 64, 127, 128, 191, 192, 250]
            .into_iter()
            .enumerate()
        {
            let far = &x + (big(1) << distance);
            let point = referee
                .lift_x(&far, false)
                .or_else(|| referee.lift_x(&(&far + 1u32), false));
            let Some(point) = point else { continue };
            let claimed = if referee.x(&point) == far {
                x.clone()
            } else {
                &x + 1u32
            };
            let case = referee.forge_key(&point, &claimed, &big(3), &big(5 + i as u64));
            let strategies = Strategies::new(name, &case.key, &[7]).unwrap();
            expect(&referee, &strategies, &case, false);
        }
    }
}

#[test]
fn r_and_s_out_of_range_are_named() {
    for &name in CurveName::ALL {
        let referee = Referee::new(name);
        let (n, p) = (&referee.n, &referee.p);
        let d = big(0xdead_beef);
        let strategies = strategies(&referee, &d, &[7, 4]);
        let key = referee.generator_multiple(&d);
        let e = big(0x1234);
        let digest = to_bytes(&e, referee.length());
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
                    Some(expected.is_ok())
                );
            }
        }
        // r + n where it still fits into the bytes, and s + n: the same residues, not the same numbers.
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
    for &name in CurveName::ALL {
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
        for bytes in (1..=2 * length + 3).step_by(rounds(5, 1)) {
            check(&vec![0xb7; bytes], 200 + bytes as u64);
            check(&[vec![0; bytes], vec![0xff]].concat(), 400 + bytes as u64);
        }
        // Bytes behind the leftmost ones do not count, and the order's last byte does.
        let long = vec![0x5a; 64];
        let (r, s) = sign(&referee, &d, &big(9), &digest_integer(&long, n));
        for i in 0..64 {
            let mut changed = long.clone();
            changed[i] ^= 1;
            let verdict = strategies.verdict(&changed, &r, &s);
            assert_eq!(verdict.is_ok(), i >= length, "byte {i}");
        }
        assert_eq!(strategies.verdict(&[], &r, &s), Err(Error::DigestEmpty));
    }
}

#[test]
fn everybody_agrees_on_random_and_nasty_signatures() {
    for (seed, &name) in CurveName::ALL.iter().enumerate() {
        let referee = Referee::new(name);
        let n = &referee.n;
        let nasty: Vec<_> = nasty_below(n)
            .into_iter()
            .filter(|v| *v != big(0))
            .collect();
        let mut rng = rng(1000 + seed as u64);
        for round in 0..rounds(4, 50) {
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
