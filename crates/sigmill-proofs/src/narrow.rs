//! The backend of lanes of 29 bits.

use std::cell::Cell;

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One as _, ToPrimitive as _, Zero as _};
use sigmill::hazmat::limbs::{AlignedX4, NarrowQuads};

use crate::arena::{Arena, Value, with};
use crate::polynomial::{Number, number, two_to};
use crate::words::{Symbolic, add, and, select, shl, shr, splat, sub, transposed};

thread_local!(static SHIFTS: Cell<usize> = const { Cell::new(0) });

/// Plants a defect: the `n`-th shift to the right from now on loses its result. With 0, none does.
pub fn lose_shift(n: usize) {
    SHIFTS.set(n);
}

/// Reports whether the planted defect is still to come.
pub fn is_shift_left() -> bool {
    SHIFTS.get() > 0
}

pub(crate) fn is_lost() -> bool {
    let left = SHIFTS.get();
    SHIFTS.set(left.saturating_sub(1));
    left == 1
}

/// A mask of ones.
fn ones() -> Number {
    number(u64::MAX)
}

/// A value whose range is in 0 .. 2^`bits` if its polynomial shows that.
fn tightened(arena: &mut Arena, a: Value, bits: i32) -> Value {
    let (low, high) = arena.range(a);
    if low < Number::zero() || high >= two_to(bits) {
        arena.tighten(a);
    }
    a
}

/// The end of a range as a word.
fn word(end: &Number) -> u64 {
    let word = end.to_integer().mod_floor(&(BigInt::one() << 64));
    word.to_u64().expect("below 2^64")
}

impl NarrowQuads for Symbolic {
    type Quad = Value;
    const IN_REGISTERS: bool = false;

    fn load_all<const L: usize>(self, words: &[AlignedX4; L]) -> [Value; L] {
        words.each_ref().map(|words| {
            assert_eq!(words.0, [words.0[0]; 4], "all lanes are alike");
            splat(words.0[0])
        })
    }

    /// Both ends of the range, in two lanes each. So an assertion of the library that a word is
    /// below a bound in all lanes holds only if it holds for all inputs.
    fn store_all<const L: usize>(self, a: &[Value; L]) -> [AlignedX4; L] {
        a.map(|a| {
            let (low, high) = with(|arena| {
                arena.tighten(a);
                arena.range(a)
            });
            let [low, high] = [word(&low), word(&high)];
            AlignedX4([low, low, high, high])
        })
    }

    fn splat(self, word: u64) -> Value {
        splat(word)
    }

    fn opaque(self, a: Value) -> Value {
        a
    }

    fn add(self, a: Value, b: Value) -> Value {
        let sum = add(a, b);
        with(|arena| tightened(arena, sum, 64))
    }

    fn sub(self, a: Value, b: Value) -> Value {
        let difference = sub(a, b);
        with(|arena| tightened(arena, difference, 64))
    }

    fn and(self, a: Value, b: Value) -> Value {
        and(a, b)
    }

    fn or(self, a: Value, b: Value) -> Value {
        with(|arena| {
            if [a, b].map(|a| arena.as_constant(a)).contains(&Some(ones())) {
                return arena.constant(ones());
            }
            arena.or(a, b)
        })
    }

    fn shl<const BITS: i32>(self, a: Value) -> Value {
        shl(a, BITS.cast_unsigned())
    }

    fn shr<const BITS: i32>(self, a: Value) -> Value {
        self.shr_by(a, BITS.cast_unsigned())
    }

    fn shl_by(self, a: Value, bits: u32) -> Value {
        shl(a, bits)
    }

    fn shr_by(self, a: Value, bits: u32) -> Value {
        if is_lost() {
            return splat(0);
        }
        with(|arena| tightened(arena, a, 64));
        shr(a, bits)
    }

    fn multiply(self, a: Value, b: Value) -> Value {
        with(|arena| {
            let [a, b] = [a, b].map(|a| {
                tightened(arena, a, 32);
                arena.low(a, 32)
            });
            arena.product(a, b)
        })
    }

    /// One case for each answer that is possible.
    fn equal(self, a: Value, b: Value) -> Value {
        with(|arena| {
            let difference = match arena.as_constant(b) {
                Some(b) if b.is_zero() => a,
                _ => arena.difference(a, b),
            };
            let (low, high) = arena.range(difference);
            if low <= -two_to(64) || high >= two_to(64) {
                arena.fail("words that are equal only modulo 2^64");
            }
            match arena.is_zero(difference) {
                true => arena.constant(ones()),
                false => arena.constant(Number::zero()),
            }
        })
    }

    fn select(self, mask: Value, a: Value, b: Value) -> Value {
        let chosen = with(|arena| arena.as_constant(mask)).expect("a constant mask");
        select(if chosen == ones() { 0xff } else { 0 }, a, b)
    }

    fn rotate<const BY: usize>(self, a: Value) -> Value {
        a
    }

    /// The next words of the input, if there are any. Otherwise the rows are words of the output.
    fn transpose(self, rows: [Value; 4]) -> [Value; 4] {
        with(|arena| {
            if !arena.words_in.is_empty() {
                return transposed(arena);
            }
            arena.words_out.extend(rows);
            rows
        })
    }

    /// Rows are read only to transpose them.
    fn load_row(self, _: &[u64; 4]) -> Value {
        splat(0)
    }
}
