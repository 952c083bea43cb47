//! Rules that a verifier checks in addition to the equation.

use super::{RecoveryId, Signature};
use crate::curve::Domain;
use crate::error::Error;

/// The rule for s. The friendly s is unrelated to which of s and n - s is lower, so this is one
/// choice of three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum LowS {
    #[default]
    Optional,
    Required,
    Friendly,
}

/// The recovery ids that are accepted when a public key is recovered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum RecoveryIds {
    /// All four.
    #[default]
    All,
    /// 0 and 1, which only state whether y(R) is odd.
    ParityOnly,
}

/// The rules of a verifier, for one call or for all calls of an engine. By default, every s from 1
/// to n - 1 and every recovery id is accepted.
///
/// If (r, s) is a signature of a message, then (r, n - s) is another one. Bitcoin and some ledgers
/// accept only the lower s, so that a signature has one form. Most others accept both, and much
/// hardware emits both. A friendly signature has one form too, but a different one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Policy {
    pub(crate) low_s: LowS,
    /// The recovery ids that are accepted. No effect if no id is given.
    recovery_ids: RecoveryIds,
    pub(crate) batch: bool,
}

impl Policy {
    /// The policy that accepts only s up to n/2. It rejects others with [`Error::HighS`].
    pub const LOW_S: Self = Self {
        low_s: LowS::Required,
        recovery_ids: RecoveryIds::All,
        batch: false,
    };

    /// The policy that accepts only the friendly one of s and n - s, low or high: the one for which
    /// R has an even y and x(R) = r. It rejects a valid signature with another R with
    /// [`Error::NotFriendly`].
    ///
    /// r alone determines the R of a friendly signature, so verification with a fresh key needs
    /// less time without any hint (Struik, *Fast ECDSA signature verification*, 2005). x(R) = r
    /// holds except for one signature in about 2^128 on P-256 and similar curves. Keys sign so at
    /// no cost. [`Signature::to_friendly`] converts existing signatures.
    pub const FRIENDLY: Self = Self {
        low_s: LowS::Friendly,
        recovery_ids: RecoveryIds::All,
        batch: false,
    };

    /// The policy of Ethereum's precompiled contract `ecrecover`: every s from 1 to n - 1, which
    /// EIP-2 left unchanged, and the recovery ids 0 and 1, given as v = 27 and 28. It rejects 2 and
    /// 3 with [`Error::RecoveryIdReduced`].
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

    /// The same policy, with or without batches with random weights.
    ///
    /// If `true`, [`Engine::verify`](crate::bulk::Engine::verify) may judge many rows that have
    /// [hints](crate::bulk::Rows::hints) at once, by one equation with random weights of 128 bits.
    /// The weights come from a generator that the operating system seeds for each equation. This
    /// needs a fraction of the time. With [`FRIENDLY`](Self::FRIENDLY), it may judge rows without
    /// hints in this way too, because the rule itself determines the point R, as a hint does. An
    /// invalid row then passes as valid with a probability of at most 2^-120, whoever created it. A
    /// valid row is never rejected (`docs/batch.md`). If batches fail so often that they do not
    /// pay, an engine pauses them. Calls for one signature never use batches.
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
