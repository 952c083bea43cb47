//! Decodes transactions.

use alloy_consensus::transaction::Transaction as _;
use alloy_consensus::{
    Signed, TxEip1559, TxEip2930, TxEip4844Variant, TxEip7702, TxEnvelope, TxLegacy,
};
use alloy_eips::eip2718::{Decodable2718, Eip2718Error};
use alloy_eips::eip7594::BlobTransactionSidecarVariant;

use super::{Facts, Transaction, number};
use crate::recover::defect::Defect;

/// The lowest first byte of RLP. Lower bytes are types of EIP-2718.
const FIRST_OF_RLP: u8 = 0x80;

impl Transaction {
    /// Reads a transaction in the form that `eth_sendRawTransaction` accepts: a list (legacy,
    /// EIP-155), or the byte of its type followed by a list (EIP-2930, 1559, 4844 with or without
    /// its blobs, and 7702).
    pub(in crate::recover) fn read(bytes: &[u8]) -> Result<Self, Defect> {
        let mut rest = bytes;
        let envelope = decode(&mut rest).map_err(|defect| match defect {
            Defect::TransactionRlp(alloy_rlp::Error::Overflow) => {
                number::too_large(bytes).unwrap_or(defect)
            }
            other => other,
        })?;
        if !rest.is_empty() {
            return Err(Defect::TransactionTrailingData { bytes: rest.len() });
        }
        let chain_id = envelope.chain_id();
        let form = match &envelope {
            TxEnvelope::Legacy(_) if chain_id.is_none() => "legacy",
            TxEnvelope::Legacy(_) => "eip155",
            TxEnvelope::Eip2930(_) => "eip2930",
            TxEnvelope::Eip1559(_) => "eip1559",
            TxEnvelope::Eip4844(_) => "eip4844",
            TxEnvelope::Eip7702(_) => "eip7702",
        };
        let numbers = envelope.signature();
        let mut signature = [0; 65];
        signature[..32].copy_from_slice(&numbers.r().to_be_bytes::<32>());
        signature[32..64].copy_from_slice(&numbers.s().to_be_bytes::<32>());
        signature[64] = numbers.v().into();
        Ok(Self {
            facts: Facts {
                form,
                chain_id,
                hash: envelope.hash().0,
            },
            digest: envelope.signature_hash().0,
            signature,
        })
    }
}

/// Decodes a transaction of the type that the first byte names. (The decoder of the whole envelope
/// would read a list without a type as whichever transaction it fits.)
fn decode(rest: &mut &[u8]) -> Result<TxEnvelope, Defect> {
    let legacy = |error| match error {
        Eip2718Error::RlpError(alloy_rlp::Error::Custom("invalid parity value")) => {
            Defect::TransactionV
        }
        other => rlp(other),
    };
    let Some(&ty) = rest.first().filter(|&&first| first < FIRST_OF_RLP) else {
        let transaction = Signed::<TxLegacy>::fallback_decode(rest).map_err(legacy)?;
        return Ok(transaction.into());
    };
    *rest = &rest[1..];
    let transaction = match ty {
        1 => Signed::<TxEip2930>::typed_decode(ty, rest).map(TxEnvelope::from),
        2 => Signed::<TxEip1559>::typed_decode(ty, rest).map(TxEnvelope::from),
        3 => Signed::<TxEip4844Variant<BlobTransactionSidecarVariant>>::typed_decode(ty, rest)
            .map(TxEnvelope::from),
        4 => Signed::<TxEip7702>::typed_decode(ty, rest).map(TxEnvelope::from),
        _ => return Err(Defect::TransactionType { ty }),
    };
    transaction.map_err(|error| match error {
        Eip2718Error::RlpError(alloy_rlp::Error::Custom("invalid bool value, must be 0 or 1")) => {
            Defect::TransactionParity
        }
        other => rlp(other),
    })
}

fn rlp(error: Eip2718Error) -> Defect {
    match error {
        Eip2718Error::RlpError(error) => Defect::TransactionRlp(error),
        Eip2718Error::UnexpectedType(ty) => Defect::TransactionType { ty },
        _ => Defect::TransactionRlp(alloy_rlp::Error::Custom("it cannot be decoded")),
    }
}
