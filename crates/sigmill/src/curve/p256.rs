//! P-256, also called prime256v1 and secp256r1 (SP 800-186 §3.2.1.3, SEC 2 §2.4.2).

use super::backends::{backends, names::*};
use super::{AMinus3, AffinePoint, Curve, CurveName, NamedCurve};
use crate::field::p256::{FieldElement, P256Field, P256Kernel, PRIME};
#[cfg(target_arch = "x86_64")]
use crate::field::p256::{P256AdxField, P256AdxKernel};
use crate::field::{LaneModulus, Modulus, P256FieldX8, P256ReductionX8};
#[cfg(target_arch = "x86_64")]
use crate::field::{
    P256DoublesField, P256DoublesReduction, P256FieldNarrowX4, P256NarrowReduction,
};
use crate::limbs::{from_hex, subtract};
use crate::scalar::Scalar;

/// The curve P-256.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct P256;

/// The order.
static ORDER: Modulus<4> = Modulus::new(from_hex(
    "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
));
static ORDER_IN_LANES: LaneModulus<4, 5> = LaneModulus::new(&ORDER);

const fn element(digits: &str) -> FieldElement {
    FieldElement::from_integer_const(&PRIME, &from_hex(digits))
}

static GENERATOR: AffinePoint<FieldElement> = AffinePoint {
    x: element("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"),
    y: element("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"),
};

impl Curve for P256 {
    type Integer = [u64; 4];
    type BaseElement = FieldElement;
    type ScalarElement = Scalar<4>;
    type A = AMinus3;

    #[inline(always)]
    fn label(self) -> &'static str {
        "P-256"
    }

    #[inline(always)]
    fn kind_of_a(self) -> AMinus3 {
        AMinus3
    }

    #[inline(always)]
    fn a(self) -> FieldElement {
        const {
            let minus_3 = subtract(PRIME.prime(), &[3, 0, 0, 0]).0;
            FieldElement::from_integer_const(&PRIME, &minus_3)
        }
    }

    #[inline(always)]
    fn b(self) -> FieldElement {
        const { element("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b") }
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

    backends! {
        elements FieldElement, order ORDER and ORDER_IN_LANES,
        portable P256Field(P256Kernel),
        adx P256AdxField(P256AdxKernel),
        lanes P256FieldX8(P256ReductionX8),
        doubles P256DoublesField(P256DoublesReduction),
        lanes for secrets P256FieldNarrowX4(P256NarrowReduction),
    }
}

impl NamedCurve for P256 {
    type Kind = Self;

    #[inline(always)]
    fn kind(self) -> Self {
        self
    }

    fn name(self) -> CurveName {
        CurveName::P256
    }
}
