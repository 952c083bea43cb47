//! Malformed rows: each gets a verdict that names the field and the rule, and affects no other row.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, DictionaryArray, FixedSizeBinaryArray, Int64Array,
    LargeStringArray, RecordBatch, StringArray, StringViewArray,
};
use serde_json::{Value, json};

use crate::support::*;

#[test]
fn json_lines() {
    let set =
        |name: &'static str, value: Value| changed(|row| drop(row.insert(name.into(), value)));
    let remove = |name: &'static str| changed(|row| drop(row.remove(name)));
    let good = changed(|_| ());
    let digest = "00".repeat(32);
    let cases: Vec<(String, &str, &str)> = vec![
        ("{".into(), "json-syntax", "row: must be one JSON object"),
        ("[]".into(), "json-syntax", "row: "),
        (good.clone() + " 7", "json-syntax", "trailing characters"),
        (good.replace("\"alg\"", "alg"), "json-syntax", "at byte 2"),
        ("\u{feff}{}".into(), "json-syntax", "row: "),
        (remove("alg"), "field-missing", "alg: "),
        (remove("key"), "field-missing", "key: "),
        (remove("message"), "field-missing", "message: "),
        (remove("signature"), "field-missing", "signature: "),
        (set("alg", Value::Null), "field-null", "alg: "),
        (set("key", Value::Null), "field-null", "key: "),
        (set("message", Value::Null), "field-null", "message: "),
        (set("signature", Value::Null), "field-null", "signature: "),
        (
            set("signature", json!(17)),
            "field-type",
            "signature: must be text, not a number",
        ),
        (set("alg", json!(true)), "field-type", "alg: "),
        (
            set("message", json!(["a"])),
            "field-type",
            "message: must be text, not an array",
        ),
        (
            set("signature", json!({"r": 1})),
            "field-type",
            "signature: must be text, not an object",
        ),
        (
            set("id", json!({})),
            "field-type",
            "id: must be text or a number, not an object",
        ),
        (
            good.replace("\"alg\"", "\"key\":\"00\",\"alg\""),
            "field-duplicate",
            "key: given twice",
        ),
        (
            set("digest", json!(digest)),
            "message-and-digest",
            "message: ",
        ),
        (
            changed(|row| {
                row.remove("message");
                row.insert("digest".into(), json!("00112233"));
            }),
            "digest-length",
            "digest: must have 32 bytes for SHA-256, not 4",
        ),
        (
            set("signature", json!("3x")),
            "field-encoding",
            "signature: must be base64",
        ),
        (
            set("key", json!("04 050")),
            "field-encoding",
            "key: must be base64: invalid digit at character 3",
        ),
        (
            set("alg", json!("RS256")),
            "unknown-algorithm",
            "alg: \"RS256\" is not supported",
        ),
        (
            set("alg", json!("a".repeat(1000))),
            "unknown-algorithm",
            "aaa\" is not supported",
        ),
        (set("alg", json!("ES384")), "", "key: "),
        (set("key", json!("")), "key-empty", "key: "),
        (set("key", json!("00")), "", "key: "),
        (
            set("key", json!(format!("04{}", "11".repeat(64)))),
            "key-not-on-curve",
            "key: ",
        ),
        (
            set("key", json!("-----BEGIN CERTIFICATE-----\n")),
            "",
            "key: ",
        ),
        (set("key", json!({"kty": "RSA"})), "", "key: "),
        (set("signature", json!("")), "", "signature: "),
        (
            set("signature", json!("3006020100020101")),
            "r-zero",
            "signature: r",
        ),
        (
            set("signature", json!("30060201010201ff")),
            "",
            "signature: ",
        ),
        (
            set("signature", json!("300602010102010100")),
            "der-trailing-data",
            "signature: ",
        ),
        (
            set("signature", json!("00".repeat(64))),
            "r-zero",
            "signature: r",
        ),
        (
            set("signature", json!("ff".repeat(64))),
            "r-out-of-range",
            "signature: r",
        ),
        (
            set("message", json!("another")),
            "signature-mismatch",
            "signature: ",
        ),
    ];
    let mut text = String::new();
    for (line, ..) in &cases {
        // A good row precedes each bad one.
        text += &format!("{good}\n{line}\n");
    }
    let dir = TempDir::new().unwrap();
    let run = verify(&file(&dir, "rows.jsonl", text), &[]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let (rejected, summary) = run.json();
    assert_eq!(summary["rows"], 2 * cases.len());
    assert_eq!(summary["valid"], cases.len());
    assert_eq!(rejected.len(), cases.len());
    for (i, ((line, reason, detail), found)) in cases.iter().zip(&rejected).enumerate() {
        assert_eq!(found["row"], 2 * i + 2, "{line}");
        let (found_reason, found_detail) = (
            found["reason"].as_str().unwrap(),
            found["detail"].as_str().unwrap(),
        );
        assert!(
            reason.is_empty() || found_reason == *reason,
            "{line}: {found}"
        );
        assert!(
            !found_reason.is_empty() && found_detail.contains(detail),
            "{line}: {found}"
        );
        assert!(found_detail.len() < 200, "{found}");
    }
    // The id is reported even if the row ends after it.
    assert_eq!(rejected[2]["id"], "valid-4");
    assert_eq!(rejected[0]["id"], Value::Null);
}

#[test]
fn json_lines_that_are_no_text() {
    let dir = TempDir::new().unwrap();
    let good = changed(|_| ());
    let mut text = Vec::new();
    for line in [
        good.as_bytes(),
        b"\xff\xfe",
        b"{\"signature\":\"\xff\"}",
        b"\0",
        good.as_bytes(),
    ] {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    let run = verify(&file(&dir, "rows.jsonl", text), &[]);
    let reason = "json-syntax".to_owned();
    assert_eq!(
        run.rejected(),
        [(2, reason.clone()), (3, reason.clone()), (4, reason)]
    );
}

#[test]
fn csv() {
    let mut row = good_rows().swap_remove(0);
    let message = cell(&row, "message").unwrap();
    let digest = sigmill::HashName::Sha256.digest(message.as_bytes());
    row.insert(
        "digest".into(),
        json!(data_encoding::HEXLOWER.encode(&digest)),
    );
    let columns = ["id", "alg", "key", "digest", "signature"];
    let good = csv_line(&row, &columns);
    let set = |name: &str, value: &str| {
        let mut row = row.clone();
        row.insert(name.into(), json!(value));
        csv_line(&row, &columns)
    };
    let cases = [
        ("one".to_owned(), "csv-field-count"),
        (format!("{good},more"), "csv-field-count"),
        (format!("{good},more,and,more"), "csv-field-count"),
        (set("alg", ""), "field-null"),
        (set("key", ""), "field-null"),
        (set("digest", ""), "field-null"),
        (set("signature", ""), "field-null"),
        (set("signature", "zz"), "field-encoding"),
        (set("alg", "ES257"), "unknown-algorithm"),
    ];
    let dir = TempDir::new().unwrap();
    let header = columns.join(",");
    for (case, reason) in &cases {
        let text = format!("{header}\n{good}\n{case}\n{good}\n\n{good}\r\n");
        let run = verify(&file(&dir, "rows.csv", text), &[]);
        assert_eq!(run.rejected(), [(2, (*reason).to_owned())], "{case}");
        assert_eq!(run.json().1["rows"], 4, "{case}");
        assert_eq!(run.code, 1);
    }
    // All cases in one file, without a line break at the end.
    let mut text = format!("\u{feff}{header}\n");
    for (case, _) in &cases {
        text += &format!("{case}\n{good}\n");
    }
    let run = verify(&file(&dir, "rows.csv", text.trim_end()), &[]);
    let expected: Vec<(u64, String)> = (0..)
        .map(|i| 2 * i + 1)
        .zip(cases.map(|(_, reason)| reason.to_owned()))
        .collect();
    assert_eq!(run.rejected(), expected);
}

#[test]
fn csv_fields_in_quotes() {
    let row = &good_rows()[0];
    let columns = ["id", "alg", "key", "message", "signature"];
    let quoted: Vec<String> = columns
        .iter()
        .map(|name| format!("\"{}\"", cell(row, name).unwrap()))
        .collect();
    let dir = TempDir::new().unwrap();
    let text = format!(
        "{}\n{}\n\"a,\"\"b\"\"\nc\",ES256,00,m,00\n",
        columns.join(","),
        quoted.join(",")
    );
    let run = verify(&file(&dir, "rows.csv", text), &[]);
    let (rejected, summary) = run.json();
    assert_eq!(summary["valid"], 1);
    assert_eq!(rejected[0]["id"], "a,\"b\"\nc");
}

/// Returns good rows, every second one with a defect.
fn column_rows(binary: bool) -> (RecordBatch, Vec<(u64, String)>) {
    let mut rows = good_rows();
    let mut expected = Vec::new();
    let mut spoil = |row: usize, name: &str, value: Value, reason: &str| {
        rows[row].insert(name.into(), value);
        expected.push((row as u64 + 1, reason.to_owned()));
    };
    spoil(1, "alg", Value::Null, "field-null");
    spoil(3, "key", Value::Null, "field-null");
    spoil(5, "message", Value::Null, "field-null");
    spoil(7, "signature", Value::Null, "field-null");
    spoil(9, "alg", json!("none"), "unknown-algorithm");
    spoil(11, "key", json!("04"), "key-length");
    spoil(13, "signature", json!("30"), "der-truncated");
    if !binary {
        spoil(15, "signature", json!("!"), "field-encoding");
    }
    (batch(&rows, binary), expected)
}

#[test]
fn columns_in_each_format() {
    let dir = TempDir::new().unwrap();
    for binary in [false, true] {
        let (batch, expected) = column_rows(binary);
        type Write = fn(&std::path::Path, &RecordBatch);
        let writers: [(&str, Write); 3] = [
            ("rows.parquet", write_parquet),
            ("rows.arrow", write_arrow),
            ("rows.arrows", write_arrow_stream),
        ];
        for (name, write) in writers {
            let path = dir.path().join(name);
            write(&path, &batch);
            let run = verify(&path, &[]);
            assert_eq!(run.code, 1, "{run:?}");
            assert_eq!(run.rejected(), expected, "{name}");
            assert_eq!(run.json().1["rows"], 20);
        }
    }
}

#[test]
fn columns_of_every_type() {
    let rows = good_rows();
    let text = batch(&rows, false);
    let column = |name: &str| {
        text.column_by_name(name)
            .unwrap()
            .as_string::<i32>()
            .clone()
    };
    let keys: Vec<Vec<u8>> = column("key")
        .iter()
        .map(|key| unhex(key.unwrap()))
        .collect();
    let signatures: Vec<Vec<u8>> = column("signature")
        .iter()
        .map(|s| unhex(s.unwrap()))
        .collect();
    let algs: DictionaryArray<Int32Type> = column("alg").iter().collect();
    let key_texts: DictionaryArray<Int32Type> = column("key").iter().collect();
    let ids = Int64Array::from_iter_values(1000..1020);
    let key_columns: Vec<ArrayRef> = vec![
        Arc::new(FixedSizeBinaryArray::try_from_iter(keys.iter()).unwrap()),
        Arc::new(BinaryViewArray::from_iter_values(&keys)),
        Arc::new(key_texts),
        Arc::new(column("key").iter().collect::<LargeStringArray>()),
        Arc::new(column("key").iter().collect::<StringViewArray>()),
    ];
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("rows.arrow");
    for key in key_columns {
        let key_type = key.data_type().clone();
        let batch = RecordBatch::try_from_iter([
            (
                "unused",
                Arc::new(StringArray::from(vec!["x"; 20])) as ArrayRef,
            ),
            (
                "signature",
                Arc::new(BinaryViewArray::from_iter_values(&signatures)),
            ),
            ("message", Arc::new(column("message"))),
            ("alg", Arc::new(algs.clone())),
            ("key", key),
            ("id", Arc::new(ids.clone())),
        ])
        .unwrap();
        // A slice, so that the first row is not the first value.
        write_arrow(&path, &batch.slice(5, 10));
        let run = verify(&path, &["--message-encoding", "utf8"]);
        assert_eq!(
            (run.code, run.json().1["valid"].as_u64()),
            (0, Some(10)),
            "{key_type}: {run:?}"
        );
        // With the wrong constant algorithm, each row is rejected under its number.
        let run = verify(&path, &["--alg", "ES384"]);
        let (rejected, _) = run.json();
        assert_eq!(rejected[0]["id"], "1005");
        assert_eq!(rejected.len(), 10);
    }
}
