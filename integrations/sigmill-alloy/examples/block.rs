//! The senders of a block: alloy's own loop (libsecp256k1), the same loop with sigmill, and all at
//! once with the engine: `cargo run --release --example block [TRANSACTIONS]`.
//!
//! The transactions are from one block, each from a different sender. Their hashes are computed
//! beforehand, as alloy caches them. The three ways alternate, and find the same senders. The
//! program prints the median of the rounds.

use std::error::Error;
use std::time::Instant;

use alloy_consensus::crypto::backend::CryptoProvider;
use alloy_consensus::crypto::secp256k1::recover_signer;
use alloy_consensus::{SignableTransaction, TxEip1559};
use alloy_primitives::{Address, B256, Signature, U256};
use sigmill::Policy;
use sigmill::bulk::Engine;
use sigmill::secp256k1::SigningKey;
use sigmill_alloy::{SigmillProvider, recover_signers, sigmill};

const ROUNDS: usize = 9;

/// A function from transactions to senders.
type Way<'a> = &'a dyn Fn() -> Vec<Option<Address>>;

fn transaction(nonce: u64) -> Result<(Signature, B256), Box<dyn Error>> {
    let key = SigningKey::generate()?.with_policy(Policy::ETHEREUM_TRANSACTION);
    let transaction = TxEip1559 {
        nonce,
        gas_limit: 21_000,
        ..TxEip1559::default()
    };
    let hash = transaction.signature_hash();
    let (signature, id) = key.sign_prehash_recoverable(hash.as_slice())?;
    let (r, s) = signature.to_scalars();
    let [r, s] = [r, s].map(|scalar| U256::from_be_slice(&scalar));
    Ok((Signature::new(r, s, id.is_y_odd()), hash))
}

fn one_by_one(rows: &[(Signature, B256)]) -> Vec<Option<Address>> {
    let recover = |(signature, hash): &(Signature, B256)| {
        let mut bytes = [0; 65];
        bytes[..32].copy_from_slice(&signature.r().to_be_bytes::<32>());
        bytes[32..64].copy_from_slice(&signature.s().to_be_bytes::<32>());
        bytes[64] = signature.v().into();
        SigmillProvider.recover_signer_unchecked(&bytes, hash).ok()
    };
    rows.iter().map(recover).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let count = std::env::args()
        .nth(1)
        .map_or(Ok(300), |text| text.parse())?;
    let rows = (0..count).map(transaction).collect::<Result<Vec<_>, _>>()?;
    let engine = Engine::builder().policy(Policy::ETHEREUM_TRANSACTION);
    let (one, all) = (engine.clone().build()?, engine.threads(0).build()?);
    let at_once = |engine: &Engine| -> Vec<Option<Address>> {
        let pairs = rows.iter().map(|(signature, hash)| (signature, *hash));
        recover_signers(engine, pairs)
            .into_iter()
            .map(Result::ok)
            .collect()
    };
    let alloy = || {
        let recover = |(signature, hash): &(Signature, B256)| recover_signer(signature, *hash).ok();
        rows.iter().map(recover).collect()
    };
    let (one_by_one, one, all) = (|| one_by_one(&rows), || at_once(&one), || at_once(&all));
    let ways: [(&str, Way); 4] = [
        ("alloy's loop", &alloy),
        ("the loop by sigmill", &one_by_one),
        ("at once, one thread", &one),
        ("at once, all threads", &all),
    ];
    let mut times = [const { vec![] }; 4];
    for round in 0..=ROUNDS {
        let mut senders = vec![];
        for ((_, way), times) in ways.iter().zip(&mut times) {
            let start = Instant::now();
            let found = way();
            // The first round builds tables.
            if round > 0 {
                times.push(start.elapsed().as_secs_f64());
            }
            assert!(found.iter().all(Option::is_some));
            senders.push(found);
        }
        assert!(senders.iter().all(|found| *found == senders[0]));
    }
    println!("{count} transactions, medians of {ROUNDS} rounds in turns");
    for ((name, _), mut times) in ways.iter().zip(times) {
        times.sort_by(f64::total_cmp);
        let time = times[ROUNDS / 2];
        println!(
            "{name:<22} {:>8.2} ms {:>9.0} a second",
            time * 1e3,
            count as f64 / time
        );
    }
    Ok(())
}
