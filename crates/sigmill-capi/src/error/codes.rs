//! The numbers of errors. They are part of the ABI, so no number is ever reused.

/// The result of a function: `SIGMILL_OK`, or the rule that is broken. `sigmill_error_name` and
/// `sigmill_error_message` return it in words. Numbers and names stay the same between versions; a
/// later version may add more.
#[allow(non_camel_case_types, reason = "the names of C")]
#[allow(clippy::enum_variant_names, reason = "the names of C")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum sigmill_error {
    /// Success; for a signature: it is valid.
    SIGMILL_OK = 0,

    // Defects of a call.
    /// The library panicked, which is a bug in it. Do not use anything that the call has written.
    SIGMILL_ERROR_PANIC = 1,
    /// A pointer that must not be NULL is NULL.
    SIGMILL_ERROR_NULL_POINTER = 2,
    /// A number that stands for a curve, hash, format, policy or kind of input is not in its list.
    SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE = 3,
    /// A length, or the extent of a length and a stride, is more than `PTRDIFF_MAX`; or the
    /// signatures of several rows have stride 0.
    SIGMILL_ERROR_LENGTH_OUT_OF_RANGE = 4,
    /// The buffer for the result is too small. Its length variable receives the number of bytes
    /// needed.
    SIGMILL_ERROR_BUFFER_TOO_SMALL = 5,
    /// The PEM or JSON text must be UTF-8.
    SIGMILL_ERROR_TEXT_NOT_UTF8 = 6,
    /// There is not enough memory for so many rows.
    SIGMILL_ERROR_MEMORY_UNAVAILABLE = 7,
    /// The columns do not form rows.
    SIGMILL_ERROR_ROWS_SHAPE = 8,
    /// An Arrow schema or array was released, or one of the two is missing.
    SIGMILL_ERROR_ARROW_RELEASED = 9,
    /// The format of the rows must be a struct, and that of a column bytes or text.
    SIGMILL_ERROR_ARROW_FORMAT = 10,
    /// A column is missing or occurs twice, or the rows have both messages and digests.
    SIGMILL_ERROR_ARROW_COLUMNS = 11,
    /// Schema and array must have the same number of children, and a column of bytes none.
    SIGMILL_ERROR_ARROW_CHILDREN = 12,
    /// The number of buffers does not match the format, or a required buffer is NULL.
    SIGMILL_ERROR_ARROW_BUFFERS = 13,
    /// A length or offset is negative or too large, or a column is shorter than the rows.
    SIGMILL_ERROR_ARROW_LENGTH = 14,
    /// A whole row is null.
    SIGMILL_ERROR_ARROW_NULLS = 15,
    /// An error of the library that has no number in this interface.
    SIGMILL_ERROR_UNNAMED = 16,

    // Defects of inputs: the rules of the library. Missing numbers belong to rules that no function
    // of this interface checks.
    /// A signature in P1363 must be r and s, each exactly as long as the order.
    SIGMILL_ERROR_SIGNATURE_LENGTH = 100,
    /// A length in the DER signature points beyond its end.
    SIGMILL_ERROR_DER_TRUNCATED = 101,
    /// There must be no bytes after the DER signature, or after s inside it.
    SIGMILL_ERROR_DER_TRAILING_DATA = 102,
    /// A DER signature must be a SEQUENCE of exactly two INTEGERs.
    SIGMILL_ERROR_DER_TAG = 103,
    /// A DER length must be definite and in its shortest form.
    SIGMILL_ERROR_DER_LENGTH = 104,
    /// A DER INTEGER must have at least one byte.
    SIGMILL_ERROR_DER_INTEGER_EMPTY = 105,
    /// r and s in DER must be positive.
    SIGMILL_ERROR_DER_INTEGER_NEGATIVE = 106,
    /// A DER INTEGER must have no superfluous leading zero byte.
    SIGMILL_ERROR_DER_INTEGER_NOT_MINIMAL = 107,
    /// r and s in DER must be no longer than the order.
    SIGMILL_ERROR_DER_INTEGER_TOO_LONG = 108,
    /// r must be at least 1.
    SIGMILL_ERROR_R_ZERO = 109,
    /// r must be less than the order n.
    SIGMILL_ERROR_R_OUT_OF_RANGE = 110,
    /// s must be at least 1.
    SIGMILL_ERROR_S_ZERO = 111,
    /// s must be less than the order n.
    SIGMILL_ERROR_S_OUT_OF_RANGE = 112,
    /// The policy requires s to be at most n/2.
    SIGMILL_ERROR_HIGH_S = 113,
    /// The policy requires a friendly signature: y(R) is even and x(R) = r.
    SIGMILL_ERROR_NOT_FRIENDLY = 114,
    /// The signature is well formed, but does not belong to this message and key.
    SIGMILL_ERROR_SIGNATURE_MISMATCH = 116,
    /// A digest must have at least one byte.
    SIGMILL_ERROR_DIGEST_EMPTY = 117,
    /// v must be a recovery id, 0 to 3, or 27 or 28.
    SIGMILL_ERROR_RECOVERY_BYTE_OUT_OF_RANGE = 123,
    /// A recovery id must be 0, 1, 2 or 3.
    SIGMILL_ERROR_RECOVERY_ID_OUT_OF_RANGE = 124,
    /// The policy accepts only the recovery ids 0 and 1 (27 and 28 as v), as Ethereum does.
    SIGMILL_ERROR_RECOVERY_ID_REDUCED = 125,
    /// r + n, which recovery ids 2 and 3 require, must be less than the prime p.
    SIGMILL_ERROR_RECOVERY_X_OUT_OF_RANGE = 126,
    /// The curve must have a point with the x-coordinate that r and the recovery id name.
    SIGMILL_ERROR_RECOVERY_NOT_ON_CURVE = 127,
    /// The recovered public key must not be the point at infinity.
    SIGMILL_ERROR_RECOVERED_INFINITY = 128,
    /// A row must have a key.
    SIGMILL_ERROR_KEY_NULL = 132,
    /// A row must have a message or a digest.
    SIGMILL_ERROR_INPUT_NULL = 133,
    /// A row must have a signature.
    SIGMILL_ERROR_SIGNATURE_NULL = 134,
    /// The row was not judged, as its call was refused. It may be valid or not.
    SIGMILL_ERROR_NOT_JUDGED = 135,
    /// A key must have at least one byte.
    SIGMILL_ERROR_KEY_EMPTY = 136,
    /// A SEC 1 point must have the length that its first byte and the curve require.
    SIGMILL_ERROR_KEY_LENGTH = 137,
    /// A SEC 1 point must begin with 02, 03 (compressed) or 04 (uncompressed).
    SIGMILL_ERROR_KEY_TAG = 138,
    /// The x-coordinate must be less than the prime p.
    SIGMILL_ERROR_KEY_X_OUT_OF_RANGE = 139,
    /// The y-coordinate must be less than the prime p.
    SIGMILL_ERROR_KEY_Y_OUT_OF_RANGE = 140,
    /// The point must be on the curve; for a compressed point, a y must exist.
    SIGMILL_ERROR_KEY_NOT_ON_CURVE = 141,
    /// The point must not be the point at infinity.
    SIGMILL_ERROR_KEY_IS_INFINITY = 142,
    /// The key must be on the curve that the caller or the algorithm names.
    SIGMILL_ERROR_KEY_CURVE_MISMATCH = 143,
    /// A key must be a SEC 1 point, SPKI in DER or PEM, or a JWK.
    SIGMILL_ERROR_KEY_ENCODING_UNKNOWN = 144,
    /// A secret key must be as long as the order.
    SIGMILL_ERROR_SECRET_LENGTH = 146,
    /// A secret key must be at least 1.
    SIGMILL_ERROR_SECRET_ZERO = 147,
    /// A secret key must be less than the order n.
    SIGMILL_ERROR_SECRET_OUT_OF_RANGE = 148,
    /// The PKCS#8 or SEC 1 private key must be well-formed DER.
    SIGMILL_ERROR_PRIVATE_KEY_MALFORMED = 149,
    /// There must be no bytes after the PKCS#8 or SEC 1 private key.
    SIGMILL_ERROR_PRIVATE_KEY_TRAILING_DATA = 150,
    /// The algorithm in PKCS#8 must be id-ecPublicKey.
    SIGMILL_ERROR_PRIVATE_KEY_ALGORITHM_NOT_EC = 151,
    /// The private key must name its curve.
    SIGMILL_ERROR_PRIVATE_KEY_CURVE_MISSING = 152,
    /// The curve of a private key must be a named curve, not explicit numbers and not NULL.
    SIGMILL_ERROR_PRIVATE_KEY_CURVE_NOT_NAMED = 153,
    /// The curve of a private key must be one that this library knows.
    SIGMILL_ERROR_PRIVATE_KEY_CURVE_UNKNOWN = 154,
    /// If PKCS#8 and the SEC 1 key in it both name a curve, it must be the same.
    SIGMILL_ERROR_PRIVATE_KEY_CURVES_DIFFER = 155,
    /// A public key stored with a private key must belong to it.
    SIGMILL_ERROR_PRIVATE_KEY_PUBLIC_MISMATCH = 156,
    /// The PEM label of a private key must be "PRIVATE KEY" or "EC PRIVATE KEY".
    SIGMILL_ERROR_PRIVATE_KEY_PEM_LABEL = 157,
    /// The SPKI must be well-formed DER.
    SIGMILL_ERROR_SPKI_MALFORMED = 158,
    /// There must be no bytes after the SPKI.
    SIGMILL_ERROR_SPKI_TRAILING_DATA = 159,
    /// The SPKI's algorithm must be id-ecPublicKey.
    SIGMILL_ERROR_SPKI_ALGORITHM_NOT_EC = 160,
    /// The SPKI must have parameters.
    SIGMILL_ERROR_SPKI_PARAMETERS_MISSING = 161,
    /// The SPKI's parameters must be a named curve, not explicit numbers and not NULL.
    SIGMILL_ERROR_SPKI_PARAMETERS_NOT_NAMED_CURVE = 162,
    /// The SPKI's curve must be one that this library knows.
    SIGMILL_ERROR_SPKI_CURVE_UNKNOWN = 163,
    /// The SPKI's public key must be a whole number of bytes.
    SIGMILL_ERROR_SPKI_UNUSED_BITS = 164,
    /// The PEM text must be well formed.
    SIGMILL_ERROR_PEM_MALFORMED = 165,
    /// The PEM label must be "PUBLIC KEY".
    SIGMILL_ERROR_PEM_LABEL = 166,
    /// There must be only one PEM block: of several, some readers use the first and some the first
    /// that fits.
    SIGMILL_ERROR_PEM_SEVERAL_BLOCKS = 167,
    /// The JWK must be a JSON object whose members have the types of RFC 7517 and RFC 7518.
    SIGMILL_ERROR_JWK_MALFORMED = 168,
    /// No object in the JWK may have a member twice.
    SIGMILL_ERROR_JWK_MEMBER_TWICE = 169,
    /// The JWK must have the members kty, crv, x and y; a private one also d.
    SIGMILL_ERROR_JWK_MEMBER_MISSING = 170,
    /// The JWK's kty must be "EC".
    SIGMILL_ERROR_JWK_KEY_TYPE = 171,
    /// The JWK's crv must be the JOSE name of a curve that this library knows.
    SIGMILL_ERROR_JWK_CURVE_UNKNOWN = 172,
    /// The JWK's use, if present, must be the purpose of the call.
    SIGMILL_ERROR_JWK_USE = 173,
    /// The JWK's key_ops, if present, must allow the purpose of the call.
    SIGMILL_ERROR_JWK_KEY_OPERATIONS = 174,
    /// The JWK's alg, if present, must be an algorithm of its curve and of the purpose.
    SIGMILL_ERROR_JWK_ALGORITHM = 175,
    /// A coordinate in a JWK must be base64url without padding.
    SIGMILL_ERROR_JWK_COORDINATE_ENCODING = 176,
    /// A coordinate in a JWK must have the full length of the field.
    SIGMILL_ERROR_JWK_COORDINATE_LENGTH = 177,
    /// The operating system must provide random bytes for a new key.
    SIGMILL_ERROR_RANDOMNESS_UNAVAILABLE = 179,
    /// The shared secret must not be zero: the peer's public key is a point of small order.
    SIGMILL_ERROR_SHARED_SECRET_ZERO = 180,
    /// The point that two parties share must not be the point at infinity.
    SIGMILL_ERROR_SHARED_INFINITY = 182,
    /// A window must be 1 to 11 bits wide.
    SIGMILL_ERROR_WINDOW_OUT_OF_RANGE = 186,
    /// The operating system must start the requested threads.
    SIGMILL_ERROR_THREADS_NOT_STARTED = 187,
}
