//! The cost of a file is in proportion to its length, whatever it claims and however it repeats.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int16Type;
use arrow_array::{
    Array, ArrayRef, DictionaryArray, FixedSizeBinaryArray, Int16Array, NullArray, RecordBatch,
    StringArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use serde_json::json;

use crate::files::fails;
use crate::support::*;

/// Runs `sigmill verify --json` with at most `mebibytes` MiB of memory. Threads and code need 300
/// MiB of it.
#[cfg(target_os = "linux")]
fn verify_within(mebibytes: u32, path: &Path, args: &str) -> Run {
    let verify = format!("verify --json '{}' {args}", path.display());
    within(mebibytes, &verify)
}

/// Runs `sigmill` with the arguments that a shell makes of `args`, under the same limit.
#[cfg(target_os = "linux")]
fn within(mebibytes: u32, args: &str) -> Run {
    let command = format!(
        "ulimit -v {}; '{}' --threads 2 {args}",
        mebibytes << 10,
        env!("CARGO_BIN_EXE_sigmill"),
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &command])
        .env("MALLOC_ARENA_MAX", "2")
        .output()
        .unwrap();
    Run::new(&output)
}

/// Returns many rows that share one message of a mebibyte, which is in the file once.
fn one_long_message(rows: usize) -> (RecordBatch, String) {
    let message = "m".repeat(1 << 20);
    let row = &good_rows()[0];
    let text = |name: &str| -> ArrayRef {
        Arc::new(StringArray::from(vec![cell(row, name).unwrap(); rows]))
    };
    let keys = Int16Array::from(vec![0; rows]);
    let values = Arc::new(StringArray::from(vec![message.clone()]));
    let messages = DictionaryArray::<Int16Type>::try_new(keys, values).unwrap();
    let batch = RecordBatch::try_from_iter([
        ("alg", text("alg")),
        ("key", text("key")),
        ("message", Arc::new(messages) as ArrayRef),
        ("signature", text("signature")),
    ])
    .unwrap();
    (batch, message)
}

#[cfg(target_os = "linux")]
#[test]
fn values_of_dictionaries_stay_where_they_are() {
    let dir = TempDir::new().unwrap();
    let (batch, _) = one_long_message(4000);
    let ipc = dir.path().join("a.arrow");
    write_arrow(&ipc, &batch);
    let parquet = dir.path().join("a.parquet");
    let properties = WriterProperties::builder()
        .set_dictionary_page_size_limit(2 << 20)
        .build();
    let file = fs::File::create(&parquet).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    for path in [&ipc, &parquet] {
        let len = fs::metadata(path).unwrap().len();
        assert!(len < 4 << 20, "{path:?}: {len} bytes");
        // If it were copied for each row, the message would need 4 GiB.
        let run = verify_within(700, path, "");
        assert_eq!(run.code, 1, "{path:?}: {run:?}");
        assert_eq!(run.json().1["rows"], 4000);
        assert!(
            run.rejected()
                .iter()
                .all(|(_, reason)| reason == "signature-mismatch")
        );
    }
}

/// Ids and messages that many rows share are copied only for some rows at a time.
#[cfg(target_os = "linux")]
#[test]
fn what_is_copied_of_rows_is_bounded() {
    let dir = TempDir::new().unwrap();
    let (batch, message) = one_long_message(300);
    let path = dir.path().join("a.arrow");
    write_arrow(&path, &batch);
    let key = dir.path().join("key.pem");
    let made = run(&["keygen", "--out", key.to_str().unwrap()], b"");
    assert_eq!(made.code, 0, "{made:?}");
    let sign = |path: &Path| {
        let key = key.display();
        format!(
            "sign '{}' --key '{key}' --out-format jsonl --out -",
            path.display()
        )
    };
    // All messages at once would need 300 MiB, several times.
    let run = within(450, &(sign(&path) + " | wc -c"));
    let written: usize = run.stdout.trim().parse().unwrap();
    assert!(written > 300 * message.len(), "{run:?}");
    // 4,000 ids of 60,000 bytes.
    let rows = 4000;
    let (batch, _) = one_long_message(rows);
    let keys = Int16Array::from(vec![0; rows]);
    let id = Arc::new(StringArray::from(vec!["i".repeat(60_000)]));
    let ids = DictionaryArray::<Int16Type>::try_new(keys, id).unwrap();
    let columns = batch
        .schema()
        .fields()
        .iter()
        .zip(batch.columns())
        .map(|(field, column)| (field.name().clone(), column.clone()))
        .chain([("id".to_owned(), Arc::new(ids) as ArrayRef)])
        .collect::<Vec<_>>();
    write_arrow(&path, &RecordBatch::try_from_iter(columns).unwrap());
    let verify = format!(
        "verify '{}' --quiet --out /dev/null --out-format csv | wc -l",
        path.display()
    );
    let run = within(450, &verify);
    assert_eq!(run.stdout.trim(), rows.to_string(), "{run:?}");
}

