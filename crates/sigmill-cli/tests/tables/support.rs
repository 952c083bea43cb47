//! Runs the command, and writes tables for it.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, OnceLock};

use arrow_array::{ArrayRef, BinaryArray, RecordBatch, StringArray};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use parquet::arrow::ArrowWriter;
use serde_json::{Map, Value};

pub(crate) use tempfile::TempDir;

/// Returns the command, ready for arguments.
pub(crate) fn sigmill() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sigmill"));
    command
        .env_remove("SIGMILL_CPU")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("CARGO");
    command
}

/// The result of a run of the command.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn new(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Returns the objects of `--json`: rejected rows, and the summary.
    pub(crate) fn json(&self) -> (Vec<Value>, Value) {
        let mut lines: Vec<Value> = self
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).expect("one object a line"))
            .collect();
        let summary = lines
            .pop()
            .unwrap_or_else(|| panic!("no summary: {self:?}"));
        assert_eq!(summary["type"], "summary");
        assert!(lines.iter().all(|line| line["type"] == "rejected"));
        (lines, summary)
    }

    /// Returns row and reason of each rejected row.
    pub(crate) fn rejected(&self) -> Vec<(u64, String)> {
        let (rejected, _) = self.json();
        rejected
            .iter()
            .map(|line| {
                (
                    line["row"].as_u64().unwrap(),
                    line["reason"].as_str().unwrap().to_owned(),
                )
            })
            .collect()
    }
}

/// Runs the command with `args`, and `stdin` as its input.
pub(crate) fn run(args: &[&str], stdin: &[u8]) -> Run {
    let mut command = sigmill();
    command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    // A command that does not read all of its input may close the pipe.
    let writer = std::thread::spawn(move || drop(input.write_all(&stdin)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Run::new(&output)
}

/// Runs `sigmill verify --json` on `path`.
pub(crate) fn verify(path: &Path, args: &[&str]) -> Run {
    let mut all = vec!["verify", "--json", path.to_str().unwrap()];
    all.extend_from_slice(args);
    run(&all, b"")
}

/// Returns twenty good rows of two keys, with hex cells.
pub(crate) fn good_rows() -> Vec<Map<String, Value>> {
    static ROWS: OnceLock<Vec<Map<String, Value>>> = OnceLock::new();
    let rows = ROWS.get_or_init(|| {
        let run = run(
            &[
                "sample", "--rows", "20", "--keys", "2", "--out", "-", "--format", "jsonl",
            ],
            b"",
        );
        assert_eq!(run.code, 0, "{run:?}");
        run.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    });
    assert_eq!(rows.len(), 20);
    rows.clone()
}

/// Returns a good row as a line of JSON, after `change`.
pub(crate) fn changed(change: impl FnOnce(&mut Map<String, Value>)) -> String {
    let mut row = good_rows().swap_remove(3);
    change(&mut row);
    Value::Object(row).to_string()
}

/// Writes `text` to a file called `name` in `dir`.
pub(crate) fn file(dir: &TempDir, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Returns the text of a cell, if any.
pub(crate) fn cell(row: &Map<String, Value>, name: &str) -> Option<String> {
    row.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// Returns the bytes of a hex cell.
pub(crate) fn unhex(text: &str) -> Vec<u8> {
    data_encoding::HEXLOWER.decode(text.as_bytes()).unwrap()
}

/// Returns `rows` as a CSV file with these columns.
pub(crate) fn csv_text(rows: &[Map<String, Value>], columns: &[&str]) -> String {
    let lines: String = rows
        .iter()
        .map(|row| csv_line(row, columns) + "\n")
        .collect();
    columns.join(",") + "\n" + &lines
}

/// Returns the cells of these columns as a CSV record.
pub(crate) fn csv_line(row: &Map<String, Value>, columns: &[&str]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer
        .write_record(
            columns
                .iter()
                .map(|name| cell(row, name).unwrap_or_default()),
        )
        .unwrap();
    String::from_utf8(writer.into_inner().unwrap())
        .unwrap()
        .trim_end()
        .to_owned()
}

/// Returns `rows` as a record batch of text columns. With `binary`, keys and signatures are bytes.
pub(crate) fn batch(rows: &[Map<String, Value>], binary: bool) -> RecordBatch {
    let columns = ["id", "alg", "key", "message", "signature"].map(|name| {
        let cells: Vec<Option<String>> = rows.iter().map(|row| cell(row, name)).collect();
        let array: ArrayRef = if binary && ["key", "signature"].contains(&name) {
            let bytes: Vec<Option<Vec<u8>>> = cells
                .iter()
                .map(|cell| cell.as_deref().map(unhex))
                .collect();
            Arc::new(bytes.iter().map(Option::as_deref).collect::<BinaryArray>())
        } else {
            Arc::new(cells.into_iter().collect::<StringArray>())
        };
        (name, array, true)
    });
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

/// Writes `batch` as Parquet.
pub(crate) fn write_parquet(path: &Path, batch: &RecordBatch) {
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// Writes `batch` as an Arrow IPC file.
pub(crate) fn write_arrow(path: &Path, batch: &RecordBatch) {
    let mut writer = FileWriter::try_new(File::create(path).unwrap(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

/// Writes `batch` as an Arrow IPC stream.
pub(crate) fn write_arrow_stream(path: &Path, batch: &RecordBatch) {
    let mut writer = StreamWriter::try_new(File::create(path).unwrap(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}
