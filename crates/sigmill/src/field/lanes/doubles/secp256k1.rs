//! secp256k1 in lanes of doubles: limbs of 43, 43 and 42 bits, so that 2^256 begins a limb; no
//! Montgomery form, R = 1.
//!
//! A limb i begins at 128 i / 3 bits, rounded up, so the product of limbs i and j begins where
//! column i + j does, or a bit before: then it counts twice. Columns have so much room that the
//! high ones are multiplied by 2^256 mod p as they are, carried once.

use super::DoublesField;
use super::columns::{Alignment, product_column, square_column, twice};
use super::digits::{Digits, carry_digit, digits_plus};
use super::modulus::{DoublesModulus, two_to};
use super::reduction::{DoublesReduction, Limbs, carry, round};
use crate::field::secp256k1::{FOLD, PRIME, Secp256k1Prime};
use crate::limbs::Doubles;

/// The field of secp256k1 in lanes of doubles of `D`, with single values by kernel `S`.
pub type Secp256k1DoublesField<D, S, const WIDTH: usize> =
    DoublesField<D, Secp256k1DoublesReduction, S, 4, LIMBS, WIDTH>;

/// The number of limbs.
const LIMBS: usize = 6;

/// The reduction modulo the prime of secp256k1, which folds: 2^256 is c = 2^32 + 977.
///
/// Limbs of elements are at most 2^43 in size.
#[derive(Clone, Copy, Debug)]
pub struct Secp256k1DoublesReduction;

const POSITIONS: [u32; LIMBS] = [0, 43, 86, 128, 171, 214];

static MODULUS: DoublesModulus<4, LIMBS> =
    DoublesModulus::new(&PRIME, 0, POSITIONS, 1.0, [1.0, 1.02]);

/// The size of a column: what its high half is a multiple of.
const fn size(k: usize) -> f64 {
    two_to(MODULUS.width(k % LIMBS))
}

/// What high halves begin with: numbers whose last digit is a multiple of the column's size.
const fn large(k: usize) -> f64 {
    1.5 * two_to(52) * size(k)
}

/// What is left of a high half's first number when it is carried; a low half that takes it begins
/// with the opposite, so that nothing is left.
const CARRIED: f64 = 1.5 * two_to(52);

/// What the halves of a column begin with. The lowest one takes nothing.
const fn first(k: usize) -> (f64, f64) {
    let low = if k == 0 { 0.0 } else { -CARRIED };
    (large(k), large(k) + low)
}

/// 2^256 mod p.
const C: f64 = FOLD as f64;

impl Alignment for Secp256k1DoublesReduction {
    #[inline(always)]
    fn is_doubled(i: usize, j: usize) -> bool {
        i % 3 + j % 3 >= 3
    }
}

/// What the column below gives to column `k`, beside what that has already.
#[inline(always)]
fn carried<D: Doubles<WIDTH>, const WIDTH: usize>(
    d: D,
    k: usize,
    high_below: D::Double,
    low: D::Double,
) -> D::Double {
    d.multiply_sub(high_below, d.splat(1.0 / size(k - 1)), low)
}

/// What is left at 2^256 as a factor of limbs of 1.
const AT_256: f64 = C / size(5);

/// The limbs that all columns amount to modulo p, less those of c, by a macro of what makes a
/// column; not yet carried. First the highest columns, which are carried once and then, times 2^256
/// mod p, go to the lowest ones; what that brings to 2^256 again goes to the lowest one at once. So
/// what waits for all of that is no more than a carry of all limbs side by side.
///
/// A sum of six products of limbs below 2^43, of which one is a sum of up to five, is below 2^92:
/// high halves are below 2^50 times the size of their column, low ones below 2^46. With 2^256 mod p
/// they are below 2^84, so what is carried at 2^256 is below 2^43, and its product two halves.
macro_rules! folded_columns {
    ($d:ident, $column:ident, $c:ident) => {{
        let (d, fold) = ($d, $d.splat(C));
        let mut fifth = $column!(5);
        let before = fifth.high;
        let tenth = $column!(10);
        let x11 = carried(d, 11, tenth.high, d.splat(-CARRIED));
        fifth.add(d, x11, fold);
        let above = d.sub(before, fifth.high);
        let sixth = $column!(6);
        let x6 = carried(d, 6, before, sixth.low);
        let seventh = $column!(7);
        let x7 = carried(d, 7, sixth.high, seventh.low);
        let eighth = $column!(8);
        let x8 = carried(d, 8, seventh.high, eighth.low);
        let ninth = $column!(9);
        let x9 = carried(d, 9, eighth.high, ninth.low);
        let x10 = carried(d, 10, ninth.high, tenth.low);
        let mut column = $column!(0);
        column.add(d, above, d.splat(AT_256));
        column.add(d, x6, fold);
        let mut limbs = [minus(d, column.low, $c, 0); LIMBS];
        let mut high = column.high;
        column = $column!(1);
        column.add(d, x7, fold);
        limbs[1] = carried(d, 1, high, minus(d, column.low, $c, 1));
        high = column.high;
        column = $column!(2);
        column.add(d, x8, fold);
        limbs[2] = carried(d, 2, high, minus(d, column.low, $c, 2));
        high = column.high;
        column = $column!(3);
        column.add(d, x9, fold);
        limbs[3] = carried(d, 3, high, minus(d, column.low, $c, 3));
        high = column.high;
        column = $column!(4);
        column.add(d, x10, fold);
        limbs[4] = carried(d, 4, high, minus(d, column.low, $c, 4));
        limbs[5] = carried(d, 5, column.high, minus(d, fifth.low, $c, 5));
        limbs
    }};
}

