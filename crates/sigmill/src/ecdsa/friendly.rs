//! Friendly signatures: those that name R by r alone.
//!
//! With (r, s) also (r, n - s) is a signature of the same message, and its R is the negative of the
//! other's. One of the two has an R with an even y. If also x(R) = r, as it is but for one
//! signature in about 2^128 on P-256 and its like, who has r has R, and verifies in less time
//! without any hint (Struik, *Fast ECDSA signature verification*, 2005).

use super::{RecoveryId, Signature, VerifyingKey};
use crate::curve::Domain;
use crate::error::Error;

impl RecoveryId {
    /// That of a friendly signature: y(R) is even and x(R) = r.
    pub const FRIENDLY: Self = Self::new(false, false);

    /// Whether a signature with this id is friendly.
    #[must_use]
    pub const fn is_friendly(self) -> bool {
        self.to_byte() == Self::FRIENDLY.to_byte()
    }
}

impl<C: Domain> Signature<C> {
    /// The friendly one of (r, s) and (r, n - s), for a signature whose recovery id is known:
    /// s where y(R) is even, else n - s.
    ///
    /// An id that is not the signature's gives a signature that is as valid, but not friendly.
    /// Which of the two has the lower s is a coin toss, so a friendly signature breaks low-s rules
    /// half of the time; [`normalize_s`](Self::normalize_s) is the way back.
    ///
    /// ```
    /// use sigmill::p256::SigningKey;
    /// use sigmill::{Policy, RecoveryId};
    ///
    /// let key = SigningKey::generate()?;
    /// let (signature, id) = key.sign_prehash_recoverable(&[7; 32])?;
    /// let friendly = signature.to_friendly(id)?;
    /// let key = key.verifying_key();
    /// key.verify_prehash_with_policy(&[7; 32], &friendly, Policy::FRIENDLY)?;
    /// assert_eq!(key.to_friendly_prehash(&[7; 32], &signature)?, friendly);
    /// # Ok::<(), sigmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::CannotBeFriendly`] where x(R) = r + n: neither of the two is friendly.
    pub fn to_friendly(self, id: RecoveryId) -> Result<Self, Error> {
        if id.is_x_reduced() {
            return Err(Error::CannotBeFriendly);
        }
        Ok(if id.is_y_odd() { self.negate_s() } else { self })
    }
}

impl<C: Domain> VerifyingKey<C> {
    /// The friendly one of (r, s) and (r, n - s), of a signature of this digest by this key: one
    /// verification, then what [`Signature::to_friendly`] does.
    ///
    /// # Errors
    /// [`Error::SignatureMismatch`], [`Error::DigestEmpty`]; [`Error::CannotBeFriendly`] where
    /// x(R) = r + n.
    pub fn to_friendly_prehash(
        &self,
        digest: &[u8],
        signature: &Signature<C>,
    ) -> Result<Signature<C>, Error> {
        signature.to_friendly(self.verify_prehash_recoverable(digest, signature)?)
    }
}
