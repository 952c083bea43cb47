//! Arrow IPC: the rows are those of the ordinary readers of files and of streams.
#![no_main]

mod shared;

use std::io::Cursor;

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use libfuzzer_sys::fuzz_target;
use shared::{caught, check_batches, only_own_panics_count};
use sigmill_cli::fuzzing::read_table;

fn read(data: &[u8]) -> Option<Vec<RecordBatch>> {
    if data.starts_with(b"ARROW1") {
        let reader = FileReader::try_new(Cursor::new(data), None).ok()?;
        reader.collect::<Result<_, _>>().ok()
    } else {
        let reader = StreamReader::try_new(Cursor::new(data), None).ok()?;
        reader.collect::<Result<_, _>>().ok()
    }
}

fuzz_target!(
    init: only_own_panics_count(),
    |data: &[u8]| {
        let Some(table) = caught(|| read_table(data, "arrow")) else {
            return;
        };
        if table.error.is_none()
            && let Some(Some(batches)) = caught(|| read(data))
        {
            check_batches(&table, &batches);
        }
    }
);
