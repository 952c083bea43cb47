//! Factors in eight lanes. Multiply-adds read only 52 bits of a limb, so higher bits of a factor
//! need not be cleared, and a value need not be reduced before a multiplication.

use super::Reduction;
use super::registers::{Limbs, RegistersX8};
use crate::field::{Factors, Field as _};
use crate::limbs::{LIMB_BITS, Words};

/// A value in 0 .. 6.25m as limbs of which only the low 52 bits count. The highest is below 2^52.
#[derive(Clone, Copy, Debug)]
pub struct FactorX8<W: Words, const L: usize>(pub [W::Word; L]);

impl<W: Words, K: Reduction<N, L>, const N: usize, const L: usize> RegistersX8<W, K, N, L> {
    /// Carries the part above 52 bits of each limb to the next one, without clearing it.
    #[inline(always)]
    pub(super) fn carry_factor(self, mut limbs: Limbs<W, L>) -> FactorX8<W, L> {
        for i in 0..L - 1 {
            let carry = self.words.sar::<LIMB_BITS>(limbs[i]);
            limbs[i + 1] = self.words.add(limbs[i + 1], carry);
        }
        debug_assert!(
            self.words
                .store(limbs[L - 1])
                .0
                .iter()
                .all(|&top| top < self.reduction.constants().factor_bound),
            "{limbs:?}"
        );
        FactorX8(limbs)
    }
}

/// Products of a factor and an element are below 6.25m 2.25m / 2^(52 L) + p < 1.88m, as 16m is
/// below 2^(52 L).
impl<W: Words, K: Reduction<N, L>, const N: usize, const L: usize> Factors
    for RegistersX8<W, K, N, L>
{
    type Factor = FactorX8<W, L>;

    #[inline(always)]
    fn factor(self, a: &Limbs<W, L>) -> FactorX8<W, L> {
        FactorX8(*a)
    }

    /// a - b + 3m, in 0.7m .. 5.25m.
    #[inline(always)]
    fn difference(self, a: &Limbs<W, L>, b: &Limbs<W, L>) -> FactorX8<W, L> {
        let (words, triple) = (self.words, &self.reduction.constants().triple);
        let mut difference = *a;
        for i in 0..L {
            difference[i] = words.sub(a[i], b[i]);
            if !K::SPARSE || triple[i] != 0 {
                difference[i] = words.add(difference[i], words.splat(triple[i]));
            }
        }
        self.carry_factor(difference)
    }

    /// The result is in 0 .. 6.25m, as the square is below 1.33m.
    #[inline(always)]
    fn square_triple_add(self, a: &Limbs<W, L>, b: &Limbs<W, L>) -> FactorX8<W, L> {
        let words = self.words;
        let square = self.reduction.product_with_itself(words, a);
        let mut sum = *b;
        for i in 0..L {
            let double = words.add(square[i], square[i]);
            sum[i] = words.add(double, words.add(square[i], b[i]));
        }
        self.carry_factor(sum)
    }

    #[inline(always)]
    fn choose(
        self,
        condition: Self::Mask,
        a: &FactorX8<W, L>,
        b: &FactorX8<W, L>,
    ) -> FactorX8<W, L> {
        FactorX8(self.select(condition, &a.0, &b.0))
    }

    #[inline(always)]
    fn times(self, a: &FactorX8<W, L>, b: &Limbs<W, L>) -> Limbs<W, L> {
        self.mul(&a.0, b)
    }

    /// In -2.25m .. 1.88m before reduction.
    #[inline(always)]
    fn times_sub(self, a: &FactorX8<W, L>, b: &Limbs<W, L>, c: &Limbs<W, L>) -> Limbs<W, L> {
        self.mul_sub(&a.0, b, c)
    }

    /// In -2.25m .. 3.76m before reduction.
    #[inline(always)]
    fn double_times_sub(self, a: &FactorX8<W, L>, b: &Limbs<W, L>, c: &Limbs<W, L>) -> Limbs<W, L> {
        let mut product = self.reduction.product(self.words, &a.0, b);
        for limb in &mut product {
            *limb = self.words.add(*limb, *limb);
        }
        self.sub(&product, c)
    }
}
