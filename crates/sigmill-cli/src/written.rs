//! Tables to write, in each format.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use rayon::prelude::*;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::error::CliError;
use crate::format::{STANDARD_STREAM, TableFormat};
use crate::signed::CellEncoding;

/// Rows of a Parquet row group: the writer holds one in memory.
const ROW_GROUP_ROWS: usize = 1 << 17;

/// Rows that one core turns into text at a time.
const TEXT_ROWS: usize = 256;

type Sink = Box<dyn Write + Send>;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// Encoded, or as they are where the format and the user allow it.
    Bytes,
    Number,
}

/// A column of a table.
pub(crate) trait WrittenColumn: Copy + Send + Sync {
    /// What it is called.
    fn name(self) -> &'static str;

    /// What it holds.
    fn kind(self) -> Kind;
}

/// The value of a cell.
#[derive(Debug)]
pub(crate) enum CellValue<'a> {
    /// To be encoded.
    Bytes(Cow<'a, [u8]>),
    /// Text as it is.
    Text(Cow<'a, str>),
    Number(u64),
}

/// A row of a table.
pub(crate) trait WrittenRow: Sync {
    /// The columns of its table.
    type Column: WrittenColumn;

    /// The cell of `column`, if it has a value.
    fn cell(&self, column: Self::Column) -> Option<CellValue<'_>>;

    /// Whether the line is to break off in the middle.
    fn breaks_off(&self) -> bool {
        false
    }
}

/// Writes a table of rows.
pub(crate) struct TableWriter<R: WrittenRow> {
    name: String,
    encoding: CellEncoding,
    columns: Vec<R::Column>,
    target: Target,
}

enum Target {
    Jsonl(Sink),
    Csv(Sink),
    Parquet(Box<ArrowWriter<Sink>>, SchemaRef),
    Arrow(Box<FileWriter<Sink>>, SchemaRef),
    ArrowStream(Box<StreamWriter<Sink>>, SchemaRef),
}

/// A row of JSON; what has no value is left out.
struct Line<'a, R: WrittenRow> {
    row: &'a R,
    columns: &'a [R::Column],
    encoding: CellEncoding,
}

impl<R: WrittenRow> Serialize for Line<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for &column in self.columns {
            match self.row.cell(column) {
                None => {}
                Some(CellValue::Number(number)) => map.serialize_entry(column.name(), &number)?,
                Some(value) => {
                    map.serialize_entry(column.name(), &value.into_text(self.encoding))?;
                }
            }
        }
        map.end()
    }
}

impl<R: WrittenRow> TableWriter<R> {
    /// Creates the file at `path`, or writes to standard output; with these columns in this order.
    pub(crate) fn create(
        path: &Path,
        format: TableFormat,
        encoding: CellEncoding,
        columns: Vec<R::Column>,
    ) -> Result<Self, CliError> {
        let (name, sink): (String, Sink) = if path == Path::new(STANDARD_STREAM) {
            (
                "standard output".into(),
                Box::new(BufWriter::new(io::stdout())),
            )
        } else {
            let name = path.display().to_string();
            let file = File::create(path).map_err(|e| CliError::io(&*name, e))?;
            (name, Box::new(BufWriter::with_capacity(1 << 18, file)))
        };
        let target = Target::new(sink, format, encoding, &columns).map_err(|e| failed(&name, e))?;
        Ok(Self {
            name,
            encoding,
            columns,
            target,
        })
    }

    /// Writes `rows` behind those written before.
    pub(crate) fn write(&mut self, rows: &[R]) -> Result<(), CliError> {
        let (encoding, columns) = (self.encoding, self.columns.as_slice());
        let result = match &mut self.target {
            Target::Jsonl(sink) => write_text(sink, rows, |rows| jsonl(rows, encoding, columns)),
            Target::Csv(sink) => write_text(sink, rows, |rows| csv(rows, encoding, columns)),
            Target::Parquet(writer, schema) => {
                let batch = batch(rows, schema, encoding, columns);
                batch.and_then(|batch| writer.write(&batch).map_err(io::Error::other))
            }
            Target::Arrow(writer, schema) => {
                let batch = batch(rows, schema, encoding, columns);
                batch.and_then(|batch| writer.write(&batch).map_err(io::Error::other))
            }
            Target::ArrowStream(writer, schema) => {
                let batch = batch(rows, schema, encoding, columns);
                batch.and_then(|batch| writer.write(&batch).map_err(io::Error::other))
            }
        };
        result.map_err(|e| failed(&self.name, e))
    }

    /// Writes what belongs behind the last row.
    pub(crate) fn finish(self) -> Result<(), CliError> {
        let result = match self.target {
            Target::Jsonl(mut sink) | Target::Csv(mut sink) => sink.flush(),
            Target::Parquet(writer, _) => writer
                .into_inner()
                .map_err(io::Error::other)
                .and_then(|mut sink| sink.flush()),
            Target::Arrow(writer, _) => writer
                .into_inner()
                .map_err(io::Error::other)
                .and_then(|mut sink| sink.flush()),
            Target::ArrowStream(writer, _) => writer
                .into_inner()
                .map_err(io::Error::other)
                .and_then(|mut sink| sink.flush()),
        };
        result.map_err(|e| failed(&self.name, e))
    }
}

fn failed(name: &str, error: io::Error) -> CliError {
    if error.kind() == io::ErrorKind::BrokenPipe {
        CliError::Stdout(error)
    } else {
        CliError::io(name, error)
    }
}

