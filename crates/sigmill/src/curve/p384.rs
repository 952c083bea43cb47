//! P-384, also called secp384r1 (SP 800-186 §3.2.1.4, SEC 2 §2.5.1).

use super::backends::backends;
use super::{AMinus3, AffinePoint, Curve, CurveName, NamedCurve};
#[cfg(target_arch = "x86_64")]
use crate::field::AdxKernel;
#[cfg(target_arch = "x86_64")]
use crate::field::p384::P384AdxField;
use crate::field::p384::{FieldElement, P384Field, P384Prime};
use crate::field::{Modulus, Portable};
use crate::limbs::{from_hex, subtract};
#[cfg(target_arch = "x86_64")]
use crate::scalar::P384AdxScalarField;
use crate::scalar::{P384Scalar, P384ScalarField};

/// The curve P-384.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct P384;

impl Curve for P384 {
    const LABEL: &'static str = "P-384";
    type Integer = [u64; 6];
    type BaseElement = FieldElement;
    type ScalarElement = P384Scalar;
    type A = AMinus3;
    const A: FieldElement =
        FieldElement::from_integer_const(&subtract(&P384Prime::MODULUS, &[3, 0, 0, 0, 0, 0]).0);
    const B: FieldElement = FieldElement::from_integer_const(&from_hex(
        "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe814112\
         0314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef",
    ));
    const GENERATOR: AffinePoint<FieldElement> = AffinePoint {
        x: FieldElement::from_integer_const(&from_hex(
            "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b98\
             59f741e082542a385502f25dbf55296c3a545e3872760ab7",
        )),
        y: FieldElement::from_integer_const(&from_hex(
            "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147c\
             e9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f",
        )),
    };
    const GENERATOR_WINDOW: u32 = 8;
    const BASE_WINDOW: u32 = 6;

    backends! {
        P384, elements FieldElement,
        portable P384Field(Portable::new()), P384ScalarField,
        adx P384AdxField(AdxKernel), P384AdxScalarField,
    }
}

impl NamedCurve for P384 {
    const NAME: CurveName = CurveName::P384;
}
