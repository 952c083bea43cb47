//! `sigmill convert`: signatures in another form, and back.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};
use sigmill::{AnyVerifyingKey, CurveName, RecoveryId, SignatureFormat};

use crate::files::fails;
use crate::support::*;

type Rows = Vec<Map<String, Value>>;

/// The lines that can be read.
fn read(path: &Path) -> Rows {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().map(serde_json::from_str);
    lines.filter_map(Result::ok).collect()
}

/// The recovery id of a valid row of a digest.
fn id(row: &Map<String, Value>) -> RecoveryId {
    let [key, digest, signature] =
        ["key", "digest", "signature"].map(|name| unhex(&cell(row, name).unwrap()));
    let alg: sigmill::Algorithm = cell(row, "alg").unwrap().parse().unwrap();
    let key = AnyVerifyingKey::from_encoded(Some(alg.curve), &key).unwrap();
    key.verify_prehash_recoverable(&digest, &signature, SignatureFormat::Auto)
        .unwrap()
}

/// Rows on every curve, a few of them invalid or malformed.
fn sample(dir: &TempDir, name: &str, shape: &[&str]) -> std::path::PathBuf {
    let path = dir.path().join(name);
    let curves: Vec<String> = CurveName::ALL.iter().map(ToString::to_string).collect();
    let curves = curves.join(",");
    let args = [
        "sample", "--rows", "200", "--keys", "15", "--curve", &curves,
    ];
    let spoilt = ["--invalid", "0.03", "--malformed", "0.03", "--out"];
    let args = [&args[..], &spoilt, &[path.to_str().unwrap()], shape].concat();
    let made = run(&args, b"");
    assert_eq!(made.code, 0, "{made:?}");
    path
}

#[test]
fn signatures_become_friendly_and_come_back() {
    let dir = TempDir::new().unwrap();
    for shape in ["der", "p1363"] {
        let args = ["--input", "digest", "--signature-format", shape];
        let path = sample(&dir, "a.jsonl", &args);
        let expected = verify(&path, &[]);
        let [friendly, low, again] =
            ["friendly.jsonl", "low.jsonl", "again.jsonl"].map(|name| dir.path().join(name));
        let convert = |from: &Path, form: &str, to: &Path| {
            let args = ["convert", "--json", from.to_str().unwrap(), form, "--out"];
            run(&[&args[..], &[to.to_str().unwrap()]].concat(), b"")
        };
        let run = convert(&path, "--friendly", &friendly);
        assert_eq!(run.code, 1, "{run:?}");
        let lines: Vec<Value> = run
            .stderr
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let (summary, rejected) = lines.split_last().unwrap();
        // Those and no others, for the same reasons.
        let rejected: Vec<(u64, String)> = rejected
            .iter()
            .map(|line| {
                let reason = line["reason"].as_str().unwrap().to_owned();
                (line["row"].as_u64().unwrap(), reason)
            })
            .collect();
        assert_eq!(rejected, expected.rejected());
        assert!(rejected.len() > 3);
        let rows = read(&friendly);
        assert_eq!(rows.len(), 200 - rejected.len());
        assert_eq!(summary["converted"], rows.len());
        assert!(rows.iter().all(|row| id(row).is_friendly()));
        assert_eq!(verify(&friendly, &[]).code, 0);
        // Low s, from either form, is the same.
        for (from, to) in [(&path, &low), (&friendly, &again)] {
            convert(from, "--low-s", to);
            assert_eq!(verify(to, &["--require-low-s"]).code, 0);
        }
        assert_eq!(fs::read(&low).unwrap(), fs::read(&again).unwrap());
        assert!(verify(&friendly, &["--require-low-s"]).code == 1);
        // Nothing but signatures has changed, and of these one half.
        let is_kept = |row: &&Map<String, Value>| rows.iter().any(|other| other["id"] == row["id"]);
        let originals = read(&path);
        let kept = originals.iter().filter(is_kept);
        let mut changed = 0;
        for (before, after) in kept.zip(&rows) {
            for name in ["id", "alg", "key", "digest"] {
                assert_eq!(cell(before, name), cell(after, name));
            }
            changed += usize::from(before["signature"] != after["signature"]);
        }
        assert!(changed > 40 && changed < 160, "{changed}");
    }
}

#[test]
fn messages_and_keys_are_kept() {
    let dir = TempDir::new().unwrap();
    let path = sample(&dir, "a.jsonl", &["--key-format", "pem"]);
    let parquet = dir.path().join("b.parquet");
    let out = dir.path().join("c.jsonl");
    for (from, to) in [(&path, &parquet), (&parquet, &out)] {
        let args = ["convert", from.to_str().unwrap(), "--friendly", "--out"];
        let run = run(&[&args[..], &[to.to_str().unwrap()]].concat(), b"");
        assert!(run.code < 2, "{run:?}");
        assert_eq!(verify(to, &[]).code, 0);
    }
    let (before, after) = (read(&path), read(&out));
    let mut before = before.iter();
    for row in &after {
        let same = before.find(|other| other["id"] == row["id"]).unwrap();
        assert_eq!(same["message"], row["message"]);
        assert_eq!(same["key"], row["key"]);
    }
    let path = path.to_str().unwrap();
    fails(
        &["convert", path, "--out", out.to_str().unwrap()],
        &["--friendly"],
    );
    fails(
        &["convert", path, "--friendly", "--out", path],
        &["the table to convert"],
    );
    let both = [
        "convert",
        path,
        "--friendly",
        "--low-s",
        "--out",
        out.to_str().unwrap(),
    ];
    fails(&both, &["--low-s"]);
}
