//! Four 64-bit words side by side, for parallelism within one value, on two backends.

use super::LIMB_MASK;
use super::array_from_fn;
use super::vectors::{Vectors, methods};
use super::words::{LIMB_BITS, product};

/// Four words; plain data, and the same for every backend.
pub type X4 = [u64; 4];

/// Instructions on four words at once: AVX-512 IFMA and VL, or portable code that computes exactly
/// the same words. Like [`Words`](super::Words), for computations with four products instead of
/// eight values. Half a register holds them, which needs less power and uses a third execution
/// port.
///
/// Bit i of a mask belongs to word i. Constant time.
pub trait Quads: Vectors {
    /// Four words in a register.
    type Quad: Copy;

    /// Loads words into a register.
    fn load(self, words: &X4) -> Self::Quad;
    /// Stores a register.
    fn store(self, a: Self::Quad) -> X4;
    /// The same word four times.
    fn splat(self, word: u64) -> Self::Quad;
    /// `a + b` modulo 2^64.
    fn add(self, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// `a - b` modulo 2^64.
    fn sub(self, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// `a & b`.
    fn and(self, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// `a >> BITS`, zeros from the left.
    fn shr<const BITS: i32>(self, a: Self::Quad) -> Self::Quad;
    /// `sum` + the low 52 bits of `a b`. Only the low 52 bits of `a` and `b` count (VPMADD52LUQ).
    fn madd_low(self, sum: Self::Quad, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// `sum` + the bits from 52 on of `a b`. Only the low 52 bits of `a` and `b` count
    /// (VPMADD52HUQ).
    fn madd_high(self, sum: Self::Quad, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// `19 a` modulo 2^64.
    fn times_19(self, a: Self::Quad) -> Self::Quad;
    /// `a` where `MASK` has a bit, otherwise `b`.
    fn blend<const MASK: u8>(self, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// Words 0, 0, 2, 2.
    fn evens(self, a: Self::Quad) -> Self::Quad;
    /// Words 1, 1, 3, 3.
    fn odds(self, a: Self::Quad) -> Self::Quad;
    /// Word i of the result is word `indices[i]` of `a`. Only the low two bits of an index count.
    /// Constant time, also in the indices.
    fn permute(self, a: Self::Quad, indices: Self::Quad) -> Self::Quad;
}

/// Portable quads.
#[derive(Clone, Copy, Debug)]
pub struct PortableQuads;

#[inline(always)]
fn zip(a: X4, b: X4, f: impl Fn(u64, u64) -> u64) -> X4 {
    array_from_fn(|i| f(a[i], b[i]))
}

impl Vectors for PortableQuads {}

impl Quads for PortableQuads {
    type Quad = X4;

    methods! { &X4 => X4:
        load(words) = *words;
    }

    methods! { X4 => X4:
        store(a) = a;
        add(a, b) = zip(a, b, u64::wrapping_add);
        sub(a, b) = zip(a, b, u64::wrapping_sub);
        and(a, b) = zip(a, b, |a, b| a & b);
        shr<BITS: i32>(a) = a.map(|a| a >> BITS);
        times_19(a) = a.map(|a| a.wrapping_mul(19));
        blend<MASK: u8>(a, b) = array_from_fn(|i| if MASK >> i & 1 == 1 { a[i] } else { b[i] });
        evens(a) = [a[0], a[0], a[2], a[2]];
        odds(a) = [a[1], a[1], a[3], a[3]];
    }

    methods! { u64 => X4:
        splat(word) = [word; 4];
    }

    #[inline(always)]
    fn madd_low(self, sum: X4, a: X4, b: X4) -> X4 {
        let low = zip(a, b, |a, b| product(a, b) as u64 & LIMB_MASK);
        zip(sum, low, u64::wrapping_add)
    }

    #[inline(always)]
    fn madd_high(self, sum: X4, a: X4, b: X4) -> X4 {
        let high = zip(a, b, |a, b| (product(a, b) >> LIMB_BITS) as u64);
        zip(sum, high, u64::wrapping_add)
    }

    /// Reads every word for each result, because an address would reveal the index.
    #[inline(always)]
    fn permute(self, a: X4, indices: X4) -> X4 {
        array_from_fn(|i| {
            let chosen = |j: usize| a[j] & crate::ct::mask_equal(indices[i] & 3, j as u64);
            chosen(0) | chosen(1) | chosen(2) | chosen(3)
        })
    }
}
