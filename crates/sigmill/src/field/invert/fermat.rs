//! Inverses and Legendre symbols as powers (Fermat, Euler). Compiled only for comparison.

use super::power::{power, shift_right};
use crate::field::PrimeField;

/// `1 / a` as `a^(p - 2)` (Fermat), zero for zero: one squaring per bit of p, and one product per
/// five bits. Constant time, and slower than [`PrimeField::invert`].
pub fn fermat_inverse<F: PrimeField>(field: F, a: &F::Element) -> F::Element {
    let mut exponent = field.modulus();
    let mut borrow = 2;
    for limb in exponent.as_mut() {
        let (difference, below) = limb.overflowing_sub(borrow);
        (*limb, borrow) = (difference, u64::from(below));
    }
    power(field, a, exponent.as_ref())
}

/// The Legendre symbol of `a` as `a^((p - 1) / 2)` (Euler): 0 for zero, 1 for the square of another
/// element, otherwise -1. Constant time, and slower than [`PrimeField::legendre`].
pub fn euler_symbol<F: PrimeField>(field: F, a: &F::Element) -> i32 {
    let mut exponent = field.modulus();
    shift_right(exponent.as_mut(), 1);
    let power = power(field, a, exponent.as_ref());
    let [is_one, is_zero] = [field.equal(&power, &field.one()), field.is_zero(&power)];
    2 * i32::from(is_one) + i32::from(is_zero) - 1
}
