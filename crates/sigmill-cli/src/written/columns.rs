//! Tables as Parquet or Arrow IPC.

use std::io;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, BooleanBuilder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::{CellEncoding, CellValue, Kind, WrittenColumn, WrittenRow};
use crate::format::TableFormat;
use crate::sink::Sink;

/// Rows of a Parquet row group. The writer holds one group in memory.
const ROW_GROUP_ROWS: usize = 1 << 17;

/// The limits of a batch. It ends after this number of rows, or earlier, with the row that brings
/// its cells to this number of bytes. Only the rows decide where it ends, not the time of their
/// arrival.
const BATCH_ROWS: usize = 1 << 13;
const BATCH_BYTES: usize = 8 << 20;

/// Writes record batches.
pub(super) struct ColumnWriter<C> {
    schema: SchemaRef,
    encoding: CellEncoding,
    columns: Vec<(C, Builder)>,
    /// The size of the batch so far.
    rows: usize,
    bytes: usize,
    file: Format,
}

enum Format {
    Parquet(Box<ArrowWriter<Sink>>),
    Arrow(Box<FileWriter<Sink>>),
    ArrowStream(Box<StreamWriter<Sink>>),
}

/// A column of the batch so far.
enum Builder {
    Text(StringBuilder),
    Bytes(BinaryBuilder),
    Number(UInt64Builder),
    Truth(BooleanBuilder),
}

impl<C: WrittenColumn> ColumnWriter<C> {
    pub(super) fn new(
        sink: Sink,
        format: TableFormat,
        encoding: CellEncoding,
        columns: Vec<C>,
    ) -> io::Result<Self> {
        let columns: Vec<(C, Builder)> = columns
            .into_iter()
            .map(|column| (column, Builder::new(column.kind(), encoding)))
            .collect();
        let fields = columns.iter().map(|(column, builder)| {
            Field::new(column.name(), builder.data_type(), !column.is_required())
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let file = match format {
            TableFormat::Arrow => {
                let writer = FileWriter::try_new(sink, &schema).map_err(of_arrow)?;
                Format::Arrow(Box::new(writer))
            }
            TableFormat::ArrowStream => {
                let writer = StreamWriter::try_new(sink, &schema).map_err(of_arrow)?;
                Format::ArrowStream(Box::new(writer))
            }
            _ => {
                let properties = WriterProperties::builder()
                    .set_compression(Compression::ZSTD(ZstdLevel::default()))
                    .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
                    .build();
                let writer = ArrowWriter::try_new(sink, schema.clone(), Some(properties));
                Format::Parquet(Box::new(writer.map_err(of_parquet)?))
            }
        };
        Ok(Self {
            schema,
            encoding,
            columns,
            rows: 0,
            bytes: 0,
            file,
        })
    }

    pub(super) fn write<R: WrittenRow<Column = C>>(&mut self, rows: &[R]) -> io::Result<()> {
        for row in rows {
            for (column, builder) in &mut self.columns {
                self.bytes += builder.push(row.cell(*column), self.encoding);
            }
            self.rows += 1;
            if self.rows >= BATCH_ROWS || self.bytes >= BATCH_BYTES {
                self.write_batch()?;
            }
        }
        Ok(())
    }

    fn write_batch(&mut self) -> io::Result<()> {
        let arrays = self.columns.iter_mut().map(|(_, column)| column.finish());
        let batch =
            RecordBatch::try_new(self.schema.clone(), arrays.collect()).map_err(of_arrow)?;
        (self.rows, self.bytes) = (0, 0);
        match &mut self.file {
            Format::Parquet(writer) => writer.write(&batch).map_err(of_parquet),
            Format::Arrow(writer) => writer.write(&batch).map_err(of_arrow),
            Format::ArrowStream(writer) => writer.write(&batch).map_err(of_arrow),
        }
    }

    /// Writes the remaining rows and the end of the file.
    pub(super) fn finish(mut self) -> io::Result<Sink> {
        if self.rows > 0 {
            self.write_batch()?;
        }
        match self.file {
            Format::Parquet(writer) => writer.into_inner().map_err(of_parquet),
            Format::Arrow(writer) => writer.into_inner().map_err(of_arrow),
            Format::ArrowStream(writer) => writer.into_inner().map_err(of_arrow),
        }
    }
}

impl Builder {
    fn new(kind: Kind, encoding: CellEncoding) -> Self {
        match kind {
            Kind::Bytes if encoding == CellEncoding::Binary => Self::Bytes(BinaryBuilder::new()),
            Kind::Bytes | Kind::Text => Self::Text(StringBuilder::new()),
            Kind::Number => Self::Number(UInt64Builder::new()),
            Kind::Truth => Self::Truth(BooleanBuilder::new()),
        }
    }

    fn data_type(&self) -> DataType {
        match self {
            Self::Text(_) => DataType::Utf8,
            Self::Bytes(_) => DataType::Binary,
            Self::Number(_) => DataType::UInt64,
            Self::Truth(_) => DataType::Boolean,
        }
    }

    /// Adds a cell and returns the number of its bytes.
    fn push(&mut self, cell: Option<CellValue<'_>>, encoding: CellEncoding) -> usize {
        match self {
            Self::Text(builder) => {
                let text = cell.map(|value| value.into_text(encoding));
                builder.append_option(text.as_deref());
                text.map_or(0, |text| text.len())
            }
            Self::Bytes(builder) => {
                let bytes = cell.map(|value| value.into_bytes(encoding));
                builder.append_option(bytes.as_deref());
                bytes.map_or(0, |bytes| bytes.len())
            }
            Self::Number(builder) => {
                builder.append_option(match cell {
                    Some(CellValue::Number(number)) => Some(number),
                    _ => None,
                });
                size_of::<u64>()
            }
            Self::Truth(builder) => {
                builder.append_option(match cell {
                    Some(CellValue::Truth(truth)) => Some(truth),
                    _ => None,
                });
                size_of::<bool>()
            }
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(builder) => Arc::new(builder.finish()),
            Self::Bytes(builder) => Arc::new(builder.finish()),
            Self::Number(builder) => Arc::new(builder.finish()),
            Self::Truth(builder) => Arc::new(builder.finish()),
        }
    }
}

/// Returns the operating system's error, if that is the cause.
fn of_arrow(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}

/// Returns the operating system's error, if that is the cause.
fn of_parquet(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
