//! Many rows of secret operations: each gets the result of the single call, in calls of every size,
//! on every backend.

use num_bigint::BigUint;
use rand_chacha::rand_core::Rng;
use sigmill::hazmat::KeyParts as _;
use sigmill::hazmat::curve::{BrainpoolP256r1, Curve as _, Domain, NamedCurve, P256, P384, P521};
use sigmill::hazmat::field::PrimeField;
use sigmill::keys::{
    SecretScalar, SigningKey, public_keys, sign_prehash_many, sign_prehash_many_with_hash,
};
use sigmill::{Error, HashName, Policy};

use sigmill_tests::numbers::{from_limbs, nasty_below, rng, to_bytes};
use sigmill_tests::processes::on_every_backend_without_doubles;
use sigmill_tests::{rounds, tiny_curve};

/// The order of a curve.
fn order<C: Domain + Default>() -> BigUint {
    from_limbs(C::default().curve().scalar_field().modulus().as_ref())
}

fn secret<C: Domain + Default>(k: &BigUint) -> SecretScalar<C> {
    let length = C::default().curve().scalar_field().bytes();
    SecretScalar::from_be_bytes(&to_bytes(k, length)).unwrap()
}

/// Random secrets, different ones for each count.
fn random<C: Domain + Default>(count: usize) -> Vec<SecretScalar<C>> {
    let mut rng = rng(count as u64);
    (0..count)
        .map(|_| SecretScalar::generate_from_rng(&mut rng).unwrap())
        .collect()
}

/// 1, 2, n - 2, n - 1, neighbours of powers of two and of multiples of 2^7, and other hard values.
fn nasty<C: Domain + Default>() -> Vec<SecretScalar<C>> {
    let n = order::<C>();
    let mut all = nasty_below(&n);
    for i in 1u32..37 {
        let power = BigUint::from(1u32) << (7 * i);
        all.extend([&power - 1u32, power.clone(), &power + 1u32, &n - &power]);
    }
    all.retain(|k| *k != BigUint::ZERO && *k < n);
    for k in [1u32, 2] {
        assert!(all.contains(&BigUint::from(k)) && all.contains(&(&n - k)));
    }
    all.iter().map(secret).collect()
}

fn check_public_keys<C: Domain>(secrets: &[SecretScalar<C>]) {
    let singly: Vec<_> = secrets.iter().map(SecretScalar::public_key).collect();
    assert!(public_keys(secrets) == singly, "{} keys", secrets.len());
}

/// Keys and digests; the digest of row `i` is empty if `empty(i)`, and otherwise of varying length.
fn check_signatures<C: NamedCurve + Default>(count: usize, empty: impl Fn(usize) -> bool) {
    let mut rng = rng(count as u64);
    let keys: Vec<_> = random::<C>(count.div_ceil(3))
        .into_iter()
        .map(SigningKey::from)
        .enumerate()
        .map(|(i, key)| {
            if i % 2 == 0 {
                key
            } else {
                key.with_policy(Policy::LOW_S)
            }
        })
        .collect();
    let mut digests = vec![];
    for i in 0..count {
        let mut digest = vec![
            0;
            if empty(i) {
                0
            } else {
                [32, 20, 48, 64, 1][i % 5]
            }
        ];
        rng.fill_bytes(&mut digest);
        digests.push(digest);
    }
    let rows: Vec<_> = (0..count)
        .map(|i| (&keys[i / 3], digests[i].as_slice()))
        .collect();
    let singly = |(key, digest): &(&SigningKey<C>, &[u8])| key.sign_prehash(digest);
    assert_eq!(
        sign_prehash_many(&rows),
        rows.iter().map(singly).collect::<Vec<_>>()
    );
    let singly = |(key, digest): &(&SigningKey<C>, &[u8])| {
        key.sign_prehash_with_hash(HashName::Sha512, digest)
    };
    assert_eq!(
        sign_prehash_many_with_hash(HashName::Sha512, &rows),
        rows.iter().map(singly).collect::<Vec<_>>()
    );
}

#[test]
fn public_keys_of_calls_of_every_size() {
    for count in (0..=20)
        .step_by(rounds(3, 1))
        .chain([20, 257, rounds(390, 1100)])
    {
        check_public_keys(&random::<P256>(count));
    }
    for count in [0, 1, 5, 19, 390] {
        check_public_keys(&random::<P384>(count));
        check_public_keys(&random::<BrainpoolP256r1>(count));
        check_public_keys(&random::<P521>(count));
    }
}

