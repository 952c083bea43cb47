//! The encodings of signatures.

use core::fmt;
use core::str::FromStr;

use crate::error::Error;

/// The encoding of a signature. No default exists: tokens need [`P1363`](Self::P1363), certificates
/// need [`Der`](Self::Der).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SignatureFormat {
    /// P1363 if the length is exactly that of r and s together, DER otherwise.
    ///
    /// A DER signature of exactly that length (r and s together 48 bits shorter than usual on
    /// P-256) is read as P1363 and so rejected. Name the format if you know it.
    Auto,
    /// ASN.1: a SEQUENCE of two INTEGERs (X.509, TLS, OpenSSL).
    Der,
    /// IEEE P1363: r followed by s, each in full length (JWS, WebCrypto, PKCS#11).
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

    /// Parses "auto", "der" or "p1363".
    ///
    /// # Errors
    /// [`Error::UnknownSignatureFormat`] for any other text.
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
