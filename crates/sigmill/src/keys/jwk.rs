//! Public keys as JSON Web Keys (RFC 7517, RFC 7518 §6.2): reading and writing.

use alloc::string::String;

use super::AnyVerifyingKey;
#[cfg(doc)]
use super::VerifyingKey;
use crate::encoding::jwk;
use crate::encoding::jwk_members::JwkPoint;
use crate::encoding::key_purpose::KeyPurpose;
use crate::error::Error;

/// A public key from a JWK, on the curve that it names. [`Jwk`](crate::jose::Jwk) keeps the members
/// that describe the key, and reads a key for any purpose.
#[cfg_attr(docsrs, doc(cfg(feature = "jwk")))]
impl AnyVerifyingKey {
    /// Reads a JSON Web Key (RFC 7517, RFC 7518 §6.2): `kty` "EC", `crv`, `x` and `y`.
    ///
    /// `use`, `key_ops` and `alg`, if present, must be for [`KeyPurpose::Verify`]. No object in the
    /// key may repeat a member. Other members are skipped, including the private `d`.
    ///
    /// # Errors
    /// One of the `Jwk...` variants of [`Error`], or those of [`VerifyingKey::from_sec1_bytes`].
    pub fn from_jwk_str(jwk: &str) -> Result<Self, Error> {
        Self::from_jwk_str_for(KeyPurpose::Verify, jwk)
    }

    pub(super) fn from_jwk_str_for(purpose: KeyPurpose, jwk: &str) -> Result<Self, Error> {
        Self::from_jwk_point(&jwk::decode(purpose, jwk)?)
    }

    pub(crate) fn from_jwk_point(key: &JwkPoint) -> Result<Self, Error> {
        Self::from_sec1_bytes(key.curve(), key.sec1_bytes())
    }

    /// Writes a JSON Web Key (RFC 7517, RFC 7518 §6.2). It contains only the members that define
    /// the key, in the order of RFC 7638: the SHA-256 digest of the text is the key's thumbprint.
    /// Returns `None` on a curve that JOSE has no name for.
    #[must_use]
    pub fn to_jwk_str(&self) -> Option<String> {
        let (x, y) = self.to_coordinates();
        jwk::encode(self.curve(), &x, &y)
    }
}
