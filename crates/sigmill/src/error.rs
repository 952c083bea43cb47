//! Errors of inputs: one variant per rule.

mod messages;

use crate::curve::CurveName;

/// The rule that an input breaks. The message names the field and the rule.
///
/// Every function of this crate that checks bytes returns this error. [`Error::reason`] is a short
/// code for logs and tables. It stays the same between versions; the message may become clearer.
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
    /// A signature in P1363 form must be r and s, each exactly as long as the order.
    SignatureLength {
        /// The length of r and s together, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    },
    /// A length in the DER signature points past its end.
    DerTruncated,
    /// No bytes may follow the DER signature, or s inside it.
    DerTrailingData,
    /// A DER signature must be a SEQUENCE of two INTEGERs and nothing else.
    DerTag,
    /// A DER length must be definite and in its shortest form.
    DerLength,
    /// A DER INTEGER must have at least one byte.
    DerIntegerEmpty,
    /// r and s must be positive.
    DerIntegerNegative,
    /// A DER INTEGER must not have a needless leading zero byte.
    DerIntegerNotMinimal,
    /// r and s must not be longer than the order.
    DerIntegerTooLong,

    // The numbers of a signature and their meaning.
    /// r must be at least 1.
    RZero,
    /// r must be below the order n.
    ROutOfRange,
    /// s must be at least 1.
    SZero,
    /// s must be below the order n.
    SOutOfRange,
    /// The policy requires s to be at most n/2.
    HighS,
    /// The policy requires a friendly signature: y(R) is even and x(R) = r.
    NotFriendly,
    /// x(R) must be r, not r + n, for s or n - s to make a friendly signature.
    CannotBeFriendly,
    /// The signature is well formed, but does not belong to this message and key.
    SignatureMismatch,
    /// A digest must have at least one byte.
    DigestEmpty,

    // A signature as R and s.
    /// The signature must be R as a SEC 1 point, whose first byte determines its length, and s, as
    /// long as the order.
    FullSignatureLength {
        /// The length of R and s together, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    },
    /// R must begin with 02, 03 (compressed) or 04 (uncompressed).
    FullSignatureTag {
        /// The first byte found.
        tag: u8,
    },
    /// The coordinates of R must be below the prime p.
    FullSignatureCoordinate,
    /// R must be on the curve; if compressed, a y must exist for it.
    FullSignatureNotOnCurve,

    // Recovery of the public key from a signature.
    /// A signature with its recovery id must be r and s, each exactly as long as the order, and v.
    RecoverableSignatureLength {
        /// The length of r, s and v together, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    },
    /// v must be a recovery id, 0 to 3, or 27 or 28.
    RecoveryByteOutOfRange {
        /// The byte found.
        v: u8,
    },
    /// A recovery id must be 0, 1, 2 or 3.
    RecoveryIdOutOfRange,
    /// The policy accepts the recovery ids 0 and 1 only (27 and 28 as v), as Ethereum does.
    RecoveryIdReduced,
    /// r + n, the x-coordinate for recovery ids 2 and 3, must be below the prime.
    RecoveryXOutOfRange,
    /// A point on the curve must exist with the x-coordinate that r and the recovery id name.
    RecoveryNotOnCurve,
    /// The recovered public key must not be the point at infinity.
    RecoveredInfinity,

    // Ethereum.
    /// An address must have 40 digits, not counting 0x.
    AddressLength {
        /// The number of digits found.
        actual: usize,
    },
    /// An address must be hexadecimal.
    AddressDigit {
        /// The position of the first other character, counted from 1.
        position: usize,
    },
    /// An address with both small and capital letters must have the capitals of EIP-55.
    AddressChecksum,

    // One row of many.
    /// A row must have a key.
    KeyNull,
    /// A row must have a message or a digest.
    InputNull,
    /// A row must have a signature.
    SignatureNull,
    /// The row was not verified because its call was cancelled; it may be valid or not.
    NotJudged,

    // A public key as a point.
    /// A key must have at least one byte.
    KeyEmpty,
    /// A SEC 1 point must have the length that its first byte and the curve determine.
    KeyLength {
        /// The required length, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    },
    /// A SEC 1 point must begin with 02, 03 (compressed) or 04 (uncompressed).
    KeyTag {
        /// The first byte found.
        tag: u8,
    },
    /// The x-coordinate must be below the prime p.
    KeyXOutOfRange,
    /// The y-coordinate must be below the prime p.
    KeyYOutOfRange,
    /// The point must be on the curve; if compressed, a y must exist for it.
    KeyNotOnCurve,
    /// The point must not be the point at infinity.
    KeyIsInfinity,
    /// The key must be on the curve that the caller or the algorithm names.
    KeyCurveMismatch {
        /// The curve required.
        expected: CurveName,
        /// The curve of the key.
        actual: CurveName,
    },
    /// A key must be a SEC 1 point, SPKI in DER or PEM, or a JWK.
    KeyEncodingUnknown,
    /// A SEC 1 point without the name of its curve must have a length that fits only one curve.
    KeyCurveAmbiguous,

    // A secret key.
    /// A secret key must be as long as the order.
    SecretLength {
        /// The length of the order, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    },
    /// A secret key must be at least 1.
    SecretZero,
    /// A secret key must be below the order n.
    SecretOutOfRange,

    // PKCS#8 and SEC 1 (RFC 5958, RFC 5915).
    /// The PKCS#8 or SEC 1 private key must be well-formed DER.
    PrivateKeyMalformed,
    /// No bytes may follow the PKCS#8 or SEC 1 private key.
    PrivateKeyTrailingData,
    /// The algorithm in PKCS#8 must be id-ecPublicKey.
    PrivateKeyAlgorithmNotEc,
    /// The private key must name its curve.
    PrivateKeyCurveMissing,
    /// The curve of a private key must be a named curve, not explicit numbers or NULL.
    PrivateKeyCurveNotNamed,
    /// The curve of a private key must be one that this crate supports.
    PrivateKeyCurveUnknown,
    /// If PKCS#8 and the SEC 1 key in it both name a curve, it must be the same.
    PrivateKeyCurvesDiffer,
    /// A public key stored with a private key must belong to it.
    PrivateKeyPublicMismatch,
    /// The PEM label of a private key must be "PRIVATE KEY" or "EC PRIVATE KEY".
    PrivateKeyPemLabel,

    // SubjectPublicKeyInfo (RFC 5280 §4.1.2.7, RFC 5480).
    /// The SPKI must be well-formed DER.
    SpkiMalformed,
    /// No bytes may follow the SPKI.
    SpkiTrailingData,
    /// The SPKI's algorithm must be id-ecPublicKey.
    SpkiAlgorithmNotEc,
    /// The SPKI must have parameters.
    SpkiParametersMissing,
    /// The SPKI's parameters must be a named curve, not explicit numbers or NULL.
    SpkiParametersNotNamedCurve,
    /// The SPKI's curve must be one that this crate supports.
    SpkiCurveUnknown,
    /// The SPKI's public key must be a whole number of bytes.
    SpkiUnusedBits,

    // PEM (RFC 7468).
    /// The PEM text must be well formed.
    PemMalformed,
    /// The PEM label must be "PUBLIC KEY".
    PemLabel,
    /// The text must hold exactly one PEM block. Of several, some readers use the first and others
    /// the first that fits.
    PemSeveralBlocks,

    // JWK (RFC 7517, RFC 7518 §6.2).
    /// The JWK must be a JSON object whose members have the types of RFC 7517 and RFC 7518.
    JwkMalformed,
    /// No object in the JWK may have a member twice.
    JwkMemberTwice,
    /// The JWK must have the members kty, crv, x and y, and d if it is private.
    JwkMemberMissing {
        /// The member that is missing.
        member: &'static str,
    },
    /// The JWK's kty must be "EC".
    JwkKeyType,
    /// The JWK's crv must be the JOSE name of a curve that this crate supports.
    JwkCurveUnknown,
    /// The JWK's use, if present, must be the purpose that the key is wanted for.
    JwkUse,
    /// The JWK's key_ops, if present, must allow the purpose that the key is wanted for.
    JwkKeyOperations,
    /// The JWK's alg, if present, must be an algorithm for its curve and for the purpose.
    JwkAlgorithm,
    /// A coordinate in a JWK must be base64url without padding.
    JwkCoordinateEncoding {
        /// The coordinate, "x" or "y".
        coordinate: &'static str,
    },
    /// A coordinate in a JWK must have the full length of the field.
    JwkCoordinateLength {
        /// The coordinate, "x" or "y".
        coordinate: &'static str,
        /// The length of the field, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    },

    /// The member d of a private JWK must be base64url without padding.
    JwkSecretEncoding,

    // Secret keys and shared secrets.
    /// The operating system must supply random bytes for a new key.
    RandomnessUnavailable,
    /// The shared secret must not be zero, as it is if the peer's public key has small order.
    SharedSecretZero,
    /// A signature's hint must name a point on the curve whose x-coordinate is the one that r
    /// stands for.
    HintNotOnCurve,
    /// The point that two parties share must not be the point at infinity.
    SharedInfinity,

    // Names and choices.
    /// The algorithm must be one that this crate supports.
    UnknownAlgorithm,
    /// The curve must be one that this crate supports.
    UnknownCurve,
    /// The signature format must be auto, der or p1363.
    UnknownSignatureFormat,
    /// A window must be 1 to 11 bits wide.
    WindowOutOfRange {
        /// The window requested.
        window: u32,
    },
    /// The operating system must start the threads requested.
    ThreadsNotStarted,
    /// Every time in a speed must be above 0, and a field must have one to eight lanes.
    SpeedOutOfRange,

    // A store of keys, in memory or saved.
    /// A saved key store must begin with its magic number.
    StoreMagic,
    /// The version of a saved key store must be one that this crate supports.
    StoreVersion,
    /// A saved key store must have the number of entries that it states, followed by a checksum.
    StoreTruncated,
    /// The curve of a key in a saved key store must be one that this crate supports.
    StoreCurve,
    /// Each key must come once in a saved key store.
    StoreDuplicateKey,
    /// The checksum of a saved key store must be right.
    StoreChecksum,
    /// Nothing may follow the checksum of a saved key store.
    StoreTrailingData,
    /// A pinned table must fit in the memory of its store, next to the other pinned ones.
    StoreMemory {
        /// The memory that the table needs, in bytes.
        needed: usize,
        /// The memory for tables that no other pinned table occupies, in bytes.
        available: usize,
    },
}

impl Error {
    /// Returns a short code for the rule, in lower case with hyphens. It stays the same between
    /// versions.
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
            Error::StoreMagic => "store-magic",
            Error::StoreVersion => "store-version",
            Error::StoreTruncated => "store-truncated",
            Error::StoreCurve => "store-curve",
            Error::StoreDuplicateKey => "store-duplicate-key",
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
