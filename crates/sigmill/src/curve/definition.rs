//! What a curve is: a type with constants and a choice of fields.

use alloc::boxed::Box;
use core::any::Any;
use core::fmt::Debug;

use once_cell::race::OnceBox;
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

use super::{AffinePoint, CoefficientA, CurveName, Endomorphism, Points};
use crate::field::{Lanes, Limbs, PrimeField};

/// An element of the field that the points of `C` have coordinates in.
pub type BaseElement<C> = <C as Curve>::BaseElement;

/// An integer modulo the order of `C`.
pub type ScalarElement<C> = <C as Curve>::ScalarElement;

/// A backend of the field that curve `C` is defined over.
pub trait BaseField<C: Curve>: PrimeField<Element = C::BaseElement, Integer = C::Integer> {}

impl<C: Curve, F: PrimeField<Element = C::BaseElement, Integer = C::Integer>> BaseField<C> for F {}

/// A backend of the integers modulo the order of curve `C`.
pub trait ScalarField<C: Curve>:
    PrimeField<Element = C::ScalarElement, Integer = C::Integer>
{
}

impl<C: Curve, S: PrimeField<Element = C::ScalarElement, Integer = C::Integer>> ScalarField<C>
    for S
{
}

/// A backend of the field of coordinates of `C`, one or more values wide.
pub trait LanesOf<C: Curve>: Lanes<Single: BaseField<C>> {}

impl<C: Curve, L: Lanes<Single: BaseField<C>>> LanesOf<C> for L {}

/// A backend of the integers modulo the order of `C`, one or more values wide.
pub trait ScalarLanesOf<C: Curve>: Lanes<Single: ScalarField<C>> {}

impl<C: Curve, L: Lanes<Single: ScalarField<C>>> ScalarLanesOf<C> for L {}

/// A curve y^2 = x^3 + a x + b of prime order n over a prime field, with a generator G.
///
/// The constants are elements, so the compiler has converted and range-checked them.
pub trait Curve: Copy + Debug + Eq + Send + Sync + 'static {
    /// The name that messages use.
    const LABEL: &'static str;
    /// Integers as wide as p and n.
    type Integer: Limbs;
    /// Elements of the field of coordinates.
    type BaseElement: Copy + Debug + PartialEq + Eq + Zeroize + Send + Sync + 'static;
    /// Integers modulo the order.
    type ScalarElement: Copy
        + Debug
        + PartialEq
        + Eq
        + ConstantTimeEq
        + Zeroize
        + Send
        + Sync
        + 'static;
    /// What is known of a: -3, 0 or nothing.
    type A: CoefficientA;
    /// The coefficient a.
    const A: Self::BaseElement;
    /// The coefficient b.
    const B: Self::BaseElement;
    /// The generator.
    const GENERATOR: AffinePoint<Self::BaseElement>;
    /// The window of the generator's table, in bits.
    const GENERATOR_WINDOW: u32;

    /// The window of the generator's table that secrets are multiplied by, in bits: at least 2,
    /// and less than half the length of the order.
    const BASE_WINDOW: u32;

    /// The endomorphism that halves the doublings of a multiplication; `None` for a curve without
    /// one.
    const ENDOMORPHISM: Option<Endomorphism<Self::BaseElement, Self::Integer>> = None;

    /// A portable backend of the field of coordinates, for what is not worth a choice.
    type BaseField: BaseField<Self>;
    /// A portable backend of the integers modulo the order.
    type ScalarField: ScalarField<Self>;
    /// The portable field of coordinates.
    fn base_field() -> Self::BaseField;
    /// The portable integers modulo the order.
    fn scalar_field() -> Self::ScalarField;

    /// The place where this process keeps the table of the generator once it is built.
    fn generator_cell() -> &'static OnceBox<Points<Self::BaseElement>>;

    /// The place where this process keeps the table of the generator that secrets are multiplied
    /// by, once it is built.
    fn base_cell() -> &'static OnceBox<Points<Self::BaseElement>>;

    /// The place where this process keeps the table of the generator for one secret multiplication
    /// that is spread over lanes, whose elements depend on the backend; `None` for a curve without
    /// lanes.
    fn spread_cell() -> Option<&'static OnceBox<Box<dyn Any + Send + Sync>>> {
        None
    }

    /// Runs an operation on the fastest backends that this machine has.
    ///
    /// The backend is chosen here, once per whole operation.
    fn dispatch<O: Operation<Self>>(operation: O) -> O::Output;

    /// Runs an operation on many values on the widest backends that this machine has: one lane
    /// unless the curve has a wider field.
    #[inline]
    fn dispatch_lanes<O: LanesOperation<Self>>(operation: O) -> O::Output {
        Self::dispatch(OneLane(operation))
    }
}

/// A curve that users can name: in files, certificates and tokens.
pub trait NamedCurve: Curve {
    /// Its name.
    const NAME: CurveName;
}

/// Something to compute on a curve, generic over the backends of its two fields.
pub trait Operation<C: Curve> {
    /// The result.
    type Output;

    /// Computes it. Implementations are `#[inline(always)]`, so that a dispatcher can compile them
    /// for the instructions it has found.
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, base: F, order: S) -> Self::Output;
}

/// Something to compute on many values of a curve, generic over the backends of its two fields
/// and their common width.
pub trait LanesOperation<C: Curve> {
    /// The result.
    type Output;

    /// Computes it. Implementations are `#[inline(always)]`, as those of [`Operation`] are.
    fn run<L: LanesOf<C>, S: ScalarLanesOf<C>>(self, base: L, order: S) -> Self::Output;
}

/// An operation on many values that is run one lane wide.
#[derive(Debug)]
pub struct OneLane<O>(pub O);

impl<C: Curve, O: LanesOperation<C>> Operation<C> for OneLane<O> {
    type Output = O::Output;

    #[inline(always)]
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, base: F, order: S) -> O::Output {
        self.0.run(base, order)
    }
}
