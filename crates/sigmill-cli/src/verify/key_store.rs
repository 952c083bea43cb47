//! The key store of a run in a file: what an earlier run learned about keys, for a later one.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use sigmill::bulk::{KeyStore, LoadError};
use tempfile::NamedTempFile;

use crate::error::CliError;
use crate::format::STANDARD_STREAM;

/// What became of the file.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StoreFile {
    pub(crate) file: String,
    /// Tables that were loaded from it, and tables in it for which there was no room.
    pub(crate) loaded: u64,
    pub(crate) skipped: u64,
    /// Tables that were saved to it.
    pub(crate) saved: u64,
    #[serde(skip)]
    path: PathBuf,
}

impl StoreFile {
    /// Loads the tables in the file at `path` into `store`, if there is such a file; it will be made otherwise.
    pub(crate) fn load(path: &Path, store: &KeyStore) -> Result<Self, CliError> {
        let name = path.display().to_string();
        if path == Path::new(STANDARD_STREAM) {
            return Err(CliError::Usage(
                "--key-store -: it must be a file, which is read and written".into(),
            ));
        }
        let mut this = Self {
            file: name.clone(),
            loaded: 0,
            skipped: 0,
            saved: 0,
            path: path.to_owned(),
        };
        match File::open(path) {
            Ok(file) => {
                let loaded = store.load(BufReader::new(file)).map_err(|e| match e {
                    LoadError::Read(e) => CliError::io(&*name, e),
                    e => CliError::file(&*name, e.to_string()),
                })?;
                this.loaded = loaded.tables;
                this.skipped = loaded.skipped;
            }
            // Better now than when all rows are verified.
            Err(e) if e.kind() == ErrorKind::NotFound && folder(path).is_dir() => {}
            Err(e) => return Err(CliError::io(name, e)),
        }
        Ok(this)
    }

    /// Replaces the file by what `store` holds now: either as a whole or not at all.
    pub(crate) fn save(&mut self, store: &KeyStore) -> Result<(), CliError> {
        self.saved = replace(&self.path, |file| store.save(file))
            .map_err(|e| CliError::io(&*self.file, e))?;
        Ok(())
    }
}

/// Writes a new file next to the one at `path` and puts it into its place when it is complete. It has the permissions
/// of the old one, or those that files usually get.
fn replace<T>(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
    // A link stays, and what it points to is replaced.
    let target = match fs::canonicalize(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => path.to_owned(),
        target => target?,
    };
    let file = new_file(folder(&target), fs::metadata(&target).ok())?;
    let mut writer = BufWriter::with_capacity(1 << 16, file);
    let written = write(&mut writer)?;
    let file = writer
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    file.persist(&target)?;
    Ok(written)
}

/// The folder that the file at `path` is in.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(unix)]
fn new_file(folder: &Path, old: Option<fs::Metadata>) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    // The umask takes away from it.
    let usual = fs::Permissions::from_mode(0o666);
    let mut builder = tempfile::Builder::new();
    let file = builder.permissions(usual).tempfile_in(folder)?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    Ok(file)
}

#[cfg(not(unix))]
fn new_file(folder: &Path, _: Option<fs::Metadata>) -> io::Result<NamedTempFile> {
    NamedTempFile::new_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_fails_leaves_the_old_file_and_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store");
        fs::write(&path, "old").unwrap();
        let failed = replace(&path, |file| {
            file.write_all(b"half")?;
            Err::<(), _>(io::Error::other("no more room"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no more room");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        assert_eq!(replace(&path, |file| file.write(b"new")).unwrap(), 3);
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_the_usual_ones_or_stay_and_links_stay_links() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (usual, path, link) = (
            dir.path().join("usual"),
            dir.path().join("store"),
            dir.path().join("link"),
        );
        fs::write(&usual, "").unwrap();
        replace(&path, |file| file.write_all(b"1")).unwrap();
        assert_eq!(mode(&path), mode(&usual));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("store", &link).unwrap();
        replace(&link, |file| file.write_all(b"2")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(
            (fs::read(&path).unwrap(), mode(&path)),
            (b"2".to_vec(), 0o640)
        );
    }
}
