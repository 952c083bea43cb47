//! Booth's signed windows (A. D. Booth, 1951): every digit depends only on its own bits.

use crate::limbs;

/// The number of Booth digits of `window` bits of an integer of `bits` bits.
///
/// The digits must hold one bit more than the integer, because the highest digit receives the
/// carry: an integer of 256 bits has 37 digits of 7 bits, but 33 of 8 bits.
pub const fn booth_digits(bits: u32, window: u32) -> u32 {
    (bits + 1).div_ceil(window)
}

/// Digit `index` of an integer, in -2^(window-1) ..= 2^(window-1).
///
/// The integer, little-endian in limbs, is the sum of digit_i 2^(window i) over all
/// [`booth_digits`]. The digit is computed from the window's bits and the bit below them. `window`
/// is 1 to 31. Constant time.
#[inline(always)]
pub fn booth_digit(limbs: &[u64], window: u32, index: u32) -> i32 {
    let start = window * index;
    let bits = if start == 0 {
        limbs::bits(limbs, 0, window) << 1
    } else {
        limbs::bits(limbs, start - 1, window + 1)
    };
    // The window's value plus the bit below, minus 2^window if the window's top bit is set.
    let value = bits.div_ceil(2) as i32;
    value - (((bits >> window) as i32) << window)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_sum_to_the_integer_for_every_window() {
        for bits in 1..=14 {
            for window in 1..=11 {
                for k in 0..1u64 << bits {
                    let mut sum = 0i64;
                    for i in 0..booth_digits(bits, window) {
                        let digit = booth_digit(&[k], window, i);
                        assert!(digit.unsigned_abs() <= 1 << (window - 1));
                        sum += i64::from(digit) << (window * i);
                    }
                    assert_eq!(sum, k as i64);
                }
            }
        }
    }

    #[test]
    fn windows_cross_limbs() {
        // Compare the sum of the digits with the integer, modulo 2^64 and modulo 2^61 - 1.
        let modulus = (1i128 << 61) - 1;
        for k in [
            [u64::MAX; 4],
            [0x8000_0000_0000_0000; 4],
            [0x0123_4567_89ab_cdef; 4],
            [0, u64::MAX, 0, 1],
        ] {
            for window in 1..=11 {
                let (mut sum, mut power) = (0i128, 1i128);
                for i in 0..booth_digits(256, window) {
                    sum =
                        (sum + i128::from(booth_digit(&k, window, i)) * power).rem_euclid(modulus);
                    power = (power << window) % modulus;
                }
                let expected = k.iter().rev().fold(0, |acc, &limb| {
                    ((acc << 64) % modulus + i128::from(limb)) % modulus
                });
                assert_eq!(sum, expected, "window {window}");
            }
        }
    }
}
