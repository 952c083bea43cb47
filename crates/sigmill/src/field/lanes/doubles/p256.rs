//! P-256 in lanes of doubles: limbs of 48 bits, R = 2^240.
//!
//! The low and the high half of a column are numbers with known exponents. So their bits, added as
//! integers, are the sum of their digits and a constant. A column consists of the low half of its
//! own products and the high half of the products of the column before. The constants of all
//! columns, and those that make limbs signed again at the end, sum to 0 modulo p; the initial
//! values of the columns are chosen for that. So nothing is subtracted, and no digit is negative.

use super::DoublesField;
use super::columns::{
    First, Halves, all_columns, of_six_limbs, product_column, square_column, twice,
};
use super::digits::{self, carry_digit, digits_plus};
use super::modulus::{DoublesModulus, add_modulo, halved, to_signed_digits};
use super::reduction::{DoublesReduction, Limbs, carry};
use crate::field::Coordinate;
use crate::field::modulus::doubled;
use crate::field::p256::PRIME;
use crate::limbs::{self, Doubles};

/// The field of P-256 in lanes of doubles of `D`, with single values by kernel `S`.
pub type P256DoublesField<D, S, const WIDTH: usize> =
    DoublesField<D, P256DoublesReduction, S, 4, LIMBS, WIDTH>;

/// Number of limbs.
const LIMBS: usize = 6;

/// Number of columns of a product.
const COLUMNS: usize = 2 * LIMBS - 1;

/// The reduction modulo the prime of P-256, without products: p + 1 = 2^256 - 2^224 + 2^192 + 2^96,
/// and two of these powers are at the start of a limb.
///
/// Limbs of elements are at most 0.502 2^48 in size.
#[derive(Clone, Copy, Debug)]
pub struct P256DoublesReduction;

/// The number that represents a limb of 1: 2^-37. Products of two limbs are then so small that the
/// exponents of both halves of a column cancel, and digits below an exponent of 15 are limbs.
const UNIT: f64 = 1.0 / (1u64 << 37) as f64;

const POSITIONS: [u32; LIMBS] = [0, 48, 96, 144, 192, 240];

const MODULUS: DoublesModulus<4, LIMBS> =
    DoublesModulus::new(&PRIME, 240, POSITIONS, UNIT, [0.502, 1.02]);

/// Positions of digits that are the limbs times 2^16.
const SHIFTED: DoublesModulus<4, LIMBS> =
    DoublesModulus::new(&PRIME, 240, [0, 16, 64, 112, 160, 208], UNIT, [0.502, 1.02]);

/// Initial digits of a low half: half of the 52 bits.
const HALF: u64 = 1 << 51;

/// Sum of the initial digits of both halves of a column. The exponents of -1.5 2^26 and of 1.5
/// 2^-22 are 2^63 + (1049 + 1001) 2^52 = 2 2^52 modulo 2^64, and each has half of the 52 bits.
const BOTH: u64 = 3 << 52;

/// Initial bits of the lowest column, which has no high half below it.
const LOWEST: u64 = 1001 << 52 | HALF;

/// Extra value in the last column, so that it is not negative.
const ABOVE: u64 = 1 << 37;

/// Added to limbs to make them positive.
const CENTER: u64 = 1 << 47;

/// Initial digits of the high halves, in addition to half of the digits: those that make all
/// constants sum to 0 modulo p, and [`ABOVE`].
const HIGH_DIGITS: [i64; COLUMNS - 1] = high_digits();

/// Initial values of each column.
static FIRST: [First; COLUMNS - 1] = first_numbers();

const fn high_digits() -> [i64; COLUMNS - 1] {
    // Initial values of the columns, minus what is subtracted from limbs at the end. The highest
    // digits of the last column are constant except for `ABOVE`. They are folded, except where a
    // shift drops them.
    let over = (BOTH >> 16) as i64;
    let p = PRIME.prime();
    let mut sum = [0; 4];
    let mut k = COLUMNS;
    while k > 0 {
        k -= 1;
        let mut digits = match k {
            0 => LOWEST as i64,
            10 => ABOVE as i64,
            _ => BOTH as i64,
        };
        if k >= 5 && k < 10 {
            digits -= CENTER as i64;
        }
        match k {
            5 => digits += over,
            7 | 9 => digits -= over,
            _ => {}
        }
        sum = doubled(p, sum, 48);
        sum = add_modulo(&sum, digits, p);
    }
    // The negative of that, from the second column on.
    (sum, _) = limbs::subtract(p, &sum);
    sum = halved(p, sum, 48);
    let digits = to_signed_digits(&sum, &POSITIONS);
    let mut high = [0; COLUMNS - 1];
    let mut i = 0;
    while i < LIMBS {
        high[i] = digits[i];
        i += 1;
    }
    high[COLUMNS - 2] = ABOVE as i64;
    high
}

