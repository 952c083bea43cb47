//! 2^255 - 19 in four lanes of 32-bit products, for the ladder of X25519.
//!
//! A *product* is carried. Its limbs 1 to 7 are below 2^29, and limb 0 is below 2^29 + 2^17. Limb 8
//! has 23 bits in a value below 2^255, and is below 2^23. A *factor* is either the limb-wise sum of
//! two products, whose carries are left to the next product, or the difference of two products plus
//! 2p, with limb 0 carried. So each value is carried once, as a product.

use super::reduction::{
    Columns, Limbs, carry, carry_upper, columns_of_product, columns_of_square, limbs_of_words,
    minuend, select, subtract, sum, words_of_limbs,
};
use super::{BITS, LIMBS, MASK, are_below, bounds};
use crate::field::c25519::{LazyField, PRIME};
use crate::limbs::{AlignedX4, NarrowQuads, nine_limbs, to_radix};

/// Number of bits of the highest limb of a value below 2^255.
const TOP_BITS: i32 = 23;

const TOP_MASK: u64 = (1 << TOP_BITS) - 1;

/// 2^261 modulo p.
const FOLD: u64 = 64 * 19;

/// 2p, with limbs that are no smaller than those of any product.
const OFFSET: [u64; LIMBS] = minuend(&to_radix(PRIME.prime(), BITS as u32), 1);

/// The field of integers modulo 2^255 - 19 in four lanes, on quads of `Q`.
#[derive(Clone, Copy, Debug)]
pub struct C25519FieldNarrowX4<Q>(Q);

impl<Q: NarrowQuads> C25519FieldNarrowX4<Q> {
    /// Bounds for the limbs of a product (exclusive).
    pub const PRODUCT_BOUNDS: [u64; LIMBS] =
        bounds((1 << BITS) + (1 << 17), 1 << BITS, 1 << TOP_BITS);

    /// Bounds for the limbs of a factor that is a sum (exclusive).
    pub const SUM_BOUNDS: [u64; LIMBS] = bounds(
        (1 << (BITS + 1)) + (1 << 24),
        1 << (BITS + 1),
        3 << TOP_BITS,
    );

    /// Bounds for the limbs of a factor that is a difference (exclusive).
    pub const DIFFERENCE_BOUNDS: [u64; LIMBS] = bounds(1 << BITS, (3 << BITS) + 8, 3 << TOP_BITS);

    /// Creates the field on these quads.
    pub const fn new(quads: Q) -> Self {
        Self(quads)
    }

    /// The product whose lane i is `values[i]`, any integer below 2^255.
    #[inline(always)]
    pub fn pack(self, values: [&[u64; 4]; 4]) -> Limbs<Q> {
        let q = self.0;
        debug_assert!(values.iter().all(|value| value[3] >> 63 == 0));
        let columns = q.transpose(values.map(|value| q.load_row(value)));
        let limbs = limbs_of_words(q, columns, 0);
        debug_assert!(self.is_product(&limbs));
        limbs
    }

    /// A value below 2^29 in every lane, as a product.
    #[inline(always)]
    pub fn splat(self, value: u64) -> Limbs<Q> {
        let mut limbs = [self.0.splat(0); LIMBS];
        limbs[0] = self.0.splat(value);
        limbs
    }

    /// The integers in the lanes of a product, below 2^255 + 2^16.
    #[inline(always)]
    pub fn unpack(self, a: &Limbs<Q>) -> [[u64; 4]; 4] {
        let q = self.0;
        debug_assert!(self.is_product(a));
        // The carry of limb 0 may propagate all the way.
        let [w0, w1, w2, w3, _] = words_of_limbs(q, &carry(q, *a));
        q.transpose([w0, w1, w2, w3]).map(|row| q.store(row).0)
    }

    /// Propagates the carries of columns once through the limbs, then adds the part above bit 255
    /// back to limb 0, times 19.
    ///
    /// The columns are below 2^64 - 2^36, so less than 2^35 is carried to limb 8. The part added
    /// back is below 2^17 for a limb 8 below 2^35, and below 2^24 for one below 2^42.
    #[inline(always)]
    fn carry(self, c: Limbs<Q>) -> Limbs<Q> {
        let q = self.0;
        debug_assert!(c.iter().all(|&c| self.below(c, u64::MAX - (1 << 36))));
        debug_assert!(self.below(c[LIMBS - 1], 1 << 42));
        let mut c = carry(q, c);
        let above = q.shr::<TOP_BITS>(c[LIMBS - 1]);
        c[LIMBS - 1] = q.opaque(q.and(c[LIMBS - 1], q.splat(TOP_MASK)));
        c[0] = q.opaque(q.add(c[0], q.multiply(above, q.opaque(q.splat(19)))));
        c
    }

