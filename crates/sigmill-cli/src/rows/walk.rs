//! Iterates over the rows of a chunk of any format.

use crate::rows::Chunk;
use crate::rows::batch::BatchRows;
use crate::rows::columns::Wanted;
use crate::rows::csv::CsvParser;
use crate::rows::defect::RowDefect;
use crate::rows::fields::RawRow;
use crate::rows::jsonl;
use crate::rows::text::{MAX_RECORD_LEN, TextKind, records};

/// Passes every row of `chunk` to `take`, or the defect for which it could not be read. `csv` is
/// kept from one chunk to the next. An error comes from `take`, or the batch contradicts itself.
pub(crate) fn walk(
    chunk: &Chunk,
    wanted: &Wanted,
    csv: &mut CsvParser,
    mut take: impl FnMut(&RawRow<'_>, Result<(), RowDefect>) -> Result<(), String>,
) -> Result<(), String> {
    match chunk {
        Chunk::Jsonl(text) => {
            for line in records(TextKind::Lines, text) {
                let mut row = RawRow::default();
                let read =
                    check_length(line).and_then(|()| jsonl::read_row(line, wanted, &mut row));
                take(&row, read)?;
            }
        }
        Chunk::Csv(text, header) => {
            for record in records(TextKind::Csv, text) {
                match check_length(record).and_then(|()| csv.read_row(record, header)) {
                    Ok(row) => take(&row, Ok(()))?,
                    Err(defect) => take(&RawRow::default(), Err(defect))?,
                }
            }
        }
        Chunk::Batch(batch, header) => {
            for row in BatchRows::new(batch, header).rows() {
                take(&row, Ok(()))?;
            }
        }
        Chunk::Defect(defect) => take(&RawRow::default(), Err(defect.clone()))?,
    }
    Ok(())
}

/// Checks that a record is not longer than the reader keeps.
pub(crate) fn check_length(record: &[u8]) -> Result<(), RowDefect> {
    if record.len() > MAX_RECORD_LEN {
        return Err(RowDefect::TooLong {
            limit: MAX_RECORD_LEN,
        });
    }
    Ok(())
}
