//! Signals end every run that writes a table in an orderly way.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;

use crate::support::*;

/// Signals, and the exit codes that they lead to.
const SIGNALS: [(&str, i32); 2] = [("INT", 130), ("TERM", 143)];

fn send(signal: &str, child: &Child) {
    let status = Command::new("kill")
        .args(["-s", signal, &child.id().to_string()])
        .status();
    assert!(status.unwrap().success());
}

/// Waits for the end of the process, and returns its exit code.
fn code(child: &mut Child) -> Option<i32> {
    for _ in 0..3000 {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    panic!("the signal was ignored");
}

#[test]
fn signing_keeps_what_it_has() {
    let dir = TempDir::new().unwrap();
    let key = dir.path().join("key.pem");
    assert_eq!(
        run(&["keygen", "--out", key.to_str().unwrap()], b"").code,
        0
    );
    for (signal, expected) in SIGNALS {
        let out = dir.path().join("out.parquet");
        let mut child = sigmill()
            .args(["sign", "--json", "--format", "jsonl", "-", "--key"])
            .arg(&key)
            .arg("--out")
            .arg(&out)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut rows = "{\"message\":\"a\"}\n".repeat(9);
        rows.push_str("{\"message\":0}\n");
        stdin.write_all(rows.as_bytes()).unwrap();
        // The pipe stays open: the command waits for more, but has reported what it knows.
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        assert!(line.contains("\"row\":10"), "{line}");
        assert!(!out.exists());
        send(signal, &child);
        assert_eq!(code(&mut child), Some(expected));
        let summary = stderr.lines().next().unwrap().unwrap();
        let summary: Value = serde_json::from_str(&summary).unwrap();
        assert_eq!(
            (&summary["signed"], &summary["interrupted"]),
            (&9.into(), &true.into())
        );
        let table = fs::File::open(&out).unwrap();
        let table = ParquetRecordBatchReaderBuilder::try_new(table).unwrap();
        assert_eq!(table.metadata().file_metadata().num_rows(), 9);
        fs::remove_file(&out).unwrap();
        drop(stdin);
    }
}

/// Starts a sample that would take days, and waits until `sign` has `len` bytes.
fn sample(out: &Path, args: &[&str], sign: &Path, len: u64) -> Child {
    let child = sigmill()
        .args(["sample", "--json", "--rows", "1000000000000"])
        .args(args)
        .arg("--out")
        .arg(out)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !fs::metadata(sign).is_ok_and(|file| file.len() >= len) {
        thread::sleep(Duration::from_millis(20));
    }
    child
}

#[test]
fn a_sample_keeps_what_it_has() {
    let dir = TempDir::new().unwrap();
    for (signal, expected) in SIGNALS {
        let out = dir.path().join("out.csv");
        let mut child = sample(&out, &[], &out, 1000);
        send(signal, &child);
        assert_eq!(code(&mut child), Some(expected));
        let run = Run::new(&child.wait_with_output().unwrap());
        let written: Value = serde_json::from_str(&run.stderr).unwrap();
        assert_eq!(written["interrupted"], true);
        let text = fs::read_to_string(&out).unwrap();
        assert!(text.ends_with('\n'));
        assert_eq!(written["rows"], text.lines().count() - 1);
        fs::remove_file(&out).unwrap();
    }
    // Column formats are complete too, whatever has been written.
    let out = dir.path().join("out.parquet");
    let mut child = sample(&out, &[], &dir.path().join(".out.parquet.partial"), 0);
    send("INT", &child);
    assert_eq!(code(&mut child), Some(130));
    let run = Run::new(&child.wait_with_output().unwrap());
    let written: Value = serde_json::from_str(&run.stderr).unwrap();
    let table = ParquetRecordBatchReaderBuilder::try_new(fs::File::open(&out).unwrap()).unwrap();
    let rows = table.metadata().file_metadata().num_rows();
    assert_eq!(written["rows"].as_i64(), Some(rows));
}

#[test]
fn even_the_keys_of_a_sample_may_be_interrupted() {
    let dir = TempDir::new().unwrap();
    let out = dir.path().join("out.csv");
    let mut child = sample(&out, &["--keys", "4000000000"], &out, 1);
    send("TERM", &child);
    assert_eq!(code(&mut child), Some(143));
    assert_eq!(fs::read_to_string(&out).unwrap().lines().count(), 1);
}
