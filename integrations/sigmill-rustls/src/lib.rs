#![doc = include_str!("../README.md")]

mod engine;
mod keys;
mod verification;

use rustls::crypto::{CryptoProvider, KeyProvider, SecureRandom, WebPkiSupportedAlgorithms};

pub use engine::{KEY_MEMORY, engine, set_engine};
pub use sigmill;

/// Replaces the provider's ECDSA on P-256 and P-384 by sigmill's. Everything else stays: cipher
/// suites, key exchange, random numbers, other signatures.
///
/// Each call leaks some hundred bytes, since rustls requires `'static` references: create one
/// provider per process.
#[must_use]
pub fn with_sigmill(provider: CryptoProvider) -> CryptoProvider {
    CryptoProvider {
        signature_verification_algorithms: algorithms(provider.signature_verification_algorithms),
        key_provider: key_provider(provider.key_provider, provider.secure_random),
        ..provider
    }
}

/// Replaces the algorithms that sigmill supports, for a verifier created from algorithms and not
/// from a provider. Each call leaks memory like [`with_sigmill`].
#[must_use]
pub fn algorithms(algorithms: WebPkiSupportedAlgorithms) -> WebPkiSupportedAlgorithms {
    verification::splice(algorithms)
}

/// A key provider whose ECDSA keys sign with sigmill. Each call leaks memory like [`with_sigmill`].
#[must_use]
pub fn key_provider(
    provider: &'static dyn KeyProvider,
    random: &'static dyn SecureRandom,
) -> &'static dyn KeyProvider {
    Box::leak(Box::new(keys::Keys::new(provider, random)))
}
