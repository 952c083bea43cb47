//! Inverses modulo the prime of P-256 as powers, by the addition chain of Gueron and Krasnov (*Fast
//! prime field elliptic-curve cryptography with 256-bit primes*, §6). Compiled only for comparison
//! with [`PrimeField::invert`](crate::field::PrimeField::invert).

use crate::field::Field;

/// `a^(2^count)`.
#[inline(always)]
fn squares<F: Field>(field: F, a: &F::Element, count: u32) -> F::Element {
    (0..count).fold(*a, |a, _| field.square(&a))
}

/// `a` to the power (p - 3) / 4: 253 squarings and 12 products. The bits of the exponent are those
/// of p - 2 and of p - 3 without the last two.
#[inline(always)]
fn common<F: Field>(field: F, a: &F::Element) -> F::Element {
    let mul = |a: &_, b: &_| field.mul(a, b);
    // power_n is a to the power 2^n - 1.
    let power_2 = mul(&field.square(a), a);
    let power_4 = mul(&squares(field, &power_2, 2), &power_2);
    let power_8 = mul(&squares(field, &power_4, 4), &power_4);
    let power_16 = mul(&squares(field, &power_8, 8), &power_8);
    let power_32 = mul(&squares(field, &power_16, 16), &power_16);
    // The words of p - 2, highest first: ffffffff 00000001 00000000 00000000 00000000 ffffffff
    // ffffffff fffffffd.
    let mut result = mul(&squares(field, &power_32, 32), a);
    result = mul(&squares(field, &result, 128), &power_32);
    result = mul(&squares(field, &result, 32), &power_32);
    result = mul(&squares(field, &result, 16), &power_16);
    result = mul(&squares(field, &result, 8), &power_8);
    result = mul(&squares(field, &result, 4), &power_4);
    mul(&squares(field, &result, 2), &power_2)
}

/// `1 / a` as `a^(p - 2)`, zero for zero: 255 squarings and 13 products. Constant time. `field`
/// must be a field modulo the prime of P-256.
pub fn fermat_inverse<F: Field>(field: F, a: &F::Element) -> F::Element {
    field.mul(&squares(field, &common(field, a), 2), a)
}

/// `1 / a^2` as `a^(p - 3)`, zero for zero: 255 squarings and 12 products. This is all that x = X /
/// Z^2 needs. Constant time. `field` must be a field modulo the prime of P-256.
pub fn fermat_inverse_square<F: Field>(field: F, a: &F::Element) -> F::Element {
    squares(field, &common(field, a), 2)
}
