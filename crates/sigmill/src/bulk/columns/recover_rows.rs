//! Columns of signatures to recover public keys from.

use super::column::Column;
use super::inputs::Inputs;
use super::layout::Length;
use super::shape_error::{Field, ShapeError};
use crate::Algorithm;
use crate::keys::Input;

/// Rows to recover public keys from: columns of messages or digests, and of signatures. The columns
/// are borrowed, have one length, and are all on one curve.
///
/// A signature is r, s and v ([`Signature::from_rsv`](crate::ecdsa::Signature::from_rsv)): 65
/// bytes. The last byte is the recovery id, 0 to 3, or 27 or 28, which mean 0 and 1. (The policy
/// may forbid 2 and 3.) Digests may have any length except 0; Ethereum's are Keccak hashes of 32
/// bytes.
///
/// ```
/// use sigmill::bulk::{Column, Engine, Inputs, RecoverRows};
/// use sigmill::secp256k1::SigningKey;
/// use sigmill::{Algorithm, Error, Policy};
///
/// let key = SigningKey::generate()?;
/// let digests = [[1; 32], [2; 32], [3; 32]].concat();
/// let mut signatures = vec![];
/// for digest in digests.chunks(32) {
///     let (signature, id) = key.sign_prehash_recoverable(digest)?;
///     signatures.extend(signature.to_p1363());
///     signatures.push(27 + id.to_byte());
/// }
/// // The last v is not one.
/// signatures[3 * 65 - 1] = 9;
/// let rows = RecoverRows::new(
///     Algorithm::ES256K,
///     Inputs::Digests(Column::fixed(&digests, 32)),
///     Column::fixed(&signatures, 65),
/// )?;
///
/// let engine = Engine::builder().policy(Policy::ETHEREUM_PRECOMPILE).build()?;
/// let recovered = engine.recover(&rows);
/// let public_key = key.verifying_key().to_sec1_bytes(false);
/// assert_eq!(recovered.get(1), Ok(&public_key[..]));
/// assert_eq!(recovered.get(2), Err(Error::RecoveryByteOutOfRange { v: 9 }));
/// assert_eq!(recovered.keys()[..65], public_key);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecoverRows<'a> {
    len: usize,
    algorithm: Algorithm,
    inputs: Inputs<'a>,
    signatures: Column<'a>,
}

impl<'a> RecoverRows<'a> {
    /// Creates rows from columns. The algorithm names the curve of the signatures and the hash of
    /// messages; for Ethereum's signatures, use the one on secp256k1. A signature has 65 bytes, 97
    /// on P-384, and 133 on P-521.
    ///
    /// This reads every offset and index once, but no value.
    ///
    /// # Errors
    /// The rule of [`ShapeError`] that a column breaks.
    pub fn new(
        algorithm: Algorithm,
        inputs: Inputs<'a>,
        signatures: Column<'a>,
    ) -> Result<Self, ShapeError> {
        let mut length = Length::default();
        length.meet(Field::Input, inputs.check()?)?;
        length.meet(Field::Signature, signatures.check(Field::Signature)?)?;
        Ok(Self {
            len: length.rows()?,
            algorithm,
            inputs,
            signatures,
        })
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(in crate::bulk) fn caller_algorithm(&self) -> Algorithm {
        self.algorithm
    }

    // The accessors of a row accept numbers below the length only.

    pub(in crate::bulk) fn input(&self, row: usize) -> Option<Input<'a>> {
        self.inputs.value(row)
    }

    pub(in crate::bulk) fn signature(&self, row: usize) -> Option<&'a [u8]> {
        self.signatures.value(row)
    }
}
