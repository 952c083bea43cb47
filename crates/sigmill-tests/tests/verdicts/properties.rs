//! Properties of any input, with shrinking: strategies agree with OpenSSL, encoded values decode to
//! the same, and no decoder panics.

use num_bigint::BigUint;
use proptest::collection::vec;
use proptest::prelude::*;
use sigmill::bulk::{Engine, Input, KeyStore, Row, Speed};
use sigmill::curves::NamedCurve;
use sigmill::ecdsa::Signature;
use sigmill::keys::VerifyingKey;
use sigmill::{Algorithm, AnyVerifyingKey, CurveName, SignatureFormat};
use sigmill_tests::numbers::big;
use sigmill_tests::referee::{Referee, digest_integer, sign};
use sigmill_tests::strategies::Strategies;
use sigmill_tests::{THOROUGH, for_each_curve, rounds};

fn cases(few: usize, many: usize) -> ProptestConfig {
    ProptestConfig {
        cases: rounds(few, many) as u32,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn any_curve() -> impl Strategy<Value = CurveName> {
    proptest::sample::select(CurveName::ALL)
}

/// A change to a valid signature.
#[derive(Clone, Debug)]
enum Change {
    Nothing,
    DigestBit(usize),
    RBit(u64),
    SBit(u64),
    NegateS,
    NegateR,
    SwapRAndS,
}

fn any_change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => Just(Change::Nothing),
        1 => (0..521usize).prop_map(Change::DigestBit),
        1 => (0..521u64).prop_map(Change::RBit),
        1 => (0..521u64).prop_map(Change::SBit),
        1 => Just(Change::NegateS),
        1 => Just(Change::NegateR),
        1 => Just(Change::SwapRAndS),
    ]
}

/// Decodes arbitrary bytes as every type of one curve.
fn read_everything<C: NamedCurve + Default>(bytes: &[u8]) {
    if let Ok(key) = VerifyingKey::<C>::from_sec1_bytes(bytes) {
        assert_eq!(
            key.to_sec1_bytes(bytes.len() <= 1 + C::default().name().field_len()),
            bytes
        );
    }
    if let Ok(signature) = Signature::<C>::from_der(bytes) {
        assert_eq!(signature.to_der(), bytes);
    }
    if let Ok(signature) = Signature::<C>::from_p1363(bytes) {
        assert_eq!(signature.to_p1363(), bytes);
    }
    let _ = VerifyingKey::<C>::from_public_key_der(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = VerifyingKey::<C>::from_public_key_pem(text);
        let _ = AnyVerifyingKey::from_jwk_str(text);
    }
}

proptest! {
    #![proptest_config(cases(20, 250))]

    #[test]
    fn every_strategy_agrees_with_openssl(
        curve in any_curve(),
        d in vec(any::<u8>(), 66),
        k in vec(any::<u8>(), 66),
        digest in vec(any::<u8>(), 1..80),
        change in any_change(),
        window in 1..=11u32,
    ) {
        let referee = Referee::new(curve);
        let n = &referee.n;
        let d = BigUint::from_bytes_be(&d) % (n - 1u32) + 1u32;
        let k = BigUint::from_bytes_be(&k) % (n - 1u32) + 1u32;
        let (mut r, mut s) = sign(&referee, &d, &k, &digest_integer(&digest, n));
        prop_assume!(r != big(0) && s != big(0));
        let mut digest = digest;
        match change {
            Change::Nothing => {}
            Change::DigestBit(bit) => {
                let length = digest.len();
                digest[bit / 8 % length] ^= 1 << (bit % 8);
            }
            Change::RBit(bit) => r.set_bit(bit % n.bits(), !r.bit(bit % n.bits())),
            Change::SBit(bit) => s.set_bit(bit % n.bits(), !s.bit(bit % n.bits())),
            Change::NegateS => s = n - s,
            Change::NegateR => r = n - r,
            Change::SwapRAndS => std::mem::swap(&mut r, &mut s),
        }
        let key = referee.generator_multiple(&d);
        let window = if THOROUGH { window } else { 1 + window % 7 };
        let strategies = Strategies::new(curve, &key, &[window]).unwrap();
        let verdict = strategies.verdict(&digest, &r, &s);
        prop_assert_eq!(verdict.is_ok(), referee.openssl(&key, &digest, &r, &s));
        let rust_crypto = referee.rust_crypto(&key, &digest, &r, &s);
        prop_assert!(rust_crypto.is_none_or(|valid| valid == verdict.is_ok()));
        if matches!(change, Change::Nothing | Change::NegateS) {
            prop_assert_eq!(verdict, Ok(()));
        }
        // OpenSSL treats an empty digest as e = 0; here it is an error, as no hash is that short.
        prop_assert_eq!(strategies.verdict(&[], &r, &s).is_ok(), false);
    }
}