const fn first_numbers() -> [First; COLUMNS - 1] {
    /// The unit of products is 2^-74; that of high halves is 2^48 times that.
    const HIGH_UNIT: f64 = 1.0 / (1u64 << 26) as f64;
    /// Initial value of a low half, 1.5 2^52 units of products, in units of high halves.
    const LOW: i64 = 24;
    let mut numbers = [const { First::new(0.0, 0.0) }; COLUMNS - 1];
    let mut k = 0;
    while k < COLUMNS - 1 {
        let high = (1 << 52 | HALF) as i64 + HIGH_DIGITS[k];
        numbers[k] = First::new(high as f64 * HIGH_UNIT, (high + LOW) as f64 * HIGH_UNIT);
        k += 1;
    }
    numbers
}

/// Initial value of the low half of the last column, which has no high half.
const LAST: f64 = 1.5 / (1u64 << 22) as f64;

/// Columns as integers.
type Digits<D, const WIDTH: usize> = [<D as Doubles<WIDTH>>::Word; COLUMNS];

/// Combines both halves of all columns to the element that they amount to modulo p, divided by R.
///
/// The result is positive and below 1.01 2^256. In addition to the 16 bits of the last column, the
/// highest limb receives the initial value of the limb below, at least 47 and at most 2^7. All
/// limbs below the highest amount to less than 2^240.
#[inline(always)]
fn finish<D: Doubles<WIDTH>, const WIDTH: usize>(
    d: D,
    halves: [Halves<D, WIDTH>; COLUMNS - 1],
    last: D::Double,
    c: Option<&Limbs<D, LIMBS, WIDTH>>,
) -> Limbs<D, LIMBS, WIDTH> {
    let mut low = [last; COLUMNS];
    for (low, halves) in low.iter_mut().zip(&halves) {
        *low = halves.low;
    }
    if let Some(c) = c {
        let unit = d.splat(UNIT);
        for i in 0..LIMBS {
            low[i + 5] = d.multiply_sub(c[i], unit, low[i + 5]);
        }
    }
    let mut t = [d.bits(low[0]); COLUMNS];
    for k in 1..COLUMNS {
        t[k] = d.add_words(d.bits(low[k]), d.bits(halves[k - 1].high));
    }
    reduce_digit::<D, WIDTH, 0>(d, &mut t);
    reduce_digit::<D, WIDTH, 1>(d, &mut t);
    reduce_digit::<D, WIDTH, 2>(d, &mut t);
    reduce_digit::<D, WIDTH, 3>(d, &mut t);
    reduce_digit::<D, WIDTH, 4>(d, &mut t);
    // The part of the highest column above 2^256, times 2^224 - 2^192 - 2^96 + 1.
    let over = d.shr::<16>(t[10]);
    t[10] = d.and(t[10], d.splat_word(0xffff));
    t[9] = d.sub_words(d.add_words(t[9], d.shl::<32>(over)), over);
    t[7] = d.sub_words(t[7], over);
    t[5] = d.add_words(t[5], over);
    // Limbs: 48 bits each; the rest is carried to the next one. The digits of a number with the
    // exponent of 2^15 are a limb.
    let exponent = d.splat_word(EXPONENT);
    let center = d.splat(EXPONENT_IS + (CENTER as f64) * UNIT);
    let mut limbs = [last; LIMBS];
    limbs[0] = d.sub(d.from_bits(d.join_48(t[5], exponent)), center);
    for k in 1..LIMBS - 1 {
        let digits = d.join_48(t[5 + k], exponent);
        let digits = d.add_words(digits, d.shr::<48>(t[4 + k]));
        limbs[k] = d.sub(d.from_bits(digits), center);
    }
    let digits = d.add_words(d.or(t[10], exponent), d.shr::<48>(t[9]));
    limbs[LIMBS - 1] = d.sub(d.from_bits(digits), d.splat(EXPONENT_IS));
    limbs
}

/// The bits of 2^15.
const EXPONENT: u64 = 0x40e0 << 48;
const EXPONENT_IS: f64 = (1 << 15) as f64;

/// Clears digit `K`, q, by adding q times 2^256 - 2^224 + 2^192 + 2^96 above it: -1 / p is 1 modulo
/// 2^48.
#[inline(always)]
fn reduce_digit<D: Doubles<WIDTH>, const WIDTH: usize, const K: usize>(
    d: D,
    t: &mut Digits<D, WIDTH>,
) {
    let q = t[K];
    t[K + 2] = d.add_words(t[K + 2], q);
    t[K + 4] = d.sub_words(d.add_words(t[K + 4], q), d.low_16_shl_32(q));
    t[K + 5] = d.sub_words(d.add_words(t[K + 5], d.low_32_shl_16(q)), d.shr::<16>(q));
    t[K + 6] = d.add_words(t[K + 6], d.shr::<32>(q));
}

