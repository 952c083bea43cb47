//! Signing with a private key as jsonwebtoken passes it: PKCS#8 in DER.

use sigmill::CurveName;
use sigmill::{p256, p384};

/// A private key, wiped on drop.
pub(crate) enum Secret {
    /// For ES256.
    P256(p256::SigningKey),
    /// For ES384.
    P384(p384::SigningKey),
}

impl Secret {
    /// Reads PKCS#8; `None` if sigmill rejects it, so that the backend must judge.
    pub(crate) fn read(curve: CurveName, der: &[u8]) -> Option<Self> {
        match curve {
            CurveName::P256 => p256::SigningKey::from_pkcs8_der(der).map(Self::P256).ok(),
            CurveName::P384 => p384::SigningKey::from_pkcs8_der(der).map(Self::P384).ok(),
            _ => None,
        }
    }

    /// Signs a message with the nonce of RFC 6979. Returns r and s, concatenated.
    pub(crate) fn sign(&self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::P256(key) => key.sign(message).to_p1363(),
            Self::P384(key) => key.sign(message).to_p1363(),
        }
    }
}
