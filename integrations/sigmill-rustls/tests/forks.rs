//! Children of a process whose threads verify handshakes at the moment of the fork do not hang.

#[cfg(unix)]
#[path = "../../forks.rs"]
mod forks;

#[cfg(unix)]
use {
    rustls::crypto::ring,
    rustls::pki_types::{SignatureVerificationAlgorithm, alg_id},
    sigmill_rustls::{set_engine, sigmill},
};

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
fn main() {
    let stock = ring::default_provider().signature_verification_algorithms;
    let is_it = |it: &&dyn SignatureVerificationAlgorithm| {
        (it.public_key_alg_id(), it.signature_alg_id())
            == (alg_id::ECDSA_P256, alg_id::ECDSA_SHA256)
    };
    let all = sigmill_rustls::algorithms(stock).all;
    let algorithm = *all.iter().find(|it| is_it(it)).unwrap();
    forks::children_do_not_hang(
        |signature| signature.to_der().to_vec(),
        |(key, signature)| {
            let verified = algorithm.verify_signature(key, forks::MESSAGE, signature);
            verified.unwrap();
        },
    );
}
