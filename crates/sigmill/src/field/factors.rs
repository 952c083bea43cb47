//! Elements that are only multiplied.

use crate::field::{Field, PrimeField};

/// Differences and sums that only go into products. Their range may exceed that of elements of
/// [`Field`], so a difference that goes into a product need not be reduced. Constant time.
pub trait Factors: Field {
    /// An element that is only multiplied.
    type Factor: Copy;

    /// `a`.
    fn factor(self, a: &Self::Element) -> Self::Factor;
    /// `a - b`.
    fn difference(self, a: &Self::Element, b: &Self::Element) -> Self::Factor;
    /// `3 a^2 + b`.
    fn square_triple_add(self, a: &Self::Element, b: &Self::Element) -> Self::Factor;
    /// `a` where `condition` holds, otherwise `b`, without a branch.
    fn choose(self, condition: Self::Mask, a: &Self::Factor, b: &Self::Factor) -> Self::Factor;
    /// `a b`.
    fn times(self, a: &Self::Factor, b: &Self::Element) -> Self::Element;
    /// `a b - c`.
    fn times_sub(self, a: &Self::Factor, b: &Self::Element, c: &Self::Element) -> Self::Element;
    /// `2 a b - c`, where a is an element or a difference.
    fn double_times_sub(
        self,
        a: &Self::Factor,
        b: &Self::Element,
        c: &Self::Element,
    ) -> Self::Element;
}

/// The part of [`Factors`] for fields whose factors are elements.
macro_rules! factors_are_elements {
    () => {
        type Factor = Self::Element;

        #[inline(always)]
        fn factor(self, a: &Self::Element) -> Self::Element {
            *a
        }

        #[inline(always)]
        fn choose(
            self,
            condition: Self::Mask,
            a: &Self::Element,
            b: &Self::Element,
        ) -> Self::Element {
            self.select(condition, a, b)
        }

        #[inline(always)]
        fn times(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
            self.mul(a, b)
        }

        #[inline(always)]
        fn times_sub(
            self,
            a: &Self::Element,
            b: &Self::Element,
            c: &Self::Element,
        ) -> Self::Element {
            self.mul_sub(a, b, c)
        }
    };
}

pub(super) use factors_are_elements;

/// For single values, every factor is an element.
impl<F: PrimeField> Factors for F {
    factors_are_elements!();

    #[inline(always)]
    fn difference(self, a: &F::Element, b: &F::Element) -> F::Element {
        self.sub(a, b)
    }

    #[inline(always)]
    fn square_triple_add(self, a: &F::Element, b: &F::Element) -> F::Element {
        let square = self.square(a);
        self.add(&self.add(&self.double(&square), &square), b)
    }

    #[inline(always)]
    fn double_times_sub(self, a: &F::Element, b: &F::Element, c: &F::Element) -> F::Element {
        self.sub(&self.double(&self.mul(a, b)), c)
    }
}
