//! Files and standard input, read chunk by chunk.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatch;

use crate::error::CliError;
use crate::format::{STANDARD_STREAM, TableFormat};
use crate::rows::Chunk;
use crate::rows::batch::{BatchHeader, BatchRows};
use crate::rows::columns::Wanted;
use crate::rows::csv::CsvHeader;
use crate::rows::ipc::{self, IpcReader};
use crate::rows::parquet::ParquetFile;
use crate::rows::text::{Piece, TextKind, TextReader};

/// The number of rows in a chunk of a column format. It is large enough that the rows of a key
/// meet, and stands for some ten milliseconds of work.
pub(crate) const CHUNK_ROWS: usize = 4096;

/// The approximate limit of a chunk in bytes that are copied for its rows.
const CHUNK_COPIES: usize = 8 << 20;

/// A table to read.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// The place of the table.
    pub(crate) place: Place,
    /// The name of the table in the output.
    pub(crate) name: Arc<str>,
    /// The format of the table.
    pub(crate) format: TableFormat,
}

/// The place of a table.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// A file.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// A table that is part of the program.
    Memory(Arc<[u8]>),
}

impl Input {
    /// Creates the input for the file at `path`, or for standard input if it is `-`.
    pub(crate) fn new(path: &Path, format: Option<TableFormat>) -> Result<Self, CliError> {
        let format = TableFormat::of(path, format, "--format")?;
        let (place, name) = if path == Path::new(STANDARD_STREAM) {
            (Place::Stdin, "standard input".into())
        } else {
            (
                Place::Path(path.to_owned()),
                path.display().to_string().into(),
            )
        };
        Ok(Self {
            place,
            name,
            format,
        })
    }

    /// Returns the length in bytes, if it is known in advance.
    pub(crate) fn len(&self) -> Option<u64> {
        match &self.place {
            Place::Path(path) => path
                .metadata()
                .ok()
                .filter(|m| m.is_file())
                .map(|m| m.len()),
            Place::Stdin => None,
            Place::Memory(bytes) => Some(bytes.len() as u64),
        }
    }

    fn open(&self) -> Result<Source, CliError> {
        Ok(match &self.place {
            Place::Path(path) => {
                let file = File::open(path).map_err(|e| CliError::io(&*self.name, e))?;
                match file.metadata() {
                    Ok(m) if m.is_dir() => {
                        return Err(CliError::file(&*self.name, "is a directory"));
                    }
                    Ok(m) if m.is_file() => Source::File(file),
                    _ => Source::Stream(Box::new(file)),
                }
            }
            Place::Stdin => Source::Stream(Box::new(io::stdin())),
            Place::Memory(bytes) => Source::Stream(Box::new(Cursor::new(bytes.clone()))),
        })
    }
}

/// An open input.
enum Source {
    /// A file that can be read at any place.
    File(File),
    Stream(Box<dyn Read + Send>),
}

impl Source {
    /// Returns a file that can be read at any place. Other input is copied to a temporary file,
    /// behind `start`, which has already been read from it.
    fn into_file(self, start: &[u8]) -> io::Result<File> {
        let mut source = match self {
            Self::File(file) => return Ok(file),
            Self::Stream(source) => source,
        };
        // The error concerns the temporary file, not the input.
        let mut file = tempfile::tempfile().map_err(|error| {
            let folder = std::env::temp_dir();
            let place = folder.display();
            io::Error::new(
                error.kind(),
                format!("a temporary file in {place}: {error}"),
            )
        })?;
        file.write_all(start)?;
        io::copy(&mut source, &mut file)?;
        file.rewind()?;
        Ok(file)
    }
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(out),
            Self::Stream(source) => source.read(out),
        }
    }
}

/// The option to refuse a table that may be truncated.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct StrictEnd {
    /// Refuse a file that may be truncated: an Arrow IPC stream without an end mark, or a text
    /// whose last line has no line break. A text that was truncated between two lines is not
    /// detected
    #[arg(long)]
    strict_end: bool,
}

