//! 2^255 - 19 in eight lanes: radix 2^52, five limbs, products with delayed carries.
//!
//! A *product* is five columns of weights 2^(52 i), below 2^56 each: ten columns whose upper five
//! are folded by 2^260 = 608. A *minuend* is a product plus 2^10 p. A *factor* is carried. Its
//! limbs 0 to 3 may have any bits from bit 52 on, as multiplications do not read them. Limb 4 has
//! 47 bits in a value below 2^255, and is below 2^47 + 2^12. Between two multiplications there is
//! one sum or difference of products, and so one carry.
//!
//! The same code runs on AVX-512 IFMA and on portable words, limb for limb.

use super::LazyField;
use crate::limbs::{LIMB_BITS, LIMB_MASK, Words, array_from_fn};

/// Number of limbs of an element.
const LIMBS: usize = 5;

/// Number of bits of the highest limb of a value below 2^255.
const TOP_BITS: u32 = 47;

/// 2^260 modulo p.
const FOLD: u64 = 608;

/// 2^10 p, with limbs that are no smaller than the columns of any product.
const OFFSET: [u64; LIMBS] = {
    let ones = LIMB_MASK << 10;
    [
        (LIMB_MASK - 18) << 10,
        ones,
        ones,
        ones,
        ((1 << TOP_BITS) - 1) << 10,
    ]
};

/// The field of integers modulo 2^255 - 19 in eight lanes, on words of `W`.
#[derive(Clone, Copy, Debug)]
pub struct C25519FieldX8<W>(W);

impl<W: Words> C25519FieldX8<W> {
    /// Bound for the highest limb of a factor (exclusive).
    pub const FACTOR_TOP: u64 = (1 << TOP_BITS) + (1 << 12);

    /// Bound for a column of a product (exclusive).
    pub const COLUMN_BOUND: u64 = 1 << 56;

    /// The difference between a minuend and a product: 2^10 p.
    pub const OFFSET: [u64; LIMBS] = OFFSET;

    /// Creates the field on these words.
    pub const fn new(words: W) -> Self {
        Self(words)
    }

    /// The minuend whose lane i is `values[i]`, any integer below 2^256.
    #[inline(always)]
    pub fn pack_minuend(self, values: [&[u64; 4]; 8]) -> [W::Word; LIMBS] {
        let words = self.0;
        let [x0, x1, x2, x3] = words.transpose(values);
        let mask = words.splat(LIMB_MASK);
        let limbs = [
            words.and(x0, mask),
            words.and(words.or(words.shr::<52>(x0), words.shl::<12>(x1)), mask),
            words.and(words.or(words.shr::<40>(x1), words.shl::<24>(x2)), mask),
            words.and(words.or(words.shr::<28>(x2), words.shl::<36>(x3)), mask),
            words.shr::<16>(x3),
        ];
        self.add(&limbs, &self.offset())
    }

    /// A value below 2^52 in every lane, as a product.
    #[inline(always)]
    pub fn splat(self, value: u64) -> [W::Word; LIMBS] {
        let words = self.0;
        array_from_fn(|i| words.splat(if i == 0 { value } else { 0 }))
    }

    /// The integers in the lanes of a factor, below 2^256.
    #[inline(always)]
    pub fn unpack(self, a: &[W::Word; LIMBS]) -> [[u64; 4]; 8] {
        let words = self.0;
        let mask = words.splat(LIMB_MASK);
        let [l0, l1, l2, l3] = [a[0], a[1], a[2], a[3]].map(|limb| words.and(limb, mask));
        words.transpose_back([
            words.or(l0, words.shl::<52>(l1)),
            words.or(words.shr::<12>(l1), words.shl::<40>(l2)),
            words.or(words.shr::<24>(l2), words.shl::<28>(l3)),
            words.or(words.shr::<36>(l3), words.shl::<16>(a[4])),
        ])
    }

    /// Carries columns below 2^63 to factors. The part above bit 255, less than 2^16, is added back
    /// times 19. Then the carries, less than 2^12 each, propagate once through the limbs.
    #[inline(always)]
    fn carry<const N: usize>(self, mut all: [[W::Word; LIMBS]; N]) -> [[W::Word; LIMBS]; N] {
        let words = self.0;
        for c in &mut all {
            debug_assert!(self.all_below(c, 63));
            let above = words.shr::<TOP_BITS>(c[4]);
            c[4] = words.and(c[4], words.splat((1 << TOP_BITS) - 1));
            c[0] = words.madd_low(c[0], above, words.splat(19));
        }
        for i in 0..LIMBS - 1 {
            for c in &mut all {
                c[i + 1] = words.add(c[i + 1], words.shr::<LIMB_BITS>(c[i]));
            }
        }
        debug_assert!(all.iter().all(|c| self.is_factor(c)));
        all
    }

