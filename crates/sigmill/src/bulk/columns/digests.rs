//! The digests of a block of rows: those that the caller supplied, and those computed from
//! messages.

use super::row::Input;
use crate::hash::MessageDigest;
use crate::{Error, HashName};

/// The digests that a block computes from its messages.
#[derive(Default)]
pub(in crate::bulk) struct Digests(Vec<MessageDigest>);

/// The place of a row's digest.
#[derive(Clone, Copy)]
pub(in crate::bulk) enum RowDigest<'a> {
    /// The caller's bytes.
    Given(&'a [u8]),
    /// An index into the digests that the block computed.
    Made(usize),
}

impl Digests {
    /// Returns the digest of a row; a message is hashed with `hash`.
    ///
    /// # Errors
    /// [`Error::DigestEmpty`].
    pub(in crate::bulk) fn add<'a>(
        &mut self,
        input: Input<'a>,
        hash: HashName,
    ) -> Result<RowDigest<'a>, Error> {
        match input {
            Input::Digest([]) => Err(Error::DigestEmpty),
            Input::Digest(digest) => Ok(RowDigest::Given(digest)),
            Input::Message(message) => {
                self.0.push(hash.digest(message));
                Ok(RowDigest::Made(self.0.len() - 1))
            }
        }
    }

    /// Returns the bytes of a digest.
    pub(in crate::bulk) fn get<'a>(&'a self, digest: RowDigest<'a>) -> &'a [u8] {
        match digest {
            RowDigest::Given(digest) => digest,
            RowDigest::Made(place) => &self.0[place],
        }
    }
}
