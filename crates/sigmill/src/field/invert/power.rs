//! Powers with a public exponent.

use crate::field::Field;
use crate::limbs;

/// The longest window of the sliding-window exponentiation, in bits.
const WINDOW: usize = 5;

/// `base^exponent` by sliding windows over the bits of a public exponent.
///
/// About one squaring a bit, one product a window of up to five bits, and 16 products for the odd
/// powers. The time depends on the exponent only.
#[inline(never)]
pub(super) fn power<F: Field>(field: F, base: &F::Element, exponent: &[u64]) -> F::Element {
    let [result] = powers(field, &[*base], exponent);
    result
}

/// [`power`] of several bases side by side, so that a product need not wait for the one before.
#[inline(always)]
pub(super) fn powers<F: Field, const N: usize>(
    field: F,
    bases: &[F::Element; N],
    exponent: &[u64],
) -> [F::Element; N] {
    let mut squares = *bases;
    square_each(field, &mut squares);
    let mut odd_powers = [*bases; 1 << (WINDOW - 1)];
    for i in 1..odd_powers.len() {
        odd_powers[i] = odd_powers[i - 1];
        multiply_each(field, &mut odd_powers[i], &squares);
    }
    let bit = |i: usize| exponent[i / 64] >> (i % 64) & 1;
    let mut results = [field.one(); N];
    let mut top = 64 * exponent.len();
    while top > 0 {
        if bit(top - 1) == 0 {
            square_each(field, &mut results);
            top -= 1;
            continue;
        }
        // The window is top-1 down to bottom, and ends in a one.
        let mut bottom = top.saturating_sub(WINDOW);
        while bit(bottom) == 0 {
            bottom += 1;
        }
        for _ in bottom..top {
            square_each(field, &mut results);
        }
        let window = limbs::bits(exponent, bottom as u32, (top - bottom) as u32);
        multiply_each(field, &mut results, &odd_powers[window as usize / 2]);
        top = bottom;
    }
    results
}

#[inline(always)]
fn square_each<F: Field, const N: usize>(field: F, values: &mut [F::Element; N]) {
    for value in values {
        *value = field.square(value);
    }
}

#[inline(always)]
fn multiply_each<F: Field, const N: usize>(
    field: F,
    values: &mut [F::Element; N],
    factors: &[F::Element; N],
) {
    for (value, factor) in values.iter_mut().zip(factors) {
        *value = field.mul(value, factor);
    }
}

/// Shifts right in place by any number of bits.
pub(super) fn shift_right(integer: &mut [u64], mut bits: u32) {
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
