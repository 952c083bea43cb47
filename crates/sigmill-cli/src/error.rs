//! Errors that end a run early, and exit codes.

use std::io;
use std::process::ExitCode;

/// Outcome of a finished run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything that was judged is valid, or there was nothing to judge. Exit code 0.
    Clean,
    /// At least one signature was rejected. Exit code 1.
    Rejected,
    /// A file could not be read. The rest was judged, and the errors have been reported. Exit code
    /// 2.
    Failed,
    /// A signal ended the run before the end of its input. Exit code 128 + the signal's number.
    Interrupted(u8),
}

impl Outcome {
    /// Returns the outcome of a run. `signal` is the number of the signal that ended it, or 0.
    pub(crate) fn of(signal: usize, has_failed: bool, rejected: u64) -> Self {
        match () {
            () if signal != 0 => Self::Interrupted(u8::try_from(signal).unwrap_or(u8::MAX)),
            () if has_failed => Self::Failed,
            () if rejected > 0 => Self::Rejected,
            () => Self::Clean,
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Clean => ExitCode::SUCCESS,
            Outcome::Rejected => ExitCode::from(1),
            Outcome::Failed => ExitCode::from(2),
            Outcome::Interrupted(signal) => ExitCode::from(128u8.saturating_add(signal)),
        }
    }
}

/// A usage or input/output error: exit code 2.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The arguments contradict each other or the input.
    #[error("{0}")]
    Usage(String),
    /// The operating system refused to read or write a file.
    #[error("{name}: {source}")]
    Io {
        /// The file, as the user named it.
        name: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// A file is not valid.
    #[error("{name}: {message}")]
    File {
        /// The file, as the user named it.
        name: String,
        /// The rule that the file breaks.
        message: String,
    },
    /// A defect of this program.
    #[error("internal error, please report it: {0}")]
    Internal(String),
    /// Standard output could not be written.
    #[error("standard output: {0}")]
    Stdout(#[from] io::Error),
}

impl CliError {
    /// An I/O error of the file that the user calls `name`.
    pub(crate) fn io(name: impl Into<String>, source: io::Error) -> Self {
        Self::Io {
            name: name.into(),
            source,
        }
    }

    /// A failure to create or use a temporary file.
    pub(crate) fn temporary(source: io::Error) -> Self {
        let folder = std::env::temp_dir();
        Self::io(format!("a temporary file in {}", folder.display()), source)
    }

    /// A defect of the whole file that the user calls `name`.
    pub(crate) fn file(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self::File {
            name: name.into(),
            message: message.into(),
        }
    }

    /// Returns true if the reader of standard output has gone away (`sigmill ... | head`). Nobody
    /// is left to read an error message.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Stdout(e) if e.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The exit code of a run that ends with this error.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(2)
    }
}
