//! The digests of a block of rows: those that came, and those that it makes of messages.

use super::row::Input;
use crate::ecdsa::MessageDigest;
use crate::{Error, HashName};

/// The digests that a block makes of its messages.
#[derive(Default)]
pub(in crate::bulk) struct Digests(Vec<MessageDigest>);

/// Where the digest of a row is.
#[derive(Clone, Copy)]
pub(in crate::bulk) enum RowDigest<'a> {
    /// With the caller.
    Given(&'a [u8]),
    /// Among those that the block made.
    Made(usize),
}

impl Digests {
    /// The digest of a row: of its message by `hash`, if that is what it has.
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

    /// Its bytes.
    pub(in crate::bulk) fn get<'a>(&'a self, digest: RowDigest<'a>) -> &'a [u8] {
        match digest {
            RowDigest::Given(digest) => digest,
            RowDigest::Made(place) => &self.0[place],
        }
    }
}
