use super::*;
use crate::field::{AnyKernel, Field as _, Modulus, MontgomeryField, PrimeField as _};
use crate::limbs::from_hex;
use crate::scalar::AnyScalarField;

/// The order of secp256k1.
static ORDER: Modulus<4> = Modulus::new(from_hex(
    "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
));

const SPLIT: Split<[u64; 4]> = Split::new(
    ORDER.prime(),
    from_hex("000000000000000000000000000000003086d221a7d46bcde86c90e49284eb15"),
    from_hex("00000000000000000000000000000000e4437ed6010e88286f547fa90abfe4c3"),
);

fn integers_modulo_order() -> AnyScalarField<4> {
    MontgomeryField::new(AnyKernel::portable(&ORDER))
}

fn signed(half: &Half<[u64; 1]>) -> i64 {
    match half.negative {
        0 => half.magnitude[0] as i64,
        _ => -(half.magnitude[0] as i64),
    }
}

fn every_integer(split: &Split<[u64; 1]>, n: i64, [a, b]: [i64; 2]) {
    let lambda = (0..n).find(|lambda| (lambda * b - a) % n == 0).unwrap();
    assert_eq!((lambda * lambda + lambda + 1) % n, 0);
    for k in 0..n {
        let value = |[k1, k2]: [i64; 2]| (k1 + k2 * lambda).rem_euclid(n);
        let halves = split.halves(&[k as u64]).map(|half| signed(&half));
        assert_eq!(value(halves), k);
        assert!(2 * halves[0].abs() <= 2 * a + b && 2 * halves[1].abs() <= a + b);
        let odd = split.odd_halves(&[k as u64]).map(|half| signed(&half));
        assert_eq!(value(odd), k);
        assert!(odd.iter().all(|half| half % 2 != 0), "{odd:?}");
        assert!(2 * odd[0].abs() <= 3 * (2 * a + b) && 2 * odd[1].abs() <= 3 * (a + b));
    }
}

#[test]
fn every_integer_of_tiny_orders() {
    for (n, a, b) in [(7, 1, 2), (13, 3, 1), (199, 2, 13)] {
        every_integer(&Split::new(&[n], [a], [b]), n as i64, [a as i64, b as i64]);
    }
}

const LAMBDA: [u64; 4] =
    from_hex("5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72");

/// The integers at which the rounding changes, those near both ends, and a walk through all
/// integers.
fn integers() -> impl Iterator<Item = [u64; 4]> {
    let order = integers_modulo_order();
    let mut walk = order.one();
    let step = order.from_integer(&from_hex(
        "1234567890abcdef1234567890abcdef0f1e2d3c4b5a69788796a5b4c3d2e1f1",
    ));
    let random = (0..5_000).map(move |_| {
        walk = order.mul(&walk, &step.unwrap());
        order.to_integer(&walk)
    });
    let mut powers = alloc::vec::Vec::new();
    for i in 0..256 {
        let mut power = [0; 4];
        power[i / 64] = 1 << (i % 64);
        powers.push(power);
        powers.push(subtract(&power, &[1, 0, 0, 0]).0);
        powers.push(subtract(ORDER.prime(), &power).0);
    }
    let near_turns = (1..200u64).flat_map(move |i| {
        // (i + 1/2) n / a and n / b, rounded down: c1 or c2 changes there.
        let split = SPLIT;
        [split.a, split.b].map(|divisor| divide_half(2 * i + 1, &divisor))
    });
    let both = near_turns.flat_map(|k| [k, add(&k, &[1, 0, 0, 0]).0]);
    powers.into_iter().chain(both).chain(random)
}

/// floor(odd n / (2 divisor)).
fn divide_half(odd: u64, divisor: &[u64; 4]) -> [u64; 4] {
    let (twice, _) = add(divisor, divisor);
    let mut numerator = [0; 5];
    let mut carry = 0;
    for (limb, n) in numerator.iter_mut().zip(*ORDER.prime()) {
        (*limb, carry) = multiply_accumulate(0, n, odd, carry);
    }
    numerator[4] = carry;
    let (mut quotient, mut remainder) = ([0u64; 4], [0u64; 4]);
    for i in (0..320).rev() {
        remainder = add(&remainder, &remainder).0;
        remainder[0] |= numerator[i / 64] >> (i % 64) & 1;
        if !less_than(&remainder, &twice) {
            remainder = subtract(&remainder, &twice).0;
            quotient[i / 64] |= 1 << (i % 64);
        }
    }
    quotient
}

#[test]
fn halves_of_secp256k1_are_short_and_recombine() {
    let order = integers_modulo_order();
    let lambda = order.from_integer(&LAMBDA).unwrap();
    let split = SPLIT;
    assert_eq!(split.bits(), 130);
    // lambda = a / b.
    let [a, b] = [split.a, split.b].map(|integer| order.from_integer(&integer).unwrap());
    assert!(order.equal(&order.mul(&lambda, &b), &a));
    for k in integers() {
        let Some(expected) = order.from_integer(&k) else {
            continue;
        };
        for (halves, bits) in [(split.halves(&k), 128), (split.odd_halves(&k), 129)] {
            let [k1, k2] = halves.map(|half| {
                assert!(fits(&half.magnitude, bits), "{k:x?}: {half:x?}");
                assert!(bits == 128 || half.magnitude[0] & 1 == 1);
                let value = order.from_integer(&half.magnitude).unwrap();
                order.negate_if(&value, half.negative != 0)
            });
            assert!(order.equal(&order.add(&k1, &order.mul(&k2, &lambda)), &expected));
        }
    }
}
