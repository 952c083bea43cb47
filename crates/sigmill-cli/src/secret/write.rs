//! Files that hold secrets: only their owner may read them, and none is replaced unasked.

use std::fs;
use std::path::Path;

use clap::Args;

use crate::error::CliError;
use crate::format::STANDARD_STREAM;
use crate::sink::{EXISTS, Manner, Sink};

/// Whether files that exist are replaced.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Overwrite {
    /// Replace files that exist, and write through what is no regular file
    #[arg(long)]
    force: bool,
}

impl Overwrite {
    fn create(self, path: &Path, is_secret: bool) -> Result<Sink, CliError> {
        let force = self.force;
        Sink::create(path, Manner::Key { is_secret, force })
    }
}

/// Writes `bytes` to a file at `path` that its owner alone may read and write (mode 0600), or to
/// standard output for `-`. The file appears whole or not at all.
pub(crate) fn write_secret(path: &Path, bytes: &[u8], over: Overwrite) -> Result<(), CliError> {
    let mut sink = over.create(path, true)?;
    write_all(&mut sink, bytes)?;
    sink.finish().map(drop)
}

/// Writes a secret as [`write_secret`] does, and what is public to a file that everybody may read:
/// both files appear, or none.
pub(crate) fn write_pair(
    (secret_path, secret): (&Path, &[u8]),
    (public_path, public): (&Path, &[u8]),
    over: Overwrite,
) -> Result<(), CliError> {
    let mut secret_sink = over.create(secret_path, true)?;
    let mut public_sink = over.create(public_path, false)?;
    // What goes to a stream cannot be taken back, and goes last.
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
        // It belongs to no key. That it stays is the lesser fault.
        let _ = fs::remove_file(path);
    }
    finished
}

/// Hands `bytes` over, to the disk if it is a file.
fn write_all(sink: &mut Sink, bytes: &[u8]) -> Result<(), CliError> {
    let written = sink.write_whole(bytes).and_then(|()| sink.complete());
    // A reader who has gone away does not have them: that is told.
    written.map_err(|e| CliError::io(sink.name(), e))
}

/// Says before any work is done that a file is in the way.
pub(crate) fn check_free(path: &Path, over: Overwrite) -> Result<(), CliError> {
    if !over.force && path != Path::new(STANDARD_STREAM) && path.symlink_metadata().is_ok() {
        return Err(CliError::file(path.display().to_string(), EXISTS));
    }
    Ok(())
}
