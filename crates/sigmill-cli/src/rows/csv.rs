//! Records of a CSV file.

use std::borrow::Cow;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use crate::error::CliError;
use crate::rows::columns::{MAX_COLUMNS, Wanted};
use crate::rows::defect::RowDefect;
use crate::rows::fields::{Column, Field, RawRow};

/// The positions of the columns in a CSV file.
#[derive(Debug)]
pub(crate) struct CsvHeader {
    columns: Vec<(Column, usize)>,
    width: usize,
}

impl CsvHeader {
    /// Reads the header record of `file`.
    pub(crate) fn read(record: &[u8], file: &str, wanted: &Wanted) -> Result<Self, CliError> {
        let defect = |message: String| CliError::file(file, format!("header: {message}"));
        let text = std::str::from_utf8(record).map_err(|_| defect("must be UTF-8".into()))?;
        let mut parser = CsvParser::default();
        let width = parser
            .split(text.as_bytes(), MAX_COLUMNS)
            .map_err(|error| match error {
                RowDefect::CsvFieldCount { .. } => {
                    defect(format!("must have at most {MAX_COLUMNS} columns"))
                }
                other => defect(other.to_string()),
            })?;
        // Parts of UTF-8 between commas and quotes are UTF-8.
        let names: Vec<String> = (0..width)
            .map(|i| String::from_utf8_lossy(parser.field(i)).trim().to_owned())
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Ok(Self {
            columns: wanted.locate(file, &names)?,
            width,
        })
    }
}

/// Splits records into fields. Keeps its buffers from one record to the next.
pub(crate) struct CsvParser {
    reader: Reader,
    fields: Vec<u8>,
    ends: Vec<usize>,
}

impl Default for CsvParser {
    fn default() -> Self {
        Self {
            // The default of `Reader` is not ready to read.
            reader: ReaderBuilder::new().build(),
            fields: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl CsvParser {
    /// Splits `record` and returns the number of its fields, at most `limit`.
    ///
    /// Input that the usual readers of CSV read in different ways is a defect. A carriage return
    /// outside of quotes ends a record for most of them. NUL ends a field, or the whole file, for
    /// some.
    fn split(&mut self, record: &[u8], limit: usize) -> Result<usize, RowDefect> {
        if memchr::memchr(0, record).is_some() {
            return Err(RowDefect::CsvNul);
        }
        self.reader.reset();
        self.fields.resize(record.len().max(1), 0);
        self.ends.resize(limit.max(1), 0);
        let (mut read, mut written, mut count) = (0, 0, 0);
        // The parser strips a byte order mark from its first input, if that contains all of it. The
        // file's own mark has already been skipped, so the first input is one byte.
        let mut seen = record.len().min(1);
        loop {
            // An empty input marks the end of the record.
            let (result, nin, nout, nend) = self.reader.read_record(
                &record[read..seen],
                &mut self.fields[written..],
                &mut self.ends[count..],
            );
            read += nin;
            written += nout;
            count += nend;
            match result {
                ReadRecordResult::InputEmpty => seen = record.len(),
                ReadRecordResult::OutputFull => self.fields.resize(self.fields.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => {
                    return Err(RowDefect::CsvFieldCount {
                        expected: limit,
                        actual: format!("more than {limit}"),
                    });
                }
                ReadRecordResult::Record if read == record.len() => return Ok(count),
                ReadRecordResult::Record | ReadRecordResult::End => {
                    return Err(RowDefect::CsvLineEnd);
                }
            }
        }
    }

    fn field(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.fields[start..self.ends[i]]
    }

    /// Reads `record` under `header`. An empty field has no value. The exception is an empty
    /// message in a row without a digest: it is the empty message.
    pub(crate) fn read_row(
        &mut self,
        record: &[u8],
        header: &CsvHeader,
    ) -> Result<RawRow<'_>, RowDefect> {
        let width = self
            .split(record, header.width + 1)
            .map_err(|defect| match defect {
                RowDefect::CsvFieldCount { .. } => RowDefect::CsvFieldCount {
                    expected: header.width,
                    actual: format!("{} or more", header.width + 1),
                },
                other => other,
            })?;
        if width != header.width {
            return Err(RowDefect::CsvFieldCount {
                expected: header.width,
                actual: width.to_string(),
            });
        }
        let mut row = RawRow::default();
        for &(column, i) in &header.columns {
            let value = self.field(i);
            *row.field_mut(column) = match value {
                [] => Field::Null,
                _ => Field::Text(Cow::Borrowed(value)),
            };
        }
        if row.message == Field::Null && !matches!(row.digest, Field::Text(_)) {
            row.message = Field::Text(Cow::Borrowed(b""));
        }
        Ok(row)
    }
}
