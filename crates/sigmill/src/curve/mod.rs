//! Curves as data, points, and the formulas that add them. Each formula is written once for every
//! curve and every width.

mod affine;
mod backends;
mod coefficient;
mod definition;
mod dispatch;
mod edwards25519;
mod endomorphism;
mod group;
mod group_complete;
mod group_extended;
mod group_lanes;
mod group_registers;
mod group_single;
mod list;
#[cfg(feature = "p256")]
mod p256;
mod point;
mod prime;
mod prime_doubles;
mod rows;
#[cfg(feature = "secp256k1")]
mod secp256k1;

pub use affine::{Addend, AffineAdditions, Coordinates, FirstSum, Lines};
pub use coefficient::{AMinus3, AZero, AnyA, CoefficientA};
pub use definition::{
    BaseElement, BaseField, Curve, Domain, Integer, LanesOf, LanesOperation, NamedCurve, OneLane,
    OneSecretLane, Operation, PointsCell, ScalarElement, ScalarField, ScalarLanesOf, Sealed,
    SecretLanesOf, SecretLanesOperation, SpreadCell,
};
pub use edwards25519::{Edwards25519, EdwardsAddend, EdwardsPoint, ORDER as EDWARDS_ORDER};
pub use endomorphism::Endomorphism;
pub use group::Group;
pub use list::CurveName;
pub(crate) use list::for_curve;
#[cfg(feature = "p256")]
pub use p256::P256;
pub use point::{
    AffinePoint, CompressedPoint, ExtendedPoint, FractionX, JacobianPoint, PointForm, Points,
};
pub use prime::{Constants, NamedPrime, Params, Prime};
pub use rows::*;
#[cfg(feature = "secp256k1")]
pub use secp256k1::Secp256k1;
