//! Writes a file of hints, as the rows come.

use std::io::{self, Write};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::{MAGIC, NONE, Named, VERSION};
use crate::error::CliError;
use crate::sink::{Manner, Sink};

/// A file of hints under way: it takes its place when it is whole.
pub(crate) struct HintsWriter {
    name: String,
    sink: Sink,
    digest: Sha256,
    rows: u64,
    /// The half byte that waits for another.
    low: Option<u8>,
    buffer: Vec<u8>,
}

impl HintsWriter {
    pub(crate) fn create(path: &Path) -> Result<Self, CliError> {
        let sink = Sink::create(path, Manner::Whole)?;
        let mut this = Self {
            name: sink.name().to_owned(),
            sink,
            digest: Sha256::new(),
            rows: 0,
            low: None,
            buffer: vec![],
        };
        this.buffer.extend_from_slice(MAGIC);
        this.buffer.extend_from_slice(&VERSION.to_be_bytes());
        this.buffer.extend_from_slice(&[0; 6]);
        this.flush()?;
        Ok(this)
    }

    /// The half bytes of the next rows.
    pub(crate) fn write(&mut self, hints: &[u8]) -> Result<(), CliError> {
        self.rows += hints.len() as u64;
        for &hint in hints {
            debug_assert!(hint < 4 || hint == NONE);
            match self.low.take() {
                None => self.low = Some(hint),
                Some(low) => self.buffer.push(low | hint << 4),
            }
        }
        self.flush()
    }

    /// Names the rows, and puts the file into its place.
    pub(crate) fn finish(mut self, named: Named) -> Result<(), CliError> {
        let (rows, signatures) = named.finish();
        if rows != self.rows {
            let message = format!("{} of {rows} rows have a place for a hint", self.rows);
            return Err(CliError::Internal(message));
        }
        if let Some(low) = self.low.take() {
            self.buffer.push(low | NONE << 4);
        }
        self.buffer.extend_from_slice(&rows.to_be_bytes());
        self.buffer.extend_from_slice(&signatures);
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
