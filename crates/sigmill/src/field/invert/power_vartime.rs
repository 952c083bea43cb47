//! Square roots as powers with a public exponent.

use super::power::{power, shift_right};
use super::roots::root_exponent;
use crate::field::PrimeField;

/// A square root of `a`, or `None`. Uses the power (p + 1) / 4 if p = 3 mod 4, otherwise
/// Tonelli-Shanks (Cohen, *A Course in Computational Algebraic Number Theory*, Algorithm 1.5.1).
pub(in crate::field) fn square_root<F: PrimeField>(field: F, a: &F::Element) -> Option<F::Element> {
    if let Some(exponent) = root_exponent(field.modulus()) {
        let root = power(field, a, exponent.as_ref());
        return field.equal(&field.square(&root), a).then_some(root);
    }
    // p - 1 = 2^twos * odd.
    let mut odd = field.modulus();
    odd.as_mut()[0] -= 1;
    let twos = trailing_zeros(odd.as_ref());
    shift_right(odd.as_mut(), twos);
    // With z = a^((odd - 1) / 2): root = a z, and root^2 = a (a z^2), where a z^2 = a^odd.
    let mut exponent = odd;
    shift_right(exponent.as_mut(), 1);
    let z = power(field, a, exponent.as_ref());
    let root = field.mul(a, &z);
    let error = field.mul(&root, &z);
    if field.is_zero(a) {
        return Some(*a);
    }
    if field.equal(&error, &field.one()) {
        return Some(root);
    }
    tonelli_shanks(field, root, error, &odd, twos)
}

/// 1 / root for one of the square roots of `a`, not specified which; `None` if a is zero or not a
/// square. Costs one power if p = 3 mod 4, otherwise a root and an inversion. Variable time: for
/// public values only.
///
/// The square of a^((p - 3) / 4), times a, is a^((p - 1) / 2), which is 1 for squares.
#[inline(never)]
pub fn inverse_square_root_vartime<F: PrimeField>(field: F, a: &F::Element) -> Option<F::Element> {
    let mut exponent = field.modulus();
    if exponent.as_ref()[0] & 3 != 3 {
        return field.invert_vartime(&field.sqrt_vartime(a)?);
    }
    shift_right(exponent.as_mut(), 2);
    let inverse = power(field, a, exponent.as_ref());
    let is_inverse = field.equal(&field.mul(a, &field.square(&inverse)), &field.one());
    is_inverse.then_some(inverse)
}

/// A root of a from root^2 = a error, where the order of error divides 2^`order`; `None` if a is
/// not a square. Called only for primes that are 1 mod 4.
#[cold]
#[inline(never)]
fn tonelli_shanks<F: PrimeField>(
    field: F,
    mut root: F::Element,
    mut error: F::Element,
    odd: &F::Integer,
    mut order: u32,
) -> Option<F::Element> {
    let mut generator = None;
    // Invariant: root^2 = a error, and error has order 2^k with k < order.
    while !field.equal(&error, &field.one()) {
        let mut k = 0;
        let mut square = error;
        while !field.equal(&square, &field.one()) {
            square = field.square(&square);
            k += 1;
            if k == order {
                return None;
            }
        }
        let current = generator.unwrap_or_else(|| power(field, &non_residue(field), odd.as_ref()));
        let mut factor = current;
        for _ in 0..order - k - 1 {
            factor = field.square(&factor);
        }
        root = field.mul(&root, &factor);
        let factor_squared = field.square(&factor);
        error = field.mul(&error, &factor_squared);
        generator = Some(factor_squared);
        order = k;
    }
    Some(root)
}

/// The smallest of 2, 3, ... that is not a square.
fn non_residue<F: PrimeField>(field: F) -> F::Element {
    let mut candidate = field.double(&field.one());
    while field.legendre(&candidate) != -1 {
        candidate = field.add(&candidate, &field.one());
    }
    candidate
}

fn trailing_zeros(integer: &[u64]) -> u32 {
    let mut zeros = 0;
    for &limb in integer {
        zeros += limb.trailing_zeros();
        if limb != 0 {
            break;
        }
    }
    zeros
}
