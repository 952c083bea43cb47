//! Four 64-bit words side by side, on two backends. Multiplications read their low halves.

use core::array::from_ref;

use zeroize::{Zeroize, optimization_barrier};

use super::array_from_fn;
use super::vectors::{VectorOperation, Vectors, methods};

/// Four words; word i belongs to lane i. Plain data, and the same for every backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct AlignedX4(pub [u64; 4]);

/// Wipes all words as one vector.
impl Zeroize for AlignedX4 {
    #[inline(always)]
    fn zeroize(&mut self) {
        *self = Self::default();
        optimization_barrier(self);
    }
}

/// Instructions on four words at once with products of 32 bits: AVX2, or portable code that
/// computes exactly the same words. Every x86-64 CPU since 2013 has these instructions; those of
/// [`Quads`](super::Quads) are rare.
///
/// A mask is a word of all ones or all zeros for each lane. Constant time.
pub trait NarrowQuads: Vectors {
    /// Four words in a register.
    type Quad: Copy + core::fmt::Debug + Send + Sync + 'static;

    /// True if the words are in one register, and not in memory.
    const IN_REGISTERS: bool;

    /// Loads several registers.
    fn load_all<const L: usize>(self, words: &[AlignedX4; L]) -> [Self::Quad; L];
    /// Stores several registers.
    fn store_all<const L: usize>(self, a: &[Self::Quad; L]) -> [AlignedX4; L];
    /// Loads words into a register.
    #[inline(always)]
    fn load(self, words: &AlignedX4) -> Self::Quad {
        let [register] = self.load_all(from_ref(words));
        register
    }
    /// Stores a register.
    #[inline(always)]
    fn store(self, a: Self::Quad) -> AlignedX4 {
        let [words] = self.store_all(&[a]);
        words
    }
    /// The same word four times.
    fn splat(self, word: u64) -> Self::Quad;
    /// Returns `a` as a value unknown to the compiler, which then leaves products as they are. If
    /// it knew the sizes or values of factors, it would replace products by several instructions,
    /// such as shifts and products of 64 bits.
    fn opaque(self, a: Self::Quad) -> Self::Quad;
    /// `a + b` modulo 2^64.
    fn add(self, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// `a - b` modulo 2^64.
    fn sub(self, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// `a & b`.
    fn and(self, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// `a | b`.
    fn or(self, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// `a << BITS`.
    fn shl<const BITS: i32>(self, a: Self::Quad) -> Self::Quad;
    /// `a >> BITS`, zeros from the left.
    fn shr<const BITS: i32>(self, a: Self::Quad) -> Self::Quad;
    /// `a << bits`, for 0 to 63 bits that are not secret.
    fn shl_by(self, a: Self::Quad, bits: u32) -> Self::Quad;
    /// `a >> bits`, zeros from the left, for 0 to 63 bits that are not secret.
    fn shr_by(self, a: Self::Quad, bits: u32) -> Self::Quad;
    /// The product of the low 32 bits of each (VPMULUDQ).
    fn multiply(self, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// The mask of the lanes in which `a = b`.
    fn equal(self, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// `a` if the mask is ones, otherwise `b`.
    fn select(self, mask: Self::Quad, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// Word i of the result is word i + `BY` of `a`, counted modulo four.
    fn rotate<const BY: usize>(self, a: Self::Quad) -> Self::Quad;
    /// Word j of the result holds limb j of all four rows. A second transposition restores the
    /// rows.
    fn transpose(self, rows: [Self::Quad; 4]) -> [Self::Quad; 4];
    /// Loads four words from memory.
    fn load_row(self, row: &[u64; 4]) -> Self::Quad;
}

/// Repeats statements for each of nine limbs, one after the other, if quads are in registers. The
/// compiler would keep a loop over the rows of a product, with its columns in memory.
macro_rules! nine_limbs {
    ($quads:ident, $index:ident, $body:block) => {
        nine_limbs!($quads, $index, $body, 0 1 2 3 4 5 6 7 8);
    };
    ($quads:ident, $index:ident, $body:block, $($value:literal)*) => {
        if const { $quads::IN_REGISTERS } {
            $({
                let $index: usize = $value;
                $body
            })*
        } else {
            for $index in 0..9 {
                $body
            }
        }
    };
}

pub(crate) use nine_limbs;

/// Portable quads.
#[derive(Clone, Copy, Debug)]
pub struct PortableNarrowQuads;

#[inline(always)]
fn zip(a: AlignedX4, b: AlignedX4, f: impl Fn(u64, u64) -> u64) -> AlignedX4 {
    AlignedX4(array_from_fn(|i| f(a.0[i], b.0[i])))
}

impl Vectors for PortableNarrowQuads {
    #[inline(always)]
    fn run<O: VectorOperation<Self>>(self, operation: O) -> O::Output {
        operation.run(self)
    }
}

impl NarrowQuads for PortableNarrowQuads {
    type Quad = AlignedX4;
    const IN_REGISTERS: bool = false;

    #[inline(always)]
    fn load_all<const L: usize>(self, words: &[AlignedX4; L]) -> [AlignedX4; L] {
        *words
    }

    #[inline(always)]
    fn store_all<const L: usize>(self, a: &[AlignedX4; L]) -> [AlignedX4; L] {
        *a
    }

    methods! { AlignedX4 => AlignedX4:
        opaque(a) = a;
        add(a, b) = zip(a, b, u64::wrapping_add);
        sub(a, b) = zip(a, b, u64::wrapping_sub);
        and(a, b) = zip(a, b, |a, b| a & b);
        or(a, b) = zip(a, b, |a, b| a | b);
        shl<BITS: i32>(a) = AlignedX4(a.0.map(|a| a << BITS));
        shr<BITS: i32>(a) = AlignedX4(a.0.map(|a| a >> BITS));
        multiply(a, b) = zip(a, b, |a, b| u64::from(a as u32) * u64::from(b as u32));
        equal(a, b) = zip(a, b, crate::ct::mask_equal);
        rotate<BY: usize>(a) = AlignedX4(array_from_fn(|i| a.0[(i + BY) % 4]));
    }

    methods! { u64 => AlignedX4:
        splat(word) = AlignedX4([word; 4]);
    }

    #[inline(always)]
    fn shl_by(self, a: AlignedX4, bits: u32) -> AlignedX4 {
        AlignedX4(a.0.map(|a| a << bits))
    }

    #[inline(always)]
    fn shr_by(self, a: AlignedX4, bits: u32) -> AlignedX4 {
        AlignedX4(a.0.map(|a| a >> bits))
    }

    #[inline(always)]
    fn select(self, mask: AlignedX4, a: AlignedX4, b: AlignedX4) -> AlignedX4 {
        let chosen = |i: usize| b.0[i] ^ (mask.0[i] & (a.0[i] ^ b.0[i]));
        AlignedX4(array_from_fn(chosen))
    }

    methods! { [AlignedX4; 4] => [AlignedX4; 4]:
        transpose(rows) = array_from_fn(|j| AlignedX4(array_from_fn(|i| rows[i].0[j])));
    }

    methods! { &[u64; 4] => AlignedX4:
        load_row(row) = AlignedX4(*row);
    }
}
