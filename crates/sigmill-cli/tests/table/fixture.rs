//! Files, keys, and runs of the command.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use tempfile::TempDir;

/// The public keys of the private key 2, compressed.
pub(crate) const TWICE_G_P256: &str =
    "037cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978";
pub(crate) const TWICE_G_P384: &str = "\
02\
08d999057ba3d2d969260045c55b97f089025959a6f434d6\
51d207d19fb96e9e4fe0e86ebe0e64f85b96a9c75295df61";

pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Writes a compressed point that determines its curve: SPKI in hex on P-256, a bare point on
    /// P-384, whose length identifies the curve.
    pub(crate) fn write_key(&self, point: &str) -> PathBuf {
        const SPKI: &str = "3039301306072a8648ce3d020106082a8648ce3d030107032200";
        let is_p256 = point.len() == TWICE_G_P256.len();
        let prefix = if is_p256 { SPKI } else { "" };
        self.write("key", format!("{prefix}{point}"))
    }
}

pub(crate) fn table(key: &Path, format: &str, window: u32) -> Command {
    let mut command = cargo_bin_cmd!("sigmill");
    command
        .arg("table")
        .arg(key)
        .args(["--format", format, "--window", &window.to_string()]);
    command
}

pub(crate) fn text(command: &mut Command) -> String {
    String::from_utf8(bytes(command)).unwrap()
}

pub(crate) fn bytes(command: &mut Command) -> Vec<u8> {
    command.assert().code(0).get_output().stdout.clone()
}

pub(crate) fn error(command: &mut Command) -> String {
    let output = command.assert().code(2).stdout("").get_output().clone();
    String::from_utf8(output.stderr).unwrap()
}
