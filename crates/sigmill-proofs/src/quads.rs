//! The backend of the four products at once of X25519: a quad is four values.

use std::cell::Cell;

use num_traits::ToPrimitive as _;
use sigmill::hazmat::limbs::{Quads, X4};

use crate::arena::{Value, with};
use crate::polynomial::number;
use crate::words::{self, Symbolic, add, and, ends, halves, shr, splat, sub, wrapped};

thread_local!(static IS_UPPER: Cell<bool> = const { Cell::new(true) });

/// Runs a function twice. Assertions of the library see the lower ends of ranges of quads, then the
/// upper ones.
pub fn at_both_ends<T>(mut run: impl FnMut() -> T) -> [T; 2] {
    [false, true].map(|is_upper| {
        IS_UPPER.set(is_upper);
        run()
    })
}

/// The result of an operation, unless it is lost in the first lane.
fn kept(result: [Value; 4], lost: [Value; 4]) -> [Value; 4] {
    let [a, b, c, d] = result;
    [words::kept(a, lost[0]), b, c, d]
}

/// A function of the words of several quads, lane by lane.
fn zip<const N: usize>(quads: [[Value; 4]; N], f: impl Fn([Value; N]) -> Value) -> [Value; 4] {
    std::array::from_fn(|lane| f(quads.map(|quad| quad[lane])))
}

impl Quads for Symbolic {
    type Quad = [Value; 4];

    fn load(self, words: &X4) -> [Value; 4] {
        words.map(splat)
    }

    /// One end of each range ([`at_both_ends`]). So an assertion of the library that words are in
    /// a range holds at both ends only if it holds for all inputs.
    fn store(self, a: [Value; 4]) -> X4 {
        a.map(|a| ends(a)[usize::from(IS_UPPER.get())])
    }

    fn splat(self, word: u64) -> [Value; 4] {
        [splat(word); 4]
    }

    fn add(self, a: [Value; 4], b: [Value; 4]) -> [Value; 4] {
        kept(zip([a, b], |[a, b]| add(a, b)), a)
    }

    fn sub(self, a: [Value; 4], b: [Value; 4]) -> [Value; 4] {
        kept(zip([a, b], |[a, b]| sub(a, b)), a)
    }

    fn and(self, a: [Value; 4], b: [Value; 4]) -> [Value; 4] {
        kept(zip([a, b], |[a, b]| and(a, b)), a)
    }

    fn shr<const BITS: i32>(self, a: [Value; 4]) -> [Value; 4] {
        kept(a.map(|a| shr(a, BITS.cast_unsigned())), [splat(0); 4])
    }

    fn madd_low(self, sum: [Value; 4], a: [Value; 4], b: [Value; 4]) -> [Value; 4] {
        let low = zip([a, b], |[a, b]| with(|arena| halves(arena, a, b))[0]);
        Quads::add(self, sum, low)
    }

    fn madd_high(self, sum: [Value; 4], a: [Value; 4], b: [Value; 4]) -> [Value; 4] {
        let high = zip([a, b], |[a, b]| with(|arena| halves(arena, a, b))[1]);
        Quads::add(self, sum, high)
    }

    fn times_19(self, a: [Value; 4]) -> [Value; 4] {
        let times_19 = |a| {
            with(|arena| {
                let factor = arena.constant(number(19));
                let product = arena.product(a, factor);
                wrapped(arena, product)
            })
        };
        a.map(times_19)
    }

    fn blend<const MASK: u8>(self, a: [Value; 4], b: [Value; 4]) -> [Value; 4] {
        std::array::from_fn(|lane| {
            if MASK >> lane & 1 == 1 {
                a[lane]
            } else {
                b[lane]
            }
        })
    }

    fn evens(self, [a, _, c, _]: [Value; 4]) -> [Value; 4] {
        [a, a, c, c]
    }

    fn odds(self, [_, b, _, d]: [Value; 4]) -> [Value; 4] {
        [b, b, d, d]
    }

    /// Indices must be constants.
    fn permute(self, a: [Value; 4], indices: [Value; 4]) -> [Value; 4] {
        indices.map(|index| {
            let index = with(|arena| arena.as_constant(index)).expect("a constant");
            let index = index.to_integer().to_usize().expect("an index");
            a[index % 4]
        })
    }
}
