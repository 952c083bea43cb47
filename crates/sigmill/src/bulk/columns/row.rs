//! One row: what is to be verified, as bytes.

use crate::ecdsa::{Algorithm, SignatureFormat};

/// What was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input<'a> {
    /// A message, to be hashed with the algorithm's hash.
    Message(&'a [u8]),
    /// Its digest, of any length but 0.
    Digest(&'a [u8]),
}

/// A signature with all that is needed to judge it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row<'a> {
    /// The curve and the hash.
    pub algorithm: Algorithm,
    /// The public key, in any encoding that
    /// [`AnyVerifyingKey::from_encoded`](crate::AnyVerifyingKey::from_encoded) takes.
    pub key: &'a [u8],
    /// The message or its digest.
    pub input: Input<'a>,
    /// The signature.
    pub signature: &'a [u8],
    /// How the signature is written.
    pub format: SignatureFormat,
}

impl<'a> Row<'a> {
    /// A row of these, of which the key is in any encoding that
    /// [`AnyVerifyingKey::from_encoded`](crate::AnyVerifyingKey::from_encoded) takes.
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
