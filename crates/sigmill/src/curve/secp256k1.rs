//! secp256k1, the curve of Bitcoin and Ethereum (SEC 2 §2.4.1).

use alloc::boxed::Box;
use core::any::Any;

use once_cell::race::OnceBox;

use super::{
    AZero, AffinePoint, Curve, CurveName, Endomorphism, LanesOperation, NamedCurve, OneLane,
    Operation, Points,
};
use crate::cpu;
#[cfg(target_arch = "x86_64")]
use crate::cpu::{Adx, Ifma};
#[cfg(target_arch = "x86_64")]
use crate::field::AdxKernel;
use crate::field::Portable;
use crate::field::secp256k1::{FieldElement, Secp256k1Field, Secp256k1FieldX8, Secp256k1Kernel};
#[cfg(target_arch = "x86_64")]
use crate::field::secp256k1::{Secp256k1AdxField, Secp256k1AdxKernel};
#[cfg(target_arch = "x86_64")]
use crate::limbs::IfmaWords;
use crate::limbs::{PortableWords, from_hex};
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

    type BaseField = Secp256k1Field;
    type ScalarField = Secp256k1ScalarField;

    #[inline(always)]
    fn base_field() -> Secp256k1Field {
        Secp256k1Field::new(Secp256k1Kernel)
    }

    #[inline(always)]
    fn scalar_field() -> Secp256k1ScalarField {
        Secp256k1ScalarField::new(Portable::new())
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
                Secp256k1AdxField::new(Secp256k1AdxKernel::new(proof)),
                Secp256k1AdxScalarField::new(AdxKernel::new(proof)),
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
fn run_ifma<O: LanesOperation<Secp256k1>>(proof: Ifma, operation: O) -> O::Output {
    let words = IfmaWords::new(proof);
    operation.run(
        Secp256k1FieldX8::new(words, Secp256k1AdxKernel::new(proof.adx())),
        Secp256k1ScalarFieldX8::new(words, AdxKernel::new(proof.adx())),
    )
}

/// Eight lanes of portable code: the same limbs, slowly.
#[cold]
fn run_portable_lanes<O: LanesOperation<Secp256k1>>(operation: O) -> O::Output {
    operation.run(
        Secp256k1FieldX8::new(PortableWords, Secp256k1Kernel),
        Secp256k1ScalarFieldX8::new(PortableWords, Portable::new()),
    )
}

impl NamedCurve for Secp256k1 {
    const NAME: CurveName = CurveName::Secp256k1;
}
