//! Double-precision numbers side by side, on several backends. Lanes compute with them on CPUs
//! whose integers have no wide multiplication.

use core::fmt::Debug;

use zeroize::Zeroize;

use super::array_from_fn;
use super::vectors::Vectors;

/// Four numbers; number i belongs to lane i. Plain data, and the same for every backend.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct F64x4(pub [f64; 4]);

/// Eight numbers, like [`F64x4`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct F64x8(pub [f64; 8]);

macro_rules! plain_data {
    ($($name:ident)*) => {
        $(
            impl Zeroize for $name {
                fn zeroize(&mut self) {
                    self.0.zeroize();
                }
            }

            impl AsRef<[f64]> for $name {
                #[inline(always)]
                fn as_ref(&self) -> &[f64] {
                    &self.0
                }
            }

            impl AsMut<[f64]> for $name {
                #[inline(always)]
                fn as_mut(&mut self) -> &mut [f64] {
                    &mut self.0
                }
            }
        )*
    };
}

plain_data!(F64x4 F64x8);

/// Instructions on several double-precision numbers at once, whose bits also serve as 64-bit
/// integers: AVX2 with FMA, AVX-512, or portable code that computes exactly the same bits.
///
/// Rounding is to nearest, as in Rust. For public values only: CPU vendors do not promise that
/// these instructions take the same time for all numbers.
///
/// `WIDTH` numbers are side by side. The implementing type is the backend. A backend that needs
/// instructions holds the proof that the CPU has them.
pub trait Doubles<const WIDTH: usize>: Vectors {
    /// Numbers in memory.
    type Stored: Copy
        + Debug
        + Default
        + PartialEq
        + AsRef<[f64]>
        + AsMut<[f64]>
        + Zeroize
        + Send
        + Sync
        + 'static;
    /// Numbers in a register.
    type Double: Copy + Debug + Send + Sync + 'static;
    /// Integers in a register.
    type Word: Copy + Debug + Send + Sync + 'static;

    /// Loads numbers into a register.
    fn load(self, numbers: &Self::Stored) -> Self::Double;
    /// Stores a register.
    fn store(self, a: Self::Double) -> Self::Stored;
    /// Loads several registers.
    #[inline(always)]
    fn load_all<const L: usize>(self, numbers: &[Self::Stored; L]) -> [Self::Double; L] {
        array_from_fn(|i| self.load(&numbers[i]))
    }
    /// Stores several registers.
    #[inline(always)]
    fn store_all<const L: usize>(self, a: &[Self::Double; L]) -> [Self::Stored; L] {
        array_from_fn(|i| self.store(a[i]))
    }
    /// The same number in each lane.
    fn splat(self, number: f64) -> Self::Double;
    /// `a + b`.
    fn add(self, a: Self::Double, b: Self::Double) -> Self::Double;
    /// `a - b`.
    fn sub(self, a: Self::Double, b: Self::Double) -> Self::Double;
    /// `a b + c`, rounded once.
    fn multiply_add(self, a: Self::Double, b: Self::Double, c: Self::Double) -> Self::Double;
    /// `c - a b`, rounded once.
    fn multiply_sub(self, a: Self::Double, b: Self::Double, c: Self::Double) -> Self::Double;
    /// `a` in lanes where the mask has a bit, otherwise `b`.
    fn select(self, mask: u8, a: Self::Double, b: Self::Double) -> Self::Double;

    /// Returns `a` as a number unknown to the compiler, computed at this place. Between two such
    /// calls, operations that depend on the first call and on which the second depends are not
    /// reordered.
    fn in_order(self, a: Self::Double) -> Self::Double;

    /// Returns the halves of a column with its first product, `a b`. The high half is `first[0]`
    /// minus the product, rounded once. The low half is `first[1]` plus the high half, plus the
    /// part of the product that the high half lacks. All lanes start alike.
    #[inline(always)]
    fn begin_column(
        self,
        first: &'static [F64x4; 2],
        a: Self::Double,
        b: Self::Double,
    ) -> (Self::Double, Self::Double) {
        let [high, low] = first;
        let high = self.multiply_sub(a, b, self.splat(high.0[0]));
        let low = self.add(self.splat(low.0[0]), high);
        (high, self.multiply_add(a, b, low))
    }

    /// Adds `a b` to the halves of a column. The product is subtracted from the high half, rounded
    /// once. The part of the product that the high half lacks, which is exact, is added to the low
    /// half.
    #[inline(always)]
    fn add_to_column(
        self,
        high: &mut Self::Double,
        low: &mut Self::Double,
        a: Self::Double,
        b: Self::Double,
    ) {
        let less = self.multiply_sub(a, b, *high);
        let rest = self.multiply_add(a, b, self.sub(less, *high));
        (*high, *low) = (less, self.add(*low, rest));
    }

