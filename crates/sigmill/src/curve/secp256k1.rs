//! secp256k1, the curve of Bitcoin and Ethereum (SEC 2 §2.4.1).

use super::backends::{backends, names::*};
use super::{AZero, AffinePoint, Curve, CurveName, Endomorphism, NamedCurve};
use crate::field::secp256k1::{FieldElement, PRIME, Secp256k1Field, Secp256k1Kernel};
#[cfg(target_arch = "x86_64")]
use crate::field::secp256k1::{Secp256k1AdxField, Secp256k1AdxKernel};
use crate::field::{LaneModulus, Modulus, Secp256k1FieldX8, Secp256k1ReductionX8};
#[cfg(target_arch = "x86_64")]
use crate::field::{
    Secp256k1DoublesField, Secp256k1DoublesReduction, Secp256k1FieldNarrowX4,
    Secp256k1NarrowReduction,
};
use crate::limbs::from_hex;
use crate::scalar::{Scalar, Split};

/// The curve secp256k1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Secp256k1;

/// The order.
static ORDER: Modulus<4> = Modulus::new(from_hex(
    "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
));
static ORDER_IN_LANES: LaneModulus<4, 5> = LaneModulus::new(&ORDER);

const fn element(digits: &str) -> FieldElement {
    FieldElement::from_integer_const(&PRIME, &from_hex(digits))
}

static GENERATOR: AffinePoint<FieldElement> = AffinePoint {
    x: element("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"),
    y: element("483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"),
};

static ENDOMORPHISM: Endomorphism<FieldElement, [u64; 4]> = Endomorphism {
    beta: element("7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501ee"),
    split: Split::new(
        ORDER.prime(),
        from_hex("000000000000000000000000000000003086d221a7d46bcde86c90e49284eb15"),
        from_hex("00000000000000000000000000000000e4437ed6010e88286f547fa90abfe4c3"),
    ),
};

impl Curve for Secp256k1 {
    type Integer = [u64; 4];
    type BaseElement = FieldElement;
    type ScalarElement = Scalar<4>;
    type A = AZero;

    #[inline(always)]
    fn label(self) -> &'static str {
        "secp256k1"
    }

    #[inline(always)]
    fn kind_of_a(self) -> AZero {
        AZero
    }

    #[inline(always)]
    fn a(self) -> FieldElement {
        FieldElement::ZERO
    }

    #[inline(always)]
    fn b(self) -> FieldElement {
        const { FieldElement::from_integer_const(&PRIME, &[7, 0, 0, 0]) }
    }

    #[inline(always)]
    fn generator(self) -> &'static AffinePoint<FieldElement> {
        &GENERATOR
    }

    #[inline(always)]
    fn generator_window(self) -> u32 {
        11
    }

    #[inline(always)]
    fn base_window(self) -> u32 {
        7
    }

    #[inline(always)]
    fn endomorphism(self) -> Option<&'static Endomorphism<FieldElement, [u64; 4]>> {
        Some(&ENDOMORPHISM)
    }

    backends! {
        elements FieldElement, order ORDER and ORDER_IN_LANES,
        portable Secp256k1Field(Secp256k1Kernel),
        adx Secp256k1AdxField(Secp256k1AdxKernel),
        lanes Secp256k1FieldX8(Secp256k1ReductionX8),
        doubles Secp256k1DoublesField(Secp256k1DoublesReduction),
        lanes for secrets Secp256k1FieldNarrowX4(Secp256k1NarrowReduction),
    }
}

impl NamedCurve for Secp256k1 {
    type Kind = Self;

    #[inline(always)]
    fn kind(self) -> Self {
        self
    }

    fn name(self) -> CurveName {
        CurveName::Secp256k1
    }
}
