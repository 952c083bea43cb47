//! The names of the curves.

use core::fmt;
use core::str::FromStr;

use crate::error::Error;

/// A curve that this crate verifies signatures on.
///
/// Displays as the JOSE name ("P-256", "P-384", "secp256k1"). Parses from that name and from the names that SEC 2 and OpenSSL use.
///
/// ```
/// use sigmill::CurveName;
///
/// assert_eq!("prime256v1".parse(), Ok(CurveName::P256));
/// assert_eq!(CurveName::P384.to_string(), "P-384");
/// assert_eq!(CurveName::P384.field_len(), 48);
/// assert_eq!("secp256k1".parse(), Ok(CurveName::Secp256k1));
/// assert!("secp521r1".parse::<CurveName>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CurveName {
    /// NIST P-256, also prime256v1 and secp256r1 (FIPS 186-4 §D.1.2.3).
    P256,
    /// secp256k1, the curve of Bitcoin and Ethereum (SEC 2 §2.4.1).
    Secp256k1,
    /// NIST P-384, also secp384r1 (FIPS 186-4 §D.1.2.4).
    P384,
}

impl CurveName {
    /// Every curve, in the order of size; of one size, the one that is more common first.
    pub const ALL: &'static [CurveName] = &[CurveName::P256, CurveName::Secp256k1, CurveName::P384];

    /// The length in bytes of one coordinate, which for these curves is also the length of r and of s: 32 or 48.
    #[must_use]
    pub const fn field_len(self) -> usize {
        match self {
            CurveName::P256 | CurveName::Secp256k1 => 32,
            CurveName::P384 => 48,
        }
    }

    /// The JOSE name (RFC 7518 §6.2.1.1, RFC 8812 §3.1): "P-256", "P-384", "secp256k1".
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            CurveName::P256 => "P-256",
            CurveName::Secp256k1 => "secp256k1",
            CurveName::P384 => "P-384",
        }
    }
}

impl fmt::Display for CurveName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for CurveName {
    type Err = Error;

    /// Takes the JOSE name or one of the names of SEC 2 and OpenSSL, in exactly their spelling.
    ///
    /// # Errors
    /// [`Error::UnknownCurve`] for every other text.
    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "P-256" | "prime256v1" | "secp256r1" => Ok(CurveName::P256),
            "secp256k1" => Ok(CurveName::Secp256k1),
            "P-384" | "secp384r1" => Ok(CurveName::P384),
            _ => Err(Error::UnknownCurve),
        }
    }
}

/// An expression with the name `$C` for the type of the curve that a [`CurveName`] names: the one
/// place where a name becomes a type.
macro_rules! for_curve {
    ($name:expr, $C:ident => $result:expr) => {
        match $name {
            $crate::curve::CurveName::P256 => {
                type $C = $crate::curve::P256;
                $result
            }
            $crate::curve::CurveName::Secp256k1 => {
                type $C = $crate::curve::Secp256k1;
                $result
            }
            $crate::curve::CurveName::P384 => {
                type $C = $crate::curve::P384;
                $result
            }
        }
    };
}

pub(crate) use for_curve;

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn every_displayed_name_parses_back() {
        for &curve in CurveName::ALL {
            assert_eq!(curve.to_string().parse(), Ok(curve));
        }
    }

    #[test]
    fn accepts_the_names_of_sec_2_and_openssl() {
        assert_eq!("prime256v1".parse(), Ok(CurveName::P256));
        assert_eq!("secp256r1".parse(), Ok(CurveName::P256));
        assert_eq!("secp384r1".parse(), Ok(CurveName::P384));
    }

    #[test]
    fn rejects_other_names_and_spellings() {
        for name in ["", "P256", "p-256", "P-521", "SECP256K1", "K-256", " P-256"] {
            assert_eq!(name.parse::<CurveName>(), Err(Error::UnknownCurve));
        }
    }

    #[test]
    fn display_honours_width() {
        assert_eq!(alloc::format!("{:>7}", CurveName::P256), "  P-256");
    }
}
