//! Arrow IPC, as a stream or as a file.
//!
//! A file is a stream between two magic numbers, with an index behind it that is not needed here: both are read from
//! front to back, so that standard input will do.

use std::io::Read;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_schema::SchemaRef;

/// The first bytes of a file, and its last.
const MAGIC: &[u8] = b"ARROW1";

/// The magic number at the start of a file is filled up with zeros to a multiple of this.
const WORD_LEN: u64 = 8;

/// How many words of zeros may follow it.
const MAX_FILL_WORDS: usize = 512;

/// Bytes asked of the operating system at a time.
const READ_LEN: usize = 1 << 20;

/// Reads batches from `source`.
pub(crate) struct IpcReader<R> {
    source: R,
    decoder: StreamDecoder,
    buffer: Buffer,
    /// The batch that came along with the schema.
    first: Option<RecordBatch>,
    is_file: bool,
    at_end: bool,
}

impl<R: Read> IpcReader<R> {
    /// Reads up to the schema.
    pub(crate) fn new(mut source: R) -> Result<(Self, SchemaRef), String> {
        let mut word = read_word(&mut source)?;
        let is_file = word.starts_with(MAGIC);
        if is_file {
            // Some writers fill up further, to the alignment of their buffers.
            for _ in 0..MAX_FILL_WORDS {
                word = read_word(&mut source)?;
                if word.iter().any(|&byte| byte != 0) {
                    break;
                }
            }
        }
        let mut reader = Self {
            source,
            decoder: StreamDecoder::new(),
            buffer: Buffer::from_vec(word),
            first: None,
            is_file,
            at_end: false,
        };
        // The schema is the first message; nothing else can come before it.
        while reader.decoder.schema().is_none() && !reader.at_end {
            reader.first = reader.step()?;
        }
        let schema = reader
            .decoder
            .schema()
            .ok_or("this is not Arrow IPC: it has no schema")?;
        Ok((reader, schema))
    }

    /// The next batch, or `None` at the end.
    pub(crate) fn next_batch(&mut self) -> Result<Option<RecordBatch>, String> {
        if let Some(batch) = self.first.take() {
            return Ok(Some(batch));
        }
        while !self.at_end {
            if let Some(batch) = self.step()? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    /// What one read gives; empty at the end.
    fn read(&mut self) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; READ_LEN];
        loop {
            match self.source.read(&mut bytes) {
                Ok(len) => {
                    bytes.truncate(len);
                    return Ok(bytes);
                }
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e.to_string()),
            }
        }
    }

    /// Decodes what is in the buffer, and fills it if it is empty.
    fn step(&mut self) -> Result<Option<RecordBatch>, String> {
        if self.buffer.is_empty() {
            let bytes = self.read()?;
            if bytes.is_empty() {
                self.at_end = true;
                self.decoder
                    .finish()
                    .map_err(|_| "the Arrow IPC data breaks off")?;
                if self.is_file {
                    return Err("the Arrow IPC file breaks off: it has no end mark".into());
                }
                return Ok(None);
            }
            self.buffer = Buffer::from_vec(bytes);
        }
        match self.decoder.decode(&mut self.buffer) {
            Ok(batch) => Ok(batch),
            // The decoder is content, but there are bytes behind the end mark of the stream.
            Err(_) if self.decoder.finish().is_ok() && self.decoder.schema().is_some() => {
                self.at_end = true;
                self.check_rest()?;
                Ok(None)
            }
            Err(e) => Err(format!("this is not Arrow IPC: {e}")),
        }
    }

    /// Behind the end mark, a file has its index and the magic number again; a stream has nothing.
    fn check_rest(&mut self) -> Result<(), String> {
        if !self.is_file {
            return Err("there are bytes behind the end of the Arrow IPC stream".into());
        }
        let mut tail = self.buffer.as_slice().to_vec();
        loop {
            let bytes = self.read()?;
            if bytes.is_empty() {
                break;
            }
            tail.extend_from_slice(&bytes);
            tail.drain(..tail.len().saturating_sub(MAGIC.len()));
        }
        if tail.ends_with(MAGIC) {
            Ok(())
        } else {
            Err("the Arrow IPC file breaks off: it does not end in ARROW1".into())
        }
    }
}

/// Eight bytes, or fewer at the end.
fn read_word(source: &mut impl Read) -> Result<Vec<u8>, String> {
    let mut word = Vec::new();
    source
        .take(WORD_LEN)
        .read_to_end(&mut word)
        .map_err(|e| e.to_string())?;
    Ok(word)
}
