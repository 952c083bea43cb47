//! ECMQV: against the formulas of SP 800-56A with OpenSSL's points, which reproduce NIST's
//! examples; and on tiny curves.

use num_bigint::BigUint;
use openssl::bn::{BigNum, BigNumContext};
use openssl::ec::{EcGroup, EcPoint};
use openssl::nid::Nid;
use sigmill::Error;
use sigmill::agreement::{EphemeralKeyPair, SharedSecret, ecmqv, ecmqv_one_pass_respond};
use sigmill::hazmat::curve::{Curve as _, Domain, NamedCurve};
use sigmill::hazmat::field::PrimeField as _;
use sigmill::keys::{SecretScalar, SigningKey, VerifyingKey};

use sigmill_tests::given::Given;
use sigmill_tests::numbers::{big, from_hex, from_limbs, invert, random_nonzero, rng, to_bytes};
use sigmill_tests::processes::{curves, on_every_backend_without_doubles};
use sigmill_tests::referee::{nid, to_bn};
use sigmill_tests::tiny::Tiny;
use sigmill_tests::{THOROUGH, for_curve, rounds, tiny_curve};

fn static_key<C: Domain>(domain: C, d: &BigUint) -> SecretScalar<C> {
    let length = domain.curve().scalar_field().bytes();
    SecretScalar::from_be_bytes_on(domain, &to_bytes(d, length)).unwrap()
}

fn key_pair<C: Domain>(domain: C, d: &BigUint) -> EphemeralKeyPair<C> {
    let order = domain.curve().scalar_field();
    let unused = 8 * order.bytes() as u32 - order.bits();
    let mut given = Given(to_bytes(&(d << unused), order.bytes()));
    let Ok(pair) = EphemeralKeyPair::generate_from_rng_on(domain, &mut given);
    pair
}

/// The formulas, with big integers and OpenSSL's points.
struct Formulas {
    group: EcGroup,
    n: BigUint,
    length: usize,
}

impl Formulas {
    fn new(nid: Nid) -> Self {
        let group = EcGroup::from_curve_name(nid).unwrap();
        let mut context = BigNumContext::new().unwrap();
        let mut n = BigNum::new().unwrap();
        group.order(&mut n, &mut context).unwrap();
        let length = group.degree().div_ceil(8) as usize;
        let n = BigUint::from_bytes_be(&n.to_vec());
        Self { group, n, length }
    }

    fn multiple(&self, k: &BigUint) -> EcPoint {
        let mut context = BigNumContext::new().unwrap();
        let mut point = EcPoint::new(&self.group).unwrap();
        point
            .mul_generator2(&self.group, &to_bn(k), &mut context)
            .unwrap();
        point
    }

    fn x(&self, point: &EcPoint) -> BigUint {
        let mut context = BigNumContext::new().unwrap();
        let [mut x, mut y] = [(); 2].map(|()| BigNum::new().unwrap());
        point
            .affine_coordinates_gfp(&self.group, &mut x, &mut y, &mut context)
            .unwrap();
        BigUint::from_bytes_be(&x.to_vec())
    }

    /// §5.7.2.2.
    fn associate_value(&self, point: &EcPoint) -> BigUint {
        let half = self.n.bits().div_ceil(2);
        let power = big(1) << half;
        self.x(point) % &power + power
    }

    /// §5.7.2.3, computed by one party: from its private keys and the other's public ones.
    fn shared(&self, [d_s, d_e]: [&BigUint; 2], [q_s, q_e]: [&EcPoint; 2]) -> Vec<u8> {
        let mut context = BigNumContext::new().unwrap();
        let own = self.associate_value(&self.multiple(d_e));
        let s = (d_e + own * d_s) % &self.n;
        let mut product = EcPoint::new(&self.group).unwrap();
        let theirs = self.associate_value(q_e);
        product
            .mul2(&self.group, q_s, &to_bn(&theirs), &mut context)
            .unwrap();
        let mut sum = EcPoint::new(&self.group).unwrap();
        sum.add(&self.group, &product, q_e, &mut context).unwrap();
        let mut point = EcPoint::new(&self.group).unwrap();
        point
            .mul2(&self.group, &sum, &to_bn(&s), &mut context)
            .unwrap();
        to_bytes(&self.x(&point), self.length)
    }
}

