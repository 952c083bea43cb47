//! Curves as data, points, and the formulas that add them: written once for every curve and
//! every width.

mod affine;
mod backends;
mod coefficient;
mod definition;
mod endomorphism;
mod group;
mod group_extended;
mod group_lanes;
mod group_registers;
mod group_single;
mod list;
mod p256;
mod point;
mod prime;
mod rows;
mod secp256k1;

pub use affine::{Addend, AffineAdditions, Coordinates, FirstSum, Lines};
pub use coefficient::{AMinus3, AZero, AnyA, CoefficientA};
pub use definition::{
    BaseElement, BaseField, Curve, Domain, Integer, LanesOf, LanesOperation, NamedCurve, OneLane,
    Operation, PointsCell, ScalarElement, ScalarField, ScalarLanesOf, Sealed, SpreadCell,
};
pub use endomorphism::Endomorphism;
pub use group::Group;
pub use list::CurveName;
pub(crate) use list::for_curve;
pub use p256::P256;
pub use point::{AffinePoint, ExtendedPoint, FractionX, JacobianPoint, Points};
pub use prime::{Constants, Coordinate, NamedPrime, Params, Prime};
pub use rows::{BrainpoolP256r1, P384, P521};
pub use secp256k1::Secp256k1;
