//! `sigmill convert`: signatures are converted to another form, and back.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};
use sigmill::p256::{Signature, VerifyingKey};
use sigmill::{AnyVerifyingKey, CurveName, RecoveryId, SignatureFormat};

use crate::files::fails;
use crate::support::*;

type Rows = Vec<Map<String, Value>>;

/// Returns the lines that can be read.
fn read(path: &Path) -> Rows {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().map(serde_json::from_str);
    lines.filter_map(Result::ok).collect()
}

/// Returns the recovery id of a valid row with a digest.
fn id(row: &Map<String, Value>) -> RecoveryId {
    let [key, digest, signature] =
        ["key", "digest", "signature"].map(|name| unhex(&cell(row, name).unwrap()));
    let alg: sigmill::Algorithm = cell(row, "alg").unwrap().parse().unwrap();
    let key = AnyVerifyingKey::from_encoded(Some(alg.curve), &key).unwrap();
    key.verify_prehash_recoverable(&digest, &signature, SignatureFormat::Auto)
        .unwrap()
}

/// Writes rows on every curve, a few of them invalid or malformed.
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
        // Exactly these rows are rejected, for the same reasons.
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
        // Conversion to low s gives the same result from either form.
        for (from, to) in [(&path, &low), (&friendly, &again)] {
            convert(from, "--low-s", to);
            assert_eq!(verify(to, &["--require-low-s"]).code, 0);
        }
        assert_eq!(fs::read(&low).unwrap(), fs::read(&again).unwrap());
        assert!(verify(&friendly, &["--require-low-s"]).code == 1);
        // Only signatures have changed, about half of them.
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

/// Converts the rows, and returns the signatures.
fn converted(dir: &TempDir, rows: &Rows, form: &str) -> Vec<Vec<u8>> {
    let lines: String = rows
        .iter()
        .map(|row| Value::Object(row.clone()).to_string() + "\n")
        .collect();
    let (path, out) = (file(dir, "from.jsonl", lines), dir.path().join("to.jsonl"));
    let [from, to] = [&path, &out].map(|path| path.to_str().unwrap());
    let made = run(&["convert", from, form, "--out", to], b"");
    assert_eq!(made.code, 0, "{made:?}");
    assert_eq!(verify(&out, &[]).code, 0);
    let signature = |row: &Map<String, Value>| unhex(&cell(row, "signature").unwrap());
    read(&out).iter().map(signature).collect()
}

/// r and s side by side have 64 bytes, like some DER signatures with a short r.
#[test]
fn der_that_would_be_taken_for_something_else_is_not_written() {
    let dir = TempDir::new().unwrap();
    let digest = [7; 32];
    let mut s = [0x55; 32];
    let mut rows = vec![];
    for x in 0..40 {
        let mut r = [0x11; 32];
        r[..7].fill(0);
        r[31] = x;
        s[31] = x;
        let signature = Signature::from_scalars(&r, &s).unwrap();
        let id = RecoveryId::new(true, false);
        let Ok(key) = VerifyingKey::recover_from_prehash(&digest, &signature, id) else {
            continue;
        };
        assert_eq!(signature.to_der().len(), 63);
        let hex = |bytes: &[u8]| Value::from(data_encoding::HEXLOWER.encode(bytes));
        let cells = [
            ("alg", "ES256".into()),
            ("key", hex(&key.to_sec1_bytes(false))),
            ("digest", hex(&digest)),
            ("signature", hex(&signature.to_der())),
        ];
        rows.push(
            cells
                .map(|(name, cell)| (name.into(), cell))
                .into_iter()
                .collect(),
        );
    }
    assert!(rows.len() > 5);
    for signature in converted(&dir, &rows, "--friendly") {
        assert_eq!((signature.len(), &signature[..7]), (64, &[0; 7][..]));
    }
}

/// v stays after its signature, and describes the point R of the converted signature.
#[test]
fn v_is_kept() {
    let dir = TempDir::new().unwrap();
    let shape = "--input digest --signature-format p1363 --curve P-256,secp256k1";
    let path = dir.path().join("a.jsonl");
    let start = ["sample", "--rows", "60", "--out", path.to_str().unwrap()];
    let made = run(
        &start
            .into_iter()
            .chain(shape.split(' '))
            .collect::<Vec<_>>(),
        b"",
    );
    assert_eq!(made.code, 0, "{made:?}");
    let mut rows = read(&path);
    for row in &mut rows {
        let v = 27 + id(row).to_byte();
        let signature = cell(row, "signature").unwrap() + &format!("{v:02x}");
        row.insert("signature".into(), signature.into());
    }
    let mut negated = 0;
    for form in ["--friendly", "--low-s"] {
        let after = converted(&dir, &rows, form);
        for (row, signature) in rows.iter_mut().zip(after) {
            assert_eq!(signature.len(), 65);
            let before = unhex(&cell(row, "signature").unwrap());
            negated += usize::from(before != signature);
            let pair = data_encoding::HEXLOWER.encode(&signature[..64]);
            row.insert("signature".into(), pair.into());
            assert_eq!(signature[64], 27 + id(row).to_byte());
            let whole = data_encoding::HEXLOWER.encode(&signature);
            row.insert("signature".into(), whole.into());
        }
    }
    assert!(negated > 20, "{negated}");
}

/// CSV with NUL cannot be read, so it is not written.
#[test]
fn nul_is_not_written_to_csv() {
    let dir = TempDir::new().unwrap();
    let lines = "{\"id\": \"a\\u0000b\", \"message\": \"x\"}\n\
                 {\"id\": \"c\", \"message\": \"x\\u0000y\"}\n\
                 {\"id\": \"d\", \"message\": \"x\"}\n";
    let path = file(&dir, "a.jsonl", lines);
    let [key, signed, csv] = ["k.pem", "s.jsonl", "s.csv"].map(|name| dir.path().join(name));
    let [path, key, signed, csv] = [&path, &key, &signed, &csv].map(|path| path.to_str().unwrap());
    assert_eq!(run(&["keygen", "--out", key], b"").code, 0);
    assert_eq!(
        run(&["sign", path, "--key", key, "--out", signed], b"").code,
        0
    );
    for args in [
        ["sign", path, "--key", key, "--out", csv].as_slice(),
        &["convert", signed, "--friendly", "--out", csv],
    ] {
        let made = run(&[args, &["--json"]].concat(), b"");
        assert_eq!(made.code, 1, "{made:?}");
        assert_eq!(made.stderr.matches("\"csv-nul\"").count(), 2, "{made:?}");
        assert_eq!(verify(Path::new(csv), &[]).code, 0);
        assert_eq!(fs::read_to_string(csv).unwrap().lines().count(), 2);
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
    // This command uses no hints.
    let hints = ["convert", path, "--friendly", "--hint-column", "v"];
    fails(&hints, &["--hint-column"]);
}