/// NIST's examples on P-224, which this library lacks: both parties of C(2e, 2s) and C(1e, 2s),
/// from the unit tests of NIST's own ACVP server (usnistgov/ACVP-Server, KAS ECC; in the public
/// domain).
#[test]
fn the_formulas_are_those_of_nist() {
    let formulas = Formulas::new(Nid::SECP224R1);
    let party = |digits: [&str; 2]| digits.map(from_hex);
    let check = |ours: [&str; 2], theirs: [&str; 2], z: &str| {
        let (ours, theirs) = (party(ours), party(theirs));
        for [own, other] in [[&ours, &theirs], [&theirs, &ours]] {
            let points = other.each_ref().map(|d| formulas.multiple(d));
            let shared = formulas.shared(own.each_ref(), points.each_ref());
            assert_eq!(BigUint::from_bytes_be(&shared), from_hex(z));
        }
    };
    check(
        [
            "a13226f2560825d9ccc656e27d6091d2c036f26abc3b57dc47478c9a",
            "302c1c8a6a6b0df87445dadcbc99be525d970d351a189d99414416d5",
        ],
        [
            "a105eae1bb706d6bfee644f64e064d532740bc3f681056ca4c029296",
            "c6ef9d41f90e1bffe71124720b782d85aa438fe423c4603a59130260",
        ],
        "fe533ed3ca082bf4abe6ca3775c21192381743ff7c94f27088f526ee",
    );
    let responder = "8b6606df3fae46702c192a54d37839be34b78dee0f00c6b5ea192cbb";
    check(
        [
            "71b94b0b139630a558fec67d8525e1e71fda06d8b5171ead65dd9079",
            "a94036779eca96197f9c9bc601fd9614631d284ed4f32dc6f5f46de9",
        ],
        [responder, responder],
        "5cb7d19d782b3bc5ebf88374507afbfa52d61f6ccd3d25d048af3d0f",
    );
}

fn as_by_formulas<C: NamedCurve + Default>(random: usize) {
    let domain = C::default();
    let formulas = Formulas::new(nid(domain.name()));
    let n = &formulas.n;
    let mut rng = rng(61);
    let mut secrets = vec![];
    for _ in 0..random {
        secrets.push([(); 4].map(|()| random_nonzero(&mut rng, n)));
    }
    // Keys that are equal, opposite or small multiples of each other, so that sums meet their own
    // operands.
    let d = random_nonzero(&mut rng, n);
    for other in [
        d.clone(),
        n - &d,
        &d * 2u32 % n,
        &d * (n - 3u32) % n,
        big(1),
        n - 1u32,
    ] {
        secrets.push([&d, &other, &other, &d].map(Clone::clone));
        secrets.push([&d, &d, &other, &other].map(Clone::clone));
    }
    for [a, b] in [[1, 1], [1, 2], [2, 1], [17, 31]] {
        secrets.push([&d, &d, &big(a), &big(b)].map(Clone::clone));
    }
    for [d_s, d_e, q_s, q_e] in &secrets {
        let (ours, theirs) = (static_key(domain, d_s), static_key(domain, q_s));
        let pairs = [d_e, q_e].map(|d| key_pair(domain, d));
        let [our_pair, their_pair] = pairs;
        let [our_sent, their_sent] = [&our_pair, &their_pair].map(|pair| *pair.public_key());
        let points = [q_s, q_e].map(|d| formulas.multiple(d));
        let expected = formulas.shared([d_s, d_e], points.each_ref());
        let shared = ecmqv(&ours, our_pair, &theirs.public_key(), &their_sent).unwrap();
        assert_eq!(shared.as_bytes(), expected);
        let shared = ecmqv(&theirs, their_pair, &ours.public_key(), &our_sent).unwrap();
        assert_eq!(shared.as_bytes(), expected);
        // One pass.
        let expected = formulas.shared([d_s, d_e], [&points[0], &points[0]]);
        let responder =
            SigningKey::<C>::from_be_bytes(&to_bytes(q_s, domain.name().order_len())).unwrap();
        let public = responder.verifying_key();
        let shared = ecmqv(&ours, key_pair(domain, d_e), public, public).unwrap();
        assert_eq!(shared.as_bytes(), expected);
        let shared = ecmqv_one_pass_respond(&responder, &ours.public_key(), &our_sent).unwrap();
        assert_eq!(shared.as_bytes(), expected);
    }
}

