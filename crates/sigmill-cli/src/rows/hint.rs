//! Hints of a row: which of the points with the signature's r is R.

use std::str;

use der::asn1::UintRef;
use der::{Decode as _, Reader as _, SliceReader};
use sigmill::{Algorithm, SignatureFormat};

use crate::rows::fields::Field;

/// No recovery id. The engine judges the row without a hint.
pub(crate) const NONE: u8 = u8::MAX;

/// The length of a scalar, in bytes, on curves whose signatures come with v.
const SCALAR_LEN: usize = 32;

/// Returns the recovery id for v: 0 to 3, or from 27 on as in Bitcoin and Ethereum. Returns
/// [`NONE`] for other values.
fn id(v: u8) -> u8 {
    match v {
        0..=3 => v,
        27..=30 => v - 27,
        _ => NONE,
    }
}

/// Returns the recovery id in a cell, or [`NONE`] if it holds none. No verdict depends on it.
pub(crate) fn of_cell(field: &Field<'_>) -> u8 {
    let v = match field {
        Field::Text(text) => str::from_utf8(text).ok().and_then(|text| {
            // Some programs write integers as floats if some values are missing.
            text.strip_suffix(".0").unwrap_or(text).parse().ok()
        }),
        Field::Bytes([v]) => Some(*v),
        _ => None,
    };
    v.map_or(NONE, id)
}

/// Reports whether the bytes are strict DER in the form of a signature.
fn is_two_integers(bytes: &[u8]) -> bool {
    let read = |bytes| -> der::Result<()> {
        let mut reader = SliceReader::new(bytes)?;
        reader.sequence(|inner| {
            UintRef::decode(inner)?;
            UintRef::decode(inner).map(drop)
        })?;
        reader.finish()
    };
    read(bytes).is_ok()
}

/// Splits v off a signature and returns the recovery id. This needs a curve and a format in which
/// r, s and v may stand side by side, the right length, and a valid v.
///
/// A signature in DER may have this length too, although only one in 2^40 does. With the format
/// `Auto`, bytes that are two integers in DER are read as DER.
pub(crate) fn split(
    signature: &[u8],
    algorithm: Algorithm,
    format: SignatureFormat,
) -> (&[u8], u8) {
    let whole = (signature, NONE);
    let Some((&v, pair)) = signature.split_last() else {
        return whole;
    };
    if algorithm.curve.field_len() != SCALAR_LEN || pair.len() != 2 * SCALAR_LEN {
        return whole;
    }
    let may_be_pair = match format {
        SignatureFormat::P1363 => true,
        SignatureFormat::Auto => !is_two_integers(signature),
        _ => false,
    };
    match id(v) {
        NONE => whole,
        _ if !may_be_pair => whole,
        id => (pair, id),
    }
}
