//! ECDH with keys whose curve is known only at run time.

use alloc::vec::Vec;

use super::diffie_hellman_many;
use super::ecdh::{Form, SharedSecret, agree};
#[cfg(doc)]
use super::{diffie_hellman, diffie_hellman_sha256};
use crate::curve::{CurveName, Domain, for_curve};
use crate::error::Error;
use crate::keys::{
    AnySigningKey, AnyVerifyingKey, OfKind, SigningKey, SigningKeyKind, VerifyingKey, for_any,
};

/// Key agreement (ECDH) with the private key that signs.
impl AnySigningKey {
    /// Returns the secret shared with the holder of the private key to `peer`; see
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
    /// Returns [`Error::KeyCurveMismatch`] if `peer` is on another curve than this key.
    pub fn diffie_hellman(&self, peer: &AnyVerifyingKey) -> Result<SharedSecret, Error> {
        self.agree(peer, Form::X)
    }

    /// Returns SHA-256 of the compressed shared point; see
    /// [`agreement::diffie_hellman_sha256`](diffie_hellman_sha256).
    ///
    /// # Errors
    /// Returns [`Error::KeyCurveMismatch`] if `peer` is on another curve than this key.
    pub fn diffie_hellman_sha256(&self, peer: &AnyVerifyingKey) -> Result<SharedSecret, Error> {
        self.agree(peer, Form::Sha256OfPoint)
    }

    /// Returns [`diffie_hellman`](Self::diffie_hellman) of every row, in order, on any curves; see
    /// [`agreement::diffie_hellman_many`](diffie_hellman_many).
    ///
    /// ```
    /// use sigmill::{AnySigningKey, CurveName};
    ///
    /// let keys = [CurveName::P256, CurveName::P384].map(AnySigningKey::generate);
    /// let [ours, other] = keys;
    /// let (ours, other) = (ours?, other?);
    /// let peers = [ours.verifying_key(), other.verifying_key()];
    /// let shared = AnySigningKey::diffie_hellman_many(&[(&ours, &peers[0]), (&ours, &peers[1])]);
    /// assert_eq!(shared[0], ours.diffie_hellman(&peers[0]));
    /// assert!(shared[1].is_err());
    /// # Ok::<(), sigmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// For each row: [`Error::KeyCurveMismatch`].
    #[must_use]
    pub fn diffie_hellman_many(
        rows: &[(&Self, &AnyVerifyingKey)],
    ) -> Vec<Result<SharedSecret, Error>> {
        let mismatch = |(key, peer): &(&Self, &AnyVerifyingKey)| {
            let (expected, actual) = (key.curve(), peer.curve());
            Err(Error::KeyCurveMismatch { expected, actual })
        };
        // Each row whose keys are on one curve is replaced below.
        let mut shared: Vec<_> = rows.iter().map(mismatch).collect();
        for &curve in CurveName::ALL {
            for_curve!(curve, domain => Self::agree_on(domain, rows, &mut shared));
        }
        shared
    }

    /// Computes the rows whose keys are both on one curve.
    fn agree_on<C: Domain>(
        domain: C,
        rows: &[(&Self, &AnyVerifyingKey)],
        shared: &mut [Result<SharedSecret, Error>],
    ) where
        Self: OfKind<SigningKey<C>>,
        AnyVerifyingKey: OfKind<VerifyingKey<C>>,
    {
        let (mut places, mut of_curve) = (Vec::new(), Vec::new());
        for (place, (key, peer)) in rows.iter().enumerate() {
            if let (Some(key), Some(peer)) = (key.on(domain), peer.on(domain)) {
                places.push(place);
                of_curve.push((key.secret_scalar(), peer));
            }
        }
        for (place, secret) in places.into_iter().zip(diffie_hellman_many(&of_curve)) {
            shared[place] = Ok(secret);
        }
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
