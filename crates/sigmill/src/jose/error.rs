//! Errors of tokens and of key sets.

use alloc::string::String;
use core::fmt;

use crate::Algorithm;

/// The maximum length of a token in bytes: 1 MiB. Servers reject headers of a hundredth of this.
pub const MAX_TOKEN_LEN: usize = 1 << 20;

/// The rule that a token or a key set breaks. The message names the part and the rule.
///
/// ```
/// use sigmill::jose::Error;
///
/// let message = "header: alg \"none\" means that there is no signature";
/// assert_eq!(Error::AlgNone.to_string(), message);
/// assert_eq!(Error::AlgNone.reason(), "alg-none");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A set is a JSON object with an array of keys. No object outside the keys repeats a member.
    KeySetJson {
        /// The message of the JSON reader.
        detail: String,
    },

    /// A token has at most [`MAX_TOKEN_LEN`] bytes.
    TokenTooLong,
    /// A token has three parts, separated by dots.
    TokenParts {
        /// The number of parts found.
        actual: usize,
    },
    /// A token is signed. A token of five parts is encrypted (RFC 7516 §3.1).
    TokenEncrypted,
    /// The header is base64url without padding.
    HeaderEncoding,
    /// The header is a JSON object in UTF-8 that repeats no member. The members that matter have
    /// the types of RFC 7515 §4.1.
    HeaderJson {
        /// The message of the JSON reader.
        detail: String,
    },
    /// The header names no extensions that must be understood (RFC 7515 §4.1.11).
    HeaderCrit,
    /// The payload is encoded: b64, if present, is true (RFC 7797 §3).
    HeaderB64,
    /// The header names the algorithm.
    AlgMissing,
    /// The algorithm is not "none" (RFC 7518 §3.6).
    AlgNone,
    /// The algorithm is ES256, ES384, ES512 or ES256K.
    AlgUnsupported {
        /// The algorithm that the header names.
        alg: String,
    },
    /// A key of the set has the kid of the header.
    KidUnknown,
    /// Only one of the keys with the kid is for the algorithm.
    KidAmbiguous {
        /// The number of such keys.
        matches: usize,
        /// The algorithm that the header names.
        algorithm: Algorithm,
    },
    /// The header has a kid if several keys of the set are for its algorithm.
    KidMissing {
        /// The number of such keys.
        matches: usize,
        /// The algorithm that the header names.
        algorithm: Algorithm,
    },
    /// A key of the set is for the algorithm.
    KeyMissing {
        /// The algorithm that the header names.
        algorithm: Algorithm,
    },
    /// The algorithm is that of the key that the kid names.
    AlgMismatch {
        /// The algorithm that the header names.
        algorithm: Algorithm,
        /// The algorithm of the key.
        key_algorithm: Algorithm,
    },
    /// The key that the kid names can verify signatures with a supported algorithm.
    KeyUnusable {
        /// The type or purpose of the key: "kty RSA", "use enc".
        what: String,
    },
    /// The key that the kid names is well formed.
    KeyMalformed {
        /// The rule that it breaks.
        rule: String,
    },
    /// The payload is base64url without padding.
    PayloadEncoding,
    /// The signature is base64url without padding.
    SignatureEncoding,
    /// The signature is r and s in full length, and the key's signature of this token.
    Signature(crate::Error),
}

