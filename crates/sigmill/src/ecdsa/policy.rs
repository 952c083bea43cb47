//! What a verifier accepts beyond the equation, and how signatures are written.

use core::fmt;
use core::str::FromStr;

use super::{RecoveryId, Signature};
use crate::curve::Domain;
use crate::error::Error;

/// Which s are accepted: whether s may be above n/2.
///
/// With (r, s) also (r, n - s) is a signature of the same message. Bitcoin and some ledgers accept
/// only the lower s, so that a signature has one form; most others accept both, and much hardware
/// emits both. Friendly signatures have one form too, another one: which of the two s it takes has
/// nothing to do with which is lower. So there is one choice of three, and no policy asks for both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LowS {
    /// Every s from 1 to n - 1 is accepted.
    #[default]
    Optional,
    /// s above n/2 is rejected with [`Error::HighS`].
    Required,
    /// Of s and n - s the one that makes the signature friendly, that is with which R has an even y
    /// and x(R) = r, whether it is low or high; a valid signature with another R is rejected with
    /// [`Error::NotFriendly`]. Verification of a fresh key then knows R by r, and takes less time.
    ///
    /// Keys sign so at no cost; see [`Signature::to_friendly`] for signatures that exist.
    Friendly,
}

/// Which recovery ids are taken, where a public key is recovered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecoveryIds {
    /// All four.
    #[default]
    All,
    /// 0 and 1, which say no more than whether y(R) is odd; 2 and 3 (r = x(R) - n) are rejected
    /// with [`Error::RecoveryIdReduced`]. Ethereum has no others: 27 and 28 as v, or `yParity`.
    ParityOnly,
}

/// What a verifier accepts: given to a call, or to an engine for all of its calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Policy {
    /// Whether s may be above n/2, or has to be the friendly one; by default it may be any.
    pub low_s: LowS,
    /// Which recovery ids are taken; by default all. It says nothing where none is given.
    pub recovery_ids: RecoveryIds,
    /// Whether an engine may judge rows that have hints, or friendly rows, by batches of random
    /// weights; by default it may not. See [`with_batch`](Self::with_batch).
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

    /// What the precompiled contract `ecrecover` of Ethereum accepts: every s from 1 to n - 1, as
    /// EIP-2 left it, and the recovery ids 0 and 1, which it takes as v = 27 and 28.
    pub const ETHEREUM_PRECOMPILE: Self = Self {
        low_s: LowS::Optional,
        recovery_ids: RecoveryIds::ParityOnly,
        batch: false,
    };

    /// What transactions on Ethereum need since Homestead: s up to n/2 (EIP-2), and the recovery id
    /// 0 or 1.
    pub const ETHEREUM_TRANSACTION: Self = Self {
        low_s: LowS::Required,
        recovery_ids: RecoveryIds::ParityOnly,
        batch: false,
    };

    /// The same, with another rule for s.
    #[must_use]
    pub const fn with_low_s(mut self, low_s: LowS) -> Self {
        self.low_s = low_s;
        self
    }

    /// The same with other recovery ids.
    #[must_use]
    pub const fn with_recovery_ids(mut self, recovery_ids: RecoveryIds) -> Self {
        self.recovery_ids = recovery_ids;
        self
    }

    /// The same, with or without batches of random weights.
    ///
    /// Where it is `true`, [`Engine::verify`](crate::bulk::Engine::verify) may judge rows that have
    /// [hints](crate::bulk::Rows::hints) many at once, by one equation with random weights of 128
    /// bits, from a generator that the operating system seeds for each, which takes a fraction of
    /// the time. With [`LowS::Friendly`] it may judge rows without hints so too: the rule itself
    /// names the point R, as a hint does. A row that is not valid then passes for valid with a
    /// probability of at most 2^-120, whoever made it, and a valid row is never rejected
    /// (`docs/batch.md`). Where batches fail so often that they do not pay, an engine pauses them.
    /// Calls for one signature know no batches.
    #[must_use]
    pub const fn with_batch(mut self, batch: bool) -> Self {
        self.batch = batch;
        self
    }

    /// Whether a signature and its recovery id obey.
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

    /// Whether s is one that the policy takes, for a signature whose R is known.
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

    /// Whether s or n - s obeys, where R has this id: else a signer takes another nonce.
    #[cfg(feature = "signing")]
    pub(super) fn can_take(self, id: RecoveryId) -> bool {
        self.low_s != LowS::Friendly || !id.is_x_reduced()
    }

    /// The one of (r, s) and (r, n - s) that obeys, with its id; (r, s) if both do.
    #[cfg(feature = "signing")]
    pub(super) fn take_form<C: Domain>(
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
            // n - s goes with -R.
            (signature.negate_s(), id.negate_if(true))
        } else {
            (signature, id)
        }
    }

    /// Whether a signature obeys, as far as r and s tell: not whether it is friendly, which R does.
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

/// How a signature is written. There is no default: who reads a token wants
/// [`P1363`](Self::P1363), who reads a certificate [`Der`](Self::Der).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SignatureFormat {
    /// P1363 if the length is exactly that of r and s together, else DER.
    ///
    /// A DER signature of exactly that length (r and s together 48 bits shorter than usual on
    /// P-256) is read as P1363 and so rejected: name the format where you know it.
    Auto,
    /// ASN.1: a SEQUENCE of two INTEGERs (X.509, TLS, OpenSSL).
    Der,
    /// IEEE P1363: r and s in full length, one after the other (JWS, WebCrypto, PKCS#11).
    P1363,
}

impl fmt::Display for SignatureFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Auto => "auto",
            Self::Der => "der",
            Self::P1363 => "p1363",
        })
    }
}

impl FromStr for SignatureFormat {
    type Err = Error;

    /// Takes "auto", "der" or "p1363".
    ///
    /// # Errors
    /// [`Error::UnknownSignatureFormat`] for every other text.
    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "auto" => Ok(Self::Auto),
            "der" => Ok(Self::Der),
            "p1363" => Ok(Self::P1363),
            _ => Err(Error::UnknownSignatureFormat),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn formats_parse_as_they_display() {
        for format in [
            SignatureFormat::Auto,
            SignatureFormat::Der,
            SignatureFormat::P1363,
        ] {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert_eq!(
            "DER".parse::<SignatureFormat>(),
            Err(Error::UnknownSignatureFormat)
        );
    }
}
