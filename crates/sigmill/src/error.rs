//! Errors of inputs: one entry per rule.

mod macros;

use core::ffi::CStr;

use crate::curve::CurveName;

pub(crate) use macros::errors;
use macros::numbered_errors;

numbered_errors! {
    /// The rule that an input breaks. The message names the field and the rule.
    ///
    /// Every function of this crate that checks bytes returns this error. [`Error::reason`] is a
    /// short code for logs and tables. It stays the same between versions; the message may become
    /// clearer.
    ///
    /// ```
    /// use sigmill::Error;
    ///
    /// assert_eq!(Error::RZero.to_string(), "signature: r must be at least 1");
    /// assert_eq!(Error::RZero.reason(), "r-zero");
    /// ```
    #[derive(Copy, Hash)]
    pub enum Error;

    // The bytes of a signature.
    SignatureLength {
        /// The length of r and s together, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    } = 100 => "signature-length", "signature: P1363 must have twice the length of the order",
        "signature: P1363 must have {expected} bytes, not {actual}";
    DerTruncated = 101 => "der-truncated", "signature: a DER length points behind the end";
    DerTrailingData = 102 => "der-trailing-data",
        "signature: DER must end after s, without trailing data";
    DerTag = 103 => "der-tag", "signature: DER must be a SEQUENCE of two INTEGERs";
    DerLength = 104 => "der-length",
        "signature: a DER length must be definite and in its shortest form";
    DerIntegerEmpty = 105 => "der-integer-empty",
        "signature: a DER INTEGER must have at least one byte";
    DerIntegerNegative = 106 => "der-integer-negative",
        "signature: r and s must not be negative in DER";
    DerIntegerNotMinimal = 107 => "der-integer-not-minimal",
        "signature: a DER INTEGER must not have a needless leading byte";
    DerIntegerTooLong = 108 => "der-integer-too-long",
        "signature: r and s must not be longer than the order";

    // The numbers of a signature and their meaning.
    RZero = 109 => "r-zero", "signature: r must be at least 1";
    ROutOfRange = 110 => "r-out-of-range", "signature: r must be below the order of the curve";
    SZero = 111 => "s-zero", "signature: s must be at least 1";
    SOutOfRange = 112 => "s-out-of-range", "signature: s must be below the order of the curve";
    HighS = 113 => "high-s", "signature: s must be at most half the order (low-s policy)";
    NotFriendly = 114 => "not-friendly",
        "signature: R must have an even y and the x-coordinate r (friendly policy)";
    CannotBeFriendly => "cannot-be-friendly",
        "signature: x(R) must be r, not r plus the order, to make it a friendly one";
    /// The signature is well formed.
    SignatureMismatch = 116 => "signature-mismatch",
        "signature: it is not a signature of this message by this key";
    DigestEmpty = 117 => "digest-empty", "digest: it must have at least one byte";

    // A signature as R and s.
    /// R is a SEC 1 point, whose first byte determines its length. s is as long as the order.
    FullSignatureLength {
        /// The length of R and s together, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    } => "full-signature-length",
        "signature: R and s must have {expected} bytes together, not {actual}";
    FullSignatureTag {
        /// The first byte found.
        tag: u8,
    } => "full-signature-tag", "signature: R must begin with 02, 03 or 04, not {tag:02x}";
    FullSignatureCoordinate => "full-signature-coordinate",
        "signature: the coordinates of R must be below the prime of the curve";
    /// If R is compressed, a y must exist for it.
    FullSignatureNotOnCurve => "full-signature-not-on-curve",
        "signature: the point R must be on the curve";

    // Recovery of the public key from a signature.
    RecoverableSignatureLength {
        /// The length of r, s and v together, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    } => "recoverable-signature-length",
        "signature: r, s and v must have {expected} bytes together, not {actual}";
    RecoveryByteOutOfRange {
        /// The byte found.
        v: u8,
    } = 123 => "recovery-byte-out-of-range", "signature: v must be 0 to 3, 27 or 28",
        "signature: v must be 0 to 3, 27 or 28, not {v}";
    RecoveryIdOutOfRange = 124 => "recovery-id-out-of-range",
        "recovery id: it must be 0, 1, 2 or 3";
    /// Ethereum has this policy: v is 27 or 28.
    RecoveryIdReduced = 125 => "recovery-id-reduced",
        "recovery id: it must be 0 or 1 under this policy, not 2 or 3";
    RecoveryXOutOfRange = 126 => "recovery-x-out-of-range",
        "signature: r plus the order must be below the prime for recovery ids 2 and 3";
    RecoveryNotOnCurve = 127 => "recovery-not-on-curve",
        "signature: r and the recovery id must name a point on the curve";
    RecoveredInfinity = 128 => "recovered-infinity",
        "signature: the public key that it leads to must not be infinity";

    // Ethereum.
    /// 0x does not count.
    AddressLength {
        /// The number of digits found.
        actual: usize,
    } => "address-length", "address: it must have 40 digits, not {actual}";
    AddressDigit {
        /// The position of the first other character, counted from 1.
        position: usize,
    } => "address-digit", "address: it must be hexadecimal, but character {position} is not";
    AddressChecksum => "address-checksum",
        "address: capital letters among small ones must be those of EIP-55";

    // One row of many.
    /// A row must have a key.
    KeyNull = 132 => "key-null", "key: it must not be null";
    /// A row must have a message or a digest.
    InputNull = 133 => "input-null", "input: there must be a message or a digest, not null";
    /// A row must have a signature.
    SignatureNull = 134 => "signature-null", "signature: it must not be null";
    /// The row may be valid or not.
    NotJudged = 135 => "not-judged", "row: it was not judged, as the call was cancelled before";

    // A public key as a point.
    KeyEmpty = 136 => "key-empty", "key: it must have at least one byte";
    KeyLength {
        /// The required length, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    } = 137 => "key-length",
        "key: the point must have the length that its first byte and the curve demand",
        "key: the point must have {expected} bytes, not {actual}";
    /// 02 and 03 are for compressed points, 04 is for uncompressed ones.
    KeyTag {
        /// The first byte found.
        tag: u8,
    } = 138 => "key-tag", "key: the point must begin with 02, 03 or 04",
        "key: the point must begin with 02, 03 or 04, not {tag:02x}";
    KeyXOutOfRange = 139 => "key-x-out-of-range", "key: x must be below the prime of the curve";
    KeyYOutOfRange = 140 => "key-y-out-of-range", "key: y must be below the prime of the curve";
    /// If the point is compressed, a y must exist for it.
    KeyNotOnCurve = 141 => "key-not-on-curve", "key: the point is not on the curve";
    KeyIsInfinity = 142 => "key-is-infinity", "key: the point at infinity is not a public key";
    /// The caller or the algorithm names the curve.
    KeyCurveMismatch {
        /// The curve required.
        expected: CurveName,
        /// The curve of the key.
        actual: CurveName,
    } = 143 => "key-curve-mismatch", "key: the curve must be the one asked for",
        "key: the curve must be {expected}, not {actual}";
    KeyEncodingUnknown = 144 => "key-encoding-unknown",
        "key: the encoding must be a SEC 1 point, SPKI in DER or PEM, or a JWK";
    KeyCurveAmbiguous => "key-curve-ambiguous",
        "key: a SEC 1 point of this length fits several curves; one must be named";

    // A secret key.
    SecretLength {
        /// The length of the order, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    } = 146 => "secret-length", "secret key: it must be as long as the order of the curve",
        "secret key: it must have {expected} bytes, not {actual}";
    SecretZero = 147 => "secret-zero", "secret key: it must be at least 1";
    SecretOutOfRange = 148 => "secret-out-of-range",
        "secret key: it must be below the order of the curve";

    // PKCS#8 and SEC 1 (RFC 5958, RFC 5915).
    PrivateKeyMalformed = 149 => "private-key-malformed",
        "secret key: the private key is not well-formed DER of PKCS#8 or SEC 1";
    PrivateKeyTrailingData = 150 => "private-key-trailing-data",
        "secret key: the private key must not have trailing data";
    PrivateKeyAlgorithmNotEc = 151 => "private-key-algorithm-not-ec",
        "secret key: the algorithm of the private key must be id-ecPublicKey";
    PrivateKeyCurveMissing = 152 => "private-key-curve-missing",
        "secret key: the private key must name its curve";
    /// Explicit numbers and NULL do not name a curve.
    PrivateKeyCurveNotNamed = 153 => "private-key-curve-not-named",
        "secret key: the curve of the private key must be a named curve";
    PrivateKeyCurveUnknown = 154 => "private-key-curve-unknown",
        "secret key: the curve of the private key is not supported";
    /// PKCS#8 and the SEC 1 key in it may both name a curve.
    PrivateKeyCurvesDiffer = 155 => "private-key-curves-differ",
        "secret key: the two curves that the private key names must be the same";
    PrivateKeyPublicMismatch = 156 => "private-key-public-mismatch",
        "secret key: the public key in the file must belong to the private key";
    PrivateKeyPemLabel = 157 => "private-key-pem-label",
        "secret key: the PEM label of a private key must be PRIVATE KEY or EC PRIVATE KEY";

    // SubjectPublicKeyInfo (RFC 5280 §4.1.2.7, RFC 5480).
    SpkiMalformed = 158 => "spki-malformed", "key: the SPKI is not well-formed DER";
    SpkiTrailingData = 159 => "spki-trailing-data", "key: the SPKI must not have trailing data";
    SpkiAlgorithmNotEc = 160 => "spki-algorithm-not-ec",
        "key: the SPKI algorithm must be id-ecPublicKey";
    SpkiParametersMissing = 161 => "spki-parameters-missing", "key: the SPKI must name its curve";
    /// Explicit numbers and NULL do not name a curve.
    SpkiParametersNotNamedCurve = 162 => "spki-parameters-not-named-curve",
        "key: the SPKI parameters must be a named curve";
    SpkiCurveUnknown = 163 => "spki-curve-unknown", "key: the SPKI curve is not supported";
    SpkiUnusedBits = 164 => "spki-unused-bits",
        "key: the SPKI public key must be a whole number of bytes";

    // PEM (RFC 7468).
    PemMalformed = 165 => "pem-malformed", "key: the PEM text is malformed";
    PemLabel = 166 => "pem-label", "key: the PEM label must be PUBLIC KEY";
    /// Of several, some readers use the first and others the first that fits.
    PemSeveralBlocks = 167 => "pem-several-blocks", "key: the PEM text must hold one block only";

    // JWK (RFC 7517, RFC 7518 §6.2).
    /// The members must have the types of RFC 7517 and RFC 7518.
    JwkMalformed = 168 => "jwk-malformed", "key: the JWK must be a JSON object with text members";
    JwkMemberTwice = 169 => "jwk-member-twice", "key: no object in the JWK may have a member twice";
    JwkMemberMissing {
        /// The member that is missing.
        member: &'static str,
    } = 170 => "jwk-member-missing",
        "key: a JWK must have the members kty, crv, x and y, and a private one d",
        "key: the JWK member {member} is missing";
    JwkKeyType = 171 => "jwk-key-type", "key: the JWK member kty must be EC";
    JwkCurveUnknown = 172 => "jwk-curve-unknown",
        "key: the JWK member crv names a curve that is not supported in a JWK";
    /// The member may be missing.
    JwkUse = 173 => "jwk-use",
        "key: the JWK member use must be sig to verify or sign, enc to agree on a secret";
    /// The member may be missing.
    JwkKeyOperations = 174 => "jwk-key-operations",
        "key: the JWK member key_ops must hold verify to verify, sign to sign, deriveKey or \
         deriveBits to agree on a secret";
    /// The member may be missing.
    JwkAlgorithm = 175 => "jwk-algorithm",
        "key: the JWK member alg must be that of the curve to verify or sign (ES256 on P-256), \
         one of ECDH to agree on a secret";
    JwkCoordinateEncoding {
        /// The coordinate, "x" or "y".
        coordinate: &'static str,
    } = 176 => "jwk-coordinate-encoding",
        "key: the JWK members x and y must be base64url without padding",
        "key: the JWK member {coordinate} must be base64url without padding";
    JwkCoordinateLength {
        /// The coordinate, "x" or "y".
        coordinate: &'static str,
        /// The length of the field, in bytes.
        expected: usize,
        /// The length found, in bytes.
        actual: usize,
    } = 177 => "jwk-coordinate-length",
        "key: the JWK members x and y must have the length of the field",
        "key: the JWK member {coordinate} must have {expected} bytes, not {actual}";
    JwkSecretEncoding => "jwk-secret-encoding",
        "key: the JWK member d must be base64url without padding";

    // Secret keys and shared secrets.
    RandomnessUnavailable = 179 => "randomness-unavailable",
        "key: the operating system gave no randomness";
    SharedSecretZero = 180 => "shared-secret-zero",
        "shared secret: it must not be zero (the public key is a point of small order)";
    /// The x-coordinate of the point is the one that r stands for.
    HintNotOnCurve => "hint-not-on-curve", "hint: it and r must name a point on the curve";
    SharedInfinity = 182 => "shared-infinity", "shared secret: its point must not be infinity";

    // Names and choices.
    UnknownAlgorithm => "unknown-algorithm", "algorithm: the name is not supported";
    UnknownCurve => "unknown-curve", "curve: the name is not supported";
    UnknownSignatureFormat => "unknown-signature-format",
        "signature format: it must be auto, der or p1363";
    WindowOutOfRange {
        /// The window requested.
        window: u32,
    } = 186 => "window-out-of-range", "window: it must be 1 to 11 bits wide",
        "window: it must be 1 to 11 bits wide, not {window}";
    ThreadsNotStarted = 187 => "threads-not-started",
        "threads: the operating system did not start them";

    // A store of keys, in memory or saved.
    StoreMagic => "store-magic", "key store: it does not begin with the magic number of one";
    StoreVersion => "store-version", "key store: its version is not supported";
    StoreTruncated => "store-truncated", "key store: it ends before its last entry and checksum";
    StoreCurve => "store-curve", "key store: the curve of a key is not supported";
    StoreDuplicateKey => "store-duplicate-key", "key store: it must not hold a key twice";
    StoreChecksum => "store-checksum", "key store: its checksum is wrong";
    StoreTrailingData => "store-trailing-data", "key store: it must not have trailing data";
    /// The table must fit next to the other pinned ones.
    StoreMemory {
        /// The memory that the table needs, in bytes.
        needed: usize,
        /// The memory for tables that no other pinned table occupies, in bytes.
        available: usize,
    } => "store-memory",
        "key store: a pinned table takes {needed} bytes, and {available} may be had";
}

impl From<Error> for signature::Error {
    fn from(error: Error) -> Self {
        signature::Error::from_source(error)
    }
}

/// A rule in the list of the C interface.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The number, unless no function in C checks the rule.
    pub number: Option<i32>,
    /// The code of [`Error::reason`].
    pub reason: &'static CStr,
    /// The message, without the fields of the variant.
    pub message: &'static CStr,
    /// The lines of the documentation that the message does not cover.
    pub docs: &'static [&'static str],
}

/// Returns a text that ends with its only NUL.
const fn c_text(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the text must end with its only NUL"),
    }
}

#[cfg(test)]
pub(crate) mod tests;
