//! Curves on which a cube root of one gives an endomorphism, and the same curves without it.

use alloc::boxed::Box;
use core::any::Any;
use core::marker::PhantomData;

use once_cell::race::OnceBox;

use super::{
    AffinePoint, BaseField, Curve, CurveName, LanesOf, LanesOperation, NamedCurve, Operation,
    Points, ScalarField, ScalarLanesOf,
};
use crate::scalar::Split;

/// The map (x, y) -> (beta x, y) of a curve with a = 0, where beta is a cube root of one other than
/// one: it takes P to lambda P, for a root lambda of lambda^2 + lambda + 1 modulo the order.
///
/// So k P = k1 P + k2 (lambda P) with k1 and k2 of half the length, and half the doublings
/// (docs/endomorphism.md).
#[derive(Clone, Copy, Debug)]
pub struct Endomorphism<E, I> {
    /// The cube root of one.
    pub beta: E,
    /// How integers split into k1 + k2 lambda.
    pub split: Split<I>,
}

/// The curve `C` whose endomorphism is not made use of: to measure what it gains. Elements, points
/// and tables are those of `C`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithoutEndomorphism<C>(PhantomData<C>);

impl<C: Curve> Curve for WithoutEndomorphism<C> {
    const LABEL: &'static str = C::LABEL;
    type Integer = C::Integer;
    type BaseElement = C::BaseElement;
    type ScalarElement = C::ScalarElement;
    type A = C::A;
    const A: C::BaseElement = C::A;
    const B: C::BaseElement = C::B;
    const GENERATOR: AffinePoint<C::BaseElement> = C::GENERATOR;
    const GENERATOR_WINDOW: u32 = C::GENERATOR_WINDOW;
    const BASE_WINDOW: u32 = C::BASE_WINDOW;
    type BaseField = C::BaseField;
    type ScalarField = C::ScalarField;

    fn base_field() -> C::BaseField {
        C::base_field()
    }

    fn scalar_field() -> C::ScalarField {
        C::scalar_field()
    }

    fn generator_cell() -> &'static OnceBox<Points<C::BaseElement>> {
        C::generator_cell()
    }

    fn base_cell() -> &'static OnceBox<Points<C::BaseElement>> {
        C::base_cell()
    }

    fn spread_cell() -> Option<&'static OnceBox<Box<dyn Any + Send + Sync>>> {
        C::spread_cell()
    }

    #[inline]
    fn dispatch<O: Operation<Self>>(operation: O) -> O::Output {
        C::dispatch(On(operation))
    }

    #[inline]
    fn dispatch_lanes<O: LanesOperation<Self>>(operation: O) -> O::Output {
        C::dispatch_lanes(On(operation))
    }
}

impl<C: NamedCurve> NamedCurve for WithoutEndomorphism<C> {
    const NAME: CurveName = C::NAME;
}

/// An operation on the curve without its endomorphism, on the fields that the curve has chosen.
struct On<O>(O);

impl<C: Curve, O: Operation<WithoutEndomorphism<C>>> Operation<C> for On<O> {
    type Output = O::Output;

    #[inline(always)]
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, base: F, order: S) -> O::Output {
        self.0.run(base, order)
    }
}

impl<C: Curve, O: LanesOperation<WithoutEndomorphism<C>>> LanesOperation<C> for On<O> {
    type Output = O::Output;

    #[inline(always)]
    fn run<L: LanesOf<C>, S: ScalarLanesOf<C>>(self, base: L, order: S) -> O::Output {
        self.0.run(base, order)
    }
}
