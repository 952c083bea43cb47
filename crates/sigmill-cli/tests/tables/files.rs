//! Errors of a whole file: exit code 2, and a message that names the file.

use std::fs::{self, File};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use serde_json::{Map, Value};

use crate::support::*;

/// Expects exit code 2 and a message that contains all of `parts`.
pub(crate) fn fails(args: &[&str], parts: &[&str]) {
    let run = run(args, b"");
    assert_eq!(run.code, 2, "{args:?}: {run:?}");
    assert!(run.stderr.contains("error:"), "{run:?}");
    for part in parts {
        assert!(
            run.stderr.contains(part),
            "{part:?} is not in {:?}",
            run.stderr
        );
    }
    assert!(!run.stderr.contains("panicked"), "{run:?}");
}

#[test]
fn usage() {
    fails(&["verify"], &["<FILE>"]);
    fails(&["verify", "a.txt"], &["a.txt", "--format"]);
    fails(&["verify", "-"], &["--format"]);
    fails(&["verify", "--format", "jsonl", "-", "-"], &["only once"]);
    fails(&["verify", "a.jsonl", "--alg", "RS256"], &["ES256"]);
    fails(&["verify", "a.jsonl", "--window", "12"], &["1..=11"]);
    fails(&["verify", "a.jsonl", "--threads", "0"], &["--threads"]);
    fails(&["verify", "a.jsonl", "--out", "-"], &["--out -"]);
    fails(
        &["verify", "a.jsonl", "--key-column", "id"],
        &["\"id\"", "both"],
    );
    fails(
        &["verify", "a.jsonl", "--signature-format", "raw"],
        &["auto, der or p1363"],
    );
    fails(
        &["verify", "a.jsonl", "--key", "/no/such/key"],
        &["/no/such/key"],
    );
    fails(&["no-such-command"], &["no-such-command"]);
}

#[test]
fn an_unknown_backend_is_not_ignored() {
    let output = sigmill()
        .env("SIGMILL_CPU", "abacus")
        .arg("cpu")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(Run::new(&output).stderr.contains("abacus"));
}

#[test]
fn files_that_are_not_there_or_not_files() {
    let dir = TempDir::new().unwrap();
    for name in ["a.jsonl", "a.csv", "a.parquet", "a.arrow", "a.arrows"] {
        let path = dir.path().join(name);
        let path = path.to_str().unwrap();
        fails(&["verify", path], &[path, "No such file"]);
        fs::create_dir(path).unwrap();
        fails(&["verify", path], &[path, "directory"]);
    }
    let out = dir.path().join("no/such/dir.csv");
    let good = file(&dir, "good.jsonl", changed(|_| ()));
    fails(
        &[
            "verify",
            good.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
        ],
        &["dir.csv"],
    );
}

#[test]
fn one_bad_file_does_not_hide_the_others() {
    let dir = TempDir::new().unwrap();
    let good = file(&dir, "good.jsonl", changed(|_| ()));
    let good = good.to_str().unwrap();
    let missing = dir.path().join("missing.jsonl");
    let run = run(&["verify", "--json", missing.to_str().unwrap(), good], b"");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("missing.jsonl"));
    assert_eq!(run.json().1["valid"], 1);
}

#[test]
fn files_of_another_format() {
    let dir = TempDir::new().unwrap();
    for junk in [
        &b""[..],
        b"junk",
        b"PAR1",
        b"ARROW1\0\0",
        &[0; 4096],
        &[0xff; 4096],
        b"PAR1\xff\xff\xff\x7fPAR1",
    ] {
        let parquet = file(&dir, "junk.parquet", junk);
        fails(
            &["verify", parquet.to_str().unwrap()],
            &["junk.parquet", "malformed Parquet"],
        );
        let arrow = file(&dir, "junk.arrow", junk);
        fails(
            &["verify", arrow.to_str().unwrap()],
            &["junk.arrow", "malformed Arrow IPC"],
        );
    }
}

/// Pages may use any codec.
#[test]
fn parquet_of_every_codec_is_read() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.parquet");
    let rows = batch(&good_rows(), false);
    for codec in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::ZSTD(Default::default()),
        Compression::BROTLI(Default::default()),
    ] {
        let properties = WriterProperties::builder().set_compression(codec).build();
        let file = File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, rows.schema(), Some(properties)).unwrap();
        writer.write(&rows).unwrap();
        let metadata = writer.close().unwrap();
        assert_eq!(metadata.row_group(0).column(0).compression(), codec);
        let run = verify(&path, &[]);
        assert_eq!(
            (run.code, &run.json().1["valid"]),
            (0, &20.into()),
            "{codec}"
        );
    }
}