    /// Folds 17 columns to a product. The upper columns are carried, starting from column 8, which
    /// becomes a limb. They are added back times 1216.
    ///
    /// A column of factors is the sum of at most nine products. In units of 2^58, products of two
    /// limbs of sums are 4, of a sum and a difference 6, of two differences 9; limb 0 of a
    /// difference counts a third, and limb 8 next to nothing. So the largest are column 8 of two
    /// differences, 7 * 9 and less than 1/5, and column 7, 6 * 9 + 2 * 3: below 64 - 1/2. The
    /// highest column is below 2^50 + 2^35, so it carries less than 2^22, which adds less than 2^33
    /// to limb 8.
    #[inline(always)]
    fn fold(self, mut t: Columns<Q>) -> Limbs<Q> {
        let q = self.0;
        debug_assert!(t.iter().all(|&t| self.below(t, u64::MAX - (1 << 56))));
        let fold = q.opaque(q.splat(FOLD));
        carry_upper(q, &mut t);
        debug_assert!(self.below(t[2 * LIMBS - 1], 1 << 22));
        let mut columns = [fold; LIMBS];
        nine_limbs!(Q, i, {
            columns[i] = q.add(t[i], q.multiply(t[i + LIMBS], fold));
        });
        let product = self.carry(columns);
        debug_assert!(self.is_product(&product));
        product
    }

    /// 91 products, 9 of them by 1216, one by 19, and 128 other instructions.
    #[inline(always)]
    fn multiply(self, a: &Limbs<Q>, b: &Limbs<Q>) -> Limbs<Q> {
        debug_assert!(self.is_factor(a) && self.is_factor(b));
        self.fold(columns_of_product(self.0, a, b))
    }

    #[inline(always)]
    fn square(self, a: &Limbs<Q>) -> Limbs<Q> {
        debug_assert!(self.is_factor(a));
        self.fold(columns_of_square(self.0, a))
    }

    #[inline(always)]
    fn add(self, a: &Limbs<Q>, b: &Limbs<Q>) -> Limbs<Q> {
        debug_assert!(self.is_product(a) && self.is_product(b));
        sum(self.0, a, b)
    }

    /// Limb 0 is carried, so that squares of differences have room.
    #[inline(always)]
    fn subtract(self, a: &Limbs<Q>, b: &Limbs<Q>) -> Limbs<Q> {
        let q = self.0;
        debug_assert!(self.is_product(a) && self.is_product(b));
        let mut difference = subtract(q, a, &OFFSET, b);
        difference[1] = q.add(difference[1], q.shr::<BITS>(difference[0]));
        difference[0] = q.and(difference[0], q.splat(MASK));
        difference
    }

    /// Reports whether all lanes are below a bound.
    fn below(self, a: Q::Quad, bound: u64) -> bool {
        self.0.store(a).0.iter().all(|&word| word < bound)
    }

    fn is_product(self, a: &Limbs<Q>) -> bool {
        are_below(&a.map(|limb| self.0.store(limb)), &Self::PRODUCT_BOUNDS)
    }

    /// Reports whether every lane has the range of a sum or of a difference.
    fn is_factor(self, a: &Limbs<Q>) -> bool {
        (0..4).all(|lane| {
            let limbs = a.map(|limb| AlignedX4([self.0.store(limb).0[lane]; 4]));
            are_below(&limbs, &Self::SUM_BOUNDS) || are_below(&limbs, &Self::DIFFERENCE_BOUNDS)
        })
    }
}

impl<Q: NarrowQuads> LazyField for C25519FieldNarrowX4<Q> {
    /// Every product is a minuend.
    type Product = Limbs<Q>;
    type Factor = Limbs<Q>;
    /// A mask of words.
    type Choice = Q::Quad;
    const IN_TURN: bool = false;

    #[inline(always)]
    fn product(self, a: &Self::Factor, b: &Self::Factor) -> Self::Product {
        self.multiply(a, b)
    }

    #[inline(always)]
    fn products(self, [[a, b], [c, d]]: [[&Self::Factor; 2]; 2]) -> [Self::Product; 2] {
        [self.multiply(a, b), self.multiply(c, d)]
    }

    #[inline(always)]
    fn squares(self, [a, b]: [&Self::Factor; 2]) -> [Self::Product; 2] {
        [self.square(a), self.square(b)]
    }

    #[inline(always)]
    fn sums_and_differences<const N: usize>(
        self,
        products: [&[Self::Product; 2]; N],
    ) -> [[Self::Factor; 2]; N] {
        let mut both = [[[self.0.splat(0); LIMBS]; 2]; N];
        for (both, [a, b]) in both.iter_mut().zip(products) {
            *both = [self.add(a, b), self.subtract(a, b)];
        }
        both
    }

    #[inline(always)]
    fn difference(self, a: &Self::Product, b: &Self::Product) -> Self::Factor {
        self.subtract(a, b)
    }

    #[inline(always)]
    fn factors<const N: usize>(self, products: [&Self::Product; N]) -> [Self::Factor; N] {
        let mut factors = [[self.0.splat(0); LIMBS]; N];
        for (factor, product) in factors.iter_mut().zip(&products) {
            *factor = **product;
        }
        factors
    }

    /// Limb 8 of SMALL b is below 2^17 3 2^23.
    #[inline(always)]
    fn add_multiple<const SMALL: u64>(self, a: &Self::Product, b: &Self::Factor) -> Self::Factor {
        const { assert!(SMALL < 1 << 17) };
        let q = self.0;
        debug_assert!(self.is_product(a) && self.is_factor(b));
        let small = q.opaque(q.splat(SMALL));
        let mut columns = *a;
        nine_limbs!(Q, i, {
            columns[i] = q.add(a[i], q.multiply(b[i], small));
        });
        let factor = self.carry(columns);
        debug_assert!(self.is_factor(&factor));
        factor
    }

    #[inline(always)]
    fn choose(self, choice: Q::Quad, a: &Self::Factor, b: &Self::Factor) -> Self::Factor {
        select(self.0, choice, a, b)
    }
}
