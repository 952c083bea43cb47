//! A record of a CSV file.

use std::borrow::Cow;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder, Terminator};

use crate::error::CliError;
use crate::rows::columns::Wanted;
use crate::rows::defect::RowDefect;
use crate::rows::fields::{Column, Field, RawRow};

/// Where the columns of a CSV file stand.
#[derive(Debug)]
pub(crate) struct CsvHeader {
    columns: Vec<(Column, usize)>,
    width: usize,
}

impl CsvHeader {
    /// Takes the header record of `file`.
    pub(crate) fn read(record: &[u8], file: &str, wanted: &Wanted) -> Result<Self, CliError> {
        let mut parser = CsvParser::default();
        // A header is short: a field per byte is plenty.
        let width = parser
            .split(record, record.len() + 1)
            .map_err(|e| CliError::file(file, format!("header: {e}")))?;
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

/// Splits records into fields; keeps its buffers from one record to the next.
pub(crate) struct CsvParser {
    reader: Reader,
    fields: Vec<u8>,
    ends: Vec<usize>,
}

impl Default for CsvParser {
    fn default() -> Self {
        // A carriage return in an unquoted field is a character; the one of the line break is cut off before.
        let reader = ReaderBuilder::new()
            .terminator(Terminator::Any(b'\n'))
            .build();
        Self {
            reader,
            fields: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl CsvParser {
    /// Splits `record`; returns how many fields it has, at most `limit`.
    fn split(&mut self, record: &[u8], limit: usize) -> Result<usize, RowDefect> {
        self.reader.reset();
        self.fields.resize(record.len().max(1), 0);
        self.ends.resize(limit.max(1), 0);
        let (mut read, mut written, mut count) = (0, 0, 0);
        loop {
            // An empty input tells the parser that the record is over.
            let (result, nin, nout, nend) = self.reader.read_record(
                &record[read..],
                &mut self.fields[written..],
                &mut self.ends[count..],
            );
            read += nin;
            written += nout;
            count += nend;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.fields.resize(self.fields.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => {
                    return Err(RowDefect::CsvFieldCount {
                        expected: limit,
                        actual: format!("more than {limit}"),
                    });
                }
                ReadRecordResult::Record if read == record.len() => return Ok(count),
                ReadRecordResult::Record | ReadRecordResult::End => {
                    return Err(RowDefect::CsvQuote);
                }
            }
        }
    }

    fn field(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.fields[start..self.ends[i]]
    }

    /// Reads `record` under `header`. An empty field has no value, except that an empty message beside no digest is
    /// the empty message.
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