#[test]
fn public_keys_of_nasty_secrets() {
    check_public_keys(&nasty::<P256>());
    // Some of them on the other curves.
    fn check_some<C: Domain + Default>(step: usize) {
        let some = nasty::<C>().into_iter().step_by(step);
        check_public_keys(&some.collect::<Vec<_>>());
    }
    check_some::<P384>(rounds(31, 7));
    check_some::<BrainpoolP256r1>(rounds(31, 7));
    check_some::<P521>(rounds(61, 7));
    // Together with so many others that each addition shares an inversion.
    let mut many = nasty::<P256>();
    many.extend(random(400));
    check_public_keys(&many);
    // In every lane, and the same in all of them.
    for k in [1u32, 2] {
        for k in [BigUint::from(k), order::<P256>() - k] {
            let secrets: Vec<_> = (0..9).map(|_| secret::<P256>(&k)).collect();
            check_public_keys(&secrets);
        }
    }
}

tiny_curve!(MINUS_THREE_23, p = 31, n = 23, a = 28, b = 25, G = (0, 5), window 3);
tiny_curve!(MINUS_THREE_19, p = 13, n = 19, a = 10, b = 1, G = (0, 1), window 4);
tiny_curve!(ZERO_31, p = 43, n = 31, a = 0, b = 7, G = (2, 12), window 2);
tiny_curve!(MINUS_THREE_211, p = 239, n = 211, a = 236, b = 176, G = (0, 43), window 7);
tiny_curve!(GENERAL_257, p = 227, n = 257, a = 1, b = 146, G = (3, 67), window 8);

/// Every secret of tiny curves, in lanes, and so many that each addition shares an inversion; every
/// signature of a digest.
#[test]
fn every_key_and_signature_on_tiny_curves() {
    for tiny in [
        &MINUS_THREE_23,
        &MINUS_THREE_19,
        &ZERO_31,
        &MINUS_THREE_211,
        &GENERAL_257,
    ] {
        let multiples = tiny.multiples();
        let length = tiny.curve.scalar_field().bytes();
        let secret = |d: i64| {
            let bytes = &d.to_be_bytes()[8 - length..];
            SecretScalar::from_be_bytes_on(tiny.curve, bytes).unwrap()
        };
        let all = (1..tiny.n).cycle();
        for count in [tiny.n as usize - 1, 7, rounds(400, 1000)] {
            let secrets: Vec<_> = all.clone().take(count).map(secret).collect();
            for (d, key) in all.clone().zip(public_keys(&secrets)) {
                assert_eq!(tiny.plain_point(key.as_affine()), multiples[d as usize]);
            }
            let keys: Vec<_> = secrets.into_iter().map(SigningKey::from).collect();
            for digest in [[0; 2], [0x5a; 2], [0xff; 2]] {
                let rows: Vec<_> = keys.iter().map(|key| (key, &digest[..length])).collect();
                let made = sign_prehash_many_with_hash(HashName::Sha256, &rows);
                for (key, signature) in keys.iter().zip(made) {
                    let single = key.sign_prehash_with_hash(HashName::Sha256, &digest[..length]);
                    assert_eq!(signature, single);
                }
            }
        }
    }
}

#[test]
fn signatures_of_calls_of_every_size() {
    for count in (0..=20)
        .step_by(rounds(3, 1))
        .chain([20, 257, rounds(390, 1100)])
    {
        check_signatures::<P256>(count, |i| i % 7 == 5);
        check_signatures::<P256>(count, |_| false);
    }
    for count in [5, rounds(19, 400)] {
        check_signatures::<P384>(count, |i| i == 2);
        check_signatures::<BrainpoolP256r1>(count, |i| i == 2);
        check_signatures::<P521>(count, |i| i == 2);
    }
    check_signatures::<P256>(9, |_| true);
}

#[test]
fn empty_digests_have_an_error_of_their_own() {
    let key = SigningKey::from(random::<P256>(1).remove(0));
    let signatures = sign_prehash_many(&[(&key, &[1; 32][..]), (&key, &[]), (&key, &[2; 32])]);
    assert_eq!(signatures[1], Err(Error::DigestEmpty));
    assert!(signatures[0].is_ok() && signatures[2].is_ok());
}

#[test]
fn new_keys_are_those_of_single_calls() {
    for count in [0, 1, 9, 20] {
        let many = SigningKey::<P256>::generate_many_from_rng(&mut rng(7), count).unwrap();
        let mut rng = rng(7);
        for key in &many {
            let single = SigningKey::<P256>::generate_from_rng(&mut rng).unwrap();
            assert!(*key == single && key.verifying_key() == single.verifying_key());
        }
        assert_eq!(many.len(), count);
    }
    let keys = SigningKey::<P256>::generate_many(9).unwrap();
    for (i, key) in keys.iter().enumerate() {
        assert!(keys[..i].iter().all(|other| other != key));
        key.verifying_key()
            .verify(b"sample", &key.sign(b"sample"))
            .unwrap();
    }
}

/// Runs these tests again on each backend, in separate processes.
#[test]
fn every_backend() {
    on_every_backend_without_doubles("bulk::", "bulk::signatures_of_calls_of_every_size");
}
