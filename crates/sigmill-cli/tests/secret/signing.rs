//! Tables that are signed.

use serde_json::Value;
use sigmill::CurveName;

use crate::support::*;

const ROWS: &str = "id,message,digest\n\
    one,hello,\n\
    two,\"a, \"\"quoted\"\"\nmessage\",\n\
    three,,2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\n\
    four,,\n";

fn keys(dir: &TempDir) {
    for curve in CurveName::ALL.iter().map(|curve| curve.as_str()) {
        let public = format!("{curve}.pub");
        succeed(
            dir,
            &[
                "keygen",
                "--curve",
                curve,
                "--out",
                curve,
                "--public-out",
                &public,
            ],
        );
    }
}

fn verify(dir: &TempDir, file: &str, args: &[&str]) -> Value {
    let run = succeed(dir, &[&["verify", "--json", file], args].concat());
    serde_json::from_slice(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"))
}

#[test]
fn what_is_signed_is_valid_in_every_format_and_form() {
    let dir = TempDir::new().unwrap();
    keys(&dir);
    file(&dir, "rows.csv", ROWS);
    for curve in CurveName::ALL.iter().map(|curve| curve.as_str()) {
        for extension in ["csv", "jsonl", "parquet", "arrow", "arrows"] {
            for options in [
                &["--hash", "sha256"][..],
                &[
                    "--hash",
                    "SHA-256",
                    "--low-s",
                    "--signature-format",
                    "p1363",
                    "--key-format",
                    "pem",
                ],
                &[
                    "--hash",
                    "sha256",
                    "--key-format",
                    "spki",
                    "--encoding",
                    "base64",
                ],
                &["--hash", "sha256", "--key-format", "sec1-compressed"],
            ] {
                let out = format!("out.{extension}");
                let args = ["sign", "rows.csv", "--key", curve, "--out", &out];
                let run = succeed(&dir, &[&args, options].concat());
                assert!(
                    run.stderr.contains("4 rows, 4 signed, 0 rejected"),
                    "{run:?}"
                );
                let low_s: &[&str] = if options.contains(&"--low-s") {
                    &["--require-low-s"]
                } else {
                    &[]
                };
                let summary = verify(&dir, &out, low_s);
                assert_eq!(summary["valid"], 4, "{curve} {out} {options:?}: {summary}");
                // The public key from the file leads to the same verdicts.
                let key = format!("{curve}.pub");
                assert_eq!(verify(&dir, &out, &["--key", &key])["valid"], 4);
            }
        }
    }
    // A signed table can be signed again, with another key.
    let args = [
        "sign",
        "out.parquet",
        "--key",
        "P-256",
        "--out",
        "again.jsonl",
    ];
    succeed(&dir, &[&args[..], &["--hash", "sha256"]].concat());
    assert_eq!(
        verify(&dir, "again.jsonl", &["--key", "P-256.pub"])["valid"],
        4
    );
}

#[test]
fn openssl_accepts_a_signature() {
    use openssl::ecdsa::EcdsaSig;
    use openssl::pkey::PKey;
    let dir = TempDir::new().unwrap();
    keys(&dir);
    file(&dir, "rows.jsonl", "{\"message\": \"hello\"}\n");
    succeed(
        &dir,
        &["sign", "rows.jsonl", "--key", "P-256", "--out", "out.jsonl"],
    );
    let row: Value = serde_json::from_slice(&read(&dir, "out.jsonl")).unwrap();
    assert_eq!(
        (&row["alg"], &row["message"]),
        (&"ES256".into(), &"hello".into())
    );
    let signature = data_encoding::HEXLOWER
        .decode(row["signature"].as_str().unwrap().as_bytes())
        .unwrap();
    let key = PKey::public_key_from_pem(&read(&dir, "P-256.pub")).unwrap();
    let digest = openssl::sha::sha256(b"hello");
    let signature = EcdsaSig::from_der(&signature).unwrap();
    assert!(signature.verify(&digest, &key.ec_key().unwrap()).unwrap());
}

#[test]
fn the_vector_of_rfc_6979() {
    // A.2.5, SHA-256, message "sample".
    let dir = TempDir::new().unwrap();
    let sec1 = "30310201010420c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721\
                a00a06082a8648ce3d030107";
    file(
        &dir,
        "key",
        data_encoding::HEXLOWER.decode(sec1.as_bytes()).unwrap(),
    );
    file(&dir, "rows.jsonl", "{\"id\": 7, \"message\": \"sample\"}\n");
    let args = [
        "sign",
        "rows.jsonl",
        "--key",
        "key",
        "--out",
        "-",
        "--out-format",
        "jsonl",
    ];
    let run = succeed(
        &dir,
        &[&args[..], &["--signature-format", "p1363"]].concat(),
    );
    let row: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(
        row["signature"],
        "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716\
         f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
    );
    assert_eq!(row["id"], "7");
}

#[test]
fn rows_that_cannot_be_read_are_told_and_left_out() {
    let dir = TempDir::new().unwrap();
    keys(&dir);
    file(
        &dir,
        "rows.jsonl",
        "{\"id\": \"good\", \"message\": \"m\"}\n\
         {\"id\": \"both\", \"message\": \"m\", \"digest\": \"00\"}\n\
         no json\n\
         {\"id\": \"short\", \"digest\": \"0011\"}\n\
         {\"id\": \"none\"}\n\
         {\"id\": [], \"message\": \"m\"}\n\
         {\"id\": \"digits\", \"digest\": \"xyz!\"}\n\
         {\"id\": \"last\", \"message\": \"\"}\n",
    );
    let run = run(
        &dir,
        &[
            "--json",
            "sign",
            "rows.jsonl",
            "--key",
            "P-256",
            "--out",
            "out.csv",
        ],
    );
    assert_eq!(run.code, 1, "{run:?}");
    let lines: Vec<Value> = run
        .stderr
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let reasons: Vec<_> = lines[..6]
        .iter()
        .map(|line| {
            (
                line["row"].as_u64().unwrap(),
                line["reason"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        reasons,
        [
            (2, "message-and-digest"),
            (3, "json-syntax"),
            (4, "digest-length"),
            (5, "field-missing"),
            (6, "field-type"),
            (7, "field-encoding"),
        ]
    );
    assert_eq!(
        (&lines[6]["signed"], &lines[6]["rejected"]),
        (&2.into(), &6.into())
    );
    assert_eq!(verify(&dir, "out.csv", &[])["valid"], 2);
}

#[test]
fn messages_that_are_no_text_need_an_encoding() {
    let dir = TempDir::new().unwrap();
    keys(&dir);
    file(&dir, "rows.jsonl", "{\"message\": \"ff00\"}\n");
    let hex = ["--message-encoding", "hex"];
    let sign = |args: &[&str]| run(&dir, &[&["sign", "--key", "P-256"], args].concat());
    assert_eq!(
        sign(&[&["rows.jsonl", "--out", "out.parquet"], &hex[..]].concat()).code,
        0
    );
    assert_eq!(verify(&dir, "out.parquet", &[])["valid"], 1);
    let refused = sign(&["out.parquet", "--out", "out.csv"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("message-not-text"), "{refused:?}");
    assert_eq!(
        sign(&[&["out.parquet", "--out", "out.csv"], &hex[..]].concat()).code,
        0
    );
    assert_eq!(verify(&dir, "out.csv", &hex)["valid"], 1);
}

#[test]
fn what_cannot_be_done_is_said_before_anything_is_written() {
    let dir = TempDir::new().unwrap();
    keys(&dir);
    succeed(&dir, &["keygen", "--curve", "X25519", "--out", "x"]);
    file(&dir, "rows.csv", "message\nhello\n");
    file(&dir, "other.csv", "text\nhello\n");
    let cases: [(&[&str], &str); 8] = [
        (&["rows.csv", "--key", "x", "--out", "o.csv"], "cannot sign"),
        (
            &[
                "rows.csv",
                "--key",
                "P-256",
                "--out",
                "P-256",
                "--out-format",
                "csv",
            ],
            "is also the key",
        ),
        (
            &["rows.csv", "--key", "P-256", "--out", "rows.csv"],
            "is also the table to sign",
        ),
        (
            &["other.csv", "--key", "P-256", "--out", "o.csv"],
            "no column \"message\"",
        ),
        (
            &["none.csv", "--key", "P-256", "--out", "o.csv"],
            "none.csv",
        ),
        (
            &["rows.csv", "--key", "P-256", "--out", "o.txt"],
            "--out-format",
        ),
        (
            &[
                "rows.csv", "--key", "P-256", "--out", "o.csv", "--hash", "md5",
            ],
            "sha256",
        ),
        (
            &[
                "rows.csv",
                "--key",
                "P-256",
                "--out",
                "o.csv",
                "--encoding",
                "binary",
            ],
            "--encoding",
        ),
    ];
    for (args, message) in cases {
        refuse(&dir, &[&["sign"], args].concat(), message);
    }
    assert_eq!(read(&dir, "rows.csv"), b"message\nhello\n");
}

#[test]
fn many_rows_are_signed_together_and_stay_in_order() {
    let dir = TempDir::new().unwrap();
    keys(&dir);
    // More rows than are signed in one call. Every 100th row cannot be read.
    let rows = (0..600).map(|i| match i % 100 {
        99 => format!("{{\"id\": {i}}}\n"),
        _ if i % 2 == 0 => format!("{{\"id\": {i}, \"message\": \"m{i}\"}}\n"),
        _ => format!("{{\"id\": {i}, \"digest\": \"{i:064x}\"}}\n"),
    });
    file(&dir, "rows.jsonl", rows.collect::<String>());
    let args = ["sign", "rows.jsonl", "--key", "P-256", "--out", "out.jsonl"];
    let signing = run(&dir, &args);
    assert_eq!(signing.code, 1);
    assert!(
        signing.stderr.contains("600 rows, 594 signed, 6 rejected"),
        "{signing:?}"
    );
    assert_eq!(
        verify(&dir, "out.jsonl", &["--key", "P-256.pub"])["valid"],
        594
    );
    let out = String::from_utf8(read(&dir, "out.jsonl")).unwrap();
    let rows: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ids: Vec<_> = rows.iter().map(|row| row["id"].clone()).collect();
    let expected = (0..600).filter(|i| i % 100 != 99);
    assert_eq!(ids, expected.map(|i| i.to_string()).collect::<Vec<_>>());
    // The signature of a row does not depend on the other rows.
    file(&dir, "one.jsonl", "{\"message\": \"m300\"}\n");
    succeed(
        &dir,
        &[
            "sign",
            "one.jsonl",
            "--key",
            "P-256",
            "--out",
            "alone.jsonl",
        ],
    );
    let alone: Value = serde_json::from_slice(&read(&dir, "alone.jsonl")).unwrap();
    let row = rows.iter().find(|row| row["id"] == "300").unwrap();
    assert_eq!(row["signature"], alone["signature"]);
}
