//! Integers without a modulus: little-endian arrays of 64-bit limbs, carries, bytes and bits.
//!
//! Everything here is a `const fn` if possible. So the compiler computes the constants of a modulus
//! or a curve from the published hexadecimal digits. Functions whose running time depends on the
//! value end in `_vartime`.

mod array;
mod bytes;
mod carry;
mod doubles;
#[cfg(target_arch = "x86_64")]
mod doubles_avx2;
#[cfg(target_arch = "x86_64")]
mod doubles_avx512;
mod narrow_quads;
#[cfg(target_arch = "x86_64")]
mod narrow_quads_avx2;
mod quads;
#[cfg(target_arch = "x86_64")]
mod quads_ifma;
#[cfg(target_arch = "x86_64")]
mod transpose_avx512;
mod vectors;
mod wide;
mod words;
#[cfg(target_arch = "x86_64")]
mod words_ifma;

pub(crate) use array::array_from_fn;
pub use bytes::{Hexadecimal, from_be_bytes, from_hex, read_be_bytes, write_be_bytes};
pub use carry::{add_with_carry, multiply_accumulate, subtract_with_borrow};
#[cfg(all(feature = "hazmat", feature = "std"))]
pub use doubles::PortableDoubles;
pub use doubles::{Doubles, F64x4, F64x8};
#[cfg(target_arch = "x86_64")]
pub use doubles_avx2::FmaDoubles;
#[cfg(target_arch = "x86_64")]
pub use doubles_avx512::Avx512Doubles;
pub(crate) use narrow_quads::nine_limbs;
pub use narrow_quads::{AlignedX4, NarrowQuads, PortableNarrowQuads};
#[cfg(target_arch = "x86_64")]
pub use narrow_quads_avx2::Avx2Quads;
pub use quads::{PortableQuads, Quads, X4};
#[cfg(target_arch = "x86_64")]
pub use quads_ifma::IfmaQuads;
pub use vectors::{VectorOperation, Vectors};
pub use wide::{wide_product, wide_square};
pub use words::{LIMB_BITS, LIMB_MASK, PortableWords, Words, X8};
#[cfg(target_arch = "x86_64")]
pub use words_ifma::IfmaWords;

/// Adds two integers of `N` limbs.
///
/// Returns the low `N` limbs of the sum and the carry out (0 or 1). Constant time.
#[inline(always)]
pub const fn add<const N: usize>(a: &[u64; N], b: &[u64; N]) -> ([u64; N], u64) {
    let mut sum = [0; N];
    let mut carry = 0;
    let mut i = 0;
    while i < N {
        (sum[i], carry) = add_with_carry(a[i], b[i], carry);
        i += 1;
    }
    (sum, carry)
}

/// Subtracts `b` from `a`, both of `N` limbs.
///
/// Returns the difference modulo 2^(64 N) and the borrow out (0 or 1). Constant time.
#[inline(always)]
pub const fn subtract<const N: usize>(a: &[u64; N], b: &[u64; N]) -> ([u64; N], u64) {
    let mut difference = [0; N];
    let mut borrow = 0;
    let mut i = 0;
    while i < N {
        (difference[i], borrow) = subtract_with_borrow(a[i], b[i], borrow);
        i += 1;
    }
    (difference, borrow)
}

/// Returns `a` if `mask` is all ones and zero if it is 0. Constant time.
#[inline(always)]
pub const fn masked<const N: usize>(a: &[u64; N], mask: u64) -> [u64; N] {
    let mut result = [0; N];
    let mut i = 0;
    while i < N {
        result[i] = a[i] & mask;
        i += 1;
    }
    result
}

/// `a` if `mask` is all ones, `b` if it is 0. Constant time.
#[inline(always)]
pub const fn select<const N: usize>(mask: u64, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    let mut result = [0; N];
    let mut i = 0;
    while i < N {
        result[i] = b[i] ^ (mask & (a[i] ^ b[i]));
        i += 1;
    }
    result
}

/// Returns true if `a < b`, from the borrow of their difference. Constant time.
#[inline(always)]
pub const fn less_than<const N: usize>(a: &[u64; N], b: &[u64; N]) -> bool {
    subtract(a, b).1 == 1
}

/// Performs `a -= b` on integers with the same number of limbs, and returns the borrow. Constant
/// time.
#[inline(always)]
pub fn subtract_assign(a: &mut [u64], b: &[u64]) -> u64 {
    debug_assert_eq!(a.len(), b.len());
    let mut borrow = 0;
    for (a, &b) in a.iter_mut().zip(b) {
        (*a, borrow) = subtract_with_borrow(*a, b, borrow);
    }
    borrow
}

/// Returns true if `a < b`, for integers with the same number of limbs. Constant time.
#[inline(always)]
pub fn is_below(a: &[u64], b: &[u64]) -> bool {
    debug_assert_eq!(a.len(), b.len());
    let mut borrow = 0;
    for (&a, &b) in a.iter().zip(b) {
        borrow = subtract_with_borrow(a, b, borrow).1;
    }
    borrow == 1
}

/// Returns true if every limb is zero. Constant time.
#[inline(always)]
pub const fn is_zero<const N: usize>(a: &[u64; N]) -> bool {
    let mut bits = 0;
    let mut i = 0;
    while i < N {
        bits |= a[i];
        i += 1;
    }
    bits == 0
}

