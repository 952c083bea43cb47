//! Verdicts as Parquet or Arrow IPC.

use std::fs::File;
use std::io::BufWriter;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::format::TableFormat;
use crate::verdicts::Part;

/// Rows of a Parquet row group: the writer holds one in memory.
const ROW_GROUP_ROWS: usize = 1 << 17;

/// Writes record batches.
pub(crate) struct ColumnWriter {
    schema: SchemaRef,
    target: Target,
}

enum Target {
    Parquet(Box<ArrowWriter<File>>),
    File(Box<FileWriter<BufWriter<File>>>),
    Stream(Box<StreamWriter<BufWriter<File>>>),
}

impl ColumnWriter {
    pub(crate) fn new(file: File, format: TableFormat) -> Result<Self, String> {
        let schema = Arc::new(Schema::new(vec![
            Field::new("file", DataType::Utf8, false),
            Field::new("row", DataType::UInt64, false),
            Field::new("id", DataType::Utf8, true),
            Field::new("valid", DataType::Boolean, false),
            Field::new("reason", DataType::Utf8, true),
            Field::new("detail", DataType::Utf8, true),
        ]));
        let target = match format {
            TableFormat::Arrow => {
                let writer = FileWriter::try_new_buffered(file, &schema).map_err(arrow)?;
                Target::File(Box::new(writer))
            }
            TableFormat::ArrowStream => {
                let writer = StreamWriter::try_new_buffered(file, &schema).map_err(arrow)?;
                Target::Stream(Box::new(writer))
            }
            _ => {
                let properties = WriterProperties::builder()
                    .set_compression(Compression::ZSTD(ZstdLevel::default()))
                    .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
                    .build();
                let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties))
                    .map_err(parquet)?;
                Target::Parquet(Box::new(writer))
            }
        };
        Ok(Self { schema, target })
    }

    pub(crate) fn write(&mut self, part: &Part<'_>) -> Result<(), String> {
        let mut files = StringBuilder::new();
        let mut numbers = UInt64Builder::new();
        let mut ids = StringBuilder::new();
        let mut valid = BooleanBuilder::new();
        let mut reasons = StringBuilder::new();
        let mut details = StringBuilder::new();
        for (row, id, rejected) in part.rows() {
            files.append_value(part.file);
            numbers.append_value(row);
            ids.append_option(id);
            valid.append_value(rejected.is_none());
            reasons.append_option(rejected.map(|r| r.defect.reason()));
            details.append_option(rejected.map(|r| r.defect.to_string()));
        }
        let columns: Vec<ArrayRef> = vec![
            Arc::new(files.finish()),
            Arc::new(numbers.finish()),
            Arc::new(ids.finish()),
            Arc::new(valid.finish()),
            Arc::new(reasons.finish()),
            Arc::new(details.finish()),
        ];
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(arrow)?;
        match &mut self.target {
            Target::Parquet(writer) => writer.write(&batch).map_err(parquet),
            Target::File(writer) => writer.write(&batch).map_err(arrow),
            Target::Stream(writer) => writer.write(&batch).map_err(arrow),
        }
    }

    pub(crate) fn finish(self) -> Result<(), String> {
        match self.target {
            Target::Parquet(writer) => writer.close().map(drop).map_err(parquet),
            Target::File(mut writer) => writer.finish().map_err(arrow),
            Target::Stream(mut writer) => writer.finish().map_err(arrow),
        }
    }
}

fn arrow(error: ArrowError) -> String {
    error.to_string()
}

fn parquet(error: ParquetError) -> String {
    error.to_string()
}
