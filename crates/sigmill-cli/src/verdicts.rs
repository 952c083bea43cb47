//! Tables of verdicts, one row per judged row: `file, row, id, valid, reason, detail`.
//!
//! `row` counts the rows of its file from 1. `reason` is the short code of the rule that a rejected
//! row breaks, and `detail` explains it in words. Both are null for valid rows.

use crate::judge::{Rejected, Verdicts};
use crate::written::{CellValue, Kind, TableWriter, WrittenColumn, WrittenRow};

/// Writes a table of verdicts.
pub(crate) type VerdictWriter = TableWriter<Column>;

/// Verdicts of consecutive rows of one file.
pub(crate) struct VerdictChunk<'a> {
    /// The name of the file.
    pub(crate) file: &'a str,
    /// The number of the first row, counted from 1.
    pub(crate) first_row: u64,
    /// The verdicts, with the ids of all rows.
    pub(crate) verdicts: &'a Verdicts,
}

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    File,
    Row,
    Id,
    Valid,
    Reason,
    Detail,
}

/// A row of the table.
pub(crate) struct Row<'a> {
    file: &'a str,
    number: u64,
    id: Option<&'a str>,
    rejected: Option<&'a Rejected>,
}

impl Column {
    /// Every column, in the order of the table.
    pub(crate) const ALL: [Self; 6] = [
        Self::File,
        Self::Row,
        Self::Id,
        Self::Valid,
        Self::Reason,
        Self::Detail,
    ];
}

impl WrittenColumn for Column {
    fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Row => "row",
            Self::Id => "id",
            Self::Valid => "valid",
            Self::Reason => "reason",
            Self::Detail => "detail",
        }
    }

    fn kind(self) -> Kind {
        match self {
            Self::Row => Kind::Number,
            Self::Valid => Kind::Truth,
            Self::File | Self::Id | Self::Reason | Self::Detail => Kind::Text,
        }
    }

    fn is_required(self) -> bool {
        matches!(self, Self::File | Self::Row | Self::Valid)
    }
}

impl WrittenRow for Row<'_> {
    type Column = Column;

    fn cell(&self, column: Column) -> Option<CellValue<'_>> {
        let defect = self.rejected.map(|rejected| &rejected.defect);
        Some(match column {
            Column::File => CellValue::Text(self.file.into()),
            Column::Row => CellValue::Number(self.number),
            Column::Id => CellValue::Text(self.id?.into()),
            Column::Valid => CellValue::Truth(defect.is_none()),
            Column::Reason => CellValue::Text(defect?.reason().into()),
            Column::Detail => CellValue::Text(defect?.to_string().into()),
        })
    }
}

impl VerdictChunk<'_> {
    /// Every row that was judged.
    pub(crate) fn rows(&self) -> Vec<Row<'_>> {
        let mut rejected = self.verdicts.rejected.iter().peekable();
        let ids = self.verdicts.ids.as_deref().unwrap_or_default();
        let row = |index| Row {
            file: self.file,
            number: self.first_row + index,
            id: usize::try_from(index)
                .ok()
                .and_then(|i| ids.get(i))
                .and_then(|id| id.as_deref()),
            rejected: rejected.next_if(|r| r.index == index),
        };
        (0..self.verdicts.rows).map(row).collect()
    }
}
