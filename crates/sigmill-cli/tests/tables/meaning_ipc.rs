//! Arrow IPC files and streams: content that two readers could read differently is refused.

use std::fs;
use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch, StringArray};
use arrow_ipc::writer::{DictionaryHandling, FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::Schema;
use serde_json::{Map, Value, json};

use crate::support::*;

/// The length of the end of a file: the length of the footer, and the magic number.
const TRAILER_LEN: usize = 10;

/// Returns an Arrow IPC file with a batch for each of `groups`.
fn ipc_file(groups: &[&[Map<String, Value>]]) -> Vec<u8> {
    let schema = batch(groups[0], false).schema();
    let mut writer = FileWriter::try_new(Vec::new(), &schema).unwrap();
    for rows in groups {
        writer.write(&batch(rows, false)).unwrap();
    }
    writer.into_inner().unwrap()
}

/// Returns the start of the footer.
fn footer_start(file: &[u8]) -> usize {
    let at = file.len() - TRAILER_LEN;
    let len = i32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    at - usize::try_from(len).unwrap()
}

/// Returns the offset, metadata length and body length of each batch, as in the footer.
fn blocks(file: &[u8]) -> Vec<[u8; 24]> {
    let footer = &file[footer_start(file)..file.len() - TRAILER_LEN];
    let footer = arrow_ipc::root_as_footer(footer).unwrap();
    footer
        .recordBatches()
        .unwrap()
        .iter()
        .map(|block| block.0)
        .collect()
}

fn offset(block: &[u8; 24]) -> usize {
    usize::try_from(i64::from_le_bytes(block[..8].try_into().unwrap())).unwrap()
}

fn len(block: &[u8; 24]) -> usize {
    let metadata = i32::from_le_bytes(block[8..12].try_into().unwrap());
    let body = i64::from_le_bytes(block[16..].try_into().unwrap());
    usize::try_from(i64::from(metadata) + body).unwrap()
}

/// Replaces the only occurrence of `old` after `start`.
fn replace(file: &mut [u8], start: usize, old: &[u8], new: &[u8]) {
    let places: Vec<usize> = (start..=file.len() - old.len())
        .filter(|&at| file[at..].starts_with(old))
        .collect();
    assert_eq!(places.len(), 1, "{places:?}");
    file[places[0]..][..new.len()].copy_from_slice(new);
}

/// Returns a good row, and a copy with another message.
fn honest_and_forged() -> [Map<String, Value>; 2] {
    let honest = good_rows().swap_remove(0);
    let mut forged = honest.clone();
    forged.insert("message".into(), json!("pay 1,000,000 to the forger"));
    [honest, forged]
}

/// Returns a file with an honest batch, its end mark, and a forged batch. The footer lists only the
/// forged one.
fn forged_behind_end_mark() -> Vec<u8> {
    let [honest, forged] = honest_and_forged();
    let (front, back) = (ipc_file(&[&[honest]]), ipc_file(&[&[forged]]));
    let block = blocks(&back)[0];
    let mut file = front[..footer_start(&front)].to_vec();
    let place = file.len();
    file.extend_from_slice(&back[offset(&block)..][..len(&block)]);
    let footer = file.len();
    file.extend_from_slice(&back[footer_start(&back)..]);
    let mut moved = block;
    moved[..8].copy_from_slice(&(place as i64).to_le_bytes());
    replace(&mut file, footer, &block, &moved);
    file
}

/// Returns the first cells of the column "message", as a reader sees them that uses the footer.
fn messages_by_footer(file: &[u8]) -> Vec<String> {
    let reader =
        arrow_ipc::reader::FileReader::try_new(std::io::Cursor::new(file.to_vec()), None).unwrap();
    reader
        .map(|batch| {
            let batch = batch.unwrap();
            let column = batch.column_by_name("message").unwrap().clone();
            let column = column.as_any().downcast_ref::<StringArray>().unwrap();
            column.value(0).to_owned()
        })
        .collect()
}

/// Checks that each subcommand refuses this Arrow IPC file with this rule, by name and on standard
/// input.
fn refused(name: &str, file: &[u8], rule: &str) {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.arrow");
    fs::write(&path, file).unwrap();
    let path = path.to_str().unwrap();
    let key = dir.path().join("key.pem");
    let made = run(&["keygen", "--out", key.to_str().unwrap()], b"");
    assert_eq!(made.code, 0, "{made:?}");
    let out = dir.path().join("out.csv");
    let sign = [
        "sign",
        path,
        "--key",
        key.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ];
    for args in [&["verify", path][..], &sign] {
        let run = run(args, b"");
        assert_eq!(run.code, 2, "{name}, {args:?}: {run:?}");
        assert!(run.stderr.contains(rule), "{name}: {run:?}");
        assert!(!run.stderr.contains("panicked"), "{name}: {run:?}");
    }
    let run = run(&["verify", "--json", "--format", "arrow", "-"], file);
    assert_eq!(run.code, 2, "{name}, standard input: {run:?}");
    assert!(run.stderr.contains(rule), "{name}: {run:?}");
    assert_eq!(run.stdout, "", "{name}: no row is judged before");
}

#[test]
fn batches_that_only_the_footer_lists() {
    let file = forged_behind_end_mark();
    assert_eq!(
        messages_by_footer(&file),
        ["pay 1,000,000 to the forger"],
        "this is what other readers read"
    );
    refused("behind the end mark", &file, "footer must list");
}

#[test]
fn batches_that_the_footer_lists_otherwise() {
    let rows = good_rows();
    let file = ipc_file(&[&rows[..4], &rows[4..8], &rows[8..12]]);
    let start = footer_start(&file);
    let [first, second, third] = blocks(&file).try_into().unwrap();
    assert!(messages_by_footer(&file).len() == 3);

    let mut swapped = file.clone();
    replace(
        &mut swapped,
        start,
        &[first, second].concat(),
        &[second, first].concat(),
    );
    refused("another order", &swapped, "footer must list");
    let mut twice = file.clone();
    replace(&mut twice, start, &third, &second);
    refused("one twice", &twice, "footer must list");
    // The vector of blocks begins with its length.
    let mut fewer = file.clone();
    let mut vector = 3_u32.to_le_bytes().to_vec();
    let padding = file[start..]
        .windows(24)
        .position(|window| window == first)
        .unwrap();
    assert_eq!(&file[start + padding - 4..][..4], &vector[..]);
    vector.extend_from_slice(&first);
    let new = [&2_u32.to_le_bytes()[..], &first].concat();
    replace(&mut fewer, start, &vector, &new);
    assert_eq!(messages_by_footer(&fewer).len(), 2);
    refused("one is left out", &fewer, "footer must list");
    let mut longer = third;
    longer[16..].copy_from_slice(&(i64::MAX - 7).to_le_bytes());
    let mut long = file.clone();
    replace(&mut long, start, &third, &longer);
    refused("another length", &long, "footer must list");
}

#[test]
fn columns_that_the_footer_names_otherwise() {
    let file = ipc_file(&[&good_rows()[..4]]);
    let start = footer_start(&file);
    for (old, new) in [("message", "massage"), ("signature", "signatura")] {
        let mut renamed = file.clone();
        replace(&mut renamed, start, old.as_bytes(), new.as_bytes());
        refused(old, &renamed, "footer and schema name different columns");
    }
}

#[test]
fn footers_that_are_none() {
    let file = ipc_file(&[&good_rows()[..4]]);
    let at = file.len() - TRAILER_LEN;
    for len in [0, -1, i32::MAX, i32::MIN, at as i32, at as i32 + 1] {
        let mut changed = file.clone();
        changed[at..at + 4].copy_from_slice(&len.to_le_bytes());
        refused(&format!("length {len}"), &changed, "Arrow IPC");
    }
    refused("without its end", &file[..at], "does not end in ARROW1");
}

/// Returns a batch whose column `alg` is a dictionary with these values.
fn with_dictionary(rows: &[Map<String, Value>], algs: &[&str]) -> RecordBatch {
    let plain = batch(rows, false);
    let alg: DictionaryArray<Int8Type> = (0..rows.len()).map(|i| algs[i % algs.len()]).collect();
    let columns = plain
        .schema()
        .fields()
        .iter()
        .map(|field| {
            let column: ArrayRef = match field.name().as_str() {
                "alg" => Arc::new(alg.clone()),
                name => plain.column_by_name(name).unwrap().clone(),
            };
            (field.name().clone(), column)
        })
        .collect::<Vec<_>>();
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Dictionaries and additions to them are read, by both readers.
#[test]
fn dictionaries_that_grow_are_read() {
    let rows = good_rows();
    let first = with_dictionary(&rows[..4], &["ES256"]);
    let second = with_dictionary(&rows[4..8], &["ES256", "ES384"]);
    let options = IpcWriteOptions::default().with_dictionary_handling(DictionaryHandling::Delta);
    let mut writer =
        FileWriter::try_new_with_options(Vec::new(), &first.schema(), options).unwrap();
    writer.write(&first).unwrap();
    writer.write(&second).unwrap();
    let file = writer.into_inner().unwrap();
    let footer =
        arrow_ipc::root_as_footer(&file[footer_start(&file)..file.len() - TRAILER_LEN]).unwrap();
    assert_eq!(footer.dictionaries().unwrap().len(), 2);
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.arrow");
    fs::write(&path, &file).unwrap();
    let run = verify(&path, &[]);
    // Rows of ES384 have keys on P-256.
    let rows: Vec<u64> = run.rejected().into_iter().map(|(row, _)| row).collect();
    assert_eq!(rows, [6, 8], "{run:?}");
}

/// Polars writes the first message without its length. Readers of files do not need the length.
#[test]
fn a_first_message_without_its_length() {
    let rows = good_rows();
    let whole = ipc_file(&[&rows[..4], &rows[4..8]]);
    let first = offset(&blocks(&whole)[0]);
    let bare = |schema: &Schema| {
        let stream = StreamWriter::try_new(Vec::new(), schema).unwrap();
        let stream = stream.into_inner().unwrap();
        let len = u32::from_le_bytes(stream[4..8].try_into().unwrap()) as usize;
        let mut file = b"ARROW1\0\0".to_vec();
        file.extend_from_slice(&stream[8..8 + len]);
        let moved = file.len() as i64 - first as i64;
        file.extend_from_slice(&whole[first..]);
        let footer = footer_start(&file);
        for block in blocks(&whole) {
            let mut new = block;
            new[..8].copy_from_slice(&(offset(&block) as i64 + moved).to_le_bytes());
            replace(&mut file, footer, &block, &new);
        }
        file
    };
    let batch = batch(&rows, false);
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.arrow");
    fs::write(&path, bare(&batch.schema())).unwrap();
    let run = verify(&path, &[]);
    assert_eq!(
        (run.code, &run.json().1["valid"]),
        (0, &json!(8)),
        "{run:?}"
    );
    let other = batch.project(&[0, 1, 2, 4, 3]).unwrap().schema();
    refused(
        "other columns",
        &bare(&other),
        "footer and schema name different columns",
    );
}

/// A stream from before version 0.15 has no marks before the lengths of its messages.
#[test]
fn older_streams_are_read() {
    let mut bytes = vec![];
    let rows = batch(&good_rows(), false);
    let options = IpcWriteOptions::try_new(8, true, arrow_ipc::MetadataVersion::V4).unwrap();
    let mut writer =
        StreamWriter::try_new_with_options(&mut bytes, &rows.schema(), options).unwrap();
    writer.write(&rows).unwrap();
    writer.finish().unwrap();
    drop(writer);
    assert_ne!(bytes[..4], [0xff; 4]);
    let run = run(&["verify", "--json", "--format", "arrow", "-"], &bytes);
    assert_eq!(
        (run.code, &run.json().1["valid"]),
        (0, &json!(20)),
        "{run:?}"
    );
    assert_eq!(run.json().1.get("may_be_truncated"), None);
}
