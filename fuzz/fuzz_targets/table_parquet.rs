//! Parquet: the rows are those of the ordinary reader.
#![no_main]

mod shared;

use arrow_array::RecordBatch;
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use shared::{caught, check_batches, only_own_panics_count};
use sigmill_cli::fuzzing::read_table;

fn read(data: &[u8]) -> Option<Vec<RecordBatch>> {
    let data = Bytes::copy_from_slice(data);
    let reader = ParquetRecordBatchReaderBuilder::try_new(data).ok()?;
    let reader = reader.build().ok()?;
    reader.collect::<Result<_, _>>().ok()
}

fuzz_target!(
    init: only_own_panics_count(),
    |data: &[u8]| {
        let Some(table) = caught(|| read_table(data, "parquet")) else {
            return;
        };
        if table.error.is_none()
            && let Some(Some(batches)) = caught(|| read(data))
        {
            check_batches(&table, &batches);
        }
    }
);
