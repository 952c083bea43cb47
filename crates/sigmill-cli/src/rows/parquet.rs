//! Parquet. All of its readers use the footer.

mod thrift;

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::ParquetMetaData;

use self::thrift::Walker;
use crate::rows::batch::BatchHeader;
use crate::rows::source::CHUNK_ROWS;

/// The number of rows that a file may have, in addition to [`MAX_ROWS_PER_BYTE`] for each of its
/// bytes. Rows that repeat need hardly any space, but each costs time.
const FREE_ROWS: u64 = 1 << 20;

/// See [`FREE_ROWS`]. A row with its own signature needs 64 bytes.
const MAX_ROWS_PER_BYTE: u64 = 8;

/// The length of the end of a file: the length of the footer, and the magic number.
const TRAILER_LEN: u64 = 8;

/// The total length that the decompressed pages of a file may claim, in addition to [`MAX_RATIO`]
/// times the file's length.
const FREE_LEN: u64 = 1 << 30;

/// See [`FREE_LEN`].
const MAX_RATIO: u64 = 256;

/// The memory for the fixed-length values of a batch. A page may repeat a value any number of
/// times.
const MAX_FIXED_LEN: usize = 64 << 20;

/// A file whose footer has been read. An error is a rule of the format that is broken.
pub(crate) struct ParquetFile {
    file: File,
    metadata: ArrowReaderMetadata,
}

impl ParquetFile {
    pub(crate) fn open(mut file: File) -> Result<Self, String> {
        check_footer(&mut file)?;
        // Parquet's own schema determines the types of columns. The Arrow schema next to it, which
        // not every reader uses, could differ.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = ArrowReaderMetadata::load(&file, options.clone()).map_err(rule)?;
        let options = options.with_schema(Arc::new(with_views(metadata.schema())));
        let metadata =
            ArrowReaderMetadata::try_new(metadata.metadata().clone(), options).map_err(rule)?;
        Ok(Self { file, metadata })
    }

    /// Returns the schema, with all columns.
    pub(crate) fn schema(&self) -> &Schema {
        self.metadata.schema()
    }

    /// Returns the number of rows. Fails if columns overlap, or if the file is too short for so
    /// many rows.
    pub(crate) fn rows(&self, header: &BatchHeader, len: u64) -> Result<u64, String> {
        let metadata = self.metadata.metadata();
        let mut rows = 0_u64;
        let mut stored = 0_u64;
        for group in metadata.row_groups() {
            let counted = u64::try_from(group.num_rows()).ok();
            let sum = counted.and_then(|counted| rows.checked_add(counted));
            rows = sum.ok_or("number of rows of a row group is out of range")?;
            let roots = self.metadata.parquet_schema();
            for (i, column) in group.columns().iter().enumerate() {
                let root = roots.get_column_root_idx(i);
                if header.positions().contains(&root) {
                    stored = stored.saturating_add(column.byte_range().1);
                }
            }
        }
        check_rows(metadata, rows, len)?;
        if stored > len {
            return Err("columns of row groups must not overlap".into());
        }
        Ok(rows)
    }

    /// Checks the page headers of the columns that `header` reads; `len` is the length of the file.
    fn check_pages(&mut self, header: &BatchHeader, len: u64) -> Result<(), String> {
        let roots = self.metadata.parquet_schema();
        let positions = header.positions();
        let mut reader = BufReader::new(&mut self.file);
        let mut most = FREE_LEN.saturating_add(MAX_RATIO.saturating_mul(len));
        for group in self.metadata.metadata().row_groups() {
            let columns = group.columns().iter().enumerate();
            for (_, column) in
                columns.filter(|&(i, _)| positions.contains(&roots.get_column_root_idx(i)))
            {
                let (start, len) = column.byte_range();
                reader.seek(SeekFrom::Start(start)).map_err(rule)?;
                let mut pages = Walker::new(&mut reader, len);
                while pages.left() > 0 {
                    // The second field is the length in memory, the third the length in the file.
                    let [_, long, short] = pages.structure().map_err(of_page)?;
                    let lengths = long.zip(short).and_then(|(long, short)| {
                        Some((u64::try_from(long).ok()?, u64::try_from(short).ok()?))
                    });
                    let (long, short) = lengths.ok_or("page has no length")?;
                    most = most.checked_sub(long).ok_or(
                        "pages decompress to more than 1 GiB and 256 times the file's length",
                    )?;
                    pages.skip(short).map_err(of_page)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the batches of the columns that `header` reads; `len` is the length of the file.
    pub(crate) fn batches(
        mut self,
        header: &BatchHeader,
        len: u64,
    ) -> Result<ParquetRecordBatchReader, String> {
        self.check_pages(header, len)?;
        let fixed_len: usize = header
            .positions()
            .iter()
            .map(|&i| match self.schema().field(i).data_type() {
                DataType::FixedSizeBinary(len) => usize::try_from(*len).unwrap_or(0),
                _ => 0,
            })
            .sum();
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(self.file, self.metadata);
        let mask = ProjectionMask::roots(builder.parquet_schema(), header.positions());
        builder
            .with_batch_size((MAX_FIXED_LEN / fixed_len.max(1)).clamp(1, CHUNK_ROWS))
            .with_projection(mask)
            .build()
            .map_err(rule)
    }
}

/// Checks the structure of the footer.
fn check_footer(file: &mut File) -> Result<(), String> {
    let len = file.seek(SeekFrom::End(0)).map_err(rule)?;
    let trailer = len.checked_sub(TRAILER_LEN).ok_or("truncated")?;
    file.seek(SeekFrom::Start(trailer)).map_err(rule)?;
    let mut footer_len = [0; 4];
    file.read_exact(&mut footer_len).map_err(rule)?;
    let footer_len = u64::from(u32::from_le_bytes(footer_len));
    let start = trailer
        .checked_sub(footer_len)
        .ok_or("footer is longer than the file")?;
    file.seek(SeekFrom::Start(start)).map_err(rule)?;
    let walked = Walker::new(&mut BufReader::new(&mut *file), footer_len).structure();
    walked.map(drop).map_err(|e| format!("the footer: {e}"))
}

fn of_page(rule: String) -> String {
    format!("page header: {rule}")
}

fn check_rows(metadata: &ParquetMetaData, rows: u64, len: u64) -> Result<(), String> {
    if u64::try_from(metadata.file_metadata().num_rows()) != Ok(rows) {
        return Err("row groups must add up to the file's number of rows".into());
    }
    let most = len
        .saturating_mul(MAX_ROWS_PER_BYTE)
        .saturating_add(FREE_ROWS);
    if rows > most {
        return Err(format!(
            "{rows} rows in {len} bytes; expected at most {most}"
        ));
    }
    Ok(())
}

/// Returns a schema with text and bytes as views, so that rows can share one copy of a value in
/// memory.
fn with_views(schema: &Schema) -> Schema {
    let fields = schema.fields().iter().map(|field| -> Arc<Field> {
        let data_type = match field.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
            DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
            _ => return field.clone(),
        };
        Arc::new(field.as_ref().clone().with_data_type(data_type))
    });
    Schema::new(fields.collect::<Vec<_>>())
}

fn rule(error: impl std::fmt::Display) -> String {
    error.to_string()
}
