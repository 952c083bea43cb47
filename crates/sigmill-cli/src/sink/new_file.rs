//! A new file that is written next to its target and replaces it when it is complete.
//!
//! Its name is derived from the target's, and it is locked. So a second writer of the target is
//! detected. A file that a crash left behind has no lock, and is removed.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, Permissions, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::{BUFFER_LEN, WriteMode};
use crate::files::folder;

/// The number of attempts to create the file. Other files may come and go in the meantime.
const TRIES: usize = 8;

/// The maximum length of the part of the target's name that the file's name contains.
const MAX_NAME_LEN: usize = 200;

/// A file that is not in its place yet. If it is dropped before, it is removed.
pub(super) struct NewFile {
    file: BufWriter<NamedTempFile>,
    target: PathBuf,
    /// The existing file, locked against writers in place.
    old: Option<File>,
    manner: WriteMode,
}

impl NewFile {
    /// Creates the file next to `target`, which must not be a link. The file gets the owner and the
    /// permissions of the `existing` file as far as [`inherit`] allows. Without an existing file it
    /// gets the usual permissions. A file with a secret is accessible only to its owner from the
    /// start.
    pub(super) fn create(
        target: PathBuf,
        existing: Option<&Metadata>,
        manner: WriteMode,
    ) -> io::Result<Self> {
        let old = if existing.is_some() && manner == WriteMode::Whole {
            // This also fails if the user has no permission to write the file.
            let file = OpenOptions::new().write(true).open(&target)?;
            lock(&file)?;
            Some(file)
        } else {
            None
        };
        let is_secret = matches!(
            manner,
            WriteMode::Key {
                is_secret: true,
                ..
            }
        );
        // Nobody else may open the file before it has the permissions of the existing one.
        let file = create_partial(&target, is_secret || existing.is_some())?;
        if let (Some(existing), false) = (existing, is_secret) {
            inherit(file.as_file(), existing)?;
        }
        Ok(Self {
            file: BufWriter::with_capacity(BUFFER_LEN, file),
            target,
            old,
            manner,
        })
    }

    /// Writes past the buffer, because the buffer is not wiped.
    pub(super) fn write_through(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.get_mut().write_all(bytes)
    }

    /// Flushes everything to disk.
    pub(super) fn complete(&mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().as_file().sync_all()
    }