/// A limb less that of another element.
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

/// From limbs to the element that they amount to modulo p.
///
/// The highest limb is below 2^51, so what it has above 2^256 is below 2^9, and times 2^256 mod p
/// below 2^42: the lowest limb has room for that beside the 2^42 that it keeps.
#[inline(always)]
fn finish<D: Doubles<WIDTH>, const WIDTH: usize>(
    d: D,
    mut limbs: Limbs<D, LIMBS, WIDTH>,
) -> Limbs<D, LIMBS, WIDTH> {
    let over = round(d, limbs[5], size(5));
    limbs[5] = d.sub(limbs[5], over);
    let mut limbs = carry(d, &MODULUS, limbs);
    limbs[0] = d.multiply_add(over, d.splat(AT_256), limbs[0]);
    limbs
}

impl DoublesReduction<4, LIMBS> for Secp256k1DoublesReduction {
    type Tag = Secp256k1Prime;

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
        let twice_b = twice(d, b);
        macro_rules! column {
            ($k:literal) => {
                product_column::<Self, D, LIMBS, WIDTH, $k>(d, first($k), a, [b, &twice_b])
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
        let twice_a = twice(d, a);
        macro_rules! column {
            ($k:literal) => {
                square_column::<Self, D, LIMBS, WIDTH, $k>(d, first($k), [a, &twice_a])
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

    /// Limbs from 0 on: digits below 2^52 with an exponent in front, less the exponent's number.
    #[inline(always)]
    fn limbs_of_single<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        [w0, w1, w2, w3]: [D::Word; 4],
    ) -> Limbs<D, LIMBS, WIDTH> {
        let exponent = two_to(52);
        let low = d.splat_word((1 << 42) - 1);
        let low_43 = d.splat_word((1 << 43) - 1);
        let digits = [
            d.and(w0, low_43),
            d.and(d.or(d.shr::<43>(w0), d.shl::<21>(w1)), low_43),
            d.and(d.shr::<22>(w1), low),
            d.and(w2, low_43),
            d.and(d.or(d.shr::<43>(w2), d.shl::<21>(w3)), low_43),
            d.shr::<22>(w3),
        ];
        let mut limbs = [d.splat(0.0); LIMBS];
        for i in 0..LIMBS {
            let number = d.or(digits[i], d.splat_word(exponent.to_bits()));
            limbs[i] = d.sub(d.from_bits(number), d.splat(exponent));
        }
        limbs
    }

    /// What is above 2^256 is at most 4, and times 2^32 + 977, which is 2^10 - 2^5 - 2^4 + 1.
    #[inline(always)]
    fn digits_of_single<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        limbs: &Limbs<D, LIMBS, WIDTH>,
    ) -> (Digits<D, LIMBS, WIDTH>, &'static DoublesModulus<4, LIMBS>) {
        let mut digits = digits_plus(d, &MODULUS, limbs, &MODULUS.double);
        carry_digit(d, &MODULUS, &mut digits, 4);
        let over = d.shr::<42>(digits[5]);
        digits[5] = d.and(digits[5], d.splat_word((1 << 42) - 1));
        let more = d.add_words(d.shl::<32>(over), d.add_words(d.shl::<10>(over), over));
        let less = d.add_words(d.shl::<5>(over), d.shl::<4>(over));
        digits[0] = d.add_words(digits[0], d.sub_words(more, less));
        (digits, &MODULUS)
    }
}
