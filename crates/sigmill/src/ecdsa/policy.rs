//! Rules that a verifier checks in addition to the equation.

use super::{RecoveryId, Signature};
use crate::curve::Domain;
use crate::error::Error;

/// The rule for s: whether s may be above n/2, or must be the friendly one.
///
/// If (r, s) is a signature of a message, then (r, n - s) is another one. Bitcoin and some ledgers
/// accept only the lower s, so that a signature has one form. Most others accept both, and much
/// hardware emits both. A friendly signature has one form too, but a different one: its choice
/// between s and n - s is unrelated to which is lower. So this is one choice of three, and no
/// policy requires both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LowS {
    /// Every s from 1 to n - 1 is accepted.
    #[default]
    Optional,
    /// s above n/2 is rejected with [`Error::HighS`].
    Required,
    /// Only the friendly one of s and n - s is accepted, low or high. It is the one for which R has
    /// an even y and x(R) = r. A valid signature with another R is rejected with
    /// [`Error::NotFriendly`]. Verification with a fresh key then knows R from r, and needs less
    /// time.
    ///
    /// Keys sign so at no cost. [`Signature::to_friendly`] converts existing signatures.
    Friendly,
}

/// The recovery ids that are accepted when a public key is recovered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecoveryIds {
    /// All four.
    #[default]
    All,
    /// 0 and 1, which only state whether y(R) is odd. 2 and 3 (r = x(R) - n) are rejected with
    /// [`Error::RecoveryIdReduced`]. Ethereum has only 0 and 1: 27 and 28 as v, or `yParity`.
    ParityOnly,
}

/// The rules of a verifier, for one call or for all calls of an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Policy {
    /// The rule for s: any s, s up to n/2, or the friendly s. By default any s is accepted.
    pub low_s: LowS,
    /// The recovery ids that are accepted; by default all. No effect if no id is given.
    pub recovery_ids: RecoveryIds,
    /// If true, an engine may judge rows that have hints, or friendly rows, by batches with random
    /// weights. False by default. See [`with_batch`](Self::with_batch).
    pub batch: bool,
}

impl Policy {
    /// The policy that accepts only s up to n/2.
    pub const LOW_S: Self = Self {
        low_s: LowS::Required,
        recovery_ids: RecoveryIds::All,
        batch: false,
    };

    /// The policy that accepts only friendly signatures.
    pub const FRIENDLY: Self = Self {
        low_s: LowS::Friendly,
        recovery_ids: RecoveryIds::All,
        batch: false,
    };

    /// The policy of Ethereum's precompiled contract `ecrecover`: every s from 1 to n - 1, which
    /// EIP-2 left unchanged, and the recovery ids 0 and 1, given as v = 27 and 28.
    pub const ETHEREUM_PRECOMPILE: Self = Self {
        low_s: LowS::Optional,
        recovery_ids: RecoveryIds::ParityOnly,
        batch: false,
    };

    /// The policy of Ethereum transactions since Homestead: s up to n/2 (EIP-2), and the recovery
    /// id 0 or 1.
    pub const ETHEREUM_TRANSACTION: Self = Self {
        low_s: LowS::Required,
        recovery_ids: RecoveryIds::ParityOnly,
        batch: false,
    };

    /// The same policy with another rule for s.
    #[must_use]
    pub const fn with_low_s(mut self, low_s: LowS) -> Self {
        self.low_s = low_s;
        self
    }

    /// The same policy with other recovery ids.
    #[must_use]
    pub const fn with_recovery_ids(mut self, recovery_ids: RecoveryIds) -> Self {
        self.recovery_ids = recovery_ids;
        self
    }

    /// The same policy, with or without batches with random weights.
    ///
    /// If `true`, [`Engine::verify`](crate::bulk::Engine::verify) may judge many rows that have
    /// [hints](crate::bulk::Rows::hints) at once, by one equation with random weights of 128 bits.
    /// The weights come from a generator that the operating system seeds for each equation. This
    /// needs a fraction of the time. With [`LowS::Friendly`], it may judge rows without hints in
    /// this way too, because the rule itself determines the point R, as a hint does. An invalid row
    /// then passes as valid with a probability of at most 2^-120, whoever created it. A valid row
    /// is never rejected (`docs/batch.md`). If batches fail so often that they do not pay, an
    /// engine pauses them. Calls for one signature never use batches.
    #[must_use]
    pub const fn with_batch(mut self, batch: bool) -> Self {
        self.batch = batch;
        self
    }

    /// Checks that a signature and its recovery id obey the policy.
    ///
    /// # Errors
    /// [`Error::HighS`], [`Error::RecoveryIdReduced`], [`Error::NotFriendly`].
    pub(crate) fn check_recoverable<C: Domain>(
        self,
        signature: &Signature<C>,
        id: RecoveryId,
    ) -> Result<(), Error> {
        self.check_form(signature, id)?;
        if self.recovery_ids == RecoveryIds::ParityOnly && id.is_x_reduced() {
            return Err(Error::RecoveryIdReduced);
        }
        Ok(())
    }

    /// Checks that the policy accepts s, for a signature whose R is known.
    ///
    /// # Errors
    /// [`Error::HighS`], [`Error::NotFriendly`].
    pub(crate) fn check_form<C: Domain>(
        self,
        signature: &Signature<C>,
        id: RecoveryId,
    ) -> Result<(), Error> {
        self.check(signature)?;
        if self.low_s == LowS::Friendly && !id.is_friendly() {
            return Err(Error::NotFriendly);
        }
        Ok(())
    }

    /// Reports whether s or n - s obeys the policy if R has this id. If not, a signer takes another
    /// nonce.
    #[cfg(feature = "signing")]
    pub(crate) fn can_take(self, id: RecoveryId) -> bool {
        self.low_s != LowS::Friendly || !id.is_x_reduced()
    }

    /// Returns the one of (r, s) and (r, n - s) that obeys the policy, with its id; (r, s) if both
    /// do.
    #[cfg(feature = "signing")]
    pub(crate) fn take_form<C: Domain>(
        self,
        signature: Signature<C>,
        id: RecoveryId,
    ) -> (Signature<C>, RecoveryId) {
        debug_assert!(self.can_take(id));
        let other = match self.low_s {
            LowS::Optional => false,
            LowS::Required => signature.is_high_s(),
            LowS::Friendly => id.is_y_odd(),
        };
        if other {
            // n - s belongs to -R.
            (signature.negate_s(), id.negate_if(true))
        } else {
            (signature, id)
        }
    }

    /// Checks the rules that r and s alone decide. A friendly signature is not checked for: that
    /// depends on R.
    ///
    /// # Errors
    /// [`Error::HighS`].
    pub(crate) fn check<C: Domain>(self, signature: &Signature<C>) -> Result<(), Error> {
        if self.low_s == LowS::Required && signature.is_high_s() {
            return Err(Error::HighS);
        }
        Ok(())
    }
}
