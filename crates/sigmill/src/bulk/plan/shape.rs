//! The properties of a curve that costs depend on, apart from the speed of its field.

use super::work::Operations;
use crate::CurveName;
use crate::curve::{AffinePoint, CoefficientA as _, Curve, Domain as _, for_curve};
use crate::field::{PrimeField as _, operations_of_root};

/// The numbers of a curve that the counts are computed from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    /// The length of the order, in bits.
    pub(super) bits: u32,
    /// The most bits that the odd halves of an integer have, if the curve has an endomorphism.
    pub(super) half_bits: Option<u32>,
    /// A doubling in Jacobian coordinates.
    pub(super) doubling: Operations,
    /// A square root of a coordinate, among many.
    pub(super) root: Operations,
    /// The window of the generator's table.
    pub(super) generator_window: u32,
    /// The memory of a point in a table.
    pub(super) point_bytes: usize,
}

impl Shape {
    /// Returns the shape of the curve with this name.
    pub(super) fn of(curve: CurveName) -> Self {
        for_curve!(curve, domain => Self::of_curve(domain.curve()))
    }

    /// Returns the shape of a curve.
    fn of_curve<C: Curve>(curve: C) -> Self {
        let base = curve.base_field();
        let root = operations_of_root(base.modulus()).map(|operations| {
            let [products, squares] = operations.map(|number| number as f64);
            Operations::new(products, squares)
        });
        Self {
            bits: curve.scalar_field().bits(),
            half_bits: curve
                .endomorphism()
                .map(|endomorphism| endomorphism.split.bits()),
            doubling: Self::doubling_on(curve),
            // Primes that are not 3 modulo 4 need another method; no curve on the list has one.
            root: root.unwrap_or(Operations::new(0.0, f64::from(base.bits()))),
            generator_window: curve.generator_window(),
            point_bytes: size_of::<AffinePoint<C::BaseElement>>(),
        }
    }

    /// Returns the operations of a doubling in Jacobian coordinates on a curve.
    pub(super) fn doubling_on<C: Curve>(curve: C) -> Operations {
        let (products, squares) = curve.kind_of_a().products_and_squares();
        Operations::new(3.0, 3.0) + Operations::new(products.into(), squares.into())
    }
}
