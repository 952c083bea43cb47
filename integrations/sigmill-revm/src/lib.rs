#![doc = include_str!("../README.md")]

use revm_precompile::{Crypto, PrecompileHalt};
use sigmill::ethereum::Address;
use sigmill::{RecoveryId, p256, secp256k1};

pub use sigmill;

/// The crypto implementation for revm's precompiles: `ecrecover` and `p256verify` by sigmill,
/// everything else by revm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SigmillCrypto;

/// Installs [`SigmillCrypto`] for the process, and builds the tables of both curves. Returns true
/// if nothing was installed or used before. Call it before the first precompile runs: revm then
/// fixes its own functions for good.
pub fn install() -> bool {
    sigmill::warm_up(sigmill::CurveName::Secp256k1);
    sigmill::warm_up(sigmill::CurveName::P256);
    revm_precompile::install_crypto(SigmillCrypto)
}

impl Crypto for SigmillCrypto {
    /// Accepts any s below n, as the precompile does. Also accepts recovery ids 2 and 3, which the
    /// precompile never passes; with larger ids nothing can be recovered.
    fn secp256k1_ecrecover(
        &self,
        signature: &[u8; 64],
        recovery_id: u8,
        message: &[u8; 32],
    ) -> Result<[u8; 32], PrecompileHalt> {
        let recover = || {
            let id = RecoveryId::from_byte(recovery_id)?;
            let signature = secp256k1::Signature::from_p1363(signature)?;
            secp256k1::VerifyingKey::recover_from_prehash(message, &signature, id)
        };
        let key = recover().map_err(|_| PrecompileHalt::Secp256k1RecoverFailed)?;
        let mut word = [0; 32];
        word[12..].copy_from_slice(Address::of(&key).as_bytes());
        Ok(word)
    }

    /// EIP-7951: r and s from 1 to n - 1, coordinates below p of a point on the curve, any s.
    fn secp256r1_verify_signature(
        &self,
        message: &[u8; 32],
        signature: &[u8; 64],
        key: &[u8; 64],
    ) -> bool {
        let verify = || {
            let signature = p256::Signature::from_p1363(signature)?;
            let (x, y) = key.split_at(32);
            p256::VerifyingKey::from_coordinates(x, y)?.verify_prehash(message, &signature)
        };
        verify().is_ok()
    }
}
