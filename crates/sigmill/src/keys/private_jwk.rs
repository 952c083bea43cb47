//! Private keys as JSON Web Keys (RFC 7517, RFC 7518 §6.2.2): reading and writing.

use alloc::string::String;

use zeroize::Zeroizing;

use super::kinds::for_any;
use super::{AnySigningKey, SigningKey, SigningKeyKind};
#[cfg(doc)]
use super::{AnyVerifyingKey, VerifyingKey};
use crate::ct;
use crate::curve::for_curve;
use crate::encoding::jwk;
use crate::encoding::key_purpose::KeyPurpose;
use crate::error::Error;

/// A private key from a JWK, on the curve that it names.
#[cfg_attr(docsrs, doc(cfg(feature = "jwk")))]
impl AnySigningKey {
    /// Reads a private JSON Web Key (RFC 7517, RFC 7518 §6.2.2): the members of the public key,
    /// and `d`.
    ///
    /// `d` is base64url of exactly the number of bytes of the order, from 1 to n - 1. x and y must
    /// belong to it. `use`, `key_ops` and `alg`, if present, must be for [`KeyPurpose::Sign`]. No
    /// object in the key may repeat a member.
    ///
    /// Computes the public key. Everything derived from `d` is wiped; the text is the caller's.
    ///
    /// ```
    /// use sigmill::{AnySigningKey, CurveName};
    ///
    /// // RFC 7515 §A.3.1.
    /// let key = AnySigningKey::from_jwk_str(
    ///     r#"{"kty":"EC",
    ///         "crv":"P-256",
    ///         "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    ///         "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    ///         "d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"
    ///        }"#,
    /// )?;
    /// assert_eq!(key.curve(), CurveName::P256);
    /// let jwk = key.to_jwk_str().expect("JOSE has a name for P-256");
    /// assert_eq!(AnySigningKey::from_jwk_str(&jwk)?, key);
    /// # Ok::<(), sigmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// One of the `Jwk...` variants of [`Error`], those of [`from_be_bytes`](Self::from_be_bytes)
    /// for `d` and of [`VerifyingKey::from_sec1_bytes`] for x and y;
    /// [`Error::PrivateKeyPublicMismatch`].
    pub fn from_jwk_str(jwk: &str) -> Result<Self, Error> {
        Self::from_jwk_str_for(KeyPurpose::Sign, jwk)
    }

    /// [`from_jwk_str`](Self::from_jwk_str) of a key for `purpose`. [`KeyPurpose::Agree`] is for
    /// ECDH keys.
    ///
    /// # Errors
    /// Those of [`from_jwk_str`](Self::from_jwk_str).
    pub fn from_jwk_str_for(purpose: KeyPurpose, jwk: &str) -> Result<Self, Error> {
        ct::wiping_stack(ct::Depth::Many, || {
            let jwk = jwk::decode_private(purpose, jwk)?;
            let key = jwk.private_key();
            for_curve!(key.curve, domain => SigningKey::from_decoded(domain, &key).map(Self::wrap))
        })
    }

    /// Writes a private JSON Web Key: only the members of [`AnyVerifyingKey::to_jwk_str`] and `d`.
    /// Wiped when dropped. Returns `None` on a curve that JOSE has no name for.
    #[must_use]
    pub fn to_jwk_str(&self) -> Option<Zeroizing<String>> {
        let (x, y) = self.verifying_key().to_coordinates();
        ct::wiping_stack(ct::Depth::Shallow, || {
            let secret = for_any!(SigningKeyKind, self, key => key.secret_scalar().octets());
            jwk::encode_private(self.curve(), &secret, &x, &y)
        })
    }
}
