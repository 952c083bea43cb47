//! Verdicts of providers, for comparison.

use jsonwebtoken::crypto::CryptoProvider;
use jsonwebtoken::{Algorithm, DecodingKey};

/// The provider that sigmill's replaces.
#[cfg(feature = "aws_lc_rs")]
pub(crate) static REPLACED: &CryptoProvider = &jsonwebtoken::crypto::aws_lc::DEFAULT_PROVIDER;
#[cfg(not(feature = "aws_lc_rs"))]
pub(crate) static REPLACED: &CryptoProvider = &jsonwebtoken::crypto::rust_crypto::DEFAULT_PROVIDER;

/// The outcome of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Valid,
    /// jsonwebtoken's `InvalidSignature`.
    Invalid,
    /// The kind of error when the verifier is created.
    Refused(String),
}

pub(crate) fn verify(
    provider: &CryptoProvider,
    algorithm: Algorithm,
    key: &DecodingKey,
    message: &[u8],
    signature: &[u8],
) -> Outcome {
    match (provider.verifier_factory)(&algorithm, key) {
        Err(error) => Outcome::Refused(format!("{:?}", error.kind())),
        Ok(verifier) => {
            assert_eq!(verifier.algorithm(), algorithm);
            match verifier.verify(message, &signature.to_vec()) {
                Ok(()) => Outcome::Valid,
                Err(_) => Outcome::Invalid,
            }
        }
    }
}
