//! Columns of an Arrow table, as a query engine or a Parquet reader supplies them. One call
//! verifies every row.

use std::error::Error;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, BinaryArray, FixedSizeBinaryArray, RecordBatch, StringArray};
use sigmill::Algorithm;
use sigmill::bulk::{Column, Engine, Inputs, Rows, Signatures};
use sigmill::p256::SigningKey;

/// Returns a batch of signed events: names, keys, messages and signatures.
fn events() -> Result<RecordBatch, Box<dyn Error>> {
    let keys = [SigningKey::generate()?, SigningKey::generate()?];
    let (mut names, mut points, mut messages, mut signatures) = (vec![], vec![], vec![], vec![]);
    for i in 0..1000 {
        let (key, message) = (&keys[i % 2], format!("event {i}"));
        signatures.push(key.sign(message.as_bytes()).to_p1363());
        points.push(key.verifying_key().to_sec1_bytes(true));
        messages.push(message.replace("event 500", "event 5000"));
        names.push(format!("row {i}"));
    }
    let columns: [(&str, ArrayRef); 4] = [
        ("name", std::sync::Arc::new(StringArray::from(names))),
        (
            "key",
            std::sync::Arc::new(BinaryArray::from_iter_values(points)),
        ),
        ("message", std::sync::Arc::new(StringArray::from(messages))),
        (
            "signature",
            std::sync::Arc::new(FixedSizeBinaryArray::try_from_iter(signatures.iter())?),
        ),
    ];
    Ok(RecordBatch::try_from_iter(columns)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let events = events()?;
    // Columns borrow the arrays; no value is copied.
    let column = |place| Column::from_arrow(events.column(place));
    let rows = Rows::new(
        Algorithm::ES256,
        column(1)?,
        Inputs::Messages(column(2)?),
        Signatures::P1363(column(3)?),
    )?;

    let verdicts = Engine::builder().build()?.verify(&rows);
    let names = events.column(0).as_string::<i32>();
    for (row, error) in verdicts.iter_rejected() {
        println!("{}: {error}", names.value(row));
    }
    println!("{} of {} are valid", verdicts.valid(), verdicts.len());
    assert_eq!((verdicts.valid(), verdicts.rejected()), (999, 1));
    Ok(())
}
