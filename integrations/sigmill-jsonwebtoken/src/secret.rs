//! A private key as jsonwebtoken has it, PKCS#8 in DER, and how it signs.

use sigmill::CurveName;
use sigmill::{p256, p384};

/// A private key, which is wiped when it is dropped.
pub(crate) enum Secret {
    /// For ES256.
    P256(p256::SigningKey),
    /// For ES384.
    P384(p384::SigningKey),
}

impl Secret {
    /// Reads PKCS#8; `None` if it is none to us, and the backend has to judge.
    pub(crate) fn read(curve: CurveName, der: &[u8]) -> Option<Self> {
        match curve {
            CurveName::P256 => p256::SigningKey::from_pkcs8_der(der).map(Self::P256).ok(),
            CurveName::P384 => p384::SigningKey::from_pkcs8_der(der).map(Self::P384).ok(),
            _ => None,
        }
    }

    /// Signs a message, with the nonce of RFC 6979: r and s side by side.
    pub(crate) fn sign(&self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::P256(key) => key.sign(message).to_p1363(),
            Self::P384(key) => key.sign(message).to_p1363(),
        }
    }
}
