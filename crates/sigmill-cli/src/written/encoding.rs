//! Encodings of written cells.

use clap::ValueEnum;

use crate::error::CliError;
use crate::format::TableFormat;

/// Encoding of bytes in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CellEncoding {
    /// Hexadecimal text
    Hex,
    /// Base64 text
    Base64,
    /// Base64url text without padding
    Base64url,
    /// The bytes (Parquet and Arrow only)
    Binary,
}

impl CellEncoding {
    /// Returns the encoding that the user named. The default is hex in text formats and binary in
    /// column formats.
    pub(crate) fn of(format: TableFormat, named: Option<Self>) -> Result<Self, CliError> {
        let is_text = matches!(format, TableFormat::Jsonl | TableFormat::Csv);
        match named {
            Some(Self::Binary) if is_text => Err(CliError::Usage(
                "--encoding binary: text formats cannot hold bytes; use hex or base64".into(),
            )),
            Some(encoding) => Ok(encoding),
            None if is_text => Ok(Self::Hex),
            None => Ok(Self::Binary),
        }
    }
}
