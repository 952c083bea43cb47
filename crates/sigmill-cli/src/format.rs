//! File formats of tables of signatures and of verdicts.

use std::path::Path;

use clap::ValueEnum;

use crate::error::CliError;

/// The name of standard input or standard output.
pub(crate) const STANDARD_STREAM: &str = "-";

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// JSON Lines: one object per line (.jsonl, .ndjson)
    Jsonl,
    /// Comma-separated values with a header (.csv)
    Csv,
    /// Apache Parquet (.parquet, .pq)
    Parquet,
    /// Arrow IPC file, also called Feather 2 (.arrow, .feather, .ipc); a stream is also read
    Arrow,
    /// Arrow IPC stream (.arrows); a file is also read
    ArrowStream,
}

impl TableFormat {
    /// Returns the format that the user named, otherwise the format of the path's extension.
    pub(crate) fn of(path: &Path, named: Option<Self>, option: &str) -> Result<Self, CliError> {
        if let Some(format) = named {
            return Ok(format);
        }
        if path == Path::new(STANDARD_STREAM) {
            return Err(CliError::Usage(format!(
                "{STANDARD_STREAM}: a standard stream has no extension; name its format with \
                 {option}"
            )));
        }
        Self::of_extension(path).ok_or_else(|| {
            CliError::Usage(format!(
                "{}: unknown extension (known: jsonl, ndjson, json, csv, parquet, pq, arrow, \
                 feather, ipc, arrows); name the format with {option}",
                path.display()
            ))
        })
    }

    /// Returns the format of the path's extension, if it is the extension of a table.
    pub(crate) fn of_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "jsonl" | "ndjson" | "json" => Self::Jsonl,
            "csv" => Self::Csv,
            "parquet" | "pq" => Self::Parquet,
            "arrow" | "feather" | "ipc" => Self::Arrow,
            "arrows" => Self::ArrowStream,
            _ => return None,
        })
    }
}
