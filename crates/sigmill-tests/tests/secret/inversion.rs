//! Inverses and Legendre symbols in constant time: against big integers, Euler's criterion and the
//! variable-time inversion.

use num_bigint::BigUint;
use sigmill::hazmat::field::c25519::{self, C25519Field, C25519Portable};
use sigmill::hazmat::field::p256::{self, P256Field, P256Kernel};
use sigmill::hazmat::field::{
    AnyKernel, Field, LimbCount, Modulus, MontgomeryField, PrimeField, binary_gcd_inverse,
    euler_symbol, fermat_inverse, invert_two,
};

use sigmill_tests::moduli::Tag;
use sigmill_tests::numbers::{
    big, from_hex, from_limbs, invert, nasty_below, pick, random_below, rng, to_limbs,
};
use sigmill_tests::{moduli, on_all_moduli, rounds};

/// Checks every result for one element, against the referee and the alternative methods.
fn check<F, const N: usize>(field: F, modulus: &Modulus<N>, p: &BigUint, a: &BigUint)
where
    F: PrimeField<Integer = [u64; N]>,
{
    let element = field.from_integer(&to_limbs(a)).unwrap();
    let inverse = field.to_integer(&field.invert(&element));
    assert_eq!(from_limbs(&inverse), invert(a, p), "1 / {a:x} mod {p:x}");
    let opposite = field.negate(&element);
    let [first, second] = [(&element, &opposite), (&opposite, &element)]
        .map(|(a, b)| invert_two((field, a), (field, b)));
    assert_eq!(field.to_integer(&first.0), inverse, "1 / {a:x} mod {p:x}");
    assert_eq!(field.to_integer(&second.1), inverse, "1 / {a:x} mod {p:x}");
    let vartime = field.invert_vartime(&element).unwrap_or(field.zero());
    assert_eq!(field.to_integer(&vartime), inverse, "1 / {a:x} mod {p:x}");
    let other = binary_gcd_inverse(modulus, &to_limbs(a));
    assert_eq!(other, inverse, "1 / {a:x} mod {p:x}");
    let euler = a.modpow(&((p - 1u32) >> 1), p);
    let symbol = if euler > big(1) {
        -1
    } else {
        i32::from(euler == big(1))
    };
    assert_eq!(field.legendre(&element), symbol, "({a:x} | {p:x})");
}

/// Checks the powers, which are slow and therefore run on fewer elements.
fn check_powers<F, const N: usize>(field: F, a: &BigUint)
where
    F: PrimeField<Integer = [u64; N]>,
{
    let a = field.from_integer(&to_limbs(a)).unwrap();
    let integer = |a| field.to_integer(&a);
    assert_eq!(
        integer(fermat_inverse(field, &a)),
        integer(field.invert(&a))
    );
    assert_eq!(euler_symbol(field, &a), field.legendre(&a));
}

/// Operands that begin or end in long runs of equal bits, or are near a simple fraction of p, so
/// that they agree with it in many bits: approximations are wrong on these.
fn hard(p: &BigUint) -> Vec<BigUint> {
    let mut values = vec![];
    for divisor in [2u32, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 255, 256, 257] {
        for multiple in 1..divisor.min(9) {
            let fraction = p * multiple / divisor;
            for shift in [0, 1, 16, 28, 29, 30, 31, 32, 33, 60, 62, 64, 96, 128] {
                let distance = (big(1) << shift) % p;
                values.push((&fraction + &distance) % p);
                values.push((&fraction + p - &distance) % p);
            }
        }
    }
    // Quotients of p that are all 1: the longest run of Euclid's algorithm.
    let bits = p.bits();
    let golden = (p * from_hex("9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251")) >> 192;
    values.extend((0..32u32).map(|i| (&golden + 32u32 * p - i) % p));
    for low in 0..bits {
        let ones = (big(1) << low) - 1u32;
        values.push((p - &ones) % p);
        values.push((p >> 1) ^ &ones);
        values.push(((p >> low) << low) % p);
    }
    values.retain(|value| value < p);
    values
}