/// Rows that share a long message have the same verdicts as rows that do not.
#[test]
fn shared_messages_are_those_of_their_rows() {
    let dir = TempDir::new().unwrap();
    let key = dir.path().join("key.pem");
    let public = dir.path().join("public.pem");
    let (key, public) = (key.to_str().unwrap(), public.to_str().unwrap());
    run(&["keygen", "--out", key, "--public-out", public], b"");
    let messages: Vec<String> = (0..3).map(|i| format!("{i}").repeat(3000)).collect();
    let lines: String = messages
        .iter()
        .map(|message| json!({ "message": message }).to_string() + "\n")
        .collect();
    let source = file(&dir, "a.jsonl", lines);
    let signed = dir.path().join("signed.jsonl");
    let signed = signed.to_str().unwrap();
    let made = run(
        &[
            "sign",
            source.to_str().unwrap(),
            "--key",
            key,
            "--out",
            signed,
            "--json",
        ],
        b"",
    );
    assert_eq!(made.code, 0, "{made:?}");
    let signatures: Vec<String> = fs::read_to_string(signed)
        .unwrap()
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["signature"].as_str().unwrap().to_owned()
        })
        .collect();
    // Every signature with every message, twice. Each is valid with its own message.
    let pairs: Vec<(usize, usize)> = (0..18).map(|i| (i % 3, i / 3 % 3)).collect();
    let column = |values: Vec<&str>| Arc::new(StringArray::from(values)) as ArrayRef;
    let texts: Vec<&str> = pairs.iter().map(|&(m, _)| messages[m].as_str()).collect();
    let dictionary: DictionaryArray<Int16Type> = texts.iter().copied().collect();
    let expected: Vec<u64> = (1..)
        .zip(&pairs)
        .filter(|(_, (m, s))| m != s)
        .map(|(row, _)| row)
        .collect();
    for text in [Arc::new(dictionary) as ArrayRef, column(texts)] {
        let batch = RecordBatch::try_from_iter([
            ("message", text),
            (
                "signature",
                column(pairs.iter().map(|&(_, s)| signatures[s].as_str()).collect()),
            ),
        ])
        .unwrap();
        for (name, write) in [
            ("a.arrow", write_arrow as fn(&Path, &RecordBatch)),
            ("a.parquet", write_parquet),
        ] {
            let path = dir.path().join(name);
            write(&path, &batch);
            let run = verify(&path, &["--key", public, "--alg", "ES256"]);
            let rejected: Vec<u64> = run.rejected().into_iter().map(|(row, _)| row).collect();
            assert_eq!(rejected, expected, "{name}");
        }
    }
}

