//! Long files, standard input, and runs that end early.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::*;

/// Repeats the good rows on `rows` lines, with a malformed line wherever `is_bad` is true.
fn long_text(rows: usize, is_bad: impl Fn(usize) -> bool) -> String {
    let good: Vec<String> = good_rows()
        .into_iter()
        .map(|mut row| {
            // Long rows make a long file with fewer signatures.
            row.insert("note".into(), "x".repeat(1000).into());
            Value::Object(row).to_string()
        })
        .collect();
    let mut text = String::new();
    for row in 1..=rows {
        text += if is_bad(row) {
            "{\"id\":\"bad\"}"
        } else {
            &good[row % good.len()]
        };
        text.push('\n');
    }
    text
}

#[test]
fn order_and_numbers_hold_over_many_chunks() {
    let rows = 4000;
    let is_bad = |row: usize| row.is_multiple_of(97) || row == rows || (1000..1040).contains(&row);
    let text = long_text(rows, is_bad);
    // Several chunks, some of them split in the middle of a row.
    assert!(text.len() > 4 << 20);
    let dir = TempDir::new().unwrap();
    let path = file(&dir, "long.jsonl", &text);
    let expected: Vec<(u64, String)> = (1..=rows)
        .filter(|&row| is_bad(row))
        .map(|row| (row as u64, "field-missing".to_owned()))
        .collect();
    for threads in ["1", "5"] {
        let out = dir.path().join("out.jsonl");
        let run = verify(
            &path,
            &["--threads", threads, "--out", out.to_str().unwrap()],
        );
        assert_eq!(run.rejected(), expected);
        let (_, summary) = run.json();
        assert_eq!(summary["rows"], rows);
        assert_eq!(summary["valid"], rows - expected.len());
        let out = fs::read_to_string(out).unwrap();
        for (row, line) in (1..).zip(out.lines()) {
            let line: Value = serde_json::from_str(line).unwrap();
            assert_eq!(
                (line["row"].as_u64(), line["valid"].as_bool()),
                (Some(row), Some(!is_bad(row as usize)))
            );
        }
        assert_eq!(out.lines().count(), rows);
    }
}

#[test]
fn every_format_comes_by_standard_input_too() {
    let dir = TempDir::new().unwrap();
    for (name, format) in [
        ("a.jsonl", "jsonl"),
        ("a.csv", "csv"),
        ("a.parquet", "parquet"),
        ("a.arrow", "arrow"),
        ("a.arrows", "arrow-stream"),
    ] {
        let path = dir.path().join(name);
        let sample = [
            "sample",
            "--rows",
            "30",
            "--invalid",
            "0.1",
            "--malformed",
            "0.1",
        ];
        let made = run(
            &[&sample[..], &["--out", path.to_str().unwrap()]].concat(),
            b"",
        );
        assert_eq!(made.code, 0, "{made:?}");
        let bytes = fs::read(&path).unwrap();
        let run = run(&["verify", "--json", "-", "--format", format], &bytes);
        assert_eq!(run.code, 1, "{format}: {run:?}");
        let (rejected, summary) = run.json();
        assert_eq!(rejected[0]["file"], "standard input");
        assert_eq!(
            (&summary["rows"], &summary["rejected"]),
            (&30.into(), &6.into()),
            "{format}"
        );
        // The sample itself goes to standard output.
        let out = sigmill()
            .args(sample)
            .args(["--out", "-", "--format", format])
            .output()
            .unwrap();
        assert_eq!(out.stdout, bytes, "{format}");
    }
}

#[test]
fn a_line_without_end_costs_bounded_memory_and_one_verdict() {
    let good = changed(|_| ());
    let mut child = sigmill()
        .args(["verify", "--json", "--format", "jsonl", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{good}").unwrap();
    let junk = vec![b'x'; 1 << 20];
    for _ in 0..300 {
        stdin.write_all(&junk).unwrap();
    }
    if cfg!(target_os = "linux") {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .unwrap();
        let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(peak < 160 << 10, "{peak} KiB for a line of 300 MiB");
    }
    write!(stdin, "\n{good}\n").unwrap();
    drop(stdin);
    let run = Run::new(&child.wait_with_output().unwrap());
    assert_eq!(run.rejected(), [(2, "row-too-long".to_owned())]);
    assert_eq!(run.json().1["valid"], 2);
}

#[test]
fn a_reader_who_goes_away_is_no_panic() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, "bad.jsonl", long_text(20_000, |_| true));
    for out in [false, true] {
        let out_path = dir.path().join("out.csv");
        let mut command = sigmill();
        command
            .arg("verify")
            .arg(&path)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if out {
            command.arg("--out").arg(&out_path);
        }
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        drop(stdout);
        assert!(line.contains("field-missing"));
        let run = Run::new(&child.wait_with_output().unwrap());
        assert_eq!((run.code, run.stderr.as_str()), (1, ""));
        if out {
            // The table of verdicts is a reason to finish the work.
            assert_eq!(
                fs::read_to_string(&out_path).unwrap().lines().count(),
                20_001
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_it_has() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let dir = TempDir::new().unwrap();
        let out = dir.path().join("out.parquet");
        let store = dir.path().join("store");
        let mut child = sigmill()
            .args(["verify", "--json", "--format", "jsonl", "-", "--out"])
            .arg(&out)
            .arg("--key-store")
            .arg(&store)
            .args(["--speed", "fixed"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin
            .write_all(long_text(10, |row| row == 7).as_bytes())
            .unwrap();
        stdin.flush().unwrap();
        // The pipe stays open: the command waits for more, but has reported what it knows.
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert!(line.contains("\"row\":7"), "{line}");
        // Row 7 may have arrived before the rows after it.
        thread::sleep(Duration::from_millis(500));
        assert!(
            Command::new("kill")
                .args(["-s", signal, &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        let deadline = Instant::now() + Duration::from_secs(20);
        while child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "SIG{signal} was ignored");
            thread::sleep(Duration::from_millis(20));
        }
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(code));
        let summary: Value =
            serde_json::from_str(&stdout.lines().next().unwrap().unwrap()).unwrap();
        assert_eq!(
            (&summary["interrupted"], &summary["rows"]),
            (&true.into(), &10.into())
        );
        let file = fs::File::open(&out).unwrap();
        let table =
            parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        assert_eq!(table.metadata().file_metadata().num_rows(), 10);
        // Five rows of each of two keys are worth a table.
        assert_eq!(summary["key_store"]["saved"], 2);
        // Each key has 68 bytes.
        let length = fs::metadata(&store).unwrap().len();
        assert!(length > 2 * 68, "{length}");
        drop(stdin);
    }
}
