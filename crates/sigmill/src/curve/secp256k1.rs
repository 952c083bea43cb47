//! secp256k1, the curve of Bitcoin and Ethereum (SEC 2 §2.4.1).

use super::backends::backends;
use super::{AZero, AffinePoint, Curve, CurveName, Endomorphism, NamedCurve};
#[cfg(target_arch = "x86_64")]
use crate::field::secp256k1::{Secp256k1AdxField, Secp256k1AdxKernel};
use crate::field::{
    Secp256k1FieldX8,
    secp256k1::{FieldElement, Secp256k1Field, Secp256k1Kernel},
};
use crate::limbs::from_hex;
#[cfg(target_arch = "x86_64")]
use crate::scalar::Secp256k1AdxScalarField;
use crate::scalar::{
    Secp256k1Order, Secp256k1Scalar, Secp256k1ScalarField, Secp256k1ScalarFieldX8,
};

/// The curve secp256k1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secp256k1;

impl Curve for Secp256k1 {
    const LABEL: &'static str = "secp256k1";
    type Integer = [u64; 4];
    type BaseElement = FieldElement;
    type ScalarElement = Secp256k1Scalar;
    type A = AZero;
    const A: FieldElement = FieldElement::ZERO;
    const B: FieldElement = FieldElement::from_integer_const(&[7, 0, 0, 0]);
    const GENERATOR: AffinePoint<FieldElement> = AffinePoint {
        x: FieldElement::from_integer_const(&from_hex(
            "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
        )),
        y: FieldElement::from_integer_const(&from_hex(
            "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8",
        )),
    };
    const GENERATOR_WINDOW: u32 = 11;
    const BASE_WINDOW: u32 = 7;
    const ENDOMORPHISM: Option<Endomorphism<FieldElement, [u64; 4]>> = Some(Endomorphism {
        beta: FieldElement::from_integer_const(&from_hex(
            "7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501ee",
        )),
        split: Secp256k1Order::SPLIT,
    });

    backends! {
        Secp256k1, elements FieldElement,
        portable Secp256k1Field(Secp256k1Kernel), Secp256k1ScalarField,
        adx Secp256k1AdxField(Secp256k1AdxKernel), Secp256k1AdxScalarField,
        lanes Secp256k1FieldX8, Secp256k1ScalarFieldX8,
    }
}

impl NamedCurve for Secp256k1 {
    const NAME: CurveName = CurveName::Secp256k1;
}
