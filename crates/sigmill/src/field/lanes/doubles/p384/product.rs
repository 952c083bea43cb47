//! Products modulo the prime of P-384.

use super::constants::{
    BOTH, CENTER, CLEARED, COLUMNS, EXPONENT, EXPONENT_IS, FIRST, LIMBS, LOW_BITS, LOWEST, MIDDLE,
    SECOND_CHAIN, UNIT,
};
use crate::field::lanes::doubles::columns::{
    Halves, Squared, product_column, product_column_part, square_column, square_column_part, twice,
};
use crate::field::lanes::doubles::reduction::Limbs;
use crate::limbs::{Doubles, DoublesOperation};

/// The columns as integers, and what is above them.
type Digits<D, const WIDTH: usize> = [<D as Doubles<WIDTH>>::Word; COLUMNS + 1];

/// The halves of all columns but the middle one, of which there are those of two chains.
struct Columns<D: Doubles<WIDTH>, const WIDTH: usize> {
    halves: [Halves<D, WIDTH>; COLUMNS],
    second_chain: Halves<D, WIDTH>,
}

/// From both halves of all columns to the element that they amount to modulo p, divided by R.
///
/// Digits are below 2^57 until what is above 2^384 is folded, which is below 2^64 - 2^61 and goes
/// to the lowest limb and the third one: so none overflows, and a limb gets at most 2^16 from the
/// one below.
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
    // What is above 2^384, times 2^128 + 2^96 - 2^32 + 1.
    let over = d.add_words(t[15], d.shr::<48>(t[14]));
    let (low_16, rest) = (d.low_16_shl_32(over), d.shr::<16>(over));
    t[7] = d.add_words(t[7], d.sub_words(over, low_16));
    t[8] = d.sub_words(t[8], rest);
    t[9] = d.add_words(t[9], d.add_words(over, low_16));
    t[10] = d.add_words(t[10], rest);
    // Limbs: 48 bits each, the rest to the next one.
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

