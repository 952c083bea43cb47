//! Friendly signatures: r alone determines R.
//!
//! If (r, s) is a signature of a message, then (r, n - s) is another one, and its R is the negative
//! of the first R. One of the two has an R with an even y. If also x(R) = r, then r determines R,
//! and verification needs less time without any hint (Struik, *Fast ECDSA signature verification*,
//! 2005). x(R) = r holds except for one signature in about 2^128 on P-256 and similar curves.

use super::{RecoveryId, Signature};
use crate::curve::Domain;
use crate::error::Error;

impl RecoveryId {
    /// The id of a friendly signature: y(R) is even and x(R) = r.
    pub const FRIENDLY: Self = Self::new(false, false);

    /// Reports whether a signature with this id is friendly.
    #[must_use]
    pub const fn is_friendly(self) -> bool {
        self.to_byte() == Self::FRIENDLY.to_byte()
    }
}

impl<C: Domain> Signature<C> {
    /// Returns the friendly one of (r, s) and (r, n - s), for a signature whose recovery id is
    /// known: s if y(R) is even, n - s otherwise.
    ///
    /// With another id, the result is equally valid, but not friendly. The friendly s is as likely
    /// to be the higher as the lower one, so friendly signatures break low-s rules half of the
    /// time. [`normalize_s`](Self::normalize_s) is the way back.
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
    /// [`Error::CannotBeFriendly`] if x(R) = r + n: neither of the two is friendly.
    pub fn to_friendly(self, id: RecoveryId) -> Result<Self, Error> {
        if id.is_x_reduced() {
            return Err(Error::CannotBeFriendly);
        }
        Ok(if id.is_y_odd() { self.negate_s() } else { self })
    }
}
