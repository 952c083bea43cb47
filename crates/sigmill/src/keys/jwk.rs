//! Public keys as JSON Web Keys (RFC 7517, RFC 7518 §6.2): reading and writing.

use alloc::string::String;

use serde_json::Value;

use super::any::VerifyingKeyKind;
use super::kinds::for_any;
use super::verifying_key::on_curve;
use super::{AnyVerifyingKey, VerifyingKey};
use crate::curve::NamedCurve;
use crate::encoding::jwk;
use crate::encoding::jwk_members::{JwkPoint, Members};
use crate::encoding::key_purpose::KeyPurpose;
use crate::error::Error;

/// A public key from a JWK. The curve must be `C`.
#[cfg_attr(docsrs, doc(cfg(feature = "jwk")))]
impl<C: NamedCurve + Default> VerifyingKey<C> {
    /// Reads a JSON Web Key (RFC 7517, RFC 7518 §6.2): `kty` "EC", `crv`, `x` and `y`.
    ///
    /// `use`, `key_ops` and `alg`, if present, must be for [`KeyPurpose::Verify`]. No object in the
    /// key may repeat a member. Other members are skipped, including the private `d`.
    /// [`Jwk`](crate::jose::Jwk) keeps the members that describe the key.
    ///
    /// # Errors
    /// One of the `Jwk...` variants of [`Error`], [`Error::KeyCurveMismatch`], or those of
    /// [`from_sec1_bytes`](Self::from_sec1_bytes).
    pub fn from_jwk_str(jwk: &str) -> Result<Self, Error> {
        Self::from_jwk_str_for(KeyPurpose::Verify, jwk)
    }

    /// [`from_jwk_str`](Self::from_jwk_str) of a key for `purpose`.
    ///
    /// # Errors
    /// Those of [`from_jwk_str`](Self::from_jwk_str).
    pub fn from_jwk_str_for(purpose: KeyPurpose, jwk: &str) -> Result<Self, Error> {
        Self::from_jwk_point(&jwk::decode(purpose, jwk)?)
    }

    /// [`from_jwk_str`](Self::from_jwk_str) of parsed JSON. Parsed JSON does not show whether a
    /// member was repeated, so read a key from elsewhere from its text.
    ///
    /// # Errors
    /// Those of [`from_jwk_str`](Self::from_jwk_str) except [`Error::JwkMemberTwice`].
    pub fn from_jwk_value(jwk: &Value) -> Result<Self, Error> {
        Self::from_jwk_point(&Members::of_value(jwk)?.point(Some(KeyPurpose::Verify))?)
    }

    fn from_jwk_point(key: &JwkPoint) -> Result<Self, Error> {
        on_curve(C::default(), key.curve())?;
        Self::from_sec1_bytes(key.sec1_bytes())
    }
}

#[cfg_attr(docsrs, doc(cfg(feature = "jwk")))]
impl<C: NamedCurve> VerifyingKey<C> {
    /// Writes a JSON Web Key (RFC 7517, RFC 7518 §6.2). It contains only the members that define
    /// the key, in the order of RFC 7638: the SHA-256 digest of the text is the key's thumbprint.
    /// Returns `None` on a curve that JOSE has no name for.
    #[must_use]
    pub fn to_jwk_str(&self) -> Option<String> {
        let (x, y) = self.to_coordinates();
        jwk::encode(self.domain().name(), &x, &y)
    }
}

/// A public key from a JWK, on the curve that it names.
#[cfg_attr(docsrs, doc(cfg(feature = "jwk")))]
impl AnyVerifyingKey {
    /// Reads a JSON Web Key that is for [`KeyPurpose::Verify`].
    ///
    /// # Errors
    /// Those of [`VerifyingKey::from_jwk_str`].
    pub fn from_jwk_str(jwk: &str) -> Result<Self, Error> {
        Self::from_jwk_str_for(KeyPurpose::Verify, jwk)
    }

    /// [`from_jwk_str`](Self::from_jwk_str) of a key for `purpose`.
    ///
    /// # Errors
    /// Those of [`VerifyingKey::from_jwk_str`].
    pub fn from_jwk_str_for(purpose: KeyPurpose, jwk: &str) -> Result<Self, Error> {
        Self::from_jwk_point(&jwk::decode(purpose, jwk)?)
    }

    /// [`from_jwk_str`](Self::from_jwk_str) of parsed JSON; see [`VerifyingKey::from_jwk_value`].
    ///
    /// ```
    /// use sigmill::{AnyVerifyingKey, CurveName};
    ///
    /// let value = serde_json::json!({
    ///     "kty": "EC", "crv": "P-256",
    ///     "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    ///     "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
    /// });
    /// assert_eq!(AnyVerifyingKey::from_jwk_value(&value)?.curve(), CurveName::P256);
    /// # Ok::<(), sigmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`VerifyingKey::from_jwk_value`].
    pub fn from_jwk_value(jwk: &Value) -> Result<Self, Error> {
        Self::from_jwk_point(&Members::of_value(jwk)?.point(Some(KeyPurpose::Verify))?)
    }

    pub(crate) fn from_jwk_point(key: &JwkPoint) -> Result<Self, Error> {
        Self::from_sec1_bytes(key.curve(), key.sec1_bytes())
    }

    /// Writes a JSON Web Key; see [`VerifyingKey::to_jwk_str`].
    #[must_use]
    pub fn to_jwk_str(&self) -> Option<String> {
        for_any!(VerifyingKeyKind, self, key => key.to_jwk_str())
    }
}