/// Makes digit `K`, u, zero, which is as much as u at 2^416 + 2^384 - 2^160 - 2^129 - 2^96 + 2^64
/// above it.
#[inline(always)]
fn clear_digit<D: Doubles<WIDTH>, const WIDTH: usize, const K: usize>(
    d: D,
    t: &mut Digits<D, WIDTH>,
) {
    let u = t[K];
    // u at 2^16 and at 2^32, cut at 2^48.
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

/// All columns, one after the other, by macros of what makes one and a part of one: the compiler
/// keeps loops over them.
macro_rules! columns {
    ($d:ident, $column:ident, $part:ident, $parts:expr) => {{
        let [first, second] = $parts;
        Columns {
            halves: [
                before($d, $column!(0)),
                before($d, $column!(1)),
                before($d, $column!(2)),
                before($d, $column!(3)),
                before($d, $column!(4)),
                before($d, $column!(5)),
                before($d, $column!(6)),
                before($d, $part!(&FIRST[MIDDLE], first)),
                before($d, $column!(8)),
                before($d, $column!(9)),
                before($d, $column!(10)),
                before($d, $column!(11)),
                before($d, $column!(12)),
                before($d, $column!(13)),
                before($d, $column!(14)),
            ],
            second_chain: before($d, $part!(&SECOND_CHAIN, second)),
        }
    }};
}

/// Limbs in memory.
pub(super) type Stored<D, const WIDTH: usize> = [<D as Doubles<WIDTH>>::Stored; LIMBS];

/// From registers.
#[inline(always)]
pub(super) fn store<D: Doubles<WIDTH>, const WIDTH: usize>(
    doubles: D,
    limbs: &Limbs<D, LIMBS, WIDTH>,
) -> Stored<D, WIDTH> {
    let mut stored = [D::Stored::default(); LIMBS];
    for (numbers, &limb) in stored.iter_mut().zip(limbs) {
        *numbers = doubles.store(limb);
    }
    stored
}

#[inline(always)]
pub(super) fn load<D: Doubles<WIDTH>, const WIDTH: usize>(
    d: D,
    stored: &Stored<D, WIDTH>,
) -> Limbs<D, LIMBS, WIDTH> {
    let mut limbs = [d.splat(0.0); LIMBS];
    for (limb, numbers) in limbs.iter_mut().zip(stored) {
        *limb = d.load(numbers);
    }
    limbs
}

/// A product of two factors, or the square of one, less an element or none: a function of its own,
/// as loops with several of them would take the compiler too long. Factors do not stay in registers
/// through so long a product anyway.
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

impl<D, const WIDTH: usize, const FACTORS: usize, const LESS: usize> DoublesOperation<D, WIDTH>
    for Product<'_, D, WIDTH, FACTORS, LESS>
where
    D: Doubles<WIDTH>,
{
    type Output = Stored<D, WIDTH>;

    #[inline(always)]
    fn run(self, d: D) -> Self::Output {
        let a = &load(d, self.factors[0]);
        let columns = if FACTORS == 1 {
            square_columns(d, a)
        } else {
            product_columns(d, a, &load(d, self.factors[1]))
        };
        let c = if LESS == 0 {
            None
        } else {
            Some(&load(d, self.less[0]))
        };
        store(d, &finish(d, columns, c))
    }
}

#[inline(always)]
fn product_columns<D: Doubles<WIDTH>, const WIDTH: usize>(
    d: D,
    a: &Limbs<D, LIMBS, WIDTH>,
    b: &Limbs<D, LIMBS, WIDTH>,
) -> Columns<D, WIDTH> {
    macro_rules! column {
        ($k:literal) => {
            product_column::<D, LIMBS, WIDTH, $k>(d, &FIRST[$k], &after::<D, WIDTH, $k>(d, a), b)
        };
    }
    macro_rules! part {
        ($first:expr, $limbs:expr) => {{
            product_column_part::<D, LIMBS, WIDTH, MIDDLE>(
                d,
                $first,
                &after_limb(d, a, $limbs.0),
                b,
                $limbs,
            )
        }};
    }
    columns!(d, column, part, [(0, 4), (4, 8)])
}

#[inline(always)]
fn square_columns<D: Doubles<WIDTH>, const WIDTH: usize>(
    d: D,
    a: &Limbs<D, LIMBS, WIDTH>,
) -> Columns<D, WIDTH> {
    let twice = &twice(d, a);
    macro_rules! column {
        ($k:literal) => {
            square_column::<D, LIMBS, WIDTH, $k>(
                d,
                &FIRST[$k],
                Squared {
                    limbs: &after::<D, WIDTH, $k>(d, a),
                    twice,
                },
            )
        };
    }
    macro_rules! part {
        ($first:expr, $limbs:expr) => {
            square_column_part::<D, LIMBS, WIDTH, MIDDLE>(
                d,
                $first,
                Squared {
                    limbs: &after_limb(d, a, $limbs.0),
                    twice,
                },
                $limbs,
            )
        };
    }
    columns!(d, column, part, [(0, 2), (2, 4)])
}

/// A factor whose first limb in column `K` is there when the columns before are.
#[inline(always)]
fn after<D: Doubles<WIDTH>, const WIDTH: usize, const K: usize>(
    d: D,
    a: &Limbs<D, LIMBS, WIDTH>,
) -> Limbs<D, LIMBS, WIDTH> {
    after_limb(d, a, K.saturating_sub(LIMBS - 1))
}

#[inline(always)]
fn after_limb<D: Doubles<WIDTH>, const WIDTH: usize>(
    d: D,
    a: &Limbs<D, LIMBS, WIDTH>,
    first: usize,
) -> Limbs<D, LIMBS, WIDTH> {
    let mut a = *a;
    a[first] = d.in_order(a[first]);
    a
}

/// Both halves of a column, before those after it.
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
