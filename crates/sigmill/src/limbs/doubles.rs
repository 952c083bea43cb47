//! Double-precision numbers side by side, on several backends. Lanes compute with them on CPUs
//! whose integers have no wide multiplication.

use core::array::from_ref;
use core::fmt::Debug;

use zeroize::Zeroize;

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

    /// Loads several registers.
    fn load_all<const L: usize>(self, numbers: &[Self::Stored; L]) -> [Self::Double; L];
    /// Stores several registers.
    fn store_all<const L: usize>(self, a: &[Self::Double; L]) -> [Self::Stored; L];
    /// Loads numbers into a register.
    #[inline(always)]
    fn load(self, numbers: &Self::Stored) -> Self::Double {
        let [register] = self.load_all(from_ref(numbers));
        register
    }
    /// Stores a register.
    #[inline(always)]
    fn store(self, a: Self::Double) -> Self::Stored {
        let [numbers] = self.store_all(&[a]);
        numbers
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
    use super::{Doubles, F64x4, PortableDoubles, Vectors};
    use crate::limbs::array_from_fn;
    use crate::limbs::vectors::methods;

    type Words = [u64; 4];

    #[inline(always)]
    fn zip(a: F64x4, b: F64x4, f: impl Fn(f64, f64) -> f64) -> F64x4 {
        F64x4(array_from_fn(|i| f(a.0[i], b.0[i])))
    }

    #[inline(always)]
    fn zip_words(a: Words, b: Words, f: impl Fn(u64, u64) -> u64) -> Words {
        array_from_fn(|i| f(a[i], b[i]))
    }

    impl Vectors for PortableDoubles {}

    impl Doubles<4> for PortableDoubles {
        type Stored = F64x4;
        type Double = F64x4;
        type Word = Words;

        #[inline(always)]
        fn load_all<const L: usize>(self, numbers: &[F64x4; L]) -> [F64x4; L] {
            *numbers
        }

        #[inline(always)]
        fn store_all<const L: usize>(self, a: &[F64x4; L]) -> [F64x4; L] {
            *a
        }

        methods! { F64x4 => F64x4:
            add(a, b) = zip(a, b, |a, b| a + b);
            sub(a, b) = zip(a, b, |a, b| a - b);
            in_order(a) = a;
        }

        methods! { f64 => F64x4:
            splat(number) = F64x4([number; 4]);
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

        methods! { F64x4 => Words:
            bits(a) = a.0.map(f64::to_bits);
        }

        methods! { Words => F64x4:
            from_bits(a) = F64x4(a.map(f64::from_bits));
        }

        methods! { u64 => Words:
            splat_word(word) = [word; 4];
        }

        methods! { Words => Words:
            add_words(a, b) = zip_words(a, b, u64::wrapping_add);
            sub_words(a, b) = zip_words(a, b, u64::wrapping_sub);
            and(a, b) = zip_words(a, b, |a, b| a & b);
            or(a, b) = zip_words(a, b, |a, b| a | b);
            shl<BITS: i32>(a) = a.map(|a| a << BITS);
            shr<BITS: i32>(a) = a.map(|a| a >> BITS);
            join_48(a, b) = zip_words(a, b, |a, b| a << 16 >> 16 | b >> 48 << 48);
            low_16_shl_32(a) = a.map(|a| (a & 0xffff) << 32);
            low_32_shl_16(a) = a.map(|a| (a & 0xffff_ffff) << 16);
        }

        fn shl_by(self, a: Words, bits: u32) -> Words {
            a.map(|a| a << bits)
        }

        fn shr_by(self, a: Words, bits: u32) -> Words {
            a.map(|a| a >> bits)
        }

        methods! { Words => u8:
            signs(a) = (0..4).fold(0, |mask, i| mask | ((a[i] >> 63) as u8) << i);
            zeros(a) = (0..4).fold(0, |mask, i| mask | u8::from(a[i] == 0) << i);
        }

        methods! { [&[u64; 4]; 8] => [Words; 4]:
            transpose(rows) = array_from_fn(|j| array_from_fn(|i| rows[i][j]));
        }
    }
}
