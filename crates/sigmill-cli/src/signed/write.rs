//! Tables of signatures in each format.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use rayon::prelude::*;
use serde::{Serialize, Serializer};

use crate::error::CliError;
use crate::format::{STANDARD_STREAM, TableFormat};
use crate::rows::fields::Column;
use crate::signed::{Cell, CellEncoding, SignedRow, Value};

/// Rows of a Parquet row group: the writer holds one in memory.
const ROW_GROUP_ROWS: usize = 1 << 17;

/// Rows that one core turns into text at a time.
const TEXT_ROWS: usize = 256;

type Sink = Box<dyn Write + Send>;

/// Writes a table of signatures.
pub(crate) struct SignedWriter {
    name: String,
    encoding: CellEncoding,
    columns: Vec<Column>,
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
struct Line<'a> {
    row: &'a SignedRow,
    columns: &'a [Column],
    encoding: CellEncoding,
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let cells = self.columns.iter().filter_map(|&column| {
            let text = cell_text(self.row.cell(column), self.encoding)?;
            Some((column.field(), text))
        });
        serializer.collect_map(cells)
    }
}

impl SignedWriter {
    /// Creates the file at `path`, or writes to standard output; with these columns in this order.
    pub(crate) fn create(
        path: &Path,
        format: TableFormat,
        encoding: CellEncoding,
        columns: Vec<Column>,
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
    pub(crate) fn write(&mut self, rows: &[SignedRow]) -> Result<(), CliError> {
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
    fn new(
        mut sink: Sink,
        format: TableFormat,
        encoding: CellEncoding,
        columns: &[Column],
    ) -> io::Result<Self> {
        let fields: Vec<Field> = columns
            .iter()
            .map(|&column| {
                let data_type = if holds_bytes(column, encoding) {
                    DataType::Binary
                } else {
                    DataType::Utf8
                };
                Field::new(column.field(), data_type, true)
            })
            .collect();
        let schema = Arc::new(Schema::new(fields));
        Ok(match format {
            TableFormat::Jsonl => Self::Jsonl(sink),
            TableFormat::Csv => {
                let names: Vec<&str> = columns.iter().map(|column| column.field()).collect();
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

fn write_text(
    sink: &mut Sink,
    rows: &[SignedRow],
    text: impl Fn(&[SignedRow]) -> io::Result<Vec<u8>> + Send + Sync,
) -> io::Result<()> {
    let texts: Vec<io::Result<Vec<u8>>> = rows.par_chunks(TEXT_ROWS).map(text).collect();
    texts
        .into_iter()
        .try_for_each(|text| sink.write_all(&text?))
}

fn jsonl(rows: &[SignedRow], encoding: CellEncoding, columns: &[Column]) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    for row in rows {
        let line = Line {
            row,
            columns,
            encoding,
        };
        let start = text.len();
        serde_json::to_writer(&mut text, &line)?;
        if row.breaks_off {
            text.truncate(start + (text.len() - start) / 2);
        }
        text.push(b'\n');
    }
    Ok(text)
}

fn csv(rows: &[SignedRow], encoding: CellEncoding, columns: &[Column]) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        let cells = columns
            .iter()
            .map(|&column| cell_text(row.cell(column), encoding).unwrap_or_default());
        writer
            .write_record(cells.map(String::into_bytes))
            .map_err(io::Error::other)?;
    }
    writer
        .into_inner()
        .map_err(|e| io::Error::other(e.to_string()))
}

fn batch(
    rows: &[SignedRow],
    schema: &SchemaRef,
    encoding: CellEncoding,
    columns: &[Column],
) -> io::Result<RecordBatch> {
    let arrays = columns.iter().map(|&column| -> ArrayRef {
        let cells = rows.iter().map(|row| row.cell(column));
        if !holds_bytes(column, encoding) {
            let mut builder = StringBuilder::new();
            cells.for_each(|cell| builder.append_option(cell_text(cell, encoding)));
            return Arc::new(builder.finish());
        }
        let mut builder = BinaryBuilder::new();
        cells.for_each(|cell| {
            builder.append_option(cell.as_ref().map(|value| match value {
                Value::Bytes(bytes) => bytes.as_slice(),
                Value::Text(text) => text.as_bytes(),
            }));
        });
        Arc::new(builder.finish())
    });
    RecordBatch::try_new(schema.clone(), arrays.collect()).map_err(io::Error::other)
}

/// Whether the column is one of bytes in a column format.
fn holds_bytes(column: Column, encoding: CellEncoding) -> bool {
    encoding == CellEncoding::Binary && !matches!(column, Column::Id | Column::Alg)
}

/// A cell as text.
fn cell_text(cell: &Cell, encoding: CellEncoding) -> Option<String> {
    let bytes = match cell.as_ref()? {
        Value::Text(text) => return Some(text.clone()),
        Value::Bytes(bytes) => bytes,
    };
    Some(match encoding {
        CellEncoding::Base64 => BASE64.encode(bytes),
        CellEncoding::Base64url => BASE64URL_NOPAD.encode(bytes),
        CellEncoding::Hex | CellEncoding::Binary => HEXLOWER.encode(bytes),
    })
}
