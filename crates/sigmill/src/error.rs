//! What can be wrong with an input: one variant per rule.

mod messages;

use crate::curve::CurveName;

/// The rule that an input breaks. The message names the field and the rule.
///
/// Every function of this crate that judges bytes returns this error. [`Error::reason`] is a short
/// code for logs and tables that stays the same between versions; the message may become clearer.
///
/// ```
/// use sigmill::Error;
///
/// assert_eq!(Error::RZero.to_string(), "signature: r must be at least 1");
/// assert_eq!(Error::RZero.reason(), "r-zero");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    // The bytes of a signature.
    /// A signature in P1363 form is r and s, each exactly as long as the order.
    SignatureLength {
        /// The length of r and s together, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    },
    /// A length in the DER signature points behind its end.
    DerTruncated,
    /// There are bytes behind the DER signature, or behind s inside of it.
    DerTrailingData,
    /// A DER signature is a SEQUENCE of two INTEGERs, and nothing else.
    DerTag,
    /// A DER length is definite and in its shortest form.
    DerLength,
    /// A DER INTEGER has at least one byte.
    DerIntegerEmpty,
    /// r and s are positive.
    DerIntegerNegative,
    /// A DER INTEGER has no needless leading zero byte.
    DerIntegerNotMinimal,
    /// r and s are no longer than the order.
    DerIntegerTooLong,

    // The numbers of a signature and what they say.
    /// r is at least 1.
    RZero,
    /// r is below the order n.
    ROutOfRange,
    /// s is at least 1.
    SZero,
    /// s is below the order n.
    SOutOfRange,
    /// The policy asks for s at most n/2.
    HighS,
    /// The policy asks for a friendly signature: y(R) is even and x(R) = r.
    NotFriendly,
    /// x(R) = r, so that s or n - s makes a friendly signature; not r + n.
    CannotBeFriendly,
    /// The signature is well formed, but does not belong to this message and key.
    SignatureMismatch,
    /// A digest has at least one byte.
    DigestEmpty,

    // A signature as R and s.
    /// R as a SEC 1 point, whose first byte tells its length, and s as long as the order.
    FullSignatureLength {
        /// The length of R and s together, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    },
    /// R begins with 02, 03 (compressed) or 04 (uncompressed).
    FullSignatureTag {
        /// The first byte found.
        tag: u8,
    },
    /// The coordinates of R are below the prime p.
    FullSignatureCoordinate,
    /// R is on the curve; if compressed, it has a y.
    FullSignatureNotOnCurve,

    // From a signature to the public key.
    /// A signature with its recovery id is r and s, each exactly as long as the order, and v.
    RecoverableSignatureLength {
        /// The length of r, s and v together, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    },
    /// v is a recovery id, 0 to 3, or 27 or 28.
    RecoveryByteOutOfRange {
        /// The byte found.
        v: u8,
    },
    /// A recovery id is 0, 1, 2 or 3.
    RecoveryIdOutOfRange,
    /// The policy takes the recovery ids 0 and 1 only (27 and 28 as v), as Ethereum does.
    RecoveryIdReduced,
    /// r + n, which recovery ids 2 and 3 ask for, is below the prime.
    RecoveryXOutOfRange,
    /// There is a point on the curve with the x-coordinate that r and the recovery id name.
    RecoveryNotOnCurve,
    /// The public key that comes out is not the point at infinity.
    RecoveredInfinity,

    // Ethereum.
    /// An address has 40 digits, without 0x.
    AddressLength {
        /// The number of digits found.
        actual: usize,
    },
    /// An address is hexadecimal.
    AddressDigit {
        /// Where the first other character stands, counted from 1.
        position: usize,
    },
    /// Letters of an address that are both small and capital are those of EIP-55.
    AddressChecksum,

    // A row among many.
    /// A row has a key.
    KeyNull,
    /// A row has a message or a digest.
    InputNull,
    /// A row has a signature.
    SignatureNull,
    /// The row was judged. One that was not, as its call was cancelled, may be valid or not.
    NotJudged,

    // A public key as a point.
    /// A key has at least one byte.
    KeyEmpty,
    /// A SEC 1 point has the length that its first byte and the curve demand.
    KeyLength {
        /// The length demanded, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    },
    /// A SEC 1 point begins with 02, 03 (compressed) or 04 (uncompressed).
    KeyTag {
        /// The first byte found.
        tag: u8,
    },
    /// The x coordinate is below the prime p.
    KeyXOutOfRange,
    /// The y coordinate is below the prime p.
    KeyYOutOfRange,
    /// The point is on the curve; a compressed point has a y.
    KeyNotOnCurve,
    /// The point is not the point at infinity.
    KeyIsInfinity,
    /// The key is on the curve that the caller or the algorithm names.
    KeyCurveMismatch {
        /// The curve asked for.
        expected: CurveName,
        /// The curve of the key.
        actual: CurveName,
    },
    /// A key is a SEC 1 point, SPKI in DER or PEM, or a JWK.
    KeyEncodingUnknown,
    /// A SEC 1 point without the name of its curve has a length that fits one curve only.
    KeyCurveAmbiguous,

    // A secret key.
    /// A secret key is as long as the order.
    SecretLength {
        /// The length of the order, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    },
    /// A secret key is at least 1.
    SecretZero,
    /// A secret key is below the order n.
    SecretOutOfRange,

    // PKCS#8 and SEC 1 (RFC 5958, RFC 5915).
    /// The PKCS#8 or SEC 1 private key is well-formed DER.
    PrivateKeyMalformed,
    /// There are no bytes behind the PKCS#8 or SEC 1 private key.
    PrivateKeyTrailingData,
    /// The algorithm in PKCS#8 is id-ecPublicKey.
    PrivateKeyAlgorithmNotEc,
    /// The private key names its curve.
    PrivateKeyCurveMissing,
    /// The curve of a private key is a named one, not explicit numbers and not NULL.
    PrivateKeyCurveNotNamed,
    /// The curve of a private key is one that this crate knows.
    PrivateKeyCurveUnknown,
    /// Where PKCS#8 and the SEC 1 key in it both name a curve, it is the same.
    PrivateKeyCurvesDiffer,
    /// A public key beside a private key belongs to it.
    PrivateKeyPublicMismatch,
    /// The PEM label of a private key is "PRIVATE KEY" or "EC PRIVATE KEY".
    PrivateKeyPemLabel,

    // SubjectPublicKeyInfo (RFC 5280 §4.1.2.7, RFC 5480).
    /// The SPKI is well-formed DER.
    SpkiMalformed,
    /// There are no bytes behind the SPKI.
    SpkiTrailingData,
    /// The SPKI's algorithm is id-ecPublicKey.
    SpkiAlgorithmNotEc,
    /// The SPKI's parameters are there.
    SpkiParametersMissing,
    /// The SPKI's parameters are a named curve, not explicit numbers and not NULL.
    SpkiParametersNotNamedCurve,
    /// The SPKI's curve is one that this crate knows.
    SpkiCurveUnknown,
    /// The SPKI's public key is a whole number of bytes.
    SpkiUnusedBits,

    // PEM (RFC 7468).
    /// The PEM text is well formed.
    PemMalformed,
    /// The PEM label is "PUBLIC KEY".
    PemLabel,
    /// There is one PEM block: of several, some readers take the first and some the first that
    /// fits.
    PemSeveralBlocks,

    // JWK (RFC 7517, RFC 7518 §6.2).
    /// The JWK is a JSON object whose members have the types of RFC 7517 and RFC 7518.
    JwkMalformed,
    /// No object in the JWK has a member twice.
    JwkMemberTwice,
    /// The JWK has the members kty, crv, x and y, and a private one d.
    JwkMemberMissing {
        /// The member that is missing.
        member: &'static str,
    },
    /// The JWK's kty is "EC".
    JwkKeyType,
    /// The JWK's crv is one that this crate knows, by the name that JOSE has for it.
    JwkCurveUnknown,
    /// The JWK's use, if it has one, is the purpose that the key is wanted for.
    JwkUse,
    /// The JWK's key_ops, if it has them, allow what the key is wanted for.
    JwkKeyOperations,
    /// The JWK's alg, if it has one, is an algorithm of its curve and of the purpose.
    JwkAlgorithm,
    /// A coordinate in a JWK is base64url without padding.
    JwkCoordinateEncoding {
        /// The coordinate, "x" or "y".
        coordinate: &'static str,
    },
    /// A coordinate in a JWK has the full length of the field.
    JwkCoordinateLength {
        /// The coordinate, "x" or "y".
        coordinate: &'static str,
        /// The length of the field, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    },

    /// The member d of a private JWK is base64url without padding.
    JwkSecretEncoding,

    // Secret keys and what comes of them.
    /// The operating system gives random bytes for a new key.
    RandomnessUnavailable,
    /// The shared secret is not zero: the peer's public key is not a point of small order.
    SharedSecretZero,
    /// A hint of a signature names a point on the curve whose x-coordinate r stands for.
    HintNotOnCurve,
    /// The point that two parties share is not the point at infinity.
    SharedInfinity,

    // Names and choices.
    /// The algorithm is one that this crate knows.
    UnknownAlgorithm,
    /// The curve is one that this crate knows.
    UnknownCurve,
    /// The signature format is auto, der or p1363.
    UnknownSignatureFormat,
    /// A window is 1 to 11 bits wide.
    WindowOutOfRange {
        /// The window asked for.
        window: u32,
    },
    /// The operating system starts the threads asked for.
    ThreadsNotStarted,
    /// Every time in a speed is above 0, and a field has from one lane to eight.
    SpeedOutOfRange,

    // A stored table of a prepared key.
    /// A table begins with its magic number.
    TableMagic,
    /// The table's version is one that this crate knows.
    TableVersion,
    /// The table is for the curve asked for, and for one that this crate knows.
    TableCurve,
    /// The table's window is 1 to 11 bits wide.
    TableWindow,
    /// The table has exactly the length that its curve and window demand.
    TableLength,
    /// The table's checksum is right.
    TableChecksum,
    /// Every point of the table is the multiple of the key that belongs there.
    TablePoint,

    // A store of keys, and one that was saved.
    /// A saved key store begins with its magic number.
    StoreMagic,
    /// The version of a saved key store is one that this crate knows.
    StoreVersion,
    /// A saved key store has as many entries as it says, and a checksum behind them.
    StoreTruncated,
    /// An entry of a saved key store is pinned or not, and no longer than a table can be.
    StoreEntry,
    /// The checksum of a saved key store is right.
    StoreChecksum,
    /// There is nothing behind the checksum of a saved key store.
    StoreTrailingData,
    /// A pinned table fits in the memory of its store, beside the other pinned ones.
    StoreMemory {
        /// The memory that the table takes, in bytes.
        needed: usize,
        /// The memory for tables that no other pinned one takes, in bytes.
        available: usize,
    },
}

impl Error {
    /// A short code of the rule, in lower case with hyphens. It stays the same between versions.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Error::SignatureLength { .. } => "signature-length",
            Error::DerTruncated => "der-truncated",
            Error::DerTrailingData => "der-trailing-data",
            Error::DerTag => "der-tag",
            Error::DerLength => "der-length",
            Error::DerIntegerEmpty => "der-integer-empty",
            Error::DerIntegerNegative => "der-integer-negative",
            Error::DerIntegerNotMinimal => "der-integer-not-minimal",
            Error::DerIntegerTooLong => "der-integer-too-long",
            Error::RZero => "r-zero",
            Error::ROutOfRange => "r-out-of-range",
            Error::SZero => "s-zero",
            Error::SOutOfRange => "s-out-of-range",
            Error::HighS => "high-s",
            Error::NotFriendly => "not-friendly",
            Error::CannotBeFriendly => "cannot-be-friendly",
            Error::FullSignatureLength { .. } => "full-signature-length",
            Error::FullSignatureTag { .. } => "full-signature-tag",
            Error::FullSignatureCoordinate => "full-signature-coordinate",
            Error::FullSignatureNotOnCurve => "full-signature-not-on-curve",
            Error::SignatureMismatch => "signature-mismatch",
            Error::DigestEmpty => "digest-empty",
            Error::RecoveryIdOutOfRange => "recovery-id-out-of-range",
            Error::RecoveryIdReduced => "recovery-id-reduced",
            Error::RecoveryXOutOfRange => "recovery-x-out-of-range",
            Error::RecoveryNotOnCurve => "recovery-not-on-curve",
            Error::RecoveredInfinity => "recovered-infinity",
            Error::RecoverableSignatureLength { .. } => "recoverable-signature-length",
            Error::RecoveryByteOutOfRange { .. } => "recovery-byte-out-of-range",
            Error::AddressLength { .. } => "address-length",
            Error::AddressDigit { .. } => "address-digit",
            Error::AddressChecksum => "address-checksum",
            Error::KeyNull => "key-null",
            Error::InputNull => "input-null",
            Error::SignatureNull => "signature-null",
            Error::NotJudged => "not-judged",
            Error::KeyEmpty => "key-empty",
            Error::KeyLength { .. } => "key-length",
            Error::KeyTag { .. } => "key-tag",
            Error::KeyXOutOfRange => "key-x-out-of-range",
            Error::KeyYOutOfRange => "key-y-out-of-range",
            Error::KeyNotOnCurve => "key-not-on-curve",
            Error::KeyIsInfinity => "key-is-infinity",
            Error::KeyCurveMismatch { .. } => "key-curve-mismatch",
            Error::KeyEncodingUnknown => "key-encoding-unknown",
            Error::KeyCurveAmbiguous => "key-curve-ambiguous",
            Error::SecretLength { .. } => "secret-length",
            Error::SecretZero => "secret-zero",
            Error::SecretOutOfRange => "secret-out-of-range",
            Error::PrivateKeyMalformed => "private-key-malformed",
            Error::PrivateKeyTrailingData => "private-key-trailing-data",
            Error::PrivateKeyAlgorithmNotEc => "private-key-algorithm-not-ec",
            Error::PrivateKeyCurveMissing => "private-key-curve-missing",
            Error::PrivateKeyCurveNotNamed => "private-key-curve-not-named",
            Error::PrivateKeyCurveUnknown => "private-key-curve-unknown",
            Error::PrivateKeyCurvesDiffer => "private-key-curves-differ",
            Error::PrivateKeyPublicMismatch => "private-key-public-mismatch",
            Error::PrivateKeyPemLabel => "private-key-pem-label",
            Error::SpkiMalformed => "spki-malformed",
            Error::SpkiTrailingData => "spki-trailing-data",
            Error::SpkiAlgorithmNotEc => "spki-algorithm-not-ec",
            Error::SpkiParametersMissing => "spki-parameters-missing",
            Error::SpkiParametersNotNamedCurve => "spki-parameters-not-named-curve",
            Error::SpkiCurveUnknown => "spki-curve-unknown",
            Error::SpkiUnusedBits => "spki-unused-bits",
            Error::PemMalformed => "pem-malformed",
            Error::PemLabel => "pem-label",
            Error::PemSeveralBlocks => "pem-several-blocks",
            Error::JwkMalformed => "jwk-malformed",
            Error::JwkMemberTwice => "jwk-member-twice",
            Error::JwkMemberMissing { .. } => "jwk-member-missing",
            Error::JwkKeyType => "jwk-key-type",
            Error::JwkCurveUnknown => "jwk-curve-unknown",
            Error::JwkUse => "jwk-use",
            Error::JwkKeyOperations => "jwk-key-operations",
            Error::JwkAlgorithm => "jwk-algorithm",
            Error::JwkCoordinateEncoding { .. } => "jwk-coordinate-encoding",
            Error::JwkCoordinateLength { .. } => "jwk-coordinate-length",
            Error::JwkSecretEncoding => "jwk-secret-encoding",
            Error::RandomnessUnavailable => "randomness-unavailable",
            Error::SharedSecretZero => "shared-secret-zero",
            Error::HintNotOnCurve => "hint-not-on-curve",
            Error::SharedInfinity => "shared-infinity",
            Error::UnknownAlgorithm => "unknown-algorithm",
            Error::UnknownCurve => "unknown-curve",
            Error::UnknownSignatureFormat => "unknown-signature-format",
            Error::WindowOutOfRange { .. } => "window-out-of-range",
            Error::ThreadsNotStarted => "threads-not-started",
            Error::SpeedOutOfRange => "speed-out-of-range",
            Error::TableMagic => "table-magic",
            Error::TableVersion => "table-version",
            Error::TableCurve => "table-curve",
            Error::TableWindow => "table-window",
            Error::TableLength => "table-length",
            Error::TableChecksum => "table-checksum",
            Error::TablePoint => "table-point",
            Error::StoreMagic => "store-magic",
            Error::StoreVersion => "store-version",
            Error::StoreTruncated => "store-truncated",
            Error::StoreEntry => "store-entry",
            Error::StoreChecksum => "store-checksum",
            Error::StoreTrailingData => "store-trailing-data",
            Error::StoreMemory { .. } => "store-memory",
        }
    }
}

impl core::error::Error for Error {}

impl From<Error> for signature::Error {
    fn from(error: Error) -> Self {
        signature::Error::from_source(error)
    }
}

#[cfg(test)]
mod tests;
