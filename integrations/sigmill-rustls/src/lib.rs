#![doc = include_str!("../README.md")]

mod engine;
mod keys;
mod verification;

use rustls::crypto::{CryptoProvider, KeyProvider, SecureRandom, WebPkiSupportedAlgorithms};

pub use engine::{KEY_MEMORY, engine, set_engine};
pub use sigmill;

/// The provider with ECDSA on P-256 and P-384 by sigmill, where it had these, and all else as it
/// was: cipher suites, key exchange, random numbers, other signatures.
///
/// Some hundred bytes stay allocated for good, as rustls wants references that do: make one
/// provider for the process.
#[must_use]
pub fn with_sigmill(provider: CryptoProvider) -> CryptoProvider {
    CryptoProvider {
        signature_verification_algorithms: algorithms(provider.signature_verification_algorithms),
        key_provider: key_provider(provider.key_provider, provider.secure_random),
        ..provider
    }
}

/// The algorithms, with those that sigmill has by sigmill: for a verifier that is made of these
/// and not of a provider. What it leaves allocated is as [`with_sigmill`] says.
#[must_use]
pub fn algorithms(algorithms: WebPkiSupportedAlgorithms) -> WebPkiSupportedAlgorithms {
    verification::splice(algorithms)
}

/// The key provider, whose ECDSA keys sign by sigmill. What it leaves allocated is as
/// [`with_sigmill`] says.
#[must_use]
pub fn key_provider(
    provider: &'static dyn KeyProvider,
    random: &'static dyn SecureRandom,
) -> &'static dyn KeyProvider {
    Box::leak(Box::new(keys::Keys::new(provider, random)))
}
