//! The points of a table as plain numbers.

use sigmill::curve::{AffinePoint, Curve};
use sigmill::ecdsa::PreparedKey;
use sigmill::field::{Modulus, PrimeField, Residue};
use sigmill::{AnyPreparedKey, CurveName};

use crate::error::CliError;

/// A coordinate of a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Coordinate {
    /// Its Montgomery form, x 2^(64 k) mod p, in k limbs, little-endian.
    pub(super) montgomery: Vec<u64>,
    /// The coordinate itself, big-endian, in full length.
    pub(super) bytes: Vec<u8>,
}

/// A point of a table, affine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) x: Coordinate,
    pub(super) y: Coordinate,
}

/// A table row by row: row i holds j 2^(w i) Q for j = 1 .. 2^(w-1).
pub(super) struct Rows<'a> {
    pub(super) curve: CurveName,
    pub(super) window: u32,
    /// How many rows there are.
    pub(super) len: usize,
    pub(super) rows: Box<dyn Iterator<Item = Vec<Point>> + 'a>,
}

impl Rows<'_> {
    /// The points in a row.
    pub(super) fn row_len(&self) -> usize {
        1 << (self.window - 1)
    }
}

/// The rows of the key's table.
pub(super) fn rows(key: &AnyPreparedKey) -> Result<Rows<'_>, CliError> {
    let (len, rows): (_, Box<dyn Iterator<Item = _>>) = match key {
        AnyPreparedKey::P256(key) => (key.rows().len(), Box::new(plain(key))),
        AnyPreparedKey::P384(key) => (key.rows().len(), Box::new(plain(key))),
        AnyPreparedKey::Secp256k1(key) => (key.rows().len(), Box::new(plain(key))),
        other => {
            return Err(CliError::Internal(format!(
                "table: no points for {}",
                other.curve()
            )));
        }
    };
    Ok(Rows {
        curve: key.curve(),
        window: key.window(),
        len,
        rows,
    })
}

fn plain<C, M, const N: usize>(key: &PreparedKey<C>) -> impl Iterator<Item = Vec<Point>>
where
    C: Curve<BaseElement = Residue<M, N>>,
    M: Modulus<N>,
{
    key.rows()
        .map(|row| row.iter().map(point::<C, M, N>).collect())
}

fn point<C, M, const N: usize>(point: &AffinePoint<Residue<M, N>>) -> Point
where
    C: Curve<BaseElement = Residue<M, N>>,
    M: Modulus<N>,
{
    let coordinate = |value: &Residue<M, N>| {
        let mut bytes = vec![0; <C::BaseField as PrimeField>::BYTES];
        C::base_field().write_be_bytes(value, &mut bytes);
        Coordinate {
            montgomery: value.montgomery_limbs().to_vec(),
            bytes,
        }
    };
    Point {
        x: coordinate(&point.x),
        y: coordinate(&point.y),
    }
}
