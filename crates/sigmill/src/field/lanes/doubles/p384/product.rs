//! Products modulo the prime of P-384.

use super::constants::{
    BOTH, CENTER, CLEARED, COLUMNS, EXPONENT, EXPONENT_IS, FIRST, LIMBS, LOW_BITS, LOWEST, MIDDLE,
    SECOND_CHAIN, UNIT,
};
use crate::field::lanes::doubles::columns::{Halves, product_column, square_column, twice};
use crate::field::lanes::doubles::reduction::Limbs;
use crate::limbs::{Doubles, VectorOperation};

/// The columns as integers, and the digit above them.
type Digits<D, const WIDTH: usize> = [<D as Doubles<WIDTH>>::Word; COLUMNS + 1];

/// The halves of all columns. The middle column has two chains.
struct Columns<D: Doubles<WIDTH>, const WIDTH: usize> {
    halves: [Halves<D, WIDTH>; COLUMNS],
    second_chain: Halves<D, WIDTH>,
}

/// Combines both halves of all columns to the element that they amount to modulo p, divided by R.
///
/// Digits are below 2^57 until the part above 2^384 is folded. That part is below 2^64 - 2^61 and
/// is added to the lowest limb and the third. So no digit overflows, and a limb receives at most
/// 2^16 from the one below.
#[inline(always)]
fn finish<D: Doubles<WIDTH>, const WIDTH: usize>(
    d: D,
    columns: Columns<D, WIDTH>,
    c: Option<&Limbs<D, LIMBS, WIDTH>>,
) -> Limbs<D, LIMBS, WIDTH> {
    let Columns {
        halves,
        second_chain,
    } = columns;
    let mut low = [second_chain.low; COLUMNS];
    for (low, halves) in low.iter_mut().zip(&halves) {
        *low = halves.low;
    }
    low[MIDDLE] = d.add(low[MIDDLE], second_chain.low);
    if let Some(c) = c {
        let unit = d.splat(UNIT);
        for i in 0..LIMBS {
            low[CLEARED + i] = d.multiply_sub(c[i], unit, low[CLEARED + i]);
        }
    }
    let mut t = [d.bits(halves[COLUMNS - 1].high); COLUMNS + 1];
    t[0] = d.bits(low[0]);
    for k in 1..COLUMNS {
        t[k] = d.add_words(d.bits(low[k]), d.bits(halves[k - 1].high));
    }
    t[0] = d.add_words(t[0], d.splat_word(LOWEST[0].wrapping_sub(LOW_BITS)));
    t[1] = d.add_words(t[1], d.splat_word(LOWEST[1].wrapping_sub(BOTH)));
    t[MIDDLE + 1] = d.add_words(t[MIDDLE + 1], d.bits(second_chain.high));
    clear_digit::<D, WIDTH, 0>(d, &mut t);
    clear_digit::<D, WIDTH, 1>(d, &mut t);
    clear_digit::<D, WIDTH, 2>(d, &mut t);
    clear_digit::<D, WIDTH, 3>(d, &mut t);
    clear_digit::<D, WIDTH, 4>(d, &mut t);
    clear_digit::<D, WIDTH, 5>(d, &mut t);
    clear_digit::<D, WIDTH, 6>(d, &mut t);
    // The part above 2^384, times 2^128 + 2^96 - 2^32 + 1.
    let over = d.add_words(t[15], d.shr::<48>(t[14]));
    let (low_16, rest) = (d.low_16_shl_32(over), d.shr::<16>(over));
    t[7] = d.add_words(t[7], d.sub_words(over, low_16));
    t[8] = d.sub_words(t[8], rest);
    t[9] = d.add_words(t[9], d.add_words(over, low_16));
    t[10] = d.add_words(t[10], rest);
    // Limbs: 48 bits each; the rest is carried to the next one.
    let exponent = d.splat_word(EXPONENT);
    let center = d.splat(EXPONENT_IS + (CENTER as f64) * UNIT);
    let mut limbs = [low[0]; LIMBS];
    limbs[0] = d.sub(d.from_bits(d.join_48(t[CLEARED], exponent)), center);
    for k in 1..LIMBS {
        let digits = d.join_48(t[CLEARED + k], exponent);
        let digits = d.add_words(digits, d.shr::<48>(t[CLEARED + k - 1]));
        limbs[k] = d.sub(d.from_bits(digits), center);
    }
    limbs
}

/// Clears digit `K`, u, by adding u times 2^416 + 2^384 - 2^160 - 2^129 - 2^96 + 2^64 above it.
#[inline(always)]
fn clear_digit<D: Doubles<WIDTH>, const WIDTH: usize, const K: usize>(
    d: D,
    t: &mut Digits<D, WIDTH>,
) {
    let u = t[K];
    // u at 2^16 and at 2^32, split at 2^48.
    let (low_32, above_32) = (d.low_32_shl_16(u), d.shr::<32>(u));
    let (low_16, above_16) = (d.low_16_shl_32(u), d.shr::<16>(u));
    let u_and_low_16 = d.add_words(u, low_16);
    t[K + 1] = d.add_words(t[K + 1], low_32);
    let less = d.sub_words(d.add_words(u_and_low_16, low_16), above_32);
    t[K + 2] = d.sub_words(t[K + 2], less);
    let less = d.add_words(d.add_words(above_16, above_16), low_32);
    t[K + 3] = d.sub_words(t[K + 3], less);
    t[K + 4] = d.sub_words(t[K + 4], above_32);
    t[K + 8] = d.add_words(t[K + 8], u_and_low_16);
    t[K + 9] = d.add_words(t[K + 9], above_16);
}

