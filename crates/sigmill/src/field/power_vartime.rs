//! Powers with a public exponent, and square roots by them.

use super::{Field, PrimeField};
use crate::limbs;

/// The longest window of the sliding-window exponentiation, in bits.
const WINDOW: usize = 5;

/// `base^exponent` by sliding windows over the bits of a public exponent.
///
/// About one squaring a bit, one product a window of up to five bits, and 16 products for the odd
/// powers. The time depends on the exponent only.
pub(super) fn power<F: Field>(field: F, base: &F::Element, exponent: &[u64]) -> F::Element {
    let square = field.square(base);
    let mut odd_powers = [*base; 1 << (WINDOW - 1)];
    for i in 1..odd_powers.len() {
        odd_powers[i] = field.mul(&odd_powers[i - 1], &square);
    }
    let bit = |i: usize| exponent[i / 64] >> (i % 64) & 1;
    let mut result = field.one();
    let mut top = 64 * exponent.len();
    while top > 0 {
        if bit(top - 1) == 0 {
            result = field.square(&result);
            top -= 1;
            continue;
        }
        // The window is top-1 down to bottom, and ends in a one.
        let mut bottom = top.saturating_sub(WINDOW);
        while bit(bottom) == 0 {
            bottom += 1;
        }
        for _ in bottom..top {
            result = field.square(&result);
        }
        let window = limbs::bits(exponent, bottom as u32, (top - bottom) as u32);
        result = field.mul(&result, &odd_powers[window as usize / 2]);
        top = bottom;
    }
    result
}

/// A square root of `a`, or `None`: the power (p + 1) / 4 where p = 3 mod 4, else Tonelli-Shanks
/// (Cohen, *A Course in Computational Algebraic Number Theory*, Algorithm 1.5.1).
pub(super) fn square_root<F: PrimeField>(field: F, a: &F::Element) -> Option<F::Element> {
    // p - 1 = 2^twos * odd.
    let mut odd = field.modulus();
    odd.as_mut()[0] -= 1;
    let twos = trailing_zeros(odd.as_ref());
    shift_right(odd.as_mut(), twos);
    // With z = a^((odd - 1) / 2): root = a z, and root^2 = a (a z^2), where a z^2 = a^odd.
    let mut exponent = odd;
    shift_right(exponent.as_mut(), 1);
    let z = power(field, a, exponent.as_ref());
    let mut root = field.mul(a, &z);
    let mut error = field.mul(&root, &z);
    if field.is_zero(a) {
        return Some(*a);
    }
    let mut order = twos;
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

/// The smallest of 2, 3, ... that is not a square, by Euler's criterion.
fn non_residue<F: PrimeField>(field: F) -> F::Element {
    let mut exponent = field.modulus();
    shift_right(exponent.as_mut(), 1);
    let minus_one = field.negate(&field.one());
    let mut candidate = field.double(&field.one());
    while !field.equal(&power(field, &candidate, exponent.as_ref()), &minus_one) {
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

/// Shifts right in place by any number of bits.
fn shift_right(integer: &mut [u64], mut bits: u32) {
    while bits > 0 {
        let step = bits.min(63);
        let mut above = 0;
        for limb in integer.iter_mut().rev() {
            let shifted = *limb >> step | above;
            above = *limb << (64 - step);
            *limb = shifted;
        }
        bits -= step;
    }
}
