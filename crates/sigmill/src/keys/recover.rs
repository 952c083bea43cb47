//! Public keys recovered from signatures.

use alloc::vec::Vec;

use super::{AnyVerifyingKey, VerifyingKey};
use crate::curve::{Curve as _, CurveName, Domain, for_curve};
use crate::ecdsa::{Policy, Recover, RecoverMany, RecoveryId, Signature, SignatureFormat};
use crate::error::Error;

impl<C: Domain> VerifyingKey<C> {
    /// Recovers the public key for which `signature` is a signature of `digest`. The digest may
    /// have any length except 0.
    ///
    /// Every s from 1 to n - 1 is accepted; see
    /// [`recover_from_prehash_with_policy`](Self::recover_from_prehash_with_policy). A key exists
    /// for every digest and every signature for which `id` names a point, so success alone proves
    /// nothing. Compare the key, or its address, with a known one. Costs one square root, which
    /// includes an inversion, and one fresh verification.
    ///
    /// ```
    /// use sigmill::secp256k1::{SigningKey, VerifyingKey};
    ///
    /// let key = SigningKey::generate()?;
    /// let digest = sigmill::HashName::Sha256.digest(b"message");
    /// let (signature, id) = key.sign_prehash_recoverable(&digest)?;
    /// let recovered = VerifyingKey::recover_from_prehash(&digest, &signature, id)?;
    /// assert_eq!(&recovered, key.verifying_key());
    /// # Ok::<(), sigmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::DigestEmpty`], [`Error::RecoveryXOutOfRange`], [`Error::RecoveryNotOnCurve`],
    /// [`Error::RecoveredInfinity`].
    pub fn recover_from_prehash(
        digest: &[u8],
        signature: &Signature<C>,
        id: RecoveryId,
    ) -> Result<Self, Error> {
        Self::recover_from_prehash_with_policy(digest, signature, id, Policy::default())
    }

    /// [`recover_from_prehash`](Self::recover_from_prehash) under a policy:
    /// [`Policy::ETHEREUM_PRECOMPILE`] or [`Policy::ETHEREUM_TRANSACTION`] on Ethereum.
    ///
    /// # Errors
    /// Those of [`recover_from_prehash`](Self::recover_from_prehash); [`Error::HighS`] and
    /// [`Error::RecoveryIdReduced`] if the policy forbids the signature or the id.
    pub fn recover_from_prehash_with_policy(
        digest: &[u8],
        signature: &Signature<C>,
        id: RecoveryId,
        policy: Policy,
    ) -> Result<Self, Error> {
        policy.check_recoverable(signature, id)?;
        let recovered = signature.domain().curve().dispatch(Recover {
            digest,
            signature: signature.scalars(),
            id,
        });
        recovered.map(|point| Self::from_affine(signature.domain(), point))
    }
}

/// Recovery on a curve known only at run time. Signatures are passed as bytes.
impl AnyVerifyingKey {
    /// Recovers the public key on `curve` for which `signature` is a signature of `digest`; see
    /// [`VerifyingKey::recover_from_prehash`].
    ///
    /// ```
    /// use sigmill::{AnySigningKey, AnyVerifyingKey, CurveName, SignatureFormat};
    ///
    /// let (curve, format) = (CurveName::P384, SignatureFormat::P1363);
    /// let key = AnySigningKey::generate(curve)?;
    /// let (signature, id) = key.sign_prehash_recoverable(&[7; 48], format)?;
    /// let recovered =
    ///     AnyVerifyingKey::recover_from_prehash(curve, &[7; 48], &signature, format, id)?;
    /// assert_eq!(recovered, key.verifying_key());
    /// # Ok::<(), sigmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Signature::from_bytes`] and of [`VerifyingKey::recover_from_prehash`].
    pub fn recover_from_prehash(
        curve: CurveName,
        digest: &[u8],
        signature: &[u8],
        format: SignatureFormat,
        id: RecoveryId,
    ) -> Result<Self, Error> {
        let policy = Policy::default();
        Self::recover_from_prehash_with_policy(curve, digest, signature, format, id, policy)
    }

    /// [`recover_from_prehash`](Self::recover_from_prehash) under a policy; see
    /// [`VerifyingKey::recover_from_prehash_with_policy`].
    ///
    /// # Errors
    /// Those of [`recover_from_prehash`](Self::recover_from_prehash), [`Error::HighS`] and
    /// [`Error::RecoveryIdReduced`].
    pub fn recover_from_prehash_with_policy(
        curve: CurveName,
        digest: &[u8],
        signature: &[u8],
        format: SignatureFormat,
        id: RecoveryId,
        policy: Policy,
    ) -> Result<Self, Error> {
        for_curve!(curve, domain => {
            let signature = Signature::from_bytes_on(domain, signature, format)?;
            VerifyingKey::recover_from_prehash_with_policy(digest, &signature, id, policy)
                .map(Self::from)
        })
    }
}

/// Recovers many public keys: `keys[i]` becomes the result of the single call for `rows[i]`, a
/// public key or an error.
///
/// Computes eight rows at once if the CPU has AVX-512 IFMA: roots by powers in lanes, and
/// inversions that some thousand rows share. Variable time: for public values only.
#[must_use]
pub fn recover_many_vartime<C: Domain>(
    domain: C,
    rows: &[Recover<'_, C::Curve>],
) -> Vec<Result<VerifyingKey<C>, Error>> {
    let points = domain.curve().dispatch_lanes(RecoverMany { rows });
    let key = |point: Result<_, _>| point.map(|point| VerifyingKey::from_affine(domain, point));
    points.into_iter().map(key).collect()
}
