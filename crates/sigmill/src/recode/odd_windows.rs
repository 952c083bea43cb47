//! Windows with odd digits only. No digit is zero, so every scalar needs the same additions.

use zeroize::Zeroizing;

use crate::ct;
use crate::field::Limbs;
use crate::limbs::{self, subtract_with_borrow};

/// The number of odd digits of `window` bits of an integer of `bits` bits.
pub const fn odd_digits(bits: u32, window: u32) -> u32 {
    bits.div_ceil(window)
}

/// Digit `index` of an odd integer k, one of -2^window + 1, ... -3, -1, 1, 3, ... 2^window - 1.
///
/// k, little-endian in limbs, is the sum of digit_i 2^(window i) over `count` digits; the highest
/// digit is positive. With k_i = (k >> window i) | 1, the highest digit is k_i itself, and any
/// other digit is (k_i mod 2^(window + 1)) - 2^window. The rest, (k_i - digit) / 2^window, is
/// 2 (k >> window (i + 1) + 1) + 1 = k_(i+1) (M. Joye, M. Tunstall, "Exponent recoding and regular
/// exponentiation algorithms", Africacrypt 2009, algorithm 6). `window` is 1 to 30. Constant time.
#[inline(always)]
pub fn odd_digit(k: &[u64], window: u32, index: u32, count: u32) -> i32 {
    debug_assert!(k[0] & 1 == 1 && index < count);
    let start = window * index;
    if index + 1 == count {
        (limbs::bits(k, start, window) | 1) as i32
    } else {
        (limbs::bits(k, start, window + 1) | 1) as i32 - (1 << window)
    }
}

/// k if it is odd, otherwise n - k, for an odd n above k; and a mask that shows whether it was
/// even.
///
/// (n - k) P = -(k P). Constant time.
#[inline(always)]
pub fn make_odd<I: Limbs>(k: &I, n: &I) -> (Zeroizing<I>, u64) {
    let even = ct::barrier((k.as_ref()[0] & 1).wrapping_sub(1));
    let mut odd = Zeroizing::new(*k);
    let mut borrow = 0;
    for (limb, &n) in (*odd).as_mut().iter_mut().zip(n.as_ref()) {
        let difference;
        (difference, borrow) = subtract_with_borrow(n, *limb, borrow);
        *limb ^= even & (*limb ^ difference);
    }
    debug_assert!(borrow == 0, "k is below n");
    (odd, even)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_odd_bounded_and_sum_to_the_integer() {
        for bits in 1..=13 {
            for window in 1..=8 {
                for k in (1..1u64 << bits).step_by(2) {
                    let count = odd_digits(bits, window);
                    let mut sum = 0i64;
                    for i in 0..count {
                        let digit = odd_digit(&[k], window, i, count);
                        assert!(digit & 1 == 1 && digit.unsigned_abs() < 1 << window);
                        sum += i64::from(digit) << (window * i);
                    }
                    assert_eq!(sum, k as i64);
                }
            }
        }
    }

    #[test]
    fn even_integers_are_taken_from_the_modulus() {
        for n in [3u64, 5, 23, 211, u64::MAX] {
            for k in (1..n).take(250).chain((1..n).rev().take(250)) {
                let (odd, even) = make_odd(&[k], &[n]);
                assert_eq!(even, if k % 2 == 0 { u64::MAX } else { 0 });
                assert_eq!(*odd, [if k % 2 == 0 { n - k } else { k }]);
            }
        }
        let (odd, _) = make_odd(&[2, 0], &[1, 5]);
        assert_eq!(*odd, [u64::MAX, 4]);
    }
}
