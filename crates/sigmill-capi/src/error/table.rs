//! The names and messages of errors, and the error of the library that each stands for.

use std::ffi::CStr;

use super::sigmill_error::{self, *};

/// An error, its name and its message.
pub(super) type Row = (sigmill_error, &'static CStr, &'static CStr);

/// Defects of a call.
const OF_CALLS: &[Row] = &[
    (SIGMILL_OK, c"ok", c"all is well"),
    (
        SIGMILL_ERROR_PANIC,
        c"panic",
        c"library: a defect of sigmill ended the call; please report it",
    ),
    (
        SIGMILL_ERROR_NULL_POINTER,
        c"null-pointer",
        c"argument: a pointer that must not be NULL is",
    ),
    (
        SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE,
        c"argument-out-of-range",
        c"argument: a number that stands for a choice is none of the list",
    ),
    (
        SIGMILL_ERROR_LENGTH_OUT_OF_RANGE,
        c"length-out-of-range",
        c"argument: a length is more than half of all addresses",
    ),
    (
        SIGMILL_ERROR_BUFFER_TOO_SMALL,
        c"buffer-too-small",
        c"argument: the buffer for the result is too small",
    ),
    (
        SIGMILL_ERROR_TEXT_NOT_UTF8,
        c"text-not-utf8",
        c"argument: the text must be UTF-8",
    ),
    (
        SIGMILL_ERROR_MEMORY_UNAVAILABLE,
        c"memory-unavailable",
        c"memory: there is not enough for so many rows",
    ),
    (
        SIGMILL_ERROR_ROWS_SHAPE,
        c"rows-shape",
        c"rows: the columns do not make rows",
    ),
    (
        SIGMILL_ERROR_ARROW_RELEASED,
        c"arrow-released",
        c"arrow: the schema or the array was released",
    ),
    (
        SIGMILL_ERROR_ARROW_FORMAT,
        c"arrow-format",
        c"arrow: the format of a column must be bytes or text, and rows a struct",
    ),
    (
        SIGMILL_ERROR_ARROW_COLUMNS,
        c"arrow-columns",
        c"arrow: the rows must have one column key, message or digest, and signature each",
    ),
    (
        SIGMILL_ERROR_ARROW_CHILDREN,
        c"arrow-children",
        c"arrow: schema and array must have the same number of children",
    ),
    (
        SIGMILL_ERROR_ARROW_BUFFERS,
        c"arrow-buffers",
        c"arrow: a column has another number of buffers than its format demands",
    ),
    (
        SIGMILL_ERROR_ARROW_LENGTH,
        c"arrow-length",
        c"arrow: a length or an offset is negative, too large, or beyond the values",
    ),
    (
        SIGMILL_ERROR_ARROW_NULLS,
        c"arrow-nulls",
        c"arrow: a row must not be null as a whole",
    ),
    (
        SIGMILL_ERROR_UNNAMED,
        c"unnamed",
        c"error: it has no name in this version of the interface",
    ),
];

macro_rules! of_the_library {
    ($($variant:ident, $code:ident, $name:literal, $message:literal;)*) => {
        /// Defects of inputs.
        const OF_THE_LIBRARY: &[Row] = &[$(($code, $name, $message)),*];

        impl From<sigmill::Error> for sigmill_error {
            fn from(error: sigmill::Error) -> Self {
                match error {
                    $(sigmill::Error::$variant { .. } => $code,)*
                    _ => SIGMILL_ERROR_UNNAMED,
                }
            }
        }
    };
}

