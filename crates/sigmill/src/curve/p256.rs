//! P-256, also called prime256v1 and secp256r1 (SP 800-186 §3.2.1.3, SEC 2 §2.4.2).

use super::backends::backends;
use super::{AMinus3, AffinePoint, Curve, CurveName, NamedCurve};
use crate::field::p256::{FieldElement, P256Field, P256Kernel, P256Prime};
#[cfg(target_arch = "x86_64")]
use crate::field::p256::{P256AdxField, P256AdxKernel};
use crate::field::{Modulus, P256FieldX8};
use crate::limbs::{from_hex, subtract};
#[cfg(target_arch = "x86_64")]
use crate::scalar::P256AdxScalarField;
use crate::scalar::{P256Scalar, P256ScalarField, P256ScalarFieldX8};

/// The curve P-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct P256;

impl Curve for P256 {
    const LABEL: &'static str = "P-256";
    type Integer = [u64; 4];
    type BaseElement = FieldElement;
    type ScalarElement = P256Scalar;
    type A = AMinus3;
    const A: FieldElement =
        FieldElement::from_integer_const(&subtract(&P256Prime::MODULUS, &[3, 0, 0, 0]).0);
    const B: FieldElement = FieldElement::from_integer_const(&from_hex(
        "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b",
    ));
    const GENERATOR: AffinePoint<FieldElement> = AffinePoint {
        x: FieldElement::from_integer_const(&from_hex(
            "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        )),
        y: FieldElement::from_integer_const(&from_hex(
            "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
        )),
    };
    const GENERATOR_WINDOW: u32 = 11;
    const BASE_WINDOW: u32 = 7;

    backends! {
        P256, elements FieldElement,
        portable P256Field(P256Kernel), P256ScalarField,
        adx P256AdxField(P256AdxKernel), P256AdxScalarField,
        lanes P256FieldX8, P256ScalarFieldX8,
    }
}

impl NamedCurve for P256 {
    const NAME: CurveName = CurveName::P256;
}
