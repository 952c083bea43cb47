//! Files that hold secrets. Only their owner may read them, and existing files are replaced only on
//! request.

use std::fs;
use std::path::Path;

use clap::Args;

use crate::error::CliError;
use crate::format::STANDARD_STREAM;
use crate::sink::{EXISTS, Sink, WriteMode};

/// True if existing files are replaced.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Overwrite {
    /// Replace existing files, and write to targets that are not regular files
    #[arg(long)]
    force: bool,
}

impl Overwrite {
    fn create(self, path: &Path, is_secret: bool) -> Result<Sink, CliError> {
        let force = self.force;
        Sink::create(path, WriteMode::Key { is_secret, force })
    }
}

/// Writes `bytes` to a file at `path` that only its owner may read and write (mode 0600), or to
/// standard output for `-`. The file appears as a whole or not at all.
pub(crate) fn write_secret(path: &Path, bytes: &[u8], over: Overwrite) -> Result<(), CliError> {
    let mut sink = over.create(path, true)?;
    write_all(&mut sink, bytes)?;
    sink.finish().map(drop)
}

/// Writes a secret as [`write_secret`] does, and public data to a file that everybody may read.
/// Either both files appear or neither.
pub(crate) fn write_pair(
    (secret_path, secret): (&Path, &[u8]),
    (public_path, public): (&Path, &[u8]),
    over: Overwrite,
) -> Result<(), CliError> {
    let mut secret_sink = over.create(secret_path, true)?;
    let mut public_sink = over.create(public_path, false)?;
    // Output to a stream cannot be undone, so it comes last.
    if secret_sink.is_new_file() {
        write_all(&mut secret_sink, secret)?;
        write_all(&mut public_sink, public)?;
    } else {
        write_all(&mut public_sink, public)?;
        write_all(&mut secret_sink, secret)?;
    }
    let made = public_sink.finish()?;
    let finished = secret_sink.finish().map(drop);
    if let (Err(_), Some(path)) = (&finished, made) {
        // The public file belongs to no key. Failing to remove it is the lesser fault.
        let _ = fs::remove_file(path);
    }
    finished
}

/// Writes `bytes`, and syncs a new file to its disk.
fn write_all(sink: &mut Sink, bytes: &[u8]) -> Result<(), CliError> {
    let written = sink.write_whole(bytes).and_then(|()| sink.complete());
    // A reader that has gone away has not received the bytes. That is an error here.
    written.map_err(|e| CliError::io(sink.name(), e))
}

/// Fails before any work is done if a file is in the way.
pub(crate) fn check_free(path: &Path, over: Overwrite) -> Result<(), CliError> {
    if !over.force && path != Path::new(STANDARD_STREAM) && path.symlink_metadata().is_ok() {
        return Err(CliError::file(path.display().to_string(), EXISTS));
    }
    Ok(())
}
