//! Arrow IPC, as a stream or as a file.
//!
//! A file is a stream between two magic numbers, followed by an index, the [`footer`]. The file is
//! read by its footer, as other readers of files do, and only if the footer lists exactly the
//! stream.

mod footer;
mod message;

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use arrow_array::RecordBatch;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Message as Metadata, MessageHeader, MetadataVersion};
use arrow_schema::{Schema, SchemaRef};

use self::footer::Checked;
use self::message::{Head, Message, Next, malformed};

/// The first and the last bytes of a file.
const MAGIC: &[u8] = b"ARROW1";

/// The magic number at the start of a file is padded with zeros to a multiple of this length.
const WORD_LEN: u64 = 8;

/// The maximum number of words before the first message.
const MAX_FILL_WORDS: u64 = 512;

/// The number of bytes that may be copied for dictionaries, in addition to [`MAX_COPIES`] times the
/// bytes of the file. Each addition to a dictionary copies all of it.
const FREE_COPIES: u64 = 64 << 20;

/// See [`FREE_COPIES`].
const MAX_COPIES: u64 = 64;

/// Reads batches. An error is a rule of the format that is broken.
pub(crate) struct IpcReader {
    messages: Messages,
    schema: SchemaRef,
    decoder: FileDecoder,
    dictionaries: Dictionaries,
    end: Option<End>,
}

/// The origin of messages.
enum Messages {
    /// Messages at these places.
    OfFile(File, std::vec::IntoIter<u64>),
    /// Consecutive messages.
    OfStream(Box<dyn Read + Send>),
}

/// The end of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Marked,
    Unmarked,
}

/// The cost of additions to dictionaries.
#[derive(Default)]
struct Dictionaries {
    /// The length of each dictionary in bytes.
    lens: HashMap<i64, u64>,
    read: u64,
    copied: u64,
}

/// The number of bytes that [`is_file`] inspects.
pub(crate) const START_LEN: u64 = WORD_LEN;

/// Reports whether input that begins with `start` is a file rather than a stream.
pub(crate) fn is_file(start: &[u8]) -> bool {
    start.starts_with(MAGIC)
}

impl Messages {
    fn next(&mut self) -> Result<Next<(Head, Message)>, String> {
        match self {
            Self::OfStream(source) => Message::read(source),
            Self::OfFile(file, places) => {
                let Some(place) = places.next() else {
                    return Ok(Next::EndMark);
                };
                file.seek(SeekFrom::Start(place))
                    .map_err(|e| e.to_string())?;
                Message::read(file)
            }
        }
    }
}

impl IpcReader {
    /// Reads a stream, up to the schema.
    pub(crate) fn of_stream(mut source: Box<dyn Read + Send>) -> Result<Self, String> {
        let (schema, version) = match Message::read(&mut source)? {
            // The schema is the first message; nothing else can precede it.
            Next::Message((_, message)) => schema(&message.metadata()?)?,
            Next::EndMark | Next::End => return Err("missing schema".into()),
        };
        Ok(Self::new(Messages::OfStream(source), schema, version))
    }

    /// Reads and checks the footer of a file.
    pub(crate) fn of_file(mut file: File) -> Result<Self, String> {
        let Checked {
            schema,
            version,
            places,
        } = footer::check(&mut file)?;
        let messages = Messages::OfFile(file, places.into_iter());
        Ok(Self::new(messages, schema, version))
    }

    fn new(messages: Messages, schema: Schema, version: MetadataVersion) -> Self {
        let schema = SchemaRef::new(schema);
        Self {
            messages,
            decoder: FileDecoder::new(schema.clone(), version),
            schema,
            dictionaries: Dictionaries::default(),
            end: None,
        }
    }

    /// Returns the schema, with all columns.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Restricts the reader to the columns at `positions`, which must be in order.
    pub(crate) fn with_projection(mut self, positions: Vec<usize>) -> Self {
        self.decoder = self.decoder.with_projection(positions);
        self
    }

