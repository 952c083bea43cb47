//! Code that the targets of the command's tables share.

use std::panic;
use std::process::abort;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use sigmill_cli::fuzzing::{COLUMNS, Cell, Table};

/// The command catches panics of the readers of binary formats, which come from other projects.
/// Panics of our own code are findings.
pub fn only_own_panics_count() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map_or("", |location| location.file());
        if place.contains("sigmill") || place.starts_with("fuzz_targets") {
            eprintln!("{info}");
            abort();
        }
    }));
}

/// Returns the result of `read`; `None` if it panics.
pub fn caught<T>(read: impl FnOnce() -> T) -> Option<T> {
    panic::catch_unwind(panic::AssertUnwindSafe(read)).ok()
}

/// Checks that `table` has the rows of `batches`, which another reader returned for the same bytes.
pub fn check_batches(table: &Table, batches: &[RecordBatch]) {
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    assert_eq!(table.rows.len(), rows);
    let mut ours = table.rows.iter();
    for batch in batches {
        for i in 0..batch.num_rows() {
            let Some(Ok(cells)) = ours.next() else {
                panic!("a row of columns can always be read");
            };
            for (name, cell) in COLUMNS.iter().zip(cells) {
                match (batch.column_by_name(name), cell) {
                    (None, cell) => assert_eq!(*cell, Cell::Missing),
                    (Some(column), cell) => {
                        if let Some(expected) = value(column.as_ref(), i) {
                            assert_eq!(*cell, expected, "{name}, row {i}");
                        }
                    }
                }
            }
        }
    }
}

/// Returns a value of a column of text or bytes; `None` for other types.
fn value(column: &dyn Array, i: usize) -> Option<Cell> {
    if let Some(dictionary) = column.as_any_dictionary_opt() {
        if dictionary.keys().is_null(i) {
            return Some(Cell::Null);
        }
        let place = *dictionary.normalized_keys().get(i)?;
        return value(dictionary.values().as_ref(), place);
    }
    if column.is_null(i) {
        return Some(Cell::Null);
    }
    let bytes = match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(i).as_bytes(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(i).as_bytes(),
        DataType::Utf8View => column.as_string_view().value(i).as_bytes(),
        DataType::Binary => column.as_binary::<i32>().value(i),
        DataType::LargeBinary => column.as_binary::<i64>().value(i),
        DataType::BinaryView => column.as_binary_view().value(i),
        DataType::FixedSizeBinary(_) => column.as_fixed_size_binary().value(i),
        _ => return None,
    };
    Some(Cell::Value(bytes.to_vec()))
}
