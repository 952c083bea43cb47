//! Curves as data, points, and the formulas that add them: written once for every curve and
//! every width.

mod coefficient;
mod definition;
mod group;
mod group_extended;
mod group_single;
mod name;
mod p256;
mod p384;
mod point;

pub use coefficient::{AGeneral, AMinus3, AZero, CoefficientA};
pub use definition::{
    BaseElement, BaseField, Curve, LanesOf, LanesOperation, NamedCurve, OneLane, Operation,
    ScalarElement, ScalarField, ScalarLanesOf,
};
pub use group::Group;
pub use name::CurveName;
pub use p256::P256;
pub use p384::P384;
pub use point::{AffinePoint, ExtendedPoint, JacobianPoint, Points};
