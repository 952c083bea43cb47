//! Many signatures at once, on several threads.

use sigmill::{AnySigningKey, Error, HashName, SignOptions, SignatureFormat};

use crate::blocks;
use crate::signatures::Signed;
use crate::watch::Watch;

/// Key and options of a signing call.
pub(crate) struct Job<'a> {
    pub(crate) key: &'a AnySigningKey,
    pub(crate) hash: HashName,
    pub(crate) are_messages: bool,
    pub(crate) format: SignatureFormat,
}

impl Job<'_> {
    /// Signs all rows, in order. Rows of blocks not yet begun when the watch is cancelled are
    /// `NotJudged`. Signatures are deterministic and do not depend on the threads.
    pub(crate) fn sign(
        &self,
        rows: &[Option<&[u8]>],
        threads: usize,
        watch: &Watch,
    ) -> Vec<Signed> {
        let mut signed = vec![Err(Error::NotJudged); rows.len()];
        blocks::fill(&mut signed, threads, watch, |first, block| {
            self.sign_block(&rows[first..first + block.len()], block);
            watch.advance(block.len());
        });
        signed
    }

    fn sign_block(&self, rows: &[Option<&[u8]>], out: &mut [Signed]) {
        let mut digests = Vec::with_capacity(rows.len());
        let mut places = Vec::with_capacity(rows.len());
        for (place, row) in rows.iter().enumerate() {
            match row {
                None => out[place] = Err(Error::InputNull),
                Some(message) if self.are_messages => {
                    digests.push(self.hash.digest(message).to_vec());
                    places.push(place);
                }
                Some(digest) => {
                    digests.push(digest.to_vec());
                    places.push(place);
                }
            }
        }
        let jobs: Vec<_> = digests
            .iter()
            .map(|digest| (self.key, &digest[..]))
            .collect();
        let options = SignOptions::new().hash(self.hash);
        let signed = AnySigningKey::sign_prehash_many_with(&jobs, self.format, &options);
        for (place, signed) in places.into_iter().zip(signed) {
            out[place] = signed;
        }
    }
}
