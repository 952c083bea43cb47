//! Words of 64 bits that stand for all inputs at once: the backend of lanes of 52 bits, and what
//! all backends share.

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One as _, ToPrimitive as _, Zero as _};
use sigmill::hazmat::limbs::{Vectors, Words, X8};

use crate::arena::{Arena, Value, with};
use crate::polynomial::{Number, number, two_to};

/// The backend: it computes what the code does for any input, in every lane alike. Requirements of
/// the code that do not hold are recorded in the arena.
#[derive(Clone, Copy, Debug)]
pub struct Symbolic;

impl Vectors for Symbolic {}

/// A word, from a value that may lie beyond 64 bits. Words are integers modulo 2^64: either in
/// 0 .. 2^64, or in -2^63 .. 2^63. A multiple of 2^64 is removed if it is the same for all inputs.
pub(crate) fn wrapped(arena: &mut Arena, value: Value) -> Value {
    let (low, high) = arena.range(value);
    let (least, most) = (-two_to(63), two_to(64));
    let value = if low < least || high >= most {
        let excess = (&low / &most).floor() * &most;
        let excess = arena.constant(excess);
        arena.difference(value, excess)
    } else {
        value
    };
    let (low, high) = arena.range(value);
    if low < least || high >= most || (low < Number::zero() && high >= two_to(63)) {
        arena.fail(format!("overflow of 64 bits: {low} ..= {high}"));
    }
    value
}

/// The result of an operation, unless it is lost ([`plant`](crate::arena::plant)).
pub(crate) fn kept(result: Value, lost: Value) -> Value {
    with(|arena| arena.kept(result, lost))
}

/// a + b in words.
pub(crate) fn add(a: Value, b: Value) -> Value {
    with(|arena| {
        let sum = arena.sum(a, b);
        wrapped(arena, sum)
    })
}

/// a - b in words.
pub(crate) fn sub(a: Value, b: Value) -> Value {
    with(|arena| {
        let difference = arena.difference(a, b);
        wrapped(arena, difference)
    })
}

/// a & b, where one is a constant of low bits, or all ones or all zeros.
pub(crate) fn and(a: Value, b: Value) -> Value {
    with(|arena| {
        for (value, mask) in [(a, b), (b, a)] {
            let (low, high) = arena.range(mask);
            if low >= -Number::one() && high <= Number::zero() {
                let product = arena.product(value, mask);
                let zero = arena.constant(Number::zero());
                return arena.difference(zero, product);
            }
        }
        for (value, mask) in [(a, b), (b, a)] {
            if let Some(mask) = arena.as_constant(mask) {
                let above = mask.to_integer() + BigInt::one();
                let bits = above.trailing_zeros().unwrap_or(0);
                if above == BigInt::one() << bits {
                    return arena.low(value, u32::try_from(bits).expect("64 bits"));
                }
            }
        }
        arena.fail("a mask that is neither low bits nor all or nothing");
        a
    })
}

/// a << bits: the highest bits are lost.
pub(crate) fn shl(a: Value, bits: u32) -> Value {
    with(|arena| {
        let kept = arena.low(a, 64 - bits);
        arena.scaled(kept, bits.cast_signed())
    })
}

/// Both ends of a range, as words.
pub(crate) fn ends(a: Value) -> [u64; 2] {
    let modulus = BigInt::one() << 64;
    let word = |end: Number| end.to_integer().mod_floor(&modulus).to_u64();
    let (low, high) = with(|arena| {
        arena.tighten(a);
        arena.range(a)
    });
    [low, high].map(|end| word(end).expect("below 2^64"))
}

/// a >> bits with zeros from the left.
pub(crate) fn shr(a: Value, bits: u32) -> Value {
    with(|arena| {
        if arena.range(a).0 < Number::zero() {
            arena.fail("a shift that loses a sign");
        }
        arena.floor(a, bits)
    })
}

/// The same integer in all lanes.
pub(crate) fn splat(word: u64) -> Value {
    with(|arena| arena.constant(number(word)))
}

/// The lanes in which a is zero: all or none, case by case.
pub(crate) fn zeros(a: Value) -> u8 {
    if with(|arena| arena.is_zero(a)) {
        0xff
    } else {
        0
    }
}

