//! Rows of a table of signatures, in any file format.
//!
//! The reader's thread splits a file into [`Chunk`]s ([`source`]) with as little work as possible.
//! A worker reads a chunk as [`fields::RawRow`]s and decodes these into columns of [`cells`].

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

/// Consecutive rows of one file, passed from the reader to a worker.
#[derive(Debug)]
pub(crate) enum Chunk {
    /// Whole lines.
    Jsonl(Vec<u8>),
    /// Whole records.
    Csv(Vec<u8>, Arc<CsvHeader>),
    /// Some rows of columns.
    Batch(RecordBatch, Arc<BatchHeader>),
    /// A single row that cannot be separated from its file.
    Defect(RowDefect),
}
