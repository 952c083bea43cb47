//! Verification with a public key as jsonwebtoken passes it: unchecked bytes.

use sigmill::bulk::{Input, Row};
use sigmill::{Algorithm, AnyVerifyingKey, Error, SignatureFormat};

use crate::engine::engine;

/// The longest point: an uncompressed one of P-384.
const MAX_LEN: usize = 97;

/// True if the backend parses a key when it creates a verifier. Then a malformed key is
/// `InvalidEcdsaKey`. AWS-LC parses it during verification, and returns `InvalidSignature`.
const IS_READ_EARLY: bool = cfg!(not(feature = "aws_lc_rs"));

/// Bytes with the length and the first byte of a SEC 1 point.
pub(crate) struct Point {
    algorithm: Algorithm,
    bytes: [u8; MAX_LEN],
    len: usize,
}

impl Point {
    /// The key for ES256 or ES384 as a point; `None` for other bytes. The backend must judge those,
    /// since AWS-LC also accepts SubjectPublicKeyInfo.
    pub(crate) fn new(algorithm: Algorithm, key: &[u8]) -> Option<Self> {
        let curve = algorithm.curve;
        let expected = match key.first()? {
            2 | 3 => 1 + curve.field_len(),
            4 => 1 + 2 * curve.field_len(),
            _ => return None,
        };
        if key.len() != expected {
            return None;
        }
        if IS_READ_EARLY {
            AnyVerifyingKey::from_sec1_bytes(curve, key).ok()?;
        }
        let mut bytes = [0; MAX_LEN];
        bytes.get_mut(..expected)?.copy_from_slice(key);
        Some(Self {
            algorithm,
            bytes,
            len: expected,
        })
    }

    /// Verifies a signature of a message: r and s, concatenated. A frequent key has a table.
    pub(crate) fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        engine().verify_row(&Row::new(
            self.algorithm,
            &self.bytes[..self.len],
            Input::Message(message),
            signature,
            SignatureFormat::P1363,
        ))
    }
}
