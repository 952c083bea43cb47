//! Files that hold secrets: only their owner may read them, and none is replaced unasked.

use std::io::{self, Write};
use std::path::Path;

use clap::Args;
use tempfile::NamedTempFile;

use crate::error::CliError;
use crate::format::STANDARD_STREAM;

/// Whether files that exist are replaced.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Overwrite {
    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

/// Writes `bytes` to a file at `path` that its owner alone may read and write (mode 0600), or to
/// standard output for `-`. The file appears whole or not at all.
pub(crate) fn write_secret(path: &Path, bytes: &[u8], over: Overwrite) -> Result<(), CliError> {
    if path == Path::new(STANDARD_STREAM) {
        let mut stdout = io::stdout();
        stdout.write_all(bytes)?;
        return Ok(stdout.flush()?);
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    // A temporary file has mode 0600 from the start.
    let write = || {
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        if over.force {
            file.persist(path)
        } else {
            file.persist_noclobber(path)
        }
        .map_err(|e| e.error)
    };
    write().map(drop).map_err(|e| refused(path, e))
}

/// Writes `bytes` to a file at `path` that everybody may read, or to standard output for `-`.
pub(crate) fn write_public(path: &Path, bytes: &[u8], over: Overwrite) -> Result<(), CliError> {
    if path == Path::new(STANDARD_STREAM) {
        return write_secret(path, bytes, over);
    }
    let file = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .create_new(!over.force)
        .truncate(over.force)
        .open(path);
    file.and_then(|mut file| file.write_all(bytes))
        .map_err(|e| refused(path, e))
}

/// Says before any work is done that a file is in the way.
pub(crate) fn check_free(path: &Path, over: Overwrite) -> Result<(), CliError> {
    if !over.force && path != Path::new(STANDARD_STREAM) && path.symlink_metadata().is_ok() {
        return Err(refused(path, io::ErrorKind::AlreadyExists.into()));
    }
    Ok(())
}

fn refused(path: &Path, error: io::Error) -> CliError {
    let name = path.display().to_string();
    if error.kind() == io::ErrorKind::AlreadyExists {
        return CliError::file(name, "it exists; --force replaces it");
    }
    CliError::io(name, error)
}
