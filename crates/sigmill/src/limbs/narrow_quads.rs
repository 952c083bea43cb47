//! Four 64-bit words side by side of which multiplications read the low halves, on two backends.

use zeroize::{Zeroize, optimization_barrier};

use super::array_from_fn;

/// Four words; word i belongs to lane i. Plain data, and the same for every backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct AlignedX4(pub [u64; 4]);

/// As vectors, and not word by word.
impl Zeroize for AlignedX4 {
    #[inline(always)]
    fn zeroize(&mut self) {
        *self = Self::default();
        optimization_barrier(self);
    }
}

/// Instructions on four words at once with products of 32 bits: AVX2, or portable code that
/// computes the very same words. Every x86-64 CPU since 2013 has them, whereas those of
/// [`Quads`](super::Quads) are rare.
///
/// A mask is a word of ones or of zeros for each lane. Constant time.
pub trait NarrowQuads: Copy + core::fmt::Debug + Send + Sync + 'static {
    /// Four words in a register.
    type Quad: Copy + core::fmt::Debug + Send + Sync + 'static;

    /// Whether they are in one register, and not in memory.
    const IN_REGISTERS: bool;

    /// Runs an operation compiled for the instructions of this backend.
    fn run<O: NarrowQuadsOperation<Self>>(self, operation: O) -> O::Output;
    /// Runs an operation as a function of its own, so that its code exists once: for long ones.
    fn call<O: NarrowQuadsOperation<Self>>(self, operation: O) -> O::Output;

    /// To a register.
    fn load(self, words: &AlignedX4) -> Self::Quad;
    /// From a register.
    fn store(self, a: Self::Quad) -> AlignedX4;
    /// All to registers.
    #[inline(always)]
    fn load_all<const L: usize>(self, words: &[AlignedX4; L]) -> [Self::Quad; L] {
        array_from_fn(|i| self.load(&words[i]))
    }
    /// All from registers.
    #[inline(always)]
    fn store_all<const L: usize>(self, a: &[Self::Quad; L]) -> [AlignedX4; L] {
        array_from_fn(|i| self.store(a[i]))
    }
    /// The same word four times.
    fn splat(self, word: u64) -> Self::Quad;
    /// `a`, of which the compiler knows nothing. It leaves products as they are then: of the
    /// factors' sizes and values it would make others of several instructions, shifts and products
    /// of 64 bits.
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
    /// `a` where the mask is ones, else `b`.
    fn select(self, mask: Self::Quad, a: Self::Quad, b: Self::Quad) -> Self::Quad;
    /// Word i of the result is word i + `BY` of `a`, counted modulo four.
    fn rotate<const BY: usize>(self, a: Self::Quad) -> Self::Quad;
    /// Word j of the result holds limb j of all four rows. Rows of four are columns of four too, so
    /// this leads back as well.
    fn transpose(self, rows: [Self::Quad; 4]) -> [Self::Quad; 4];
    /// Four words as they lie in memory.
    fn load_row(self, row: &[u64; 4]) -> Self::Quad;
}

/// A piece of arithmetic that a [`NarrowQuads`] backend compiles as one function.
pub trait NarrowQuadsOperation<Q: NarrowQuads> {
    /// The result.
    type Output;

    /// Computes it. Implementations are `#[inline(always)]`.
    fn run(self, quads: Q) -> Self::Output;
}

/// The statements for each of nine limbs, one after the other where quads are in registers: the
/// compiler keeps a loop over the rows of a product as it is, and its columns in memory then.
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

impl NarrowQuads for PortableNarrowQuads {
    type Quad = AlignedX4;
    const IN_REGISTERS: bool = false;

    #[inline(always)]
    fn run<O: NarrowQuadsOperation<Self>>(self, operation: O) -> O::Output {
        operation.run(self)
    }

    #[inline(never)]
    fn call<O: NarrowQuadsOperation<Self>>(self, operation: O) -> O::Output {
        operation.run(self)
    }

    #[inline(always)]
    fn load(self, words: &AlignedX4) -> AlignedX4 {
        *words
    }

    #[inline(always)]
    fn store(self, a: AlignedX4) -> AlignedX4 {
        a
    }

    #[inline(always)]
    fn splat(self, word: u64) -> AlignedX4 {
        AlignedX4([word; 4])
    }

    #[inline(always)]
    fn opaque(self, a: AlignedX4) -> AlignedX4 {
        a
    }

    #[inline(always)]
    fn add(self, a: AlignedX4, b: AlignedX4) -> AlignedX4 {
        zip(a, b, u64::wrapping_add)
    }

    #[inline(always)]
    fn sub(self, a: AlignedX4, b: AlignedX4) -> AlignedX4 {
        zip(a, b, u64::wrapping_sub)
    }

    #[inline(always)]
    fn and(self, a: AlignedX4, b: AlignedX4) -> AlignedX4 {
        zip(a, b, |a, b| a & b)
    }

    #[inline(always)]
    fn or(self, a: AlignedX4, b: AlignedX4) -> AlignedX4 {
        zip(a, b, |a, b| a | b)
    }

    #[inline(always)]
    fn shl<const BITS: i32>(self, a: AlignedX4) -> AlignedX4 {
        AlignedX4(a.0.map(|a| a << BITS))
    }

    #[inline(always)]
    fn shr<const BITS: i32>(self, a: AlignedX4) -> AlignedX4 {
        AlignedX4(a.0.map(|a| a >> BITS))
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
    fn multiply(self, a: AlignedX4, b: AlignedX4) -> AlignedX4 {
        zip(a, b, |a, b| u64::from(a as u32) * u64::from(b as u32))
    }

    #[inline(always)]
    fn equal(self, a: AlignedX4, b: AlignedX4) -> AlignedX4 {
        zip(a, b, crate::ct::mask_equal)
    }

    #[inline(always)]
    fn select(self, mask: AlignedX4, a: AlignedX4, b: AlignedX4) -> AlignedX4 {
        let chosen = |i: usize| b.0[i] ^ (mask.0[i] & (a.0[i] ^ b.0[i]));
        AlignedX4(array_from_fn(chosen))
    }

    #[inline(always)]
    fn rotate<const BY: usize>(self, a: AlignedX4) -> AlignedX4 {
        AlignedX4(array_from_fn(|i| a.0[(i + BY) % 4]))
    }

    #[inline(always)]
    fn transpose(self, rows: [AlignedX4; 4]) -> [AlignedX4; 4] {
        array_from_fn(|j| AlignedX4(array_from_fn(|i| rows[i].0[j])))
    }

    #[inline(always)]
    fn load_row(self, row: &[u64; 4]) -> AlignedX4 {
        AlignedX4(*row)
    }
}
