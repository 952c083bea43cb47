//! Variable-time inversion by the binary GCD on approximations (Pornin, *Optimized binary GCD for
//! modular inversion*, 2020), 62 steps at a time, with the zeros of a skipped.
//!
//! State: a and b, b odd, both not negative, and d, e with d y = b, e y = a (mod p) for the operand
//! y. A step is, for odd a: (a, b) <- (|a - b|, min(a, b)); then, a being even, a <- a / 2.
//!
//! 62 steps depend on the low 62 bits of a and b, and, through the comparisons, on their highest
//! bits. Both are cut out into one word each; the steps are collected in a matrix and applied to
//! the long integers at once. A comparison of the highest bits can be wrong for values that nearly
//! agree: then a or b comes out negative and changes its sign, with its row of the matrix. So the
//! result is right whatever the approximations say; they decide about progress only.
//!
//! Progress: the words of the highest 64 bits lose a bit of their lengths' sum at each step, and
//! differ from the exact values by less than one unit for each step. So a round takes at least 62
//! - 6 bits from the sum of the lengths of a and b (until they fit in a word, when the words are
//!   exact), and 2 len(p) / 56 + 2 rounds end it: 12 for 256 bits; on average it takes 6.

use super::Modulus;
#[cfg(target_arch = "x86_64")]
use super::invert_vartime_x86::sixty_two_steps;
use super::modulus::inverse_mod_2_64;

/// Bits of a limb of a signed integer; the top limb holds the sign.
pub(super) const BITS: u32 = 62;
const MASK: i64 = (1 << BITS) - 1;

/// The most limbs of 62 bits: enough for nine of 64 (521 bits) and two bits to spare.
const MOST: usize = 10;

/// A signed integer: the sum of `limbs[i] 2^(62 i)`, every limb but the highest in 0 .. 2^62.
type Signed = [i64; MOST];

/// The 62 steps of a round: b' = (u b + v a) / 2^62, a' = (q b + r a) / 2^62.
///
/// |u| + |v| <= 2^62 and |q| + |r| <= 2^62: a difference at most doubles the sums, and a halving
/// follows it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Steps {
    pub(super) u: i64,
    pub(super) v: i64,
    pub(super) q: i64,
    pub(super) r: i64,
}

/// The inverse of an integer below p, below p; `None` for zero.
///
/// About six rounds for 256 bits. The time depends on the value.
pub(super) fn invert<M: Modulus<N>, const N: usize>(y: &[u64; N]) -> Option<[u64; N]> {
    // Two bits above the value: one for the sign, one for sums.
    let limbs = const { (64 * N).div_ceil(BITS as usize) };
    const {
        let limbs = (64 * N).div_ceil(BITS as usize);
        assert!(64 * N + 2 <= 62 * limbs && limbs <= MOST);
    }
    let p: Signed = const { to_signed(&M::MODULUS) };
    let p_inverse = const { inverse_mod_2_64(M::MODULUS[0]) as i64 & MASK };

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
        let mut steps = sixty_two_steps((a_high, a[0] as u64), (b_high, b[0] as u64));
        update_b_a(&mut b, &mut a, &steps, length);
        if b[length - 1] < 0 {
            negate(&mut b, length);
            (steps.u, steps.v) = (-steps.u, -steps.v);
        }
        if a[length - 1] < 0 {
            negate(&mut a, length);
            (steps.q, steps.r) = (-steps.q, -steps.r);
        }
        update_d_e(&mut d, &mut e, &steps, &p, p_inverse, limbs);
        rounds += 1;
        debug_assert!(rounds <= 2 * 64 * N / 56 + 2);
        if a[..length].iter().all(|&limb| limb == 0) {
            break;
        }
    }
    // p is prime, so b = gcd(y, p) = 1, and d y = b.
    debug_assert!(b[0] == 1 && b[1..length].iter().all(|&limb| limb == 0));
    let d = normalize(&d, &p, limbs);
    let mut inverse = [0; N];
    for (i, &limb) in d.iter().enumerate() {
        let (start, shift) = (62 * i / 64, 62 * i % 64);
        if start < N {
            inverse[start] |= (limb as u64) << shift;
        }
        if shift > 2 && start + 1 < N {
            inverse[start + 1] |= limb as u64 >> (64 - shift);
        }
    }
    Some(inverse)
}

/// Cuts 64-bit limbs into 62-bit ones.
const fn to_signed<const N: usize>(a: &[u64; N]) -> Signed {
    let mut limbs = [0; MOST];
    let mut i = 0;
    while i < MOST && 62 * i < 64 * N {
        let (start, shift) = (62 * i / 64, 62 * i % 64);
        let mut limb = a[start] >> shift;
        if shift > 2 && start + 1 < N {
            limb |= a[start + 1] << (64 - shift);
        }
        limbs[i] = limb as i64 & MASK;
        i += 1;
    }
    limbs
}

/// How many limbs the longer of a and b has, at most `length` and at least one.
#[inline(always)]
fn shorten(a: &Signed, b: &Signed, mut length: usize) -> usize {
    while length > 1 && a[length - 1] | b[length - 1] == 0 {
        length -= 1;
    }
    length
}

/// The highest 64 bits of a and b, cut at the length of the longer; shorter values as they are.
#[inline(always)]
fn highest_bits(a: &Signed, b: &Signed, length: usize) -> (u64, u64) {
    let [above, below] = match length {
        1 => return (a[0] as u64, b[0] as u64),
        _ => [length - 1, length - 2],
    };
    // At most 124 bits; `zeros` is at least 2, and at most 63 as the longer has a bit there.
    let zeros = (a[above] | b[above]).leading_zeros();
    let cut = |x: &Signed| {
        let bits = (x[above] as u128) << BITS | x[below] as u128;
        ((bits << (zeros + 2)) >> 64) as u64
    };
    (cut(a), cut(b))
}

