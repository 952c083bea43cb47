//! Recovery of the public key from a signature, step by step (SEC 1 §4.1.6).

use super::{
    AnyVerifyingKey, Policy, RecoveryId, Signature, SignatureFormat, SignatureScalars,
    VerifyingKey, hint,
};
use crate::curve::{
    AffinePoint, BaseField, CompressedPoint, Curve, CurveName, Domain, Group, Operation,
    ScalarField, for_curve,
};
use crate::error::Error;
use crate::multiply::decompressed_double_base_mul_vartime;
use crate::scalar;

/// One public key to recover. The policy is checked elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Recover<'a, C: Curve> {
    /// The digest of the message, any length but 0.
    pub digest: &'a [u8],
    /// The signature.
    pub signature: &'a SignatureScalars<C::Integer>,
    /// The id of R among the points that r allows.
    pub id: RecoveryId,
}

impl<C: Curve> Recover<'_, C> {
    /// Step 1.1: x = r + j n, where j is 0 or 1, as an element of the field.
    #[inline(always)]
    pub(super) fn x<F: BaseField<C>, S: ScalarField<C>>(
        &self,
        base: F,
        order: S,
    ) -> Result<C::BaseElement, Error> {
        let x = hint::x_vartime(base, order, *self.signature.r(), self.id.is_x_reduced());
        x.ok_or(Error::RecoveryXOutOfRange)
    }
}

impl<C: Curve> Operation<C> for Recover<'_, C> {
    type Output = Result<AffinePoint<C::BaseElement>, Error>;

    #[inline(always)]
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, order: S) -> Self::Output {
        // Step 1.5: e from the digest.
        if self.digest.is_empty() {
            return Err(Error::DigestEmpty);
        }
        let e = scalar::integer_from_digest(order, self.digest);
        // Steps 1.1 to 1.4: R. The order of the group is prime, so n R is infinity.
        let group = Group::new(curve, base);
        let point = CompressedPoint {
            x: self.x(base, order)?,
            y_is_odd: self.id.is_y_odd(),
        };
        // Step 1.6.1: Q = r^-1 (s R - e G). As integers, e, r and s are divided by the constant of
        // the Montgomery form.
        let element = |integer| order.from_integer_over_r(integer);
        let Some(w) = order.invert_vartime(&element(self.signature.r())) else {
            return Err(Error::RZero);
        };
        let u1 = order.to_integer(&order.negate(&order.mul(&element(&e), &w)));
        let u2 = order.to_integer(&order.mul(&element(self.signature.s()), &w));
        let q = decompressed_double_base_mul_vartime(&group, u1.as_ref(), &point, &u2);
        let q = q.ok_or(Error::RecoveryNotOnCurve)?;
        // Step 1.6.2: the signature is valid for Q, because R = e/s G + r/s Q by construction.
        group.to_affine_vartime(&q).ok_or(Error::RecoveredInfinity)
    }
}

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
