//! Many signatures in one call against one at a time: every kind of row at every place, in calls of
//! every size, one lane wide and eight.

use num_bigint::BigUint;
use rand_chacha::rand_core::Rng;
use sigmill::ecdsa::Signature;
use sigmill::hazmat::curve::{BrainpoolP256r1, Curve, NamedCurve, P256, P384, P521, Secp256k1};
use sigmill::hazmat::ecdsa::{Verify, verify_many_vartime};
use sigmill::hazmat::{KeyParts as _, SignatureParts as _};
use sigmill::keys::{PreparedKey, VerifyingKey};
use sigmill::{CurveName, Error};

use sigmill_tests::numbers::{big, from_hex, random_nonzero, rng, to_bytes};
use sigmill_tests::processes::{is_again, is_on, on_every_backend};
use sigmill_tests::referee::{Forged, Referee};
use sigmill_tests::{for_each_curve, rounds};

/// A key with its tables, and a signature under it.
struct Case<C: NamedCurve + Default> {
    key: VerifyingKey<C>,
    prepared: Vec<PreparedKey<C>>,
    digest: Vec<u8>,
    signature: Signature<C>,
}

/// Rows of all kinds: plain ones, invalid ones, and those whose points meet along the way.
fn pool<C: NamedCurve + Default>(seed: u64) -> Vec<Case<C>> {
    let referee = Referee::new(C::default().name());
    let (n, length) = (&referee.n, referee.length());
    let mut rng = rng(seed);
    let mut cases = vec![];
    let mut add = |d: &BigUint, forged: Forged, digest: Vec<u8>, windows: &[u32]| {
        let key = VerifyingKey::from_sec1_bytes(&referee.generator_multiple(d)).unwrap();
        let p1363 = [to_bytes(&forged.r, length), to_bytes(&forged.s, length)].concat();
        cases.push(Case {
            prepared: windows
                .iter()
                .map(|&w| key.prepare_with_window(w).unwrap())
                .collect(),
            key,
            digest,
            signature: Signature::from_p1363(&p1363).unwrap(),
        });
    };
    // Keys that are small multiples of G and their negatives: with the generator's own window the
    // same points are selected, so sums meet at every level of the tree.
    let window = C::default().curve().generator_window();
    for d in [big(1), big(2), n - 1u32, n - 2u32] {
        for _ in 0..3 {
            let u = random_nonzero(&mut rng, n);
            for u1 in [u.clone(), n - &u, &d * &u % n, n - &d * &u % n] {
                if let Some(forged) = referee.forge(&d, &u1, &u) {
                    let digest = referee.digest(&forged.e);
                    add(&d, forged, digest, &[window, 2]);
                }
            }
        }
    }
    // On secp256k1, multiples of Q whose halves meet along the way.
    if C::default().name() == CurveName::Secp256k1 {
        let lambda = from_hex("5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72");
        for multiple in [1u32, 3, 15, 31] {
            for u2 in [&lambda * 2u32, lambda.clone(), big(2), &lambda + 3u32] {
                let (d, u1) = (random_nonzero(&mut rng, n), random_nonzero(&mut rng, n));
                let forged = referee.forge(&d, &u1, &(u2 * multiple % n)).unwrap();
                let digest = referee.digest(&forged.e);
                add(&d, forged, digest, &[2]);
            }
        }
    }
    // Multiples of Q at both ends of 1 .. n - 1, and those with a small multiple in a window of
    // five bits.
    for u2 in [1u32, 2, 3, 16, 31, 32, 33, 62, 93, 1023] {
        let d = random_nonzero(&mut rng, n);
        for u2 in [big(u64::from(u2)), n - u2] {
            let u1 = random_nonzero(&mut rng, n);
            let forged = referee.forge(&d, &u1, &u2).unwrap();
            let digest = referee.digest(&forged.e);
            add(&d, forged, digest, &[2]);
        }
    }
    let plain = [0; 4].map(|_| random_nonzero(&mut rng, n));
    for i in 0..24 {
        let d = &plain[i % 4];
        let (u1, u2) = (random_nonzero(&mut rng, n), random_nonzero(&mut rng, n));
        let u1 = if i % 5 == 0 { BigUint::ZERO } else { u1 };
        let forged = referee.forge(d, &u1, &u2).unwrap();
        let mut digest = referee.digest(&forged.e);
        if i % 3 == 0 {
            digest[i % length] ^= 1 << (i % 8);
        }
        if i == 7 {
            digest.clear();
        }
        add(d, forged, digest, &[window.min(7), 4, 1][..1 + i % 3]);
    }
    cases
}

