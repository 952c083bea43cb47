//! Raw signed transactions of Ethereum: the signed digest and the signature.

#[cfg(feature = "transactions")]
mod number;
#[cfg(feature = "transactions")]
mod rlp;

#[cfg(not(feature = "transactions"))]
use super::defect::Defect;

/// Facts that a transaction states about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    /// The form of the transaction.
    pub(super) form: &'static str,
    /// The chain that it is for; `None` for one from before EIP-155, which is valid on every chain.
    pub(super) chain_id: Option<u64>,
    /// Its hash: Keccak-256 of the whole transaction without blobs.
    pub(super) hash: [u8; 32],
}

/// A decoded transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Transaction {
    pub(super) facts: Facts,
    /// The digest that was signed.
    pub(super) digest: [u8; 32],
    /// r and s, of any value, and the recovery id.
    pub(super) signature: [u8; 65],
}

#[cfg(not(feature = "transactions"))]
impl Transaction {
    /// Rejects every transaction: their decoder is not part of this build.
    pub(super) fn read(_: &[u8]) -> Result<Self, Defect> {
        Err(Defect::TransactionsMissing)
    }
}