/// 62 steps on a and b (odd), given by their highest 64 bits and their low 62 bits.
///
/// Which of a and b is smaller is a coin toss that no branch predictor wins, so the exchange is
/// done with a mask: for each pair of values, from x - y and the mask, |x - y| and the smaller.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn sixty_two_steps_portable(
    (mut a_high, mut a): (u64, u64),
    (mut b_high, mut b): (u64, u64),
) -> Steps {
    let (mut u, mut v, mut q, mut r) = (1u64, 0u64, 0u64, 1u64);
    let mut left = BITS;
    loop {
        // The bit at `left` ends the count where the known bits of a do.
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
    Steps {
        u: u as i64,
        v: v as i64,
        q: q as i64,
        r: r as i64,
    }
}

/// (x - y, y), or (y - x, x) where the mask is set.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn difference_and_smaller(x: u64, y: u64, mask: u64) -> (u64, u64) {
    let difference = x.wrapping_sub(y);
    (
        (difference ^ mask).wrapping_sub(mask),
        y.wrapping_add(difference & mask),
    )
}

/// d, e <- (u d + v e) / 2^62, (q d + r e) / 2^62 mod p.
///
/// On input and on output d and e are in (-2p, p): with d, e and the multiples of p added to make
/// the sums divisible in the range, |u| + |v| <= 2^62 keeps the quotients in it.
#[inline(always)]
fn update_d_e(
    d: &mut Signed,
    e: &mut Signed,
    steps: &Steps,
    p: &Signed,
    p_inverse: i64,
    limbs: usize,
) {
    let &Steps { u, v, q, r } = steps;
    let (d_sign, e_sign) = (d[limbs - 1] >> 63, e[limbs - 1] >> 63);
    // Adding p to negative inputs first keeps the range symmetric enough.
    let mut d_multiple = (u & d_sign) + (v & e_sign);
    let mut e_multiple = (q & d_sign) + (r & e_sign);
    let mut d_sum = product(u, d[0]) + product(v, e[0]);
    let mut e_sum = product(q, d[0]) + product(r, e[0]);
    // The multiple of p that clears the low 62 bits.
    d_multiple -= p_inverse
        .wrapping_mul(d_sum as i64)
        .wrapping_add(d_multiple)
        & MASK;
    e_multiple -= p_inverse
        .wrapping_mul(e_sum as i64)
        .wrapping_add(e_multiple)
        & MASK;
    d_sum += product(p[0], d_multiple);
    e_sum += product(p[0], e_multiple);
    debug_assert!(d_sum as i64 & MASK == 0 && e_sum as i64 & MASK == 0);
    d_sum >>= BITS;
    e_sum >>= BITS;
    for i in 1..limbs {
        d_sum += product(u, d[i]) + product(v, e[i]) + product(p[i], d_multiple);
        e_sum += product(q, d[i]) + product(r, e[i]) + product(p[i], e_multiple);
        d[i - 1] = d_sum as i64 & MASK;
        e[i - 1] = e_sum as i64 & MASK;
        d_sum >>= BITS;
        e_sum >>= BITS;
    }
    d[limbs - 1] = d_sum as i64;
    e[limbs - 1] = e_sum as i64;
}

/// b, a <- (u b + v a) / 2^62, (q b + r a) / 2^62: exact divisions.
#[inline(always)]
fn update_b_a(b: &mut Signed, a: &mut Signed, steps: &Steps, length: usize) {
    let &Steps { u, v, q, r } = steps;
    let mut b_sum = product(u, b[0]) + product(v, a[0]);
    let mut a_sum = product(q, b[0]) + product(r, a[0]);
    debug_assert!(b_sum as i64 & MASK == 0 && a_sum as i64 & MASK == 0);
    b_sum >>= BITS;
    a_sum >>= BITS;
    for i in 1..length {
        b_sum += product(u, b[i]) + product(v, a[i]);
        a_sum += product(q, b[i]) + product(r, a[i]);
        b[i - 1] = b_sum as i64 & MASK;
        a[i - 1] = a_sum as i64 & MASK;
        b_sum >>= BITS;
        a_sum >>= BITS;
    }
    b[length - 1] = b_sum as i64;
    a[length - 1] = a_sum as i64;
}

/// x <- -x, for negative x.
fn negate(x: &mut Signed, length: usize) {
    let mut carry = 0;
    for limb in &mut x[..length - 1] {
        carry -= *limb;
        *limb = carry & MASK;
        carry >>= BITS;
    }
    x[length - 1] = carry - x[length - 1];
}

/// Takes d in (-2p, p) to 0 .. p.
fn normalize(d: &Signed, p: &Signed, limbs: usize) -> Signed {
    let mut result = *d;
    for _ in 0..2 {
        let mask = result[limbs - 1] >> 63;
        let mut carry = 0;
        for i in 0..limbs - 1 {
            carry += result[i] + (p[i] & mask);
            result[i] = carry & MASK;
            carry >>= BITS;
        }
        result[limbs - 1] += carry + (p[limbs - 1] & mask);
    }
    debug_assert!(result[limbs - 1] >= 0);
    result
}

#[inline(always)]
fn product(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}

#[cfg(not(target_arch = "x86_64"))]
use sixty_two_steps_portable as sixty_two_steps;

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// The two forms of the inner loop on words of every kind: zeros, ones, equal ones, random ones.
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
