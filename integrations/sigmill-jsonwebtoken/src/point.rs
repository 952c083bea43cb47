//! A public key as jsonwebtoken has it, bytes that nobody has looked at, and how it verifies.

use sigmill::bulk::{Input, Row};
use sigmill::{Algorithm, AnyVerifyingKey, Error, SignatureFormat};

use crate::engine::engine;

/// The longest point: an uncompressed one of P-384.
const MAX_LEN: usize = 97;

/// Whether the backend reads a key when a verifier is made, so that a malformed one is
/// `InvalidEcdsaKey`; AWS-LC does so when it verifies, and there it is `InvalidSignature`.
const IS_READ_EARLY: bool = cfg!(not(feature = "aws_lc_rs"));

/// What has the length and the first byte of a SEC 1 point.
pub(crate) struct Point {
    algorithm: Algorithm,
    bytes: [u8; MAX_LEN],
    len: usize,
}

impl Point {
    /// The point that the bytes of a key for ES256 or ES384 are; `None` if they are something
    /// else, which the backend has to judge: AWS-LC takes SubjectPublicKeyInfo, too.
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

    /// Judges a signature, r and s side by side, of a message. A key that comes often has a table.
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
