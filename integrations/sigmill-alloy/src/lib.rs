#![doc = include_str!("../README.md")]

use std::sync::Arc;

use alloy_consensus::crypto::RecoveryError;
use alloy_consensus::crypto::backend::{
    CryptoProvider, CryptoProviderAlreadySetError, install_default_provider,
};
use alloy_primitives::{Address, B256};
use sigmill::bulk::{Column, Engine, Inputs, RecoverRows};
use sigmill::secp256k1::{Signature, VerifyingKey};
use sigmill::{Algorithm, Error, RecoveryId};

pub use sigmill;

/// The crypto backend for alloy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SigmillProvider;

/// Installs [`SigmillProvider`] for the process, and builds the tables of the curve.
///
/// # Errors
/// A provider is already installed.
pub fn install() -> Result<(), CryptoProviderAlreadySetError> {
    sigmill::warm_up(sigmill::CurveName::Secp256k1);
    install_default_provider(Arc::new(SigmillProvider))
}

/// The address of an uncompressed SEC 1 point.
fn address(point: &[u8]) -> Address {
    Address::from_raw_public_key(&point[1..])
}

impl CryptoProvider for SigmillProvider {
    /// Accepts any s below n, and ids 0 to 3.
    fn recover_signer_unchecked(
        &self,
        signature: &[u8; 65],
        message: &[u8; 32],
    ) -> Result<Address, RecoveryError> {
        let recover = || {
            let (signature, id) = signature.split_at(64);
            let id = RecoveryId::from_byte(id[0])?;
            let signature = Signature::from_p1363(signature)?;
            VerifyingKey::recover_from_prehash(message, &signature, id)
        };
        // alloy's own recovery reports no cause either.
        let key = recover().map_err(|_: Error| RecoveryError::new())?;
        Ok(address(&key.to_sec1_bytes(false)))
    }

    /// Accepts any s below n, and uncompressed points.
    fn verify_and_compute_signer_unchecked(
        &self,
        key: &[u8; 65],
        signature: &[u8; 64],
        message: &[u8; 32],
    ) -> Result<Address, RecoveryError> {
        let verify = || {
            let signature = Signature::from_p1363(signature)?;
            VerifyingKey::from_sec1_bytes(key)?.verify_prehash(message, &signature)
        };
        verify().map_err(|_: Error| RecoveryError::new())?;
        Ok(address(key))
    }
}

/// Recovers the senders of many transactions, in order, from each signature and the signed hash.
/// The engine's policy decides which s and which ids are accepted:
/// [`Policy::ETHEREUM_TRANSACTION`](sigmill::Policy::ETHEREUM_TRANSACTION) matches alloy's
/// `recover_signer`, and the default matches `recover_signer_unchecked`.
pub fn recover_signers<'a>(
    engine: &Engine,
    rows: impl IntoIterator<Item = (&'a alloy_primitives::Signature, B256)>,
) -> Vec<Result<Address, RecoveryError>> {
    let (mut hashes, mut signatures) = (vec![], vec![]);
    for (signature, hash) in rows {
        hashes.extend_from_slice(hash.as_slice());
        signatures.extend_from_slice(&signature.r().to_be_bytes::<32>());
        signatures.extend_from_slice(&signature.s().to_be_bytes::<32>());
        signatures.push(signature.v().into());
    }
    let inputs = Inputs::Digests(Column::fixed(&hashes, 32));
    let rows = RecoverRows::new(Algorithm::ES256K, inputs, Column::fixed(&signatures, 65));
    let recovered = engine.recover(&rows.expect("both columns have a value for each row"));
    let keys = recovered.iter();
    keys.map(|key| key.map(address).map_err(|_| RecoveryError::new()))
        .collect()
}
