//! Samples in each format.

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
use serde::Serialize;

use crate::error::CliError;
use crate::format::{STANDARD_STREAM, TableFormat};
use crate::sample::row::{Cell, SampleRow, Value};
use crate::sample::{CellEncoding, InputShape};

/// Rows of a Parquet row group: the writer holds one in memory.
const ROW_GROUP_ROWS: usize = 1 << 17;

/// Rows that one core turns into text at a time.
const TEXT_ROWS: usize = 256;

type Sink = Box<dyn Write + Send>;

/// Writes a sample.
pub(crate) struct SampleWriter {
    name: String,
    encoding: CellEncoding,
    input: &'static str,
    target: Target,
}

enum Target {
    Jsonl(Sink),
    Csv(Sink),
    Parquet(Box<ArrowWriter<Sink>>, SchemaRef),
    Arrow(Box<FileWriter<Sink>>, SchemaRef),
    ArrowStream(Box<StreamWriter<Sink>>, SchemaRef),
}

/// A row of JSON; `None` is left out.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    alg: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

impl SampleWriter {
    /// Creates the file at `path`, or writes to standard output.
    pub(crate) fn create(
        path: &Path,
        format: TableFormat,
        encoding: CellEncoding,
        input: InputShape,
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
        let input = match input {
            InputShape::Message => "message",
            InputShape::Digest => "digest",
        };
        let target = Target::new(sink, format, encoding, input).map_err(|e| failed(&name, e))?;
        Ok(Self {
            name,
            encoding,
            input,
            target,
        })
    }

    /// Writes `rows` behind those written before.
    pub(crate) fn write(&mut self, rows: &[SampleRow]) -> Result<(), CliError> {
        let (encoding, input) = (self.encoding, self.input);
        let result = match &mut self.target {
            Target::Jsonl(sink) => write_text(sink, rows, |rows| jsonl(rows, encoding, input)),
            Target::Csv(sink) => write_text(sink, rows, |rows| csv(rows, encoding)),
            Target::Parquet(writer, schema) => {
                let batch = batch(rows, schema, encoding);
                batch.and_then(|batch| writer.write(&batch).map_err(io::Error::other))
            }
            Target::Arrow(writer, schema) => {
                let batch = batch(rows, schema, encoding);
                batch.and_then(|batch| writer.write(&batch).map_err(io::Error::other))
            }
            Target::ArrowStream(writer, schema) => {
                let batch = batch(rows, schema, encoding);
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
        input: &str,
    ) -> io::Result<Self> {
        let names = ["id", "alg", "key", input, "signature"];
        let bytes = match encoding {
            CellEncoding::Binary => DataType::Binary,
            _ => DataType::Utf8,
        };
        let types = [
            DataType::Utf8,
            DataType::Utf8,
            bytes.clone(),
            bytes.clone(),
            bytes,
        ];
        let fields: Vec<Field> = names
            .into_iter()
            .zip(types)
            .map(|(name, t)| Field::new(name, t, true))
            .collect();
        let schema = Arc::new(Schema::new(fields));
        Ok(match format {
            TableFormat::Jsonl => Self::Jsonl(sink),
            TableFormat::Csv => {
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
    rows: &[SampleRow],
    text: impl Fn(&[SampleRow]) -> io::Result<Vec<u8>> + Send + Sync,
) -> io::Result<()> {
    let texts: Vec<io::Result<Vec<u8>>> = rows.par_chunks(TEXT_ROWS).map(text).collect();
    texts
        .into_iter()
        .try_for_each(|text| sink.write_all(&text?))
}

fn jsonl(rows: &[SampleRow], encoding: CellEncoding, input: &str) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    for row in rows {
        let what = cell_text(&row.input, encoding);
        let (message, digest) = if input == "message" {
            (what, None)
        } else {
            (None, what)
        };
        let line = Line {
            id: &row.id,
            alg: cell_text(&row.alg, encoding),
            key: cell_text(&row.key, encoding),
            message,
            digest,
            signature: cell_text(&row.signature, encoding),
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

fn csv(rows: &[SampleRow], encoding: CellEncoding) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        let cell = |cell| cell_text(cell, encoding).unwrap_or_default();
        let record = [
            row.id.clone(),
            cell(&row.alg),
            cell(&row.key),
            cell(&row.input),
            cell(&row.signature),
        ];
        writer.write_record(&record).map_err(io::Error::other)?;
    }
    writer
        .into_inner()
        .map_err(|e| io::Error::other(e.to_string()))
}

fn batch(
    rows: &[SampleRow],
    schema: &SchemaRef,
    encoding: CellEncoding,
) -> io::Result<RecordBatch> {
    let texts = |cell: fn(&SampleRow) -> &Cell| -> ArrayRef {
        let mut builder = StringBuilder::new();
        rows.iter()
            .for_each(|row| builder.append_option(cell_text(cell(row), encoding)));
        Arc::new(builder.finish())
    };
    let bytes = |cell: fn(&SampleRow) -> &Cell| -> ArrayRef {
        if encoding != CellEncoding::Binary {
            return texts(cell);
        }
        let mut builder = BinaryBuilder::new();
        for row in rows {
            builder.append_option(cell(row).as_ref().map(|value| match value {
                Value::Bytes(bytes) => bytes.as_slice(),
                Value::Text(text) => text.as_bytes(),
            }));
        }
        Arc::new(builder.finish())
    };
    let mut ids = StringBuilder::new();
    rows.iter().for_each(|row| ids.append_value(&row.id));
    let columns = vec![
        Arc::new(ids.finish()) as ArrayRef,
        texts(|row| &row.alg),
        bytes(|row| &row.key),
        bytes(|row| &row.input),
        bytes(|row| &row.signature),
    ];
    RecordBatch::try_new(schema.clone(), columns).map_err(io::Error::other)
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
