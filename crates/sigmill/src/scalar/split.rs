//! k = k1 + k2 lambda with k1 and k2 of half the length of k (Gallant, Lambert and Vanstone,
//! *Faster point multiplication on elliptic curves with efficient endomorphisms*, 2001).

use crate::ct;
use crate::field::Limbs;
use crate::limbs::{
    add, add_with_carry, bit_length_vartime, equal, less_than, multiply_accumulate,
    shift_right_one, subtract, subtract_with_borrow,
};

/// Largest number of limbs of an integer that is split.
const MOST_LIMBS: usize = 4;

/// The split of integers modulo an order n, for a root lambda of lambda^2 + lambda + 1 modulo n.
///
/// It is given by two positive integers a and b with n = a^2 + a b + b^2 and lambda = a / b modulo
/// n. The pairs (x, y) with x + y lambda = 0 modulo n are then the sums of multiples of (a, -b) and
/// (a + b, a), which are short (docs/endomorphism.md).
#[derive(Clone, Copy, Debug)]
pub struct Split<I> {
    a: I,
    b: I,
    /// round(2^(64 shift) a / n).
    a_by_n: I,
    /// round(2^(64 shift) b / n).
    b_by_n: I,
    /// Number of limbs that leaves room for these two, which are below 2^(64 shift) / sqrt(n).
    shift: usize,
    bits: u32,
}

/// One of the two parts of an integer, as a sign and an absolute value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Half<I> {
    /// The absolute value.
    pub magnitude: I,
    /// All ones if the part is below zero, otherwise 0.
    pub negative: u64,
}

impl<const N: usize> Split<[u64; N]> {
    /// Creates the split modulo n given by a and b. The rest is computed.
    ///
    /// # Panics
    /// If n is not a^2 + a b + b^2, or has too many limbs. In constants, this is an error at
    /// compile time.
    pub const fn new(n: &[u64; N], a: [u64; N], b: [u64; N]) -> Self {
        assert!(N <= MOST_LIMBS, "a longer order");
        let (a_squared, high_1) = product(&a, &a);
        let (mixed, high_2) = product(&a, &b);
        let (b_squared, high_3) = product(&b, &b);
        let (sum, carry_1) = add(&a_squared, &mixed);
        let (sum, carry_2) = add(&sum, &b_squared);
        assert!(
            high_1 | high_2 | high_3 | carry_1 | carry_2 == 0 && equal(&sum, n),
            "n is a^2 + a b + b^2"
        );
        let (sum, _) = add(&a, &b);
        let (sum, _) = add(&sum, &a);
        let (double, _) = add(&sum, &sum);
        let (triple, _) = add(&double, &sum);
        let shift = N + bit_length_vartime(n) as usize / 128;
        Self {
            a,
            b,
            a_by_n: quotient(&a, n, shift),
            b_by_n: quotient(&b, n, shift),
            shift,
            bits: bit_length_vartime(&shift_right_one(&triple, 0)) + 1,
        }
    }
}

impl<I: Limbs> Split<I> {
    /// The absolute values of both [`odd_halves`](Self::odd_halves), and those of
    /// [`halves`](Self::halves), are below 2 to this power: 130 for secp256k1.
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// k1 and k2 with k = k1 + k2 lambda modulo n, for k below n.
    ///
    /// |k1| is at most (2a + b) / 2 and |k2| at most (a + b) / 2, each plus less than 1: for
    /// secp256k1 both are below 2^128. About 48 word multiplications, no division. Constant time.
    #[inline(always)]
    pub fn halves(&self, k: &I) -> [Half<I>; 2] {
        let [k1, k2] = self.split(k);
        [absolute(k1), absolute(k2)]
    }

    /// Odd k1 and k2 with k = k1 + k2 lambda modulo n, for k below n. Adds to
    /// [`halves`](Self::halves) one of four sums: that of neither, one or both of the short
    /// vectors.
    ///
    /// The determinant of the two vectors, n, is odd. So exactly one of the four sums has the
    /// missing parities. |k1| is at most 3 (2a + b) / 2 and |k2| at most 3 (a + b) / 2, each plus
    /// less than 1. Constant time.
    #[inline(always)]
    pub fn odd_halves(&self, k: &I) -> [Half<I>; 2] {
        let [mut k1, mut k2] = self.split(k);
        let (a, b) = (&self.a, &self.b);
        let low = |i: &I| i.as_ref()[0];
        // The addend modulo 2, and the matrix (a, a + b; b, a) inverted modulo 2.
        let (d1, d2) = (!low(&k1), !low(&k2));
        let x = ct::barrier((((low(a) & d1) ^ ((low(a) ^ low(b)) & d2)) & 1).wrapping_neg());
        let y = ct::barrier((((low(b) & d1) ^ (low(a) & d2)) & 1).wrapping_neg());
        add_masked(&mut k1, a, x);
        add_masked(&mut k1, a, y);
        add_masked(&mut k1, b, y);
        subtract_masked(&mut k2, b, x);
        add_masked(&mut k2, a, y);
        let halves = [absolute(k1), absolute(k2)];
        debug_assert!(
            halves
                .iter()
                .all(|half| low(&half.magnitude) & 1 == 1 && fits(&half.magnitude, self.bits))
        );
        halves
    }

