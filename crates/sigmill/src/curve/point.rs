//! Points as plain data: coordinates without a curve or a backend.

use aligned_vec::{AVec, ConstAlign};
use zeroize::Zeroize;

use crate::limbs::array_from_fn;

/// Many affine points, aligned to a cache line, so that 64-byte points never straddle two lines.
pub type Points<E> = AVec<AffinePoint<E>, ConstAlign<64>>;

/// A point that is not at infinity, in affine coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AffinePoint<E> {
    /// The x-coordinate.
    pub x: E,
    /// The y-coordinate.
    pub y: E,
}

impl<E: Copy> AffinePoint<E> {
    /// A placeholder for a point, with this value as both coordinates.
    #[inline(always)]
    pub(crate) fn filled(value: E) -> Self {
        Self { x: value, y: value }
    }
}

/// The content of a compressed point (SEC 1 §2.3.3): an x-coordinate, and which of the two points
/// with that x it is, if any exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompressedPoint<E> {
    /// The x-coordinate.
    pub x: E,
    /// True if y, as an integer in 0 .. p, is odd.
    pub y_is_odd: bool,
}

impl<E: Copy> CompressedPoint<E> {
    /// Returns the point with this y.
    #[inline(always)]
    pub fn with_y(&self, y: E) -> AffinePoint<E> {
        AffinePoint { x: self.x, y }
    }
}

/// A point known to be on the curve, or the content of a compressed point.
#[derive(Clone, Copy, Debug)]
pub enum PointForm<E> {
    /// A point.
    Affine(AffinePoint<E>),
    /// A compressed point, which may not be on the curve.
    Compressed(CompressedPoint<E>),
}

impl<E: Copy> PointForm<E> {
    /// Returns the point. For a compressed point, returns x with x in place of y, and the parity of
    /// y.
    #[inline(always)]
    pub(crate) fn with_parity(&self) -> (AffinePoint<E>, Option<bool>) {
        match self {
            Self::Affine(point) => (*point, None),
            Self::Compressed(point) => (point.with_y(point.x), Some(point.y_is_odd)),
        }
    }
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

/// A point in extended Jacobian coordinates ("XYZZ"): (x / zz, y / zzz) with zz^3 = zzz^2, or
/// infinity when zz = 0. Adding affine points is cheapest in these coordinates. They have no
/// doubling.
#[derive(Clone, Copy, Debug)]
pub struct ExtendedPoint<E> {
    /// X = x z^2.
    pub x: E,
    /// Y = y z^3.
    pub y: E,
    /// z^2; zero at infinity.
    pub zz: E,
    /// z^3; zero at infinity.
    pub zzz: E,
}

impl<E: Copy> ExtendedPoint<E> {
    /// A placeholder for a point, with this value as all coordinates.
    #[inline(always)]
    pub(crate) fn filled(value: E) -> Self {
        Self {
            x: value,
            y: value,
            zz: value,
            zzz: value,
        }
    }
}

impl<E: Copy, const N: usize> ExtendedPoint<[E; N]> {
    /// The points that are side by side.
    #[inline(always)]
    pub(crate) fn split_lanes(&self) -> [ExtendedPoint<E>; N] {
        array_from_fn(|i| ExtendedPoint {
            x: self.x[i],
            y: self.y[i],
            zz: self.zz[i],
            zzz: self.zzz[i],
        })
    }
}

/// The x-coordinate of a point as a fraction, x / zz, or infinity when zz = 0. Verification needs
/// no more than this to compare with r.
#[derive(Clone, Copy, Debug)]
pub struct FractionX<E> {
    /// X = x z^2.
    pub x: E,
    /// z^2; zero at infinity.
    pub zz: E,
}

impl<E: Zeroize> Zeroize for AffinePoint<E> {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.y.zeroize();
    }
}

impl<E: Zeroize> Zeroize for ExtendedPoint<E> {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.y.zeroize();
        self.zz.zeroize();
        self.zzz.zeroize();
    }
}

impl<E: Zeroize> Zeroize for JacobianPoint<E> {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.y.zeroize();
        self.z.zeroize();
    }
}
