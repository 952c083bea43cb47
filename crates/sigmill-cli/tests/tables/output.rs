//! The output of `sigmill verify`.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_ipc::reader::{FileReader, StreamReader};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};

use crate::support::*;

/// Writes a file in which row 2 is changed and row 3 is malformed.
fn mixed(dir: &TempDir, name: &str) -> String {
    let good = changed(|_| ());
    let wrong = changed(|row| drop(row.insert("message".into(), json!("x"))));
    let path = file(dir, name, format!("{good}\n{wrong}\n{{\n{good}\n"));
    path.to_str().unwrap().to_owned()
}

#[test]
fn exit_codes() {
    let dir = TempDir::new().unwrap();
    let good = file(&dir, "good.jsonl", changed(|_| ()));
    assert_eq!(verify(&good, &[]).code, 0);
    assert_eq!(run(&["verify", &mixed(&dir, "mixed.jsonl")], b"").code, 1);
    assert_eq!(run(&["verify", "missing.jsonl"], b"").code, 2);
}

#[test]
fn rejected_rows_and_summary_for_people() {
    let dir = TempDir::new().unwrap();
    let path = mixed(&dir, "mixed.jsonl");
    let run = run(&["verify", &path], b"");
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(
        lines[0].starts_with(&format!(
            "{path}:2: valid-4: signature-mismatch: signature: "
        )),
        "{}",
        lines[0]
    );
    assert!(
        lines[1].starts_with(&format!("{path}:3: json-syntax: row: ")),
        "{}",
        lines[1]
    );
    assert!(lines[2].starts_with("4 rows in "), "{}", lines[2]);
    for word in [
        "valid ",
        "rejected ",
        "signature-mismatch (first: ",
        "keys ",
        "prepared ",
        "fresh ",
        "backend ",
    ] {
        assert!(
            lines[3..].iter().any(|line| line.contains(word)),
            "{word} is not in {}",
            run.stdout
        );
    }
    assert_eq!(run.stderr, "");
    assert!(!run.stdout.contains('\x1b'));
}

#[test]
fn quiet_is_rejected_rows_only() {
    let dir = TempDir::new().unwrap();
    let path = mixed(&dir, "mixed.jsonl");
    let text = run(&["verify", "--quiet", &path], b"");
    assert_eq!((text.code, text.stdout.lines().count()), (1, 2));
    let json = run(&["-q", "--json", "verify", &path], b"");
    assert!(
        json.stdout
            .lines()
            .all(|line| line.contains("\"type\":\"rejected\""))
    );
    assert_eq!(json.stdout.lines().count(), 2);
    let good = file(&dir, "good.jsonl", changed(|_| ()));
    let silent = run(&["verify", "-q", good.to_str().unwrap()], b"");
    assert_eq!(
        (silent.code, silent.stdout.as_str(), silent.stderr.as_str()),
        (0, "", "")
    );
}

#[test]
fn json_for_programs() {
    let dir = TempDir::new().unwrap();
    let path = mixed(&dir, "mixed.jsonl");
    let (rejected, summary) = run(&["verify", "--json", &path], b"").json();
    assert_eq!(
        rejected[0],
        json!({"type": "rejected", "file": path, "row": 2, "id": "valid-4",
               "reason": "signature-mismatch", "detail": rejected[0]["detail"]})
    );
    assert_eq!(rejected[1]["id"], Value::Null);
    for (name, value) in [
        ("files", 1),
        ("rows", 4),
        ("valid", 2),
        ("rejected", 2),
        ("distinct_keys", 1),
    ] {
        assert_eq!(summary[name], value, "{name}");
    }
    assert_eq!(summary["reasons"]["json-syntax"]["rows"], 1);
    assert_eq!(
        summary["fresh"].as_u64().unwrap() + summary["prepared"].as_u64().unwrap(),
        3
    );
    assert_eq!(summary["interrupted"], false);
    assert!(summary["rows_per_second"].as_f64().unwrap() > 0.0);
    assert!(
        summary["backend"]
            .as_str()
            .is_some_and(|name| !name.is_empty())
    );
}