#[test]
fn damaged_files_never_panic_and_never_pass() {
    let dir = TempDir::new().unwrap();
    let batch = batch(&good_rows(), true);
    type Write = fn(&std::path::Path, &RecordBatch);
    let writers: [(&str, Write); 3] = [
        ("a.parquet", write_parquet),
        ("a.arrow", write_arrow),
        ("a.arrows", write_arrow_stream),
    ];
    for (name, write) in writers {
        let path = dir.path().join(name);
        write(&path, &batch);
        let whole = fs::read(&path).unwrap();
        let run = verify(&path, &[]);
        assert_eq!(run.code, 0, "{run:?}");
        for part in 1..16 {
            fs::write(&path, &whole[..whole.len() * part / 16]).unwrap();
            let run = verify(&path, &[]);
            assert_eq!(run.code, 2, "{name} truncated at {part}/16: {run:?}");
            assert!(
                run.stderr.contains(name) && !run.stderr.contains("panicked"),
                "{run:?}"
            );
        }
        // A changed byte may go unnoticed (names, padding), but must not crash the command.
        for place in (0..whole.len()).step_by(whole.len() / 40) {
            let mut changed = whole.clone();
            changed[place] ^= 0xff;
            fs::write(&path, &changed).unwrap();
            let run = verify(&path, &[]);
            assert!(
                (0..=2).contains(&run.code),
                "{name} changed at {place}: {run:?}"
            );
            assert!(
                !run.stderr.contains("panicked"),
                "{name} changed at {place}: {run:?}"
            );
        }
    }
}

#[test]
fn missing_columns_are_named() {
    let dir = TempDir::new().unwrap();
    let rows = good_rows();
    for (columns, missing, advice) in [
        (
            vec!["alg", "key", "message"],
            "\"signature\"",
            "--signature-column",
        ),
        (
            vec!["alg", "key", "signature"],
            "\"message\"",
            "--digest-column",
        ),
        (vec!["alg", "message", "signature"], "\"key\"", "--key"),
        (vec!["key", "message", "signature"], "\"alg\"", "--alg"),
    ] {
        let path = file(&dir, "a.csv", csv_text(&rows, &columns));
        fails(
            &["verify", path.to_str().unwrap()],
            &["a.csv", missing, advice, columns[0]],
        );
        let batch = batch(&rows, false);
        let positions: Vec<usize> = columns
            .iter()
            .map(|name| batch.schema().index_of(name).unwrap())
            .collect();
        let batch = batch.project(&positions).unwrap();
        let path = dir.path().join("a.parquet");
        write_parquet(&path, &batch);
        fails(
            &["verify", path.to_str().unwrap()],
            &["a.parquet", missing, advice, columns[0]],
        );
    }
    let path = file(&dir, "a.csv", "alg,key,key,message,signature\n");
    fails(
        &["verify", path.to_str().unwrap()],
        &["column \"key\": occurs twice"],
    );
    let path = file(&dir, "a.csv", "");
    fails(&["verify", path.to_str().unwrap()], &["a.csv", "header"]);
}

#[test]
fn columns_of_the_wrong_type_are_named() {
    let dir = TempDir::new().unwrap();
    let text = batch(&good_rows(), false);
    let schema = text.schema();
    let columns = schema.fields().iter().map(|field| {
        let name = field.name().as_str();
        let array: ArrayRef = match name {
            "signature" => Arc::new(Float64Array::from(vec![1.0; 20])),
            _ => text.column_by_name(name).unwrap().clone(),
        };
        (name.to_owned(), array)
    });
    let path = dir.path().join("a.parquet");
    write_parquet(&path, &RecordBatch::try_from_iter(columns).unwrap());
    fails(
        &["verify", path.to_str().unwrap()],
        &["a.parquet", "\"signature\"", "Float64"],
    );
}

#[test]
fn tables_without_rows_are_clean() {
    let dir = TempDir::new().unwrap();
    let none: [Map<String, Value>; 0] = [];
    let paths = [
        file(&dir, "a.jsonl", ""),
        file(&dir, "b.jsonl", "\n\n"),
        file(&dir, "a.csv", "alg,key,message,signature"),
        dir.path().join("a.parquet"),
        dir.path().join("a.arrow"),
        dir.path().join("a.arrows"),
    ];
    write_parquet(&paths[3], &batch(&none, true));
    write_arrow(&paths[4], &batch(&none, true));
    write_arrow_stream(&paths[5], &batch(&none, true));
    for path in &paths {
        let run = verify(path, &[]);
        assert_eq!(
            (run.code, run.json().1["rows"].as_u64()),
            (0, Some(0)),
            "{path:?}: {run:?}"
        );
    }
}

#[test]
fn the_table_of_verdicts_does_not_overwrite_its_input() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, "a.jsonl", changed(|_| ()));
    let before = fs::read(&path).unwrap();
    let path = path.to_str().unwrap();
    fails(
        &["verify", path, "--out", path],
        &["--out", "an input file"],
    );
    let other = dir.path().join("./a.jsonl");
    fails(
        &["verify", path, "--out", other.to_str().unwrap()],
        &["an input file"],
    );
    assert_eq!(fs::read(path).unwrap(), before);
}
