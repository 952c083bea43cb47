//! Public keys of X25519, multiples of the base point on edwards25519, against the ladder with u =
//! 9.
//!
//! `x25519_many::every_backend` runs these on each backend.

use num_bigint::BigUint;
use rand_chacha::rand_core::Rng;
use sigmill::agreement::x25519::{
    EphemeralSecret, PublicKey, StaticSecret, X25519_BASEPOINT_BYTES, public_keys, x25519,
};

use sigmill_tests::numbers::{big, hex_bytes, rng};
use sigmill_tests::rounds;

fn check(secret: [u8; 32]) {
    let public = PublicKey::from(&StaticSecret::from(secret)).to_bytes();
    assert_eq!(
        public,
        x25519(secret, X25519_BASEPOINT_BYTES),
        "{secret:x?}"
    );
}

/// RFC 7748 §6.1, and the first step of the iteration in §5.2, whose scalar and u are 9.
#[test]
fn vectors_of_rfc_7748() {
    for [secret, public] in [
        [
            "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
            "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
        ],
        [
            "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
            "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
        ],
        [
            "0900000000000000000000000000000000000000000000000000000000000000",
            "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079",
        ],
    ] {
        let secret: [u8; 32] = hex_bytes(secret).try_into().unwrap();
        let public_key = PublicKey::from(&StaticSecret::from(secret));
        assert_eq!(public_key.as_bytes()[..], hex_bytes(public));
    }
}

#[test]
fn every_bit_alone_and_every_bit_missing() {
    for bit in (0..256).step_by(rounds(5, 1)) {
        for filling in [0, 0xff] {
            let mut secret = [filling; 32];
            secret[bit / 8] ^= 1 << (bit % 8);
            check(secret);
        }
    }
}

#[test]
fn bytes_of_zeros_and_of_ones() {
    check([0; 32]);
    check([0xff; 32]);
    for length in (1..32).step_by(rounds(3, 1)) {
        let mut secret = [0; 32];
        secret[..length].fill(0xff);
        check(secret);
        check(secret.map(|byte| !byte));
    }
    let mut rng = rng(1);
    for _ in 0..rounds(20, 1_000) {
        let mut secret = [0; 32];
        rng.fill_bytes(&mut secret);
        check(secret.map(|byte| if byte < 128 { 0 } else { 0xff }));
    }
}

/// All windows of five bits, from bit 3 or any bit near it on, have the same value: digits are then
/// all the same, or alternate, and take each value, including the least and the greatest.
#[test]
fn windows_of_the_same_bits() {
    for window in 0..32 {
        for shift in (0..5).step_by(rounds(3, 1)) {
            let number: BigUint = (0..51).fold(big(0), |number, i| {
                number + (big(window) << (5 * i + shift))
            });
            let mut secret = (number % (big(1) << 256u32)).to_bytes_le();
            secret.resize(32, 0);
            check(secret.try_into().unwrap());
        }
    }
}

#[test]
fn random_secrets() {
    let mut rng = rng(2);
    let secrets: Vec<_> = (0..rounds(40, 2_000))
        .map(|_| StaticSecret::generate_from_rng(&mut rng))
        .collect();
    secrets.iter().for_each(|secret| check(secret.to_bytes()));
    for count in [1, 2, secrets.len()] {
        let singly: Vec<_> = secrets[..count].iter().map(PublicKey::from).collect();
        assert_eq!(public_keys(&secrets[..count]), singly);
    }
}

/// An ephemeral key has a public key that its peer can use for agreement.
#[test]
fn ephemeral_keys() {
    let mut rng = rng(3);
    for _ in 0..rounds(5, 100) {
        let [own, peer] = [(); 2].map(|()| EphemeralSecret::generate_from_rng(&mut rng));
        let [own_public, peer_public] = [&own, &peer].map(PublicKey::from);
        assert_eq!(
            own.diffie_hellman(&peer_public).unwrap(),
            peer.diffie_hellman(&own_public).unwrap()
        );
    }
}
