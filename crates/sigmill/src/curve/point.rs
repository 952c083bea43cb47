//! Points, as plain data: coordinates without a curve or a backend.

use aligned_vec::{AVec, ConstAlign};

/// Many affine points, beginning at a cache line: 64-byte points then never straddle two.
pub type Points<E> = AVec<AffinePoint<E>, ConstAlign<64>>;

/// A point that is not at infinity, in affine coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AffinePoint<E> {
    /// The x-coordinate.
    pub x: E,
    /// The y-coordinate.
    pub y: E,
}

/// A point in Jacobian coordinates: (x / z^2, y / z^3), or infinity when z = 0.
#[derive(Clone, Copy, Debug)]
pub struct JacobianPoint<E> {
    /// X = x z^2.
    pub x: E,
    /// Y = y z^3.
    pub y: E,
    /// Z; zero at infinity.
    pub z: E,
}
