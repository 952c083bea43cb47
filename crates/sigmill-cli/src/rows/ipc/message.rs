//! A message of Arrow IPC: its length, its metadata and its body.

use std::io::{ErrorKind, Read};

use arrow_buffer::Buffer;
use arrow_ipc::{Block, Message as Metadata, MessageHeader, RecordBatch};

/// The mark before the length of the metadata. Files from before version 0.15 of Arrow lack it.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The memory reserved for a body before any of it has arrived, because the length is only claimed.
const FIRST_RESERVATION: u64 = 16 << 20;

/// The number of bytes that a decompressed body may claim, in addition to [`MAX_RATIO`] times its
/// own length.
const FREE_LEN: u64 = 64 << 20;

/// Signatures cannot be compressed, so a table of them never comes near this ratio.
const MAX_RATIO: u64 = 256;

/// A message in the form of the file.
pub(super) struct Message {
    /// The length, the metadata and the body.
    bytes: Buffer,
    /// The start of the metadata.
    start: usize,
    /// The start of the body.
    body: usize,
}

/// The next item of a stream.
pub(super) enum Next<T> {
    Message(T),
    EndMark,
    /// The end of the input, without an end mark.
    End,
}

/// Facts about a message that are known without its body.
pub(super) struct Head {
    /// The length of the metadata and of the length field in front of it.
    pub(super) len: usize,
    pub(super) body_len: u64,
    pub(super) kind: MessageHeader,
    /// For a dictionary: its number, and whether it adds to the existing one.
    pub(super) dictionary: Option<(i64, bool)>,
}

/// Reads the next message, except its body.
pub(super) fn read_head(source: &mut impl Read) -> Result<Next<(Head, Vec<u8>)>, String> {
    let mut bytes = vec![];
    read(source, &mut bytes, 4)?;
    if bytes.is_empty() {
        return Ok(Next::End);
    }
    if bytes == CONTINUATION {
        read(source, &mut bytes, 4)?;
    }
    let Some(&len) = bytes.last_chunk::<4>().filter(|_| bytes.len() % 4 == 0) else {
        return Err(truncated());
    };
    if bytes.len() == 4 && len == CONTINUATION {
        return Err(truncated());
    }
    let len = i32::from_le_bytes(len);
    if len == 0 {
        return Ok(Next::EndMark);
    }
    let len = u64::try_from(len).map_err(|_| "message has a negative length")?;
    let start = bytes.len();
    if read(source, &mut bytes, len)? < len {
        return Err(truncated());
    }
    let metadata = parse(&bytes[start..])?;
    let head = Head {
        len: bytes.len(),
        body_len: u64::try_from(metadata.bodyLength())
            .map_err(|_| "message body has a negative length")?,
        kind: metadata.header_type(),
        dictionary: metadata
            .header_as_dictionary_batch()
            .map(|dictionary| (dictionary.id(), dictionary.isDelta())),
    };
    Ok(Next::Message((head, bytes)))
}

impl Message {
    /// Reads the next message.
    pub(super) fn read(source: &mut impl Read) -> Result<Next<(Head, Self)>, String> {
        let (head, mut bytes) = match read_head(source)? {
            Next::Message(message) => message,
            Next::EndMark => return Ok(Next::EndMark),
            Next::End => return Ok(Next::End),
        };
        // For the few who have more memory than this may claim.
        let reserved = usize::try_from(head.body_len.min(FIRST_RESERVATION)).unwrap_or(0);
        bytes
            .try_reserve_exact(reserved)
            .map_err(|e| e.to_string())?;
        if read(source, &mut bytes, head.body_len)? < head.body_len {
            return Err(truncated());
        }
        let message = Self {
            start: if bytes.starts_with(&CONTINUATION) {
                8
            } else {
                4
            },
            body: head.len,
            bytes: Buffer::from_vec(bytes),
        };
        message.check_buffers()?;
        Ok(Next::Message((head, message)))
    }

    pub(super) fn metadata(&self) -> Result<Metadata<'_>, String> {
        parse(&self.bytes[self.start..self.body])
    }

    /// Returns the message for the decoder, with its place in a file that begins with it.
    pub(super) fn block(&self) -> (Block, &Buffer) {
        let body_len = (self.bytes.len() - self.body) as i64;
        (Block::new(0, self.body as i32, body_len), &self.bytes)
    }

    /// Checks the buffers, because the decoder trusts all their lengths. Buffers must lie in the
    /// body and must not overlap. Compressed data must not claim a disproportionate length.
    fn check_buffers(&self) -> Result<(), String> {
        let metadata = self.metadata()?;
        let Some(batch) = (match metadata.header_type() {
            MessageHeader::RecordBatch => metadata.header_as_record_batch(),
            MessageHeader::DictionaryBatch => metadata
                .header_as_dictionary_batch()
                .and_then(|dictionary| dictionary.data()),
            _ => None,
        }) else {
            return Ok(());
        };
        let body = &self.bytes[self.body..];
        let mut taken = 0;
        let mut claimed = 0;
        for buffer in batch.buffers().iter().flatten() {
            let range = usize::try_from(buffer.offset())
                .ok()
                .zip(usize::try_from(buffer.length()).ok())
                .and_then(|(start, len)| Some(start..start.checked_add(len)?));
            let bytes = range
                .and_then(|range| body.get(range))
                .ok_or("buffer lies outside of its message")?;
            taken += bytes.len() as u64;
            claimed += uncompressed_len(&batch, bytes);
            if taken > body.len() as u64 {
                return Err("buffers of a message overlap".into());
            }
            if claimed > FREE_LEN + MAX_RATIO * body.len() as u64 {
                return Err(format!(
                    "message of {} bytes decompresses to more than {FREE_LEN} bytes and \
                     {MAX_RATIO} times its length",
                    body.len()
                ));
            }
        }
        Ok(())
    }
}

/// Returns the length that a buffer claims after decompression.
fn uncompressed_len(batch: &RecordBatch<'_>, bytes: &[u8]) -> u64 {
    let claimed = batch.compression().and_then(|_| bytes.first_chunk());
    // -1 means that the buffer is not compressed; the decoder refuses lower values.
    claimed.map_or(0, |&len| {
        u64::try_from(i64::from_le_bytes(len)).unwrap_or(0)
    })
}

fn parse(bytes: &[u8]) -> Result<Metadata<'_>, String> {
    arrow_ipc::root_as_message(bytes).map_err(|e| malformed("a message", e))
}

/// Formats the error that `what` is malformed, in one line.
pub(super) fn malformed(what: &str, error: impl std::fmt::Display) -> String {
    let rule = error.to_string();
    let words: Vec<&str> = rule.split_whitespace().collect();
    format!("malformed {what}: {}", words.join(" "))
}

fn truncated() -> String {
    "truncated".into()
}

/// Appends `len` bytes to `bytes`, or fewer if the input ends, and returns their number. Memory is
/// allocated as they arrive.
pub(super) fn read(source: &mut impl Read, bytes: &mut Vec<u8>, len: u64) -> Result<u64, String> {
    match source.take(len).read_to_end(bytes) {
        Ok(read) => Ok(read as u64),
        Err(e) if e.kind() == ErrorKind::OutOfMemory => Err("not enough memory".into()),
        Err(e) => Err(e.to_string()),
    }
}
