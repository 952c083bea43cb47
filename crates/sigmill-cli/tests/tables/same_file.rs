//! Files that are read are never written, under any name.

use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;

use crate::files::fails;
use crate::support::*;

/// Writes a file of one good row, and a hard link to it.
fn linked(dir: &TempDir) -> (String, String) {
    let path = file(dir, "a.jsonl", changed(|_| ()));
    let link = dir.path().join("b.jsonl");
    fs::hard_link(&path, &link).unwrap();
    let name = |path: &Path| path.to_str().unwrap().to_owned();
    (name(&path), name(&link))
}

#[cfg(unix)]
#[test]
fn hard_links_are_the_same_file() {
    let dir = TempDir::new().unwrap();
    let (path, link) = linked(&dir);
    let before = fs::read(&path).unwrap();
    let key = dir.path().join("key.pem");
    let key = key.to_str().unwrap();
    assert_eq!(run(&["keygen", "--out", key], b"").code, 0);
    let one_of_them = "is also an input file";
    let cases: [(&[&str], &str); 8] = [
        (&["verify", &path, "--out", &link], one_of_them),
        (&["verify", &path, "--key-store", &link], one_of_them),
        (
            &["verify", "x.csv", "--key", &path, "--out", &link],
            "is also the public key",
        ),
        (
            &["verify", "x.csv", "--key-store", &path, "--out", &link],
            "is also the key store",
        ),
        (
            &["sign", &path, "--key", key, "--out", &link],
            "is also the table to sign",
        ),
        (
            &["sign", "x.csv", "--key", &path, "--out", &link],
            "is also the key",
        ),
        (
            &["recover", &path, "--out", &link],
            "is also the file to read",
        ),
        (
            &["table", &path, "--format", "json", "--out", &link],
            "is also the key file",
        ),
    ];
    for (args, message) in cases {
        fails(args, &[&link, message]);
        assert_eq!(fs::read(&path).unwrap(), before, "{args:?}");
    }
}

#[cfg(unix)]
#[test]
fn standard_streams_are_files_too() {
    let dir = TempDir::new().unwrap();
    let (path, link) = linked(&dir);
    let before = fs::read(&path).unwrap();
    let verify = ["verify", "-", "--format", "jsonl", "--out", &link];
    let recover = ["recover", "-", "--format", "jsonl", "--out", &link];
    for args in [&verify[..], &recover] {
        let stdin = File::open(&path).unwrap();
        let output = sigmill().args(args).stdin(stdin).output().unwrap();
        let run = Run::new(&output);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains("is also "), "{run:?}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
    // The report would be read as rows, and reported in turn.
    let append = || fs::OpenOptions::new().append(true).open(&link).unwrap();
    let cases: [(&[&str], &str); 3] = [
        (&["verify", &path], "is also an input file"),
        (&["jws", "x", "--jwks", &path], "is also the keys"),
        (&["certs", &path], "is also the bundle"),
    ];
    for (args, message) in cases {
        let output = sigmill().args(args).stdout(append()).output().unwrap();
        let run = Run::new(&output);
        assert_eq!(run.code, 2, "{run:?}");
        let message = format!("error: standard output: {message}\n");
        assert_eq!(run.stderr, message);
        assert_eq!(fs::read(&path).unwrap(), before);
    }
    // The table would also overwrite the report.
    let report = dir.path().join("report.csv");
    let output = sigmill()
        .args(["verify", &path, "--out", report.to_str().unwrap()])
        .stdout(File::create(&report).unwrap())
        .output()
        .unwrap();
    let run = Run::new(&output);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("carries the report"), "{run:?}");
}

#[cfg(unix)]
#[test]
fn devices_may_be_read_and_written_at_once() {
    let null = || Stdio::from(File::options().read(true).open("/dev/null").unwrap());
    let output = sigmill()
        .args(["verify", "-", "--format", "jsonl"])
        .args(["--out", "/dev/null", "--out-format", "csv"])
        .stdin(null())
        .output()
        .unwrap();
    assert_eq!(Run::new(&output).code, 0, "{output:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_standard_input_is_not_an_empty_one() {
    let shell = |redirection: &str| {
        let mut command = std::process::Command::new("sh");
        let line = format!("exec \"$0\" verify --format jsonl - {redirection}");
        let output = command
            .args(["-c", &line, env!("CARGO_BIN_EXE_sigmill")])
            .output()
            .unwrap();
        Run::new(&output)
    };
    let closed = shell("<&-");
    assert_eq!((closed.code, closed.stdout.as_str()), (2, ""));
    assert_eq!(closed.stderr, "error: standard input: closed\n");
    let wrong_way = shell("0>/dev/null");
    assert_eq!(wrong_way.code, 2);
    assert_eq!(
        wrong_way.stderr,
        "error: standard input: not open for reading\n"
    );
    let empty = shell("</dev/null");
    assert_eq!(empty.code, 0, "{empty:?}");
    assert!(empty.stdout.starts_with("0 rows"), "{empty:?}");
}
