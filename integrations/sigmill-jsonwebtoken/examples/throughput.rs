//! Tokens per second, for whole calls of `decode` and `encode`, with sigmill and with the two
//! backends of jsonwebtoken: `cargo run --release --example throughput`.
//!
//! A process has one provider, so each measurement is a separate process, and the providers
//! alternate. Every token is checked. The program prints the median of the rounds.

use std::error::Error;
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, iter};

use jsonwebtoken::crypto::{aws_lc, rust_crypto};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use serde_json::{Value, json};
use sigmill_jsonwebtoken::sigmill::{AnySigningKey, CurveName};
use sigmill_jsonwebtoken::v11;

const ROUNDS: usize = 5;
const TIME: Duration = Duration::from_millis(300);
const PROVIDERS: [&str; 3] = ["sigmill", "aws_lc_rs", "rust_crypto"];

/// Operations and numbers of keys; each new key signs one token, which occurs once.
const OPERATIONS: [(&str, usize); 3] = [("decode", 16), ("decode, new keys", 512), ("encode", 16)];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [provider, algorithm, operation] = &arguments[..] {
        println!("{}", measure(provider, algorithm, operation)?);
        return Ok(());
    }
    println!("tokens a second, one thread, medians of {ROUNDS} rounds of {TIME:?} in turns");
    println!(
        "{:<24} {:>11} {:>11} {:>11}",
        "", PROVIDERS[0], PROVIDERS[1], PROVIDERS[2]
    );
    for algorithm in ["ES256", "ES384"] {
        for (operation, _) in OPERATIONS {
            let mut rates = PROVIDERS.map(|_| vec![]);
            for _ in 0..ROUNDS {
                for (provider, rates) in iter::zip(PROVIDERS, &mut rates) {
                    let child = Command::new(env::current_exe()?)
                        .args([provider, algorithm, operation])
                        .output()?;
                    let errors = String::from_utf8_lossy(&child.stderr);
                    assert!(child.status.success(), "{provider}: {errors}");
                    rates.push(String::from_utf8(child.stdout)?.trim().parse::<f64>()?);
                }
            }
            print!("{:<24}", format!("{algorithm} {operation}"));
            for mut rates in rates {
                rates.sort_by(f64::total_cmp);
                print!(" {:>11.0}", rates[ROUNDS / 2]);
            }
            println!();
        }
    }
    Ok(())
}

/// Tokens per second of one provider, which becomes that of the process.
fn measure(provider: &str, algorithm: &str, operation: &str) -> Result<f64, Box<dyn Error>> {
    let installed = match provider {
        "sigmill" => v11::provider().install_default(),
        "aws_lc_rs" => aws_lc::DEFAULT_PROVIDER.install_default(),
        "rust_crypto" => rust_crypto::DEFAULT_PROVIDER.install_default(),
        _ => return Err("unknown provider".into()),
    };
    installed.map_err(|_| "there is a provider already")?;
    let (algorithm, curve) = match algorithm {
        "ES256" => (Algorithm::ES256, CurveName::P256),
        "ES384" => (Algorithm::ES384, CurveName::P384),
        _ => return Err("unknown algorithm".into()),
    };
    let mut operations = OPERATIONS.iter();
    let (_, count) = operations
        .find(|(name, _)| *name == operation)
        .ok_or("unknown operation")?;
    let header = Header::new(algorithm);
    let claims = |i: usize| json!({ "sub": i.to_string(), "exp": 4_000_000_000_u64 });
    let mut keys = vec![];
    // One extra key, which is not measured: it pays for what is built once.
    for (i, key) in AnySigningKey::generate_many(curve, count + 1)?
        .iter()
        .enumerate()
    {
        let private = EncodingKey::from_ec_der(&key.to_pkcs8_der());
        let public = DecodingKey::from_ec_der(&key.verifying_key().to_sec1_bytes(false));
        let token = encode(&header, &claims(i), &private)?;
        keys.push((private, public, token));
    }
    let validation = Validation::new(algorithm);
    let run = |i: usize| -> Result<(), Box<dyn Error>> {
        let (private, public, token) = &keys[i];
        if operation == "encode" {
            black_box(encode(&header, &claims(i), private)?);
        } else {
            let data = decode::<Value>(token, public, &validation)?;
            assert_eq!(data.claims, claims(i));
        }
        Ok(())
    };
    run(*count)?;
    if operation == "decode" {
        // Until every key that gets a table has its final one.
        (0..2000 * count)
            .take_while(|_| provider == "sigmill")
            .try_for_each(|i| run(i % count))?;
    }
    let (start, mut done) = (Instant::now(), 0);
    while start.elapsed() < TIME {
        (0..*count).try_for_each(&run)?;
        done += count;
        if operation == "decode, new keys" {
            break;
        }
    }
    Ok(done as f64 / start.elapsed().as_secs_f64())
}