#[test]
fn as_by_the_formulas_of_sp_800_56a() {
    for &curve in curves() {
        for_curve!(curve, C => { as_by_formulas::<C>(rounds(2, 20)) });
    }
}

/// Keys whose sum is infinity: Q_s = -Q_e / avf(Q_e), and own keys likewise.
fn keys_that_cancel<C: NamedCurve + Default>() {
    let domain = C::default();
    let formulas = Formulas::new(nid(domain.name()));
    let n = &formulas.n;
    let mut rng = rng(62);
    let ephemeral = random_nonzero(&mut rng, n);
    let value = formulas.associate_value(&formulas.multiple(&ephemeral));
    let cancelling = static_key(domain, &(n - &ephemeral * invert(&value, n) % n));
    let pair = || key_pair(domain, &ephemeral);
    let other = SecretScalar::generate_from_rng(&mut rng).unwrap();
    let Ok(other_pair) = EphemeralKeyPair::generate_from_rng(&mut rng);
    let sent = *other_pair.public_key();
    let theirs = ecmqv(
        &other,
        other_pair,
        &cancelling.public_key(),
        pair().public_key(),
    );
    assert_eq!(theirs, Err(Error::SharedInfinity));
    let ours = ecmqv(&cancelling, pair(), &other.public_key(), &sent);
    assert_eq!(ours, Err(Error::SharedInfinity));
}

#[test]
fn keys_that_cancel_are_an_error() {
    for &curve in curves() {
        for_curve!(curve, C => { keys_that_cancel::<C>() });
    }
}

tiny_curve!(MINUS_THREE_19, p = 13, n = 19, a = 10, b = 1, G = (0, 1), window 4);
tiny_curve!(ZERO_31, p = 43, n = 31, a = 0, b = 7, G = (2, 12), window 2);
tiny_curve!(GENERAL_23, p = 17, n = 23, a = 5, b = 7, G = (1, 8), window 2);

/// Every combination of four secrets; in debug code every third of the last.
fn every_four(tiny: &Tiny) {
    let multiples = tiny.multiples();
    let n = tiny.n;
    let value = |d: i64| multiples[d as usize].unwrap().0 % 8 + 8;
    assert_eq!(from_limbs(&[n as u64]).bits(), 5);
    let statics: Vec<_> = (1..n as u64)
        .map(|d| static_key(tiny.curve, &big(d)))
        .collect();
    let publics: Vec<VerifyingKey<_>> = statics.iter().map(SecretScalar::public_key).collect();
    let mut infinite = 0;
    for (d_s, ours) in (1..).zip(&statics) {
        for d_e in 1..n {
            let s = (d_e + value(d_e) * d_s) % n;
            for (q_s, peer) in (1..).zip(&publics) {
                let step = rounds(3, 1);
                let first = (d_s + d_e + q_s) as usize % step;
                for q_e in (1 + first as i64..n).step_by(step) {
                    let k = s * (q_e + value(q_e) * q_s) % n;
                    let expected = multiples[k as usize].map(|(x, _)| vec![x as u8]);
                    let pair = key_pair(tiny.curve, &big(d_e as u64));
                    let shared = ecmqv(ours, pair, peer, &publics[q_e as usize - 1]);
                    let bytes = shared.as_ref().map(SharedSecret::as_bytes);
                    assert_eq!(bytes, expected.as_deref().ok_or(&Error::SharedInfinity));
                    infinite += usize::from(expected.is_none());
                }
            }
        }
    }
    assert!(infinite > 100);
}

#[test]
fn every_four_secrets_on_tiny_curves() {
    every_four(&MINUS_THREE_19);
    if THOROUGH {
        every_four(&GENERAL_23);
        every_four(&ZERO_31);
    }
}

#[test]
fn every_backend() {
    let witness = "ecmqv::as_by_the_formulas_of_sp_800_56a";
    on_every_backend_without_doubles("ecmqv::as_by_the_formulas", witness);
}