    /// The bits of numbers.
    fn bits(self, a: Self::Double) -> Self::Word;
    /// The numbers with these bits.
    fn from_bits(self, a: Self::Word) -> Self::Double;
    /// The same integer in each lane.
    fn splat_word(self, word: u64) -> Self::Word;
    /// `a + b` modulo 2^64.
    fn add_words(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// `a - b` modulo 2^64.
    fn sub_words(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// `a & b`.
    fn and(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// `a | b`.
    fn or(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// `a << BITS`.
    fn shl<const BITS: i32>(self, a: Self::Word) -> Self::Word;
    /// `a >> BITS`, zeros from the left.
    fn shr<const BITS: i32>(self, a: Self::Word) -> Self::Word;
    /// `a << bits`.
    fn shl_by(self, a: Self::Word, bits: u32) -> Self::Word;
    /// `a >> bits`, zeros from the left.
    fn shr_by(self, a: Self::Word, bits: u32) -> Self::Word;
    /// The low 48 bits of `a` and the high 16 bits of `b`.
    fn join_48(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// The low 16 bits of `a`, times 2^32.
    fn low_16_shl_32(self, a: Self::Word) -> Self::Word;
    /// The low 32 bits of `a`, times 2^16.
    fn low_32_shl_16(self, a: Self::Word) -> Self::Word;
    /// Bit i is set if the highest bit of integer i is.
    fn signs(self, a: Self::Word) -> u8;
    /// Bit i is set if integer i is zero.
    fn zeros(self, a: Self::Word) -> u8;
    /// Word j of the result holds word j of each row. Rows beyond the width are not read.
    fn transpose(self, rows: [&[u64; 4]; 8]) -> [Self::Word; 4];
}

/// Four numbers in portable code, which is slow: for tests. Uses the multiply-add of `std`.
#[cfg(all(feature = "hazmat", feature = "std"))]
#[derive(Clone, Copy, Debug)]
pub struct PortableDoubles;

#[cfg(all(feature = "hazmat", feature = "std"))]
mod portable {
    use super::{Doubles, F64x4, PortableDoubles, Vectors, array_from_fn};
    use crate::limbs::VectorOperation;

    type Words = [u64; 4];

    #[inline(always)]
    fn zip(a: F64x4, b: F64x4, f: impl Fn(f64, f64) -> f64) -> F64x4 {
        F64x4(array_from_fn(|i| f(a.0[i], b.0[i])))
    }

    #[inline(always)]
    fn zip_words(a: Words, b: Words, f: impl Fn(u64, u64) -> u64) -> Words {
        array_from_fn(|i| f(a[i], b[i]))
    }

    impl Vectors for PortableDoubles {
        fn run<O: VectorOperation<Self>>(self, operation: O) -> O::Output {
            operation.run(self)
        }

        #[inline(never)]
        fn call<O: VectorOperation<Self>>(self, operation: O) -> O::Output {
            operation.run(self)
        }
    }

    impl Doubles<4> for PortableDoubles {
        type Stored = F64x4;
        type Double = F64x4;
        type Word = Words;

        fn load(self, numbers: &F64x4) -> F64x4 {
            *numbers
        }

        fn store(self, a: F64x4) -> F64x4 {
            a
        }

        fn splat(self, number: f64) -> F64x4 {
            F64x4([number; 4])
        }

        fn add(self, a: F64x4, b: F64x4) -> F64x4 {
            zip(a, b, |a, b| a + b)
        }

        fn sub(self, a: F64x4, b: F64x4) -> F64x4 {
            zip(a, b, |a, b| a - b)
        }

        #[inline(never)]
        fn multiply_add(self, a: F64x4, b: F64x4, c: F64x4) -> F64x4 {
            F64x4(array_from_fn(|i| a.0[i].mul_add(b.0[i], c.0[i])))
        }

        fn multiply_sub(self, a: F64x4, b: F64x4, c: F64x4) -> F64x4 {
            self.multiply_add(F64x4(a.0.map(|a| -a)), b, c)
        }

        fn select(self, mask: u8, a: F64x4, b: F64x4) -> F64x4 {
            F64x4(array_from_fn(|i| match mask >> i & 1 {
                1 => a.0[i],
                _ => b.0[i],
            }))
        }

        fn in_order(self, a: F64x4) -> F64x4 {
            a
        }

        fn bits(self, a: F64x4) -> Words {
            a.0.map(f64::to_bits)
        }

        fn from_bits(self, a: Words) -> F64x4 {
            F64x4(a.map(f64::from_bits))
        }

        fn splat_word(self, word: u64) -> Words {
            [word; 4]
        }

        fn add_words(self, a: Words, b: Words) -> Words {
            zip_words(a, b, u64::wrapping_add)
        }

        fn sub_words(self, a: Words, b: Words) -> Words {
            zip_words(a, b, u64::wrapping_sub)
        }

        fn and(self, a: Words, b: Words) -> Words {
            zip_words(a, b, |a, b| a & b)
        }

        fn or(self, a: Words, b: Words) -> Words {
            zip_words(a, b, |a, b| a | b)
        }

        fn shl<const BITS: i32>(self, a: Words) -> Words {
            a.map(|a| a << BITS)
        }

        fn shr<const BITS: i32>(self, a: Words) -> Words {
            a.map(|a| a >> BITS)
        }

        fn shl_by(self, a: Words, bits: u32) -> Words {
            a.map(|a| a << bits)
        }

        fn shr_by(self, a: Words, bits: u32) -> Words {
            a.map(|a| a >> bits)
        }

        fn join_48(self, a: Words, b: Words) -> Words {
            zip_words(a, b, |a, b| a << 16 >> 16 | b >> 48 << 48)
        }

        fn low_16_shl_32(self, a: Words) -> Words {
            a.map(|a| (a & 0xffff) << 32)
        }

        fn low_32_shl_16(self, a: Words) -> Words {
            a.map(|a| (a & 0xffff_ffff) << 16)
        }

        fn signs(self, a: Words) -> u8 {
            (0..4).fold(0, |mask, i| mask | ((a[i] >> 63) as u8) << i)
        }

        fn zeros(self, a: Words) -> u8 {
            (0..4).fold(0, |mask, i| mask | u8::from(a[i] == 0) << i)
        }

        fn transpose(self, rows: [&[u64; 4]; 8]) -> [Words; 4] {
            array_from_fn(|j| array_from_fn(|i| rows[i][j]))
        }
    }
}
