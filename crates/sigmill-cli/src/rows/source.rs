//! Files and standard input, read chunk by chunk.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatch;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::error::CliError;
use crate::format::{STANDARD_STREAM, TableFormat};
use crate::rows::Chunk;
use crate::rows::batch::BatchHeader;
use crate::rows::columns::Wanted;
use crate::rows::csv::CsvHeader;
use crate::rows::ipc::IpcReader;
use crate::rows::text::{Piece, TextKind, TextReader};

/// Rows of a column format are handed on in chunks of this size: so that the rows of a key meet, and some ten
/// milliseconds of work.
const CHUNK_ROWS: usize = 4096;

/// A table to read.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// Where it is.
    pub(crate) place: Place,
    /// What it is called in the output.
    pub(crate) name: Arc<str>,
    /// What it is.
    pub(crate) format: TableFormat,
}

/// Where a table is.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// In a file.
    Path(PathBuf),
    /// On standard input.
    Stdin,
    /// In the program.
    Memory(&'static [u8]),
}

impl Input {
    /// The file at `path`, or standard input for `-`.
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

    /// The length in bytes, if it is known beforehand.
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

    fn open(&self) -> Result<Box<dyn Read + Send>, CliError> {
        Ok(match &self.place {
            Place::Path(path) => Box::new(open_file(path, &self.name)?),
            Place::Stdin => Box::new(io::stdin()),
            Place::Memory(bytes) => Box::new(*bytes),
        })
    }

    /// A file that can be read at any place: what comes from elsewhere is copied to a temporary one.
    fn open_seekable(&self) -> Result<File, CliError> {
        if let Place::Path(path) = &self.place {
            let file = open_file(path, &self.name)?;
            if file.metadata().is_ok_and(|m| m.is_file()) {
                return Ok(file);
            }
        }
        let spool = || {
            let mut file = tempfile::tempfile()?;
            let mut source = self.open().map_err(io::Error::other)?;
            io::copy(&mut source, &mut file)?;
            file.rewind()?;
            Ok(file)
        };
        spool().map_err(|e| CliError::io(&*self.name, e))
    }
}

fn open_file(path: &Path, name: &str) -> Result<File, CliError> {
    let file = File::open(path).map_err(|e| CliError::io(name, e))?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(CliError::file(name, "it is a directory"));
    }
    Ok(file)
}

/// What takes the chunks of a file.
pub(crate) trait ChunkTaker {
    /// Takes the next chunk; `false` says that no more are wanted.
    fn take(&mut self, chunk: Chunk) -> bool;

    /// Whether somebody waits for work, so that a chunk should come soon rather than full.
    fn is_hungry(&self) -> bool;
}

/// Reads `input` from front to back and hands its chunks to `taker`. `done` counts the bytes read so far.
/// The error is of the whole file; rows that came before it have been handed on.
pub(crate) fn read(
    input: &Input,
    wanted: &Wanted,
    done: &Arc<AtomicU64>,
    taker: &mut impl ChunkTaker,
) -> Result<(), CliError> {
    match input.format {
        TableFormat::Jsonl => read_jsonl(input, done, taker),
        TableFormat::Csv => read_csv(input, wanted, done, taker),
        TableFormat::Parquet => read_parquet(input, wanted, done, taker),
        TableFormat::Arrow | TableFormat::ArrowStream => read_ipc(input, wanted, done, taker),
    }
}

fn read_jsonl(
    input: &Input,
    done: &Arc<AtomicU64>,
    taker: &mut impl ChunkTaker,
) -> Result<(), CliError> {
    let source = Counted {
        inner: input.open()?,
        done: done.clone(),
    };
    let reader =
        TextReader::new(source, TextKind::Lines).map_err(|e| CliError::io(&*input.name, e))?;
    hand_on_text(input, reader, taker, Chunk::Jsonl)
}

