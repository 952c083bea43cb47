//! secp256k1 without its endomorphism, to measure its gain.

#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::cpu::{Adx, Avx2, Avx512, Fma, Ifma};
use sigmill::hazmat::curve::{
    AffinePoint, Curve, CurveName, NamedCurve, PointsCell, ScalarLanesOf, Secp256k1, SecretLanesOf,
    SpreadCell,
};
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::curve::{BaseField, LanesOf, ScalarField};

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

    const OWN_KERNELS: bool = Secp256k1::OWN_KERNELS;
    const HAS_DOUBLES: bool = Secp256k1::HAS_DOUBLES;

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn adx(self, proof: Adx) -> (impl BaseField<Self>, impl ScalarField<Self>) {
        Secp256k1.adx(proof)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn ifma(self, proof: Ifma) -> (impl SecretLanesOf<Self>, impl ScalarLanesOf<Self>) {
        Secp256k1.ifma(proof)
    }

    #[inline(always)]
    fn portable_lanes(self) -> (impl SecretLanesOf<Self>, impl ScalarLanesOf<Self>) {
        Secp256k1.portable_lanes()
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn avx512(self, proof: Avx512) -> Option<(impl LanesOf<Self>, impl ScalarLanesOf<Self>)> {
        Secp256k1.avx512(proof)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn fma(self, proof: Fma) -> Option<(impl LanesOf<Self>, impl ScalarLanesOf<Self>)> {
        Secp256k1.fma(proof)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn avx2(self, proof: Avx2) -> (impl SecretLanesOf<Self>, impl ScalarLanesOf<Self>) {
        Secp256k1.avx2(proof)
    }
}

impl NamedCurve for WithoutEndomorphism {
    type Kind = Self;

    #[inline(always)]
    fn kind(self) -> Self {
        self
    }

    fn name(self) -> CurveName {
        CurveName::Secp256k1
    }
}
