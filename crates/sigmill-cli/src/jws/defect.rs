//! Why a token is rejected.

/// What is wrong with a token: the part and the rule it breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Defect {
    #[error("token: it must not be longer than {limit} bytes")]
    TooLong { limit: usize },
    #[error("token: it must have three parts with dots between them, not {actual}")]
    Parts { actual: usize },
    #[error("token: it is encrypted (a JWE of five parts), not signed")]
    Encrypted,
    #[error("{part}: it must be base64url without padding")]
    Encoding { part: &'static str },
    #[error("header: it must be one JSON object: {0}")]
    HeaderJson(String),
    #[error("header: crit names extensions, and none is supported")]
    Crit,
    #[error("header: b64 must not be false: an unencoded payload is not supported")]
    UnencodedPayload,
    #[error("header: alg must not be missing")]
    AlgMissing,
    #[error("header: alg \"none\" means that there is no signature")]
    AlgNone,
    #[error("header: alg {0:?} is not supported")]
    AlgUnsupported(String),
    #[error("header: no key of the set has this kid")]
    KidUnknown,
    #[error("header: {matches} keys of the set have this kid and fit alg {alg}")]
    KidAmbiguous { matches: usize, alg: &'static str },
    #[error("header: kid must be given, as {matches} keys of the set fit alg {alg}")]
    KidMissing { matches: usize, alg: &'static str },
    #[error("header: no key of the set fits alg {alg}")]
    KeyMissing { alg: &'static str },
    #[error("header: alg {alg} does not fit the key, which is for {key_alg}")]
    AlgMismatch {
        alg: &'static str,
        key_alg: &'static str,
    },
    #[error("key: it cannot verify signatures here: {0}")]
    KeyUnusable(String),
    #[error("key: it is malformed: {0}")]
    KeyMalformed(String),
    #[error("{0}")]
    Signature(#[from] sigmill::Error),
}

impl Defect {
    /// A short code of the rule, in lower case with hyphens; it stays the same between versions.
    pub(super) fn reason(&self) -> &'static str {
        match self {
            Self::TooLong { .. } => "token-too-long",
            Self::Parts { .. } => "token-parts",
            Self::Encrypted => "token-encrypted",
            Self::Encoding { part: "header" } => "header-encoding",
            Self::Encoding { part: "payload" } => "payload-encoding",
            Self::Encoding { .. } => "signature-encoding",
            Self::HeaderJson(_) => "header-json",
            Self::Crit => "header-crit",
            Self::UnencodedPayload => "header-b64",
            Self::AlgMissing => "alg-missing",
            Self::AlgNone => "alg-none",
            Self::AlgUnsupported(_) => "alg-unsupported",
            Self::KidUnknown => "kid-unknown",
            Self::KidAmbiguous { .. } => "kid-ambiguous",
            Self::KidMissing { .. } => "kid-missing",
            Self::KeyMissing { .. } => "key-missing",
            Self::AlgMismatch { .. } => "alg-mismatch",
            Self::KeyUnusable(_) => "key-unusable",
            Self::KeyMalformed(_) => "key-malformed",
            Self::Signature(error) => error.reason(),
        }
    }
}
