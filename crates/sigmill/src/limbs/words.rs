//! Eight 64-bit words side by side, one for each lane, on two backends.

use core::array::from_ref;
use core::fmt::Debug;

use super::array_from_fn;
use super::vectors::{Vectors, methods};

use zeroize::{Zeroize, optimization_barrier};

use crate::ct;

/// Eight words; word i belongs to lane i. Plain data, and the same for every backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct X8(pub [u64; 8]);

/// Wipes all words as one vector. Word by word, signatures on lanes would need 2 % more time.
impl Zeroize for X8 {
    #[inline(always)]
    fn zeroize(&mut self) {
        *self = Self::default();
        optimization_barrier(self);
    }
}

/// Number of bits of a limb that a multiplication reads.
pub const LIMB_BITS: u32 = 52;

/// The largest limb: 2^52 - 1.
pub const LIMB_MASK: u64 = (1 << LIMB_BITS) - 1;

/// Instructions on eight words at once: AVX-512 IFMA, or portable code that computes exactly the
/// same words. Constant time.
///
/// The implementing type is the backend. A backend that needs instructions holds the proof that the
/// CPU has them.
pub trait Words: Vectors {
    /// Eight words in a register.
    type Word: Copy + Debug + Send + Sync + 'static;

    /// True if the words are in one register, and not in memory.
    const IN_REGISTERS: bool;