proptest! {
    #![proptest_config(cases(1000, 50_000))]

    #[test]
    fn decoders_take_any_bytes(bytes in vec(any::<u8>(), 0..300)) {
        for_each_curve!(C => { read_everything::<C>(&bytes) });
        let _ = AnyVerifyingKey::from_encoded(None, &bytes);
        let _ = KeyStore::new(0).load(&bytes[..]);
    }

    #[test]
    fn decoders_take_nearly_right_bytes(
        tag in prop_oneof![Just(2u8), Just(3), Just(4), Just(0x30)],
        length in prop_oneof![Just(32usize), Just(33), Just(48), Just(64), Just(65), Just(66),
            Just(70), Just(96), Just(132)],
        fill in vec(any::<u8>(), 132),
    ) {
        let bytes = [&[tag], &fill[..length]].concat();
        for_each_curve!(C => { read_everything::<C>(&bytes) });
        // A SEQUENCE of two integers whose lengths fit.
        let body = [&[2, 32], &fill[..32], &[2, 32], &fill[32..64]].concat();
        let der = [&[0x30, 68], &body[..]].concat();
        for_each_curve!(C => { read_everything::<C>(&der) });
    }

    #[test]
    fn saved_stores_take_any_numbers(
        count in vec(any::<u8>(), 4),
        keys in vec(any::<u8>(), 0..200),
    ) {
        let bytes = [&b"sigmkst\0\0\x02\0\0"[..], &count, &keys].concat();
        prop_assert!(KeyStore::new(1 << 20).load(&bytes[..]).is_err());
    }

    #[test]
    fn rows_take_any_bytes(
        curve in any_curve(),
        key in vec(any::<u8>(), 0..100),
        signature in vec(any::<u8>(), 0..100),
        message in vec(any::<u8>(), 0..50),
    ) {
        let engine = Engine::builder().speed(Speed::Fixed).build().unwrap();
        let row = Row::new(
            curve.default_algorithm(),
            &key,
            Input::Message(&message),
            &signature,
            SignatureFormat::Auto,
        );
        prop_assert!(engine.verify_row(&row).is_err());
    }

    #[test]
    fn signatures_are_read_as_they_are_written(
        r in vec(any::<u8>(), 66),
        s in vec(any::<u8>(), 1..66),
    ) {
        for_each_curve!(C => {
            let order_bits = C::default().name().order_bits() as usize;
            // The number of bits of the order.
            let mut r = r[..order_bits.div_ceil(8)].to_vec();
            r[0] >>= 8 * r.len() - order_bits;
            if let Ok(signature) = Signature::<C>::from_scalars(&r, &s) {
                prop_assert_eq!(Signature::from_der(&signature.to_der()), Ok(signature));
                prop_assert_eq!(Signature::from_p1363(&signature.to_p1363()), Ok(signature));
                let low = signature.normalize_s();
                prop_assert!(!low.is_high_s());
                prop_assert_eq!(low.normalize_s(), low);
            }
        });
        let names = ["ES256", "ES384", "ES512", "ES256K", "P-256-SHA384", "secp256k1-SHA384"];
        for name in names {
            let algorithm: Algorithm = name.parse().unwrap();
            prop_assert_eq!(algorithm.to_string(), name);
        }
    }
}