fn read_csv(
    input: &Input,
    wanted: &Wanted,
    done: &Arc<AtomicU64>,
    taker: &mut impl ChunkTaker,
) -> Result<(), CliError> {
    let source = Counted {
        inner: input.open()?,
        done: done.clone(),
    };
    let io = |e| CliError::io(&*input.name, e);
    let mut reader = TextReader::new(source, TextKind::Csv).map_err(io)?;
    let header = reader
        .header()
        .map_err(io)?
        .ok_or_else(|| CliError::file(&*input.name, "a CSV file must begin with a header line"))?;
    let header = Arc::new(CsvHeader::read(&header, &input.name, wanted)?);
    hand_on_text(input, reader, taker, |bytes| {
        Chunk::Csv(bytes, header.clone())
    })
}

fn hand_on_text<R: Read>(
    input: &Input,
    mut reader: TextReader<R>,
    taker: &mut impl ChunkTaker,
    chunk: impl Fn(Vec<u8>) -> Chunk,
) -> Result<(), CliError> {
    loop {
        let piece = reader
            .next_piece(|| taker.is_hungry())
            .map_err(|e| CliError::io(&*input.name, e))?;
        let chunk = match piece {
            Some(Piece::Records(bytes)) => chunk(bytes),
            Some(Piece::Defect(defect)) => Chunk::Defect(defect),
            None => return Ok(()),
        };
        if !taker.take(chunk) {
            return Ok(());
        }
    }
}

fn read_parquet(
    input: &Input,
    wanted: &Wanted,
    done: &Arc<AtomicU64>,
    taker: &mut impl ChunkTaker,
) -> Result<(), CliError> {
    let file = input.open_seekable()?;
    let len = file.metadata().map_or(0, |m| m.len());
    let not_parquet = |e: &dyn std::fmt::Display| {
        CliError::file(&*input.name, format!("this is not Parquet: {e}"))
    };
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| not_parquet(&e))?;
    let header = BatchHeader::new(builder.schema(), &input.name, wanted)?;
    let rows = u64::try_from(builder.metadata().file_metadata().num_rows())
        .unwrap_or(0)
        .max(1);
    let mask = ProjectionMask::roots(builder.parquet_schema(), header.positions());
    let reader = builder
        .with_batch_size(CHUNK_ROWS)
        .with_projection(mask)
        .build()
        .map_err(|e| not_parquet(&e))?;
    let header = Arc::new(header.projected());
    let start = done.load(Ordering::Relaxed);
    let mut seen = 0;
    for batch in reader {
        let batch = batch.map_err(|e| not_parquet(&e))?;
        seen += batch.num_rows() as u64;
        if !hand_on_batch(&batch, &header, taker) {
            return Ok(());
        }
        // The share of the file that these rows are.
        let share = u128::from(len) * u128::from(seen.min(rows)) / u128::from(rows);
        done.store(
            start + u64::try_from(share).unwrap_or(len),
            Ordering::Relaxed,
        );
    }
    Ok(())
}

fn read_ipc(
    input: &Input,
    wanted: &Wanted,
    done: &Arc<AtomicU64>,
    taker: &mut impl ChunkTaker,
) -> Result<(), CliError> {
    let file = |message| CliError::File {
        name: input.name.to_string(),
        message,
    };
    let source = Counted {
        inner: input.open()?,
        done: done.clone(),
    };
    let (mut reader, schema) = IpcReader::new(source).map_err(file)?;
    let header = Arc::new(BatchHeader::new(&schema, &input.name, wanted)?);
    while let Some(batch) = reader.next_batch().map_err(file)? {
        if !hand_on_batch(&batch, &header, taker) {
            return Ok(());
        }
    }
    Ok(())
}

/// Hands on `batch` in chunks that are small enough; `false` if no more are wanted.
fn hand_on_batch(
    batch: &RecordBatch,
    header: &Arc<BatchHeader>,
    taker: &mut impl ChunkTaker,
) -> bool {
    (0..batch.num_rows()).step_by(CHUNK_ROWS).all(|start| {
        let len = CHUNK_ROWS.min(batch.num_rows() - start);
        taker.take(Chunk::Batch(batch.slice(start, len), header.clone()))
    })
}

/// Counts the bytes that pass.
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
