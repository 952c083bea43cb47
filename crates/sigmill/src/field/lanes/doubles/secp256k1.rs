//! secp256k1 in lanes of doubles: limbs of 43 bits, the highest of 41; no Montgomery form, R = 1.
//!
//! Columns have enough room to multiply those from 2^258 on by 2^258 mod p directly; they are
//! carried once.

use super::DoublesField;
use super::columns::{First, Halves, of_six_limbs, product_column, square_column, twice};
use super::digits::{Digits, carry_digit, digits_plus};
use super::modulus::{DoublesModulus, two_to};
use super::reduction::{DoublesReduction, Limbs, carry, round};
use crate::field::Coordinate;
use crate::field::secp256k1::{FOLD, PRIME};
use crate::limbs::Doubles;

/// The field of secp256k1 in lanes of doubles of `D`, with single values by kernel `S`.
pub type Secp256k1DoublesField<D, S, const WIDTH: usize> =
    DoublesField<D, Secp256k1DoublesReduction, S, 4, LIMBS, WIDTH>;

/// Number of limbs.
const LIMBS: usize = 6;

/// The reduction modulo the prime of secp256k1, which folds: 2^256 is c = 2^32 + 977.
///
/// Limbs of elements are at most 2^43 in size.
#[derive(Clone, Copy, Debug)]
pub struct Secp256k1DoublesReduction;

const POSITIONS: [u32; LIMBS] = [0, 43, 86, 129, 172, 215];

const MODULUS: DoublesModulus<4, LIMBS> =
    DoublesModulus::new(&PRIME, 0, POSITIONS, 1.0, [1.0, 1.02]);

/// The size of a column: high halves are multiples of it.
const SIZE: f64 = two_to(43);

/// The rest of a high half's initial value when it is carried. The low half that receives it starts
/// with the opposite, so that both cancel.
const CARRIED: f64 = 1.5 * two_to(52);

/// Initial value of high halves: a number whose last digit is a multiple of the column's size.
const LARGE: f64 = CARRIED * SIZE;

/// Initial values of the halves of the lowest column, and of the others. The lowest column receives
/// no carry.
static LOWEST: First = First::new(LARGE, LARGE);
static OTHERS: First = First::new(LARGE, LARGE - CARRIED);

#[inline(always)]
const fn first(k: usize) -> &'static First {
    if k == 0 { &LOWEST } else { &OTHERS }
}

/// 2^256 mod p.
const C: f64 = FOLD as f64;

/// 2^258 mod p. The upper columns start at 2^258.
const C_258: f64 = 4.0 * C;

/// The size of the highest limb of an element.
const HIGHEST: f64 = two_to(41);

/// The low half of a column plus the carry from the column below.
#[inline(always)]
fn carried<D: Doubles<WIDTH>, const WIDTH: usize>(
    d: D,
    high_below: D::Double,
    low: D::Double,
) -> D::Double {
    d.multiply_sub(high_below, d.splat(1.0 / SIZE), low)
}

/// The limbs that all columns amount to modulo p, minus those of c; not yet carried. The macro
/// `$column` creates a column. The highest columns are carried once and then, times 2^258 mod p,
/// added to the lowest ones. What this brings to 2^258 again is added to the lowest column at once.
/// So only one carry of all limbs, side by side, waits for all of that.
///
/// A sum of six products of limbs below 2^43, where one factor is a sum of up to five, is below
/// 2^92. So high halves are below 2^50 times the size of their column, and low halves below 2^46.
/// Times 2^258 mod p they are below 2^85, so the carry at 2^258 is below 2^43, and its product has
/// two halves.
macro_rules! folded_columns {
    ($d:ident, $column:ident, $c:ident) => {{
        let (d, fold) = ($d, $d.splat(C_258));
        let mut fifth = $column!(5);
        let before = fifth.high;
        let tenth = $column!(10);
        let x11 = carried(d, tenth.high, d.splat(-CARRIED));
        fifth.add(d, x11, fold);
        let above = d.sub(before, fifth.high);
        let mut upper = $column!(6);
        let x6 = carried(d, before, upper.low);
        let mut lower = $column!(0);
        lower.add(d, above, d.splat(C_258 / SIZE));
        lower.add(d, x6, fold);
        let mut limbs = [minus(d, lower.low, $c, 0); LIMBS];
        folded_columns!(@next d, $column, $c, fold, upper, lower, limbs, 7 1, 8 2, 9 3);
        let x10 = carried(d, upper.high, tenth.low);
        let high = lower.high;
        let mut column = $column!(4);
        column.add(d, x10, fold);
        limbs[4] = carried(d, high, minus(d, column.low, $c, 4));
        limbs[5] = carried(d, column.high, minus(d, fifth.low, $c, 5));
        limbs
    }};
    (@next $d:ident, $column:ident, $c:ident, $fold:ident, $upper:ident, $lower:ident, $limbs:ident,
     $($k:tt $i:tt),*) => {
        $(
            let high = $upper.high;
            $upper = $column!($k);
            let x = carried($d, high, $upper.low);
            let high = $lower.high;
            $lower = $column!($i);
            $lower.add($d, x, $fold);
            $limbs[$i] = carried($d, high, minus($d, $lower.low, $c, $i));
        )*
    };
}

