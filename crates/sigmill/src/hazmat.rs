//! The layers below keys and the engine, each under its own name.
//!
//! Nothing here is stable between versions. Nothing checks that secrets stay out of functions whose
//! names end in `_vartime`, or validates arguments a second time.

use crate::curve::{AffinePoint, BaseElement, Domain, Integer};
use crate::ecdsa::Signature;
use crate::keys::{PreparedKey, VerifyingKey};

/// The stack that operations run on.
pub mod stack {
    pub use crate::stack::deepest_use;
}

/// Tools for code on secrets: masks, wiping, marks for the constant-time checker.
pub mod ct {
    pub use crate::ct::*;
}

/// Tokens that prove which instructions this CPU has.
pub mod cpu {
    pub use crate::cpu::tokens::*;
}

/// Integers without a modulus.
pub mod limbs {
    pub use crate::limbs::*;
}

/// Integers modulo a prime: one contract over width and representation.
pub mod field {
    pub use crate::field::*;
}

/// Integers modulo the order of a curve, and the conversion of a digest to one.
pub mod scalar {
    pub use crate::scalar::*;
}

/// Curves as data, points, and the formulas that add them.
pub mod curve {
    pub use crate::curve::*;
}

/// Conversion of scalars to digits.
pub mod recode {
    pub use crate::recode::*;
}

/// Tables that map digits to points.
pub mod table {
    pub use crate::table::*;
}

/// Sums of multiples of points, one file per algorithm.
pub mod multiply {
    pub use crate::multiply::*;
}

/// The Montgomery ladder on Curve25519, and parts of its steps with four products at a time.
#[cfg(feature = "agreement")]
pub mod ladder {
    pub use crate::agreement::ladder::{A24, multiply};
    pub use crate::agreement::ladder_x4::{finish, sums_and_differences};
}

/// The equations of ECDSA, on many rows of one curve.
pub mod ecdsa {
    #[cfg(feature = "bulk")]
    pub use crate::ecdsa::batch::verify_batch_vartime;
    pub use crate::ecdsa::batch::{
        BatchCounts, BatchOutcome, Batches, HintedVerify, MOST_IN_BATCH, Weights,
        verify_batch_with_weights_vartime,
    };
    pub use crate::ecdsa::recover::Recover;
    pub use crate::ecdsa::signature::SignatureScalars;
    pub use crate::ecdsa::verify::{Strategy, Verify};
    pub use crate::ecdsa::verify_many::{
        VerifyMany, verify_many_recoverable_vartime, verify_many_vartime,
    };
    pub use crate::ecdsa::verify_point::{KnownPoint, LeadsTo, VerifyRecoverable};
    pub use crate::keys::recover::recover_many_vartime;
}

/// The costs that the engine plans by.
#[cfg(feature = "bulk")]
pub mod plan {
    pub use crate::bulk::plan::{BatchWork, Costs, Operations, Work};
}

/// The numbers in a key.
pub trait KeyParts<C: Domain> {
    /// The point.
    fn as_affine(&self) -> &AffinePoint<BaseElement<C>>;
    /// The way in which the key is multiplied.
    fn strategy(&self) -> ecdsa::Strategy<'_, BaseElement<C>>;
}

impl<C: Domain> KeyParts<C> for VerifyingKey<C> {
    fn as_affine(&self) -> &AffinePoint<BaseElement<C>> {
        VerifyingKey::as_affine(self)
    }

    fn strategy(&self) -> ecdsa::Strategy<'_, BaseElement<C>> {
        VerifyingKey::strategy(self)
    }
}

impl<C: Domain> KeyParts<C> for PreparedKey<C> {
    fn as_affine(&self) -> &AffinePoint<BaseElement<C>> {
        self.verifying_key().as_affine()
    }

    fn strategy(&self) -> ecdsa::Strategy<'_, BaseElement<C>> {
        PreparedKey::strategy(self)
    }
}

/// The table of a prepared key.
pub trait TableParts<C: Domain> {
    /// Its rows: 2^(window - 1) points each.
    fn rows(&self) -> impl ExactSizeIterator<Item = &[AffinePoint<BaseElement<C>>]>;
}

impl<C: Domain> TableParts<C> for PreparedKey<C> {
    fn rows(&self) -> impl ExactSizeIterator<Item = &[AffinePoint<BaseElement<C>>]> {
        PreparedKey::rows(self)
    }
}

/// The numbers in a signature.
pub trait SignatureParts<C: Domain> {
    /// r and s.
    fn scalars(&self) -> &ecdsa::SignatureScalars<Integer<C>>;

    /// The integer r, from 1 to n - 1.
    fn r(&self) -> &Integer<C> {
        self.scalars().r()
    }

    /// The integer s, from 1 to n - 1.
    fn s(&self) -> &Integer<C> {
        self.scalars().s()
    }
}

impl<C: Domain> SignatureParts<C> for Signature<C> {
    fn scalars(&self) -> &ecdsa::SignatureScalars<Integer<C>> {
        Signature::scalars(self)
    }
}
