//! Calls of the precompiles per second, with sigmill and with revm's own code (libsecp256k1,
//! `p256`): `cargo run --release --example throughput`.
//!
//! Both alternate on the same inputs, which are all different, and their results are compared. The
//! program prints the median of the rounds.

use std::time::Instant;

use revm_precompile::{Crypto, DefaultCrypto};
use sigmill_revm::SigmillCrypto;
use sigmill_revm::sigmill::{HashName, p256, secp256k1};

const ROUNDS: usize = 7;
const ROWS: u32 = 1024;

struct Row {
    message: [u8; 32],
    recoverable: [u8; 64],
    id: u8,
    signature: [u8; 64],
    key: [u8; 64],
}

fn row(counter: u32) -> Row {
    let digest = HashName::Sha256.digest(&counter.to_be_bytes());
    let message: [u8; 32] = digest[..].try_into().expect("32 bytes");
    let key = secp256k1::SigningKey::generate().expect("random numbers");
    let (recoverable, id) = key.sign_prehash_recoverable(&message).expect("a signature");
    let key = p256::SigningKey::generate().expect("random numbers");
    let signature = key.sign_prehash(&message).expect("a signature");
    let point = key.verifying_key().to_sec1_bytes(false);
    Row {
        message,
        recoverable: recoverable.to_p1363().try_into().expect("64 bytes"),
        id: id.to_byte(),
        signature: signature.to_p1363().try_into().expect("64 bytes"),
        key: point[1..].try_into().expect("64 bytes"),
    }
}

fn recover(crypto: &dyn Crypto, row: &Row) -> Option<[u8; 32]> {
    crypto
        .secp256k1_ecrecover(&row.recoverable, row.id, &row.message)
        .ok()
}

fn verify(crypto: &dyn Crypto, row: &Row) -> Option<[u8; 32]> {
    let is_valid = crypto.secp256r1_verify_signature(&row.message, &row.signature, &row.key);
    is_valid.then_some([0; 32])
}

type Operation = fn(&dyn Crypto, &Row) -> Option<[u8; 32]>;

fn main() {
    let rows: Vec<Row> = (0..ROWS).map(row).collect();
    let cryptos: [&dyn Crypto; 2] = [&SigmillCrypto, &DefaultCrypto];
    println!("calls a second, one thread, medians of {ROUNDS} rounds of {ROWS} calls in turns");
    println!("{:<12} {:>10} {:>10}", "", "sigmill", "revm");
    let operations: [(&str, Operation); 2] = [("ecrecover", recover), ("p256verify", verify)];
    for (name, operation) in operations {
        let mut rates = [vec![], vec![]];
        for round in 0..=ROUNDS {
            let mut results = vec![];
            for (crypto, rates) in cryptos.iter().zip(&mut rates) {
                let start = Instant::now();
                let found: Vec<_> = rows.iter().map(|row| operation(*crypto, row)).collect();
                // The first round builds tables.
                if round > 0 {
                    rates.push(f64::from(ROWS) / start.elapsed().as_secs_f64());
                }
                assert!(found.iter().all(Option::is_some));
                results.push(found);
            }
            assert_eq!(results[0], results[1]);
        }
        print!("{name:<12}");
        for mut rates in rates {
            rates.sort_by(f64::total_cmp);
            print!(" {:>10.0}", rates[ROUNDS / 2]);
        }
        println!();
    }
}
