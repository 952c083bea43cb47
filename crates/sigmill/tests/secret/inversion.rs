//! Inverses and Legendre symbols in constant time: against big integers, Euler's criterion and the
//! inversion in variable time.

use num_bigint::BigUint;
use sigmill::field::p256::{P256Field, P256Kernel, P256Prime};
use sigmill::field::p384::P384Prime;
use sigmill::field::{Modulus, MontgomeryField, Portable, PrimeField, Residue};
use sigmill::scalar::{P256Order, P384Order};

use crate::common::numbers::{big, from_limbs, invert, nasty_below, pick, rng, to_limbs};
use crate::common::{moduli, rounds};

/// Every answer about one element, from the referee.
fn check<F, M, const N: usize>(field: F, p: &BigUint, a: &BigUint)
where
    M: Modulus<N>,
    F: PrimeField<Element = Residue<M, N>, Integer = [u64; N]>,
{
    let element = field.from_integer(&to_limbs(a)).unwrap();
    let inverse = field.invert(&element);
    let integer = from_limbs(&field.to_integer(&inverse));
    assert_eq!(integer, invert(a, p), "1 / {a:x} mod {p:x}");
    let vartime = field.invert_vartime(&element).unwrap_or(field.zero());
    assert_eq!(inverse, vartime, "1 / {a:x} mod {p:x}");
    let euler = a.modpow(&((p - 1u32) >> 1), p);
    let symbol = if euler > big(1) {
        -1
    } else {
        i32::from(euler == big(1))
    };
    assert_eq!(field.legendre(&element), symbol, "({a:x} | {p:x})");
}

fn everything<F, M, const N: usize>(field: F)
where
    M: Modulus<N>,
    F: PrimeField<Element = Residue<M, N>, Integer = [u64; N]>,
{
    let p = from_limbs(&M::MODULUS);
    let nasty = nasty_below(&p);
    for a in nasty.iter().step_by(rounds(7, 1)) {
        check(field, &p, a);
    }
    let mut rng = rng(41);
    for _ in 0..rounds(100, 3_000) {
        check(field, &p, &pick(&mut rng, &nasty, &p));
    }
}

fn portable<M: Modulus<N>, const N: usize>() {
    everything(MontgomeryField::new(Portable::<M>::new()));
}

#[test]
fn one_to_three_limbs() {
    portable::<moduli::Full64, 1>();
    portable::<moduli::Mersenne61, 1>();
    portable::<moduli::Full128, 2>();
    portable::<moduli::Secp160R1, 3>();
    portable::<moduli::P192, 3>();
}

#[test]
fn four_limbs() {
    portable::<P256Prime, 4>();
    portable::<P256Order, 4>();
    portable::<moduli::P224, 4>();
    portable::<moduli::Secp256K1, 4>();
    portable::<moduli::Curve25519Order, 4>();
    everything(P256Field::new(P256Kernel));
}

#[test]
fn five_to_nine_limbs() {
    portable::<moduli::Brainpool320, 5>();
    portable::<P384Prime, 6>();
    portable::<P384Order, 6>();
    portable::<moduli::Goldilocks, 7>();
    portable::<moduli::Brainpool512, 8>();
    portable::<moduli::P521, 9>();
}