#[test]
fn lengths_that_are_only_claimed_take_no_memory() {
    let dir = TempDir::new().unwrap();
    let rows = batch(&good_rows(), true);
    let path = dir.path().join("a.arrow");
    for compression in [CompressionType::ZSTD, CompressionType::LZ4_FRAME] {
        let options = IpcWriteOptions::default()
            .try_with_compression(Some(compression))
            .unwrap();
        let mut writer =
            FileWriter::try_new_with_options(Vec::new(), &rows.schema(), options).unwrap();
        writer.write(&rows).unwrap();
        let whole = writer.into_inner().unwrap();
        fs::write(&path, &whole).unwrap();
        assert_eq!(verify(&path, &[]).code, 0);
        // Each compressed buffer begins with its uncompressed length: for the keys, twenty times
        // 65.
        let len = 1300_i64.to_le_bytes();
        let places: Vec<usize> = (0..whole.len() - 8)
            .filter(|&at| whole[at..at + 8] == len)
            .collect();
        assert!(!places.is_empty());
        for claimed in [1 << 40, i64::MAX, 1 << 31] {
            let refused = places.iter().filter(|&&at| {
                let mut file = whole.clone();
                file[at..at + 8].copy_from_slice(&i64::to_le_bytes(claimed));
                fs::write(&path, &file).unwrap();
                let run = verify(&path, &[]);
                assert_eq!(run.code, 2, "{run:?}");
                assert!(!run.stderr.contains("panicked"), "{run:?}");
                run.stderr.contains("decompresses to more than")
            });
            // The same bytes also occur elsewhere.
            assert_eq!(refused.count(), 1, "{compression:?}, {claimed}");
        }
    }
    // Messages of a stream that claim to be long.
    let stream = dir.path().join("a.arrows");
    write_arrow_stream(&stream, &rows);
    let whole = fs::read(&stream).unwrap();
    for claimed in [i32::MAX, 1 << 30, -1] {
        let mut file = whole.clone();
        file[4..8].copy_from_slice(&i32::to_le_bytes(claimed));
        fs::write(&stream, &file).unwrap();
        fails(
            &["verify", stream.to_str().unwrap()],
            &["a.arrows", "Arrow IPC"],
        );
    }
}

#[test]
fn rows_that_take_no_room_are_refused() {
    let dir = TempDir::new().unwrap();
    let rows = batch(&good_rows(), true);
    let none: [ArrayRef; 2] = [
        Arc::new(NullArray::new(20)),
        Arc::new(FixedSizeBinaryArray::new(0, vec![0_u8; 0].into(), None)),
    ];
    for signature in none.into_iter().filter(|column| column.len() == 20) {
        let columns = ["alg", "key", "message"]
            .map(|name| (name, rows.column_by_name(name).unwrap().clone()))
            .into_iter()
            .chain([("signature", signature)]);
        let path = dir.path().join("a.arrow");
        write_arrow(
            &path,
            &RecordBatch::try_from_iter_with_nullable(
                columns.map(|(name, column)| (name, column, true)),
            )
            .unwrap(),
        );
        let path = path.to_str().unwrap();
        fails(
            &["verify", path],
            &["\"signature\"", "must hold text or bytes"],
        );
    }
    // A page of Parquet states in a few bytes that a million rows are equal.
    let many = 2 << 20;
    let column = |value: &str| Arc::new(StringArray::from(vec![value; 1 << 16])) as ArrayRef;
    let batch = RecordBatch::try_from_iter([
        ("alg", column("ES256")),
        ("message", column("m")),
        ("signature", column("00")),
        ("key", column("00")),
    ])
    .unwrap();
    let properties = WriterProperties::builder()
        .set_data_page_row_count_limit(many)
        .set_write_batch_size(many)
        .build();
    let path = dir.path().join("a.parquet");
    let file = fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    for _ in 0..many >> 16 {
        writer.write(&batch).unwrap();
    }
    writer.close().unwrap();
    let path = path.to_str().unwrap();
    fails(&["verify", path], &["a.parquet", "expected at most"]);
}

