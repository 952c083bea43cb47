//! secp256k1 without its endomorphism, to measure its gain.

use sigmill::hazmat::curve::{
    AffinePoint, BaseField, Curve, CurveName, LanesOf, LanesOperation, NamedCurve, Operation,
    PointsCell, ScalarField, ScalarLanesOf, Secp256k1, SecretLanesOf, SecretLanesOperation,
    SpreadCell,
};

/// secp256k1 without use of its endomorphism. Elements, points and tables are secp256k1's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WithoutEndomorphism;

type Element = <Secp256k1 as Curve>::BaseElement;

impl Curve for WithoutEndomorphism {
    type Integer = <Secp256k1 as Curve>::Integer;
    type BaseElement = Element;
    type ScalarElement = <Secp256k1 as Curve>::ScalarElement;
    type A = <Secp256k1 as Curve>::A;
    type BaseField = <Secp256k1 as Curve>::BaseField;
    type ScalarField = <Secp256k1 as Curve>::ScalarField;

    fn label(self) -> &'static str {
        Secp256k1.label()
    }

    fn kind_of_a(self) -> Self::A {
        Secp256k1.kind_of_a()
    }

    fn a(self) -> Element {
        Secp256k1.a()
    }

    fn b(self) -> Element {
        Secp256k1.b()
    }

    fn generator(self) -> &'static AffinePoint<Element> {
        Secp256k1.generator()
    }

    fn generator_window(self) -> u32 {
        Secp256k1.generator_window()
    }

    fn base_window(self) -> u32 {
        Secp256k1.base_window()
    }

    fn base_field(self) -> Self::BaseField {
        Secp256k1.base_field()
    }

    fn scalar_field(self) -> Self::ScalarField {
        Secp256k1.scalar_field()
    }

    fn generator_cell(self) -> &'static PointsCell<Element> {
        Secp256k1.generator_cell()
    }

    fn base_cell(self) -> &'static PointsCell<Element> {
        Secp256k1.base_cell()
    }

    fn spread_cell(self) -> &'static SpreadCell {
        Secp256k1.spread_cell()
    }

    fn choose_single<O: Operation<Self>>(self, operation: O) -> O::Output {
        Secp256k1.choose_single(Without(operation))
    }

    fn choose_lanes<O: LanesOperation<Self>>(self, operation: O) -> O::Output {
        Secp256k1.choose_lanes(Without(operation))
    }

    fn choose_secret_lanes<O: SecretLanesOperation<Self>>(self, operation: O) -> O::Output {
        Secp256k1.choose_secret_lanes(Without(operation))
    }
}

impl NamedCurve for WithoutEndomorphism {
    fn name(self) -> CurveName {
        CurveName::Secp256k1
    }
}

/// An operation on the fields that the curve selects.
struct Without<O>(O);

impl<O: Operation<WithoutEndomorphism>> Operation<Secp256k1> for Without<O> {
    type Output = O::Output;

    #[inline(always)]
    fn run<F, S>(self, _: Secp256k1, base: F, order: S) -> O::Output
    where
        F: BaseField<Secp256k1>,
        S: ScalarField<Secp256k1>,
    {
        self.0.run(WithoutEndomorphism, base, order)
    }
}

impl<O: LanesOperation<WithoutEndomorphism>> LanesOperation<Secp256k1> for Without<O> {
    type Output = O::Output;

    #[inline(always)]
    fn run<L, S>(self, _: Secp256k1, base: L, order: S) -> O::Output
    where
        L: LanesOf<Secp256k1>,
        S: ScalarLanesOf<Secp256k1>,
    {
        self.0.run(WithoutEndomorphism, base, order)
    }
}

impl<O: SecretLanesOperation<WithoutEndomorphism>> SecretLanesOperation<Secp256k1> for Without<O> {
    type Output = O::Output;

    #[inline(always)]
    fn run<L, S>(self, _: Secp256k1, base: L, order: S) -> O::Output
    where
        L: SecretLanesOf<Secp256k1>,
        S: ScalarLanesOf<Secp256k1>,
    {
        self.0.run(WithoutEndomorphism, base, order)
    }
}