impl Target {
    fn new<C: WrittenColumn>(
        mut sink: Sink,
        format: TableFormat,
        encoding: CellEncoding,
        columns: &[C],
    ) -> io::Result<Self> {
        let fields: Vec<Field> = columns
            .iter()
            .map(|&column| {
                let data_type = match column.kind() {
                    Kind::Bytes if encoding == CellEncoding::Binary => DataType::Binary,
                    Kind::Bytes | Kind::Text => DataType::Utf8,
                    Kind::Number => DataType::UInt64,
                };
                Field::new(column.name(), data_type, true)
            })
            .collect();
        let schema = Arc::new(Schema::new(fields));
        Ok(match format {
            TableFormat::Jsonl => Self::Jsonl(sink),
            TableFormat::Csv => {
                let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
                sink.write_all((names.join(",") + "\n").as_bytes())?;
                Self::Csv(sink)
            }
            TableFormat::Parquet => {
                let properties = WriterProperties::builder()
                    .set_compression(Compression::ZSTD(ZstdLevel::default()))
                    .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
                    .build();
                let writer = ArrowWriter::try_new(sink, schema.clone(), Some(properties))
                    .map_err(io::Error::other)?;
                Self::Parquet(Box::new(writer), schema)
            }
            TableFormat::Arrow => {
                let writer = FileWriter::try_new(sink, &schema).map_err(io::Error::other)?;
                Self::Arrow(Box::new(writer), schema)
            }
            TableFormat::ArrowStream => {
                let writer = StreamWriter::try_new(sink, &schema).map_err(io::Error::other)?;
                Self::ArrowStream(Box::new(writer), schema)
            }
        })
    }
}

fn write_text<R: WrittenRow>(
    sink: &mut Sink,
    rows: &[R],
    text: impl Fn(&[R]) -> io::Result<Vec<u8>> + Send + Sync,
) -> io::Result<()> {
    let texts: Vec<io::Result<Vec<u8>>> = rows.par_chunks(TEXT_ROWS).map(text).collect();
    texts
        .into_iter()
        .try_for_each(|text| sink.write_all(&text?))?;
    // Somebody may be reading along, and whatever ends the run, the file ends with a whole line.
    sink.flush()
}

fn jsonl<R: WrittenRow>(
    rows: &[R],
    encoding: CellEncoding,
    columns: &[R::Column],
) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    for row in rows {
        let line = Line {
            row,
            columns,
            encoding,
        };
        let start = text.len();
        serde_json::to_writer(&mut text, &line)?;
        if row.breaks_off() {
            text.truncate(start + (text.len() - start) / 2);
        }
        text.push(b'\n');
    }
    Ok(text)
}

fn csv<R: WrittenRow>(
    rows: &[R],
    encoding: CellEncoding,
    columns: &[R::Column],
) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        let cells = columns.iter().map(|&column| match row.cell(column) {
            Some(value) => value.into_text(encoding).into_owned().into_bytes(),
            None => Vec::new(),
        });
        writer.write_record(cells).map_err(io::Error::other)?;
    }
    writer
        .into_inner()
        .map_err(|e| io::Error::other(e.to_string()))
}

fn batch<R: WrittenRow>(
    rows: &[R],
    schema: &SchemaRef,
    encoding: CellEncoding,
    columns: &[R::Column],
) -> io::Result<RecordBatch> {
    let fields = columns.iter().zip(schema.fields());
    let arrays = fields.map(|(&column, field)| -> ArrayRef {
        let cells = rows.iter().map(|row| row.cell(column));
        match field.data_type() {
            DataType::UInt64 => {
                let mut builder = UInt64Builder::new();
                cells.for_each(|cell| {
                    builder.append_option(match cell {
                        Some(CellValue::Number(number)) => Some(number),
                        _ => None,
                    });
                });
                Arc::new(builder.finish())
            }
            DataType::Binary => {
                let mut builder = BinaryBuilder::new();
                cells.for_each(|cell| builder.append_option(cell.map(CellValue::into_bytes)));
                Arc::new(builder.finish())
            }
            _ => {
                let mut builder = StringBuilder::new();
                cells.for_each(|cell| {
                    builder.append_option(cell.map(|value| value.into_text(encoding)));
                });
                Arc::new(builder.finish())
            }
        }
    });
    RecordBatch::try_new(schema.clone(), arrays.collect()).map_err(io::Error::other)
}

impl<'a> CellValue<'a> {
    fn into_text(self, encoding: CellEncoding) -> Cow<'a, str> {
        let bytes = match self {
            Self::Text(text) => return text,
            Self::Number(number) => return number.to_string().into(),
            Self::Bytes(bytes) => bytes,
        };
        Cow::Owned(match encoding {
            CellEncoding::Base64 => BASE64.encode(&bytes),
            CellEncoding::Base64url => BASE64URL_NOPAD.encode(&bytes),
            CellEncoding::Hex | CellEncoding::Binary => HEXLOWER.encode(&bytes),
        })
    }

    /// The bytes, or those of the text.
    fn into_bytes(self) -> Cow<'a, [u8]> {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Text(Cow::Borrowed(text)) => Cow::Borrowed(text.as_bytes()),
            Self::Text(Cow::Owned(text)) => Cow::Owned(text.into_bytes()),
            Self::Number(number) => Cow::Owned(number.to_string().into_bytes()),
        }
    }
}