    /// Moves the file into its place. Returns its path if no file was there before.
    pub(super) fn put_in_place(self) -> io::Result<Option<PathBuf>> {
        let Self {
            file,
            target,
            old,
            manner,
        } = self;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        let is_new = fs::symlink_metadata(&target).is_err();
        let placed = match manner {
            WriteMode::Key { force: true, .. } => file.persist(&target),
            _ if old.is_some() => file.persist(&target),
            _ => file.persist_noclobber(&target),
        };
        match placed {
            Ok(_) => Ok(is_new.then_some(target)),
            Err(e) if manner == WriteMode::Whole && e.error.kind() == ErrorKind::AlreadyExists => {
                Err(io::Error::new(
                    ErrorKind::ResourceBusy,
                    "created by another process meanwhile; not replaced",
                ))
            }
            Err(e) => Err(e.error),
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Locks `file` until it is closed, or fails if another process has locked it. The lock ends with
/// the process that holds it.
pub(super) fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(busy()),
        // The file system has no locks.
        Err(TryLockError::Error(_)) | Ok(()) => Ok(()),
    }
}

fn busy() -> io::Error {
    io::Error::new(
        ErrorKind::ResourceBusy,
        "another process is writing this file",
    )
}

/// Creates the file, locked.
fn create_partial(target: &Path, is_secret: bool) -> io::Result<NamedTempFile> {
    let (folder, name) = (folder(target), name(target));
    let path = folder.join(&name);
    for _ in 0..TRIES {
        let mut builder = tempfile::Builder::new();
        builder.prefix(&name).rand_bytes(0);
        if let (false, Some(permissions)) = (is_secret, usual_permissions()) {
            builder.permissions(permissions);
        }
        match builder.tempfile_in(folder) {
            Ok(mut file) => {
                let locked = lock(file.as_file());
                // Another process may have removed it as a leftover before it was locked.
                if locked.is_ok() && is_file_at(file.as_file(), &path) {
                    return Ok(file);
                }
                file.disable_cleanup(true);
                locked?;
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => remove_leftover(&path)?,
            Err(e) => return Err(e),
        }
    }
    Err(busy())
}

/// Returns the name of the file next to `target`: hidden, and short enough for any file system.
fn name(target: &Path) -> OsString {
    let name = target.file_name().unwrap_or_default();
    if name.len() <= MAX_NAME_LEN {
        return [".".as_ref(), name, ".partial".as_ref()]
            .into_iter()
            .collect();
    }
    // Another target may have the same beginning. Then one of the two waits.
    let name = name.to_string_lossy();
    let mut start = String::from(".");
    for c in name.chars() {
        if start.len() + c.len_utf8() > MAX_NAME_LEN {
            break;
        }
        start.push(c);
    }
    (start + ".partial").into()
}

/// Removes a leftover of a crash at `path`. Fails if the file is being written.
fn remove_leftover(path: &Path) -> io::Result<()> {
    let in_the_way = || {
        let message = format!("{} already exists", path.display());
        Err(io::Error::new(ErrorKind::ResourceBusy, message))
    };
    match fs::symlink_metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        Ok(metadata) if metadata.is_file() => {}
        _ => return in_the_way(),
    }
    let file = match File::open(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        Err(_) => return in_the_way(),
        Ok(file) => file,
    };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(busy()),
        // Nobody can know whether it is in use.
        Err(TryLockError::Error(_)) => in_the_way(),
        Ok(()) if is_file_at(&file, path) => fs::remove_file(path),
        Ok(()) => Ok(()),
    }
}

/// Gives `file` the owner and group of the `existing` file, where the system allows this user to,
/// and its permissions to read, write and execute. Set-user-ID, set-group-ID and sticky bits are
/// dropped. If the owner or group could not be kept, execute bits are dropped too, and the group
/// gets no more permissions than others.
#[cfg(unix)]
fn inherit(file: &File, existing: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    // This usually fails for everyone except the superuser. The owner is then the user who writes.
    let _ = fchown(file, Some(existing.uid()), Some(existing.gid()));
    let new = file.metadata()?;
    let is_same = (new.uid(), new.gid()) == (existing.uid(), existing.gid());
    let mode = inherited(existing.mode(), is_same);
    file.set_permissions(Permissions::from_mode(mode))
}

/// Returns the mode of a new file that replaces one with mode `mode`. `is_same` says whether owner
/// and group are the same.
#[cfg(unix)]
fn inherited(mode: u32, is_same: bool) -> u32 {
    let of_all = mode & 0o006;
    let kept = if is_same { 0o777 } else { 0o606 | of_all << 3 };
    mode & kept
}

#[cfg(not(unix))]
fn inherit(file: &File, existing: &Metadata) -> io::Result<()> {
    file.set_permissions(existing.permissions())
}

/// Returns the usual permissions, from which the umask removes some.
#[cfg(unix)]
fn usual_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn usual_permissions() -> Option<Permissions> {
    None
}

/// Reports whether `file` is the file at `path`.
#[cfg(unix)]
fn is_file_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(file), Ok(there)) => id(file) == id(there),
        _ => false,
    }
}

/// On these systems an open file cannot be removed.
#[cfg(not(unix))]
fn is_file_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn other_owners_get_no_more_than_everybody() {
        for (mode, same, other) in [
            (0o100_644, 0o644, 0o644),
            (0o106_755, 0o755, 0o644),
            (0o101_660, 0o660, 0o600),
            (0o100_462, 0o462, 0o422),
        ] {
            assert_eq!(inherited(mode, true), same, "{mode:o}");
            assert_eq!(inherited(mode, false), other, "{mode:o}");
        }
    }
}
