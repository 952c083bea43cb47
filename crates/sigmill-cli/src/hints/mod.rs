//! The file of hints beside a table: what a first pass over an archive learned, for later ones.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | magic number, `sigmhnt` and a zero byte |
//! | 2 | version, 1 |
//! | 6 | zero |
//! | (rows + 1) / 2 | half a byte a row, the low half first: the id 0 to 3, or 15 for none |
//! | 8 | the number of rows |
//! | 32 | SHA-256 of the signatures, as [`append_signature`] writes them |
//! | 32 | SHA-256 of all that stands before |
//!
//! Numbers are big-endian. The half byte behind the last row of an odd number is 15. What names the
//! rows stands at the end, so that the file is written as the rows come (docs/hints-file.md).

mod read;
mod turns;
mod write;

use sha2::{Digest as _, Sha256};
use sigmill::RecoveryId;

pub(crate) use read::{HintsFile, check};
pub(crate) use turns::{Turn, Turns};
pub(crate) use write::HintsWriter;

const MAGIC: &[u8; 8] = b"sigmhnt\0";
const VERSION: u16 = 1;
const HEADER_LEN: usize = 16;
const TRAILER_LEN: usize = 8 + 32 + 32;

/// The half byte of a row without a hint.
pub(crate) const NONE: u8 = 15;

/// The half byte of a row.
pub(crate) fn half_byte(id: Option<RecoveryId>) -> u8 {
    id.map_or(NONE, RecoveryId::to_byte)
}

/// Appends the signature of a row to those before it, as bytes that tell where each ends: its
/// length in four bytes and itself, or 2^32 - 1 of a row without one that can be read.
pub(crate) fn append_signature(to: &mut Vec<u8>, signature: Option<&[u8]>) {
    let len = signature.map_or(u32::MAX, |signature| {
        // A cell is not longer than 2^16 bytes.
        u32::try_from(signature.len()).unwrap_or(u32::MAX - 1)
    });
    to.extend_from_slice(&len.to_be_bytes());
    to.extend_from_slice(signature.unwrap_or_default());
}

/// The rows of a run so far, by what names them: how many they are, and their signatures.
#[derive(Default)]
pub(crate) struct Named {
    rows: u64,
    signatures: Sha256,
}

impl Named {
    /// So many rows more, with signatures as [`append_signature`] writes them.
    pub(crate) fn add(&mut self, rows: u64, signatures: &[u8]) {
        self.rows += rows;
        self.signatures.update(signatures);
    }

    fn finish(self) -> (u64, [u8; 32]) {
        (self.rows, self.signatures.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    /// Chunks that end in any order, some of them while others wait for their number.
    #[test]
    fn every_chunk_knows_its_first_row() {
        for workers in 1..5_u64 {
            let turns = Arc::new(Turns::default());
            let threads: Vec<_> = (0..workers)
                .map(|worker| {
                    let turns = turns.clone();
                    let work = move || {
                        for number in (worker..200).step_by(workers as usize) {
                            // Chunk n has n modulo 7 rows.
                            let first: u64 = (0..number).map(|before| before % 7).sum();
                            let mut turn = turns.begin(number);
                            if number % 3 == 0 {
                                assert_eq!(turn.first_row(), Some(first));
                            }
                            assert_eq!(turn.end(number % 7), Some(first));
                            assert_eq!(turn.first_row(), Some(first));
                        }
                    };
                    thread::spawn(work)
                })
                .collect();
            for thread in threads {
                thread.join().unwrap();
            }
        }
    }

    /// A chunk that ends in a panic leaves those behind it without hints, and nobody waiting.
    #[test]
    fn a_chunk_that_is_lost_keeps_nobody() {
        let turns = Turns::default();
        assert_eq!(turns.begin(0).end(5), Some(0));
        drop(turns.begin(1));
        let mut behind = turns.begin(2);
        assert_eq!(behind.first_row(), None);
        assert_eq!(behind.end(1), None);
    }

    #[test]
    fn signatures_that_are_not_there_are_none_of_no_bytes() {
        let written = |signature| {
            let mut bytes = vec![];
            append_signature(&mut bytes, signature);
            bytes
        };
        assert_eq!(written(None), [255; 4]);
        assert_eq!(written(Some(&[][..])), [0; 4]);
        assert_eq!(written(Some(&[7, 8][..])), [0, 0, 0, 2, 7, 8]);
    }
}
