//! Variable-time inversion by divisions steps (Bernstein and Yang, *Fast constant-time gcd
//! computation and modular inversion*, 2019), 62 at a time, with the zeros of g skipped.
//!
//! State: f odd, g, and d, e with d a = f, e a = g (mod p) up to the common factor 2^-62 of each
//! round. A division step with eta = -delta maps
//!
//! - g odd and eta < 0: (eta, f, g) -> (-eta - 1, g, (g - f) / 2),
//! - g odd:             (eta, f, g) -> (eta - 1, f, (g + f) / 2),
//! - g even:            (eta, f, g) -> (eta - 1, f, g / 2).
//!
//! 62 steps depend on the low 62 bits of f and g only; they are collected in a matrix and applied
//! to the long integers at once. Runs of even g cost one count of trailing zeros, and after a
//! swap several low bits of g are cleared by one multiple of f. The end is g = 0, f = +-gcd.

use super::Modulus;
use super::modulus::inverse_mod_2_64;

/// Bits of a limb of a signed integer; the top limb holds the sign.
const BITS: u32 = 62;
const MASK: i64 = (1 << BITS) - 1;

/// The most limbs of 62 bits: enough for nine of 64 (521 bits) and two bits to spare.
const MOST: usize = 10;

/// A signed integer: the sum of `limbs[i] 2^(62 i)`, every limb but the highest in 0 .. 2^62.
type Signed = [i64; MOST];

/// The 62 steps of a round: f' = (u f + v g) / 2^62, g' = (q f + r g) / 2^62.
///
/// |u| + |v| <= 2^62 and |q| + |r| <= 2^62.
struct Steps {
    u: i64,
    v: i64,
    q: i64,
    r: i64,
}

