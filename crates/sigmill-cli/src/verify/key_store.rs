//! The key store of a run as a file: what one run learned about keys, for a later run.

use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use serde::Serialize;
use sigmill::bulk::{KeyStore, LoadError};

use crate::error::CliError;
use crate::files::folder;
use crate::format::STANDARD_STREAM;
use crate::sink::{Manner, Sink};

/// The report on the file.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StoreFile {
    pub(crate) file: String,
    /// Keys that were loaded from the file, and keys in it that were skipped.
    pub(crate) loaded: u64,
    pub(crate) skipped: u64,
    /// Keys that were saved to the file.
    pub(crate) saved: u64,
    #[serde(skip)]
    path: PathBuf,
}

impl StoreFile {
    /// Loads the keys in the file at `path` into `store` if the file exists. Otherwise the file
    /// will be created.
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
                this.loaded = loaded.keys;
                this.skipped = loaded.skipped;
            }
            // Fail here rather than after all rows are verified.
            Err(e) if e.kind() == ErrorKind::NotFound && folder(path).is_dir() => {}
            Err(e) => return Err(CliError::io(name, e)),
        }
        Ok(this)
    }

    /// Replaces the file with the contents of `store`, either as a whole or not at all.
    pub(crate) fn save(&mut self, store: &KeyStore) -> Result<(), CliError> {
        let mut sink = Sink::create(&self.path, Manner::Whole)?;
        let saved = store.save(&mut sink);
        let saved = saved.map_err(|e| CliError::io(&*self.file, e))?;
        sink.finish()?;
        self.saved = saved;
        Ok(())
    }
}