    /// Folds ten columns to five: adds the upper five, carried, times 608.
    ///
    /// A column is the sum of at most nine products of 52 bits, so columns are below 9 2^52. The
    /// highest column consists of the upper halves of two highest limbs below 2^47 + 2^12. It is
    /// below 2^42 + 2^9, so 608 times it is below 2^52 and has no upper half. Each column receives
    /// less than 2^52 + 2^10, and the result is below 11 2^52.
    #[inline(always)]
    fn fold<const N: usize>(self, mut all: [[W::Word; 2 * LIMBS]; N]) -> [[W::Word; LIMBS]; N] {
        let words = self.0;
        for i in LIMBS..2 * LIMBS - 1 {
            for t in &mut all {
                t[i + 1] = words.add(t[i + 1], words.shr::<LIMB_BITS>(t[i]));
            }
        }
        debug_assert!(all.iter().all(|t| self.below(t[9], (1 << 42) + (1 << 10))));
        let fold = words.splat(FOLD);
        for i in 0..LIMBS {
            for t in &mut all {
                t[i] = words.madd_low(t[i], t[i + LIMBS], fold);
                if i + 1 < LIMBS {
                    t[i + 1] = words.madd_high(t[i + 1], t[i + LIMBS], fold);
                }
            }
        }
        let mut products = [[words.splat(0); LIMBS]; N];
        for (product, t) in products.iter_mut().zip(&all) {
            product.copy_from_slice(&t[..LIMBS]);
        }
        products
    }

    #[inline(always)]
    fn offset(self) -> [W::Word; LIMBS] {
        array_from_fn(|i| self.0.splat(OFFSET[i]))
    }

    #[inline(always)]
    fn add(self, a: &[W::Word; LIMBS], b: &[W::Word; LIMBS]) -> [W::Word; LIMBS] {
        debug_assert!(self.all_below(a, 63) && self.all_below(b, 63));
        array_from_fn(|i| self.0.add(a[i], b[i]))
    }

    #[inline(always)]
    fn subtract(self, a: &[W::Word; LIMBS], b: &[W::Word; LIMBS]) -> [W::Word; LIMBS] {
        let words = self.0;
        debug_assert!(self.is_minuend(a) && self.are_columns(b));
        array_from_fn(|i| words.sub(a[i], b[i]))
    }

    /// Products plus the columns of `start`: 59 multiply-adds and 8 other instructions each. A
    /// column accumulates up to ten multiply-adds, which wait for each other. Interleaving two
    /// products fills the gaps.
    #[inline(always)]
    fn multiply<const N: usize>(
        self,
        factors: [[&[W::Word; LIMBS]; 2]; N],
        start: [[W::Word; LIMBS]; N],
    ) -> [[W::Word; LIMBS]; N] {
        let words = self.0;
        debug_assert!(factors.as_flattened().iter().all(|a| self.is_factor(a)));
        let mut all = [[words.splat(0); 2 * LIMBS]; N];
        for (t, start) in all.iter_mut().zip(&start) {
            t[..LIMBS].copy_from_slice(start);
        }
        for i in 0..LIMBS {
            for j in 0..LIMBS {
                for (t, [a, b]) in all.iter_mut().zip(&factors) {
                    t[i + j] = words.madd_low(t[i + j], a[i], b[j]);
                }
            }
            for j in 0..LIMBS {
                for (t, [a, b]) in all.iter_mut().zip(&factors) {
                    t[i + j + 1] = words.madd_high(t[i + j + 1], a[i], b[j]);
                }
            }
        }
        self.fold(all)
    }

    /// Reports whether all lanes are below a bound.
    fn below(self, a: W::Word, bound: u64) -> bool {
        self.0.store(a).0.iter().all(|&word| word < bound)
    }

    fn all_below(self, a: &[W::Word; LIMBS], bits: u32) -> bool {
        a.iter().all(|&column| self.below(column, 1 << bits))
    }

    fn are_columns(self, a: &[W::Word; LIMBS]) -> bool {
        a.iter()
            .all(|&column| self.below(column, Self::COLUMN_BOUND))
    }

    fn is_minuend(self, a: &[W::Word; LIMBS]) -> bool {
        let product = array_from_fn(|i| self.0.sub(a[i], self.0.splat(OFFSET[i])));
        self.are_columns(&product)
    }

    fn is_factor(self, a: &[W::Word; LIMBS]) -> bool {
        self.below(a[4], Self::FACTOR_TOP)
    }
}

