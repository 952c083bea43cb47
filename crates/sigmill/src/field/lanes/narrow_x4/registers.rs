//! The arithmetic of four lanes of 32-bit products on limbs in registers.

use super::reduction::{Limbs, carry, limbs_of_words, select, subtract, sum, words_of_limbs};
use super::{
    ELEMENT_TOP, LIMBS, MaskNarrowX4, NarrowModulus, NarrowReduction, WIDTH, are_below, is_element,
};
use crate::field::lanes::in_memory::{Form, LaneRegisters, Rows};
use crate::field::lanes::{LaneResidue, LaneWords};
use crate::field::{Factors, Field, LOOKUP_BLOCK, MOST_LANES, Registers, Residue, SecretRegisters};
use crate::limbs::{AlignedX4, NarrowQuads, X8, array_from_fn, nine_limbs};
use crate::{ct, limbs};

/// The field of integers modulo the prime of reduction `K` in four lanes, with limbs in registers.
/// For code that is compiled for the instructions of `Q`.
#[derive(Clone, Copy, Debug)]
pub struct RegistersNarrowX4<Q, K> {
    pub(super) quads: Q,
    pub(super) reduction: K,
}

/// A value below 5.05 2^256 in limbs below 3 2^29, including the highest.
#[derive(Clone, Copy, Debug)]
pub struct FactorNarrowX4<Q: NarrowQuads>(Limbs<Q>);

impl<Q: NarrowQuads> FactorNarrowX4<Q> {
    /// The limbs, lowest first.
    pub fn limbs(&self) -> &[Q::Quad; LIMBS] {
        &self.0
    }
}

impl<Q: NarrowQuads, K: NarrowReduction> RegistersNarrowX4<Q, K> {
    #[inline(always)]
    pub(super) fn new(quads: Q, reduction: K) -> Self {
        Self { quads, reduction }
    }

    #[inline(always)]
    pub(super) fn constant(self, limbs: &[u64; LIMBS]) -> Limbs<Q> {
        let mut constant = [self.quads.splat(0); LIMBS];
        nine_limbs!(Q, i, {
            constant[i] = self.quads.splat(limbs[i]);
        });
        constant
    }

    #[inline(always)]
    fn reduce_weakly(self, limbs: Limbs<Q>) -> Limbs<Q> {
        let element = self.reduction.reduce_weakly(self.quads, limbs);
        debug_assert!(self.is_element(&element), "{element:?}");
        element
    }

    /// Converts the words of single values to limbs, times 2^`SHIFT`, the ratio of the two R.
    #[inline(always)]
    fn limbs_of_single(self, words: [Q::Quad; 4]) -> Limbs<Q> {
        let limbs = limbs_of_words(self.quads, words, K::SHIFT);
        if const { K::SHIFT == 0 } {
            return limbs;
        }
        self.reduce_weakly(limbs)
    }

    fn is_element(self, a: &Limbs<Q>) -> bool {
        is_element(&a.map(|limb| self.quads.store(limb)))
    }

    fn is_factor(self, a: &Limbs<Q>) -> bool {
        let limbs = a.map(|limb| self.quads.store(limb));
        are_below(&limbs, &NarrowModulus::FACTOR_BOUNDS)
    }

    #[inline(always)]
    fn checked_factor(self, limbs: Limbs<Q>) -> FactorNarrowX4<Q> {
        debug_assert!(self.is_factor(&limbs), "{limbs:?}");
        FactorNarrowX4(limbs)
    }
}

impl<Q: NarrowQuads, K: NarrowReduction> Field for RegistersNarrowX4<Q, K> {
    type Element = Limbs<Q>;
    type Mask = MaskNarrowX4;

    #[inline(always)]
    fn zero(self) -> Limbs<Q> {
        [self.quads.splat(0); LIMBS]
    }

    #[inline(always)]
    fn one(self) -> Limbs<Q> {
        self.constant(&self.reduction.constants().one)
    }

    #[inline(always)]
    fn add(self, a: &Limbs<Q>, b: &Limbs<Q>) -> Limbs<Q> {
        self.reduce_weakly(sum(self.quads, a, b))
    }

    /// a - b + 2p.
    #[inline(always)]
    fn sub(self, a: &Limbs<Q>, b: &Limbs<Q>) -> Limbs<Q> {
        self.reduce_weakly(subtract(
            self.quads,
            a,
            &self.reduction.constants().for_one,
            b,
        ))
    }

