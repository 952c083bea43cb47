//! Kinds of the coefficient a, which determines how a tangent is computed.

use core::fmt::Debug;

use crate::field::Field;

/// The computation of a tangent's slope for one kind of coefficient a.
pub trait CoefficientA: Copy + Debug + Send + Sync + 'static {
    /// (3 x^2 + a z^4) / 2, half the numerator of the slope of the tangent at (x, y, z).
    fn half_tangent<F: Field>(
        self,
        field: F,
        a: &F::Element,
        x: &F::Element,
        z: &F::Element,
    ) -> F::Element;

    /// The number of products and the number of squares that [`half_tangent`](Self::half_tangent)
    /// costs.
    fn products_and_squares(self) -> (u8, u8);
}

/// a = -3 (the NIST curves, SM2): 1M + 1S.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AMinus3;

impl CoefficientA for AMinus3 {
    /// 3 (x - z^2) (x + z^2) / 2.
    #[inline(always)]
    fn half_tangent<F: Field>(
        self,
        field: F,
        _: &F::Element,
        x: &F::Element,
        z: &F::Element,
    ) -> F::Element {
        let z2 = field.square(z);
        let product = field.mul(&field.sub(x, &z2), &field.add(x, &z2));
        field.add(&product, &field.half(&product))
    }

    fn products_and_squares(self) -> (u8, u8) {
        (1, 1)
    }
}

/// a = 0 (secp256k1): 1S.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AZero;

impl CoefficientA for AZero {
    /// 3 x^2 / 2.
    #[inline(always)]
    fn half_tangent<F: Field>(
        self,
        field: F,
        _: &F::Element,
        x: &F::Element,
        _: &F::Element,
    ) -> F::Element {
        let x2 = field.square(x);
        field.add(&x2, &field.half(&x2))
    }

    fn products_and_squares(self) -> (u8, u8) {
        (0, 1)
    }
}

/// Any a; whether it is -3 is known at run time. Any other a costs 1M + 3S.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyA {
    /// a = -3.
    Minus3,
    /// Any other.
    Other,
}

impl CoefficientA for AnyA {
    /// (x^2 + x^2 + x^2 + a z^4) / 2.
    #[inline(always)]
    fn half_tangent<F: Field>(
        self,
        field: F,
        a: &F::Element,
        x: &F::Element,
        z: &F::Element,
    ) -> F::Element {
        if self == Self::Minus3 {
            return AMinus3.half_tangent(field, a, x, z);
        }
        let x2 = field.square(x);
        let z4 = field.square(&field.square(z));
        let sum = field.add(&x2, &field.mul(a, &z4));
        field.add(&x2, &field.half(&sum))
    }

    fn products_and_squares(self) -> (u8, u8) {
        match self {
            Self::Minus3 => AMinus3.products_and_squares(),
            Self::Other => (1, 3),
        }
    }
}
