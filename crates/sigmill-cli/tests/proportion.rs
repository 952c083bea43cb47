//! Twice as much hostile input allocates twice as much memory in total, not four times as much.
//! Bytes are counted when they are allocated, even if they are freed again.

use std::sync::Arc;

use allocation_counter::measure;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch, StringArray};
use arrow_ipc::writer::{DictionaryHandling, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use sigmill::bulk::Engine;
use sigmill_cli::fuzzing::{
    is_transaction, judge_bundle, judge_tokens, private_key, public_key, read_table,
};

/// Returns the bytes that `work` allocates per byte of an input of about `len` bytes from `make`.
fn per_byte(len: usize, make: &dyn Fn(usize) -> Vec<u8>, work: &dyn Fn(&[u8])) -> f64 {
    let input = make(len);
    // Allocations of the first use do not count.
    work(&make(100));
    let allocated = measure(|| work(&input)).bytes_total;
    allocated as f64 / input.len() as f64
}

/// Compares inputs of one length, twice and four times that length.
fn check(name: &str, len: usize, make: &dyn Fn(usize) -> Vec<u8>, work: &dyn Fn(&[u8])) {
    let costs = [len, 2 * len, 4 * len].map(|len| per_byte(len, make, work));
    // A byte may cost less in a long input, and a quarter more where a length crosses a block
    // boundary.
    let is_linear = costs[1] <= 1.25 * costs[0] + 1.0 && costs[2] <= 1.5 * costs[0] + 1.0;
    assert!(
        is_linear,
        "{name}: {costs:?} bytes for each of {len}, twice and four times as many"
    );
    assert!(costs[2] < 4096.0, "{name}: {costs:?}");
}

/// Returns inputs that repeat `pattern` after `start`.
fn repeated<'a>(start: &'a str, pattern: &'a str) -> impl Fn(usize) -> Vec<u8> + 'a {
    move |len| {
        [start, &pattern.repeat(len.div_ceil(pattern.len()))]
            .concat()
            .into_bytes()
    }
}

#[test]
fn texts() {
    let header = "alg,key,message,signature\n";
    for pattern in [
        "\"x\"y,\"z\n",
        "\"",
        "\"\"",
        "\"\n",
        "\n",
        ",",
        ",,,\n",
        ",\"\n\"",
        "\r",
        "\0\n",
        "x",
    ] {
        let make = repeated(header, pattern);
        check(&format!("CSV of {pattern:?}"), 1 << 18, &make, &|text| {
            let _ = read_table(text, "csv");
        });
        let make = repeated("", pattern);
        check(
            &format!("a CSV header of {pattern:?}"),
            1 << 18,
            &make,
            &|text| {
                let _ = read_table(text, "csv");
            },
        );
    }
    for pattern in [
        "{\n",
        "{}\n",
        "[",
        "{\"key\":{",
        "{\"key\":{\"a\":[[0,0,0]]}}\n",
        "\"",
        "{\"a\":0,\"a\":0}\n",
    ] {
        let make = repeated("", pattern);
        check(
            &format!("JSON Lines of {pattern:?}"),
            1 << 18,
            &make,
            &|text| {
                let _ = read_table(text, "jsonl");
            },
        );
    }
    // One object whose members never end.
    for (start, pattern) in [
        ("{\"key\":{\"k\":0", ",\"k\":0"),
        ("{\"key\":{\"k\":[0", ",0"),
        ("{\"x\":0", ",\"x\":0"),
        ("{\"x\":[[]", ",[]"),
    ] {
        check(
            &format!("an object of {pattern:?}"),
            1 << 18,
            &repeated(start, pattern),
            &|text| {
                let _ = read_table(text, "jsonl");
            },
        );
    }
}

/// Returns a file of `batches` batches, with a dictionary that grows with each of them.
fn growing_dictionary(batches: usize) -> Vec<u8> {
    let values: Vec<String> = (0..batches).map(|i| format!("value {i}")).collect();
    let batch = |i: usize| {
        let keys: DictionaryArray<Int32Type> = values[..=i]
            .iter()
            .map(|value| Some(value.as_str()))
            .collect();
        let text = |name| Arc::new(StringArray::from(vec![name; i + 1])) as ArrayRef;
        let columns = [
            ("alg", text("ES256")),
            ("key", text("00")),
            ("message", Arc::new(keys) as ArrayRef),
            ("signature", text("00")),
        ];
        RecordBatch::try_from_iter(columns).unwrap().slice(i, 1)
    };
    let options = IpcWriteOptions::default().with_dictionary_handling(DictionaryHandling::Delta);
    let schema = batch(0).schema();
    let mut writer = StreamWriter::try_new_with_options(vec![], &schema, options).unwrap();
    for i in 0..batches {
        writer.write(&batch(i)).unwrap();
    }
    writer.into_inner().unwrap()
}

/// Returns many rows that share one long message.
fn one_message(rows: usize) -> RecordBatch {
    let text = |value: &str| Arc::new(StringArray::from(vec![value; rows])) as ArrayRef;
    let message = "m".repeat(10_000);
    let messages: DictionaryArray<Int32Type> = (0..rows).map(|_| Some(message.as_str())).collect();
    let signatures: StringArray = (0..rows).map(|i| Some(format!("{i:032x}"))).collect();
    RecordBatch::try_from_iter([
        ("alg", text("ES256")),
        ("key", text("00")),
        ("message", Arc::new(messages) as ArrayRef),
        ("signature", Arc::new(signatures) as ArrayRef),
    ])
    .unwrap()
}

#[test]
fn tables_of_columns() {
    let rows = |len: usize| len / 40;
    let stream = |len: usize| {
        let batch = one_message(rows(len));
        let mut writer = StreamWriter::try_new(vec![], &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    };
    let parquet = |len: usize| {
        let batch = one_message(rows(len));
        let mut file = vec![];
        let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        file
    };
    let read = |extension: &'static str| {
        move |bytes: &[u8]| {
            let columns = sigmill_cli::fuzzing::count_rows(bytes, extension);
            assert!(columns > 0);
        }
    };
    check(
        "a message that rows share, Arrow",
        1 << 18,
        &stream,
        &read("arrow"),
    );
    check(
        "a message that rows share, Parquet",
        1 << 20,
        &parquet,
        &read("parquet"),
    );
    let growing = |len: usize| growing_dictionary(len / 1000 + 1);
    // Each addition copies the existing dictionary, up to a limit in proportion to the file.
    check("a dictionary that grows", 1 << 17, &growing, &|bytes| {
        let _ = read_table(bytes, "arrow");
    });
    // Arbitrary bytes after a good beginning.
    for (extension, start) in [("arrow", stream(4000)), ("parquet", b"PAR1".to_vec())] {
        for filler in [0_u8, 0xff, 1] {
            let make = |len: usize| [start.clone(), vec![filler; len]].concat();
            check(
                &format!("{extension} and {filler}"),
                1 << 18,
                &make,
                &|bytes| {
                    let _ = read_table(bytes, extension);
                },
            );
        }
    }
}

#[test]
fn tokens_certificates_keys_and_transactions() {
    let engine = Engine::builder().build().unwrap();
    let set = "{\"keys\":[]}";
    for pattern in [".", "..\n", "e30.e30.e30\n", "eyJhIjp7ImEiOns.", "A", "\n"] {
        check(
            &format!("tokens of {pattern:?}"),
            1 << 16,
            &repeated("", pattern),
            &|text| {
                let _ = judge_tokens(set, text, &engine);
            },
        );
    }
    for (start, pattern) in [
        ("{\"keys\":[{}", ",{}"),
        ("{\"keys\":[{\"kty\":\"EC\"}", ",{\"kty\":\"EC\"}"),
        (
            "{\"keys\":[{\"kty\":\"EC\",\"kid\":\"a\"}",
            ",{\"kty\":\"EC\",\"kid\":\"a\"}",
        ),
        ("{\"keys\":[], \"a\":0", ",\"a\":0"),
        ("{\"keys\":[[[", "["),
    ] {
        check(
            &format!("a JWK set of {pattern:?}"),
            1 << 16,
            &repeated(start, pattern),
            &|text| {
                for end in ["", "]}", "}"] {
                    let text = [text, end.as_bytes()].concat();
                    let _ = judge_tokens(str::from_utf8(&text).unwrap(), b"", &engine);
                }
            },
        );
    }
    for pattern in [
        "-----BEGIN CERTIFICATE-----\n",
        "-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n",
        "-----BEGIN ",
        "-----",
        "MIIB\n",
    ] {
        check(
            &format!("a bundle of {pattern:?}"),
            1 << 16,
            &repeated("", pattern),
            &|text| {
                let _ = judge_bundle(text, &engine);
            },
        );
    }
    for pattern in [
        "-----BEGIN PUBLIC KEY-----\n",
        "00",
        "A",
        "0\n",
        "{\"a\":",
        "\u{30}\u{5}",
    ] {
        check(
            &format!("a key of {pattern:?}"),
            1 << 16,
            &repeated("", pattern),
            &|text| {
                let _ = public_key(text, None);
                let _ = private_key(text);
            },
        );
    }
    // RLP lists inside each other, and a long list.
    for pattern in [[0xc1_u8], [0xf9], [0x80], [0x02]] {
        let make = |len: usize| {
            [
                &[0xfb][..],
                &(len as u32).to_be_bytes(),
                &vec![pattern[0]; len],
            ]
            .concat()
        };
        check(
            &format!("a transaction of {pattern:?}"),
            1 << 16,
            &make,
            &|bytes| {
                let _ = is_transaction(bytes);
            },
        );
    }
}
