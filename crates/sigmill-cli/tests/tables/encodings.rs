//! Representations of the same rows: encodings, column names, constants.

use std::path::PathBuf;

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, HEXUPPER};
use serde_json::{Map, Value, json};
use sigmill::CurveName;

use crate::support::*;

fn lines(rows: &[Map<String, Value>]) -> String {
    rows.iter()
        .map(|row| Value::Object(row.clone()).to_string() + "\n")
        .collect()
}

/// Verifies the good rows after `change` with `args`. Returns the exit code and the number of valid
/// rows.
fn outcome(change: impl Fn(&mut Map<String, Value>), args: &[&str]) -> (i32, u64) {
    let mut rows = good_rows();
    rows.iter_mut().for_each(change);
    let dir = TempDir::new().unwrap();
    let run = verify(&file(&dir, "a.jsonl", lines(&rows)), args);
    (run.code, run.json().1["valid"].as_u64().unwrap())
}

/// Encodes cells of a row again.
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
    // The text itself is the message, even if it looks like hex.
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
    // A constant is not a default: it applies whatever the column holds.
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
    let base64 = BASE64.encode(&unhex(&key));
    for (name, text, alg) in [
        ("key.hex", key.as_str(), &["--alg", "ES256"][..]),
        ("key.b64", base64.as_str(), &["--alg", "ES256"]),
        ("key.pem", pem["key"].as_str().unwrap(), &[]),
    ] {
        let path = file(&dir, name, text);
        let (code, valid) = outcome(
            |row| drop(row.remove("key")),
            &[&["--key", path.to_str().unwrap()], alg].concat(),
        );
        assert_eq!((code, valid as usize), (1, of_this_key), "{name}");
    }
}

/// Writes a table of one key on `curve`. Returns its path, and the key as a compressed point in
/// hex.
fn one_key(dir: &TempDir, curve: &str) -> (PathBuf, String) {
    let path = dir.path().join(format!("{curve}.jsonl"));
    let name = path.to_str().unwrap();
    let point = ["--key-format", "sec1-compressed"];
    let rows = ["--rows", "5", "--keys", "1", "--curve", curve];
    let made = run(
        &[&["sample", "--out", name], &rows[..], &point].concat(),
        b"",
    );
    assert_eq!(made.code, 0, "{made:?}");
    let text = std::fs::read_to_string(&path).unwrap();
    let row: Map<String, Value> = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let key = cell(&row, "key").unwrap();
    (path, key)
}

#[test]
fn the_curve_of_a_key_file_is_that_of_the_algorithm() {
    let dir = TempDir::new().unwrap();
    for (curve, alg, other) in [
        ("P-256", "ES256", "ES384"),
        ("secp256k1", "ES256K", "ES384"),
        ("P-384", "ES384", "ES256"),
    ] {
        let (table, key) = one_key(&dir, curve);
        let key = file(&dir, "key", key);
        let key = ["--key", key.to_str().unwrap()];
        let named = verify(&table, &[&key[..], &["--alg", alg]].concat());
        assert_eq!((named.code, &named.json().1["valid"]), (0, &json!(5)));
        // A point of another length, or on another curve, is an error before any row is judged.
        let other = verify(&table, &[&key[..], &["--alg", other]].concat());
        assert_eq!((other.code, other.stdout.as_str()), (2, ""), "{other:?}");
        let unnamed = verify(&table, &key);
        if curve == "P-384" {
            assert_eq!(unnamed.code, 0, "the only curve with this length");
        } else {
            assert_eq!((unnamed.code, unnamed.stdout.as_str()), (2, ""));
            let message = "key: key: a SEC 1 point of this length fits several curves; \
                one must be named by --alg";
            assert!(unnamed.stderr.contains(message), "{unnamed:?}");
        }
    }
    // A key that names its curve needs no --alg. Rows of another curve are rejected for the
    // mismatch.
    let (table, key) = one_key(&dir, "secp256k1");
    let point = unhex(&key);
    let key = sigmill::secp256k1::VerifyingKey::from_sec1_bytes(&point).unwrap();
    let pem = file(&dir, "key.pem", key.to_public_key_pem());
    let pem = ["--key", pem.to_str().unwrap()];
    assert_eq!(verify(&table, &pem).json().1["valid"], 5);
    let (p256, _) = one_key(&dir, "P-256");
    let rejected = verify(&p256, &pem).rejected();
    assert_eq!(rejected.len(), 5);
    assert!(rejected.iter().all(|(_, why)| why == "key-curve-mismatch"));
}

