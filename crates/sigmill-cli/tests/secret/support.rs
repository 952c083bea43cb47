//! Runs the command.

use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) use tempfile::TempDir;

/// The result of a run of the command.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

/// Runs the command with `args` in `dir`.
pub(crate) fn run(dir: &TempDir, args: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_sigmill"))
        .env_remove("SIGMILL_CPU")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .current_dir(dir.path())
        .args(args)
        .output()
        .unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Runs the command, which must succeed.
pub(crate) fn succeed(dir: &TempDir, args: &[&str]) -> Run {
    let run = run(dir, args);
    assert_eq!(run.code, 0, "{args:?}: {run:?}");
    run
}

/// Runs the command, which must end with exit code 2 and print `message`.
pub(crate) fn refuse(dir: &TempDir, args: &[&str], message: &str) {
    let run = run(dir, args);
    assert_eq!(run.code, 2, "{args:?}: {run:?}");
    assert!(run.stderr.contains(message), "{args:?}: {run:?}");
}

/// Writes `bytes` to a file called `name` in `dir`.
pub(crate) fn file(dir: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Returns the bytes of the file called `name` in `dir`.
pub(crate) fn read(dir: &TempDir, name: impl AsRef<Path>) -> Vec<u8> {
    std::fs::read(dir.path().join(name)).unwrap()
}
