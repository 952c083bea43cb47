//! Clients that return: their keys are kept with tables, so that each signature after the first
//! needs a fraction of the time.

use std::collections::HashMap;
use std::time::Instant;

use sigmill::Error;
use sigmill::p256::{PreparedKey, Signature, SigningKey, VerifyingKey};

/// The keys of recent clients; a server would limit their number.
#[derive(Default)]
struct Clients(HashMap<VerifyingKey, PreparedKey>);

impl Clients {
    fn verify(&mut self, point: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Error> {
        let key = VerifyingKey::from_sec1_bytes(point)?;
        // 148 KiB each.
        let prepared = self.0.entry(key).or_insert_with(|| key.prepare());
        prepared.verify(message, &Signature::from_p1363(signature)?)
    }
}

fn main() -> Result<(), Error> {
    let client = SigningKey::generate()?;
    let point = client.verifying_key().to_sec1_bytes(true);
    let mut clients = Clients::default();
    for number in 0..4 {
        let message = format!("request {number}");
        let signature = client.sign(message.as_bytes()).to_p1363();
        let start = Instant::now();
        clients.verify(&point, message.as_bytes(), &signature)?;
        // The first request builds the client's table, and the process's own tables.
        println!("{message}: {:?}", start.elapsed());
        assert!(clients.verify(&point, b"another", &signature).is_err());
    }
    assert_eq!(clients.0.len(), 1);
    Ok(())
}
