//! Tables to write, in each format.
//!
//! Equal rows produce equal bytes, however they arrive: text is written row by row, and column
//! formats in batches whose ends depend only on the rows. Text is written in place, and ends with a
//! whole line whatever ends the run. A file in a column format is worthless without its end, so it
//! appears only when it is complete.

mod columns;
mod encoding;
mod text;

use std::borrow::Cow;
use std::io::{self, IsTerminal};
use std::path::Path;

use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER};

use crate::error::CliError;
use crate::format::{STANDARD_STREAM, TableFormat};
use crate::sink::{Sink, WriteMode};
use crate::written::columns::ColumnWriter;
use crate::written::text::TextWriter;

pub(crate) use crate::written::encoding::CellEncoding;

/// The kind of values in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// Encoded as text, or raw bytes where the format and the user allow it.
    Bytes,
    Number,
    Truth,
}

/// A column of a table.
pub(crate) trait WrittenColumn: Copy + Send + Sync {
    /// Returns the name of the column.
    fn name(self) -> &'static str;

    /// Returns the kind of its values.
    fn kind(self) -> Kind;

    /// Returns true if every row has a value.
    fn is_required(self) -> bool {
        false
    }
}

/// The value of a cell.
#[derive(Debug)]
pub(crate) enum CellValue<'a> {
    /// Bytes to encode.
    Bytes(Cow<'a, [u8]>),
    /// Text to write unchanged.
    Text(Cow<'a, str>),
    Number(u64),
    Truth(bool),
}

/// A row of a table.
pub(crate) trait WrittenRow: Sync {
    /// The columns of its table.
    type Column: WrittenColumn;

    /// Returns the cell of `column`, if it has a value.
    fn cell(&self, column: Self::Column) -> Option<CellValue<'_>>;

    /// Returns true if the line must end in the middle, as if the file were truncated.
    fn is_truncated(&self) -> bool {
        false
    }
}

/// Writes a table of rows.
pub(crate) struct TableWriter<C> {
    name: String,
    target: Target<C>,
}

enum Target<C> {
    Text(TextWriter<C>),
    Columns(ColumnWriter<C>),
}

impl<C: WrittenColumn> TableWriter<C> {
    /// Opens the file at `path`, or standard output, for a table with these columns in this order.
    pub(crate) fn create(
        path: &Path,
        format: TableFormat,
        encoding: CellEncoding,
        columns: Vec<C>,
    ) -> Result<Self, CliError> {
        let manner = match format {
            TableFormat::Jsonl | TableFormat::Csv => WriteMode::Lines,
            _ => WriteMode::Whole,
        };
        Self::create_in(manner, path, format, encoding, columns)
    }

    /// Opens the file at `path` for a table that is worthless in parts. Text too appears only when
    /// it is complete.
    pub(crate) fn create_whole(
        path: &Path,
        format: TableFormat,
        encoding: CellEncoding,
        columns: Vec<C>,
    ) -> Result<Self, CliError> {
        Self::create_in(WriteMode::Whole, path, format, encoding, columns)
    }

    fn create_in(
        manner: WriteMode,
        path: &Path,
        format: TableFormat,
        encoding: CellEncoding,
        columns: Vec<C>,
    ) -> Result<Self, CliError> {
        let is_text = matches!(format, TableFormat::Jsonl | TableFormat::Csv);
        let on_terminal = path == Path::new(STANDARD_STREAM) && io::stdout().is_terminal();
        if on_terminal && !is_text {
            return Err(CliError::Usage(
                "binary output to a terminal; use --out".into(),
            ));
        }
        let sink = Sink::create(path, manner)?;
        let name = sink.name().to_owned();
        let target = if is_text {
            TextWriter::new(sink, format, encoding, columns, on_terminal).map(Target::Text)
        } else {
            ColumnWriter::new(sink, format, encoding, columns).map(Target::Columns)
        };
        let target = target.map_err(|e| failed(&name, e))?;
        Ok(Self { name, target })
    }

    /// Appends `rows`. In the text formats they are in the file when this returns.
    pub(crate) fn write<R: WrittenRow<Column = C>>(&mut self, rows: &[R]) -> Result<(), CliError> {
        let result = match &mut self.target {
            Target::Text(writer) => writer.write(rows),
            Target::Columns(writer) => writer.write(rows),
        };
        result.map_err(|e| failed(&self.name, e))
    }

    /// Writes the end of the table, and moves a new file into its place.
    pub(crate) fn finish(self) -> Result<(), CliError> {
        let sink = match self.target {
            Target::Text(writer) => writer.into_sink(),
            Target::Columns(writer) => writer.finish().map_err(|e| failed(&self.name, e))?,
        };
        sink.finish().map(drop)
    }
}

fn failed(name: &str, error: io::Error) -> CliError {
    if error.kind() == io::ErrorKind::BrokenPipe {
        CliError::Stdout(error)
    } else {
        CliError::io(name, error)
    }
}

impl<'a> CellValue<'a> {
    fn into_text(self, encoding: CellEncoding) -> Cow<'a, str> {
        let bytes = match self {
            Self::Text(text) => return text,
            Self::Number(number) => return number.to_string().into(),
            Self::Truth(truth) => return if truth { "true" } else { "false" }.into(),
            Self::Bytes(bytes) => bytes,
        };
        Cow::Owned(match encoding {
            CellEncoding::Base64 => BASE64.encode(&bytes),
            CellEncoding::Base64url => BASE64URL_NOPAD.encode(&bytes),
            CellEncoding::Hex | CellEncoding::Binary => HEXLOWER.encode(&bytes),
        })
    }

    /// Returns the bytes of the value, or those of its text.
    fn into_bytes(self, encoding: CellEncoding) -> Cow<'a, [u8]> {
        match self {
            Self::Bytes(bytes) => bytes,
            other => match other.into_text(encoding) {
                Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                Cow::Owned(text) => Cow::Owned(text.into_bytes()),
            },
        }
    }
}
