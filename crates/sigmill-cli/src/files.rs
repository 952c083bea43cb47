//! The files of a run. No file may be both read and written, or written twice, under any name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::CliError;
use crate::format::STANDARD_STREAM;

/// The files that a run reads and writes; `-` is standard input or standard output.
#[derive(Default)]
pub(crate) struct Files<'a> {
    read: Vec<(&'static str, &'a Path)>,
    written: Vec<Written<'a>>,
}

/// A file that is written.
struct Written<'a> {
    /// The option that names the file; `None` for printed output.
    option: Option<&'static str>,
    what: &'static str,
    path: &'a Path,
}

impl<'a> Files<'a> {
    /// Adds `paths`, from which `what` is read.
    pub(crate) fn reads(
        mut self,
        what: &'static str,
        paths: impl IntoIterator<Item = &'a PathBuf>,
    ) -> Self {
        self.read
            .extend(paths.into_iter().map(|path| (what, path.as_path())));
        self
    }

    /// Adds `paths`, named by `option`, to which `what` is written.
    pub(crate) fn writes(
        mut self,
        option: &'static str,
        what: &'static str,
        paths: impl IntoIterator<Item = &'a PathBuf>,
    ) -> Self {
        self.written.extend(paths.into_iter().map(|path| Written {
            option: Some(option),
            what,
            path,
        }));
        self
    }

    /// Adds a report on standard output.
    pub(crate) fn prints(mut self) -> Self {
        self.written.push(Written {
            option: None,
            what: "standard output, which carries the report; use --json for JSON",
            path: Path::new(STANDARD_STREAM),
        });
        self
    }

    /// Refuses a run that would write to a file that it also reads or writes, that would read
    /// standard input twice, or that needs a standard stream that is closed.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        let is_standard = |path: &Path| path == Path::new(STANDARD_STREAM);
        match self.read.iter().filter(|file| is_standard(file.1)).count() {
            0 => {}
            1 => Standard::Input.check()?,
            _ => {
                return Err(CliError::Usage(
                    "-: standard input can be read only once".into(),
                ));
            }
        }
        let read = self
            .read
            .iter()
            .map(|&(what, path)| (what, path, Standard::Input));
        let mut seen: Vec<(&str, &Path, Option<Identity>)> = read
            .map(|(what, path, standard)| (what, path, Identity::of(path, standard)))
            .collect();
        let first_written = seen.len();
        for (number, written) in (first_written..).zip(&self.written) {
            let path = written.path;
            if is_standard(path) && written.option.is_some() {
                Standard::Output.check()?;
            }
            let identity = Identity::of(path, Standard::Output);
            let is_same = |(index, seen): &(usize, &(&str, &Path, Option<Identity>))| {
                let is_written = *index >= first_written;
                (is_written && is_standard(path) && is_standard(seen.1))
                    || (identity.is_some() && identity == seen.2)
            };
            if let Some((_, (what, ..))) = seen.iter().enumerate().find(is_same) {
                let name = match written.option {
                    Some(option) => format!("{option} {}", path.display()),
                    None => "standard output".into(),
                };
                return Err(CliError::Usage(format!("{name}: is also {what}")));
            }
            debug_assert_eq!(number, seen.len());
            seen.push((written.what, path, identity));
        }
        Ok(())
    }
}

/// Fails if no file exists at `path`, before anything is written for it.
pub(crate) fn check_exists(path: &Path) -> Result<(), CliError> {
    if path == Path::new(STANDARD_STREAM) {
        return Ok(());
    }
    let there = fs::metadata(path).map(drop);
    there.map_err(|e| CliError::io(path.display().to_string(), e))
}

/// Returns the folder that contains the file at `path`.
pub(crate) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns the file that `path` means, or will mean once it is created, with links resolved.
pub(crate) fn resolve(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => match fs::read_link(path) {
            // The link points to a file that does not exist yet. A chain of such links ends; a loop
            // is another error.
            Ok(link) => resolve(&folder(path).join(link)),
            Err(_) => Ok(path.to_owned()),
        },
        found => found,
    }
}