    /// Returns the next batch, or `None` at the end.
    pub(crate) fn next_batch(&mut self) -> Result<Option<RecordBatch>, String> {
        while self.end.is_none() {
            match self.messages.next()? {
                Next::Message((head, message)) => {
                    if let Some(batch) = self.decode(&head, &message)? {
                        return Ok(Some(batch));
                    }
                }
                Next::EndMark => self.end = Some(End::Marked),
                Next::End => self.end = Some(End::Unmarked),
            }
        }
        Ok(None)
    }

    /// Returns true if the input ended without an end mark, so that it may be truncated.
    pub(crate) fn lacks_end_mark(&self) -> bool {
        self.end == Some(End::Unmarked)
    }

    /// Reports whether bytes follow the end mark of a stream.
    pub(crate) fn has_trailing_data(&mut self) -> Result<bool, String> {
        match &mut self.messages {
            Messages::OfFile(..) => Ok(false),
            Messages::OfStream(source) => Ok(message::read(source, &mut vec![], 1)? > 0),
        }
    }

    /// Returns the number of message bytes that have been read.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.dictionaries.read
    }

    fn decode(&mut self, head: &Head, message: &Message) -> Result<Option<RecordBatch>, String> {
        let (block, bytes) = message.block();
        let malformed = |e: arrow_schema::ArrowError| malformed("a message", e);
        match head.kind {
            MessageHeader::RecordBatch => {
                self.dictionaries.read += bytes.len() as u64;
                self.decoder
                    .read_record_batch(&block, bytes)
                    .map_err(malformed)
            }
            MessageHeader::DictionaryBatch => {
                self.dictionaries.count(head, bytes.len() as u64)?;
                self.decoder
                    .read_dictionary(&block, bytes)
                    .map_err(malformed)?;
                Ok(None)
            }
            other => Err(format!("message must be a batch, not {other:?}")),
        }
    }
}

impl Dictionaries {
    /// Counts a message of `len` bytes.
    fn count(&mut self, head: &Head, len: u64) -> Result<(), String> {
        let Some((number, is_delta)) = head.dictionary else {
            return Ok(());
        };
        self.read += len;
        let total = self.lens.entry(number).or_default();
        if is_delta {
            *total += len;
            self.copied += *total;
        } else {
            *total = len;
        }
        if self.copied > FREE_COPIES + MAX_COPIES * self.read {
            return Err(format!("dictionary {number}: too many deltas"));
        }
        Ok(())
    }
}

/// Returns the schema in a message, and the version of its metadata.
fn schema(metadata: &Metadata<'_>) -> Result<(Schema, MetadataVersion), String> {
    let schema = metadata
        .header_as_schema()
        .ok_or("first message must be a schema")?;
    Ok((read_schema(schema)?, metadata.version()))
}

fn read_schema(schema: arrow_ipc::Schema<'_>) -> Result<Schema, String> {
    // Numbers are used as they lie in memory.
    if !schema.endianness().equals_to_target_endianness() {
        return Err("byte order differs from that of this machine".into());
    }
    try_fb_to_schema(schema).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(number: i64, is_delta: bool) -> Head {
        Head {
            len: 0,
            body_len: 0,
            kind: MessageHeader::DictionaryBatch,
            dictionary: Some((number, is_delta)),
        }
    }

    /// Returns how many additions of `len` bytes a dictionary of `first` bytes accepts, up to
    /// `most`.
    fn additions(first: u64, len: u64, most: usize) -> usize {
        let mut dictionaries = Dictionaries::default();
        dictionaries.count(&head(7, false), first).unwrap();
        let mut added = (0..most).map(|_| dictionaries.count(&head(7, true), len));
        added.position(|taken| taken.is_err()).unwrap_or(most)
    }

    #[test]
    fn additions_to_dictionaries_are_copied_in_proportion_to_the_file() {
        // A hundred additions as long as the dictionary.
        assert_eq!(additions(1 << 20, 1 << 20, 100), 100);
        // Small additions to a large dictionary: each copies all of it.
        let (first, len) = (64 << 20, 100);
        let taken = additions(first, len, 1_000_000) as u64;
        assert!((60..70).contains(&taken), "{taken}");
        assert!(taken * first <= FREE_COPIES + (MAX_COPIES + 1) * (first + taken * len));
        // Small additions to a small dictionary: as many as a file may have batches.
        assert_eq!(additions(100, 100, 1000), 1000);
    }
}
