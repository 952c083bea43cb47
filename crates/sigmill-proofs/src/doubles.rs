//! Doubles that stand for all inputs at once: the backend of lanes of doubles.
//!
//! A sum or a multiply-add is exact if its result, an integer times a unit, is below 2^53 units. If
//! it is not, and lies in one binade for all inputs, the last digit has a known size: the result is
//! a new variable, and the arena learns that it differs from the exact value by at most half of
//! that. Anything else is a failure.

use num_bigint::BigInt;
use num_traits::{Signed as _, ToPrimitive as _, Zero as _};
use sigmill::hazmat::limbs::{Doubles, F64x4, Words};

use crate::arena::{Arena, Value, with};
use crate::polynomial::{Number, number, two_to};
use crate::words::{self, Symbolic};

/// The content of a register: a number, or a word whose binade need not be known.
#[derive(Clone, Copy, Debug)]
pub enum Double {
    /// A number.
    Number(Value),
    /// The bits of a number.
    Bits(Value),
}

/// A NaN. In memory, its low 32 bits are the index of a value that is a number.
const MARK: u64 = 0x7ff9 << 48;

/// A NaN whose low 32 bits are the index of a word.
const WORD_MARK: u64 = MARK | 1 << 32;

impl Double {
    /// The form of this content in memory.
    fn stored(self) -> u64 {
        match self {
            Self::Number(value) => MARK | u64::from(value.0),
            Self::Bits(value) => WORD_MARK | u64::from(value.0),
        }
    }

    /// The content of this form in memory. Numbers without a mark are constants.
    fn loaded(bits: u64) -> Self {
        let value = Value(bits as u32);
        match bits >> 32 << 32 {
            MARK => Self::Number(value),
            WORD_MARK => Self::Bits(value),
            _ => Self::Bits(words::splat(bits)),
        }
    }

    /// The number, whose binade must be known if it comes from bits.
    pub fn number(self) -> Value {
        match self {
            Self::Number(value) => value,
            Self::Bits(word) => with(|arena| from_bits(arena, word)),
        }
    }

    /// The bits; the binade must be known if they come from a number.
    fn bits(self) -> Value {
        match self {
            Self::Number(value) => with(|arena| to_bits(arena, value)),
            Self::Bits(word) => word,
        }
    }
}

/// The form of a value among words in memory.
pub fn stored_word(value: Value) -> u64 {
    Double::Bits(value).stored()
}

/// The value of this form among words in memory.
pub fn loaded_word(word: u64) -> Value {
    Double::loaded(word).bits()
}

/// The binade of a range: k if all sizes are in 2^k ..= 2^(k + 1), and whether all are negative.
/// The upper end counts: it is a multiple of the same last digit, and `to_bits` is right for it.
fn binade(low: &Number, high: &Number) -> Option<(i32, bool)> {
    let (least, most) = match low.is_positive() {
        true => (low.clone(), high.clone()),
        false => (-high, -low),
    };
    if !least.is_positive() {
        return None;
    }
    let length = |integer: &BigInt| i32::try_from(integer.bits()).expect("few bits");
    let mut exponent = length(least.numer()) - length(least.denom());
    if two_to(exponent) > least {
        exponent -= 1;
    }
    (most <= two_to(exponent + 1)).then(|| (exponent, low.is_negative()))
}

/// The number 0 - a.
fn negated(arena: &mut Arena, a: Value) -> Value {
    let zero = arena.constant(Number::zero());
    arena.difference(zero, a)
}

/// a + b, exactly. If a summand is itself a sum, the other order is tried, too: x + y - z is small
/// if x - z is known to be.
fn exact_sum(arena: &mut Arena, a: Value, b: Value) -> Value {
    let sum = arena.sum(a, b);
    let polynomial = arena.polynomial(sum);
    for (whole, other) in [(a, b), (b, a)] {
        let Some(&[x, y]) = arena.summands.get(&whole) else {
            continue;
        };
        for (first, last) in [(x, y), (y, x)] {
            let first = arena.sum(first, other);
            let [(low, high), (less, more)] = [first, last].map(|part| arena.range(part));
            arena.learn(&polynomial, [low + less, high + more]);
        }
    }
    let sum = arena.sum(a, b);
    arena.summands.insert(sum, [a, b]);
    sum
}

/// a + b, rounded; a if the operation is lost.
fn rounded_sum(arena: &mut Arena, a: Value, b: Value) -> Value {
    let sum = rounded(arena, a, b);
    arena.kept(sum, a)
}

fn rounded(arena: &mut Arena, a: Value, b: Value) -> Value {
    let sum = exact_sum(arena, a, b);
    let (low, high) = arena.range(sum);
    let size = low.abs().max(high.abs());
    let unit = arena.unit(sum);
    if size >= two_to(1023) || unit < -1022 {
        arena.fail(format!("a number beyond doubles: {low} ..= {high}"));
    }
    if size <= two_to(unit + 53) {
        return sum;
    }
    let Some((binade, _)) = binade(&low, &high) else {
        arena.fail(format!("inexact in several binades: {low} ..= {high}"));
        return sum;
    };
    let last = two_to(binade - 52);
    let half = two_to(binade - 53);
    let range = [
        ((low - &half) / &last).ceil(),
        ((high + &half) / last).floor(),
    ];
    let rounded = arena.variable(range, binade - 52);
    let polynomial = arena.polynomial(rounded);
    let error = &polynomial - &arena.polynomial(sum);
    arena.learn(&error, [-half.clone(), half.clone()]);
    // Without a summand, the result is the other one, up to the error.
    for (summand, other) in [(a, b), (b, a)] {
        let (low, high) = arena.range(other);
        let rest = &polynomial - &arena.polynomial(summand);
        arena.learn(&rest, [low - &half, high + &half]);
    }
    rounded
}

