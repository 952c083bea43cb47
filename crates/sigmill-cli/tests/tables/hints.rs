//! Hints: an archive that is verified twice, columns of hints, signatures with v. No hint changes a
//! verdict.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use sigmill::{AnyVerifyingKey, CurveName, RecoveryId, SignatureFormat};

use crate::files::fails;
use crate::support::*;

pub(crate) type Rows = Vec<Map<String, Value>>;

/// Returns `count` valid rows with signatures r and s, each with its own key.
pub(crate) fn rows(dir: &TempDir, count: usize) -> Rows {
    let path = dir.path().join("sample.jsonl");
    let (rows, out) = (count.to_string(), path.to_str().unwrap());
    let args = "--distribution uniform --signature-format p1363 --input digest";
    let start = ["sample", "--rows", &rows, "--keys", &rows, "--out", out];
    let args: Vec<&str> = start.into_iter().chain(args.split(' ')).collect();
    let made = run(&args, b"");
    assert_eq!(made.code, 0, "{made:?}");
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

pub(crate) fn write(dir: &TempDir, name: &str, rows: &Rows) -> PathBuf {
    let lines = rows
        .iter()
        .map(|row| Value::Object(row.clone()).to_string() + "\n");
    file(dir, name, lines.collect::<String>())
}

/// Damages a cell of a row.
pub(crate) fn spoil(row: &mut Map<String, Value>, name: &str) {
    let mut bytes = unhex(&cell(row, name).unwrap());
    *bytes.last_mut().unwrap() ^= 1;
    row.insert(name.into(), hex(&bytes));
}

fn hex(bytes: &[u8]) -> Value {
    data_encoding::HEXLOWER.encode(bytes).into()
}

/// Returns the recovery id of a valid row.
pub(crate) fn id(row: &Map<String, Value>) -> RecoveryId {
    let [key, digest, signature] =
        ["key", "digest", "signature"].map(|name| unhex(&cell(row, name).unwrap()));
    let key = AnyVerifyingKey::from_encoded(Some(CurveName::P256), &key).unwrap();
    key.verify_prehash_recoverable(&digest, &signature, SignatureFormat::P1363)
        .unwrap()
}

/// Returns a count of the summary.
pub(crate) fn count(summary: &Value, name: &str) -> u64 {
    summary[name].as_u64().unwrap()
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn an_archive_is_verified_twice() {
    let dir = TempDir::new().unwrap();
    let mut all = rows(&dir, 1500);
    spoil(&mut all[77], "digest");
    spoil(&mut all[1200], "signature");
    // This row cannot be read. In the next one only the signature cannot be read.
    all[300].insert("alg".into(), "none".into());
    all[301].insert("signature".into(), "x".into());
    let (path, hints) = (write(&dir, "a.jsonl", &all), dir.path().join("a.hints"));
    let fixed = ["--speed", "fixed"];
    let plain = verify(&path, &fixed);
    let first = verify(
        &path,
        &[&fixed[..], &["--write-hints", text(&hints)]].concat(),
    );
    assert_eq!((first.code, first.rejected()), (1, plain.rejected()));
    assert_eq!(plain.rejected().len(), 4);
    let (_, summary) = first.json();
    assert_eq!(count(&summary, "batched"), 0);
    assert!(summary.get("false_accepts").is_none(), "{summary}");
    assert_eq!(summary["hints_file"]["hints"], 1496);
    assert_eq!(summary["hints_file"]["written"], true);
    // The content, half byte by half byte.
    let bytes = fs::read(&hints).unwrap();
    assert_eq!(bytes.len(), 16 + 750 + 72);
    for (i, row) in all.iter().enumerate() {
        let half = bytes[16 + i / 2] >> (4 * (i % 2)) & 15;
        match i {
            77 | 300 | 301 | 1200 => assert_eq!(half, 15),
            _ => assert_eq!(half, id(row).to_byte(), "row {i}"),
        }
    }
    for threads in ["1", "4"] {
        let args = ["--threads", threads, "--hints", text(&hints)];
        let second = verify(&path, &[&fixed[..], &args].concat());
        assert_eq!((second.code, second.rejected()), (1, plain.rejected()));
        let (_, summary) = second.json();
        // Nearly all rows are batched, except the smallest parts of batches that bad rows make
        // fail.
        assert!(count(&summary, "batched") > 700, "{summary}");
        assert_eq!(summary["false_accepts"], "2^-120");
        assert_eq!(summary["hints_file"]["hints"], 1500);
    }
    let shown = run(&["verify", text(&path), "--hints", text(&hints)], b"");
    assert!(shown.stdout.contains("at most 2^-120"), "{shown:?}");
    // The same rows in several files, one after the other.
    let parts = [&all[..401], &all[401..]].map(<[_]>::to_vec);
    let parts = [("b.jsonl", &parts[0]), ("c.jsonl", &parts[1])];
    let [b, c] = parts.map(|(name, rows)| write(&dir, name, rows));
    let both = |order: [&Path; 2]| {
        let args = ["verify", "--json", text(order[0]), text(order[1])];
        run(&[&args[..], &["--hints", text(&hints)]].concat(), b"")
    };
    let right = both([&b, &c]);
    assert_eq!(right.code, 1, "{right:?}");
    assert_eq!(right.json().1["rejected"], 4);
    let wrong = both([&c, &b]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
    assert!(wrong.stderr.contains("other signatures"), "{wrong:?}");
    // The verdicts are reported all the same, and are correct.
    assert_eq!(wrong.json().1["rejected"], 4);
}

#[test]
fn hints_go_with_rows_in_any_format() {
    let dir = TempDir::new().unwrap();
    let all = good_rows();
    let jsonl = write(&dir, "a.jsonl", &all);
    let hints = dir.path().join("a.hints");
    let first = verify(&jsonl, &["--write-hints", text(&hints)]);
    assert_eq!(first.code, 0, "{first:?}");
    let columns = ["id", "alg", "key", "message", "signature"];
    let csv = file(&dir, "a.csv", csv_text(&all, &columns));
    let parquet = dir.path().join("a.parquet");
    write_parquet(&parquet, &batch(&all, true));
    for path in [jsonl, csv, parquet] {
        let second = verify(&path, &["--hints", text(&hints)]);
        assert_eq!((second.code, second.rejected()), (0, vec![]), "{second:?}");
        assert_eq!(second.json().1["hints_file"]["hints"], 20);
        let again = dir.path().join("again.hints");
        let written = verify(&path, &["--write-hints", text(&again)]);
        assert_eq!(written.code, 0, "{written:?}");
        assert_eq!(fs::read(&again).unwrap(), fs::read(&hints).unwrap());
    }
}

#[test]
fn files_of_other_rows_and_no_files_of_hints_are_refused() {
    let dir = TempDir::new().unwrap();
    let all = good_rows();
    let path = write(&dir, "a.jsonl", &all);
    let hints = dir.path().join("a.hints");
    let first = verify(&path, &["--write-hints", text(&hints)]);
    assert_eq!(first.code, 0, "{first:?}");
    let good = fs::read(&hints).unwrap();
    let seal = |mut bytes: Vec<u8>| {
        let content = bytes.len() - 32;
        let digest = Sha256::digest(&bytes[..content]);
        bytes[content..].copy_from_slice(&digest);
        bytes
    };
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        seal(bytes)
    };
    let mut flipped = good.clone();
    flipped[20] ^= 1;
    let longer = [&good[..], &[0]].concat();
    let mut fewer = good.clone();
    fewer.remove(20);
    let rows_at = good.len() - 72 + 7;
    for (broken, rule) in [
        (vec![], "wrong magic number"),
        (b"PAR1 is something else".to_vec(), "wrong magic number"),
        (good[..15].to_vec(), "truncated"),
        (good[..87].to_vec(), "truncated"),
        (good[..good.len() - 1].to_vec(), "truncated"),
        (longer, "changed"),
        (flipped, "changed"),
        (with(9, 2), "version 2"),
        (with(12, 1), "zero"),
        (with(20, 0x40), "half byte"),
        (with(rows_at, 22), "22 rows"),
        (with(rows_at, 19), "19 rows"),
        (seal(fewer), "20 rows"),
    ] {
        let broken = file(&dir, "broken", &broken);
        fails(
            &["verify", text(&path), "--hints", text(&broken)],
            &["broken", rule],
        );
    }
    // Files of other rows: one fewer, one more, two swapped, another signature.
    let mut swapped = all.clone();
    swapped.swap(3, 4);
    let mut other = all.clone();
    spoil(&mut other[0], "signature");
    let more = [&all[..], &all[..1]].concat();
    for (rows, rule, rejected) in [
        (all[..19].to_vec(), "for 20 rows; expected 19", 0),
        (more, "expected 21", 0),
        (swapped, "other signatures", 0),
        (other, "other signatures", 1),
    ] {
        let path = write(&dir, "other.jsonl", &rows);
        let run = verify(&path, &["--hints", text(&hints)]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains(rule), "{run:?}");
        // The rows are judged all the same, with correct verdicts.
        assert_eq!(run.json().1["rejected"], rejected);
    }
    let folder = dir.path().to_str().unwrap();
    fails(&["verify", text(&path), "--hints", folder], &[folder]);
    fails(&["verify", text(&path), "--hints", "-"], &["--hints -"]);
    fails(
        &["verify", text(&path), "--hints", "/no/such"],
        &["/no/such"],
    );
    fails(
        &["verify", text(&path), "--write-hints", text(&path)],
        &["is also an input file"],
    );
    let both = ["--hints", text(&hints), "--hint-column", "v"];
    fails(
        &[&["verify", text(&path)], &both[..]].concat(),
        &["--hint-column"],
    );
}

#[test]
fn what_could_not_be_read_as_a_whole_leaves_the_old_file() {
    let dir = TempDir::new().unwrap();
    let path = write(&dir, "a.jsonl", &good_rows());
    let hints = file(&dir, "a.hints", "old");
    let missing = dir.path().join("none.jsonl");
    let args = [
        "verify",
        text(&path),
        text(&missing),
        "--write-hints",
        text(&hints),
    ];
    let run = run(&args, b"");
    assert_eq!(run.code, 2, "{run:?}");
    assert_eq!(fs::read(&hints).unwrap(), b"old");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

/// A run that cannot begin does not touch the verdicts of an earlier run.
#[test]
fn hints_that_cannot_be_written_leave_the_old_verdicts() {
    let dir = TempDir::new().unwrap();
    let path = write(&dir, "a.jsonl", &good_rows());
    let (out, hints) = (file(&dir, "v.csv", "old"), dir.path().join("none/a.hints"));
    let args = ["--out", text(&out), "--write-hints", text(&hints)];
    fails(&[&["verify", text(&path)], &args[..]].concat(), &["none"]);
    assert_eq!(fs::read(&out).unwrap(), b"old");
}

/// The beginning of a line that cannot be read is not a cell for any reader.
#[test]
fn rows_that_cannot_be_read_have_no_signature() {
    let dir = TempDir::new().unwrap();
    let lines = "{\"signature\": \"aabb\", \"x\":}\n{\"x\":}\n";
    let (path, hints) = (file(&dir, "a.jsonl", lines), dir.path().join("h.csv"));
    assert_eq!(verify(&path, &["--write-hints", text(&hints)]).code, 1);
    let written = fs::read_to_string(hints).unwrap();
    let rows: Vec<&str> = written.lines().skip(1).collect();
    let none = data_encoding::HEXLOWER.encode(&Sha256::digest([255; 4])[..8]);
    assert_eq!(rows, [format!(",{none}"), format!(",{none}")]);
}

#[test]
fn columns_of_hints_change_no_verdict() {
    let dir = TempDir::new().unwrap();
    let mut all = rows(&dir, 300);
    let ids: Vec<u8> = all.iter().map(|row| id(row).to_byte()).collect();
    spoil(&mut all[7], "digest");
    let expected = verify(&write(&dir, "a.jsonl", &all), &[]).rejected();
    assert_eq!(expected.len(), 1);
    let right: Vec<Value> = ids.iter().map(|&id| id.into()).collect();
    let v: Vec<Value> = ids.iter().map(|&id| (27 + id).to_string().into()).collect();
    let wrong: Vec<Value> = ids.iter().map(|&id| (id ^ 1).into()).collect();
    let nonsense = (0..300).map(|i| match i % 7 {
        0 => Value::Null,
        1 => "nonsense".into(),
        2 => (-1).into(),
        3 => 1e300.into(),
        4 => vec![Value::Null].into(),
        5 => true.into(),
        _ => 255.into(),
    });
    for (hints, batched) in [
        (right, true),
        (v, true),
        (wrong, false),
        (nonsense.collect(), false),
    ] {
        for (row, hint) in all.iter_mut().zip(hints) {
            row.insert("v".into(), hint);
        }
        let path = write(&dir, "b.jsonl", &all);
        let run = verify(&path, &["--hint-column", "v", "--speed", "fixed"]);
        assert_eq!((run.code, run.rejected()), (1, expected.clone()));
        let (_, summary) = run.json();
        assert_eq!(count(&summary, "batched") > 0, batched, "{summary}");
        assert_eq!(summary["false_accepts"], "2^-120");
        // The same holds for cells of CSV.
        let columns = ["id", "alg", "key", "digest", "signature", "v"];
        let csv = file(&dir, "b.csv", csv_text(&all, &columns));
        let run = verify(&csv, &["--hint-column", "v"]);
        assert_eq!(run.rejected(), expected);
    }
    let path = file(
        &dir,
        "c.csv",
        csv_text(&all, &["alg", "key", "digest", "signature"]),
    );
    fails(
        &["verify", text(&path), "--hint-column", "v"],
        &["no column \"v\"", "--hint-column"],
    );
}

#[test]
fn signatures_may_have_v_behind_them() {
    let dir = TempDir::new().unwrap();
    let mut all = rows(&dir, 300);
    let with_v = |all: &mut Rows, v: &dyn Fn(u8) -> u8| {
        for row in all {
            let id = id(row).to_byte();
            let pair = unhex(&cell(row, "signature").unwrap());
            row.insert("signature".into(), hex(&[&pair[..], &[v(id)]].concat()));
        }
    };
    let verify_all = |all: &Rows, args: &[&str]| {
        let path = write(&dir, "v.jsonl", all);
        verify(&path, &[args, &["--speed", "fixed"]].concat())
    };
    for (v, batched) in [
        (&(|id| id) as &dyn Fn(u8) -> u8, true),
        (&|id| id + 27, true),
        (&|id| id ^ 1, false),
        (&|_| 30, false),
    ] {
        let mut rows = all.clone();
        with_v(&mut rows, v);
        for args in [
            &["--batch"][..],
            &["--batch", "--signature-format", "p1363"],
            &[],
        ] {
            let run = verify_all(&rows, args);
            assert_eq!(run.code, 0, "{run:?}");
            let found = count(&run.json().1, "batched") > 0;
            assert_eq!(found, batched && !args.is_empty(), "{args:?}");
        }
        let der = verify_all(&rows, &["--signature-format", "der"]);
        assert_eq!(der.json().1["rejected"], 300);
    }
    // An invalid v, and a signature that is not valid.
    with_v(&mut all, &|id| id);
    for (row, byte) in all.iter_mut().zip([4, 26, 31, 255]) {
        let mut bytes = unhex(&cell(row, "signature").unwrap());
        bytes[64] = byte;
        row.insert("signature".into(), hex(&bytes));
    }
    spoil(&mut all[9], "digest");
    let run = verify_all(&all, &["--batch"]);
    let rows: Vec<u64> = run.rejected().iter().map(|(row, _)| *row).collect();
    assert_eq!(rows, [1, 2, 3, 4, 10]);
}