/// The inverse of an integer below p, below p; `None` for zero.
///
/// About ten rounds for 256 bits. The time depends on the value.
pub(super) fn invert<M: Modulus<N>, const N: usize>(a: &[u64; N]) -> Option<[u64; N]> {
    // Two bits above the value: one for the sign, one for sums.
    let limbs = const { (64 * N).div_ceil(BITS as usize) };
    const {
        let limbs = (64 * N).div_ceil(BITS as usize);
        assert!(64 * N + 2 <= 62 * limbs && limbs <= MOST);
    }
    let p: Signed = const { to_signed(&M::MODULUS) };
    let p_inverse = const { inverse_mod_2_64(M::MODULUS[0]) as i64 & MASK };

    let mut f = p;
    let mut g = to_signed(a);
    if g == [0; MOST] {
        return None;
    }
    let mut d: Signed = [0; MOST];
    let mut e: Signed = [0; MOST];
    e[0] = 1;
    let mut eta = -1;
    let mut length = limbs;
    while g[..length].iter().any(|&limb| limb != 0) {
        let steps;
        (eta, steps) = sixty_two_steps(eta, f[0] as u64, g[0] as u64);
        update_d_e(&mut d, &mut e, &steps, &p, p_inverse, limbs);
        update_f_g(&mut f, &mut g, &steps, length);
        length = shorten(&mut f, &mut g, length);
    }
    // p is prime, so f = gcd(a, p) = +-1, and d a = f.
    let f_sign = f[length - 1] >> 63;
    debug_assert!(
        f[0] == if f_sign == 0 {
            1
        } else if length == 1 {
            -1
        } else {
            MASK
        }
    );
    let d = normalize(&d, f_sign, &p, limbs);
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

/// 62 division steps on the low bits of f (odd) and g.
///
/// After a swap eta + 1 steps must pass before the next one, so as many low bits of g (six or four
/// at a time, where the inverse of f is a short polynomial) are cleared by one multiple of f.
#[inline(always)]
fn sixty_two_steps(mut eta: i64, mut f: u64, mut g: u64) -> (i64, Steps) {
    let (mut u, mut v, mut q, mut r) = (1u64, 0u64, 0u64, 1u64);
    let mut left = BITS;
    loop {
        let zeros = (g | u64::MAX << left).trailing_zeros();
        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        eta -= i64::from(zeros);
        left -= zeros;
        if left == 0 {
            break;
        }
        debug_assert!(f & 1 == 1 && g & 1 == 1);
        let swap = eta < 0;
        if swap {
            eta = -eta;
            (f, g) = (g, f.wrapping_neg());
            (u, q) = (q, u.wrapping_neg());
            (v, r) = (r, v.wrapping_neg());
        }
        let limit = (eta + 1).min(i64::from(left)) as u32;
        // 1 <= limit <= 62.
        let mask = u64::MAX.wrapping_shr(64 - limit);
        let w = if swap {
            // f (2 - f^2) is the inverse of f modulo 64, as f^2 = 1 mod 8.
            f.wrapping_mul(g)
                .wrapping_mul(f.wrapping_mul(f).wrapping_sub(2))
                & mask
                & 63
        } else {
            // f, with bit 3 flipped where bits 2 and 1 say so, is its own inverse modulo 16.
            let inverse = f.wrapping_add((f.wrapping_add(1) & 4) << 1);
            inverse.wrapping_neg().wrapping_mul(g) & mask & 15
        };
        g = g.wrapping_add(f.wrapping_mul(w));
        q = q.wrapping_add(u.wrapping_mul(w));
        r = r.wrapping_add(v.wrapping_mul(w));
        debug_assert!(g & mask & if swap { 63 } else { 15 } == 0);
    }
    (
        eta,
        Steps {
            u: u as i64,
            v: v as i64,
            q: q as i64,
            r: r as i64,
        },
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

/// f, g <- (u f + v g) / 2^62, (q f + r g) / 2^62: exact divisions.
#[inline(always)]
fn update_f_g(f: &mut Signed, g: &mut Signed, steps: &Steps, length: usize) {
    let &Steps { u, v, q, r } = steps;
    let mut f_sum = product(u, f[0]) + product(v, g[0]);
    let mut g_sum = product(q, f[0]) + product(r, g[0]);
    debug_assert!(f_sum as i64 & MASK == 0 && g_sum as i64 & MASK == 0);
    f_sum >>= BITS;
    g_sum >>= BITS;
    for i in 1..length {
        f_sum += product(u, f[i]) + product(v, g[i]);
        g_sum += product(q, f[i]) + product(r, g[i]);
        f[i - 1] = f_sum as i64 & MASK;
        g[i - 1] = g_sum as i64 & MASK;
        f_sum >>= BITS;
        g_sum >>= BITS;
    }
    f[length - 1] = f_sum as i64;
    g[length - 1] = g_sum as i64;
}

/// Drops the highest limb when it is but the sign of both f and g.
#[inline(always)]
fn shorten(f: &mut Signed, g: &mut Signed, length: usize) -> usize {
    let (f_top, g_top) = (f[length - 1], g[length - 1]);
    if length > 1 && f_top == f_top >> 63 && g_top == g_top >> 63 {
        f[length - 2] |= f_top << BITS;
        g[length - 2] |= g_top << BITS;
        return length - 1;
    }
    length
}

/// Takes d in (-2p, p) to d or -d (as `sign` is 0 or -1) in 0 .. p.
fn normalize(d: &Signed, sign: i64, p: &Signed, limbs: usize) -> Signed {
    let mut result = *d;
    let add_if_negative = |a: &mut Signed| {
        let mask = a[limbs - 1] >> 63;
        for i in 0..limbs {
            a[i] += p[i] & mask;
        }
    };
    let carry = |a: &mut Signed| {
        for i in 1..limbs {
            a[i] += a[i - 1] >> BITS;
            a[i - 1] &= MASK;
        }
    };
    add_if_negative(&mut result);
    for limb in &mut result {
        *limb = (*limb ^ sign) - sign;
    }
    carry(&mut result);
    add_if_negative(&mut result);
    carry(&mut result);
    debug_assert!(result[limbs - 1] >= 0);
    result
}

#[inline(always)]
fn product(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}