impl<W: Words> LazyField for C25519FieldX8<W> {
    type Product = [W::Word; LIMBS];
    type Factor = [W::Word; LIMBS];
    /// One bit for each lane.
    type Choice = u8;
    const IN_TURN: bool = false;

    #[inline(always)]
    fn product(self, a: &Self::Factor, b: &Self::Factor) -> Self::Product {
        let [product] = self.multiply([[a, b]], [[self.0.splat(0); LIMBS]]);
        product
    }

    #[inline(always)]
    fn products(self, factors: [[&Self::Factor; 2]; 2]) -> [Self::Product; 2] {
        self.multiply(factors, [self.offset(), [self.0.splat(0); LIMBS]])
    }

    /// 39 multiply-adds and 15 other instructions each. Products of distinct limbs are computed
    /// once. Twice the highest limb is below 2^49, so it may be doubled beforehand.
    #[inline(always)]
    fn squares(self, factors: [&Self::Factor; 2]) -> [Self::Product; 2] {
        let words = self.0;
        debug_assert!(factors.iter().all(|a| self.is_factor(a)));
        let mut all = [[words.splat(0); 2 * LIMBS]; 2];
        // The first is a minuend. Columns from 1 on are doubled later.
        all[0][0] = words.splat(OFFSET[0]);
        for i in 1..LIMBS {
            all[0][i] = words.splat(OFFSET[i] / 2);
        }
        for i in 0..LIMBS - 1 {
            for j in i + 1..LIMBS - 1 {
                for (t, a) in all.iter_mut().zip(&factors) {
                    t[i + j] = words.madd_low(t[i + j], a[i], a[j]);
                    t[i + j + 1] = words.madd_high(t[i + j + 1], a[i], a[j]);
                }
            }
        }
        for column in 1..7 {
            for t in &mut all {
                t[column] = words.add(t[column], t[column]);
            }
        }
        for i in 0..LIMBS {
            for (t, a) in all.iter_mut().zip(&factors) {
                t[2 * i] = words.madd_low(t[2 * i], a[i], a[i]);
                t[2 * i + 1] = words.madd_high(t[2 * i + 1], a[i], a[i]);
                if i + 1 < LIMBS {
                    let twice = words.add(a[4], a[4]);
                    t[i + 4] = words.madd_low(t[i + 4], a[i], twice);
                    t[i + 5] = words.madd_high(t[i + 5], a[i], twice);
                }
            }
        }
        self.fold(all)
    }

    #[inline(always)]
    fn sums_and_differences<const N: usize>(
        self,
        products: [&[Self::Product; 2]; N],
    ) -> [[Self::Factor; 2]; N] {
        let zero = [self.0.splat(0); LIMBS];
        let (mut sums, mut differences) = ([zero; N], [zero; N]);
        for (n, [a, b]) in products.iter().enumerate() {
            sums[n] = self.add(a, b);
            differences[n] = self.subtract(a, b);
        }
        let (sums, differences) = (self.carry(sums), self.carry(differences));
        let mut both = [[zero; 2]; N];
        for (n, both) in both.iter_mut().enumerate() {
            *both = [sums[n], differences[n]];
        }
        both
    }

    #[inline(always)]
    fn difference(self, a: &Self::Product, b: &Self::Product) -> Self::Factor {
        let [difference] = self.carry([self.subtract(a, b)]);
        difference
    }

    #[inline(always)]
    fn factors<const N: usize>(self, products: [&Self::Product; N]) -> [Self::Factor; N] {
        let mut factors = [[self.0.splat(0); LIMBS]; N];
        for (factor, product) in factors.iter_mut().zip(&products) {
            *factor = **product;
        }
        self.carry(factors)
    }

    /// SMALL b is below 2^17 (2^47 + 2^12) 2^208, so the part above 2^260 is below 2^13.
    #[inline(always)]
    fn add_multiple<const SMALL: u64>(self, a: &Self::Product, b: &Self::Factor) -> Self::Factor {
        const { assert!(SMALL < 1 << 17) };
        let words = self.0;
        let small = words.splat(SMALL);
        let mut c = *a;
        for i in 0..LIMBS {
            c[i] = words.madd_low(c[i], b[i], small);
            if i + 1 < LIMBS {
                c[i + 1] = words.madd_high(c[i + 1], b[i], small);
            }
        }
        let above = words.madd_high(words.splat(0), b[4], small);
        c[0] = words.madd_low(c[0], above, words.splat(FOLD));
        let [factor] = self.carry([c]);
        factor
    }

    #[inline(always)]
    fn choose(self, choice: u8, a: &Self::Factor, b: &Self::Factor) -> Self::Factor {
        array_from_fn(|i| self.0.select(choice, a[i], b[i]))
    }
}
