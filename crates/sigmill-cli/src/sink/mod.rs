//! Targets of output: new files that appear as a whole or not at all, lines that stay whatever ends
//! the run, and streams.

mod new_file;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::CliError;
use crate::files::resolve;
use crate::format::STANDARD_STREAM;
use crate::sink::new_file::{NewFile, lock};

/// The number of bytes that are buffered.
const BUFFER_LEN: usize = 1 << 18;

/// The message for a file that must not be replaced.
pub(crate) const EXISTS: &str = "already exists; use --force to replace it";

/// The way to write a regular file. Streams, FIFOs and devices are always written through at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteMode {
    /// A new file next to the target replaces it when it is complete.
    Whole,
    /// Lines are written in place, by [`Sink::write_whole`].
    Lines,
    /// As `Whole`. An existing file is replaced only if `force` is set, and then whatever its
    /// permissions.
    Key {
        /// Only the owner may read the file (mode 0600).
        is_secret: bool,
        force: bool,
    },
}

/// A target of output. If it is dropped before [`Sink::finish`], a new file is discarded, and lines
/// that were written stay.
pub(crate) struct Sink {
    name: String,
    to: To,
}

enum To {
    New(NewFile),
    Place {
        file: BufWriter<File>,
        /// The length to which the file is truncated if a write fails; `None` if the target cannot
        /// be truncated.
        good: Option<u64>,
    },
    Stdout(BufWriter<io::Stdout>),
}

impl Sink {
    /// Opens the file at `path`, or standard output for `-`.
    pub(crate) fn create(path: &Path, manner: WriteMode) -> Result<Self, CliError> {
        if path == Path::new(STANDARD_STREAM) {
            return Ok(Self {
                name: "standard output".into(),
                to: To::Stdout(BufWriter::with_capacity(BUFFER_LEN, io::stdout())),
            });
        }
        let name = path.display().to_string();
        match To::open(path, manner) {
            Ok(to) => Ok(Self { name, to }),
            Err(error) => Err(refused(name, error)),
        }
    }

    /// Returns the name of the target for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if it is a new file that is not in its place yet.
    pub(crate) fn is_new_file(&self) -> bool {
        matches!(self.to, To::New(_))
    }

    /// Returns true if it is standard output.
    pub(crate) fn is_stdout(&self) -> bool {
        matches!(self.to, To::Stdout(_))
    }

    /// Writes `bytes` past the buffer. If that fails, none of them stay in a file that can be
    /// truncated.
    pub(crate) fn write_whole(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.to {
            To::New(new) => new.write_through(bytes),
            To::Stdout(stdout) => {
                let stdout = stdout.get_mut();
                stdout.write_all(bytes)?;
                stdout.flush()
            }
            To::Place { file, good } => {
                let file = file.get_mut();
                let written = file.write_all(bytes);
                if let Some(good) = good {
                    match written {
                        Ok(()) => *good += bytes.len() as u64,
                        // Half a line would be read as a row.
                        Err(_) => file.set_len(*good)?,
                    }
                }
                written
            }
        }
    }

    /// Flushes everything to the operating system, and a new file to its disk.
    pub(crate) fn complete(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::New(new) => new.complete(),
            To::Place { file, .. } => file.flush(),
            To::Stdout(stdout) => stdout.flush(),
        }
    }

    /// Completes the output and moves a new file into its place. Returns its path if no file was
    /// there before.
    pub(crate) fn finish(mut self) -> Result<Option<PathBuf>, CliError> {
        let finished = self.complete().and_then(|()| match self.to {
            To::New(new) => new.put_in_place(),
            To::Place { .. } | To::Stdout(_) => Ok(None),
        });
        finished.map_err(|e| refused(self.name, e))
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            To::New(new) => new.write(bytes),
            To::Place { file, .. } => file.write(bytes),
            To::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::New(new) => new.flush(),
            To::Place { file, .. } => file.flush(),
            To::Stdout(stdout) => stdout.flush(),
        }
    }
}

fn refused(name: String, error: io::Error) -> CliError {
    match error.kind() {
        ErrorKind::AlreadyExists => CliError::file(name, EXISTS),
        _ => CliError::io(name, error),
    }
}

impl To {
    fn open(path: &Path, manner: WriteMode) -> io::Result<Self> {
        let old = match fs::metadata(path) {
            Err(e) if e.kind() == ErrorKind::NotFound => None,
            old => Some(old?),
        };
        if let WriteMode::Key { force: false, .. } = manner
            && path.symlink_metadata().is_ok()
        {
            return Err(ErrorKind::AlreadyExists.into());
        }
        if old.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(ErrorKind::IsADirectory.into());
        }
        // A link stays, and its target is written. A target that is not a regular file, or that no
        // longer has a name (standard output by another name), is not replaced by one.
        let target = match (resolve(path), &old) {
            (Ok(target), None) => target,
            (Ok(target), Some(old)) if old.is_file() => target,
            (Err(error), None) => return Err(error),
            (_, Some(_)) => {
                let file = OpenOptions::new().write(true).open(path)?;
                return Ok(Self::place(file, None));
            }
        };
        if manner == WriteMode::Lines {
            let mut options = OpenOptions::new();
            let options = options.write(true).create(true).truncate(false);
            let file = options.open(target)?;
            lock(&file)?;
            file.set_len(0)?;
            return Ok(Self::place(file, Some(0)));
        }
        NewFile::create(target, old.as_ref(), manner).map(Self::New)
    }

    fn place(file: File, good: Option<u64>) -> Self {
        Self::Place {
            file: BufWriter::with_capacity(BUFFER_LEN, file),
            good,
        }
    }
}
