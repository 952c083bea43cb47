//! Files of hints that are tables: written and read in every format, and refused for every reason.

use std::fs::{self, File};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use sha2::{Digest as _, Sha256};

use crate::files::fails;
use crate::hints::{Rows, count, id, rows, spoil, text, write};
use crate::support::*;

const EXTENSIONS: [&str; 6] = ["csv", "jsonl", "parquet", "arrow", "ipc", "arrows"];

/// Returns the digest that identifies the row in a table, in hexadecimal.
fn digest(row: &serde_json::Map<String, serde_json::Value>) -> String {
    let signature = unhex(&cell(row, "signature").unwrap());
    let len = u32::try_from(signature.len()).unwrap().to_be_bytes();
    let digest = Sha256::digest([&len[..], &signature].concat());
    data_encoding::HEXLOWER.encode(&digest[..8])
}

/// Returns a table of hints for valid rows.
fn csv(rows: &Rows) -> String {
    let line = |row| format!("{},{}\n", id(row).to_byte(), digest(row));
    "hint,signature_digest\n".to_owned() + &rows.iter().map(line).collect::<String>()
}

#[test]
fn tables_of_hints_in_every_format() {
    let dir = TempDir::new().unwrap();
    let mut all = rows(&dir, 601);
    spoil(&mut all[77], "digest");
    // This row cannot be read. In the next one only the signature cannot be read.
    all[300].insert("alg".into(), "none".into());
    all[301].insert("signature".into(), "x".into());
    let (path, fixed) = (write(&dir, "a.jsonl", &all), ["--speed", "fixed"]);
    let plain = verify(&path, &fixed).rejected();
    assert_eq!(plain.len(), 3);
    for extension in EXTENSIONS {
        let hints = dir.path().join("hints").with_extension(extension);
        let args = [&fixed[..], &["--write-hints", text(&hints)]].concat();
        let first = verify(&path, &args);
        assert_eq!((first.code, first.rejected()), (1, plain.clone()));
        assert_eq!(first.json().1["hints_file"]["hints"], 598);
        for threads in ["1", "4"] {
            let args = ["--threads", threads, "--hints", text(&hints)];
            let second = verify(&path, &[&fixed[..], &args].concat());
            assert_eq!((second.code, second.rejected()), (1, plain.clone()));
            assert_eq!(second.stderr, "", "{extension}");
            let (_, summary) = second.json();
            assert!(count(&summary, "batched") > 250, "{extension}: {summary}");
            assert_eq!(summary["hints_file"]["hints"], 601);
        }
    }
    // The content, row by row.
    let written = fs::read_to_string(dir.path().join("hints.csv")).unwrap();
    let mut lines = written.lines();
    assert_eq!(lines.next(), Some("hint,signature_digest"));
    for (i, (line, row)) in lines.zip(&all).enumerate() {
        match i {
            77 | 300 => assert_eq!(line, ",".to_owned() + &digest(row)),
            // 2^32 - 1 replaces the length.
            301 => {
                let digest = Sha256::digest([255; 4]);
                let digest = data_encoding::HEXLOWER.encode(&digest[..8]);
                assert_eq!(line, ",".to_owned() + &digest);
            }
            _ => assert_eq!(line, format!("{},{}", id(row).to_byte(), digest(row))),
        }
    }
    assert_eq!(written.lines().count(), 602);
    let line = fs::read_to_string(dir.path().join("hints.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
    let named = serde_json::json!(
        {"hint": id(&all[0]).to_byte(), "signature_digest": digest(&all[0])}
    );
    assert_eq!(first, named);
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(
        File::open(dir.path().join("hints.parquet")).unwrap(),
    );
    let schema = reader.unwrap().schema().to_string();
    assert!(schema.contains("hint\": nullable UInt64"), "{schema}");
}

/// Tables by another program, with v and more columns, for rows that are split over several files.
#[test]
fn tables_of_hints_of_others() {
    let dir = TempDir::new().unwrap();
    let all = rows(&dir, 40);
    let path = write(&dir, "a.jsonl", &all);
    let v: UInt64Array = all
        .iter()
        .map(|row| 27 + u64::from(id(row).to_byte()))
        .collect();
    let digests: StringArray = all.iter().map(|row| Some(digest(row))).collect();
    let columns: [(&str, ArrayRef); 3] = [
        ("other", Arc::new(digests.clone())),
        ("signature_digest", Arc::new(digests)),
        ("hint", Arc::new(v)),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let places = ["a.parquet", "a.arrow", "a.arrows"].map(|name| dir.path().join(name));
    write_parquet(&places[0], &batch);
    write_arrow(&places[1], &batch);
    write_arrow_stream(&places[2], &batch);
    let parts = [&all[..13], &all[13..]].map(<[_]>::to_vec);
    // Some programs write integers as floats if some values are missing.
    let floats: Float64Array = all
        .iter()
        .map(|row| Some(f64::from(id(row).to_byte())))
        .collect();
    let digests = batch.column(0).clone();
    let columns = [
        ("hint", Arc::new(floats) as ArrayRef),
        ("signature_digest", digests),
    ];
    let path_of_floats = dir.path().join("floats.parquet");
    write_parquet(
        &path_of_floats,
        &RecordBatch::try_from_iter(columns).unwrap(),
    );
    let lines = csv(&all)
        .replacen("hint,", "hint,other,", 1)
        .lines()
        .map(|line| {
            line.replacen(
                ',',
                ".0,,",
                usize::from(line.starts_with(|c: char| c.is_ascii_digit())),
            ) + "\n"
        })
        .collect::<String>();
    let text_of_floats = file(&dir, "floats.csv", lines);
    let [b, c] = [("b.jsonl", &parts[0]), ("c.jsonl", &parts[1])]
        .map(|(name, rows)| write(&dir, name, rows));
    for hints in places.iter().chain([&path_of_floats, &text_of_floats]) {
        let second = verify(&path, &["--hints", text(hints)]);
        assert_eq!((second.code, second.stderr.as_str()), (0, ""), "{second:?}");
        assert!(count(&second.json().1, "batched") > 30, "{second:?}");
        for (order, code) in [([&b, &c], 0), ([&c, &b], 2)] {
            let args = ["verify", "--json", text(order[0]), text(order[1])];
            let both = run(&[&args[..], &["--hints", text(hints)]].concat(), b"");
            assert_eq!(both.code, code, "{both:?}");
            assert_eq!(both.json().1["rejected"], 0);
            assert_eq!(both.stderr.contains("row 1: signature_digest"), code == 2);
        }
    }
}

#[test]
fn tables_of_other_rows_are_refused() {
    let dir = TempDir::new().unwrap();
    let all = rows(&dir, 20);
    let path = write(&dir, "a.jsonl", &all);
    let mut swapped = all.clone();
    swapped.swap(3, 4);
    let mut other = all.clone();
    spoil(&mut other[19], "signature");
    let more = [&all[..], &all[..1]].concat();
    for extension in EXTENSIONS {
        let hints = dir.path().join("hints").with_extension(extension);
        let first = verify(&path, &["--write-hints", text(&hints)]);
        assert_eq!(first.code, 0, "{first:?}");
        for (rows, rule, rejected) in [
            (&all[..19].to_vec(), "for 20 rows; expected 19", 0),
            (&more, "for 20 rows; expected 21", 0),
            (&swapped, "row 4: signature_digest", 0),
            (&other, "row 20: signature_digest", 1),
        ] {
            let path = write(&dir, "other.jsonl", rows);
            let run = verify(&path, &["--hints", text(&hints)]);
            assert_eq!(run.code, 2, "{run:?}");
            let name = format!("hints.{extension}: hints of other rows");
            let says = run.stderr.contains(rule) && run.stderr.contains(&name);
            assert!(says, "{rule}: {run:?}");
            // The rows are judged all the same, with correct verdicts.
            assert_eq!(run.json().1["rejected"], rejected);
        }
    }
}

/// The refusal comes before any row is judged.
#[test]
fn what_is_no_table_of_hints_is_refused() {
    let dir = TempDir::new().unwrap();
    let all = rows(&dir, 20);
    let path = write(&dir, "a.jsonl", &all);
    let good = csv(&all);
    let row = |number: usize| good.lines().nth(number).unwrap().to_owned();
    let with = |number: usize, line: &str| good.replace(&row(number), line);
    let d = digest(&all[2]);
    let refused = |name: &str, bytes: &[u8], rules: &[&str]| {
        let broken = file(&dir, name, bytes);
        let rules = [&[name], rules].concat();
        fails(&["verify", text(&path), "--hints", text(&broken)], &rules);
    };
    let fine = file(&dir, "good.csv", &good);
    let run = verify(&path, &["--hints", text(&fine)]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    for (text, rules) in [
        (String::new(), &["header"][..]),
        (good.replace("hint,", "hints,"), &["no column \"hint\""]),
        (
            good.replace("_digest", ""),
            &["no column \"signature_digest\""],
        ),
        (with(3, &format!("4,{d}")), &["row 3: hint: must be 0 to 3"]),
        (with(3, &format!("26,{d}")), &["row 3: hint"]),
        (with(3, &format!("31,{d}")), &["row 3: hint"]),
        (with(3, &format!("odd,{d}")), &["row 3: hint"]),
        (
            with(20, "0,"),
            &["row 20: signature_digest: must not be null or empty"],
        ),
        (
            with(3, "0,00"),
            &["row 3: signature_digest: must have 8 bytes, not 1"],
        ),
        (
            with(3, &format!("0,{d}00")),
            &["row 3: signature_digest", "not 9"],
        ),
        (with(3, "0,no hexadecimal"), &["row 3: signature_digest"]),
        (with(3, &d), &["row 3: row: must have 2 fields"]),
        (good[..good.len() - 1].to_owned(), &["truncated"]),
    ] {
        refused("broken.csv", text.as_bytes(), rules);
    }
    let d = digest(&all[0]);
    for (line, rule) in [
        (
            "{\"hint\": 0}\n".to_owned(),
            "row 1: signature_digest: missing",
        ),
        (
            format!("{{\"hint\": true, \"signature_digest\": \"{d}\"}}\n"),
            "row 1: hint",
        ),
        (
            format!("{{\"hint\": 0, \"hint\": 0, \"signature_digest\": \"{d}\"}}\n"),
            "row 1: hint: given twice",
        ),
        ("hint\n".to_owned(), "row 1: row: must be one JSON object"),
    ] {
        refused("broken.jsonl", line.as_bytes(), &[rule]);
    }
    for extension in ["parquet", "arrow", "arrows"] {
        let name = format!("hints.{extension}");
        let hints = dir.path().join(&name);
        verify(&path, &["--write-hints", text(&hints)]);
        let bytes = fs::read(&hints).unwrap();
        for len in [0, bytes.len() / 2, bytes.len() - 1] {
            refused(&name, &bytes[..len], &[]);
        }
        refused(&name, good.as_bytes(), &["malformed"]);
    }
    fs::create_dir(dir.path().join("folder.csv")).unwrap();
    let folder = dir.path().join("folder.csv");
    fails(
        &["verify", text(&path), "--hints", text(&folder)],
        &["directory"],
    );
    fails(
        &["verify", text(&path), "--hints", "/no/such.csv"],
        &["/no/such.csv"],
    );
}

/// Text, too, replaces its target only when it is complete.
#[test]
fn a_table_that_is_not_finished_leaves_the_old_one() {
    let dir = TempDir::new().unwrap();
    let path = write(&dir, "a.jsonl", &good_rows());
    let missing = dir.path().join("none.jsonl");
    for extension in EXTENSIONS {
        let hints = file(&dir, &format!("hints.{extension}"), "old");
        let args = [text(&path), text(&missing), "--write-hints", text(&hints)];
        let run = run(&[&["verify"], &args[..]].concat(), b"");
        assert_eq!(run.code, 2, "{run:?}");
        assert_eq!(fs::read(&hints).unwrap(), b"old");
    }
    assert_eq!(
        fs::read_dir(dir.path()).unwrap().count(),
        1 + EXTENSIONS.len()
    );
}
