//! P-384 in lanes of doubles: eight limbs of 48 bits, R = 2^336.
//!
//! As with P-256 (`p256.rs`), the bits of the halves of a column are added as integers, and all
//! constants that come with them are together 0 modulo p. What differs: a digit is cleared by what
//! is of both signs, so digits begin with so much that none is negative; and the highest limb is as
//! long as the others, so that what is above 2^384 is rounded away to both sides, and elements are
//! between -0.51 and 0.51 times 2^384.

use core::fmt::Debug;
use core::marker::PhantomData;

use super::DoublesField;
use super::columns::{
    Alignment, Halves, product_column, product_column_part, square_column, square_column_part,
    twice,
};
use super::modulus::{DoublesModulus, add_modulo, double_modulo, half_modulo, to_signed_digits};
use super::reduction::{DoublesReduction, Limbs};
use crate::field::Modulus;
use crate::limbs::{self, Doubles, DoublesOperation, from_hex};

/// The field of P-384 in lanes of doubles of `D`, with single values by kernel `S`, whose elements
/// have tag `T`.
pub type P384DoublesField<D, T, S, const WIDTH: usize> =
    DoublesField<D, P384DoublesReduction<T>, S, 6, LIMBS, WIDTH>;

/// The reduction modulo the prime of P-384, which takes no product: -1 / p is 2^32 + 1 modulo 2^48,
/// and (2^32 + 1) p + 1 = 2^416 + 2^384 - 2^160 - 2^129 - 2^96 + 2^64.
///
/// Limbs of elements are at most 0.502 2^48 in size.
#[derive(Clone, Copy, Debug)]
pub struct P384DoublesReduction<T>(PhantomData<T>);

impl<T> P384DoublesReduction<T> {
    /// The reduction, for a prime that is the one of P-384.
    pub fn new(prime: &[u64; 6]) -> Option<Self> {
        (prime == PRIME.prime()).then_some(Self(PhantomData))
    }
}

/// The number of limbs.
const LIMBS: usize = 8;

/// The number of columns of a product. Each has a high half, which makes a digit more.
const COLUMNS: usize = 2 * LIMBS - 1;

/// The digits that are cleared: what is left has as many as an element has limbs, and one more.
const CLEARED: usize = LIMBS - 1;

/// The column that has the most products: as one chain they would leave its binade.
const MIDDLE: usize = LIMBS - 1;

/// p = 2^384 - 2^128 - 2^96 + 2^32 - 1.
static PRIME: Modulus<6> = Modulus::new(from_hex(
    "ffffffffffffffffffffffffffffffffffffffffffffffff\
     fffffffffffffffeffffffff0000000000000000ffffffff",
));

/// What a limb of 1 is: products of two limbs are so small that the exponents of both halves of a
/// column, added, leave [`BOTH`], and digits below an exponent of 17 are limbs.
const UNIT: f64 = 1.0 / (1u64 << 35) as f64;

const POSITIONS: [u32; LIMBS] = [0, 48, 96, 144, 192, 240, 288, 336];

static MODULUS: DoublesModulus<6, LIMBS> =
    DoublesModulus::new(&PRIME, 336, POSITIONS, UNIT, [0.502, 0.502]);

/// Half of the 52 bits of a number: what digits begin with, so that they are of either sign.
const HALF: u64 = 1 << 51;

/// The unit of high halves: 2^48 that of products.
const HIGH_UNIT: f64 = UNIT * UNIT * (1u64 << 48) as f64;

/// What a low half begins with, in units of high halves: 1.5 2^52 units of products.
const LOW: i64 = 24;

/// The bits of what a low half begins with.
const LOW_BITS: u64 = (LOW as f64 * HIGH_UNIT).to_bits();

/// The bits of what a high half begins with, without digits of its own.
const HIGH_BITS: u64 = (-((1 << 52 | HALF) as f64) * HIGH_UNIT).to_bits();

/// What both halves of a column have for their bits: 11 2^52.
const BOTH: u64 = LOW_BITS.wrapping_add(HIGH_BITS);

/// What the lowest two digits begin with, which would else have far more, and as much.
///
/// A digit that is cleared is subtracted two digits above: so all that are cleared have about half
/// of what the others begin with. A column is at most 0.82 2^52 in size, both halves and what is
/// subtracted of it; three digits that follow from each other, with what else is subtracted of
/// them, are within 2.7 2^52 of that half, which is 5 or 6 times 2^52.
const LOWEST: [u64; 2] = [5 << 52 | HALF, 6 << 52];

/// What is added to limbs to make them positive.
const CENTER: u64 = 1 << 47;

/// What the high halves begin with beside half of the digits: the digits that make all constants 0
/// modulo p.
const HIGH_DIGITS: [i64; LIMBS] = high_digits();

