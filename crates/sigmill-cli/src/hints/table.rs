//! A table of hints in any format of tables. Each row holds a hint (none for an invalid row) and a
//! digest of the row's signature.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use sha2::{Digest as _, Sha256};

use super::{NONE, Packed, each_signature};
use crate::encoding::TextEncoding;
use crate::error::CliError;
use crate::format::TableFormat;
use crate::pipeline::{Event, Pipeline, Work};
use crate::rows::cells::bytes;
use crate::rows::columns::Wanted;
use crate::rows::csv::CsvParser;
use crate::rows::defect::RowDefect;
use crate::rows::fields::{Field, RawRow};
use crate::rows::source::{Input, StrictEnd};
use crate::rows::walk::walk;
use crate::rows::{Chunk, hint};
use crate::written::{CellEncoding, CellValue, Kind, TableWriter, WrittenColumn, WrittenRow};

const HINT: &str = "hint";
pub(super) const DIGEST: &str = "signature_digest";

/// Long enough to detect a file of other rows. A hint of another row changes no verdict.
pub(super) const DIGEST_LEN: usize = 8;

/// Returns the first bytes of the SHA-256 of a signature with its length in front.
pub(super) fn row_digest(signature: &[u8]) -> [u8; DIGEST_LEN] {
    let digest: [u8; 32] = Sha256::digest(signature).into();
    std::array::from_fn(|i| digest[i])
}

/// A column of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Column {
    Hint,
    Digest,
}

/// A table of hints that is being written. It appears when it is complete.
pub(super) type TableOfHints = TableWriter<Column>;

struct Row {
    half: u8,
    digest: [u8; DIGEST_LEN],
}

impl WrittenColumn for Column {
    fn name(self) -> &'static str {
        match self {
            Self::Hint => HINT,
            Self::Digest => DIGEST,
        }
    }

    fn kind(self) -> Kind {
        match self {
            Self::Hint => Kind::Number,
            Self::Digest => Kind::Bytes,
        }
    }

    fn is_required(self) -> bool {
        matches!(self, Self::Digest)
    }
}

impl WrittenRow for Row {
    type Column = Column;

    fn cell(&self, column: Column) -> Option<CellValue<'_>> {
        match column {
            Column::Hint => (self.half != NONE).then(|| CellValue::Number(self.half.into())),
            Column::Digest => Some(CellValue::Bytes(self.digest[..].into())),
        }
    }
}

/// Creates the table at `path`.
pub(super) fn create(path: &Path, format: TableFormat) -> Result<TableOfHints, CliError> {
    let encoding = CellEncoding::of(format, None)?;
    TableWriter::create_whole(path, format, encoding, vec![Column::Hint, Column::Digest])
}

/// Writes the next rows: their half bytes and signatures.
pub(super) fn write(
    table: &mut TableOfHints,
    halves: &[u8],
    signatures: &[u8],
) -> Result<(), CliError> {
    let rows = halves.iter().zip(each_signature(signatures));
    let rows = rows.map(|(&half, signature)| Row {
        half,
        digest: row_digest(signature),
    });
    table.write(&rows.collect::<Vec<_>>())
}

/// A table that has been read.
pub(super) struct Table {
    pub(super) rows: u64,
    /// Half a byte per row.
    pub(super) halves: File,
    /// [`DIGEST_LEN`] bytes per row.
    pub(super) digests: File,
}

/// Reads the table at `path`. Holds only some of its chunks in memory.
pub(super) fn read(
    path: &Path,
    format: TableFormat,
    workers: usize,
    signal: &Arc<AtomicUsize>,
) -> Result<Table, CliError> {
    let input = Input::new(path, Some(format))?;
    let name = input.name.clone();
    let pipeline = Pipeline {
        wanted: Wanted::of_hints(HINT, DIGEST),
        strict_end: StrictEnd::ALWAYS,
        workers,
        signal: signal.clone(),
        done: Arc::default(),
    };
    let worker = || Reader {
        wanted: pipeline.wanted.clone(),
        csv: CsvParser::default(),
    };
    let io = CliError::temporary;
    let (mut rows, mut packed, mut buffer) = (0, Packed::default(), vec![]);
    let [mut halves, mut digests] = [
        tempfile::tempfile().map_err(io)?,
        tempfile::tempfile().map_err(io)?,
    ]
    .map(BufWriter::new);
    pipeline.run(vec![input], worker, |event| {
        match event {
            Event::Done(_, part) => {
                rows += part.halves.len() as u64;
                if let Some(defect) = part.defect {
                    return Err(CliError::file(
                        &*name,
                        format!("row {}: {defect}", rows + 1),
                    ));
                }
                packed.push(&part.halves, &mut buffer);
                halves.write_all(&buffer).map_err(io)?;
                buffer.clear();
                digests.write_all(&part.digests).map_err(io)?;
            }
            Event::Failed(error) => return Err(error),
            Event::MayBeTruncated(_) => {}
        }
        Ok(ControlFlow::Continue(()))
    })?;
    packed.finish(&mut buffer);
    halves.write_all(&buffer).map_err(io)?;
    let file = |file: BufWriter<File>| file.into_inner().map_err(|e| io(e.into_error()));
    Ok(Table {
        rows,
        halves: file(halves)?,
        digests: file(digests)?,
    })
}

/// Reads the rows of chunks.
struct Reader {
    wanted: Wanted,
    csv: CsvParser,
}

/// The rows of a chunk, up to the first that breaks a rule.
#[derive(Default)]
struct TableChunk {
    halves: Vec<u8>,
    digests: Vec<u8>,
    defect: Option<String>,
}

impl Work for Reader {
    type Output = TableChunk;

    fn chunk(&mut self, chunk: &Chunk, _: u64) -> Result<TableChunk, String> {
        let (mut part, mut buffer) = (TableChunk::default(), vec![]);
        walk(chunk, &self.wanted, &mut self.csv, |row, read| {
            if part.defect.is_none() {
                let taken = read.map_err(|e| e.to_string());
                let taken = taken.and_then(|()| part.add(row, &mut buffer));
                part.defect = taken.err();
            }
            Ok(())
        })?;
        Ok(part)
    }
}

impl TableChunk {
    fn add(&mut self, row: &RawRow<'_>, buffer: &mut Vec<u8>) -> Result<(), String> {
        let half = half_byte(&row.hint)?;
        let text = |defect: RowDefect| defect.to_string();
        row.digest.check_len(DIGEST).map_err(text)?;
        let hex = Some(TextEncoding::Hex);
        let digest = bytes(&row.digest, DIGEST, hex, buffer).map_err(text)?;
        if digest.len() != DIGEST_LEN {
            return Err(format!(
                "{DIGEST}: must have {DIGEST_LEN} bytes, not {}",
                digest.len()
            ));
        }
        self.halves.push(half);
        self.digests.extend_from_slice(digest);
        Ok(())
    }
}

/// Returns the half byte of a cell, which holds a hint or nothing.
fn half_byte(cell: &Field<'_>) -> Result<u8, String> {
    match cell {
        Field::Missing | Field::Null => Ok(NONE),
        Field::Duplicate => Err(RowDefect::Duplicate { field: HINT }.to_string()),
        cell => match hint::of_cell(cell) {
            hint::NONE => Err(format!("{HINT}: must be 0 to 3, 27 to 30, or empty")),
            id => Ok(id),
        },
    }
}