#[test]
fn pem_in_a_cell_has_text_around_it() {
    let pem = |row: &Map<String, Value>| {
        let point = unhex(&cell(row, "key").unwrap());
        let key = sigmill::p256::VerifyingKey::from_sec1_bytes(&point).unwrap();
        key.to_public_key_pem()
    };
    for (before, after) in [("\n\n", ""), ("# key 1\r\n \n", "\n\nmore\n"), ("0\n", "x")] {
        let around = |row: &mut Map<String, Value>| {
            let text = format!("{before}{}{after}", pem(row));
            row.insert("key".into(), json!(text));
        };
        assert_eq!(outcome(around, &[]), ALL, "{before:?}");
        assert_eq!(outcome(around, &["--key-encoding", "hex"]), ALL);
    }
    let line = changed(|row| {
        let two = pem(row).repeat(2);
        row.insert("key".into(), json!(two));
    });
    let dir = TempDir::new().unwrap();
    let run = verify(&file(&dir, "a.jsonl", line), &[]);
    assert_eq!(run.rejected(), [(1, "pem-several-blocks".into())]);
}

#[test]
fn hybrid_points_get_their_rule() {
    let dir = TempDir::new().unwrap();
    for tag in ["06", "07"] {
        let line = changed(|row| {
            let key = cell(row, "key").unwrap();
            row.insert("key".into(), json!(format!("{tag}{}", &key[2..])));
        });
        let run = verify(&file(&dir, "a.jsonl", line), &[]);
        assert_eq!(run.rejected(), [(1, "key-tag".into())]);
    }
}

#[test]
fn keys_in_every_encoding() {
    let dir = TempDir::new().unwrap();
    for curve in CurveName::ALL.iter().map(|curve| curve.as_str()) {
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

/// Returns the key of a row, a point on P-256 in hex, as a JWK.
fn jwk(row: &Map<String, Value>) -> Value {
    let point = unhex(&cell(row, "key").unwrap());
    let (x, y) = point[1..].split_at(32);
    let [x, y] = [x, y].map(|bytes| BASE64URL_NOPAD.encode(bytes));
    json!({"kty": "EC", "crv": "P-256", "x": x, "y": y})
}

#[test]
fn a_jwk_is_an_object_or_text() {
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

/// The declared use of a JWK counts (RFC 7517 §4.2 to §4.4), and a duplicate member has no
/// meaning.
#[test]
fn a_jwk_must_be_for_verification_and_have_one_meaning() {
    let dir = TempDir::new().unwrap();
    let cases = [
        (r#""use":"sig","key_ops":["verify"],"alg":"ES256""#, None),
        (r#""use":"enc""#, Some("jwk-use")),
        (r#""key_ops":["sign"]"#, Some("jwk-key-operations")),
        (r#""alg":"ES384""#, Some("jwk-algorithm")),
        (r#""alg":"ES256K""#, Some("jwk-algorithm")),
        (r#""kty":"EC""#, Some("jwk-member-twice")),
        (r#""kid":1,"kid":1"#, Some("jwk-member-twice")),
        (r#""a":{"b":1,"b":2}"#, Some("jwk-member-twice")),
        (r#""a":"\ud800""#, Some("jwk-malformed")),
    ];
    for (members, reason) in cases {
        let mut row = good_rows().swap_remove(3);
        let jwk = jwk(&row)
            .to_string()
            .replacen('{', &format!("{{{members},"), 1);
        let expected: Vec<(u64, String)> = reason.into_iter().map(|why| (1, why.into())).collect();
        // As an object, as text, and in a file.
        row.insert("key".into(), json!("KEY"));
        let line = Value::Object(row.clone()).to_string();
        let object = file(&dir, "a.jsonl", line.replace("\"KEY\"", &jwk));
        assert_eq!(verify(&object, &[]).rejected(), expected, "{jwk}");
        let text = file(
            &dir,
            "a.jsonl",
            line.replace("\"KEY\"", &json!(jwk).to_string()),
        );
        assert_eq!(verify(&text, &[]).rejected(), expected, "{jwk}");
        let key = file(&dir, "key", &jwk);
        let run = verify(&text, &["--key", key.to_str().unwrap()]);
        assert_eq!(run.code, if reason.is_some() { 2 } else { 0 }, "{run:?}");
    }
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
            // n/2 is 7fffffff80000000..., so the first byte decides except in one case in 2^32.
            unhex(&cell(&row, "signature").unwrap())[32] >= 0x80
        })
        .count();
    let run = run(&["verify", "--json", "--require-low-s", path], b"");
    let rejected = run.rejected();
    assert!(rejected.iter().all(|(_, reason)| reason == "high-s"));
    assert_eq!(rejected.len(), high);
    assert!((1..40).contains(&high));
}