/// A limb minus that of another element.
#[inline(always)]
fn minus<D: Doubles<WIDTH>, const WIDTH: usize>(
    d: D,
    limb: D::Double,
    c: Option<&Limbs<D, LIMBS, WIDTH>>,
    k: usize,
) -> D::Double {
    match c {
        Some(c) => d.sub(limb, c[k]),
        None => limb,
    }
}

/// Reduces limbs to the element that they amount to modulo p.
///
/// The highest limb receives the part of column 4, of five products, above its 43 bits. It is below
/// 2^49, so its part above 2^256 is below 2^8, and times 2^256 mod p below 2^41. The lowest limb
/// has room for that in addition to the 2^42 that it keeps.
#[inline(always)]
fn finish<D: Doubles<WIDTH>, const WIDTH: usize>(
    d: D,
    mut limbs: Limbs<D, LIMBS, WIDTH>,
) -> Limbs<D, LIMBS, WIDTH> {
    let over = round(d, limbs[5], HIGHEST);
    limbs[5] = d.sub(limbs[5], over);
    let mut limbs = carry(d, &MODULUS, limbs);
    limbs[0] = d.multiply_add(over, d.splat(C / HIGHEST), limbs[0]);
    limbs
}

impl DoublesReduction<4, LIMBS> for Secp256k1DoublesReduction {
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
                of_six_limbs!($k, product_column(d, first($k), a, b))
            };
        }
        finish(d, folded_columns!(d, column, c))
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
                of_six_limbs!($k, square_column(d, first($k), a, twice))
            };
        }
        finish(d, folded_columns!(d, column, c))
    }

    #[inline(always)]
    fn fold<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        limbs: &mut Limbs<D, LIMBS, WIDTH>,
        factor: D::Double,
    ) {
        limbs[0] = d.multiply_add(factor, d.splat(C), limbs[0]);
    }

    /// Non-negative limbs: digits below 2^52 with an exponent in front, minus the number of that
    /// exponent.
    #[inline(always)]
    fn limbs_of_single<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        [w0, w1, w2, w3]: [D::Word; 4],
    ) -> Limbs<D, LIMBS, WIDTH> {
        let exponent = two_to(52);
        let low_43 = d.splat_word((1 << 43) - 1);
        let digits = [
            d.and(w0, low_43),
            d.and(d.or(d.shr::<43>(w0), d.shl::<21>(w1)), low_43),
            d.and(d.or(d.shr::<22>(w1), d.shl::<42>(w2)), low_43),
            d.and(d.shr::<1>(w2), low_43),
            d.and(d.or(d.shr::<44>(w2), d.shl::<20>(w3)), low_43),
            d.shr::<23>(w3),
        ];
        let mut limbs = [d.splat(0.0); LIMBS];
        for i in 0..LIMBS {
            let number = d.or(digits[i], d.splat_word(exponent.to_bits()));
            limbs[i] = d.sub(d.from_bits(number), d.splat(exponent));
        }
        limbs
    }

    /// The part above 2^256 is at most 4. It is folded times 2^32 + 977, where 977 = 2^10 - 2^5 -
    /// 2^4 + 1.
    #[inline(always)]
    fn digits_of_single<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        limbs: &Limbs<D, LIMBS, WIDTH>,
    ) -> (Digits<D, LIMBS, WIDTH>, &'static DoublesModulus<4, LIMBS>) {
        let mut digits = digits_plus(d, &MODULUS, limbs, &MODULUS.double);
        carry_digit(d, &MODULUS, &mut digits, 4);
        let over = d.shr::<41>(digits[5]);
        digits[5] = d.and(digits[5], d.splat_word((1 << 41) - 1));
        let more = d.add_words(d.shl::<32>(over), d.add_words(d.shl::<10>(over), over));
        let less = d.add_words(d.shl::<5>(over), d.shl::<4>(over));
        digits[0] = d.add_words(digits[0], d.sub_words(more, less));
        (digits, &MODULUS)
    }
}
