//! Handshakes per second in memory, both sides on one thread, for each provider and for the same
//! with sigmill: `cargo run --release --example throughput`.
//!
//! The providers alternate. Every handshake is a full one of TLS 1.3 (no resumption) and must
//! succeed. The program prints the median of the rounds.

#[path = "../tests/common/mod.rs"]
mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{Authority, handshake};
use rcgen::{PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384};
use rustls::crypto::{aws_lc_rs, ring};
use rustls::version::TLS13;
use sigmill_rustls::with_sigmill;

const ROUNDS: usize = 5;
const TIME: Duration = Duration::from_millis(200);

fn main() {
    let (ring, aws_lc_rs) = (ring::default_provider(), aws_lc_rs::default_provider());
    let providers = [
        ("ring", ring.clone()),
        ("ring, sigmill", with_sigmill(ring)),
        ("aws-lc-rs", aws_lc_rs.clone()),
        ("aws-lc-rs, sigmill", with_sigmill(aws_lc_rs)),
    ]
    .map(|(name, provider)| (name, Arc::new(provider)));
    println!("handshakes a second, one thread; medians of {ROUNDS} rounds of {TIME:?} in turns");
    print!("{:<32}", "");
    for (name, _) in &providers {
        print!(" {name:>18}");
    }
    println!();
    for (curve, algorithm) in [
        ("P-256", &PKCS_ECDSA_P256_SHA256),
        ("P-384", &PKCS_ECDSA_P384_SHA384),
    ] {
        let authority = Authority::new(algorithm);
        for (asks, what) in [(false, ""), (true, ", client authentication")] {
            let mut rates = [const { vec![] }; 4];
            let sides = providers.each_ref().map(|(_, provider)| {
                let client = authority.client(provider, &[&TLS13]).expect("a client");
                let server = authority
                    .server(provider, &[&TLS13], asks)
                    .expect("a server");
                (client, server)
            });
            let run = |i: usize| {
                let (client, server): &(Arc<_>, Arc<_>) = &sides[i];
                handshake(client, server).expect("a handshake");
            };
            // Until the keys have their final tables.
            (0..100).for_each(|_| (0..sides.len()).for_each(run));
            for _ in 0..ROUNDS {
                for (i, rates) in rates.iter_mut().enumerate() {
                    let (start, mut count) = (Instant::now(), 0);
                    while start.elapsed() < TIME {
                        run(i);
                        count += 1;
                    }
                    rates.push(f64::from(count) / start.elapsed().as_secs_f64());
                }
            }
            print!("{:<32}", format!("{curve}{what}"));
            for mut rates in rates {
                rates.sort_by(f64::total_cmp);
                print!(" {:>18.0}", rates[ROUNDS / 2]);
            }
            println!();
        }
    }
}
