//! Signed integers of 62-bit limbs, and the maps of 62 steps of an inversion. Both inversions, in
//! constant and in variable time, use them. Constant time unless the name says otherwise.

use crate::ct;
use crate::field::Limbs;

/// Number of bits of a limb of a signed integer. The top limb holds the sign.
pub(super) const BITS: u32 = 62;
pub(super) const MASK: i64 = (1 << BITS) - 1;

/// Largest number of limbs of 62 bits: enough for nine limbs of 64 (521 bits) plus two bits.
pub(super) const MOST: usize = 10;

/// A signed integer: the sum of `limbs[i] 2^(62 i)`, every limb but the highest in 0 .. 2^62.
pub(super) type Signed = [i64; MOST];

/// Number of limbs for integers of a field of `count` 64-bit limbs. One bit above the value is for
/// the sign, one for sums.
pub(super) const fn limbs(count: usize) -> usize {
    let limbs = (64 * count).div_ceil(BITS as usize);
    assert!(64 * count + 2 <= 62 * limbs && limbs <= MOST);
    limbs
}

/// The map of 62 steps: b' = (u b + v a) / 2^62, a' = (q b + r a) / 2^62.
///
/// |u| + |v| <= 2^62 and |q| + |r| <= 2^62: a sum or a difference at most doubles these sums, and
/// comes with a halving.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Matrix {
    pub(super) u: i64,
    pub(super) v: i64,
    pub(super) q: i64,
    pub(super) r: i64,
}

/// Splits 64-bit limbs into 62-bit limbs.
#[inline]
pub(super) const fn to_signed(a: &[u64]) -> Signed {
    let mut limbs = [0; MOST];
    let mut i = 0;
    while i < MOST && 62 * i < 64 * a.len() {
        let (start, shift) = (62 * i / 64, 62 * i % 64);
        let mut limb = a[start] >> shift;
        if shift > 2 && start + 1 < a.len() {
            limb |= a[start + 1] << (64 - shift);
        }
        limbs[i] = limb as i64 & MASK;
        i += 1;
    }
    limbs
}

/// Joins 62-bit limbs to 64-bit limbs. On input the value is not negative.
#[inline(always)]
pub(super) fn from_signed<I: Limbs>(a: &Signed) -> I {
    let mut integer = I::ZERO;
    let limbs = integer.as_mut();
    for (i, &limb) in a.iter().enumerate() {
        let (start, shift) = (62 * i / 64, 62 * i % 64);
        if start < I::COUNT {
            limbs[start] |= (limb as u64) << shift;
        }
        if shift > 2 && start + 1 < I::COUNT {
            limbs[start + 1] |= limb as u64 >> (64 - shift);
        }
    }
    integer
}

/// (u d + v e) / 2^62 mod p: a row of a map, applied to d and e.
///
/// On input d and e are in (-2p, p), and so is the output: with d, e and the multiples of p that
/// make the sum divisible in the range, |u| + |v| <= 2^62 keeps the quotient in it.
#[inline(always)]
pub(super) fn combine_modulo(
    (u, v): (i64, i64),
    (d, e): (&Signed, &Signed),
    p: &Signed,
    p_inverse: i64,
    limbs: usize,
) -> Signed {
    // Adding p to negative inputs first keeps the range symmetric enough.
    let mut multiple = (u & sign_mask(d[limbs - 1])) + (v & sign_mask(e[limbs - 1]));
    let mut sum = product(u, d[0]) + product(v, e[0]);
    // The multiple of p that clears the low 62 bits.
    multiple -= p_inverse.wrapping_mul(sum as i64).wrapping_add(multiple) & MASK;
    sum += product(p[0], multiple);
    debug_assert!(sum as i64 & MASK == 0);
    sum >>= BITS;
    let mut result = [0; MOST];
    for i in 1..limbs {
        sum += product(u, d[i]) + product(v, e[i]) + product(p[i], multiple);
        result[i - 1] = sum as i64 & MASK;
        sum >>= BITS;
    }
    result[limbs - 1] = sum as i64;
    result
}

/// All ones for negative words, otherwise 0. The compiler cannot turn this mask into a branch.
#[inline(always)]
pub(super) fn sign_mask(x: i64) -> i64 {
    ct::barrier((x >> 63) as u64) as i64
}

/// b, a <- (u b + v a) / 2^62, (q b + r a) / 2^62: exact divisions.
#[inline(always)]
pub(super) fn update_b_a(b: &mut Signed, a: &mut Signed, matrix: &Matrix, length: usize) {
    let &Matrix { u, v, q, r } = matrix;
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

/// x <- -x if `sign` is -1 and not 0.
#[inline(always)]
pub(super) fn negate_if(x: &mut Signed, sign: i64, length: usize) {
    let mut carry = 0;
    for (i, limb) in x[..length].iter_mut().enumerate() {
        carry += (*limb ^ sign) - sign;
        *limb = if i < length - 1 { carry & MASK } else { carry };
        carry >>= BITS;
    }
}

/// Reduces d in (-2p, p), or -d if `sign` is -1 and not 0, to 0 .. p.
#[inline(always)]
pub(super) fn normalize(d: &Signed, sign: i64, p: &Signed, limbs: usize) -> Signed {
    debug_assert!(sign == 0 || sign == -1);
    let mut result = *d;
    // First to (-p, p), where the sign is applied; then to 0 .. p.
    for sign in [sign, 0] {
        let mask = sign_mask(result[limbs - 1]);
        let mut carry = 0;
        for i in 0..limbs {
            let sum = result[i] + (p[i] & mask);
            carry += (sum ^ sign) - sign;
            result[i] = if i < limbs - 1 { carry & MASK } else { carry };
            carry >>= BITS;
        }
    }
    debug_assert!(result[limbs - 1] >= 0);
    result
}

#[inline(always)]
fn product(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}
