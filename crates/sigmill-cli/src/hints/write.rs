//! Writes a file of hints while rows arrive. The file appears when it is complete.

use std::io::{self, Write};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::table::{self, TableOfHints};
use super::{MAGIC, Packed, SeenRows, VERSION};
use crate::error::CliError;
use crate::format::TableFormat;
use crate::sink::{Sink, WriteMode};

/// A file of hints that is being written: a table, or half a byte per row.
pub(crate) enum HintsWriter {
    Table(TableOfHints),
    Halves(Box<HalvesWriter>),
}

impl HintsWriter {
    /// Creates the file at `path`. Its extension determines the kind of file.
    pub(crate) fn create(path: &Path) -> Result<Self, CliError> {
        match TableFormat::of_extension(path) {
            Some(format) => table::create(path, format).map(Self::Table),
            None => HalvesWriter::create(path).map(|writer| Self::Halves(Box::new(writer))),
        }
    }

    /// Adds `rows` rows: their half bytes, and their signatures encoded by
    /// [`append_signature`](super::append_signature).
    pub(crate) fn write(
        &mut self,
        rows: u64,
        hints: &[u8],
        signatures: &[u8],
    ) -> Result<(), CliError> {
        if hints.len() as u64 != rows {
            let message = format!("{} of {rows} rows have a place for a hint", hints.len());
            return Err(CliError::Internal(message));
        }
        match self {
            Self::Table(writer) => table::write(writer, hints, signatures),
            Self::Halves(writer) => writer.write(hints, signatures),
        }
    }

    /// Writes the identity of the rows, and moves the file into its place.
    pub(crate) fn finish(self) -> Result<(), CliError> {
        match self {
            Self::Table(writer) => writer.finish(),
            Self::Halves(writer) => writer.finish(),
        }
    }
}

/// Writes half a byte per row.
pub(crate) struct HalvesWriter {
    name: String,
    sink: Sink,
    digest: Sha256,
    named: SeenRows,
    packed: Packed,
    buffer: Vec<u8>,
}

impl HalvesWriter {
    fn create(path: &Path) -> Result<Self, CliError> {
        let sink = Sink::create(path, WriteMode::Whole)?;
        let mut this = Self {
            name: sink.name().to_owned(),
            sink,
            digest: Sha256::new(),
            named: SeenRows::default(),
            packed: Packed::default(),
            buffer: vec![],
        };
        this.buffer.extend_from_slice(MAGIC);
        this.buffer.extend_from_slice(&VERSION.to_be_bytes());
        this.buffer.extend_from_slice(&[0; 6]);
        this.flush()?;
        Ok(this)
    }

    fn write(&mut self, hints: &[u8], signatures: &[u8]) -> Result<(), CliError> {
        self.named.rows += hints.len() as u64;
        self.named.signatures.update(signatures);
        self.packed.push(hints, &mut self.buffer);
        self.flush()
    }

    fn finish(mut self) -> Result<(), CliError> {
        std::mem::take(&mut self.packed).finish(&mut self.buffer);
        let SeenRows {
            rows, signatures, ..
        } = std::mem::take(&mut self.named);
        self.buffer.extend_from_slice(&rows.to_be_bytes());
        self.buffer.extend_from_slice(&signatures.finalize());
        self.flush()?;
        let digest = self.digest.finalize();
        let written = self.sink.write_all(&digest);
        written.map_err(|e| failed(&self.name, e))?;
        self.sink.finish().map(drop)
    }

    fn flush(&mut self) -> Result<(), CliError> {
        self.digest.update(&self.buffer);
        let written = self.sink.write_all(&self.buffer);
        self.buffer.clear();
        written.map_err(|e| failed(&self.name, e))
    }
}

fn failed(name: &str, error: io::Error) -> CliError {
    CliError::io(name, error)
}
