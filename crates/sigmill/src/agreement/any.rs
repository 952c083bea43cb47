//! ECDH with keys whose curve is known at run time only.

use super::ecdh::{Form, SharedSecret, agree};
#[cfg(doc)]
use super::{diffie_hellman, diffie_hellman_sha256};
use crate::ecdsa::{AnySigningKey, AnyVerifyingKey, OfKind as _, SigningKeyKind, for_any};
use crate::error::Error;

/// Agreement (ECDH), by the private key that signs.
impl AnySigningKey {
    /// The secret shared with who holds the private key to `peer`; see
    /// [`agreement::diffie_hellman`](diffie_hellman).
    ///
    /// ```
    /// use sigmill::{AnySigningKey, CurveName};
    ///
    /// let alice = AnySigningKey::generate(CurveName::P256)?;
    /// let bob = AnySigningKey::generate(CurveName::P256)?;
    /// let shared = alice.diffie_hellman(&bob.verifying_key())?;
    /// assert_eq!(shared, bob.diffie_hellman(&alice.verifying_key())?);
    /// # Ok::<(), sigmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::KeyCurveMismatch`] where `peer` is on another curve than this key.
    pub fn diffie_hellman(&self, peer: &AnyVerifyingKey) -> Result<SharedSecret, Error> {
        self.agree(peer, Form::X)
    }

    /// SHA-256 of the compressed shared point; see
    /// [`agreement::diffie_hellman_sha256`](diffie_hellman_sha256).
    ///
    /// # Errors
    /// [`Error::KeyCurveMismatch`] where `peer` is on another curve than this key.
    pub fn diffie_hellman_sha256(&self, peer: &AnyVerifyingKey) -> Result<SharedSecret, Error> {
        self.agree(peer, Form::Sha256OfPoint)
    }

    fn agree(&self, peer: &AnyVerifyingKey, form: Form) -> Result<SharedSecret, Error> {
        let (expected, actual) = (self.curve(), peer.curve());
        for_any!(SigningKeyKind, self, key => {
            let peer = peer.of_kind().filter(|_| actual == expected);
            let peer = peer.ok_or(Error::KeyCurveMismatch { expected, actual })?;
            Ok(agree(key.secret_scalar(), peer, form))
        })
    }
}
