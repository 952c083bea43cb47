//! Tables as JSON Lines or CSV.

use std::io;

use rayon::prelude::*;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{CellEncoding, CellValue, WrittenColumn, WrittenRow};
use crate::format::TableFormat;
use crate::output::printable_lines;
use crate::sink::Sink;

/// Rows that a core formats at a time.
const TEXT_ROWS: usize = 256;

/// Writes whole lines, so that the file ends with one whatever ends the run.
pub(super) struct TextWriter<C> {
    sink: Sink,
    is_csv: bool,
    encoding: CellEncoding,
    columns: Vec<C>,
    /// True if the lines are shown to a person rather than read by a program.
    on_terminal: bool,
}

/// A row of JSON. Cells without a value are left out.
struct Line<'a, R: WrittenRow> {
    row: &'a R,
    columns: &'a [R::Column],
    encoding: CellEncoding,
}

impl<R: WrittenRow> Serialize for Line<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for &column in self.columns {
            let name = column.name();
            match self.row.cell(column) {
                None => {}
                Some(CellValue::Number(number)) => map.serialize_entry(name, &number)?,
                Some(CellValue::Truth(truth)) => map.serialize_entry(name, &truth)?,
                Some(value) => map.serialize_entry(name, &value.into_text(self.encoding))?,
            }
        }
        map.end()
    }
}

impl<C: WrittenColumn> TextWriter<C> {
    pub(super) fn new(
        mut sink: Sink,
        format: TableFormat,
        encoding: CellEncoding,
        columns: Vec<C>,
        on_terminal: bool,
    ) -> io::Result<Self> {
        let is_csv = format == TableFormat::Csv;
        if is_csv {
            // The header is written here, so that a table without rows has it too.
            let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
            sink.write_whole((names.join(",") + "\n").as_bytes())?;
        }
        Ok(Self {
            sink,
            is_csv,
            encoding,
            columns,
            on_terminal,
        })
    }

    pub(super) fn write<R: WrittenRow<Column = C>>(&mut self, rows: &[R]) -> io::Result<()> {
        let (encoding, columns) = (self.encoding, self.columns.as_slice());
        let texts: Vec<io::Result<Vec<u8>>> = rows
            .par_chunks(TEXT_ROWS)
            .map(|rows| match self.is_csv {
                true => csv(rows, encoding, columns),
                false => jsonl(rows, encoding, columns),
            })
            .collect();
        for text in texts {
            let text = text?;
            match str::from_utf8(&text) {
                Ok(text) if self.on_terminal => {
                    self.sink.write_whole(printable_lines(text).as_bytes())?;
                }
                _ => self.sink.write_whole(&text)?,
            }
        }
        Ok(())
    }

    pub(super) fn into_sink(self) -> Sink {
        self.sink
    }
}

fn jsonl<R: WrittenRow>(
    rows: &[R],
    encoding: CellEncoding,
    columns: &[R::Column],
) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    for row in rows {
        let line = Line {
            row,
            columns,
            encoding,
        };
        let start = text.len();
        serde_json::to_writer(&mut text, &line)?;
        if row.is_truncated() {
            text.truncate(start + (text.len() - start) / 2);
        }
        text.push(b'\n');
    }
    Ok(text)
}

fn csv<R: WrittenRow>(
    rows: &[R],
    encoding: CellEncoding,
    columns: &[R::Column],
) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        let cells = columns.iter().map(|&column| match row.cell(column) {
            Some(value) => value.into_text(encoding).into_owned().into_bytes(),
            None => Vec::new(),
        });
        writer.write_record(cells).map_err(io::Error::other)?;
    }
    writer
        .into_inner()
        .map_err(|e| io::Error::other(e.to_string()))
}