/// The first numbers of each column.
const FIRST: [(f64, f64); COLUMNS] = first_numbers();

/// The first numbers of the middle column's second chain, whose low half is added to the first's.
const SECOND_CHAIN: (f64, f64) = (-f64::from_bits(HIGH_BITS), -f64::from_bits(HIGH_BITS));

const fn high_digits() -> [i64; LIMBS] {
    // What the digits begin with, less what is subtracted of limbs in the end.
    let p = PRIME.prime();
    let mut sum = [0; 6];
    let mut k = COLUMNS + 1;
    while k > 0 {
        k -= 1;
        let mut digit = match k {
            0 | 1 => LOWEST[k],
            COLUMNS => HIGH_BITS,
            _ => BOTH,
        };
        if k == MIDDLE + 1 {
            digit = digit.wrapping_add(HIGH_BITS);
        }
        if k >= CLEARED && k < COLUMNS {
            digit -= CENTER;
        }
        let mut i = 0;
        while i < 48 {
            sum = double_modulo(&sum, p);
            i += 1;
        }
        let half = digit / 2;
        sum = add_modulo(&sum, half as i64, p);
        sum = add_modulo(&sum, (digit - half) as i64, p);
    }
    // The negative of that, from the second column on.
    (sum, _) = limbs::subtract(p, &sum);
    let mut i = 0;
    while i < 48 {
        sum = half_modulo(&sum, p);
        i += 1;
    }
    to_signed_digits(&sum, &POSITIONS)
}

const fn first_numbers() -> [(f64, f64); COLUMNS] {
    let mut numbers = [(0.0, 0.0); COLUMNS];
    let mut k = 0;
    while k < COLUMNS {
        let digits = if k < LIMBS { HIGH_DIGITS[k] } else { 0 };
        let high = (1 << 52 | HALF) as i64 + digits;
        numbers[k] = (high as f64 * HIGH_UNIT, (high + LOW) as f64 * HIGH_UNIT);
        k += 1;
    }
    numbers
}

/// Every column begins where its products do.
struct Aligned;

impl Alignment for Aligned {
    #[inline(always)]
    fn is_doubled(_: usize, _: usize) -> bool {
        false
    }
}

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
    // Limbs: 48 bits each, the rest to the next one. A number with the exponent of 2^17 has limbs
    // for its digits.
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

const EXPONENT_IS: f64 = (1u64 << 17) as f64;
const EXPONENT: u64 = EXPONENT_IS.to_bits();

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
                before($d, $part!(FIRST[MIDDLE], first)),
                before($d, $column!(8)),
                before($d, $column!(9)),
                before($d, $column!(10)),
                before($d, $column!(11)),
                before($d, $column!(12)),
                before($d, $column!(13)),
                before($d, $column!(14)),
            ],
            second_chain: before($d, $part!(SECOND_CHAIN, second)),
        }
    }};
}

/// Limbs in memory.
type Stored<D, const WIDTH: usize> = [<D as Doubles<WIDTH>>::Stored; LIMBS];

#[inline(always)]
fn load<D: Doubles<WIDTH>, const WIDTH: usize>(
    d: D,
    stored: &Stored<D, WIDTH>,
) -> Limbs<D, LIMBS, WIDTH> {
    let mut limbs = [d.splat(0.0); LIMBS];
    for (limb, numbers) in limbs.iter_mut().zip(stored) {
        *limb = d.load(numbers);
    }
    limbs
}

#[inline(always)]
fn store<D: Doubles<WIDTH>, const WIDTH: usize>(
    d: D,
    limbs: &Limbs<D, LIMBS, WIDTH>,
) -> Stored<D, WIDTH> {
    let mut stored = [D::Stored::default(); LIMBS];
    for (numbers, &limb) in stored.iter_mut().zip(limbs) {
        *numbers = d.store(limb);
    }
    stored
}

