//! What a row says of its signature beside r and s: which of the points with this r was R.

use std::str;

use der::asn1::UintRef;
use der::{Decode as _, Reader as _, SliceReader};
use sigmill::{Algorithm, SignatureFormat};

use crate::rows::fields::Field;

/// No recovery id: the engine judges the row without a hint.
pub(crate) const NONE: u8 = u8::MAX;

/// The bytes of a scalar on the curves whose signatures come with v.
const SCALAR_LEN: usize = 32;

/// The recovery id of v: 0 to 3, or from 27 on as Bitcoin and Ethereum count; [`NONE`] of others.
fn id(v: u8) -> u8 {
    match v {
        0..=3 => v,
        27..=30 => v - 27,
        _ => NONE,
    }
}

/// The recovery id in a cell; [`NONE`] of what is no such thing, as no verdict depends on it.
pub(crate) fn of_cell(field: &Field<'_>) -> u8 {
    let v = match field {
        Field::Text(text) => str::from_utf8(text).ok().and_then(|text| {
            // Of whole numbers where some are missing some programs make these.
            text.strip_suffix(".0").unwrap_or(text).parse().ok()
        }),
        Field::Bytes([v]) => Some(*v),
        _ => None,
    };
    v.map_or(NONE, id)
}

/// Whether the bytes are strict DER of a signature's form.
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

/// A signature without v, and its recovery id: where curve and format let r, s and v stand side by
/// side, the length fits, and v is one.
///
/// A signature in DER may have this length too, though one in 2^40 has. If any is welcome, what is
/// two integers in DER is taken for that.
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
