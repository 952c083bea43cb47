//! A tiny curve with its endomorphism, like secp256k1's: the curves over any prime have none.

use once_cell::race::OnceBox;
#[cfg(target_arch = "x86_64")]
use sigmill::hazmat::cpu::Ifma;
use sigmill::hazmat::curve::{
    AZero, AffinePoint, Curve, Endomorphism, Points, Prime, ScalarLanesOf, SecretLanesOf,
    SpreadCell,
};
use sigmill::hazmat::scalar::{Scalar, Split};

use super::Element;

/// A row of the curves over any prime with a = 0, and its endomorphism.
#[derive(Debug)]
pub struct Parts {
    row: Prime<1, 2>,
    endomorphism: Endomorphism<Element, [u64; 1]>,
}

impl Parts {
    /// The row, with the endomorphism given by `beta` and the two integers of [`Split::new`].
    pub const fn new(row: Prime<1, 2>, beta: u64, split: [u64; 2]) -> Self {
        let constants = row.constants();
        assert!(constants.a[0] == 0);
        Self {
            row,
            endomorphism: Endomorphism {
                beta: Element::from_integer_const(constants.prime, &[beta]),
                split: Split::new(constants.order.prime(), [split[0]], [split[1]]),
            },
        }
    }
}

/// A tiny curve with a = 0 and its endomorphism.
#[derive(Clone, Copy, Debug)]
pub struct WithEndomorphism(&'static Parts);

impl WithEndomorphism {
    /// The curve of these parts.
    pub const fn new(parts: &'static Parts) -> Self {
        Self(parts)
    }
}

impl PartialEq for WithEndomorphism {
    fn eq(&self, other: &Self) -> bool {
        self.0.row == other.0.row
    }
}

impl Eq for WithEndomorphism {}

impl Curve for WithEndomorphism {
    type Integer = [u64; 1];
    type BaseElement = Element;
    type ScalarElement = Scalar<1>;
    type A = AZero;
    type BaseField = <Prime<1, 2> as Curve>::BaseField;
    type ScalarField = <Prime<1, 2> as Curve>::ScalarField;

    fn label(self) -> &'static str {
        self.0.row.label()
    }

    fn kind_of_a(self) -> AZero {
        AZero
    }

    fn a(self) -> Element {
        self.0.row.a()
    }

    fn b(self) -> Element {
        self.0.row.b()
    }

    fn generator(self) -> &'static AffinePoint<Element> {
        self.0.row.generator()
    }

    fn generator_window(self) -> u32 {
        self.0.row.generator_window()
    }

    fn base_window(self) -> u32 {
        self.0.row.base_window()
    }

    fn endomorphism(self) -> Option<&'static Endomorphism<Element, [u64; 1]>> {
        Some(&self.0.endomorphism)
    }

    fn base_field(self) -> Self::BaseField {
        self.0.row.base_field()
    }

    fn scalar_field(self) -> Self::ScalarField {
        self.0.row.scalar_field()
    }

    fn generator_cell(self) -> &'static OnceBox<Points<Element>> {
        self.0.row.generator_cell()
    }

    fn base_cell(self) -> &'static OnceBox<Points<Element>> {
        self.0.row.base_cell()
    }

    fn spread_cell(self) -> &'static SpreadCell {
        self.0.row.spread_cell()
    }

    #[cfg(target_arch = "x86_64")]
    fn ifma(self, proof: Ifma) -> (impl SecretLanesOf<Self>, impl ScalarLanesOf<Self>) {
        self.0.row.ifma(proof)
    }

    fn portable_lanes(self) -> (impl SecretLanesOf<Self>, impl ScalarLanesOf<Self>) {
        self.0.row.portable_lanes()
    }
}
