//! Variable-time inversion by the binary GCD on approximations (Pornin, *Optimized binary GCD for
//! modular inversion*, 2020), 62 steps at a time. The zeros of a are skipped.
//!
//! State: a and b, with b odd and both not negative; d and e with d y = b, e y = a (mod p) for the
//! operand y. A step is, for odd a: (a, b) <- (|a - b|, min(a, b)); then, as a is even, a <- a / 2.
//!
//! 62 steps depend on the low 62 bits of a and b and, through the comparisons, on their highest
//! bits. Both parts are extracted into one word each. The steps are collected in a matrix and
//! applied to the long integers at once. A comparison of the highest bits can be wrong for values
//! that nearly agree. Then a or b becomes negative and changes its sign, with its row of the
//! matrix. So the result is correct for any approximation; approximations affect only the progress.
//!
//! Progress: the words of the highest 64 bits lose one bit of the sum of their lengths at each
//! step, and differ from the exact values by less than one unit for each step. So a round removes
//! at least 62 - 6 bits from the sum of the lengths of a and b, until they fit in a word and the
//! words are exact. The inversion ends after at most 2 len(p) / 56 + 2 rounds: 11 for 256 bits. On
//! average it needs 6.

#[cfg(target_arch = "x86_64")]
use super::one_vartime_x86::sixty_two_steps;
#[cfg(any(test, not(target_arch = "x86_64")))]
use super::signed_62::Matrix;
use super::signed_62::{
    BITS, MASK, MOST, Signed, combine_modulo, from_signed, limbs, negate_if, normalize, to_signed,
    update_b_a,
};
use crate::field::Modulus;

/// The inverse of an integer below p, below p; `None` for zero.
///
/// About six rounds for 256 bits. The time depends on the value.
pub(in crate::field) fn invert<const N: usize>(
    modulus: &Modulus<N>,
    y: &[u64; N],
) -> Option<[u64; N]> {
    let limbs = const { limbs(N) };
    let p = to_signed(modulus.prime());
    let p_inverse = modulus.negated_inverse().wrapping_neg() as i64 & MASK;

    let mut b = p;
    let mut a = to_signed(y);
    if a == [0; MOST] {
        return None;
    }
    let mut d: Signed = [0; MOST];
    let mut e: Signed = [0; MOST];
    e[0] = 1;
    let mut length = limbs;
    let mut rounds = 0;
    loop {
        length = shorten(&a, &b, length);
        let (a_high, b_high) = highest_bits(&a, &b, length);
        let mut matrix = sixty_two_steps((a_high, a[0] as u64), (b_high, b[0] as u64));
        update_b_a(&mut b, &mut a, &matrix, length);
        if b[length - 1] < 0 {
            negate_if(&mut b, -1, length);
            (matrix.u, matrix.v) = (-matrix.u, -matrix.v);
        }
        if a[length - 1] < 0 {
            negate_if(&mut a, -1, length);
            (matrix.q, matrix.r) = (-matrix.q, -matrix.r);
        }
        let combine = |row| combine_modulo(row, (&d, &e), &p, p_inverse, limbs);
        (d, e) = (combine((matrix.u, matrix.v)), combine((matrix.q, matrix.r)));
        rounds += 1;
        debug_assert!(rounds <= 2 * 64 * N / 56 + 2);
        if a[..length].iter().all(|&limb| limb == 0) {
            break;
        }
    }
    // p is prime, so b = gcd(y, p) = 1, and d y = b.
    debug_assert!(b[0] == 1 && b[1..length].iter().all(|&limb| limb == 0));
    Some(from_signed(&normalize(&d, 0, &p, limbs)))
}

/// The number of limbs of the longer of a and b: at most `length` and at least one.
#[inline(always)]
fn shorten(a: &Signed, b: &Signed, mut length: usize) -> usize {
    while length > 1 && a[length - 1] | b[length - 1] == 0 {
        length -= 1;
    }
    length
}

/// The highest 64 bits of a and b, truncated at the length of the longer. Shorter values stay
/// whole.
#[inline(always)]
fn highest_bits(a: &Signed, b: &Signed, length: usize) -> (u64, u64) {
    let [above, below] = match length {
        1 => return (a[0] as u64, b[0] as u64),
        _ => [length - 1, length - 2],
    };
    // At most 124 bits. `zeros` is at least 2, and at most 63 because the longer value has a bit
    // there.
    let zeros = (a[above] | b[above]).leading_zeros();
    let cut = |x: &Signed| {
        let bits = (x[above] as u128) << BITS | x[below] as u128;
        ((bits << (zeros + 2)) >> 64) as u64
    };
    (cut(a), cut(b))
}

/// 62 steps on a and b (odd), given by their highest 64 bits and their low 62 bits.
///
/// No branch predictor can guess which of a and b is smaller. So the exchange uses a mask: for each
/// pair of values, x - y and the mask yield |x - y| and the smaller value.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn sixty_two_steps_portable(
    (mut a_high, mut a): (u64, u64),
    (mut b_high, mut b): (u64, u64),
) -> Matrix {
    let (mut u, mut v, mut q, mut r) = (1u64, 0u64, 0u64, 1u64);
    let mut left = BITS;
    loop {
        // The bit at `left` stops the count where the known bits of a end.
        let zeros = (a | 1 << left).trailing_zeros();
        a >>= zeros;
        a_high >>= zeros;
        u <<= zeros;
        v <<= zeros;
        left -= zeros;
        if left == 0 {
            break;
        }
        debug_assert!(a & b & 1 == 1);
        let (difference, less) = a_high.overflowing_sub(b_high);
        let mask = u64::from(less).wrapping_neg();
        b_high = b_high.wrapping_add(difference & mask);
        a_high = (difference ^ mask).wrapping_sub(mask);
        (a, b) = difference_and_smaller(a, b, mask);
        (q, u) = difference_and_smaller(q, u, mask);
        (r, v) = difference_and_smaller(r, v, mask);
    }
    Matrix {
        u: u as i64,
        v: v as i64,
        q: q as i64,
        r: r as i64,
    }
}

/// Returns (x - y, y), or (y - x, x) if the mask is set.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn difference_and_smaller(x: u64, y: u64, mask: u64) -> (u64, u64) {
    let difference = x.wrapping_sub(y);
    (
        (difference ^ mask).wrapping_sub(mask),
        y.wrapping_add(difference & mask),
    )
}

#[cfg(not(target_arch = "x86_64"))]
use sixty_two_steps_portable as sixty_two_steps;

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// Both forms of the inner loop agree on every kind of words: zeros, ones, equal words, random
    /// words.
    #[test]
    fn both_inner_loops_take_the_same_steps() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            state ^ state >> 29
        };
        let edges = [0, 1, 2, MASK as u64, 1 << 61, 3 << 60, u64::MAX >> 1];
        for i in 0..20_000 {
            let mut word = |j: usize| match (i >> (2 * j)) % 4 {
                0 => edges[i % edges.len()],
                1 => random() >> (i % 64),
                _ => random(),
            };
            let a = (word(0), word(1) & MASK as u64);
            let b = (word(2), (word(3) | 1) & MASK as u64);
            assert_eq!(
                sixty_two_steps(a, b),
                sixty_two_steps_portable(a, b),
                "a {a:x?}, b {b:x?}"
            );
        }
    }
}
