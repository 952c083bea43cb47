//! Where output goes: new files that appear whole or not at all, lines that stay whatever comes,
//! streams.

mod new_file;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::CliError;
use crate::files::resolve;
use crate::format::STANDARD_STREAM;
use crate::sink::new_file::{NewFile, lock};

/// Bytes that are gathered for the operating system.
const BUFFER_LEN: usize = 1 << 18;

/// What is said of a file that is not to be replaced.
pub(crate) const EXISTS: &str = "it exists; --force replaces it";

/// How a regular file is written. Streams, FIFOs and devices are written through at once, whatever
/// is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// A new file beside the target takes its place when it is whole.
    Whole,
    /// In place, by [`Sink::write_whole`].
    Lines,
    /// As `Whole`; replaces a file only where `force` says so, and then whatever its permissions.
    Key {
        /// Only the owner may read it (mode 0600).
        is_secret: bool,
        force: bool,
    },
}

/// What a run writes to. Dropped before [`Sink::finish`], it leaves of a new file nothing, of lines
/// those written.
pub(crate) struct Sink {
    name: String,
    to: To,
}

enum To {
    New(NewFile),
    Place {
        file: BufWriter<File>,
        /// The length that the file is cut to when a write fails; none of what cannot be cut.
        good: Option<u64>,
    },
    Stdout(BufWriter<io::Stdout>),
}

impl Sink {
    /// Opens the file at `path`, or standard output for `-`.
    pub(crate) fn create(path: &Path, manner: Manner) -> Result<Self, CliError> {
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

    /// What it is called in messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is a file that is not in its place yet.
    pub(crate) fn is_new_file(&self) -> bool {
        matches!(self.to, To::New(_))
    }

    /// Whether it is standard output.
    pub(crate) fn is_stdout(&self) -> bool {
        matches!(self.to, To::Stdout(_))
    }

    /// Writes `bytes` past the buffer, or, as far as the file can be cut, nothing of them.
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
                        // Half a line would be taken for a row.
                        Err(_) => file.set_len(*good)?,
                    }
                }
                written
            }
        }
    }

    /// Hands everything over to the operating system, a new file to its disk.
    pub(crate) fn complete(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::New(new) => new.complete(),
            To::Place { file, .. } => file.flush(),
            To::Stdout(stdout) => stdout.flush(),
        }
    }

    /// Completes what was written and puts a new file into its place. Returns its path if there was
    /// none before.
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
    fn open(path: &Path, manner: Manner) -> io::Result<Self> {
        let old = match fs::metadata(path) {
            Err(e) if e.kind() == ErrorKind::NotFound => None,
            old => Some(old?),
        };
        if let Manner::Key { force: false, .. } = manner
            && path.symlink_metadata().is_ok()
        {
            return Err(ErrorKind::AlreadyExists.into());
        }
        if old.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(ErrorKind::IsADirectory.into());
        }
        // A link stays, and what it points to is written. What is no regular file, or has no name
        // any more (standard output by another name), is not replaced by one.
        let target = match (resolve(path), &old) {
            (Ok(target), None) => target,
            (Ok(target), Some(old)) if old.is_file() => target,
            (Err(error), None) => return Err(error),
            (_, Some(_)) => {
                let file = OpenOptions::new().write(true).open(path)?;
                return Ok(Self::place(file, None));
            }
        };
        if manner == Manner::Lines {
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