    /// Loads several registers.
    fn load_all<const L: usize>(self, words: &[X8; L]) -> [Self::Word; L];
    /// Stores several registers.
    fn store_all<const L: usize>(self, a: &[Self::Word; L]) -> [X8; L];
    /// Loads words into a register.
    #[inline(always)]
    fn load(self, words: &X8) -> Self::Word {
        let [register] = self.load_all(from_ref(words));
        register
    }
    /// Stores a register.
    #[inline(always)]
    fn store(self, a: Self::Word) -> X8 {
        let [words] = self.store_all(&[a]);
        words
    }
    /// The same word eight times.
    fn splat(self, word: u64) -> Self::Word;
    /// `a + b` modulo 2^64.
    fn add(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// `a - b` modulo 2^64.
    fn sub(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// `a & b`.
    fn and(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// `a | b`.
    fn or(self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// `a << BITS`.
    fn shl<const BITS: u32>(self, a: Self::Word) -> Self::Word;
    /// `a >> BITS`, zeros from the left.
    fn shr<const BITS: u32>(self, a: Self::Word) -> Self::Word;
    /// `a << bits`, for 0 to 63 bits that are not secret.
    fn shl_by(self, a: Self::Word, bits: u32) -> Self::Word;
    /// `a >> bits`, zeros from the left, for 0 to 63 bits that are not secret.
    fn shr_by(self, a: Self::Word, bits: u32) -> Self::Word;
    /// `a >> BITS`, copies of the sign from the left.
    fn sar<const BITS: u32>(self, a: Self::Word) -> Self::Word;
    /// `sum` + the low 52 bits of `a b`. Only the low 52 bits of `a` and `b` count (VPMADD52LUQ).
    fn madd_low(self, sum: Self::Word, a: Self::Word, b: Self::Word) -> Self::Word;
    /// `sum` + the bits from 52 on of `a b`. Only the low 52 bits of `a` and `b` count
    /// (VPMADD52HUQ).
    fn madd_high(self, sum: Self::Word, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Bit i is set if word i is zero.
    fn zeros(self, a: Self::Word) -> u8;
    /// `a` where the mask has a bit, otherwise `b`.
    fn select(self, mask: u8, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Word i of the result is the word of `table` at the low three bits of word i of `index`.
    fn lookup(self, table: &X8, index: Self::Word) -> Self::Word;
    /// Word i of the result is word i + `BY` of `a`, counted modulo eight.
    fn rotate<const BY: usize>(self, a: Self::Word) -> Self::Word;
    /// Word j of the result holds limb j of all eight rows.
    fn transpose(self, rows: [&[u64; 4]; 8]) -> [Self::Word; 4];
    /// Row i of the result holds word i of all four columns.
    fn transpose_back(self, columns: [Self::Word; 4]) -> [[u64; 4]; 8];
}

/// Portable words. Operations of more than a few instructions per word are functions that are not
/// inlined: a product of two elements has fifty of them.
#[derive(Clone, Copy, Debug)]
pub struct PortableWords;

#[inline(always)]
fn map(a: X8, f: impl Fn(u64) -> u64) -> X8 {
    X8(a.0.map(f))
}

#[inline(always)]
fn zip(a: X8, b: X8, f: impl Fn(u64, u64) -> u64) -> X8 {
    X8(array_from_fn(|i| f(a.0[i], b.0[i])))
}

#[inline(always)]
pub(super) fn product(a: u64, b: u64) -> u128 {
    u128::from(a & LIMB_MASK) * u128::from(b & LIMB_MASK)
}

impl Vectors for PortableWords {}

impl Words for PortableWords {
    type Word = X8;
    const IN_REGISTERS: bool = false;

    #[inline(always)]
    fn load_all<const L: usize>(self, words: &[X8; L]) -> [X8; L] {
        *words
    }

    #[inline(always)]
    fn store_all<const L: usize>(self, a: &[X8; L]) -> [X8; L] {
        *a
    }

    methods! { X8 => X8:
        add(a, b) = zip(a, b, u64::wrapping_add);
        sub(a, b) = zip(a, b, u64::wrapping_sub);
        and(a, b) = zip(a, b, |a, b| a & b);
        or(a, b) = zip(a, b, |a, b| a | b);
        shl<BITS: u32>(a) = map(a, |a| a << BITS);
        shr<BITS: u32>(a) = map(a, |a| a >> BITS);
        sar<BITS: u32>(a) = map(a, |a| ((a as i64) >> BITS) as u64);
        rotate<BY: usize>(a) = X8(array_from_fn(|i| a.0[(i + BY) % 8]));
    }

    methods! { u64 => X8:
        splat(word) = X8([word; 8]);
    }

    #[inline(always)]
    fn shl_by(self, a: X8, bits: u32) -> X8 {
        map(a, |a| a << bits)
    }

    #[inline(always)]
    fn shr_by(self, a: X8, bits: u32) -> X8 {
        map(a, |a| a >> bits)
    }

    #[inline(never)]
    fn madd_low(self, sum: X8, a: X8, b: X8) -> X8 {
        zip(
            sum,
            zip(a, b, |a, b| product(a, b) as u64 & LIMB_MASK),
            u64::wrapping_add,
        )
    }

    #[inline(never)]
    fn madd_high(self, sum: X8, a: X8, b: X8) -> X8 {
        zip(
            sum,
            zip(a, b, |a, b| (product(a, b) >> LIMB_BITS) as u64),
            u64::wrapping_add,
        )
    }

    methods! { X8 => u8:
        zeros(a) = (0..8).fold(0, |mask, i| mask | u8::from(a.0[i] == 0) << i);
    }

    #[inline(never)]
    fn select(self, mask: u8, a: X8, b: X8) -> X8 {
        X8(array_from_fn(|i| {
            let bits = ct::mask(mask >> i & 1 == 1);
            (a.0[i] & bits) | (b.0[i] & !bits)
        }))
    }

    #[inline(never)]
    fn lookup(self, table: &X8, index: X8) -> X8 {
        // No address depends on the index, which may be secret.
        let t = &table.0;
        map(index, |i| {
            let [bit_0, bit_1, bit_2] =
                [i, i >> 1, i >> 2].map(|bits| ct::barrier((bits & 1).wrapping_neg()));
            let choose = |bit: u64, a: u64, b: u64| a ^ (bit & (a ^ b));
            let half = |first: usize| {
                let low = choose(bit_0, t[first], t[first + 1]);
                let high = choose(bit_0, t[first + 2], t[first + 3]);
                choose(bit_1, low, high)
            };
            choose(bit_2, half(0), half(4))
        })
    }

    methods! { [&[u64; 4]; 8] => [X8; 4]:
        transpose(rows) = array_from_fn(|j| X8(array_from_fn(|i| rows[i][j])));
    }

    methods! { [X8; 4] => [[u64; 4]; 8]:
        transpose_back(columns) = array_from_fn(|i| array_from_fn(|j| columns[j].0[i]));
    }
}
