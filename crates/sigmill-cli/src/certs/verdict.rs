//! Verdicts on certificates.

/// The verdict on one certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The certificate with index `issuer` signed it.
    Valid {
        /// The index of the issuer.
        issuer: usize,
        /// For example "ecdsa-with-SHA384 on P-384".
        algorithm: String,
    },
    /// The signature is wrong, or the certificate is malformed.
    Rejected(Defect),
    /// The algorithm of the signature is not supported.
    NotJudged {
        /// For example "sha256WithRSAEncryption", "ecdsa-with-SHA512 on secp521r1".
        algorithm: String,
    },
    /// No certificate of the bundle can be its issuer.
    IssuerMissing,
}

/// Reasons to reject a certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Defect {
    #[error("certificate: malformed PEM: {0}")]
    Pem(String),
    #[error("certificate: malformed DER: {0}")]
    Malformed(String),
    #[error("certificate: trailing data after the DER")]
    TrailingData,
    #[error("certificate: signatureAlgorithm must equal tbsCertificate.signature")]
    AlgorithmsDiffer,
    #[error("certificate: signature must be a whole number of bytes")]
    UnusedBits,
    #[error("issuer: key must be an elliptic-curve key, because the signature is ECDSA")]
    IssuerKeyNotEc,
    /// "Not judged" would be equally true, but would let the author of a bundle hide a wrong
    /// signature behind other keys.
    #[error(
        "issuer: more than {limit} candidate keys in the bundle; none of the first {limit} \
         verifies the signature"
    )]
    TooManyIssuers { limit: usize },
    #[error("{0}")]
    Signature(#[from] sigmill::Error),
}

impl Defect {
    /// A short code of the rule, in lower case with hyphens. It is stable between versions.
    pub(super) fn reason(&self) -> &'static str {
        match self {
            Self::Pem(_) => "pem-malformed",
            Self::Malformed(_) => "certificate-malformed",
            Self::TrailingData => "certificate-trailing-data",
            Self::AlgorithmsDiffer => "certificate-algorithms-differ",
            Self::UnusedBits => "certificate-signature-unused-bits",
            Self::IssuerKeyNotEc => "issuer-key-not-ec",
            Self::TooManyIssuers { .. } => "too-many-issuers",
            Self::Signature(error) => error.reason(),
        }
    }
}
