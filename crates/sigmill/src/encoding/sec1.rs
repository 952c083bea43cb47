//! Points as bytes (SEC 1 §2.3.3 and §2.3.4).

use alloc::vec;
use alloc::vec::Vec;

use crate::curve::{AffinePoint, BaseField, Curve, Group};
use crate::error::Error;
use crate::field::PrimeField;

/// The first byte of a compressed point with even y; odd y is one more.
const COMPRESSED_EVEN: u8 = 2;
const COMPRESSED_ODD: u8 = 3;
/// The first byte of an uncompressed point.
const UNCOMPRESSED: u8 = 4;

/// Reads a point: `02 | x`, `03 | x` (y even or odd) or `04 | x | y`, coordinates big-endian in
/// the full length of the field.
///
/// A compressed point costs a square root, an uncompressed one the check of the equation.
/// Variable time: for public values only.
///
/// # Errors
/// [`Error::KeyEmpty`], [`Error::KeyIsInfinity`] (the single byte 0), [`Error::KeyTag`] (the
/// hybrid forms 6 and 7 too), [`Error::KeyLength`], [`Error::KeyXOutOfRange`],
/// [`Error::KeyYOutOfRange`], [`Error::KeyNotOnCurve`].
pub(crate) fn decode_point<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    bytes: &[u8],
) -> Result<AffinePoint<C::BaseElement>, Error> {
    let (&tag, coordinates) = bytes.split_first().ok_or(Error::KeyEmpty)?;
    let expected = match tag {
        0 if coordinates.is_empty() => return Err(Error::KeyIsInfinity),
        COMPRESSED_EVEN | COMPRESSED_ODD => F::BYTES,
        UNCOMPRESSED => 2 * F::BYTES,
        _ => return Err(Error::KeyTag { tag }),
    };
    if coordinates.len() != expected {
        return Err(Error::KeyLength {
            expected: 1 + expected,
            actual: bytes.len(),
        });
    }
    let (x, y) = coordinates.split_at(F::BYTES);
    if tag == UNCOMPRESSED {
        return decode_coordinates(group, x, y);
    }
    let x = group
        .field()
        .from_be_bytes(x)
        .ok_or(Error::KeyXOutOfRange)?;
    group
        .lift_x_vartime(&x, tag == COMPRESSED_ODD)
        .ok_or(Error::KeyNotOnCurve)
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

/// Writes a point, compressed or not.
pub(crate) fn encode_point<C: Curve>(
    point: &AffinePoint<C::BaseElement>,
    compressed: bool,
) -> Vec<u8> {
    let f = C::base_field();
    let length = <C::BaseField as PrimeField>::BYTES;
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
