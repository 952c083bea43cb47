//! 2^255 - 19, four products at once: radix 2^51, five limbs. For a single value whose computation
//! has several independent products but waits for their results.
//!
//! A *factor* has limbs below 2^51 + 2^17. A *product* is five columns of weights 2^(51 i), below
//! 2^60 each. A *minuend* is a product plus 2^10 p. Factors are sums and differences of products
//! after one carry from each limb to the next, all at the same time. So the latency from factors to
//! factors is short, which is what counts here. It needs more instructions than radix 2^52 with
//! carries that propagate.
//!
//! The same code runs on AVX-512 IFMA and on portable quads, limb for limb.

use crate::limbs::{Quads, array_from_fn};

/// Number of limbs of an element.
const LIMBS: usize = 5;

/// Number of bits of a limb.
const BITS: i32 = 51;

const MASK: u64 = (1 << BITS) - 1;

/// 2^10 p, with limbs that are no smaller than the columns of any product.
const OFFSET: [u64; LIMBS] = {
    let ones = MASK << 10;
    [(MASK - 18) << 10, ones, ones, ones, ones]
};

/// Four integers modulo 2^255 - 19, five limbs or columns of each.
pub type Columns<Q> = [<Q as Quads>::Quad; LIMBS];

/// Arithmetic modulo 2^255 - 19 on four values, on quads of `Q`.
#[derive(Clone, Copy, Debug)]
pub struct C25519X4<Q>(Q);

impl<Q: Quads> C25519X4<Q> {
    /// Bound for a limb of a factor (exclusive).
    pub const FACTOR_BOUND: u64 = (1 << BITS) + (1 << 17);

    /// Bound for a column of a product (exclusive).
    pub const COLUMN_BOUND: u64 = 1 << 60;

    /// The difference between a minuend and a product: 2^10 p.
    pub const OFFSET: [u64; LIMBS] = OFFSET;

    /// Creates the arithmetic on these quads.
    pub const fn new(quads: Q) -> Self {
        Self(quads)
    }

    /// Splits each of four integers below 2^255 into five limbs, all below 2^51 except the highest.
    #[inline(always)]
    pub fn pack(self, values: [&[u64; 4]; 4]) -> Columns<Q> {
        let limbs: [[u64; LIMBS]; 4] = array_from_fn(|lane| {
            let [x0, x1, x2, x3] = *values[lane];
            debug_assert!(x3 >> 63 == 0);
            [
                x0 & MASK,
                (x0 >> 51 | x1 << 13) & MASK,
                (x1 >> 38 | x2 << 26) & MASK,
                (x2 >> 25 | x3 << 39) & MASK,
                x3 >> 12,
            ]
        });
        array_from_fn(|i| self.0.load(&array_from_fn(|lane| limbs[lane][i])))
    }

    /// The integers in the lanes of a factor, below 2^256.
    #[inline(always)]
    pub fn unpack(self, a: &Columns<Q>) -> [[u64; 4]; 4] {
        let limbs: [[u64; 4]; LIMBS] = array_from_fn(|i| self.0.store(a[i]));
        array_from_fn(|lane| {
            let [l0, l1, l2, l3, l4] = array_from_fn(|i| limbs[i][lane]);
            let low = [l0, l1 >> 13, l2 >> 26, l3 >> 39];
            let high = [l1 << 51, l2 << 38, l3 << 25, l4 << 12];
            let (sum, carry) = crate::limbs::add(&low, &high);
            debug_assert_eq!(carry, 0);
            sum
        })
    }

    /// 2^10 p in the lanes of `LANES`, zero in the others.
    #[inline(always)]
    pub fn offset<const LANES: u8>(self) -> Columns<Q> {
        let zero = self.0.splat(0);
        array_from_fn(|i| self.0.blend::<LANES>(self.0.splat(OFFSET[i]), zero))
    }

