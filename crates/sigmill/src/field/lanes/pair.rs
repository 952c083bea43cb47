//! Two values of one field side by side.
//!
//! A single point addition is a chain of products that wait for each other. Two alternating
//! additions keep the multiplier busy. The formulas are generic over the width, so they stay the
//! same.

use crate::field::{Field, Mask};

/// The field `F`, two values wide.
#[derive(Clone, Copy, Debug)]
pub struct Pair<F>(pub F);

impl Mask for [bool; 2] {
    #[inline(always)]
    fn any(self) -> bool {
        self[0] | self[1]
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        [self[0] | other[0], self[1] | other[1]]
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        [self[0] & !other[0], self[1] & !other[1]]
    }

    #[inline(always)]
    fn from_lanes(holds: impl Fn(usize) -> bool) -> Self {
        [holds(0), holds(1)]
    }

    #[inline(always)]
    fn lane(self, i: usize) -> bool {
        self[i]
    }
}

impl<F: Field<Mask = bool>> Field for Pair<F> {
    type Element = [F::Element; 2];
    type Mask = [bool; 2];

    #[inline(always)]
    fn zero(self) -> Self::Element {
        [self.0.zero(); 2]
    }

    #[inline(always)]
    fn one(self) -> Self::Element {
        [self.0.one(); 2]
    }

    #[inline(always)]
    fn add(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        [self.0.add(&a[0], &b[0]), self.0.add(&a[1], &b[1])]
    }

    #[inline(always)]
    fn sub(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        [self.0.sub(&a[0], &b[0]), self.0.sub(&a[1], &b[1])]
    }

    #[inline(always)]
    fn negate(self, a: &Self::Element) -> Self::Element {
        [self.0.negate(&a[0]), self.0.negate(&a[1])]
    }

    #[inline(always)]
    fn select(self, condition: [bool; 2], a: &Self::Element, b: &Self::Element) -> Self::Element {
        [
            self.0.select(condition[0], &a[0], &b[0]),
            self.0.select(condition[1], &a[1], &b[1]),
        ]
    }

    #[inline(always)]
    fn negate_if(self, a: &Self::Element, condition: [bool; 2]) -> Self::Element {
        [
            self.0.negate_if(&a[0], condition[0]),
            self.0.negate_if(&a[1], condition[1]),
        ]
    }

    #[inline(always)]
    fn double(self, a: &Self::Element) -> Self::Element {
        [self.0.double(&a[0]), self.0.double(&a[1])]
    }

    #[inline(always)]
    fn half(self, a: &Self::Element) -> Self::Element {
        [self.0.half(&a[0]), self.0.half(&a[1])]
    }

    #[inline(always)]
    fn mul(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        [self.0.mul(&a[0], &b[0]), self.0.mul(&a[1], &b[1])]
    }

    #[inline(always)]
    fn square(self, a: &Self::Element) -> Self::Element {
        [self.0.square(&a[0]), self.0.square(&a[1])]
    }

    #[inline(always)]
    fn equal(self, a: &Self::Element, b: &Self::Element) -> [bool; 2] {
        [self.0.equal(&a[0], &b[0]), self.0.equal(&a[1], &b[1])]
    }

    #[inline(always)]
    fn is_zero(self, a: &Self::Element) -> [bool; 2] {
        [self.0.is_zero(&a[0]), self.0.is_zero(&a[1])]
    }
}