/// The parser of Parquet's metadata reads any number of truth values in a list from no bytes. A
/// list of two billion keeps it busy for seconds, and a file may have many.
#[test]
fn lists_in_the_metadata_of_parquet_are_no_longer_than_the_file() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.parquet");
    write_parquet(&path, &batch(&good_rows(), true));
    let whole = fs::read(&path).unwrap();
    let with_field = |field: &[u8]| {
        let trailer = whole.len() - 8;
        let len = u32::from_le_bytes(whole[trailer..trailer + 4].try_into().unwrap());
        assert_eq!(whole[trailer - 1], 0, "the footer is a structure, and ends");
        let mut file = [&whole[..trailer - 1], field, &[0]].concat();
        file.extend_from_slice(&(len + field.len() as u32).to_le_bytes());
        file.extend_from_slice(b"PAR1");
        file
    };
    // A field far beyond the known ones is skipped, as other readers do.
    fs::write(&path, with_field(&[0xf5, 7])).unwrap();
    assert_eq!(verify(&path, &[]).code, 0);
    let claimed = [0xff, 0xff, 0xff, 0xff, 0x07];
    for (field, rule) in [
        (
            [&[0xf9, 0xf1][..], &claimed].concat(),
            "longer than the file",
        ),
        (
            [&[0xfa, 0xf2][..], &claimed].concat(),
            "longer than the file",
        ),
        (
            [&[0xfb][..], &claimed, &[0x11]].concat(),
            "longer than the file",
        ),
        (
            [&[0xfc, 0x19, 0xf1][..], &claimed, &[0]].concat(),
            "longer than the file",
        ),
        (vec![0xf9, 0x11, 1], "booleans"),
    ] {
        fs::write(&path, with_field(&field)).unwrap();
        fails(
            &["verify", path.to_str().unwrap()],
            &["a.parquet", "the footer", rule],
        );
    }
}

#[test]
fn long_cells_are_defects() {
    let dir = TempDir::new().unwrap();
    let long = "00".repeat(40_000);
    for (name, reason) in [
        ("key", "field-too-long"),
        ("signature", "field-too-long"),
        ("id", "field-too-long"),
        ("digest", "field-too-long"),
        ("alg", "unknown-algorithm"),
    ] {
        let text = changed(|row| {
            row.insert(name.into(), json!(long));
            if name == "digest" {
                row.remove("message");
            }
        });
        let run = verify(&file(&dir, "a.jsonl", text + "\n"), &[]);
        assert_eq!(run.rejected(), [(1, reason.to_owned())]);
        assert!(run.stdout.len() < 4000, "{} bytes", run.stdout.len());
    }
}

#[test]
fn a_file_has_a_bounded_number_of_columns() {
    let dir = TempDir::new().unwrap();
    let columns = ["alg", "key", "message", "signature"];
    let row = csv_line(&good_rows()[0], &columns);
    let wide = |more: usize| {
        let commas = ",".repeat(more);
        format!("{}{commas}\n{row}{commas}\n", columns.join(","))
    };
    let run = verify(&file(&dir, "a.csv", wide(16_380)), &[]);
    assert_eq!(
        (run.code, &run.json().1["valid"]),
        (0, &json!(1)),
        "{run:?}"
    );
    for more in [16_381, 1 << 20, 15 << 20] {
        let path = file(&dir, "a.csv", wide(more));
        fails(
            &["verify", path.to_str().unwrap()],
            &["at most 16384 columns"],
        );
    }
    let value = Arc::new(StringArray::from(vec!["x"])) as ArrayRef;
    let many = (0..16_385).map(|i| (format!("c{i}"), value.clone()));
    let path = dir.path().join("a.arrow");
    write_arrow(&path, &RecordBatch::try_from_iter(many).unwrap());
    fails(
        &["verify", path.to_str().unwrap()],
        &["at most 16384 columns"],
    );
}

/// The bytes of a CSV file are scanned once. A hundred times as many rows with unmatched quotes end
/// in one verdict, and memory does not grow with them.
#[cfg(target_os = "linux")]
#[test]
fn quotes_that_never_match_cost_their_bytes() {
    let dir = TempDir::new().unwrap();
    for (lines, reason) in [(64 << 10, "csv-quote-unclosed"), (5 << 19, "row-too-long")] {
        let mut text = "alg,key,message,signature\n".to_owned();
        text += &"\"x\"y,\"z\n".repeat(lines);
        let path = file(&dir, "a.csv", text);
        let run = verify_within(500, &path, "");
        assert_eq!(run.rejected(), [(1, reason.to_owned())]);
    }
}
