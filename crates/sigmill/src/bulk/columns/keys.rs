//! Keys, as a column of encoded or parsed ones.

use core::hash::{Hash, Hasher};
use core::ptr;

use super::column::Column;
use super::shape_error::{Field, ShapeError};
use crate::{AnyVerifyingKey, CurveName};

/// The keys of rows, encoded or already parsed.
///
/// A parsed key is neither decoded nor checked again. The engine's store remembers it under its
/// uncompressed SEC 1 point, so it shares one table with the same key in encoded form. A row costs
/// a comparison if its key came recently at the same address, and a hash otherwise; equal keys at
/// different addresses are one key. In every ten thousand rows or so, the SEC 1 point of each
/// distinct key is written once.
///
/// A row whose parsed key is on another curve than its algorithm has the verdict
/// [`Error::KeyCurveMismatch`](crate::Error::KeyCurveMismatch).
///
/// ```
/// use sigmill::bulk::{Column, Engine, Inputs, Rows, Signatures};
/// use sigmill::p256::SigningKey;
/// use sigmill::{Algorithm, AnyVerifyingKey};
///
/// let signers = [SigningKey::generate()?, SigningKey::generate()?];
/// let parsed = signers.each_ref().map(|signer| AnyVerifyingKey::from(*signer.verifying_key()));
/// let signatures: Vec<u8> = [0, 1, 1]
///     .iter()
///     .flat_map(|&i: &usize| signers[i].sign(b"hello").to_p1363())
///     .collect();
/// let messages = || Inputs::Messages(Column::same(b"hello"));
/// let signatures = || Signatures::P1363(Column::fixed(&signatures, 64));
///
/// let engine = Engine::builder().build()?;
/// let keys = vec![&parsed[0], &parsed[1], &parsed[1]];
/// let rows = Rows::new(Algorithm::ES256, &keys, messages(), signatures())?;
/// assert!(engine.verify(&rows).all_valid());
///
/// // One key for all rows.
/// let rows = Rows::new(Algorithm::ES256, &parsed[1], messages(), signatures())?;
/// assert_eq!(engine.verify(&rows).valid(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Keys<'a> {
    /// One encoded key for each row, in any encoding that [`AnyVerifyingKey::from_encoded`]
    /// accepts.
    Encoded(Column<'a>),
    /// One parsed key for each row.
    Parsed(&'a [&'a AnyVerifyingKey]),
    /// One parsed key for all rows.
    Same(&'a AnyVerifyingKey),
}

/// The key of a row, with the curve of the row's algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::bulk) enum RowKey<'a> {
    /// The bytes of the key; `None` if the row has no key.
    Encoded(CurveName, Option<&'a [u8]>),
    Parsed(CurveName, ParsedKey<'a>),
}

/// A parsed key, compared by value. Its address only saves a comparison.
#[derive(Clone, Copy, Debug)]
pub(in crate::bulk) struct ParsedKey<'a>(pub(in crate::bulk) &'a AnyVerifyingKey);

impl<'a> Keys<'a> {
    /// Checks the layout and returns the number of rows; `None` if one key stands for any number.
    pub(super) fn check(&self) -> Result<Option<usize>, ShapeError> {
        match self {
            Self::Encoded(column) => column.check(Field::Key),
            Self::Parsed(keys) => Ok(Some(keys.len())),
            Self::Same(_) => Ok(None),
        }
    }

    /// Returns true if all rows have one key.
    pub(super) fn is_same(&self) -> bool {
        match self {
            Self::Encoded(column) => column.is_same(),
            Self::Parsed(_) => false,
            Self::Same(_) => true,
        }
    }

    /// Returns the key of a row below the number of rows, with the curve of the row's algorithm.
    pub(super) fn of_row(&self, row: usize, curve: CurveName) -> RowKey<'a> {
        match self {
            Self::Encoded(column) => RowKey::Encoded(curve, column.value(row)),
            Self::Parsed(keys) => RowKey::Parsed(curve, ParsedKey(keys[row])),
            Self::Same(key) => RowKey::Parsed(curve, ParsedKey(key)),
        }
    }
}

impl RowKey<'_> {
    /// Returns the curve of the row's algorithm.
    pub(in crate::bulk) fn curve(&self) -> CurveName {
        match *self {
            Self::Encoded(curve, _) | Self::Parsed(curve, _) => curve,
        }
    }
}

impl PartialEq for ParsedKey<'_> {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.0, other.0) || self.0 == other.0
    }
}

impl Eq for ParsedKey<'_> {}

impl Hash for ParsedKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<'a> From<Column<'a>> for Keys<'a> {
    fn from(column: Column<'a>) -> Self {
        Self::Encoded(column)
    }
}

impl<'a, T: AsRef<[&'a AnyVerifyingKey]> + ?Sized> From<&'a T> for Keys<'a> {
    fn from(keys: &'a T) -> Self {
        Self::Parsed(keys.as_ref())
    }
}

impl<'a> From<&'a AnyVerifyingKey> for Keys<'a> {
    fn from(key: &'a AnyVerifyingKey) -> Self {
        Self::Same(key)
    }
}
