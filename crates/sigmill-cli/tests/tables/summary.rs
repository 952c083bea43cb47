//! Summaries if there is nothing to sum up, and if no signature matches.

use std::fs;

use serde_json::{Value, json};

use crate::support::*;

#[test]
fn a_file_that_is_not_there_has_no_summary() {
    let dir = TempDir::new().unwrap();
    let out = file(&dir, "old.csv", "old");
    let out = out.to_str().unwrap();
    let key = dir.path().join("key.pem");
    let key = key.to_str().unwrap();
    assert_eq!(run(&["keygen", "--out", key], b"").code, 0);
    let cases: [&[&str]; 5] = [
        &["verify", "none.jsonl"],
        &["verify", "none.jsonl", "--out", out],
        &["verify", "none.jsonl", "--json"],
        &["recover", "none.jsonl", "--out", out],
        &["sign", "none.jsonl", "--key", key, "--out", out],
    ];
    for args in cases {
        let run = run(args, b"");
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{args:?}: {run:?}");
        assert!(run.stderr.starts_with("error: none.jsonl: "), "{run:?}");
        assert_eq!(fs::read(out).unwrap(), b"old");
    }
    // A file that is not a table has no summary either.
    let broken = file(&dir, "broken.parquet", "PAR1");
    let broken = broken.to_str().unwrap();
    let old = file(&dir, "old.parquet", "old");
    let old = old.to_str().unwrap();
    let cases: [&[&str]; 3] = [
        &["verify", broken, "--out", old],
        &["recover", broken, "--out", old],
        &["sign", broken, "--key", key, "--out", old],
    ];
    for args in cases {
        let run = run(args, b"");
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{args:?}: {run:?}");
        assert_eq!(fs::read(old).unwrap(), b"old");
    }
}

#[test]
fn one_missing_file_among_several_is_told_beside_the_summary_of_the_others() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, "a.jsonl", changed(|_| ()));
    let path = path.to_str().unwrap();
    for files in [["none.jsonl", path], [path, "none.jsonl"]] {
        let run = run(&[&["verify", "--json"], &files[..]].concat(), b"");
        assert_eq!(run.code, 2);
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        let (rejected, summary) = run.json();
        assert!(rejected.is_empty());
        assert_eq!(summary["valid"], 1);
    }
}

#[test]
fn when_no_signature_fits_the_usual_cause_is_told() {
    let dir = TempDir::new().unwrap();
    let encode = |row: &mut serde_json::Map<String, Value>| {
        let message = row["message"].as_str().unwrap();
        let hex = data_encoding::HEXLOWER.encode(message.as_bytes());
        row.insert("message".into(), hex.into());
    };
    let (wrong, good) = (changed(encode), changed(|_| ()));
    let hint = |rows: &[&str], args: &[&str]| {
        let path = file(&dir, "a.jsonl", rows.join("\n"));
        let all = file(&dir, "b.jsonl", &good);
        let args = [&[all.to_str().unwrap()], args].concat();
        let (_, summary) = verify(&path, &args).json();
        let text = run(
            &[&["verify", path.to_str().unwrap()], &args[..]].concat(),
            b"",
        );
        let line = text.stdout.lines().find(|line| line.contains("hint "));
        assert_eq!(line.is_some(), summary["hint"].is_string(), "{text:?}");
        summary["hint"].as_str().map(str::to_owned)
    };
    let told = hint(&[&wrong, &wrong], &[]).unwrap();
    for part in ["a.jsonl", "--message-encoding", "--digest-column", "--alg"] {
        assert!(told.contains(part), "{told}");
    }
    // Following the hint helps.
    let (_, summary) = {
        let path = file(&dir, "c.jsonl", format!("{wrong}\n{wrong}"));
        verify(&path, &["--message-encoding", "hex"]).json()
    };
    assert_eq!(summary["valid"], 2);
    assert_eq!(summary["hint"], json!(null));
    // A single row, or one that matches, implies nothing about the others.
    assert_eq!(hint(&[&wrong], &[]), None);
    assert_eq!(hint(&[&wrong, &good, &wrong], &[]), None);
    assert_eq!(hint(&["{}", &wrong, &wrong], &[]), None);
}