#[test]
fn colour_is_for_terminals_or_on_demand() {
    let dir = TempDir::new().unwrap();
    let path = mixed(&dir, "mixed.jsonl");
    assert!(!run(&["verify", &path], b"").stdout.contains('\x1b'));
    assert!(
        run(&["verify", "--color", "always", &path], b"")
            .stdout
            .contains("\x1b[")
    );
    assert!(
        !run(&["verify", "--color", "never", &path], b"")
            .stdout
            .contains('\x1b')
    );
}

#[test]
fn ids_cannot_play_tricks_on_a_terminal() {
    let dir = TempDir::new().unwrap();
    let id = "\u{1b}]0;owned\u{7}\r\n".to_owned() + &"x".repeat(5000);
    let line = changed(|row| {
        row.insert("id".into(), json!(id));
        row.insert("alg".into(), json!("\u{1b}[2J"));
    });
    let path = file(&dir, "a.jsonl", line);
    let text = run(&["verify", "-q", path.to_str().unwrap()], b"");
    assert_eq!(text.stdout.lines().count(), 1);
    assert!(
        !text.stdout.trim_end().contains(char::is_control),
        "{:?}",
        text.stdout
    );
    assert!(text.stdout.len() < 400);
    assert_eq!(verify(&path, &[]).json().0[0]["id"], id);
}

