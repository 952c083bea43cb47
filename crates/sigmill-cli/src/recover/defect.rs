//! Reasons why a row yields no key.

use crate::rows::defect::RowDefect;

/// A defect of a row: the field and the rule that it breaks.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum Defect {
    #[error("{0}")]
    Signature(#[from] sigmill::Error),
    #[error("{0}")]
    Row(#[from] RowDefect),
    #[error("digest: must have 32 bytes, not {actual}")]
    DigestLength { actual: usize },
    #[error(
        "this build lacks the feature \"transactions\" of sigmill-cli; \
         `cargo build --release -p sigmill-cli --features transactions` adds it"
    )]
    TransactionsMissing,
    #[error("transaction: type {ty}; expected 1, 2, 3 or 4, or a list (legacy)")]
    TransactionType { ty: u8 },
    #[error("transaction: malformed RLP for its type: {0}")]
    #[cfg(feature = "transactions")]
    TransactionRlp(alloy_rlp::Error),
    #[error("transaction: {field} must be below 2^{bits}")]
    TransactionNumber { field: &'static str, bits: usize },
    #[error("transaction: {bytes} bytes of trailing data")]
    TransactionTrailingData { bytes: usize },
    #[error(
        "transaction: v must be 27 or 28, or 35 or 36 plus twice a chain id of at most 64 bits"
    )]
    TransactionV,
    #[error("transaction: y parity must be 0 or 1")]
    TransactionParity,
    #[error("transaction: chain id must be {expected}, not {actual}")]
    ChainId { expected: u64, actual: u64 },
}

impl Defect {
    /// A short code of the rule, in lower case with hyphens. It is stable between versions.
    pub(super) fn reason(&self) -> &'static str {
        match self {
            Self::Signature(error) => error.reason(),
            Self::Row(defect) => defect.reason(),
            Self::DigestLength { .. } => "digest-length",
            Self::TransactionsMissing => "transactions-missing",
            Self::TransactionType { .. } => "transaction-type",
            #[cfg(feature = "transactions")]
            Self::TransactionRlp(_) => "transaction-rlp",
            Self::TransactionNumber { .. } => "transaction-number",
            Self::TransactionTrailingData { .. } => "transaction-trailing-data",
            Self::TransactionV => "transaction-v",
            Self::TransactionParity => "transaction-parity",
            Self::ChainId { .. } => "chain-id-mismatch",
        }
    }
}