    /// a - (b + c) + 4p.
    #[inline(always)]
    fn sub_both(self, a: &Limbs<Q>, b: &Limbs<Q>, c: &Limbs<Q>) -> Limbs<Q> {
        let both = sum(self.quads, b, c);
        self.reduce_weakly(subtract(
            self.quads,
            a,
            &self.reduction.constants().for_two,
            &both,
        ))
    }

    #[inline(always)]
    fn select(self, condition: MaskNarrowX4, a: &Limbs<Q>, b: &Limbs<Q>) -> Limbs<Q> {
        let mask = self.quads.load(&condition.0);
        select(self.quads, mask, a, b)
    }

    /// (a + p) / 2 if a is odd, otherwise a / 2.
    #[inline(always)]
    fn half(self, a: &Limbs<Q>) -> Limbs<Q> {
        let (quads, p) = (self.quads, &self.reduction.constants().prime);
        let odd = quads.sub(quads.splat(0), quads.and(a[0], quads.splat(1)));
        let mut sum = *a;
        nine_limbs!(Q, i, {
            sum[i] = quads.add(a[i], quads.and(odd, quads.splat(p[i])));
        });
        sum = carry(quads, sum);
        nine_limbs!(Q, i, {
            sum[i] = quads.shr::<1>(sum[i]);
            if i + 1 < LIMBS {
                let bit = quads.and(sum[i + 1], quads.splat(1));
                sum[i] = quads.opaque(quads.or(sum[i], quads.shl::<28>(bit)));
            }
        });
        debug_assert!(self.is_element(&sum), "{sum:?}");
        sum
    }

    #[inline(always)]
    fn mul(self, a: &Limbs<Q>, b: &Limbs<Q>) -> Limbs<Q> {
        self.times(&FactorNarrowX4(*a), b)
    }

    #[inline(always)]
    fn square(self, a: &Limbs<Q>) -> Limbs<Q> {
        carry(
            self.quads,
            self.reduction.product_with_itself(self.quads, a),
        )
    }

    /// The carries of the product are left to those of the difference.
    #[inline(always)]
    fn mul_sub(self, a: &Limbs<Q>, b: &Limbs<Q>, c: &Limbs<Q>) -> Limbs<Q> {
        self.times_sub(&FactorNarrowX4(*a), b, c)
    }

    /// The carries of the square are left to those of the difference.
    #[inline(always)]
    fn square_sub_both(self, a: &Limbs<Q>, b: &Limbs<Q>, c: &Limbs<Q>) -> Limbs<Q> {
        self.sub_both(&self.reduction.product_with_itself(self.quads, a), b, c)
    }

    /// Below 2p, zero is 0 or p.
    #[inline(always)]
    fn is_zero(self, a: &Limbs<Q>) -> MaskNarrowX4 {
        let (quads, p) = (self.quads, &self.reduction.constants().prime);
        let (mut other, mut other_p) = (a[0], quads.sub(a[0], quads.splat(p[0])));
        for i in 1..LIMBS {
            other = quads.or(other, a[i]);
            other_p = quads.or(other_p, quads.sub(a[i], quads.splat(p[i])));
        }
        let zero = quads.splat(0);
        let is_zero = quads.or(quads.equal(other, zero), quads.equal(other_p, zero));
        MaskNarrowX4(quads.store(is_zero))
    }
}

/// Products of a limb of a factor and one of an element are below 3 2^58, or twice that for doubled
/// products. The values are below 5.05 1.1875 2^512 / 2^261 + p < 1.1875 2^256.
impl<Q: NarrowQuads, K: NarrowReduction> Factors for RegistersNarrowX4<Q, K> {
    type Factor = FactorNarrowX4<Q>;

    #[inline(always)]
    fn factor(self, a: &Limbs<Q>) -> FactorNarrowX4<Q> {
        self.checked_factor(*a)
    }

    /// a - b + 2p, below 3.1875 2^256; limbs below 2^29 + 2^30.
    #[inline(always)]
    fn difference(self, a: &Limbs<Q>, b: &Limbs<Q>) -> FactorNarrowX4<Q> {
        self.checked_factor(subtract(
            self.quads,
            a,
            &self.reduction.constants().for_one,
            b,
        ))
    }

    /// The square is below 1.05 2^256, so this is below 4.34 2^256.
    #[inline(always)]
    fn square_triple_add(self, a: &Limbs<Q>, b: &Limbs<Q>) -> FactorNarrowX4<Q> {
        let quads = self.quads;
        let square = self.square(a);
        let mut sum = *b;
        nine_limbs!(Q, i, {
            let double = quads.add(square[i], square[i]);
            sum[i] = quads.add(double, quads.add(square[i], b[i]));
        });
        self.checked_factor(carry(quads, sum))
    }