/// The end of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The table is complete, as far as its format can show.
    Whole,
    /// The end mark, or the line break after the last line, is missing. The table may be truncated.
    MayBeTruncated,
}

impl StrictEnd {
    /// Always an error, whatever the user chose.
    pub(crate) const ALWAYS: Self = Self { strict_end: true };

    /// Returns `end`, unless it is an error as the end of `input`.
    pub(crate) fn check(self, input: &Input, end: End) -> Result<End, CliError> {
        match end {
            End::MayBeTruncated if self.strict_end => {
                let rule = match input.format {
                    TableFormat::Jsonl | TableFormat::Csv => "last line has no line break",
                    _ => "no end mark",
                };
                Err(CliError::file(
                    &*input.name,
                    format!("may be truncated: {rule}"),
                ))
            }
            end => Ok(end),
        }
    }
}

/// A receiver of the chunks of a file.
pub(crate) trait ChunkReceiver {
    /// Accepts the next chunk. Returns `false` if no more are wanted.
    fn receive(&mut self, chunk: Chunk) -> bool;

    /// Returns true if a worker waits for work, so that the next chunk should come soon rather than
    /// full.
    fn has_idle_worker(&self) -> bool;
}

/// Reads `input` from front to back and passes its chunks to `receiver`; `done` counts the bytes
/// that have been read. An error concerns the whole file; earlier rows have been passed on. Returns
/// the end of the input, if it was read to its end.
pub(crate) fn read(
    input: &Input,
    wanted: &Wanted,
    done: &Arc<AtomicU64>,
    receiver: &mut impl ChunkReceiver,
) -> Result<End, CliError> {
    match input.format {
        TableFormat::Jsonl => read_jsonl(input, done, receiver),
        TableFormat::Csv => read_csv(input, wanted, done, receiver),
        TableFormat::Parquet => read_parquet(input, wanted, done, receiver),
        TableFormat::Arrow | TableFormat::ArrowStream => read_ipc(input, wanted, done, receiver),
    }
}

fn text_reader(
    input: &Input,
    done: &Arc<AtomicU64>,
    kind: TextKind,
) -> Result<TextReader<Counted>, CliError> {
    let source = Counted {
        inner: Box::new(input.open()?),
        done: done.clone(),
    };
    TextReader::new(source, kind).map_err(|e| CliError::io(&*input.name, e))
}

fn read_jsonl(
    input: &Input,
    done: &Arc<AtomicU64>,
    receiver: &mut impl ChunkReceiver,
) -> Result<End, CliError> {
    let reader = text_reader(input, done, TextKind::Lines)?;
    send_text(input, reader, receiver, Chunk::Jsonl)
}

fn read_csv(
    input: &Input,
    wanted: &Wanted,
    done: &Arc<AtomicU64>,
    receiver: &mut impl ChunkReceiver,
) -> Result<End, CliError> {
    let mut reader = text_reader(input, done, TextKind::Csv)?;
    let header = reader
        .header()
        .map_err(|e| CliError::io(&*input.name, e))?
        .ok_or_else(|| CliError::file(&*input.name, "CSV file has no header line"))?;
    let header = Arc::new(CsvHeader::read(&header, &input.name, wanted)?);
    send_text(input, reader, receiver, |bytes| {
        Chunk::Csv(bytes, header.clone())
    })
}

fn send_text<R: Read>(
    input: &Input,
    mut reader: TextReader<R>,
    receiver: &mut impl ChunkReceiver,
    chunk: impl Fn(Vec<u8>) -> Chunk,
) -> Result<End, CliError> {
    loop {
        let piece = reader
            .next_piece(|| receiver.has_idle_worker())
            .map_err(|e| CliError::io(&*input.name, e))?;
        let chunk = match piece {
            Some(Piece::Records(bytes)) => chunk(bytes),
            Some(Piece::Defect(defect)) => Chunk::Defect(defect),
            None if reader.lacks_line_break() => return Ok(End::MayBeTruncated),
            None => return Ok(End::Whole),
        };
        if !receiver.receive(chunk) {
            return Ok(End::Whole);
        }
    }
}

