//! One row to verify, as bytes.

use super::keys::RowKey;
use crate::HashName;
use crate::ecdsa::{Algorithm, SignatureFormat};
use crate::keys::Input;

/// A signature with everything that is needed to judge it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row<'a> {
    /// The curve and the hash.
    pub algorithm: Algorithm,
    /// The public key, in any encoding that
    /// [`AnyVerifyingKey::from_encoded`](crate::AnyVerifyingKey::from_encoded) accepts.
    pub key: &'a [u8],
    /// The message, which is hashed with the algorithm's hash, or its digest.
    pub input: Input<'a>,
    /// The signature.
    pub signature: &'a [u8],
    /// The encoding of the signature.
    pub format: SignatureFormat,
}

/// A row whose key may be parsed.
#[derive(Clone, Copy, Debug)]
pub(in crate::bulk) struct KeyedRow<'a> {
    pub(in crate::bulk) key: RowKey<'a>,
    pub(in crate::bulk) hash: HashName,
    pub(in crate::bulk) input: Input<'a>,
    pub(in crate::bulk) signature: &'a [u8],
    pub(in crate::bulk) format: SignatureFormat,
}

impl<'a> From<&Row<'a>> for KeyedRow<'a> {
    fn from(row: &Row<'a>) -> Self {
        Self {
            key: RowKey::Encoded(row.algorithm.curve, Some(row.key)),
            hash: row.algorithm.hash,
            input: row.input,
            signature: row.signature,
            format: row.format,
        }
    }
}

impl<'a> Row<'a> {
    /// Creates a row. The key may have any encoding that
    /// [`AnyVerifyingKey::from_encoded`](crate::AnyVerifyingKey::from_encoded) accepts.
    #[must_use]
    pub const fn new(
        algorithm: Algorithm,
        key: &'a [u8],
        input: Input<'a>,
        signature: &'a [u8],
        format: SignatureFormat,
    ) -> Self {
        Self {
            algorithm,
            key,
            input,
            signature,
            format,
        }
    }
}