impl Error {
    /// Returns a short code of the rule, in lower case with hyphens. It is stable across versions.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::KeySetJson { .. } => "key-set-json",
            Self::TokenTooLong => "token-too-long",
            Self::TokenParts { .. } => "token-parts",
            Self::TokenEncrypted => "token-encrypted",
            Self::HeaderEncoding => "header-encoding",
            Self::HeaderJson { .. } => "header-json",
            Self::HeaderCrit => "header-crit",
            Self::HeaderB64 => "header-b64",
            Self::AlgMissing => "alg-missing",
            Self::AlgNone => "alg-none",
            Self::AlgUnsupported { .. } => "alg-unsupported",
            Self::KidUnknown => "kid-unknown",
            Self::KidAmbiguous { .. } => "kid-ambiguous",
            Self::KidMissing { .. } => "kid-missing",
            Self::KeyMissing { .. } => "key-missing",
            Self::AlgMismatch { .. } => "alg-mismatch",
            Self::KeyUnusable { .. } => "key-unusable",
            Self::KeyMalformed { .. } => "key-malformed",
            Self::PayloadEncoding => "payload-encoding",
            Self::SignatureEncoding => "signature-encoding",
            Self::Signature(error) => error.reason(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeySetJson { detail } => write!(
                f,
                "key set: it must be a JSON object with an array of keys: {detail}"
            ),
            Self::TokenTooLong => {
                write!(f, "token: it must not be longer than {MAX_TOKEN_LEN} bytes")
            }
            Self::TokenParts { actual } => write!(
                f,
                "token: it must have three parts with dots between them, not {actual}"
            ),
            Self::TokenEncrypted => {
                f.write_str("token: it is encrypted (a JWE of five parts), not signed")
            }
            Self::HeaderEncoding => f.write_str("header: it must be base64url without padding"),
            Self::HeaderJson { detail } => {
                write!(f, "header: it must be one JSON object: {detail}")
            }
            Self::HeaderCrit => f.write_str("header: crit names extensions, and none is supported"),
            Self::HeaderB64 => {
                f.write_str("header: b64 must not be false: an unencoded payload is not supported")
            }
            Self::AlgMissing => f.write_str("header: alg must not be missing"),
            Self::AlgNone => f.write_str("header: alg \"none\" means that there is no signature"),
            Self::AlgUnsupported { alg } => write!(f, "header: alg {alg:?} is not supported"),
            Self::KidUnknown => f.write_str("header: no key of the set has this kid"),
            Self::KidAmbiguous { matches, algorithm } => write!(
                f,
                "header: {matches} keys of the set have this kid and fit alg {algorithm}"
            ),
            Self::KidMissing { matches, algorithm } => write!(
                f,
                "header: kid must be given, as {matches} keys of the set fit alg {algorithm}"
            ),
            Self::KeyMissing { algorithm } => {
                write!(f, "header: no key of the set fits alg {algorithm}")
            }
            Self::AlgMismatch {
                algorithm,
                key_algorithm,
            } => write!(
                f,
                "header: alg {algorithm} does not fit the key, which is for {key_algorithm}"
            ),
            Self::KeyUnusable { what } => {
                write!(f, "key: it cannot verify signatures here: {what}")
            }
            Self::KeyMalformed { rule } => write!(f, "key: it is malformed: {rule}"),
            Self::PayloadEncoding => f.write_str("payload: it must be base64url without padding"),
            Self::SignatureEncoding => {
                f.write_str("signature: it must be base64url without padding")
            }
            Self::Signature(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for Error {}

impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Self {
        Self::Signature(error)
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::string::ToString as _;
    use alloc::{format, vec};

    use super::*;

    #[test]
    fn messages_name_a_part_and_reasons_are_the_variants() {
        let (matches, algorithm) = (2, Algorithm::ES256);
        let text = || String::from("a reason");
        let all = vec![
            Error::KeySetJson { detail: text() },
            Error::TokenTooLong,
            Error::TokenParts { actual: 2 },
            Error::TokenEncrypted,
            Error::HeaderEncoding,
            Error::HeaderJson { detail: text() },
            Error::HeaderCrit,
            Error::HeaderB64,
            Error::AlgMissing,
            Error::AlgNone,
            Error::AlgUnsupported { alg: text() },
            Error::KidUnknown,
            Error::KidAmbiguous { matches, algorithm },
            Error::KidMissing { matches, algorithm },
            Error::KeyMissing { algorithm },
            Error::AlgMismatch {
                algorithm,
                key_algorithm: Algorithm::ES384,
            },
            Error::KeyUnusable { what: text() },
            Error::KeyMalformed { rule: text() },
            Error::PayloadEncoding,
            Error::SignatureEncoding,
        ];
        for error in &all {
            let (part, rule) = error.to_string().split_once(": ").map_or_else(
                || panic!("{error}"),
                |(part, rule)| (String::from(part), rule.len()),
            );
            let parts = ["key set", "token", "header", "payload", "signature", "key"];
            assert!(parts.contains(&part.as_str()) && rule > 10, "{error}");
            let debug = format!("{error:?}");
            let variant = debug.split([' ', '{']).next().unwrap_or_default();
            let kebab = error.reason().split('-').map(|word| {
                let (first, rest) = word.split_at(1);
                first.to_uppercase() + rest
            });
            assert_eq!(kebab.collect::<String>(), variant);
        }
        let reasons: BTreeSet<_> = all.iter().map(Error::reason).collect();
        assert_eq!(reasons.len(), all.len());
        // The library's errors about signatures stay unchanged.
        let error = Error::from(crate::Error::RZero);
        assert_eq!(error.to_string(), crate::Error::RZero.to_string());
        assert_eq!(error.reason(), "r-zero");
    }
}