/// All columns, in order. The macro `$column` creates one from its initial values and two lists of
/// limb numbers: those of a product and those of a square. The middle column, which has the most
/// products, is two chains.
macro_rules! columns {
    ($d:ident, $column:ident) => {
        Columns {
            halves: [
                before($d, $column!(&FIRST[0]; 0, [0], [0])),
                before($d, $column!(&FIRST[1]; 1, [0 1], [0])),
                before($d, $column!(&FIRST[2]; 2, [0 1 2], [0 1])),
                before($d, $column!(&FIRST[3]; 3, [0 1 2 3], [0 1])),
                before($d, $column!(&FIRST[4]; 4, [0 1 2 3 4], [0 1 2])),
                before($d, $column!(&FIRST[5]; 5, [0 1 2 3 4 5], [0 1 2])),
                before($d, $column!(&FIRST[6]; 6, [0 1 2 3 4 5 6], [0 1 2 3])),
                before($d, $column!(&FIRST[7]; 7, [0 1 2 3], [0 1])),
                before($d, $column!(&FIRST[8]; 8, [1 2 3 4 5 6 7], [1 2 3 4])),
                before($d, $column!(&FIRST[9]; 9, [2 3 4 5 6 7], [2 3 4])),
                before($d, $column!(&FIRST[10]; 10, [3 4 5 6 7], [3 4 5])),
                before($d, $column!(&FIRST[11]; 11, [4 5 6 7], [4 5])),
                before($d, $column!(&FIRST[12]; 12, [5 6 7], [5 6])),
                before($d, $column!(&FIRST[13]; 13, [6 7], [6])),
                before($d, $column!(&FIRST[14]; 14, [7], [7])),
            ],
            second_chain: before($d, $column!(&SECOND_CHAIN; 7, [4 5 6 7], [2 3])),
        }
    };
}

const _: () = assert!(COLUMNS == 15 && MIDDLE == 7, "the columns above");

/// Limbs in memory.
pub(super) type Stored<D, const WIDTH: usize> = [<D as Doubles<WIDTH>>::Stored; LIMBS];

/// A product of two factors, or the square of one, minus one element or none. It is a separate
/// function: loops with several of them would cost the compiler too much time. Factors do not stay
/// in registers through so long a product anyway.
pub(super) struct Product<
    'a,
    D: Doubles<WIDTH>,
    const WIDTH: usize,
    const FACTORS: usize,
    const LESS: usize,
> {
    pub(super) factors: [&'a Stored<D, WIDTH>; FACTORS],
    pub(super) less: [&'a Stored<D, WIDTH>; LESS],
}

impl<D, const WIDTH: usize, const FACTORS: usize, const LESS: usize> VectorOperation<D>
    for Product<'_, D, WIDTH, FACTORS, LESS>
where
    D: Doubles<WIDTH>,
{
    type Output = Stored<D, WIDTH>;

    #[inline(always)]
    fn run(self, d: D) -> Self::Output {
        let a = &d.load_all(self.factors[0]);
        let columns = if const { FACTORS == 1 } {
            square_columns(d, a)
        } else {
            product_columns(d, a, &d.load_all(self.factors[1]))
        };
        let c = if const { LESS == 0 } {
            None
        } else {
            Some(&d.load_all(self.less[0]))
        };
        d.store_all(&finish(d, columns, c))
    }
}

#[inline(always)]
fn product_columns<D: Doubles<WIDTH>, const WIDTH: usize>(
    d: D,
    a: &Limbs<D, LIMBS, WIDTH>,
    b: &Limbs<D, LIMBS, WIDTH>,
) -> Columns<D, WIDTH> {
    macro_rules! column {
        ($first:expr; $k:tt, [$i:tt $($next:tt)*], $of_square:tt) => {
            product_column!(d, $first, after(d, a, $i), b; $k, [$i $($next)*], $of_square)
        };
    }
    columns!(d, column)
}

#[inline(always)]
fn square_columns<D: Doubles<WIDTH>, const WIDTH: usize>(
    d: D,
    a: &Limbs<D, LIMBS, WIDTH>,
) -> Columns<D, WIDTH> {
    let twice = &twice(d, a);
    macro_rules! column {
        ($first:expr; $k:tt, $of_product:tt, [$i:tt $($next:tt)*]) => {
            square_column!(d, $first, after(d, a, $i), twice; $k, $of_product, [$i $($next)*])
        };
    }
    columns!(d, column)
}

/// A factor whose limb `first`, the first of a column, is available only after the columns before.
#[inline(always)]
fn after<D: Doubles<WIDTH>, const WIDTH: usize>(
    d: D,
    a: &Limbs<D, LIMBS, WIDTH>,
    first: usize,
) -> Limbs<D, LIMBS, WIDTH> {
    let mut a = *a;
    a[first] = d.in_order(a[first]);
    a
}

/// Both halves of a column, ordered before the columns after it.
#[inline(always)]
fn before<D: Doubles<WIDTH>, const WIDTH: usize>(
    d: D,
    column: Halves<D, WIDTH>,
) -> Halves<D, WIDTH> {
    Halves {
        high: d.in_order(column.high),
        low: d.in_order(column.low),
    }
}
