//! The backend of four words with different contents.

use num_traits::ToPrimitive as _;
use sigmill::hazmat::limbs::{Quads, Words, X4};

use crate::arena::{Value, with};
use crate::narrow::is_lost;
use crate::polynomial::number;
use crate::words::{Symbolic, add, and, shr, splat, sub, wrapped};

/// A function of the words of several quads, lane by lane.
fn zip<const N: usize>(quads: [[Value; 4]; N], f: impl Fn([Value; N]) -> Value) -> [Value; 4] {
    std::array::from_fn(|lane| f(quads.map(|quad| quad[lane])))
}

impl Quads for Symbolic {
    type Quad = [Value; 4];

    fn load(self, words: &X4) -> [Value; 4] {
        words.map(splat)
    }

    /// The largest word of each range, or of all words if a word may be negative. So an assertion
    /// of the library that words are below a bound holds only if it holds for all inputs.
    fn store(self, a: [Value; 4]) -> X4 {
        a.map(|a| {
            let (low, high) = with(|arena| arena.range(a));
            let [least, most] = [low, high].map(|end| end.to_integer().to_u64());
            least.and(most).unwrap_or(u64::MAX)
        })
    }

    fn splat(self, word: u64) -> [Value; 4] {
        [splat(word); 4]
    }

    fn add(self, a: [Value; 4], b: [Value; 4]) -> [Value; 4] {
        zip([a, b], |[a, b]| add(a, b))
    }

    fn sub(self, a: [Value; 4], b: [Value; 4]) -> [Value; 4] {
        zip([a, b], |[a, b]| sub(a, b))
    }

    fn and(self, a: [Value; 4], b: [Value; 4]) -> [Value; 4] {
        zip([a, b], |[a, b]| and(a, b))
    }

    fn shr<const BITS: i32>(self, a: [Value; 4]) -> [Value; 4] {
        if is_lost() {
            return Quads::splat(self, 0);
        }
        a.map(|a| shr(a, BITS.cast_unsigned()))
    }

    fn madd_low(self, sum: [Value; 4], a: [Value; 4], b: [Value; 4]) -> [Value; 4] {
        zip([sum, a, b], |[sum, a, b]| Words::madd_low(self, sum, a, b))
    }

    fn madd_high(self, sum: [Value; 4], a: [Value; 4], b: [Value; 4]) -> [Value; 4] {
        zip([sum, a, b], |[sum, a, b]| Words::madd_high(self, sum, a, b))
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

    /// Indices are numbers.
    fn permute(self, a: [Value; 4], indices: [Value; 4]) -> [Value; 4] {
        indices.map(|index| {
            let index = with(|arena| arena.as_constant(index)).expect("a constant");
            let index = index.to_integer().to_usize().expect("an index");
            a[index % 4]
        })
    }
}
