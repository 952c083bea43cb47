//! Representations of the same rows: encodings, names of columns, constants.

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, HEXUPPER};
use serde_json::{Map, Value, json};

use crate::support::*;

fn lines(rows: &[Map<String, Value>]) -> String {
    rows.iter()
        .map(|row| Value::Object(row.clone()).to_string() + "\n")
        .collect()
}

/// The good rows after `change`, verified with `args`: exit code and how many are valid.
fn outcome(change: impl Fn(&mut Map<String, Value>), args: &[&str]) -> (i32, u64) {
    let mut rows = good_rows();
    rows.iter_mut().for_each(change);
    let dir = TempDir::new().unwrap();
    let run = verify(&file(&dir, "a.jsonl", lines(&rows)), args);
    (run.code, run.json().1["valid"].as_u64().unwrap())
}

/// Writes the cells of a row anew.
fn recode(row: &mut Map<String, Value>, names: &[&str], encode: impl Fn(&[u8]) -> String) {
    for name in names {
        let bytes = unhex(&cell(row, name).unwrap());
        row.insert((*name).into(), json!(encode(&bytes)));
    }
}

const ALL: (i32, u64) = (0, 20);
const NONE: (i32, u64) = (1, 0);

#[test]
fn encodings_are_told_apart() {
    let both = ["key", "signature"];
    assert_eq!(outcome(|_| (), &[]), ALL);
    assert_eq!(
        outcome(|row| recode(row, &both, |b| HEXUPPER.encode(b)), &[]),
        ALL
    );
    assert_eq!(
        outcome(
            |row| recode(row, &both, |b| "0x".to_owned() + &HEXUPPER.encode(b)),
            &[]
        ),
        ALL
    );
    assert_eq!(
        outcome(|row| recode(row, &both, |b| BASE64.encode(b)), &[]),
        ALL
    );
    assert_eq!(
        outcome(|row| recode(row, &both, |b| BASE64_NOPAD.encode(b)), &[]),
        ALL
    );
    assert_eq!(
        outcome(|row| recode(row, &both, |b| BASE64URL.encode(b)), &[]),
        ALL
    );
    assert_eq!(
        outcome(
            |row| recode(row, &["key"], |b| BASE64URL_NOPAD.encode(b)),
            &[]
        ),
        ALL
    );
}

#[test]
fn a_named_encoding_is_the_only_one() {
    for name in ["base64", "base64url"] {
        assert_eq!(outcome(|_| (), &["--encoding", name]), NONE, "{name}");
    }
    assert_eq!(outcome(|_| (), &["--encoding", "hex"]), ALL);
    assert_eq!(
        outcome(
            |_| (),
            &[
                "--encoding",
                "base64",
                "--key-encoding",
                "hex",
                "--signature-encoding",
                "hex"
            ]
        ),
        ALL
    );
    let key = |row: &mut Map<String, Value>| recode(row, &["key"], |b| BASE64.encode(b));
    assert_eq!(outcome(key, &["--encoding", "hex"]), NONE);
    assert_eq!(
        outcome(key, &["--encoding", "hex", "--key-encoding", "base64"]),
        ALL
    );
}

#[test]
fn messages_are_text_unless_named() {
    // The message is what the text says, even if that looks like hex.
    let hex = |row: &mut Map<String, Value>| {
        let message = cell(row, "message").unwrap();
        row.insert(
            "message".into(),
            json!(data_encoding::HEXLOWER.encode(message.as_bytes())),
        );
    };
    assert_eq!(outcome(hex, &[]), NONE);
    assert_eq!(outcome(hex, &["--message-encoding", "hex"]), ALL);
    assert_eq!(outcome(hex, &["--message-encoding", "auto"]), ALL);
    assert_eq!(outcome(hex, &["--message-encoding", "base64"]), NONE);
    let base64 = |row: &mut Map<String, Value>| {
        let message = cell(row, "message").unwrap();
        row.insert("message".into(), json!(BASE64.encode(message.as_bytes())));
    };
    assert_eq!(outcome(base64, &["--message-encoding", "base64"]), ALL);
    assert_eq!(outcome(base64, &["--encoding", "base64"]), NONE);
}

#[test]
fn digests_stand_in_for_messages() {
    let digest = |row: &mut Map<String, Value>| {
        let message = cell(row, "message").unwrap();
        let digest = sigmill::HashName::Sha256.digest(message.as_bytes());
        row.insert("message".into(), Value::Null);
        row.insert("digest".into(), json!(BASE64.encode(&digest)));
    };
    assert_eq!(outcome(digest, &[]), ALL);
    assert_eq!(outcome(digest, &["--digest-encoding", "base64"]), ALL);
    assert_eq!(outcome(digest, &["--digest-encoding", "hex"]), NONE);
}

#[test]
fn columns_may_have_other_names() {
    let rename = |row: &mut Map<String, Value>| {
        for name in ["id", "alg", "key", "message", "signature"] {
            let value = row.remove(name).unwrap();
            row.insert(format!("the \"{name}\""), value);
        }
    };
    let args = [
        "--id-column",
        "the \"id\"",
        "--alg-column",
        "the \"alg\"",
        "--key-column",
        "the \"key\"",
        "--message-column",
        "the \"message\"",
        "--signature-column",
        "the \"signature\"",
    ];
    assert_eq!(outcome(rename, &[]), NONE);
    assert_eq!(outcome(rename, &args), ALL);
    assert_eq!(outcome(|_| (), &["--digest-column", "hash"]), ALL);
}