/// a if the mask has all lanes, b if it has none.
pub(crate) fn select(mask: u8, a: Value, b: Value) -> Value {
    assert!(mask == 0 || mask == 0xff, "all lanes are alike");
    if mask == 0 { b } else { a }
}

/// Both halves of the product of the low 52 bits. Runs one case for each value of a, if it has few
/// and b is constant: then a is a quotient.
pub(crate) fn halves(arena: &mut Arena, a: Value, b: Value) -> [Value; 2] {
    let (a, b) = (arena.low(a, 52), arena.low(b, 52));
    let (low, high) = arena.range(a);
    if high - low < number(MOST_CASES) && arena.as_constant(b).is_some() {
        arena.each(a);
    }
    arena.halves(a, b, 52)
}

/// Largest number of values of a quotient.
const MOST_CASES: u32 = 32;

impl Words for Symbolic {
    type Word = Value;
    const IN_REGISTERS: bool = false;

    fn load_all<const L: usize>(self, words: &[X8; L]) -> [Value; L] {
        words.map(|words| splat(words.0[0]))
    }

    /// Both ends of the range, in four lanes each. So an assertion of the library that a word is
    /// below a bound in all lanes holds only if it holds for all inputs.
    fn store_all<const L: usize>(self, a: &[Value; L]) -> [X8; L] {
        a.map(|a| {
            let [low, high] = ends(a);
            X8([low, low, low, low, high, high, high, high])
        })
    }

    fn splat(self, word: u64) -> Value {
        splat(word)
    }

    fn add(self, a: Value, b: Value) -> Value {
        kept(add(a, b), a)
    }

    fn sub(self, a: Value, b: Value) -> Value {
        kept(sub(a, b), a)
    }

    fn and(self, a: Value, b: Value) -> Value {
        kept(and(a, b), a)
    }

    fn or(self, a: Value, b: Value) -> Value {
        with(|arena| arena.or(a, b))
    }

    fn shl<const BITS: u32>(self, a: Value) -> Value {
        shl(a, BITS)
    }

    fn shr<const BITS: u32>(self, a: Value) -> Value {
        Words::shr_by(self, a, BITS)
    }

    fn shl_by(self, a: Value, bits: u32) -> Value {
        shl(a, bits)
    }

    fn shr_by(self, a: Value, bits: u32) -> Value {
        kept(shr(a, bits), splat(0))
    }

    fn sar<const BITS: u32>(self, a: Value) -> Value {
        let shifted = with(|arena| {
            if arena.range(a).1 >= two_to(63) {
                arena.fail("a shift that takes the highest bit for a sign");
            }
            arena.floor(a, BITS)
        });
        kept(shifted, splat(0))
    }

    fn madd_low(self, sum: Value, a: Value, b: Value) -> Value {
        let [low, _] = with(|arena| halves(arena, a, b));
        Words::add(self, sum, low)
    }

    fn madd_high(self, sum: Value, a: Value, b: Value) -> Value {
        let [_, high] = with(|arena| halves(arena, a, b));
        Words::add(self, sum, high)
    }

    fn zeros(self, a: Value) -> u8 {
        zeros(a)
    }

    fn select(self, mask: u8, a: Value, b: Value) -> Value {
        select(mask, a, b)
    }

    /// One case for each entry. Entries are signed.
    fn lookup(self, table: &X8, index: Value) -> Value {
        let entry = with(|arena| arena.each(index)).rem_euclid(8);
        let word = table.0[usize::try_from(entry).expect("below 8")];
        with(|arena| arena.constant(number(word.cast_signed())))
    }

    fn rotate<const BY: usize>(self, a: Value) -> Value {
        a
    }

    fn transpose(self, _: [&[u64; 4]; 8]) -> [Value; 4] {
        with(transposed)
    }

    fn transpose_back(self, columns: [Value; 4]) -> [[u64; 4]; 8] {
        with(|arena| arena.words_out.extend(columns));
        [[0; 4]; 8]
    }
}

/// The next four words of the input; zeros after the last one.
pub(crate) fn transposed(arena: &mut Arena) -> [Value; 4] {
    std::array::from_fn(|_| match arena.words_in.is_empty() {
        true => arena.constant(Number::zero()),
        false => arena.words_in.remove(0),
    })
}
