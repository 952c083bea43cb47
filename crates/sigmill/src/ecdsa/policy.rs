//! What a verifier accepts beyond the equation, and how signatures are written.

use core::fmt;
use core::str::FromStr;

use super::{RecoveryId, Signature};
use crate::curve::Domain;
use crate::error::Error;

/// Whether s may be above n/2.
///
/// With (r, s) also (r, n - s) is a signature of the same message. Bitcoin and some ledgers accept
/// only the lower s, so that a signature has one form; most others accept both, and much hardware
/// emits both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LowS {
    /// Every s from 1 to n - 1 is accepted.
    #[default]
    Optional,
    /// s above n/2 is rejected with [`Error::HighS`].
    Required,
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
    /// Whether s may be above n/2; by default it may.
    pub low_s: LowS,
    /// Which recovery ids are taken; by default all. It says nothing where none is given.
    pub recovery_ids: RecoveryIds,
}

impl Policy {
    /// The policy that accepts only s up to n/2.
    pub const LOW_S: Self = Self {
        low_s: LowS::Required,
        recovery_ids: RecoveryIds::All,
    };

    /// What the precompiled contract `ecrecover` of Ethereum accepts: every s from 1 to n - 1, as
    /// EIP-2 left it, and the recovery ids 0 and 1, which it takes as v = 27 and 28.
    pub const ETHEREUM_PRECOMPILE: Self = Self {
        low_s: LowS::Optional,
        recovery_ids: RecoveryIds::ParityOnly,
    };

    /// What transactions on Ethereum need since Homestead: s up to n/2 (EIP-2), and the recovery id
    /// 0 or 1.
    pub const ETHEREUM_TRANSACTION: Self = Self {
        low_s: LowS::Required,
        recovery_ids: RecoveryIds::ParityOnly,
    };

    /// The same, with or without high s.
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

    /// Whether a signature and its recovery id obey.
    ///
    /// # Errors
    /// [`Error::HighS`], [`Error::RecoveryIdReduced`].
    pub(crate) fn check_recoverable<C: Domain>(
        self,
        signature: &Signature<C>,
        id: RecoveryId,
    ) -> Result<(), Error> {
        self.check(signature)?;
        if self.recovery_ids == RecoveryIds::ParityOnly && id.is_x_reduced() {
            return Err(Error::RecoveryIdReduced);
        }
        Ok(())
    }

    /// Whether a signature obeys.
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
