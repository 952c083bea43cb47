//! A node whose connections deliver signatures at any time. Each thread fills batches, and all
//! threads share an engine with its keys and tables.

use std::num::NonZeroUsize;
use std::sync::Arc;

use sigmill::bulk::{Engine, Input, Row, RowBuffer, Verdicts};
use sigmill::secp256k1::SigningKey;
use sigmill::{Algorithm, Error, SignatureFormat};

/// The number of signatures in a batch, and of batches that a connection has in progress.
const BATCH: usize = 256;
const DEPTH: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// Runs one connection, and returns the number of valid messages.
fn connection(engine: &Arc<Engine>, key: &SigningKey, messages: u64) -> usize {
    let mut feeder = engine.verify_feeder::<RowBuffer>(DEPTH);
    let mut batch = RowBuffer::default();
    let mut judged = vec![];
    for number in 0..messages {
        let message = number.to_be_bytes();
        batch.push(&Row::new(
            Algorithm::ES256K,
            &key.verifying_key().to_sec1_bytes(true),
            Input::Message(&message),
            &key.sign(&message).to_p1363(),
            SignatureFormat::P1363,
        ));
        if batch.len() == BATCH {
            // Once enough batches are in progress, `submit` returns the oldest.
            judged.extend(feeder.submit(std::mem::take(&mut batch)));
        }
    }
    judged.extend(feeder.submit(batch));
    judged.extend(feeder);
    let valid = |(_, verdicts): (_, Result<Verdicts, _>)| verdicts.expect("rows").valid();
    judged.into_iter().map(valid).sum()
}

fn main() -> Result<(), Error> {
    let engine = Arc::new(Engine::builder().threads(2).build()?);
    let keys = [SigningKey::generate()?, SigningKey::generate()?];
    let valid: usize = std::thread::scope(|scope| {
        let engine = &engine;
        let start = |key| scope.spawn(move || connection(engine, key, 1000));
        let connections: Vec<_> = keys.iter().map(start).collect();
        let valid = |thread: std::thread::ScopedJoinHandle<'_, _>| thread.join().expect("no panic");
        connections.into_iter().map(valid).sum()
    });
    println!("{valid} signatures are valid");
    assert_eq!(valid, 2000);
    Ok(())
}
