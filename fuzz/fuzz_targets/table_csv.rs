//! CSV: the rows are those of the crate `csv`, wherever the text can be read in only one way.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sigmill_cli::fuzzing::{COLUMNS, Cell, read_table};

fuzz_target!(|data: &[u8]| {
    // A header of any form does no harm.
    let _ = read_table(data, "csv");

    let text = [COLUMNS.join(",").as_bytes(), b"\n", data].concat();
    let table = read_table(&text, "csv");
    assert_eq!(table.error, None);
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_reader(text.as_slice());
    let mut records = reader.byte_records();
    let cuts_lines = |pair: &[u8]| pair[0] == b'\r' && pair[1] != b'\n';
    let has_other_line_ends = text.ends_with(b"\r") || text.windows(2).any(cuts_lines);
    for row in &table.rows {
        let record = match row {
            // Other readers may find more than one record in a defective one.
            Err(_) if has_other_line_ends => return,
            _ => records.next().expect("they have no fewer").expect("bytes"),
        };
        match row {
            Ok(cells) => {
                assert_eq!(record.len(), COLUMNS.len());
                let digest_is_empty = record[4].is_empty();
                for (i, cell) in cells.iter().enumerate() {
                    // An empty field has no value, except an empty message without a digest.
                    let expected = match &record[i] {
                        [] if !(i == 3 && digest_is_empty) => Cell::Null,
                        field => Cell::Value(field.to_vec()),
                    };
                    assert_eq!(*cell, expected);
                }
            }
            Err("csv-field-count") => assert_ne!(record.len(), COLUMNS.len()),
            Err("csv-nul") => assert!(record.as_slice().contains(&0)),
            Err("csv-quote-unclosed") => {}
            Err(other) => panic!("{other}"),
        }
    }
    assert!(records.next().is_none(), "they have no more");
});
