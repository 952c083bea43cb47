//! What a call recovers from its rows.

use std::collections::BTreeMap;

use super::rows::Ids;
use super::verdicts::Verdicts;
use crate::{CurveName, Error};

/// The public keys of a call, one for each row that has one, in the order of the rows, and for each
/// other row why it has none.
///
/// That a key came out says nothing of the signature: compare the key, or its address, with what is
/// known. A row that was not reached, because the call was cancelled before its turn, has the error
/// [`Error::NotJudged`].
#[derive(Clone, Debug)]
pub struct Recovered {
    curve: CurveName,
    /// A key for each row, all of one length; zeros where there is none.
    keys: Vec<u8>,
    /// Whether there is one.
    verdicts: Verdicts,
}

/// The length of an uncompressed SEC 1 point, in bytes.
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
            verdicts: Verdicts::new(verdicts, None, &Ids::RowNumbers, None),
        }
    }

    /// The number of rows of the call.
    pub fn len(&self) -> usize {
        self.verdicts.len()
    }

    /// Whether the call had no row.
    pub fn is_empty(&self) -> bool {
        self.verdicts.is_empty()
    }

    /// The curve of the keys.
    pub fn curve(&self) -> CurveName {
        self.curve
    }

    /// The public key of a row, as an uncompressed SEC 1 point: what the single call recovers
    /// ([`VerifyingKey::recover_from_prehash_with_policy`](
    /// crate::ecdsa::VerifyingKey::recover_from_prehash_with_policy)). A row that does not exist
    /// was not judged.
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

    /// The keys or errors, in the order of the rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<&[u8], Error>> {
        let keys = self.keys.chunks_exact(self.key_len());
        let results = keys.zip(self.results());
        results.map(|(key, result)| result.map(|()| key))
    }

    /// The length of a key: 65 bytes, 97 on P-384, 133 on P-521.
    pub fn key_len(&self) -> usize {
        key_len(self.curve)
    }

    /// All keys, one after the other, [`key_len`](Self::key_len) bytes each; zeros where a row has
    /// none. A [`Column::fixed`](super::Column::fixed) as it is.
    pub fn keys(&self) -> &[u8] {
        &self.keys
    }

    /// Whether each row has a key, and why not, in the order of the rows.
    pub fn results(&self) -> &[Result<(), Error>] {
        self.verdicts.as_slice()
    }

    /// [`keys`](Self::keys), to be kept.
    pub fn into_keys(self) -> Vec<u8> {
        self.keys
    }

    /// How many rows have a key.
    pub fn recovered(&self) -> usize {
        self.verdicts.valid()
    }

    /// How many rows have none.
    pub fn rejected(&self) -> usize {
        self.verdicts.rejected()
    }

    /// How many rows were judged: all of them, unless the call was cancelled.
    pub fn judged(&self) -> usize {
        self.verdicts.judged()
    }

    /// The rows that have no key, in order: their numbers and reasons.
    pub fn iter_rejected(&self) -> impl Iterator<Item = (usize, Error)> {
        let rejected = self.verdicts.iter_rejected();
        rejected.map(|(row, _, error)| (row, error))
    }

    /// How many rows were rejected for each reason, by [`Error::reason`].
    pub fn reasons(&self) -> BTreeMap<&'static str, usize> {
        self.verdicts.reasons()
    }
}