/// The identity of a file, equal for all its names.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    There(FileId),
    /// To be created in this folder under this name.
    New(FileId, std::ffi::OsString),
}

impl Identity {
    /// Returns the identity of the file at `path`, or of the stream that `-` stands for. Returns
    /// `None` for files that many may use at a time (terminals and other character devices,
    /// sockets), and for paths that cannot exist.
    fn of(path: &Path, standard: Standard) -> Option<Self> {
        if path == Path::new(STANDARD_STREAM) {
            return standard.id().map(Self::There);
        }
        match fs::metadata(path) {
            Ok(_) => path_id(path).map(Self::There),
            Err(_) => {
                let target = resolve(path).ok()?;
                let name = target.file_name()?.to_owned();
                Some(Self::New(path_id(folder(&target))?, name))
            }
        }
    }
}

/// A standard stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standard {
    Input,
    Output,
}

#[cfg(unix)]
type FileId = (u64, u64);

/// Device and inode. Nothing is opened: opening a FIFO would end it or wait for its other end.
#[cfg(unix)]
fn path_id(path: &Path) -> Option<FileId> {
    metadata_id(&fs::metadata(path).ok()?)
}

#[cfg(unix)]
fn metadata_id(metadata: &fs::Metadata) -> Option<FileId> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let kind = metadata.file_type();
    let is_shared = kind.is_char_device() || kind.is_socket();
    (!is_shared).then(|| (metadata.dev(), metadata.ino()))
}

/// On other systems, two names of one file (hard links) are not detected, and neither are standard
/// streams.
#[cfg(not(unix))]
type FileId = PathBuf;

#[cfg(not(unix))]
fn path_id(path: &Path) -> Option<FileId> {
    fs::canonicalize(path).ok()
}

impl Standard {
    #[cfg(unix)]
    fn id(self) -> Option<FileId> {
        use std::os::fd::AsFd;
        let (stdin, stdout) = (io::stdin(), io::stdout());
        let stream = match self {
            Self::Input => stdin.as_fd(),
            Self::Output => stdout.as_fd(),
        };
        let file = fs::File::from(stream.try_clone_to_owned().ok()?);
        metadata_id(&file.metadata().ok()?)
    }

    #[cfg(not(unix))]
    fn id(self) -> Option<FileId> {
        None
    }

    /// Fails if the stream was closed when the program began, or if it is open in the other
    /// direction only. Otherwise input would seem empty, and output would be lost without an error.
    fn check(self) -> Result<(), CliError> {
        let (name, number, wrong, done) = match self {
            Self::Input => ("standard input", 0, WRITE_ONLY, "reading"),
            Self::Output => ("standard output", 1, READ_ONLY, "writing"),
        };
        match access_mode(number) {
            Some(mode) if mode == wrong => {
                Err(CliError::file(name, format!("not open for {done}")))
            }
            Some(READ_WRITE) if is_null(number) => Err(CliError::file(name, "closed")),
            _ => Ok(()),
        }
    }
}

/// The access modes of a descriptor (`O_ACCMODE`).
const READ_ONLY: u32 = 0;
const WRITE_ONLY: u32 = 1;
const READ_WRITE: u32 = 2;

/// Returns the access mode of this descriptor, or `None` if the system does not report it (only
/// Linux does).
fn access_mode(descriptor: u32) -> Option<u32> {
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{descriptor}")).ok()?;
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"))?;
    Some(u32::from_str_radix(flags.trim(), 8).ok()? & 3)
}

/// Reports whether the descriptor is `/dev/null`. Rust opens `/dev/null` for reading and writing in
/// place of a standard stream that is closed; a shell's redirection opens it for one of the two. A
/// caller who passes one that is open for both gets the error that it is closed.
fn is_null(descriptor: u32) -> bool {
    fs::read_link(format!("/proc/self/fd/{descriptor}"))
        .is_ok_and(|path| path == Path::new("/dev/null"))
}
