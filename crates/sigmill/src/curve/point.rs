//! Points, as plain data: coordinates without a curve or a backend.

use aligned_vec::{AVec, ConstAlign};
use zeroize::Zeroize;

/// Many affine points, beginning at a cache line: 64-byte points then never straddle two.
pub type Points<E> = AVec<AffinePoint<E>, ConstAlign<64>>;

/// A point that is not at infinity, in affine coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AffinePoint<E> {
    /// The x-coordinate.
    pub x: E,
    /// The y-coordinate.
    pub y: E,
}

/// What the compressed form of a point says (SEC 1 §2.3.3): an x-coordinate, and which of two
/// points it is that of, if there are any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompressedPoint<E> {
    /// The x-coordinate.
    pub x: E,
    /// Whether y is odd, as an integer in 0 .. p.
    pub y_is_odd: bool,
}

impl<E: Copy> CompressedPoint<E> {
    /// The point with this y.
    #[inline(always)]
    pub fn with_y(&self, y: E) -> AffinePoint<E> {
        AffinePoint { x: self.x, y }
    }
}

/// A point on the curve that is known, or what its compressed form says.
#[derive(Clone, Copy, Debug)]
pub enum PointForm<E> {
    /// A point.
    Affine(AffinePoint<E>),
    /// A compressed one, of which it is not known whether it is on the curve.
    Compressed(CompressedPoint<E>),
}

impl<E: Copy> PointForm<E> {
    /// The point; or of a compressed one x, with x in place of y, and whether y is odd.
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
/// infinity when zz = 0. Sums of affine points are cheapest here; there are no doublings in it.
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

/// The x-coordinate of a point as a fraction, x / zz, or infinity when zz = 0: all that a signature
/// is compared with.
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
