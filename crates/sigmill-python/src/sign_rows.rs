//! Many signatures at once, by several threads.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use sigmill::{AnySigningKey, Error, HashName, SignatureFormat};

use crate::signatures::Signed;
use crate::watch::Watch;

/// The rows that a thread takes at a time: the library shares inversions between them.
const BLOCK: usize = 1024;

/// How rows are signed.
pub(crate) struct Job<'a> {
    pub(crate) key: &'a AnySigningKey,
    pub(crate) hash: HashName,
    pub(crate) are_messages: bool,
    pub(crate) format: SignatureFormat,
}

impl Job<'_> {
    /// The signatures of all rows, in their order; those of blocks that were not begun when the
    /// watch was told to end are `NotJudged`. Deterministic: what a row signs to does not depend on
    /// the threads.
    pub(crate) fn sign(
        &self,
        rows: &[Option<&[u8]>],
        threads: usize,
        watch: &Watch,
    ) -> Vec<Signed> {
        let mut signed = vec![Err(Error::NotJudged); rows.len()];
        let blocks: Vec<_> = rows
            .chunks(BLOCK)
            .zip(signed.chunks_mut(BLOCK).map(Mutex::new))
            .collect();
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some((rows, out)) = blocks.get(next.fetch_add(1, Ordering::Relaxed)) {
                if watch.is_cancelled() {
                    return;
                }
                // Each block is taken once.
                if let Ok(mut out) = out.lock() {
                    self.sign_block(rows, &mut out);
                }
                watch.advance(rows.len());
            }
        };
        let threads = match threads {
            0 => thread::available_parallelism().map_or(1, NonZero::get),
            threads => threads,
        };
        thread::scope(|scope| {
            for _ in 1..threads.min(blocks.len()) {
                let worker = thread::Builder::new().name("sigmill-sign".into());
                // Fewer threads sign as well.
                let _ = worker.spawn_scoped(scope, work);
            }
            work();
        });
        drop(blocks);
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
        let signed = if self.hash == self.key.algorithm().hash {
            let jobs: Vec<_> = digests
                .iter()
                .map(|digest| (self.key, &digest[..]))
                .collect();
            AnySigningKey::sign_prehash_many_recoverable(&jobs, self.format)
        } else {
            let sign = |digest: &Vec<u8>| {
                let (key, hash, format) = (self.key, self.hash, self.format);
                key.sign_prehash_recoverable_with_hash(hash, digest, format)
            };
            digests.iter().map(sign).collect()
        };
        for (place, signed) in places.into_iter().zip(signed) {
            out[place] = signed;
        }
    }
}