impl DoublesReduction<4, LIMBS> for P256DoublesReduction {
    type Tag = Coordinate;

    const IS_CENTERED: bool = false;

    const ROOM: f64 = 5.0;

    #[inline(always)]
    fn constants(self) -> &'static DoublesModulus<4, LIMBS> {
        &MODULUS
    }

    #[inline(always)]
    fn product<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        a: &Limbs<D, LIMBS, WIDTH>,
        b: &Limbs<D, LIMBS, WIDTH>,
        c: Option<&Limbs<D, LIMBS, WIDTH>>,
    ) -> Limbs<D, LIMBS, WIDTH> {
        macro_rules! column {
            ($k:tt) => {
                of_six_limbs!($k, product_column(d, &FIRST[$k], a, b))
            };
        }
        let last = d.multiply_add(a[5], b[5], d.splat(LAST));
        finish(d, all_columns!(column), last, c)
    }

    #[inline(always)]
    fn square<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        a: &Limbs<D, LIMBS, WIDTH>,
        c: Option<&Limbs<D, LIMBS, WIDTH>>,
    ) -> Limbs<D, LIMBS, WIDTH> {
        let twice = &twice(d, a);
        macro_rules! column {
            ($k:tt) => {
                of_six_limbs!($k, square_column(d, &FIRST[$k], a, twice))
            };
        }
        let last = d.multiply_add(a[5], a[5], d.splat(LAST));
        finish(d, all_columns!(column), last, c)
    }

    /// Adds `factor` times 2^224 - 2^192 - 2^96 + 1.
    #[inline(always)]
    fn fold<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        limbs: &mut Limbs<D, LIMBS, WIDTH>,
        factor: D::Double,
    ) {
        let unit = d.splat(UNIT);
        limbs[0] = d.multiply_add(factor, unit, limbs[0]);
        limbs[2] = d.multiply_sub(factor, unit, limbs[2]);
        let high = d.splat(UNIT * u32::MAX as f64);
        limbs[4] = d.multiply_add(factor, high, limbs[4]);
    }

    /// Converts x / 2^256 to x / 2^240, that is x / 2^16, in one step of 16 bits. With q = x mod
    /// 2^16, the result is (x + q p) / 2^16 = (x - q) / 2^16 + q (2^240 - 2^208 + 2^176 + 2^80).
    #[inline(always)]
    fn limbs_of_single<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        [w0, w1, w2, w3]: [D::Word; 4],
    ) -> Limbs<D, LIMBS, WIDTH> {
        let exponent = d.splat_word(EXPONENT);
        let q = d.and(w0, d.splat_word(0xffff));
        let q_32 = d.shl::<32>(q);
        let l2 = d.or(d.shr::<48>(w1), d.shl::<16>(w2));
        let l3 = d.or(d.shr::<32>(w2), d.shl::<32>(w3));
        // The limb with a subtraction starts higher, by half of the range of an exponent.
        let l4 = d.or(d.shr::<16>(w3), d.splat_word(EXPONENT | HALF));
        let digits = [
            d.or(d.shr::<16>(w0), exponent),
            d.add_words(d.join_48(w1, exponent), q_32),
            d.join_48(l2, exponent),
            d.add_words(d.join_48(l3, exponent), q_32),
            d.sub_words(l4, d.shl::<16>(q)),
            d.or(q, exponent),
        ];
        let zero = d.splat(0.0);
        let mut limbs = [zero; LIMBS];
        for i in 0..LIMBS {
            let is = match i {
                4 => 1.5 * EXPONENT_IS,
                _ => EXPONENT_IS,
            };
            limbs[i] = d.sub(d.from_bits(digits[i]), d.splat(is));
        }
        carry(d, &MODULUS, limbs)
    }

    /// Converts x / 2^240 to x / 2^256, that is x 2^16. So the highest limb is the part above
    /// 2^256, and is folded times 2^224 - 2^192 - 2^96 + 1. It is below 3.1 2^16, and the digits
    /// from which it is subtracted start with at least 3.4 2^48.
    #[inline(always)]
    fn digits_of_single<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        limbs: &Limbs<D, LIMBS, WIDTH>,
    ) -> (
        digits::Digits<D, LIMBS, WIDTH>,
        &'static DoublesModulus<4, LIMBS>,
    ) {
        let mut digits = digits_plus(d, &MODULUS, limbs, &MODULUS.double);
        carry_digit(d, &MODULUS, &mut digits, 4);
        let [x0, x1, x2, x3, x4, over] = digits;
        let over_32 = d.shl::<32>(over);
        let shifted = [
            d.and(over, d.splat_word(0xffff)),
            d.add_words(x0, d.shr::<16>(over)),
            d.sub_words(x1, over_32),
            x2,
            d.sub_words(x3, over_32),
            d.add_words(x4, d.shl::<16>(over)),
        ];
        (shifted, &SHIFTED)
    }
}
