//! Points as bytes (SEC 1 §2.3.3 and §2.3.4).

use alloc::vec;
use alloc::vec::Vec;

use crate::curve::{AffinePoint, BaseField, Curve, Group, LanesOf};
use crate::error::Error;
use crate::field::PrimeField as _;

/// The first byte of a compressed point with even y; odd y is one more.
const COMPRESSED_EVEN: u8 = 2;
const COMPRESSED_ODD: u8 = 3;
/// The first byte of an uncompressed point.
const UNCOMPRESSED: u8 = 4;

/// Reads a point: `02 | x`, `03 | x` (y even or odd) or `04 | x | y`, with big-endian coordinates
/// in the full length of the field.
///
/// A compressed point costs a square root, an uncompressed one a check of the equation. Variable
/// time: for public values only.
///
/// # Errors
/// [`Error::KeyEmpty`], [`Error::KeyIsInfinity`] (the single byte 0), [`Error::KeyTag`] (the
/// hybrid forms 6 and 7 too), [`Error::KeyLength`], [`Error::KeyXOutOfRange`],
/// [`Error::KeyYOutOfRange`], [`Error::KeyNotOnCurve`].
pub(crate) fn decode_point<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    bytes: &[u8],
) -> Result<AffinePoint<C::BaseElement>, Error> {
    match split_point(group.field().bytes(), bytes)? {
        EncodedPoint::Compressed { x, y_is_odd } => {
            let x = group
                .field()
                .from_be_bytes(x)
                .ok_or(Error::KeyXOutOfRange)?;
            group
                .lift_x_vartime(&x, y_is_odd)
                .ok_or(Error::KeyNotOnCurve)
        }
        EncodedPoint::Uncompressed { x, y } => decode_coordinates(group, x, y),
    }
}

/// A point whose form is known, with big-endian coordinates in the full length of the field.
enum EncodedPoint<'a> {
    Compressed { x: &'a [u8], y_is_odd: bool },
    Uncompressed { x: &'a [u8], y: &'a [u8] },
}

/// Splits a point over a field of `length` bytes into its coordinates.
fn split_point(length: usize, bytes: &[u8]) -> Result<EncodedPoint<'_>, Error> {
    let (&tag, coordinates) = bytes.split_first().ok_or(Error::KeyEmpty)?;
    let expected = match tag {
        0 if coordinates.is_empty() => return Err(Error::KeyIsInfinity),
        COMPRESSED_EVEN | COMPRESSED_ODD => length,
        UNCOMPRESSED => 2 * length,
        _ => return Err(Error::KeyTag { tag }),
    };
    if coordinates.len() != expected {
        return Err(Error::KeyLength {
            expected: 1 + expected,
            actual: bytes.len(),
        });
    }
    let (x, y) = coordinates.split_at(length);
    Ok(if tag == UNCOMPRESSED {
        EncodedPoint::Uncompressed { x, y }
    } else {
        let y_is_odd = tag == COMPRESSED_ODD;
        EncodedPoint::Compressed { x, y_is_odd }
    })
}

/// Reads a point from its two coordinates, big-endian.
///
/// # Errors
/// [`Error::KeyXOutOfRange`], [`Error::KeyYOutOfRange`], [`Error::KeyNotOnCurve`].
pub(crate) fn decode_coordinates<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    x: &[u8],
    y: &[u8],
) -> Result<AffinePoint<C::BaseElement>, Error> {
    let f = group.field();
    let x = f.from_be_bytes(x).ok_or(Error::KeyXOutOfRange)?;
    let y = f.from_be_bytes(y).ok_or(Error::KeyYOutOfRange)?;
    let point = AffinePoint { x, y };
    if group.is_on_curve(&point) {
        Ok(point)
    } else {
        Err(Error::KeyNotOnCurve)
    }
}

/// Reads many points, in order: [`decode_point`] of each. If lanes are available, compressed points
/// share them for their square roots, which needs a tenth of the time, and uncompressed ones for
/// the equation. Variable time: for public values only.
///
/// # Errors
/// For each point: those of [`decode_point`].
#[inline(never)]
pub(crate) fn decode_points<C: Curve, L: LanesOf<C>>(
    wide: &Group<C, L>,
    encoded: &[&[u8]],
) -> Vec<Result<AffinePoint<C::BaseElement>, Error>> {
    if const { L::WIDTH > 1 } && encoded.len() > FEW {
        return decode_in_lanes(wide, encoded);
    }
    let single = wide.single();
    let mut points = Vec::with_capacity(encoded.len());
    for bytes in encoded {
        points.push(decode_point(&single, bytes));
    }
    points
}

#[inline(never)]
fn decode_in_lanes<C: Curve, L: LanesOf<C>>(
    wide: &Group<C, L>,
    encoded: &[&[u8]],
) -> Vec<Result<AffinePoint<C::BaseElement>, Error>> {
    let base = wide.field().single();
    let mut points = vec![Err(Error::KeyNotOnCurve); encoded.len()];
    let (mut compressed, mut whole) = (Vec::new(), Vec::new());
    for (i, bytes) in encoded.iter().enumerate() {
        let parsed = split_point(base.bytes(), bytes).and_then(|point| {
            let integer = |bytes, error| base.integer_from_be_bytes(bytes).ok_or(error);
            match point {
                EncodedPoint::Compressed { x, y_is_odd } => {
                    let x = integer(x, Error::KeyXOutOfRange)?;
                    compressed.push((i, x, y_is_odd));
                }
                EncodedPoint::Uncompressed { x, y } => {
                    let x = integer(x, Error::KeyXOutOfRange)?;
                    let y = integer(y, Error::KeyYOutOfRange)?;
                    whole.push((i, x, y));
                }
            }
            Ok(())
        });
        if let Err(error) = parsed {
            points[i] = Err(error);
        }
    }
    let mut put = |point: &AffinePoint<L::Element>, places: &[(usize, bool)]| {
        wide.unpack(point, places.len(), |lane, point| {
            let (i, is_on_curve) = places[lane];
            if is_on_curve {
                points[i] = Ok(point);
            }
        });
    };
    wide.check_placed_vartime(&whole, &mut put);
    if compressed.len() <= FEW || !wide.lift_placed_vartime(&compressed, &mut put) {
        let single = Group::new(wide.curve(), base);
        for (i, x, y_is_odd) in compressed {
            let x = base.from_integer(&x);
            let point = x.and_then(|x| single.lift_x_vartime(&x, y_is_odd));
            points[i] = point.ok_or(Error::KeyNotOnCurve);
        }
    }
    points
}

/// The most points that are read faster one by one than in lanes.
const FEW: usize = 2;

/// Writes a point, compressed or not.
pub(crate) fn encode_point<C: Curve>(
    curve: C,
    point: &AffinePoint<C::BaseElement>,
    compressed: bool,
) -> Vec<u8> {
    let f = curve.base_field();
    let length = f.bytes();
    let mut bytes = vec![0; 1 + if compressed { length } else { 2 * length }];
    f.write_be_bytes(&point.x, &mut bytes[1..=length]);
    if compressed {
        bytes[0] = if f.is_odd(&point.y) {
            COMPRESSED_ODD
        } else {
            COMPRESSED_EVEN
        };
    } else {
        bytes[0] = UNCOMPRESSED;
        f.write_be_bytes(&point.y, &mut bytes[1 + length..]);
    }
    bytes
}
