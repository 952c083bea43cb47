//! The points of a table as plain numbers.

use sigmill::keys::TableCoordinate;
use sigmill::{AnyPreparedKey, CurveName};

/// An affine point of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) x: TableCoordinate,
    pub(super) y: TableCoordinate,
}

/// A table, row by row. Row i holds j 2^(w i) Q for j = 1 .. 2^(w-1).
pub(super) struct Rows<'a> {
    pub(super) curve: CurveName,
    pub(super) window: u32,
    /// The number of rows.
    pub(super) len: usize,
    pub(super) rows: Box<dyn Iterator<Item = Vec<Point>> + 'a>,
}

impl Rows<'_> {
    /// Returns the number of points in a row.
    pub(super) fn row_len(&self) -> usize {
        1 << (self.window - 1)
    }
}

/// Returns the rows of the key's table.
pub(super) fn rows(key: &AnyPreparedKey) -> Rows<'_> {
    let row_len = 1 << (key.window() - 1);
    let point = |[x, y]: [TableCoordinate; 2]| Point { x, y };
    let mut points = key.coordinates().map(point);
    let next_row = move || {
        let row: Vec<_> = points.by_ref().take(row_len).collect();
        (!row.is_empty()).then_some(row)
    };
    Rows {
        curve: key.curve(),
        window: key.window(),
        len: key.row_count(),
        rows: Box::new(std::iter::from_fn(next_row)),
    }
}