fn everything<F, const N: usize>(field: F, modulus: &Modulus<N>)
where
    F: PrimeField<Integer = [u64; N]>,
{
    let p = from_limbs(modulus.prime());
    let (nasty, hard) = (nasty_below(&p), hard(&p));
    // The powers of Euler's criterion need most of the time, and for long primes more than the
    // rest.
    let (step, random) = if N > 4 { (2, 500) } else { (1, 2_000) };
    for a in nasty.iter().step_by(rounds(29, 1)) {
        check(field, modulus, &p, a);
    }
    for a in hard.iter().step_by(rounds(31, step)) {
        check(field, modulus, &p, a);
    }
    let mut rng = rng(41);
    for i in 0..rounds(31, random) {
        let a = pick(&mut rng, &nasty, &p);
        check(field, modulus, &p, &a);
        if i % 30 == 0 {
            check_powers(field, &a);
        }
    }
}

fn any_prime<const N: usize>(modulus: &'static Modulus<N>)
where
    [u64; N]: LimbCount,
{
    let kernel = AnyKernel::<Tag, N>::portable(modulus);
    everything(MontgomeryField::new(kernel), modulus);
}

on_all_moduli!(any_prime);

#[test]
fn kernels_of_four_limbs() {
    everything(P256Field::new(P256Kernel), &p256::PRIME);
    everything(C25519Field::new(C25519Portable), &c25519::PRIME);
    any_prime(&moduli::CURVE25519);
}

/// Two inversions side by side equal those of one field each, whatever the other's operand.
#[test]
fn inverses_modulo_a_prime_and_an_order() {
    fn check<const N: usize>(prime: &'static Modulus<N>, order: &'static Modulus<N>)
    where
        [u64; N]: LimbCount,
    {
        let field = |modulus| MontgomeryField::new(AnyKernel::<Tag, N>::detect(modulus));
        let (base, order) = (field(prime), field(order));
        let elements = |field: MontgomeryField<AnyKernel<Tag, N>, N>| {
            let nasty = nasty_below(&from_limbs(&field.modulus()));
            let nasty = nasty.iter().step_by(rounds(7, 1));
            let element = |a| field.from_integer(&to_limbs(a)).unwrap();
            nasty.map(element).collect::<Vec<_>>()
        };
        let of_order = elements(order);
        for (i, a) in elements(base).iter().enumerate() {
            for b in [&of_order[i % of_order.len()], &order.zero(), &order.one()] {
                let expected = (base.invert(a), order.invert(b));
                assert_eq!(invert_two((base, a), (order, b)), expected);
                let exchanged = (expected.1, expected.0);
                assert_eq!(invert_two((order, b), (base, a)), exchanged);
            }
        }
    }
    check(&moduli::P256, &moduli::P256_ORDER);
    check(&moduli::SECP256K1, &moduli::SECP256K1_ORDER);
    check(&moduli::P384, &moduli::P384_ORDER);
    check(&moduli::P521, &moduli::P521_ORDER);
}

#[test]
fn powers_of_p256_are_inverses_of_a_number_and_of_its_square() {
    let field = P256Field::new(P256Kernel);
    let p = from_limbs(p256::PRIME.prime());
    let mut rng = rng(42);
    for a in (0..3u64)
        .map(big)
        .chain((0..20).map(|_| random_below(&mut rng, &p)))
    {
        let element = field.from_integer(&to_limbs(&a)).unwrap();
        let inverse = field.invert(&element);
        assert_eq!(p256::fermat_inverse(field, &element), inverse);
        assert_eq!(
            p256::fermat_inverse_square(field, &element),
            field.square(&inverse)
        );
    }
}

/// Every operand of every odd prime of up to ten bits.
#[test]
fn all_operands_of_small_primes() {
    macro_rules! small {
        ($($prime:literal)*) => {$({
            static SMALL: Modulus<1> = Modulus::new([$prime]);
            let field = MontgomeryField::new(AnyKernel::<Tag, 1>::portable(&SMALL));
            for a in 0..$prime {
                check(field, &SMALL, &big($prime), &big(a));
            }
        })*};
    }
    small!(3 5 7 11 13 17 19 23 29 31 61 127 251 257 509 1009 1021);
}