/// Returns true if every limb is zero, for any number of limbs. Constant time.
#[inline(always)]
pub fn are_zero(limbs: &[u64]) -> bool {
    limbs.iter().fold(0, |bits, limb| bits | limb) == 0
}

/// Returns true if two integers are equal. Constant time.
#[inline(always)]
pub const fn equal<const N: usize>(a: &[u64; N], b: &[u64; N]) -> bool {
    let mut bits = 0;
    let mut i = 0;
    while i < N {
        bits |= a[i] ^ b[i];
        i += 1;
    }
    bits == 0
}

/// The position of the highest set bit plus one; 0 for zero. The time depends on the value.
pub const fn bit_length_vartime<const N: usize>(a: &[u64; N]) -> u32 {
    let mut i = N;
    while i > 0 {
        i -= 1;
        if a[i] != 0 {
            return 64 * i as u32 + 64 - a[i].leading_zeros();
        }
    }
    0
}

/// Shifts right by one bit and puts `top` (0 or 1) into the highest bit. Constant time.
#[inline(always)]
pub const fn shift_right_one<const N: usize>(a: &[u64; N], top: u64) -> [u64; N] {
    let mut result = [0; N];
    let mut i = 0;
    while i < N {
        let above = if i + 1 < N { a[i + 1] } else { top };
        result[i] = (a[i] >> 1) | (above << 63);
        i += 1;
    }
    result
}

/// Shifts right by `bits` (any number; 64 N or more returns zero). The time depends only on `bits`.
pub const fn shift_right<const N: usize>(a: &[u64; N], bits: u32) -> [u64; N] {
    let (limbs, bits) = ((bits / 64) as usize, bits % 64);
    let mut result = [0; N];
    let mut i = 0;
    while i + limbs < N {
        result[i] = a[i + limbs] >> bits;
        if bits > 0 && i + limbs + 1 < N {
            result[i] |= a[i + limbs + 1] << (64 - bits);
        }
        i += 1;
    }
    result
}

/// Splits an integer into `L` limbs of `bits` bits (1 to 63). The bits above these are dropped.
pub const fn to_radix<const N: usize, const L: usize>(integer: &[u64; N], bits: u32) -> [u64; L] {
    let mut limbs = [0; L];
    let mut i = 0;
    while i < L {
        let start = bits * i as u32;
        let (word, shift) = ((start / 64) as usize, start % 64);
        if word < N {
            limbs[i] = integer[word] >> shift;
        }
        if shift + bits > 64 && word + 1 < N {
            limbs[i] |= integer[word + 1] << (64 - shift);
        }
        limbs[i] &= (1 << bits) - 1;
        i += 1;
    }
    limbs
}

/// The `count` bits (1 to 57) that start at bit `start`; bits beyond the top limb read as zero.
///
/// The time depends on `start` and `count`, not on the value.
#[inline(always)]
pub fn bits(limbs: &[u64], start: u32, count: u32) -> u64 {
    debug_assert!((1..=57).contains(&count));
    let (limb, shift) = ((start / 64) as usize, start % 64);
    let Some(&low) = limbs.get(limb) else {
        return 0;
    };
    let mut window = low >> shift;
    if shift + count > 64
        && let Some(&high) = limbs.get(limb + 1)
    {
        window |= high << (64 - shift);
    }
    window & ((1 << count) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carries_ripple_through_every_limb() {
        let ones = [u64::MAX; 4];
        assert_eq!(add(&ones, &[1, 0, 0, 0]), ([0; 4], 1));
        assert_eq!(subtract(&[0; 4], &[1, 0, 0, 0]), (ones, 1));
        assert_eq!(subtract(&ones, &ones), ([0; 4], 0));
        assert!(less_than(&[u64::MAX, 0], &[0, 1]));
        assert!(!less_than(&[0, 1], &[0, 1]));
        for (a, b) in [([u64::MAX, 0], [0, 1]), ([0, 1], [0, 1]), ([1, 1], [0, 1])] {
            assert_eq!(is_below(&a, &b), less_than(&a, &b));
            let mut difference = a;
            let borrow = subtract_assign(&mut difference, &b);
            assert_eq!((difference, borrow), subtract(&a, &b));
        }
    }

    #[test]
    fn bits_read_across_limbs_and_beyond_the_top() {
        let a = [0x8000_0000_0000_0000, 0b101];
        assert_eq!(bits(&a, 63, 4), 0b1011);
        assert_eq!(bits(&a, 64, 3), 0b101);
        assert_eq!(bits(&a, 66, 7), 1);
        assert_eq!(bits(&a, 128, 7), 0);
        assert_eq!(bits(&a, 127, 7), 0);
    }

    #[test]
    fn shifts_agree_with_each_other() {
        let mut a = [
            0x0123_4567_89ab_cdef,
            0xfedc_ba98_7654_3210,
            0x8000_0000_0000_0001,
        ];
        for shift in 0..200 {
            assert_eq!(
                a,
                shift_right(
                    &[
                        0x0123_4567_89ab_cdef,
                        0xfedc_ba98_7654_3210,
                        0x8000_0000_0000_0001
                    ],
                    shift
                )
            );
            a = shift_right_one(&a, 0);
        }
    }

    #[test]
    fn bit_lengths() {
        assert_eq!(bit_length_vartime(&[0, 0]), 0);
        assert_eq!(bit_length_vartime(&[1, 0]), 1);
        assert_eq!(bit_length_vartime(&[0, 1]), 65);
        assert_eq!(bit_length_vartime(&[0, u64::MAX]), 128);
    }
}
