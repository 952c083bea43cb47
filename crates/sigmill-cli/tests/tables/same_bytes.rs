//! Equal rows produce equal bytes, however they arrive and whichever thread judges them.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use arrow_ipc::reader::FileReader;

use crate::support::*;

const FORMATS: [&str; 5] = ["csv", "jsonl", "parquet", "arrow", "arrows"];

/// Returns what the command writes to `out` if `text` arrives on standard input in parts of `part`
/// bytes.
fn written(args: &[&str], out: &std::path::Path, text: &[u8], part: usize) -> Vec<u8> {
    let mut child = sigmill()
        .args(args)
        .arg("--out")
        .arg(out)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for part in text.chunks(part) {
        stdin.write_all(part).unwrap();
        // The pause lets the reader pass on what it has.
        thread::sleep(Duration::from_millis(5));
    }
    drop(stdin);
    assert!(child.wait().unwrap().code().is_some_and(|code| code < 2));
    fs::read(out).unwrap()
}

#[test]
fn verdicts_signatures_and_keys() {
    let dir = TempDir::new().unwrap();
    let key = dir.path().join("key.pem");
    let key = key.to_str().unwrap();
    assert_eq!(run(&["keygen", "--out", key], b"").code, 0);
    let rows: String = (0..300)
        .map(|i| match i % 7 {
            0 => "{\"id\":\"bad\"}\n".to_owned(),
            _ => changed(|row| drop(row.insert("id".into(), format!("row-{i}").into()))) + "\n",
        })
        .collect();
    for command in [
        &["verify", "-", "--format", "jsonl"][..],
        &["sign", "-", "--format", "jsonl", "--key", key],
        &["recover", "-", "--format", "jsonl"],
    ] {
        for format in FORMATS {
            let out = dir.path().join(format!("out.{format}"));
            let run = |threads: &str, part: usize| {
                let args = [command, &["--threads", threads]].concat();
                written(&args, &out, rows.as_bytes(), part)
            };
            let once = run("1", rows.len());
            assert!(!once.is_empty());
            assert!(once == run("5", 1500), "{command:?} {format}");
        }
    }
}

#[test]
fn batches_end_at_a_row_that_the_rows_decide() {
    let dir = TempDir::new().unwrap();
    // Malformed rows, which cost nothing.
    let rows = "{}\n".repeat(20_000);
    let out = dir.path().join("out.arrow");
    let verify = ["verify", "-", "--format", "jsonl"];
    written(&verify, &out, rows.as_bytes(), 1 << 20);
    let reader = FileReader::try_new(fs::File::open(&out).unwrap(), None).unwrap();
    let lengths: Vec<usize> = reader.map(|batch| batch.unwrap().num_rows()).collect();
    assert_eq!(lengths, [8192, 8192, 3616]);
    // Long cells end batches sooner: 640 ids of 64 KiB.
    let line = format!("{{\"id\":\"{}\"}}\n", "x".repeat(1 << 16));
    written(&verify, &out, line.repeat(640).as_bytes(), 1 << 20);
    let reader = FileReader::try_new(fs::File::open(&out).unwrap(), None).unwrap();
    let lengths: Vec<usize> = reader.map(|batch| batch.unwrap().num_rows()).collect();
    assert_eq!(lengths, [128; 5]);
}
