//! Texts that two readers could read differently are refused. Texts that may be truncated are
//! reported.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::files::fails;
use crate::support::*;

fn csv_of(header: &str, row: &str) -> Vec<u8> {
    format!("{header}\n{row}\n").into_bytes()
}

#[test]
fn csv_that_readers_cut_in_other_ways() {
    let dir = TempDir::new().unwrap();
    let columns = ["alg", "key", "message", "signature"];
    let mut row = good_rows().swap_remove(0);
    // Without a comma, so that no field needs quotes.
    row.insert("message".into(), json!("m"));
    let row = csv_line(&row, &columns);
    let header = columns.join(",");
    let check = |text: &[u8], reasons: &[&str]| {
        let run = verify(&file(&dir, "a.csv", text), &[]);
        let found: Vec<String> = run.rejected().into_iter().map(|(_, r)| r).collect();
        assert_eq!(found, reasons, "{:?}", String::from_utf8_lossy(text));
    };
    let mismatch = "signature-mismatch";
    check(&csv_of(&header, &row), &[mismatch]);
    check(&csv_of(&header, &format!("{row}\r")), &[mismatch]);
    // Most readers end a record there, and would find two.
    check(
        &csv_of(&header, &format!("{row}\r{row}")),
        &["csv-line-end"],
    );
    check(
        &csv_of(&header, &format!("\"a\"\r{row}")),
        &["csv-line-end"],
    );
    check(&csv_of(&header, &row.replacen(',', "\0,", 1)), &["csv-nul"]);
    check(
        &csv_of(&header, &format!(" \n{row}")),
        &["csv-field-count", mismatch],
    );
    // An unclosed quote extends to the end, as for other readers.
    check(
        &csv_of(&header, &format!("\"{row}\n{row}\n{row}")),
        &["csv-quote-unclosed"],
    );
    // A byte order mark that is not at the start of the file is a character of its field.
    check(
        &csv_of(&header, &format!("\u{feff}{row}")),
        &["unknown-algorithm"],
    );
    let refused = |text: &[u8], part: &str| {
        let path = file(&dir, "a.csv", text);
        fails(&["verify", path.to_str().unwrap()], &["a.csv", part]);
    };
    refused(
        &csv_of(&format!("{header},alg"), &row),
        "column \"alg\": occurs twice",
    );
    refused(
        &csv_of(&format!("{header}, alg"), &row),
        "column \"alg\": occurs twice",
    );
    refused(
        &csv_of(&header.replace(',', ",\r"), &row),
        "carriage return",
    );
    refused(&csv_of(&format!("{header},\0"), &row), "NUL");
    refused(b"alg,key,message,signature,\xff\n", "UTF-8");
    refused(
        "\u{feff}\u{feff}alg,key,message,signature\n".as_bytes(),
        "no column \"alg\"",
    );
}

#[test]
fn json_that_readers_read_in_other_ways() {
    let dir = TempDir::new().unwrap();
    let good = changed(|_| ());
    let inside = good.strip_prefix('{').unwrap();
    let mut lines: Vec<(Vec<u8>, &str)> = vec![];
    for x in [
        &b"\xff"[..],
        b"\xc0\xaf",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xe2\x82",
    ] {
        let ignored = [b"{\"x\":\"", x, b"\",", inside.as_bytes()].concat();
        lines.push((ignored, "json-syntax"));
        let name = [b"{\"", x, b"\":0,", inside.as_bytes()].concat();
        lines.push((name, "json-syntax"));
        let nested = [b"{\"x\":[{\"y\":\"", x, b"\"}],", inside.as_bytes()].concat();
        lines.push((nested, "json-syntax"));
    }
    for name in ["alg", "key", "message", "signature", "id"] {
        let line = format!("{{\"{name}\":\"00\",{inside}").into_bytes();
        lines.push((line, "field-duplicate"));
    }
    lines.push((format!("\u{feff}{good}").into_bytes(), "json-syntax"));
    let mut text = format!("{good}\n").into_bytes();
    for (line, _) in &lines {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    let run = verify(&file(&dir, "a.jsonl", &text), &[]);
    let expected: Vec<(u64, String)> = (2..)
        .zip(&lines)
        .map(|(row, (_, reason))| (row, (*reason).to_owned()))
        .collect();
    assert_eq!(run.rejected(), expected);
    assert_eq!(run.json().1["valid"], 1);
}

/// Runs `verify` on a truncated file, with and without `--strict-end`.
fn check_cut_off(path: &Path, rows: u64, is_cut: bool) {
    let run = verify(path, &[]);
    let summary = run.json().1;
    assert_eq!((run.code, &summary["valid"]), (0, &json!(rows)), "{run:?}");
    let reported = summary.get("may_be_truncated");
    assert_eq!(reported.is_some(), is_cut, "{path:?}: {summary}");
    let strict = verify(path, &["--strict-end"]);
    assert_eq!(strict.code, if is_cut { 2 } else { 0 }, "{strict:?}");
    assert_eq!(strict.json().1["valid"], rows, "what is there is judged");
    assert_eq!(strict.stderr.contains("may be truncated"), is_cut);
    let text = crate::support::run(&["verify", path.to_str().unwrap()], b"");
    assert_eq!(text.stdout.contains("may be truncated"), is_cut, "{text:?}");
}

#[test]
fn files_that_may_be_truncated() {
    let dir = TempDir::new().unwrap();
    let rows = good_rows();
    let path = dir.path().join("a.arrows");
    write_arrow_stream(&path, &batch(&rows, true));
    let whole = fs::read(&path).unwrap();
    check_cut_off(&path, 20, false);
    // Without the end mark.
    fs::write(&path, &whole[..whole.len() - 8]).unwrap();
    check_cut_off(&path, 20, true);
    for (name, text) in [
        (
            "a.jsonl",
            rows.iter()
                .map(|row| Value::Object(row.clone()).to_string() + "\n")
                .collect(),
        ),
        (
            "a.csv",
            csv_text(&rows, &["alg", "key", "message", "signature"]),
        ),
    ] as [(&str, String); 2]
    {
        let path = file(&dir, name, &text);
        check_cut_off(&path, 20, false);
        let path = file(&dir, name, text.trim_end());
        check_cut_off(&path, 20, true);
    }
    // The other subcommands report it too.
    let transactions = file(&dir, "tx.txt", "0x00");
    let out = dir.path().join("out.csv");
    let args = [
        "recover",
        "--transactions",
        transactions.to_str().unwrap(),
        "--out",
    ];
    let run = run(
        &[&args[..], &[out.to_str().unwrap(), "--json"]].concat(),
        b"",
    );
    assert!(run.stderr.contains("\"may_be_truncated\":true"), "{run:?}");
    let strict = [&args[..], &[out.to_str().unwrap(), "--strict-end"]].concat();
    let run = crate::support::run(&strict, b"");
    assert_eq!(run.code, 2, "{run:?}");
}

/// The input of the command is empty.
#[test]
fn an_empty_standard_input_is_no_file_of_columns() {
    for format in ["parquet", "arrow"] {
        let output = sigmill()
            .args(["verify", "--format", format, "-"])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{format}");
    }
}