// A message describes a variant without the numbers that the variant carries. Errors of functions
// that have no equivalent in C are left out.
of_the_library! {
    SignatureLength, SIGMILL_ERROR_SIGNATURE_LENGTH, c"signature-length",
        c"signature: P1363 must have twice the length of the order";
    DerTruncated, SIGMILL_ERROR_DER_TRUNCATED, c"der-truncated",
        c"signature: a DER length points behind the end";
    DerTrailingData, SIGMILL_ERROR_DER_TRAILING_DATA, c"der-trailing-data",
        c"signature: DER must end after s, without trailing data";
    DerTag, SIGMILL_ERROR_DER_TAG, c"der-tag",
        c"signature: DER must be a SEQUENCE of two INTEGERs";
    DerLength, SIGMILL_ERROR_DER_LENGTH, c"der-length",
        c"signature: a DER length must be definite and in its shortest form";
    DerIntegerEmpty, SIGMILL_ERROR_DER_INTEGER_EMPTY, c"der-integer-empty",
        c"signature: a DER INTEGER must have at least one byte";
    DerIntegerNegative, SIGMILL_ERROR_DER_INTEGER_NEGATIVE, c"der-integer-negative",
        c"signature: r and s must not be negative in DER";
    DerIntegerNotMinimal, SIGMILL_ERROR_DER_INTEGER_NOT_MINIMAL, c"der-integer-not-minimal",
        c"signature: a DER INTEGER must not have a needless leading byte";
    DerIntegerTooLong, SIGMILL_ERROR_DER_INTEGER_TOO_LONG, c"der-integer-too-long",
        c"signature: r and s must not be longer than the order";
    RZero, SIGMILL_ERROR_R_ZERO, c"r-zero", c"signature: r must be at least 1";
    ROutOfRange, SIGMILL_ERROR_R_OUT_OF_RANGE, c"r-out-of-range",
        c"signature: r must be below the order of the curve";
    SZero, SIGMILL_ERROR_S_ZERO, c"s-zero", c"signature: s must be at least 1";
    SOutOfRange, SIGMILL_ERROR_S_OUT_OF_RANGE, c"s-out-of-range",
        c"signature: s must be below the order of the curve";
    HighS, SIGMILL_ERROR_HIGH_S, c"high-s",
        c"signature: s must be at most half the order (low-s policy)";
    NotFriendly, SIGMILL_ERROR_NOT_FRIENDLY, c"not-friendly",
        c"signature: R must have an even y and the x-coordinate r (friendly policy)";
    SignatureMismatch, SIGMILL_ERROR_SIGNATURE_MISMATCH, c"signature-mismatch",
        c"signature: it is not a signature of this message by this key";
    DigestEmpty, SIGMILL_ERROR_DIGEST_EMPTY, c"digest-empty",
        c"digest: it must have at least one byte";
    RecoveryByteOutOfRange, SIGMILL_ERROR_RECOVERY_BYTE_OUT_OF_RANGE, c"recovery-byte-out-of-range",
        c"signature: v must be 0 to 3, 27 or 28";
    RecoveryIdOutOfRange, SIGMILL_ERROR_RECOVERY_ID_OUT_OF_RANGE, c"recovery-id-out-of-range",
        c"recovery id: it must be 0, 1, 2 or 3";
    RecoveryIdReduced, SIGMILL_ERROR_RECOVERY_ID_REDUCED, c"recovery-id-reduced",
        c"recovery id: it must be 0 or 1 under this policy, not 2 or 3";
    RecoveryXOutOfRange, SIGMILL_ERROR_RECOVERY_X_OUT_OF_RANGE, c"recovery-x-out-of-range",
        c"signature: r plus the order must be below the prime for recovery ids 2 and 3";
    RecoveryNotOnCurve, SIGMILL_ERROR_RECOVERY_NOT_ON_CURVE, c"recovery-not-on-curve",
        c"signature: r and the recovery id must name a point on the curve";
    RecoveredInfinity, SIGMILL_ERROR_RECOVERED_INFINITY, c"recovered-infinity",
        c"signature: the public key that it leads to must not be infinity";
    KeyNull, SIGMILL_ERROR_KEY_NULL, c"key-null", c"key: it must not be null";
    InputNull, SIGMILL_ERROR_INPUT_NULL, c"input-null",
        c"input: there must be a message or a digest, not null";
    SignatureNull, SIGMILL_ERROR_SIGNATURE_NULL, c"signature-null",
        c"signature: it must not be null";
    NotJudged, SIGMILL_ERROR_NOT_JUDGED, c"not-judged",
        c"row: it was not judged, as the call was cancelled before";
    KeyEmpty, SIGMILL_ERROR_KEY_EMPTY, c"key-empty", c"key: it must have at least one byte";
    KeyLength, SIGMILL_ERROR_KEY_LENGTH, c"key-length",
        c"key: the point must have the length that its first byte and the curve demand";
    KeyTag, SIGMILL_ERROR_KEY_TAG, c"key-tag", c"key: the point must begin with 02, 03 or 04";
    KeyXOutOfRange, SIGMILL_ERROR_KEY_X_OUT_OF_RANGE, c"key-x-out-of-range",
        c"key: x must be below the prime of the curve";
    KeyYOutOfRange, SIGMILL_ERROR_KEY_Y_OUT_OF_RANGE, c"key-y-out-of-range",
        c"key: y must be below the prime of the curve";
    KeyNotOnCurve, SIGMILL_ERROR_KEY_NOT_ON_CURVE, c"key-not-on-curve",
        c"key: the point is not on the curve";
    KeyIsInfinity, SIGMILL_ERROR_KEY_IS_INFINITY, c"key-is-infinity",
        c"key: the point at infinity is not a public key";
    KeyCurveMismatch, SIGMILL_ERROR_KEY_CURVE_MISMATCH, c"key-curve-mismatch",
        c"key: the curve must be the one asked for";
    KeyEncodingUnknown, SIGMILL_ERROR_KEY_ENCODING_UNKNOWN, c"key-encoding-unknown",
        c"key: the encoding must be a SEC 1 point, SPKI in DER or PEM, or a JWK";
    SecretLength, SIGMILL_ERROR_SECRET_LENGTH, c"secret-length",
        c"secret key: it must be as long as the order of the curve";
    SecretZero, SIGMILL_ERROR_SECRET_ZERO, c"secret-zero", c"secret key: it must be at least 1";
    SecretOutOfRange, SIGMILL_ERROR_SECRET_OUT_OF_RANGE, c"secret-out-of-range",
        c"secret key: it must be below the order of the curve";
    PrivateKeyMalformed, SIGMILL_ERROR_PRIVATE_KEY_MALFORMED, c"private-key-malformed",
        c"secret key: the private key is not well-formed DER of PKCS#8 or SEC 1";
    PrivateKeyTrailingData, SIGMILL_ERROR_PRIVATE_KEY_TRAILING_DATA, c"private-key-trailing-data",
        c"secret key: the private key must not have trailing data";
    PrivateKeyAlgorithmNotEc, SIGMILL_ERROR_PRIVATE_KEY_ALGORITHM_NOT_EC,
      c"private-key-algorithm-not-ec",
        c"secret key: the algorithm of the private key must be id-ecPublicKey";
    PrivateKeyCurveMissing, SIGMILL_ERROR_PRIVATE_KEY_CURVE_MISSING, c"private-key-curve-missing",
        c"secret key: the private key must name its curve";
    PrivateKeyCurveNotNamed, SIGMILL_ERROR_PRIVATE_KEY_CURVE_NOT_NAMED,
      c"private-key-curve-not-named",
        c"secret key: the curve of the private key must be a named curve";
    PrivateKeyCurveUnknown, SIGMILL_ERROR_PRIVATE_KEY_CURVE_UNKNOWN, c"private-key-curve-unknown",
        c"secret key: the curve of the private key is not supported";
    PrivateKeyCurvesDiffer, SIGMILL_ERROR_PRIVATE_KEY_CURVES_DIFFER, c"private-key-curves-differ",
        c"secret key: the two curves that the private key names must be the same";
    PrivateKeyPublicMismatch, SIGMILL_ERROR_PRIVATE_KEY_PUBLIC_MISMATCH,
      c"private-key-public-mismatch",
        c"secret key: the public key in the file must belong to the private key";
    PrivateKeyPemLabel, SIGMILL_ERROR_PRIVATE_KEY_PEM_LABEL, c"private-key-pem-label",
        c"secret key: the PEM label of a private key must be PRIVATE KEY or EC PRIVATE KEY";
    SpkiMalformed, SIGMILL_ERROR_SPKI_MALFORMED, c"spki-malformed",
        c"key: the SPKI is not well-formed DER";
    SpkiTrailingData, SIGMILL_ERROR_SPKI_TRAILING_DATA, c"spki-trailing-data",
        c"key: the SPKI must not have trailing data";
    SpkiAlgorithmNotEc, SIGMILL_ERROR_SPKI_ALGORITHM_NOT_EC, c"spki-algorithm-not-ec",
        c"key: the SPKI algorithm must be id-ecPublicKey";
    SpkiParametersMissing, SIGMILL_ERROR_SPKI_PARAMETERS_MISSING, c"spki-parameters-missing",
        c"key: the SPKI must name its curve";
    SpkiParametersNotNamedCurve, SIGMILL_ERROR_SPKI_PARAMETERS_NOT_NAMED_CURVE,
      c"spki-parameters-not-named-curve",
        c"key: the SPKI parameters must be a named curve";
    SpkiCurveUnknown, SIGMILL_ERROR_SPKI_CURVE_UNKNOWN, c"spki-curve-unknown",
        c"key: the SPKI curve is not supported";
    SpkiUnusedBits, SIGMILL_ERROR_SPKI_UNUSED_BITS, c"spki-unused-bits",
        c"key: the SPKI public key must be a whole number of bytes";
    PemMalformed, SIGMILL_ERROR_PEM_MALFORMED, c"pem-malformed", c"key: the PEM text is malformed";
    PemLabel, SIGMILL_ERROR_PEM_LABEL, c"pem-label", c"key: the PEM label must be PUBLIC KEY";
    PemSeveralBlocks, SIGMILL_ERROR_PEM_SEVERAL_BLOCKS, c"pem-several-blocks",
        c"key: the PEM text must hold one block only";
    JwkMalformed, SIGMILL_ERROR_JWK_MALFORMED, c"jwk-malformed",
        c"key: the JWK must be a JSON object with text members";
    JwkMemberTwice, SIGMILL_ERROR_JWK_MEMBER_TWICE, c"jwk-member-twice",
        c"key: no object in the JWK may have a member twice";
    JwkMemberMissing, SIGMILL_ERROR_JWK_MEMBER_MISSING, c"jwk-member-missing",
        c"key: a JWK must have the members kty, crv, x and y, and a private one d";
    JwkKeyType, SIGMILL_ERROR_JWK_KEY_TYPE, c"jwk-key-type", c"key: the JWK member kty must be EC";
    JwkCurveUnknown, SIGMILL_ERROR_JWK_CURVE_UNKNOWN, c"jwk-curve-unknown",
        c"key: the JWK member crv names a curve that is not supported in a JWK";
    JwkUse, SIGMILL_ERROR_JWK_USE, c"jwk-use",
        c"key: the JWK member use must be sig to verify or sign, enc to agree on a secret";
    JwkKeyOperations, SIGMILL_ERROR_JWK_KEY_OPERATIONS, c"jwk-key-operations",
        c"key: the JWK member key_ops must hold verify to verify, sign to sign, deriveKey or \
          deriveBits to agree on a secret";
    JwkAlgorithm, SIGMILL_ERROR_JWK_ALGORITHM, c"jwk-algorithm",
        c"key: the JWK member alg must be that of the curve to verify or sign (ES256 on P-256), \
          one of ECDH to agree on a secret";
    JwkCoordinateEncoding, SIGMILL_ERROR_JWK_COORDINATE_ENCODING, c"jwk-coordinate-encoding",
        c"key: the JWK members x and y must be base64url without padding";
    JwkCoordinateLength, SIGMILL_ERROR_JWK_COORDINATE_LENGTH, c"jwk-coordinate-length",
        c"key: the JWK members x and y must have the length of the field";
    RandomnessUnavailable, SIGMILL_ERROR_RANDOMNESS_UNAVAILABLE, c"randomness-unavailable",
        c"key: the operating system gave no randomness";
    SharedSecretZero, SIGMILL_ERROR_SHARED_SECRET_ZERO, c"shared-secret-zero",
        c"shared secret: it must not be zero (the public key is a point of small order)";
    SharedInfinity, SIGMILL_ERROR_SHARED_INFINITY, c"shared-infinity",
        c"shared secret: its point must not be infinity";
    WindowOutOfRange, SIGMILL_ERROR_WINDOW_OUT_OF_RANGE, c"window-out-of-range",
        c"window: it must be 1 to 11 bits wide";
    ThreadsNotStarted, SIGMILL_ERROR_THREADS_NOT_STARTED, c"threads-not-started",
        c"threads: the operating system did not start them";
}

/// Returns the row of a number, if it has one.
pub(super) fn row(code: i32) -> Option<&'static Row> {
    let mut rows = OF_CALLS.iter().chain(OF_THE_LIBRARY);
    rows.find(|row| row.0 as i32 == code)
}

/// Returns all rows for errors of the library.
#[cfg(test)]
pub(super) const fn of_the_library() -> &'static [Row] {
    OF_THE_LIBRARY
}