/// The bits of a number in 2^k ..= 2^(k + 1): its size in last digits, and (k + 1022) 2^52.
fn to_bits(arena: &mut Arena, a: Value) -> Value {
    let (low, high) = arena.range(a);
    let Some((binade, is_negative)) = binade(&low, &high) else {
        arena.fail(format!("bits in several binades: {low} ..= {high}"));
        return arena.constant(Number::zero());
    };
    let size = match is_negative {
        true => negated(arena, a),
        false => a,
    };
    let size = arena.scaled(size, 52 - binade);
    let sign = i128::from(is_negative) << 63;
    let exponent = arena.constant(number(sign + (i128::from(binade + 1022) << 52)));
    arena.sum(size, exponent)
}

/// The number with these bits.
fn from_bits(arena: &mut Arena, word: Value) -> Value {
    let (low, high) = arena.range(word);
    let [first, last] = [low, high].map(|end| (end / two_to(52)).floor().to_integer());
    let exponent = first.to_i32().expect("a word").rem_euclid(1 << 12);
    let is_negative = exponent >> 11 == 1;
    let binade = exponent % (1 << 11) - 1023;
    if first != last || binade == -1023 || binade == 1024 {
        arena.fail(format!("no known binade: exponents {first} ..= {last}"));
        return arena.constant(Number::zero());
    }
    let start = arena.constant(Number::from(first - 1) * two_to(52));
    let size = arena.difference(word, start);
    let size = arena.scaled(size, binade - 52);
    match is_negative {
        true => negated(arena, size),
        false => size,
    }
}

impl Doubles<4> for Symbolic {
    type Stored = F64x4;
    type Double = Double;
    type Word = Value;

    fn load_all<const L: usize>(self, numbers: &[F64x4; L]) -> [Double; L] {
        numbers.map(|numbers| Double::loaded(numbers.0[0].to_bits()))
    }

    fn store_all<const L: usize>(self, a: &[Double; L]) -> [F64x4; L] {
        a.map(|a| F64x4([f64::from_bits(a.stored()); 4]))
    }

    fn splat(self, number: f64) -> Double {
        let number = Number::from_float(number).expect("a number");
        Double::Number(with(|arena| arena.constant(number)))
    }

    fn add(self, a: Double, b: Double) -> Double {
        let (a, b) = (a.number(), b.number());
        Double::Number(with(|arena| rounded_sum(arena, a, b)))
    }

    fn sub(self, a: Double, b: Double) -> Double {
        let (a, b) = (a.number(), b.number());
        Double::Number(with(|arena| {
            let b = negated(arena, b);
            rounded_sum(arena, a, b)
        }))
    }

    fn multiply_add(self, a: Double, b: Double, c: Double) -> Double {
        let (a, b, c) = (a.number(), b.number(), c.number());
        Double::Number(with(|arena| {
            let product = arena.product(a, b);
            rounded_sum(arena, product, c)
        }))
    }

    fn multiply_sub(self, a: Double, b: Double, c: Double) -> Double {
        let (a, b, c) = (a.number(), b.number(), c.number());
        Double::Number(with(|arena| {
            let product = arena.product(a, b);
            let product = negated(arena, product);
            rounded_sum(arena, product, c)
        }))
    }

    fn select(self, mask: u8, a: Double, b: Double) -> Double {
        if mask == 0 { b } else { a }
    }

    fn in_order(self, a: Double) -> Double {
        a
    }

    fn bits(self, a: Double) -> Value {
        a.bits()
    }

    fn from_bits(self, a: Value) -> Double {
        Double::Bits(a)
    }

    fn splat_word(self, word: u64) -> Value {
        words::splat(word)
    }

    fn add_words(self, a: Value, b: Value) -> Value {
        Words::add(self, a, b)
    }

    fn sub_words(self, a: Value, b: Value) -> Value {
        Words::sub(self, a, b)
    }

    fn and(self, a: Value, b: Value) -> Value {
        Words::and(self, a, b)
    }

    fn or(self, a: Value, b: Value) -> Value {
        with(|arena| arena.or(a, b))
    }

    fn shl<const BITS: i32>(self, a: Value) -> Value {
        words::shl(a, BITS.cast_unsigned())
    }

    fn shr<const BITS: i32>(self, a: Value) -> Value {
        Words::shr_by(self, a, BITS.cast_unsigned())
    }

    fn shl_by(self, a: Value, bits: u32) -> Value {
        words::shl(a, bits)
    }

    fn shr_by(self, a: Value, bits: u32) -> Value {
        Words::shr_by(self, a, bits)
    }

    fn join_48(self, a: Value, b: Value) -> Value {
        let high = words::shl(words::shr(b, 48), 48);
        with(|arena| {
            let low = arena.low(a, 48);
            arena.or(low, high)
        })
    }

    fn low_16_shl_32(self, a: Value) -> Value {
        with(|arena| {
            let low = arena.low(a, 16);
            arena.scaled(low, 32)
        })
    }

    fn low_32_shl_16(self, a: Value) -> Value {
        with(|arena| {
            let low = arena.low(a, 32);
            arena.scaled(low, 16)
        })
    }

    fn signs(self, a: Value) -> u8 {
        with(|arena| {
            let sign = arena.floor(a, 63);
            if arena.each(sign) == 0 { 0 } else { 0xf }
        })
    }

    fn zeros(self, a: Value) -> u8 {
        words::zeros(a) & 0xf
    }

    fn transpose(self, rows: [&[u64; 4]; 8]) -> [Value; 4] {
        rows[0].map(loaded_word)
    }
}
