//! The keys that a call recovers from its rows.

use super::verdicts::Verdicts;
use crate::{CurveName, Error};

/// The public keys that a call recovers, in the order of the rows: a key for each row, or the
/// reason why it has none.
///
/// A recovered key alone says nothing about the signature: compare the key, or its address, with
/// the expected one. A row that was not reached because the call was cancelled has the error
/// [`Error::NotJudged`].
#[derive(Clone, Debug)]
pub struct Recovered {
    curve: CurveName,
    /// A key for each row, all of one length; zeros if the row has none.
    keys: Vec<u8>,
    /// A success for each row with a key, and the reason for each other row.
    verdicts: Verdicts,
}

/// Returns the length of an uncompressed SEC 1 point, in bytes.
pub(in crate::bulk) const fn key_len(curve: CurveName) -> usize {
    1 + 2 * curve.field_len()
}

impl Recovered {
    pub(in crate::bulk) fn new(
        curve: CurveName,
        keys: Vec<u8>,
        verdicts: Vec<Result<(), Error>>,
    ) -> Self {
        debug_assert_eq!(keys.len(), verdicts.len() * key_len(curve));
        Self {
            curve,
            keys,
            verdicts: Verdicts::new(verdicts, None, None),
        }
    }

    /// Returns the curve of the keys.
    pub fn curve(&self) -> CurveName {
        self.curve
    }

    /// Returns the public key of a row as an uncompressed SEC 1 point. It is the key that the
    /// single call recovers ([`VerifyingKey::recover_from_prehash_with_policy`](
    /// crate::keys::VerifyingKey::recover_from_prehash_with_policy)). A row that does not exist
    /// counts as not judged.
    ///
    /// # Errors
    /// The rule that the row breaks: those of [`Signature::from_rsv`](
    /// crate::ecdsa::Signature::from_rsv) and of the single call; [`Error::InputNull`],
    /// [`Error::SignatureNull`], [`Error::NotJudged`].
    pub fn get(&self, row: usize) -> Result<&[u8], Error> {
        self.verdicts.get(row)?;
        let len = self.key_len();
        Ok(&self.keys[row * len..][..len])
    }

    /// Returns the keys or errors, in the order of the rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<&[u8], Error>> {
        let keys = self.keys.chunks_exact(self.key_len());
        let results = keys.zip(self.verdicts.as_slice());
        results.map(|(key, result)| result.map(|()| key))
    }

    /// Returns the length of a key: 65 bytes, 97 on P-384, 133 on P-521.
    pub fn key_len(&self) -> usize {
        key_len(self.curve)
    }

    /// Returns all keys, one after the other, [`key_len`](Self::key_len) bytes each; zeros if a row
    /// has no key. The bytes suit [`Column::fixed`](super::Column::fixed).
    pub fn keys(&self) -> &[u8] {
        &self.keys
    }

    /// Returns a success for each row with a key, which counts as valid, and the reason for each
    /// other row.
    pub fn verdicts(&self) -> &Verdicts {
        &self.verdicts
    }

    /// Returns [`keys`](Self::keys) as a vector.
    pub fn into_keys(self) -> Vec<u8> {
        self.keys
    }
}
