//! Tables of verdicts, one row per row that was judged: `file, row, id, valid, reason, detail`.
//!
//! `row` counts the rows of its file from 1; `reason` is the short code of the rule that a rejected row breaks, and
//! `detail` says it in words. Neither is there for valid rows (null in columns, left out in JSON Lines).

mod columns;
mod text;

use std::fs::File;
use std::path::Path;

use crate::error::CliError;
use crate::format::TableFormat;
use crate::rows::judge::{Rejected, Verdicts};
use crate::verdicts::columns::ColumnWriter;
use crate::verdicts::text::TextWriter;

/// Writes a table of verdicts.
pub(crate) struct VerdictWriter {
    name: String,
    writer: Writer,
}

enum Writer {
    Text(TextWriter),
    Columns(ColumnWriter),
}

/// Verdicts of consecutive rows of one file.
pub(crate) struct Part<'a> {
    /// What the file is called.
    pub(crate) file: &'a str,
    /// The number of the first row, counted from 1.
    pub(crate) first_row: u64,
    /// The verdicts, with the ids of all rows.
    pub(crate) verdicts: &'a Verdicts,
}

impl VerdictWriter {
    /// Creates the file at `path`, or empties it.
    pub(crate) fn create(path: &Path, format: TableFormat) -> Result<Self, CliError> {
        let name = path.display().to_string();
        let file = File::create(path).map_err(|e| CliError::io(&*name, e))?;
        let writer = match format {
            TableFormat::Jsonl | TableFormat::Csv => {
                TextWriter::new(file, format).map(Writer::Text)
            }
            TableFormat::Parquet | TableFormat::Arrow | TableFormat::ArrowStream => {
                ColumnWriter::new(file, format).map(Writer::Columns)
            }
        };
        let writer = writer.map_err(|message| CliError::file(&*name, message))?;
        Ok(Self { name, writer })
    }

    /// Writes the rows of `part`. In the text formats they are in the file when this returns.
    pub(crate) fn write(&mut self, part: &Part<'_>) -> Result<(), CliError> {
        let result = match &mut self.writer {
            Writer::Text(writer) => writer.write(part),
            Writer::Columns(writer) => writer.write(part),
        };
        result.map_err(|message| CliError::file(&*self.name, message))
    }

    /// Writes what belongs behind the last row.
    pub(crate) fn finish(self) -> Result<(), CliError> {
        let result = match self.writer {
            Writer::Text(writer) => writer.finish(),
            Writer::Columns(writer) => writer.finish(),
        };
        result.map_err(|message| CliError::file(self.name, message))
    }
}

impl Part<'_> {
    /// Every row: its number, its id, and why it was rejected, if it was.
    fn rows(&self) -> impl Iterator<Item = (u64, Option<&str>, Option<&Rejected>)> {
        let mut rejected = self.verdicts.rejected.iter().peekable();
        let ids = self.verdicts.ids.as_deref().unwrap_or_default();
        (0..self.verdicts.rows).map(move |index| {
            let id = usize::try_from(index)
                .ok()
                .and_then(|i| ids.get(i))
                .and_then(|id| id.as_deref());
            (
                self.first_row + index,
                id,
                rejected.next_if(|r| r.index == index),
            )
        })
    }
}