fn read_parquet(
    input: &Input,
    wanted: &Wanted,
    done: &Arc<AtomicU64>,
    receiver: &mut impl ChunkReceiver,
) -> Result<End, CliError> {
    let io = |e| CliError::io(&*input.name, e);
    let file = input.open()?.into_file(&[]).map_err(io)?;
    let len = file.metadata().map_or(0, |m| m.len());
    let malformed =
        |rule: String| CliError::file(&*input.name, format!("malformed Parquet: {rule}"));
    let file = ParquetFile::open(file).map_err(malformed)?;
    let header = BatchHeader::new(file.schema(), &input.name, wanted)?;
    let rows = file.rows(&header, len).map_err(malformed)?.max(1);
    let reader = file.batches(&header, len).map_err(malformed)?;
    let header = Arc::new(header.projected());
    let start = done.load(Ordering::Relaxed);
    let mut seen = 0;
    for batch in reader {
        let batch = batch.map_err(|e| malformed(e.to_string()))?;
        seen += batch.num_rows() as u64;
        if !send_batch(&batch, &header, receiver) {
            return Ok(End::Whole);
        }
        // The share of the file that these rows represent.
        let share = u128::from(len) * u128::from(seen.min(rows)) / u128::from(rows);
        done.store(
            start + u64::try_from(share).unwrap_or(len),
            Ordering::Relaxed,
        );
    }
    Ok(End::Whole)
}

fn read_ipc(
    input: &Input,
    wanted: &Wanted,
    done: &Arc<AtomicU64>,
    receiver: &mut impl ChunkReceiver,
) -> Result<End, CliError> {
    let io = |e| CliError::io(&*input.name, e);
    let malformed =
        |rule: String| CliError::file(&*input.name, format!("malformed Arrow IPC: {rule}"));
    let mut source = input.open()?;
    let mut start = vec![];
    let read = Read::take(&mut source, ipc::START_LEN).read_to_end(&mut start);
    read.map_err(io)?;
    let reader = if ipc::is_file(&start) {
        IpcReader::of_file(source.into_file(&start).map_err(io)?)
    } else {
        IpcReader::of_stream(Box::new(Cursor::new(start).chain(source)))
    }
    .map_err(malformed)?;
    let header = BatchHeader::new(reader.schema(), &input.name, wanted)?;
    let mut reader = reader.with_projection(header.positions());
    let header = Arc::new(header.projected());
    let start = done.load(Ordering::Relaxed);
    while let Some(batch) = reader.next_batch().map_err(malformed)? {
        done.store(start + reader.bytes_read(), Ordering::Relaxed);
        if !send_batch(&batch, &header, receiver) {
            return Ok(End::Whole);
        }
    }
    if reader.has_trailing_data().map_err(malformed)? {
        return Err(malformed("bytes after the end of the stream".into()));
    }
    Ok(match reader.lacks_end_mark() {
        true => End::MayBeTruncated,
        false => End::Whole,
    })
}

/// Passes on `batch` in chunks that are small enough. Returns `false` if no more are wanted.
fn send_batch(
    batch: &RecordBatch,
    header: &Arc<BatchHeader>,
    receiver: &mut impl ChunkReceiver,
) -> bool {
    let rows = BatchRows::new(batch, header);
    let mut start = 0;
    while start < batch.num_rows() {
        let len = rows.rows_within(start, CHUNK_ROWS, CHUNK_COPIES);
        if !receiver.receive(Chunk::Batch(batch.slice(start, len), header.clone())) {
            return false;
        }
        start += len;
    }
    true
}

/// Counts the bytes that pass through.
struct Counted {
    inner: Box<dyn Read + Send>,
    done: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = self.inner.read(out)?;
        self.done.fetch_add(len as u64, Ordering::Relaxed);
        Ok(len)
    }
}