    #[inline(always)]
    fn choose(
        self,
        condition: Self::Mask,
        a: &FactorNarrowX4<Q>,
        b: &FactorNarrowX4<Q>,
    ) -> FactorNarrowX4<Q> {
        FactorNarrowX4(self.select(condition, &a.0, &b.0))
    }

    #[inline(always)]
    fn times(self, a: &FactorNarrowX4<Q>, b: &Limbs<Q>) -> Limbs<Q> {
        debug_assert!(self.is_factor(&a.0) && self.is_element(b));
        let product = carry(self.quads, self.reduction.product(self.quads, &a.0, b));
        debug_assert!(self.is_element(&product), "{product:?}");
        product
    }

    #[inline(always)]
    fn times_sub(self, a: &FactorNarrowX4<Q>, b: &Limbs<Q>, c: &Limbs<Q>) -> Limbs<Q> {
        debug_assert!(self.is_factor(&a.0) && self.is_element(b) && self.is_element(c));
        self.sub(&self.reduction.product(self.quads, &a.0, b), c)
    }

    #[inline(always)]
    fn double_times_sub(self, a: &FactorNarrowX4<Q>, b: &Limbs<Q>, c: &Limbs<Q>) -> Limbs<Q> {
        self.times_sub_doubled(a, b, c)
    }
}

impl<Q: NarrowQuads, K: NarrowReduction> RegistersNarrowX4<Q, K> {
    /// 2 a b - c: limbs of 2b are below 2^30.
    #[inline(always)]
    fn times_sub_doubled(self, a: &FactorNarrowX4<Q>, b: &Limbs<Q>, c: &Limbs<Q>) -> Limbs<Q> {
        debug_assert!(self.is_factor(&a.0) && self.is_element(b) && self.is_element(c));
        let mut double = sum(self.quads, b, b);
        nine_limbs!(Q, i, {
            double[i] = self.quads.opaque(double[i]);
        });
        self.sub(&self.reduction.product(self.quads, &a.0, &double), c)
    }

    /// Word j of the entries with these numbers, selected under masks.
    #[inline(always)]
    fn entry_words(
        self,
        blocks: &[[[[u64; 4]; 2]; LOOKUP_BLOCK]],
        numbers: &X8,
    ) -> [[Q::Quad; 4]; 2] {
        let quads = self.quads;
        let mut found = [[quads.splat(0); 4]; 2];
        let [a, b, c, d, ..] = numbers.0;
        let numbers = quads.load(&AlignedX4([a, b, c, d]));
        let (mut number, one) = (quads.splat(0), quads.splat(1));
        for entry in blocks.as_flattened() {
            let here = quads.equal(numbers, number);
            number = quads.add(number, one);
            for c in 0..2 {
                for j in 0..4 {
                    let word = quads.and(quads.splat(entry[c][j]), here);
                    found[c][j] = quads.or(found[c][j], word);
                }
            }
        }
        found
    }
}

impl<Q: NarrowQuads, K: NarrowReduction> Registers for RegistersNarrowX4<Q, K> {
    type Stored = LaneResidue<K::Tag, AlignedX4, LIMBS>;

    type Lane = LaneWords<K::Tag, 4>;

    type Entry = Residue<K::Tag, 4>;

    #[inline(always)]
    fn load(self, a: &Self::Stored) -> Limbs<Q> {
        self.quads.load_all(&a.limbs)
    }

    #[inline(always)]
    fn store(self, a: &Limbs<Q>) -> Self::Stored {
        let stored = LaneResidue::from_limbs(self.quads.store_all(a));
        debug_assert!(is_element(&stored.limbs), "{stored:?}");
        stored
    }

    #[inline(always)]
    fn gather_values(self, values: [&Residue<K::Tag, 4>; MOST_LANES]) -> Limbs<Q> {
        let quads = self.quads;
        let row = |i: usize| quads.load_row(values[i].montgomery_limbs());
        self.limbs_of_single(quads.transpose([row(0), row(1), row(2), row(3)]))
    }

    #[inline(always)]
    fn gather_lanes(self, lanes: [&LaneWords<K::Tag, 4>; MOST_LANES]) -> Limbs<Q> {
        let quads = self.quads;
        let row = |i: usize| quads.load_row(&lanes[i].words);
        limbs_of_words(quads, quads.transpose([row(0), row(1), row(2), row(3)]), 0)
    }

