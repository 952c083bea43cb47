//! The backend of lanes of 29 bits.

use num_traits::Zero as _;
use sigmill::hazmat::limbs::{AlignedX4, NarrowQuads};

use crate::arena::{Arena, Value, with};
use crate::polynomial::{Number, number, two_to};
use crate::words::{Symbolic, add, and, ends, kept, shl, shr, splat, sub, transposed};

/// A mask of ones.
fn ones() -> Number {
    number(u64::MAX)
}

/// Narrows a value to 0 .. 2^`bits` if its polynomial shows that it is there.
fn tighten_to(arena: &mut Arena, a: Value, bits: i32) {
    let (low, high) = arena.range(a);
    if low < Number::zero() || high >= two_to(bits) {
        arena.tighten(a);
    }
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
            let [low, high] = ends(a);
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
        with(|arena| tighten_to(arena, sum, 64));
        kept(sum, a)
    }

    fn sub(self, a: Value, b: Value) -> Value {
        let difference = sub(a, b);
        with(|arena| tighten_to(arena, difference, 64));
        kept(difference, a)
    }

    fn and(self, a: Value, b: Value) -> Value {
        kept(and(a, b), a)
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
        with(|arena| tighten_to(arena, a, 64));
        kept(shr(a, bits), splat(0))
    }

    fn multiply(self, a: Value, b: Value) -> Value {
        with(|arena| {
            let [a, b] = [a, b].map(|a| {
                tighten_to(arena, a, 32);
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
        match with(|arena| arena.as_constant(mask)) {
            Some(mask) if mask == ones() || mask == number(-1) => a,
            Some(mask) if mask.is_zero() => b,
            _ => {
                with(|arena| arena.fail("a mask that is neither ones nor zeros"));
                a
            }
        }
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
