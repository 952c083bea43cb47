//! Files of hints: what a first pass over an archive learned, for later passes.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | magic number, `sigmhnt` and a zero byte |
//! | 2 | version, 1 |
//! | 6 | zero |
//! | (rows + 1) / 2 | half a byte per row, the low half first: the id 0 to 3, or 15 for none |
//! | 8 | the number of rows |
//! | 32 | SHA-256 of the signatures, as [`append_signature`] encodes them |
//! | 32 | SHA-256 of all bytes before |
//!
//! Numbers are big-endian. If the number of rows is odd, the last half byte is 15. The trailer
//! identifies the rows, so that the file can be written while rows arrive (docs/hints-file.md). If
//! the file's extension is that of a table, the file is a table ([`table`]).

mod read;
mod row_offsets;
mod table;
mod write;

use std::iter;

use sha2::Sha256;
use sigmill::RecoveryId;

pub(crate) use read::{HintsFile, check};
pub(crate) use row_offsets::{PendingChunk, RowOffsets};
pub(crate) use write::HintsWriter;

const MAGIC: &[u8; 8] = b"sigmhnt\0";
const VERSION: u16 = 1;
const HEADER_LEN: usize = 16;
const TRAILER_LEN: usize = 8 + 32 + 32;

/// The half byte of a row without a hint.
pub(crate) const NONE: u8 = 15;

/// Returns the half byte of a row.
pub(crate) fn half_byte(id: Option<RecoveryId>) -> u8 {
    id.map_or(NONE, RecoveryId::to_byte)
}

/// Appends the signature of a row in a self-delimiting form: its length in four bytes, then its
/// bytes. A row without a readable signature is 2^32 - 1 and nothing else.
pub(crate) fn append_signature(to: &mut Vec<u8>, signature: Option<&[u8]>) {
    let len = signature.map_or(u32::MAX, |signature| {
        // A cell has at most 2^16 bytes.
        u32::try_from(signature.len()).unwrap_or(u32::MAX - 1)
    });
    to.extend_from_slice(&len.to_be_bytes());
    to.extend_from_slice(signature.unwrap_or_default());
}

/// Splits the output of [`append_signature`] into signatures, each with its length in front.
fn each_signature(mut bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    iter::from_fn(move || {
        let (&len, _) = bytes.split_first_chunk()?;
        let len = match u32::from_be_bytes(len) {
            u32::MAX => 0,
            len => len as usize,
        };
        let (signature, rest) = bytes.split_at_checked(len + 4)?;
        bytes = rest;
        Some(signature)
    })
}

/// The identity of the rows of a run so far: their number and their signatures.
#[derive(Default)]
pub(crate) struct SeenRows {
    rows: u64,
    signatures: Sha256,
    /// The first row, counted from 0, whose signature is not the one in the table of hints.
    differs: Option<u64>,
}

/// Half bytes of rows, packed two in a byte.
#[derive(Default)]
struct Packed {
    /// A half byte that waits for a second one.
    low: Option<u8>,
}

impl Packed {
    /// Appends the half bytes of the next rows.
    fn push(&mut self, halves: &[u8], to: &mut Vec<u8>) {
        for &half in halves {
            debug_assert!(half < 4 || half == NONE);
            match self.low.take() {
                None => self.low = Some(half),
                Some(low) => to.push(low | half << 4),
            }
        }
    }

    /// Appends the rest.
    fn finish(self, to: &mut Vec<u8>) {
        to.extend(self.low.map(|low| low | NONE << 4));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    /// Chunks end in any order, some of them while others wait for their number.
    #[test]
    fn every_chunk_knows_its_first_row() {
        for workers in 1..5_u64 {
            let row_offsets = Arc::new(RowOffsets::default());
            let threads: Vec<_> = (0..workers)
                .map(|worker| {
                    let row_offsets = row_offsets.clone();
                    let work = move || {
                        for number in (worker..200).step_by(workers as usize) {
                            // Chunk n has n modulo 7 rows.
                            let first: u64 = (0..number).map(|before| before % 7).sum();
                            let mut chunk = row_offsets.begin(number);
                            if number % 3 == 0 {
                                assert_eq!(chunk.first_row(), Some(first));
                            }
                            assert_eq!(chunk.end(number % 7), Some(first));
                            assert_eq!(chunk.first_row(), Some(first));
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

    /// A chunk that ends in a panic leaves later chunks without hints, and none of them waiting.
    #[test]
    fn a_chunk_that_is_lost_keeps_nobody() {
        let row_offsets = RowOffsets::default();
        assert_eq!(row_offsets.begin(0).end(5), Some(0));
        drop(row_offsets.begin(1));
        let mut behind = row_offsets.begin(2);
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
        let all = [&[7, 8][..], &[], &[9]].map(|signature| written(Some(signature)));
        let all = [
            all[0].clone(),
            written(None),
            all[1].clone(),
            all[2].clone(),
        ];
        let bytes = all.concat();
        assert!(each_signature(&bytes).eq(all.iter().map(|one| &one[..])));
    }
}