    #[inline(always)]
    fn is_number(self, numbers: &X8, number: u64) -> MaskNarrowX4 {
        let quads = self.quads;
        let [a, b, c, d, ..] = numbers.0;
        let numbers = quads.load(&AlignedX4([a, b, c, d]));
        MaskNarrowX4(quads.store(quads.equal(numbers, quads.splat(number))))
    }
}

impl<Q: NarrowQuads, K: NarrowReduction> LaneRegisters<4> for RegistersNarrowX4<Q, K> {
    type Tag = K::Tag;
    type Vectors = Q;
    type LaneArray = [LaneWords<K::Tag, 4>; WIDTH];

    const WIDTH: usize = WIDTH;

    #[inline(always)]
    fn vectors(self) -> Q {
        self.quads
    }

    #[inline(always)]
    fn stored_zero(self) -> Self::Stored {
        stored(&[0; LIMBS])
    }

    #[inline(always)]
    fn stored_one(self) -> Self::Stored {
        stored(&self.reduction.constants().one)
    }

    /// With a Montgomery form, one product by the R of single values replaces the R of lanes, and
    /// one product by 1 removes R.
    #[inline(always)]
    fn factor_of(self, form: Form) -> Option<Self::Stored> {
        if const { K::SHIFT == 0 } {
            return None;
        }
        match form {
            Form::Single => Some(stored(&self.reduction.constants().single_one)),
            Form::Integer => {
                let mut one = [0; LIMBS];
                one[0] = 1;
                Some(stored(&one))
            }
            Form::Lane => None,
        }
    }

    /// The value is below 2p, so at most one p is subtracted.
    #[inline(always)]
    fn rows(self, a: &Limbs<Q>, _: Form) -> [[u64; 4]; MOST_LANES] {
        let (quads, constants) = (self.quads, self.reduction.constants());
        let [w0, w1, w2, w3, above] = words_of_limbs(quads, a);
        let above = quads.store(above).0;
        let mut rows = [[0; 4]; MOST_LANES];
        for (i, &row) in quads.transpose([w0, w1, w2, w3]).iter().enumerate() {
            let row = quads.store(row).0;
            let (difference, borrow) = limbs::subtract(&row, constants.modulus.prime());
            // Not below p if a bit is above, or there is no borrow.
            let mask = ct::mask_zero(above[i] | (borrow ^ 1));
            rows[i] = limbs::select(mask, &row, &difference);
        }
        rows
    }

    #[inline(always)]
    fn lane_array(self, a: &Self::Stored) -> Self::LaneArray {
        let registers = self;
        let form = Form::Lane;
        let rows = self.quads.call(Rows { registers, a, form });
        array_from_fn(|lane| LaneWords::new(rows[lane]))
    }

    #[inline(always)]
    fn rotate<const BY: usize>(self, a: &Limbs<Q>) -> Limbs<Q> {
        let mut limbs = *a;
        for limb in &mut limbs {
            *limb = self.quads.rotate::<BY>(*limb);
        }
        limbs
    }
}

impl<Q: NarrowQuads, K: NarrowReduction> SecretRegisters for RegistersNarrowX4<Q, K> {
    /// The words of both values of each entry.
    type LookupBlock = [[[u64; 4]; 2]; LOOKUP_BLOCK];

    #[inline(always)]
    fn lookup_block(self, entries: [[&Residue<K::Tag, 4>; 2]; LOOKUP_BLOCK]) -> Self::LookupBlock {
        entries.map(|[a, b]| [*a.montgomery_limbs(), *b.montgomery_limbs()])
    }

    /// Only the words of the selected entries are converted to limbs.
    #[inline(always)]
    fn look_up(self, blocks: &[Self::LookupBlock], numbers: &X8) -> [Limbs<Q>; 2] {
        let [a, b] = self.entry_words(blocks, numbers);
        [self.limbs_of_single(a), self.limbs_of_single(b)]
    }
}

const _: () = assert!(ELEMENT_TOP < 2 << 24, "two elements fit below 4p");

/// A constant in all lanes.
#[inline(always)]
fn stored<T>(limbs: &[u64; LIMBS]) -> LaneResidue<T, AlignedX4, LIMBS> {
    LaneResidue::from_limbs(limbs.map(|limb| AlignedX4([limb; WIDTH])))
}
