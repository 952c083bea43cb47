//! A curve together with a hash: the meaning of a signature scheme's name.

use core::fmt;
use core::str::FromStr;

use crate::curve::CurveName;
use crate::error::Error;
use crate::hash::HashName;

/// A curve and the hash of the message: an ECDSA signature algorithm.
///
/// Displays as the JOSE name if RFC 7518 §3.4 or RFC 8812 §3.2 defines one ("ES256", "ES384",
/// "ES512", "ES256K"), otherwise as curve and hash ("P-384-SHA256"). Both spellings parse.
///
/// ```
/// use sigmill::{Algorithm, CurveName, HashName};
///
/// assert_eq!("ES256".parse(), Ok(Algorithm::ES256));
/// assert_eq!("P-256-SHA256".parse(), Ok(Algorithm::ES256));
/// let certificate = Algorithm::new(CurveName::P384, HashName::Sha256);
/// assert_eq!(certificate.to_string(), "P-384-SHA256");
/// assert!("RS256".parse::<Algorithm>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Algorithm {
    /// The curve of the key.
    pub curve: CurveName,
    /// The hash of the message.
    pub hash: HashName,
}

impl Algorithm {
    /// ECDSA on P-256 with SHA-256 (RFC 7518 §3.4).
    #[cfg(feature = "p256")]
    pub const ES256: Algorithm = Algorithm {
        curve: CurveName::P256,
        hash: HashName::Sha256,
    };

    /// ECDSA on secp256k1 with SHA-256 (RFC 8812 §3.2).
    #[cfg(feature = "secp256k1")]
    pub const ES256K: Algorithm = Algorithm {
        curve: CurveName::Secp256k1,
        hash: HashName::Sha256,
    };

    /// ECDSA on P-384 with SHA-384 (RFC 7518 §3.4).
    #[cfg(feature = "p384")]
    pub const ES384: Algorithm = Algorithm {
        curve: CurveName::P384,
        hash: HashName::Sha384,
    };

    /// ECDSA on P-521 with SHA-512 (RFC 7518 §3.4).
    #[cfg(feature = "p521")]
    pub const ES512: Algorithm = Algorithm {
        curve: CurveName::P521,
        hash: HashName::Sha512,
    };

    /// Creates an algorithm from a curve and any hash.
    #[must_use]
    pub const fn new(curve: CurveName, hash: HashName) -> Self {
        Self { curve, hash }
    }

    /// The name in JOSE, if there is one: only a curve with its own hash has a name.
    fn jose_name(self) -> Option<&'static str> {
        let name = self.curve.jose_algorithm();
        name.filter(|_| self == self.curve.default_algorithm())
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.jose_name() {
            Some(name) => f.write_str(name),
            None => write!(f, "{}-{}", self.curve, self.hash.compact_str()),
        }
    }
}

impl FromStr for Algorithm {
    type Err = Error;

    /// Parses a JOSE name ("ES256", "ES256K", "ES384", "ES512"), or a curve in any spelling that
    /// [`CurveName`] accepts, a hyphen, and SHA256, SHA384 or SHA512.
    ///
    /// # Errors
    /// [`Error::UnknownAlgorithm`] for any other text.
    fn from_str(name: &str) -> Result<Self, Error> {
        let mut curves = CurveName::ALL.iter();
        if let Some(curve) = curves.find(|curve| curve.jose_algorithm() == Some(name)) {
            return Ok(curve.default_algorithm());
        }
        let (curve, hash) = name.rsplit_once('-').ok_or(Error::UnknownAlgorithm)?;
        let curve = curve.parse().map_err(|_| Error::UnknownAlgorithm)?;
        HashName::ALL
            .iter()
            .find(|known| known.compact_str() == hash)
            .map(|&hash| Algorithm { curve, hash })
            .ok_or(Error::UnknownAlgorithm)
    }
}

impl CurveName {
    /// The curve with its default hash. If JOSE has an algorithm on the curve, the hash is that of
    /// JOSE: ES256 on P-256, ES256K on secp256k1, ES384 on P-384, ES512 on P-521.
    #[must_use]
    pub const fn default_algorithm(self) -> Algorithm {
        Algorithm {
            curve: self,
            hash: self.default_hash(),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn every_displayed_algorithm_parses_back() {
        for &curve in CurveName::ALL {
            for &hash in HashName::ALL {
                let algorithm = Algorithm { curve, hash };
                assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
                let long = format!("{curve}-{}", hash.compact_str());
                assert_eq!(long.parse(), Ok(algorithm));
            }
        }
        assert_eq!(
            "secp384r1-SHA512".parse::<Algorithm>().unwrap().to_string(),
            "P-384-SHA512"
        );
    }

    #[test]
    fn jose_names_are_preferred() {
        assert_eq!(Algorithm::ES256.to_string(), "ES256");
        assert_eq!(Algorithm::ES384.to_string(), "ES384");
        assert_eq!(Algorithm::ES256K.to_string(), "ES256K");
        assert_eq!(CurveName::P256.default_algorithm(), Algorithm::ES256);
        assert_eq!(CurveName::P384.default_algorithm(), Algorithm::ES384);
    }

    #[test]
    fn rejects_other_names() {
        for name in [
            "",
            "-",
            "ES224",
            "ES256k",
            "es256",
            "RS256",
            "none",
            "P-256",
            "P-256-SHA1",
            "P-192-SHA512",
            "P-256-SHA-256",
        ] {
            assert_eq!(
                name.parse::<Algorithm>(),
                Err(Error::UnknownAlgorithm),
                "{name}"
            );
        }
    }
}