/// A product of two factors, or the square of one, less an element or none: a function of its own,
/// as loops with several of them would take the compiler too long. Factors do not stay in registers
/// through so long a product anyway.
struct Product<'a, D: Doubles<WIDTH>, const WIDTH: usize, const FACTORS: usize, const LESS: usize> {
    factors: [&'a Stored<D, WIDTH>; FACTORS],
    less: [&'a Stored<D, WIDTH>; LESS],
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
            product_column::<Aligned, D, LIMBS, WIDTH, $k>(
                d,
                FIRST[$k],
                &after::<D, WIDTH, $k>(d, a),
                [b, b],
            )
        };
    }
    macro_rules! part {
        ($first:expr, $limbs:expr) => {{
            product_column_part::<Aligned, D, LIMBS, WIDTH, MIDDLE>(
                d,
                $first,
                &after_limb(d, a, $limbs.0),
                [b, b],
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
    let twice_a = &twice(d, a);
    macro_rules! column {
        ($k:literal) => {
            square_column::<Aligned, D, LIMBS, WIDTH, $k>(
                d,
                FIRST[$k],
                [&after::<D, WIDTH, $k>(d, a), twice_a],
            )
        };
    }
    macro_rules! part {
        ($first:expr, $limbs:expr) => {
            square_column_part::<Aligned, D, LIMBS, WIDTH, MIDDLE>(
                d,
                $first,
                [&after_limb(d, a, $limbs.0), twice_a],
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

impl<T: Copy + Debug + Eq + Send + Sync + 'static> DoublesReduction<6, LIMBS>
    for P384DoublesReduction<T>
{
    type Tag = T;

    const IS_CENTERED: bool = true;

    const ROOM: f64 = 4.0;

    #[inline(always)]
    fn constants(self) -> &'static DoublesModulus<6, LIMBS> {
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
        let (a, b) = (store(d, a), store(d, b));
        let product = match c {
            Some(c) => d.call(Product {
                factors: [&a, &b],
                less: [&store(d, c)],
            }),
            None => d.call(Product {
                factors: [&a, &b],
                less: [],
            }),
        };
        load(d, &product)
    }

    #[inline(always)]
    fn square<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        a: &Limbs<D, LIMBS, WIDTH>,
        c: Option<&Limbs<D, LIMBS, WIDTH>>,
    ) -> Limbs<D, LIMBS, WIDTH> {
        let a = store(d, a);
        let square = match c {
            Some(c) => d.call(Product {
                factors: [&a],
                less: [&store(d, c)],
            }),
            None => d.call(Product {
                factors: [&a],
                less: [],
            }),
        };
        load(d, &square)
    }

    /// 2^128 + 2^96 - 2^32 + 1.
    #[inline(always)]
    fn fold<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        limbs: &mut Limbs<D, LIMBS, WIDTH>,
        factor: D::Double,
    ) {
        const TWO_TO_32: f64 = (1u64 << 32) as f64;
        limbs[0] = d.multiply_add(factor, d.splat(UNIT * (1.0 - TWO_TO_32)), limbs[0]);
        limbs[2] = d.multiply_add(factor, d.splat(UNIT * (1.0 + TWO_TO_32)), limbs[2]);
    }

    /// x / 2^384 to x / 2^336: x / 2^48, one digit cleared. With u = x mod 2^48, that is
    /// (x - u) / 2^48 + u (2^368 + 2^336 - 2^112 - 2^81 - 2^48 + 2^16), and what u 2^368 has above
    /// 2^384, u / 2^16, is folded.
    #[inline(always)]
    fn limbs_of_single<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        [w0, w1, w2, w3, w4, w5]: [D::Word; 6],
    ) -> Limbs<D, LIMBS, WIDTH> {
        let zero = d.splat_word(0);
        let u = d.join_48(w0, zero);
        let low_32 = d.low_32_shl_16(u);
        let (low_16, above_16) = (d.low_16_shl_32(u), d.shr::<16>(u));
        // u / 2^16 at 2^32, cut at 2^48: above that it is u / 2^32, which cancels what the cleared
        // digit has there.
        let folded = d.low_16_shl_32(above_16);
        let x1 = d.join_48(d.or(d.shr::<48>(w0), d.shl::<16>(w1)), zero);
        let x2 = d.join_48(d.or(d.shr::<32>(w1), d.shl::<32>(w2)), zero);
        let x5 = d.join_48(d.or(d.shr::<48>(w3), d.shl::<16>(w4)), zero);
        let x6 = d.join_48(d.or(d.shr::<32>(w4), d.shl::<32>(w5)), zero);
        let u_and_low_16 = d.add_words(u, low_16);
        let less_1 = d.add_words(u_and_low_16, low_16);
        let less_2 = d.sub_words(d.add_words(above_16, low_32), folded);
        let digits = [
            d.add_words(x1, d.sub_words(d.add_words(low_32, above_16), folded)),
            d.sub_words(x2, less_1),
            d.sub_words(d.shr::<16>(w2), less_2),
            d.join_48(w3, zero),
            x5,
            x6,
            d.shr::<16>(w5),
            u_and_low_16,
        ];
        let exponent = d.splat_word(EXPONENT | HALF);
        let mut limbs = [d.splat(0.0); LIMBS];
        for i in 0..LIMBS {
            let number = d.from_bits(d.add_words(digits[i], exponent));
            limbs[i] = d.sub(number, d.splat(1.5 * EXPONENT_IS));
        }
        self.reduce_weakly(d, limbs)
    }
}
