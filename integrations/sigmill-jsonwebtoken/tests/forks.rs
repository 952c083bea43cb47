//! Children of a process whose threads verify tokens at the moment of the fork do not hang.

#[cfg(unix)]
#[path = "../../forks.rs"]
mod forks;

#[cfg(unix)]
use {
    jsonwebtoken::{Algorithm, DecodingKey},
    sigmill_jsonwebtoken::{set_engine, sigmill, v11},
};

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
fn main() {
    forks::children_do_not_hang(
        |signature| signature.to_p1363().to_vec(),
        |(key, signature)| {
            let key = DecodingKey::from_ec_der(key);
            let verifier = (v11::provider().verifier_factory)(&Algorithm::ES256, &key).unwrap();
            verifier.verify(forks::MESSAGE, signature).unwrap();
        },
    );
}
