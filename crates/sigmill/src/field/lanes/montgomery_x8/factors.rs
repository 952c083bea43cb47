//! Factors in eight lanes: multiply-adds read 52 bits of a limb, so what a factor has above them may
//! stay there, and a value need not be reduced to be multiplied.

use super::reduction::multiple;
use super::registers::{Limbs, RegistersX8};
use super::{LIMBS, Reduction};
use crate::field::{Factors, Field as _};
use crate::limbs::{LIMB_BITS, Words};

/// A value in 0 .. 6.25 2^256 as five limbs whose low 52 bits count; the highest is below 2^52.
#[derive(Clone, Copy, Debug)]
pub struct FactorX8<W: Words>(Limbs<W>);

impl<W: Words, K: Reduction> RegistersX8<W, K> {
    /// Takes what stands above 52 bits of each limb to the next one, and leaves it where it was.
    #[inline(always)]
    fn carry_factor(self, mut limbs: Limbs<W>) -> FactorX8<W> {
        for i in 0..LIMBS - 1 {
            let carry = self.words.sar::<LIMB_BITS>(limbs[i]);
            limbs[i + 1] = self.words.add(limbs[i + 1], carry);
        }
        debug_assert!(
            self.words
                .store(limbs[4])
                .0
                .iter()
                .all(|&top| top < 25 << 46),
            "{limbs:?}"
        );
        FactorX8(limbs)
    }
}

/// Products of a factor and an element are below 6.25 2^256 2.25 2^256 / 2^260 + p < 1.88 2^256.
impl<W: Words, K: Reduction> Factors for RegistersX8<W, K> {
    type Factor = FactorX8<W>;

    #[inline(always)]
    fn factor(self, a: &Limbs<W>) -> FactorX8<W> {
        FactorX8(*a)
    }

    /// a - b + 3p, in 0.7 2^256 .. 5.25 2^256, as 3p > 2.95 2^256.
    #[inline(always)]
    fn difference(self, a: &Limbs<W>, b: &Limbs<W>) -> FactorX8<W> {
        let (words, p) = (self.words, const { multiple::<K::Modulus>(1) });
        let mut difference = *a;
        for i in 0..LIMBS {
            difference[i] = words.sub(a[i], b[i]);
            if p[i] != 0 {
                difference[i] = words.add(difference[i], words.splat(3 * p[i]));
            }
        }
        self.carry_factor(difference)
    }

    /// In 0 .. 6.25 2^256, as the square is below 1.33 2^256.
    #[inline(always)]
    fn square_triple_add(self, a: &Limbs<W>, b: &Limbs<W>) -> FactorX8<W> {
        let words = self.words;
        let square = self.product_with_itself(a);
        let mut sum = *b;
        for i in 0..LIMBS {
            let double = words.add(square[i], square[i]);
            sum[i] = words.add(double, words.add(square[i], b[i]));
        }
        self.carry_factor(sum)
    }

    #[inline(always)]
    fn choose(self, condition: Self::Mask, a: &FactorX8<W>, b: &FactorX8<W>) -> FactorX8<W> {
        FactorX8(self.select(condition, &a.0, &b.0))
    }

    #[inline(always)]
    fn times(self, a: &FactorX8<W>, b: &Limbs<W>) -> Limbs<W> {
        self.mul(&a.0, b)
    }

    /// In -2.25 2^256 .. 1.88 2^256 before it is settled.
    #[inline(always)]
    fn times_sub(self, a: &FactorX8<W>, b: &Limbs<W>, c: &Limbs<W>) -> Limbs<W> {
        self.mul_sub(&a.0, b, c)
    }

    /// In -2.25 2^256 .. 3.76 2^256 before it is settled.
    #[inline(always)]
    fn double_times_sub(self, a: &FactorX8<W>, b: &Limbs<W>, c: &Limbs<W>) -> Limbs<W> {
        let mut product = self.product(&a.0, b);
        for limb in &mut product {
            *limb = self.words.add(*limb, *limb);
        }
        self.sub(&product, c)
    }
}