fn verify<C: Curve>(curve: C, rows: &[Verify<'_, C>]) -> Vec<Result<(), Error>> {
    // Every initial value must be overwritten.
    let mut verdicts = vec![Err(Error::KeyEmpty); rows.len()];
    verify_many_vartime(curve, rows, &mut verdicts);
    verdicts
}

fn agree<C: NamedCurve + Default>(seed: u64, sizes: impl Iterator<Item = usize>) {
    if !is_on(C::default().name()) {
        return;
    }
    let cases = pool::<C>(seed);
    let expected: Vec<_> = cases
        .iter()
        .map(|case| case.key.verify_prehash(&case.digest, &case.signature))
        .collect();
    for kind in [
        Ok(()),
        Err(Error::SignatureMismatch),
        Err(Error::DigestEmpty),
    ] {
        assert!(expected.contains(&kind), "{kind:?}");
    }
    let mut rng = rng(seed + 1);
    for size in sizes {
        // All fresh, all prepared, and mixed; from all cases, or from the first few, which meet.
        let (kind, some) = (size % 3, if size % 2 == 0 { cases.len() } else { 20 });
        let chosen: Vec<usize> = (0..size).map(|_| rng.next_u32() as usize % some).collect();
        let rows: Vec<_> = chosen
            .iter()
            .map(|&i| {
                let case = &cases[i];
                let coin = rng.next_u32() as usize;
                let strategy = match kind {
                    0 => case.key.strategy(),
                    2 if coin.is_multiple_of(2) => case.key.strategy(),
                    _ => case.prepared[coin / 2 % case.prepared.len()].strategy(),
                };
                Verify {
                    strategy,
                    digest: &case.digest,
                    signature: case.signature.scalars(),
                }
            })
            .collect();
        for (place, (verdict, &i)) in verify(C::default().curve(), &rows)
            .iter()
            .zip(&chosen)
            .enumerate()
        {
            assert_eq!(
                verdict,
                &expected[i],
                "{}: case {i} in row {place} of {size}",
                C::default().curve().label()
            );
        }
    }
}

#[test]
fn calls_of_every_size_agree_with_single_calls() {
    // From 256 rows on, fresh keys use another method (multiples of three have fresh keys only).
    let sizes = [63, 64, 65, 66, 127, 128, 129, 200, 255, 258, 261, 267];
    agree::<P256>(70, (0..=20).chain(sizes));
    let blocks = if is_again() { 0 } else { rounds(0, 3) };
    agree::<P256>(71, [2055, 2058, 2061].into_iter().take(blocks));
    agree::<P384>(80, (0..rounds(3, 9)).chain([67, 258]));
    agree::<Secp256k1>(81, (0..rounds(3, 9)).chain([66, 67, 258, 267]));
    agree::<BrainpoolP256r1>(82, (0..rounds(3, 9)).chain([67, 258]));
    agree::<P521>(83, (0..rounds(3, 9)).chain([67, 258]));
}

/// Every place of a call of eight lanes, with a row that leaves the tree at its first level.
#[test]
fn a_meeting_in_one_lane_does_not_touch_the_others() {
    fn check<C: NamedCurve + Default>() {
        if !is_on(C::default().name()) {
            return;
        }
        let cases = pool::<C>(100);
        let (meeting, plain) = (&cases[0], cases.last().unwrap());
        let plain_verdict = plain.key.verify_prehash(&plain.digest, &plain.signature);
        let count = rounds(17, 40);
        for place in 0..count {
            let rows: Vec<_> = (0..count)
                .map(|i| {
                    let case = if i == place { meeting } else { plain };
                    Verify {
                        strategy: case.prepared[0].strategy(),
                        digest: &case.digest,
                        signature: case.signature.scalars(),
                    }
                })
                .collect();
            for (i, verdict) in verify(C::default().curve(), &rows).into_iter().enumerate() {
                let expected = if i == place { Ok(()) } else { plain_verdict };
                assert_eq!(verdict, expected, "row {i}, meeting in row {place}");
            }
        }
    }
    for_each_curve!(C => { check::<C>() });
}

#[test]
fn every_backend() {
    on_every_backend(
        "many::",
        "many::calls_of_every_size_agree_with_single_calls",
    );
}
