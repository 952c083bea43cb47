//! Rows of a table of signatures, whatever the format of the file.
//!
//! A file becomes [`Chunk`]s on the reader's thread ([`source`]), with as little work as can be
//! done there. A worker turns a chunk into [`fields::RawRow`]s, and these into columns of decoded
//! [`cells`].

pub(crate) mod batch;
pub(crate) mod cells;
pub(crate) mod columns;
pub(crate) mod csv;
pub(crate) mod defect;
pub(crate) mod fields;
pub(crate) mod hint;
pub(crate) mod ipc;
pub(crate) mod jsonl;
mod parquet;
pub(crate) mod source;
pub(crate) mod strings;
pub(crate) mod text;
pub(crate) mod walk;

use std::sync::Arc;

use arrow_array::RecordBatch;

use crate::rows::batch::BatchHeader;
use crate::rows::csv::CsvHeader;
use crate::rows::defect::RowDefect;

/// Consecutive rows of one file, as the reader hands them to a worker.
#[derive(Debug)]
pub(crate) enum Chunk {
    /// Whole lines.
    Jsonl(Vec<u8>),
    /// Whole records.
    Csv(Vec<u8>, Arc<CsvHeader>),
    /// Some rows of columns.
    Batch(RecordBatch, Arc<BatchHeader>),
    /// A single row that cannot be cut out of its file.
    Defect(RowDefect),
}
