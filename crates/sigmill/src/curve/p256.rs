//! P-256, also called prime256v1 and secp256r1 (SP 800-186 §3.2.1.3, SEC 2 §2.4.2).

use alloc::boxed::Box;
use core::any::Any;

use once_cell::race::OnceBox;

use super::{
    AMinus3, AffinePoint, Curve, CurveName, LanesOperation, NamedCurve, OneLane, Operation, Points,
};
use crate::cpu;
#[cfg(target_arch = "x86_64")]
use crate::cpu::{Adx, Ifma};
#[cfg(target_arch = "x86_64")]
use crate::field::AdxKernel;
use crate::field::p256::{FieldElement, P256Field, P256FieldX8, P256Kernel, P256Prime};
#[cfg(target_arch = "x86_64")]
use crate::field::p256::{P256AdxField, P256AdxKernel};
use crate::field::{Modulus, Portable};
#[cfg(target_arch = "x86_64")]
use crate::limbs::IfmaWords;
use crate::limbs::{PortableWords, from_hex, subtract};
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

    type BaseField = P256Field;
    type ScalarField = P256ScalarField;

    #[inline(always)]
    fn base_field() -> P256Field {
        P256Field::new(P256Kernel)
    }

    #[inline(always)]
    fn scalar_field() -> P256ScalarField {
        P256ScalarField::new(Portable::new())
    }

    fn generator_cell() -> &'static OnceBox<Points<FieldElement>> {
        static CELL: OnceBox<Points<FieldElement>> = OnceBox::new();
        &CELL
    }

    fn base_cell() -> &'static OnceBox<Points<FieldElement>> {
        static CELL: OnceBox<Points<FieldElement>> = OnceBox::new();
        &CELL
    }

    fn spread_cell() -> Option<&'static OnceBox<Box<dyn Any + Send + Sync>>> {
        static CELL: OnceBox<Box<dyn Any + Send + Sync>> = OnceBox::new();
        Some(&CELL)
    }

    #[inline]
    fn dispatch<O: Operation<Self>>(operation: O) -> O::Output {
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = Adx::detect() {
            return operation.run(
                P256AdxField::new(P256AdxKernel::new(proof)),
                P256AdxScalarField::new(AdxKernel::new(proof)),
            );
        }
        operation.run(Self::base_field(), Self::scalar_field())
    }

    #[inline]
    fn dispatch_lanes<O: LanesOperation<Self>>(operation: O) -> O::Output {
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = Ifma::detect() {
            // SAFETY: the token proves that the CPU has the instructions.
            return unsafe { run_ifma(proof, operation) };
        }
        if cpu::wants_portable_lanes() {
            return run_portable_lanes(operation);
        }
        Self::dispatch(OneLane(operation))
    }
}

/// Eight lanes of AVX-512 IFMA, compiled for it as a whole.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512ifma")]
fn run_ifma<O: LanesOperation<P256>>(proof: Ifma, operation: O) -> O::Output {
    let words = IfmaWords::new(proof);
    operation.run(
        P256FieldX8::new(words, P256AdxKernel::new(proof.adx())),
        P256ScalarFieldX8::new(words, AdxKernel::new(proof.adx())),
    )
}

/// Eight lanes of portable code: the same limbs, slowly.
#[cold]
fn run_portable_lanes<O: LanesOperation<P256>>(operation: O) -> O::Output {
    operation.run(
        P256FieldX8::new(PortableWords, P256Kernel),
        P256ScalarFieldX8::new(PortableWords, Portable::new()),
    )
}

impl NamedCurve for P256 {
    const NAME: CurveName = CurveName::P256;
}