    /// k1 and k2 in two's complement: with c1 = round(a k / n) and c2 = round(b k / n),
    /// k1 = k - c1 a - c2 (a + b) and k2 = c1 b - c2 a.
    #[inline(always)]
    fn split(&self, k: &I) -> [I; 2] {
        let (a, b) = (&self.a, &self.b);
        let c1 = self.multiply_and_round(k, &self.a_by_n);
        let c2 = self.multiply_and_round(k, &self.b_by_n);
        let (mut k1, mut k2) = (*k, I::ZERO);
        let c2_a = half_product(&c2, a);
        subtract_masked(&mut k1, &half_product(&c1, a), u64::MAX);
        subtract_masked(&mut k1, &c2_a, u64::MAX);
        subtract_masked(&mut k1, &half_product(&c2, b), u64::MAX);
        add_masked(&mut k2, &half_product(&c1, b), u64::MAX);
        subtract_masked(&mut k2, &c2_a, u64::MAX);
        [k1, k2]
    }

    /// round(k factor / 2^(64 shift)).
    #[inline(always)]
    fn multiply_and_round(&self, k: &I, factor: &I) -> I {
        let (k, factor) = (k.as_ref(), factor.as_ref());
        let length = k.len();
        let mut t = [0; 2 * MOST_LIMBS];
        for i in 0..length {
            let mut carry = 0;
            for j in 0..length {
                (t[i + j], carry) = multiply_accumulate(t[i + j], k[i], factor[j], carry);
            }
            t[i + length] = carry;
        }
        let mut rounded = I::ZERO;
        let mut carry = t[self.shift - 1] >> 63;
        for (limb, &high) in rounded.as_mut().iter_mut().zip(&t[self.shift..2 * length]) {
            (*limb, carry) = add_with_carry(high, 0, carry);
        }
        rounded
    }
}

/// The product of two integers that use at most half of the limbs (rounded up), modulo 2^64 if
/// there is one limb. Constant time.
#[inline(always)]
fn half_product<I: Limbs>(x: &I, y: &I) -> I {
    let mut result = I::ZERO;
    let (x, y) = (x.as_ref(), y.as_ref());
    let half = x.len().div_ceil(2);
    debug_assert!(x[half..].iter().chain(&y[half..]).all(|&limb| limb == 0));
    for i in 0..half {
        let t = result.as_mut();
        let mut carry = 0;
        for j in 0..half {
            (t[i + j], carry) = multiply_accumulate(t[i + j], x[i], y[j], carry);
        }
        if let Some(limb) = t.get_mut(i + half) {
            *limb = carry;
        }
    }
    result
}

/// `sum` += `a` if the mask is all ones, modulo 2^(64 N).
#[inline(always)]
fn add_masked<I: Limbs>(sum: &mut I, a: &I, mask: u64) {
    let mut carry = 0;
    for (limb, &a) in sum.as_mut().iter_mut().zip(a.as_ref()) {
        (*limb, carry) = add_with_carry(*limb, a & mask, carry);
    }
}

/// `difference` -= `a` if the mask is all ones, modulo 2^(64 N).
#[inline(always)]
fn subtract_masked<I: Limbs>(difference: &mut I, a: &I, mask: u64) {
    let mut borrow = 0;
    for (limb, &a) in difference.as_mut().iter_mut().zip(a.as_ref()) {
        (*limb, borrow) = subtract_with_borrow(*limb, a & mask, borrow);
    }
}

/// The absolute value and the sign of an integer in two's complement.
#[inline(always)]
fn absolute<I: Limbs>(mut integer: I) -> Half<I> {
    let limbs = integer.as_mut();
    let negative = ct::barrier(((limbs[limbs.len() - 1] as i64) >> 63) as u64);
    let mut carry = negative & 1;
    for limb in limbs {
        (*limb, carry) = add_with_carry(*limb ^ negative, 0, carry);
    }
    Half {
        magnitude: integer,
        negative,
    }
}

/// Returns true if an integer is below 2^bits.
fn fits<I: Limbs>(integer: &I, bits: u32) -> bool {
    let limbs = integer.as_ref();
    (bits..64 * limbs.len() as u32).all(|i| limbs[i as usize / 64] >> (i % 64) & 1 == 0)
}

/// The low half of a product, and a word that is zero exactly if the high half is zero.
const fn product<const N: usize>(x: &[u64; N], y: &[u64; N]) -> ([u64; N], u64) {
    let (mut low, mut above) = ([0; N], 0);
    let mut i = 0;
    while i < N {
        let mut carry = 0;
        let mut j = 0;
        while i + j < N {
            (low[i + j], carry) = multiply_accumulate(low[i + j], x[i], y[j], carry);
            j += 1;
        }
        above |= carry;
        while j < N {
            above |= (x[i] != 0 && y[j] != 0) as u64;
            j += 1;
        }
        i += 1;
    }
    (low, above)
}

/// round(2^(64 limbs) x / n) for x below n, by long division.
const fn quotient<const N: usize>(x: &[u64; N], n: &[u64; N], limbs: usize) -> [u64; N] {
    let mut quotient = [0; N];
    let mut remainder = *x;
    let mut i = 0;
    while i <= 64 * limbs {
        let (double, carry) = add(&remainder, &remainder);
        let bit = carry == 1 || !less_than(&double, n);
        remainder = if bit { subtract(&double, n).0 } else { double };
        if i < 64 * limbs {
            assert!(quotient[N - 1] >> 63 == 0, "the quotient has room");
            quotient = add(&quotient, &quotient).0;
            quotient[0] |= bit as u64;
        } else if bit {
            // The bit after the point rounds.
            let mut one = [0; N];
            one[0] = 1;
            quotient = add(&quotient, &one).0;
        }
        i += 1;
    }
    quotient
}

#[cfg(test)]
mod tests;
