//! r, s and v, one after the other.

use crate::curve::Secp256k1;
use crate::ecdsa::{RecoveryId, Signature};
use crate::error::Error;

/// v of a signature whose point R has an even y, as `eth_sign` and the precompiled contract
/// `ecrecover` have it.
const EVEN: u8 = 27;

/// Reads a signature with its recovery id: r and s as 32 bytes each, big-endian, and the byte v, which is
/// the recovery id itself, 0 to 3, or 27 for 0 and 28 for 1 ([`Signature::from_rsv`]).
///
/// # Errors
/// [`Error::RecoverableSignatureLength`], [`Error::RecoveryByteOutOfRange`], and of r and s
/// [`Error::RZero`], [`Error::ROutOfRange`], [`Error::SZero`], [`Error::SOutOfRange`].
pub fn signature_from_bytes(bytes: &[u8]) -> Result<(Signature<Secp256k1>, RecoveryId), Error> {
    Signature::from_rsv(bytes)
}

/// Writes r, s and v as wallets and contracts expect them, with v = 27 or 28: 65 bytes.
///
/// With the ids 2 and 3, where r + n is x(R), v is 2 or 3: Ethereum has no v for them. No more than one
/// signature in 2^127 has them.
#[must_use]
pub fn signature_to_bytes(signature: &Signature<Secp256k1>, id: RecoveryId) -> [u8; 65] {
    let mut bytes = [0; 65];
    bytes[..64].copy_from_slice(&signature.to_p1363());
    bytes[64] = if id.is_x_reduced() { 0 } else { EVEN } + id.to_byte();
    bytes
}
