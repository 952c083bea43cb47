//! Error messages: the field and the rule that it breaks.

use core::fmt;

use super::Error;

impl Error {
    /// Returns the message of a variant that carries no number or name of its own.
    const fn fixed_message(&self) -> Option<&'static str> {
        Some(match self {
            Error::DerTruncated => "signature: a DER length points behind the end",
            Error::DerTrailingData => "signature: DER must end after s, without trailing data",
            Error::DerTag => "signature: DER must be a SEQUENCE of two INTEGERs",
            Error::DerLength => "signature: a DER length must be definite and in its shortest form",
            Error::DerIntegerEmpty => "signature: a DER INTEGER must have at least one byte",
            Error::DerIntegerNegative => "signature: r and s must not be negative in DER",
            Error::DerIntegerNotMinimal => {
                "signature: a DER INTEGER must not have a needless leading byte"
            }
            Error::DerIntegerTooLong => "signature: r and s must not be longer than the order",
            Error::RZero => "signature: r must be at least 1",
            Error::ROutOfRange => "signature: r must be below the order of the curve",
            Error::SZero => "signature: s must be at least 1",
            Error::SOutOfRange => "signature: s must be below the order of the curve",
            Error::HighS => "signature: s must be at most half the order (low-s policy)",
            Error::NotFriendly => {
                "signature: R must have an even y and the x-coordinate r (friendly policy)"
            }
            Error::CannotBeFriendly => {
                "signature: x(R) must be r, not r plus the order, to make it a friendly one"
            }
            Error::FullSignatureCoordinate => {
                "signature: the coordinates of R must be below the prime of the curve"
            }
            Error::FullSignatureNotOnCurve => "signature: the point R must be on the curve",
            Error::SignatureMismatch => {
                "signature: it is not a signature of this message by this key"
            }
            Error::DigestEmpty => "digest: it must have at least one byte",
            Error::RecoveryIdOutOfRange => "recovery id: it must be 0, 1, 2 or 3",
            Error::RecoveryIdReduced => {
                "recovery id: it must be 0 or 1 under this policy, not 2 or 3"
            }
            Error::RecoveryXOutOfRange => {
                "signature: r plus the order must be below the prime for recovery ids 2 and 3"
            }
            Error::RecoveryNotOnCurve => {
                "signature: r and the recovery id must name a point on the curve"
            }
            Error::RecoveredInfinity => {
                "signature: the public key that it leads to must not be infinity"
            }
            Error::KeyNull => "key: it must not be null",
            Error::InputNull => "input: there must be a message or a digest, not null",
            Error::SignatureNull => "signature: it must not be null",
            Error::NotJudged => "row: it was not judged, as the call was cancelled before",
            Error::KeyEmpty => "key: it must have at least one byte",
            Error::KeyXOutOfRange => "key: x must be below the prime of the curve",
            Error::KeyYOutOfRange => "key: y must be below the prime of the curve",
            Error::KeyNotOnCurve => "key: the point is not on the curve",
            Error::KeyIsInfinity => "key: the point at infinity is not a public key",
            Error::KeyEncodingUnknown => {
                "key: the encoding must be a SEC 1 point, SPKI in DER or PEM, or a JWK"
            }
            Error::KeyCurveAmbiguous => {
                "key: a SEC 1 point of this length fits several curves; one must be named"
            }
            Error::SecretZero => "secret key: it must be at least 1",
            Error::SecretOutOfRange => "secret key: it must be below the order of the curve",
            Error::PrivateKeyMalformed => {
                "secret key: the private key is not well-formed DER of PKCS#8 or SEC 1"
            }
            Error::PrivateKeyTrailingData => {
                "secret key: the private key must not have trailing data"
            }
            Error::PrivateKeyAlgorithmNotEc => {
                "secret key: the algorithm of the private key must be id-ecPublicKey"
            }
            Error::PrivateKeyCurveMissing => "secret key: the private key must name its curve",
            Error::PrivateKeyCurveNotNamed => {
                "secret key: the curve of the private key must be a named curve"
            }
            Error::PrivateKeyCurveUnknown => {
                "secret key: the curve of the private key is not supported"
            }
            Error::PrivateKeyCurvesDiffer => {
                "secret key: the two curves that the private key names must be the same"
            }
            Error::PrivateKeyPublicMismatch => {
                "secret key: the public key in the file must belong to the private key"
            }
            Error::PrivateKeyPemLabel => {
                "secret key: the PEM label of a private key must be PRIVATE KEY or EC PRIVATE KEY"
            }
            Error::AddressChecksum => {
                "address: capital letters among small ones must be those of EIP-55"
            }
            Error::SpkiMalformed => "key: the SPKI is not well-formed DER",
            Error::SpkiTrailingData => "key: the SPKI must not have trailing data",
            Error::SpkiAlgorithmNotEc => "key: the SPKI algorithm must be id-ecPublicKey",
            Error::SpkiParametersMissing => "key: the SPKI must name its curve",
            Error::SpkiParametersNotNamedCurve => "key: the SPKI parameters must be a named curve",
            Error::SpkiCurveUnknown => "key: the SPKI curve is not supported",
            Error::SpkiUnusedBits => "key: the SPKI public key must be a whole number of bytes",
            Error::PemMalformed => "key: the PEM text is malformed",
            Error::PemLabel => "key: the PEM label must be PUBLIC KEY",
            Error::PemSeveralBlocks => "key: the PEM text must hold one block only",
            Error::JwkMalformed => "key: the JWK must be a JSON object with text members",
            Error::JwkMemberTwice => "key: no object in the JWK may have a member twice",
            Error::JwkUse => {
                "key: the JWK member use must be sig to verify or sign, enc to agree on a secret"
            }
            Error::JwkKeyOperations => {
                "key: the JWK member key_ops must hold verify to verify, sign to sign, deriveKey \
                 or deriveBits to agree on a secret"
            }
            Error::JwkAlgorithm => {
                "key: the JWK member alg must be that of the curve to verify or sign (ES256 on \
                 P-256), one of ECDH to agree on a secret"
            }
            Error::JwkKeyType => "key: the JWK member kty must be EC",
            Error::JwkCurveUnknown => {
                "key: the JWK member crv names a curve that is not supported in a JWK"
            }
            Error::JwkSecretEncoding => "key: the JWK member d must be base64url without padding",
            Error::RandomnessUnavailable => "key: the operating system gave no randomness",
            Error::SharedSecretZero => {
                "shared secret: it must not be zero (the public key is a point of small order)"
            }
            Error::HintNotOnCurve => "hint: it and r must name a point on the curve",
            Error::SharedInfinity => "shared secret: its point must not be infinity",
            Error::UnknownAlgorithm => "algorithm: the name is not supported",
            Error::UnknownCurve => "curve: the name is not supported",
            Error::UnknownSignatureFormat => "signature format: it must be auto, der or p1363",
            Error::ThreadsNotStarted => "threads: the operating system did not start them",
            Error::SpeedOutOfRange => {
                "speed: every time must be at least 1 picosecond, lanes must be 1 to 8"
            }
            Error::StoreMagic => "key store: it does not begin with the magic number of one",
            Error::StoreVersion => "key store: its version is not supported",
            Error::StoreTruncated => "key store: it ends before its last entry and checksum",
            Error::StoreCurve => "key store: the curve of a key is not supported",
            Error::StoreDuplicateKey => "key store: it must not hold a key twice",
            Error::StoreChecksum => "key store: its checksum is wrong",
            Error::StoreTrailingData => "key store: it must not have trailing data",
            _ => return None,
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Error::SignatureLength { expected, actual } => {
                write!(
                    f,
                    "signature: P1363 must have {expected} bytes, not {actual}"
                )
            }
            Error::KeyLength { expected, actual } => {
                write!(f, "key: the point must have {expected} bytes, not {actual}")
            }
            Error::SecretLength { expected, actual } => {
                write!(f, "secret key: it must have {expected} bytes, not {actual}")
            }
            Error::FullSignatureLength { expected, actual } => {
                write!(
                    f,
                    "signature: R and s must have {expected} bytes together, not {actual}"
                )
            }
            Error::FullSignatureTag { tag } => {
                write!(
                    f,
                    "signature: R must begin with 02, 03 or 04, not {tag:02x}"
                )
            }
            Error::RecoverableSignatureLength { expected, actual } => {
                write!(
                    f,
                    "signature: r, s and v must have {expected} bytes together, not {actual}"
                )
            }
            Error::RecoveryByteOutOfRange { v } => {
                write!(f, "signature: v must be 0 to 3, 27 or 28, not {v}")
            }
            Error::AddressLength { actual } => {
                write!(f, "address: it must have 40 digits, not {actual}")
            }
            Error::AddressDigit { position } => {
                write!(
                    f,
                    "address: it must be hexadecimal, but character {position} is not"
                )
            }
            Error::KeyTag { tag } => {
                write!(
                    f,
                    "key: the point must begin with 02, 03 or 04, not {tag:02x}"
                )
            }
            Error::KeyCurveMismatch { expected, actual } => {
                write!(f, "key: the curve must be {expected}, not {actual}")
            }
            Error::JwkMemberMissing { member } => {
                write!(f, "key: the JWK member {member} is missing")
            }
            Error::JwkCoordinateEncoding { coordinate } => {
                write!(
                    f,
                    "key: the JWK member {coordinate} must be base64url without padding"
                )
            }
            Error::JwkCoordinateLength {
                coordinate,
                expected,
                actual,
            } => {
                write!(
                    f,
                    "key: the JWK member {coordinate} must have {expected} bytes, not {actual}"
                )
            }
            Error::WindowOutOfRange { window } => {
                write!(f, "window: it must be 1 to 11 bits wide, not {window}")
            }
            Error::StoreMemory { needed, available } => {
                write!(
                    f,
                    "key store: a pinned table takes {needed} bytes, and {available} may be had"
                )
            }
            _ => f.write_str(self.fixed_message().unwrap_or(self.reason())),
        }
    }
}
