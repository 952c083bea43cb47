//! A table as JSON.

use std::io::{self, Write};

use data_encoding::HEXLOWER;
use serde::Serialize;

use super::points::{Point, Rows};

/// A point: both coordinates in full-length big-endian hex.
#[derive(Serialize)]
struct PointObject {
    x: String,
    y: String,
}

impl From<&Point> for PointObject {
    fn from(point: &Point) -> Self {
        Self {
            x: HEXLOWER.encode(&point.x.bytes),
            y: HEXLOWER.encode(&point.y.bytes),
        }
    }
}

/// Writes one object with one row of the table per line: `{"curve", "window", "key", "rows":
/// [[{"x", "y"}, ...], ...]}`. `key` is the key as an uncompressed SEC 1 point.
pub(super) fn write(out: &mut impl Write, key: &[u8], rows: Rows<'_>) -> io::Result<()> {
    let (curve, window, len) = (rows.curve, rows.window, rows.len);
    writeln!(
        out,
        "{{\"curve\":\"{curve}\",\"window\":{window},\"key\":\"{}\",\"rows\":[",
        HEXLOWER.encode(key)
    )?;
    for (i, row) in rows.rows.enumerate() {
        let row: Vec<PointObject> = row.iter().map(PointObject::from).collect();
        serde_json::to_writer(&mut *out, &row)?;
        out.write_all(if i + 1 < len { b",\n" } else { b"\n" })?;
    }
    out.write_all(b"]}\n")
}