#[test]
fn each_file_counts_its_own_rows() {
    let dir = TempDir::new().unwrap();
    let (one, two) = (mixed(&dir, "one.jsonl"), mixed(&dir, "two.jsonl"));
    let (rejected, summary) = run(&["verify", "--json", &one, &two], b"").json();
    let places: Vec<(&str, u64)> = rejected
        .iter()
        .map(|line| {
            (
                line["file"].as_str().unwrap(),
                line["row"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(places, [(one.as_str(), 2), (&one, 3), (&two, 2), (&two, 3)]);
    assert_eq!(
        (&summary["files"], &summary["rows"]),
        (&json!(2), &json!(8))
    );
}

/// `row, id, valid, reason` of each row of a table of verdicts; `detail` must be present if
/// `reason` is.
type Verdict = (u64, Option<String>, bool, Option<String>);

fn from_batches(batches: impl Iterator<Item = RecordBatch>) -> Vec<Verdict> {
    let mut all = Vec::new();
    for batch in batches {
        let column = |name: &str| batch.column_by_name(name).unwrap().clone();
        let text = |name: &str| -> Vec<Option<String>> {
            column(name)
                .as_string::<i32>()
                .iter()
                .map(|text| text.map(str::to_owned))
                .collect()
        };
        let (ids, reasons, details) = (text("id"), text("reason"), text("detail"));
        assert!(
            text("file")
                .iter()
                .flatten()
                .all(|file| file.ends_with("mixed.jsonl"))
        );
        for i in 0..batch.num_rows() {
            let row = column("row").as_primitive::<UInt64Type>().value(i);
            assert_eq!(reasons[i].is_some(), details[i].is_some());
            all.push((
                row,
                ids[i].clone(),
                column("valid").as_boolean().value(i),
                reasons[i].clone(),
            ));
        }
    }
    all
}

fn from_table(path: &Path, format: &str) -> Vec<Verdict> {
    let open = || File::open(path).unwrap();
    let read = std::fs::read_to_string;
    match format {
        "parquet" => {
            let reader = ParquetRecordBatchReaderBuilder::try_new(open())
                .unwrap()
                .build()
                .unwrap();
            from_batches(reader.map(Result::unwrap))
        }
        "arrow" => from_batches(
            FileReader::try_new(open(), None)
                .unwrap()
                .map(Result::unwrap),
        ),
        "arrows" => from_batches(
            StreamReader::try_new(BufReader::new(open()), None)
                .unwrap()
                .map(Result::unwrap),
        ),
        "csv" => {
            let text = read(path).unwrap();
            assert!(text.starts_with("file,row,id,valid,reason,detail\n"));
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            reader
                .records()
                .map(|record| {
                    let record = record.unwrap();
                    assert_eq!(record[4].is_empty(), record[5].is_empty());
                    (
                        record[1].parse().unwrap(),
                        some(&record[2]),
                        &record[3] == "true",
                        some(&record[4]),
                    )
                })
                .collect()
        }
        _ => {
            let text = read(path).unwrap();
            let some = |value: &Value| value.as_str().map(str::to_owned);
            text.lines()
                .map(|line| {
                    let line: Value = serde_json::from_str(line).unwrap();
                    assert_eq!(line["reason"].is_null(), line["detail"].is_null());
                    let valid = line["valid"].as_bool().unwrap();
                    (
                        line["row"].as_u64().unwrap(),
                        some(&line["id"]),
                        valid,
                        some(&line["reason"]),
                    )
                })
                .collect()
        }
    }
}

#[test]
fn a_verdict_for_each_row_in_each_format() {
    let dir = TempDir::new().unwrap();
    let path = mixed(&dir, "mixed.jsonl");
    let id = || Some("valid-4".to_owned());
    let reason = |reason: &str| Some(reason.to_owned());
    let expected: Vec<Verdict> = vec![
        (1, id(), true, None),
        (2, id(), false, reason("signature-mismatch")),
        (3, None, false, reason("json-syntax")),
        (4, id(), true, None),
    ];
    for format in ["jsonl", "csv", "parquet", "arrow", "arrows"] {
        let out = dir.path().join("verdicts.".to_owned() + format);
        let run = run(
            &["verify", "--quiet", &path, "--out", out.to_str().unwrap()],
            b"",
        );
        assert_eq!(run.code, 1, "{run:?}");
        assert_eq!(from_table(&out, format), expected, "{format}");
    }
    let out = dir.path().join("verdicts.dat");
    let out_name = out.to_str().unwrap();
    assert_eq!(run(&["verify", &path, "--out", out_name], b"").code, 2);
    assert_eq!(
        run(
            &["verify", &path, "--out", out_name, "--out-format", "csv"],
            b""
        )
        .code,
        1
    );
    assert_eq!(from_table(&out, "csv"), expected);
}

/// `verify` and `recover` read a null member as one without a value, and write no null members.
#[test]
fn null_members_mean_the_same_to_all() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("rows.jsonl");
    let text = r#"{"alg":"ES256K","key":"02","digest":null,"signature":"00","id":null}
{"alg":"ES256K","key":"02","message":null,"digest":null,"signature":"00","id":"b"}
{"alg":"ES256K","key":"02","message":null,"signature":null,"digest":"D"}
{"alg":"ES256K","key":"02","digest":null,"digest":"D","signature":"00"}
"#;
    fs::write(&path, text.replace('D', &"00".repeat(32))).unwrap();
    let out = dir.path().join("out.jsonl");
    let [path, out] = [&path, &out].map(|path| path.to_str().unwrap());
    let mut told = vec![];
    for subcommand in ["verify", "recover"] {
        let run = run(&[subcommand, path, "--out", out, "--json"], b"");
        assert_eq!(run.code, 1, "{run:?}");
        let lines = |text: &str| -> Vec<Value> {
            let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
            lines
                .filter(|line: &Value| line["type"] != "summary")
                .collect()
        };
        let printed = lines(&run.stdout).into_iter().chain(lines(&run.stderr));
        let written = lines(&fs::read_to_string(out).unwrap());
        for line in printed.chain(written.clone()) {
            let mut members = line.as_object().unwrap().values();
            assert!(members.all(|value| !value.is_null()), "{line}");
        }
        let of_row = |line: &Value| ["id", "reason", "detail"].map(|name| line[name].clone());
        told.push(written.iter().map(of_row).collect::<Vec<_>>());
    }
    assert_eq!(told[0], told[1]);
    let reasons: Vec<_> = told[0].iter().map(|[_, reason, _]| reason).collect();
    let expected = ["field-null", "field-null", "field-null", "field-duplicate"];
    assert_eq!(reasons, expected);
}