    /// The factor of columns below 2^63. Less than 2^12 is carried from each limb to the next, and
    /// from the highest, times 19, to the lowest. So limbs are below 2^51 + 19 2^12.
    #[inline(always)]
    pub fn carry(self, c: &Columns<Q>) -> Columns<Q> {
        let quads = self.0;
        debug_assert!(self.all_below(c, 63));
        let mut limbs = *c;
        for limb in &mut limbs {
            *limb = quads.and(*limb, quads.splat(MASK));
        }
        for i in 0..LIMBS - 1 {
            limbs[i + 1] = quads.add(limbs[i + 1], quads.shr::<BITS>(c[i]));
        }
        limbs[0] = quads.madd_low(limbs[0], quads.shr::<BITS>(c[4]), quads.splat(19));
        debug_assert!(self.is_factor(&limbs));
        limbs
    }

    /// Products plus the columns of `start`: 50 multiply-adds and 43 other instructions.
    ///
    /// Upper halves count twice, as 2^52 = 2 2^51. A limb of a factor is below 2^51 + 2^17, so an
    /// upper half is below 2^50 + 2^18. A column receives less than 5 2^52 + 2 * 5 (2^50 + 2^18) <
    /// 2^55; 20 times that is below 2^60.
    #[inline(always)]
    pub fn multiply(self, a: &Columns<Q>, b: &Columns<Q>, start: &Columns<Q>) -> Columns<Q> {
        let quads = self.0;
        debug_assert!(self.is_factor(a) && self.is_factor(b));
        let zero = quads.splat(0);
        let mut low = [zero; 2 * LIMBS];
        let mut high = [zero; 2 * LIMBS];
        low[..LIMBS].copy_from_slice(start);
        for i in 0..LIMBS {
            for j in 0..LIMBS {
                low[i + j] = quads.madd_low(low[i + j], a[i], b[j]);
            }
            for j in 0..LIMBS {
                high[i + j + 1] = quads.madd_high(high[i + j + 1], a[i], b[j]);
            }
        }
        for (low, high) in low.iter_mut().zip(high) {
            *low = quads.add(*low, quads.add(high, high));
        }
        let mut product = *start;
        for (i, column) in product.iter_mut().enumerate() {
            *column = quads.add(low[i], quads.times_19(low[i + LIMBS]));
        }
        product
    }

    /// a + SMALL b for columns a below 2^62, a factor b and SMALL below 2^17. The result is columns
    /// below 2^63.
    #[inline(always)]
    pub fn add_multiple<const SMALL: u64>(self, a: &Columns<Q>, b: &Columns<Q>) -> Columns<Q> {
        const { assert!(SMALL < 1 << 17) };
        let quads = self.0;
        debug_assert!(self.all_below(a, 62) && self.is_factor(b));
        let small = quads.splat(SMALL);
        let mut sum = *a;
        for (i, column) in sum.iter_mut().enumerate() {
            let low = quads.madd_low(*column, b[i], small);
            // The upper half of the limb below counts twice, that of the highest 2 * 19 times.
            let (below, times) = if i == 0 { (b[4], 38) } else { (b[i - 1], 2) };
            let high = quads.madd_high(quads.splat(0), below, small);
            *column = quads.madd_low(low, high, quads.splat(times));
        }
        sum
    }

    fn below(self, a: &Columns<Q>, bound: u64) -> bool {
        a.iter()
            .all(|&quad| self.0.store(quad).iter().all(|&word| word < bound))
    }

    fn all_below(self, a: &Columns<Q>, bits: u32) -> bool {
        self.below(a, 1 << bits)
    }

    fn is_factor(self, a: &Columns<Q>) -> bool {
        self.below(a, Self::FACTOR_BOUND)
    }

    /// Reports whether the given lanes are products and the others minuends.
    pub(crate) fn are_products(self, a: &Columns<Q>, lanes: [usize; 2]) -> bool {
        (0..4).all(|lane| {
            a.iter().zip(OFFSET).all(|(&quad, offset)| {
                let word = self.0.store(quad)[lane];
                let least = if lanes.contains(&lane) { 0 } else { offset };
                word >= least && word - least < Self::COLUMN_BOUND
            })
        })
    }
}