#[test]
fn constants_replace_columns() {
    // Whatever the column says: a constant is not a default.
    let wrong = |row: &mut Map<String, Value>| drop(row.insert("alg".into(), json!("none")));
    assert_eq!(outcome(wrong, &[]), NONE);
    assert_eq!(outcome(wrong, &["--alg", "ES256"]), ALL);
    assert_eq!(outcome(wrong, &["--alg", "P-256-SHA256"]), ALL);
    assert_eq!(outcome(|_| (), &["--alg", "ES384"]), NONE);

    let rows = good_rows();
    let key = cell(&rows[0], "key").unwrap();
    let of_this_key = rows
        .iter()
        .filter(|row| cell(row, "key").as_ref() == Some(&key))
        .count();
    let dir = TempDir::new().unwrap();
    let pem = run(
        &[
            "sample",
            "--rows",
            "1",
            "--keys",
            "2",
            "--key-format",
            "pem",
            "--out",
            "-",
            "--format",
            "jsonl",
        ],
        b"",
    );
    let pem: Value = serde_json::from_str(&pem.stdout).unwrap();
    for (name, text) in [
        ("key.hex", key.as_str()),
        ("key.pem", pem["key"].as_str().unwrap()),
    ] {
        let path = file(&dir, name, text);
        let (code, valid) = outcome(
            |row| drop(row.remove("key")),
            &["--key", path.to_str().unwrap()],
        );
        assert_eq!((code, valid as usize), (1, of_this_key), "{name}");
    }
}

#[test]
fn keys_in_every_encoding() {
    let dir = TempDir::new().unwrap();
    for curve in ["P-256", "P-384"] {
        for key in ["sec1", "sec1-compressed", "spki", "pem"] {
            for format in ["jsonl", "csv", "parquet", "arrow"] {
                let path = dir.path().join("a.".to_owned() + format);
                let path = path.to_str().unwrap();
                let made = run(
                    &[
                        "sample",
                        "--rows",
                        "6",
                        "--curve",
                        curve,
                        "--key-format",
                        key,
                        "--out",
                        path,
                    ],
                    b"",
                );
                assert_eq!(made.code, 0, "{made:?}");
                let run = run(&["verify", "--json", path], b"");
                assert_eq!(run.code, 0, "{curve} {key} {format}: {run:?}");
                assert_eq!(run.json().1["valid"], 6);
            }
        }
    }
}

#[test]
fn a_jwk_is_an_object_or_text() {
    let jwk = |row: &Map<String, Value>| {
        let point = unhex(&cell(row, "key").unwrap());
        let (x, y) = point[1..].split_at(32);
        json!({"kty": "EC", "crv": "P-256", "x": BASE64URL_NOPAD.encode(x), "y": BASE64URL_NOPAD.encode(y)})
    };
    assert_eq!(
        outcome(
            |row| {
                let key = jwk(row);
                row.insert("key".into(), key);
            },
            &[]
        ),
        ALL
    );
    let text = |row: &mut Map<String, Value>| {
        let key = jwk(row).to_string();
        row.insert("key".into(), json!(key));
    };
    assert_eq!(outcome(text, &[]), ALL);
    assert_eq!(outcome(text, &["--encoding", "hex"]), ALL);
}

#[test]
fn signature_formats() {
    let dir = TempDir::new().unwrap();
    for (made, accepted) in [
        ("der", "der"),
        ("p1363", "p1363"),
        ("der", "auto"),
        ("p1363", "auto"),
    ] {
        let path = dir.path().join("a.jsonl");
        let path = path.to_str().unwrap();
        assert_eq!(
            run(
                &[
                    "sample",
                    "--rows",
                    "5",
                    "--signature-format",
                    made,
                    "--out",
                    path
                ],
                b""
            )
            .code,
            0
        );
        assert_eq!(
            run(&["verify", path, "--signature-format", accepted], b"").code,
            0,
            "{made} as {accepted}"
        );
        let other = if made == "der" { "p1363" } else { "der" };
        let wrong = run(
            &["verify", "--json", path, "--signature-format", other],
            b"",
        );
        assert_eq!(wrong.rejected().len(), 5, "{made} as {other}");
    }
}

#[test]
fn low_s_can_be_required() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.jsonl");
    let path = path.to_str().unwrap();
    run(
        &[
            "sample",
            "--rows",
            "40",
            "--signature-format",
            "p1363",
            "--out",
            path,
        ],
        b"",
    );
    let text = std::fs::read_to_string(path).unwrap();
    let high = text
        .lines()
        .filter(|line| {
            let row: Map<String, Value> = serde_json::from_str(line).unwrap();
            // n/2 is 7fffffff80000000...: the first bytes decide but for one case in 2^32.
            unhex(&cell(&row, "signature").unwrap())[32] >= 0x80
        })
        .count();
    let run = run(&["verify", "--json", "--require-low-s", path], b"");
    let rejected = run.rejected();
    assert!(rejected.iter().all(|(_, reason)| reason == "high-s"));
    assert_eq!(rejected.len(), high);
    assert!((1..40).contains(&high));
}
