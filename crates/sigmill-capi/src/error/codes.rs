//! The numbers of errors: part of the ABI, so none is ever used again.

/// What a function returns: `SIGMILL_OK`, or which rule is broken. `sigmill_error_name` and
/// `sigmill_error_message` tell it in words. Numbers and names stay the same between versions; a
/// later version may know more of them.
#[allow(non_camel_case_types, reason = "the names of C")]
#[allow(clippy::enum_variant_names, reason = "the names of C")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum sigmill_error {
    /// All is well; of a signature: it is valid.
    SIGMILL_OK = 0,

    // What is wrong with a call.
    /// There was a panic in the library, which is a defect of it. Nothing that the call has written
    /// is to be used.
    SIGMILL_ERROR_PANIC = 1,
    /// A pointer is NULL that must not be.
    SIGMILL_ERROR_NULL_POINTER = 2,
    /// A curve, hash, format, policy or kind of input is none of the list.
    SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE = 3,
    /// A length, or what a length and a stride come to, is more than `PTRDIFF_MAX`.
    SIGMILL_ERROR_LENGTH_OUT_OF_RANGE = 4,
    /// The buffer for the result is too small; its length now says how many bytes are needed.
    SIGMILL_ERROR_BUFFER_TOO_SMALL = 5,
    /// PEM or JSON is not UTF-8.
    SIGMILL_ERROR_TEXT_NOT_UTF8 = 6,
    /// There is no memory for so many rows.
    SIGMILL_ERROR_MEMORY_UNAVAILABLE = 7,
    /// Columns do not make rows.
    SIGMILL_ERROR_ROWS_SHAPE = 8,
    /// A schema or an array of Arrow was released, or one is there without the other.
    SIGMILL_ERROR_ARROW_RELEASED = 9,
    /// The format of rows is no struct, or that of a column neither bytes nor text.
    SIGMILL_ERROR_ARROW_FORMAT = 10,
    /// A column is missing, there are two of one name, or both messages and digests.
    SIGMILL_ERROR_ARROW_COLUMNS = 11,
    /// The numbers of children in schema and array differ, or a column of bytes has some.
    SIGMILL_ERROR_ARROW_CHILDREN = 12,
    /// The number of buffers is not that of the format, or one that must be there is NULL.
    SIGMILL_ERROR_ARROW_BUFFERS = 13,
    /// A length or offset is negative or too large, or a column is shorter than the rows.
    SIGMILL_ERROR_ARROW_LENGTH = 14,
    /// A row is null as a whole.
    SIGMILL_ERROR_ARROW_NULLS = 15,
    /// An error of the library that has no number here.
    SIGMILL_ERROR_UNNAMED = 16,

    // Defects of inputs: the rules of the library. Numbers left out belong to rules that no
    // function here has.
    /// A signature in P1363 form is r and s, each exactly as long as the order.
    SIGMILL_ERROR_SIGNATURE_LENGTH = 100,
    /// A length in the DER signature points behind its end.
    SIGMILL_ERROR_DER_TRUNCATED = 101,
    /// There are bytes behind the DER signature, or behind s inside of it.
    SIGMILL_ERROR_DER_TRAILING_DATA = 102,
    /// A DER signature is a SEQUENCE of two INTEGERs, and nothing else.
    SIGMILL_ERROR_DER_TAG = 103,
    /// A DER length is definite and in its shortest form.
    SIGMILL_ERROR_DER_LENGTH = 104,
    /// A DER INTEGER has at least one byte.
    SIGMILL_ERROR_DER_INTEGER_EMPTY = 105,
    /// r and s are positive.
    SIGMILL_ERROR_DER_INTEGER_NEGATIVE = 106,
    /// A DER INTEGER has no needless leading zero byte.
    SIGMILL_ERROR_DER_INTEGER_NOT_MINIMAL = 107,
    /// r and s are no longer than the order.
    SIGMILL_ERROR_DER_INTEGER_TOO_LONG = 108,
    /// r is at least 1.
    SIGMILL_ERROR_R_ZERO = 109,
    /// r is below the order n.
    SIGMILL_ERROR_R_OUT_OF_RANGE = 110,
    /// s is at least 1.
    SIGMILL_ERROR_S_ZERO = 111,
    /// s is below the order n.
    SIGMILL_ERROR_S_OUT_OF_RANGE = 112,
    /// The policy asks for s at most n/2.
    SIGMILL_ERROR_HIGH_S = 113,
    /// The policy asks for a friendly signature: y(R) is even and x(R) = r.
    SIGMILL_ERROR_NOT_FRIENDLY = 114,
    /// The signature is well formed, but does not belong to this message and key.
    SIGMILL_ERROR_SIGNATURE_MISMATCH = 116,
    /// A digest has at least one byte.
    SIGMILL_ERROR_DIGEST_EMPTY = 117,
    /// v is a recovery id, 0 to 3, or 27 or 28.
    SIGMILL_ERROR_RECOVERY_BYTE_OUT_OF_RANGE = 123,
    /// A recovery id is 0, 1, 2 or 3.
    SIGMILL_ERROR_RECOVERY_ID_OUT_OF_RANGE = 124,
    /// The policy takes the recovery ids 0 and 1 only (27 and 28 as v), as Ethereum does.
    SIGMILL_ERROR_RECOVERY_ID_REDUCED = 125,
    /// r + n, which recovery ids 2 and 3 ask for, is below the prime.
    SIGMILL_ERROR_RECOVERY_X_OUT_OF_RANGE = 126,
    /// There is a point on the curve with the x-coordinate that r and the recovery id name.
    SIGMILL_ERROR_RECOVERY_NOT_ON_CURVE = 127,
    /// The public key that comes out is not the point at infinity.
    SIGMILL_ERROR_RECOVERED_INFINITY = 128,
    /// A row has a key.
    SIGMILL_ERROR_KEY_NULL = 132,
    /// A row has a message or a digest.
    SIGMILL_ERROR_INPUT_NULL = 133,
    /// A row has a signature.
    SIGMILL_ERROR_SIGNATURE_NULL = 134,
    /// The row was judged. One that was not, as its call was refused, may be valid or not.
    SIGMILL_ERROR_NOT_JUDGED = 135,
    /// A key has at least one byte.
    SIGMILL_ERROR_KEY_EMPTY = 136,
    /// A SEC 1 point has the length that its first byte and the curve demand.
    SIGMILL_ERROR_KEY_LENGTH = 137,
    /// A SEC 1 point begins with 02, 03 (compressed) or 04 (uncompressed).
    SIGMILL_ERROR_KEY_TAG = 138,
    /// The x coordinate is below the prime p.
    SIGMILL_ERROR_KEY_X_OUT_OF_RANGE = 139,
    /// The y coordinate is below the prime p.
    SIGMILL_ERROR_KEY_Y_OUT_OF_RANGE = 140,
    /// The point is on the curve; a compressed point has a y.
    SIGMILL_ERROR_KEY_NOT_ON_CURVE = 141,
    /// The point is not the point at infinity.
    SIGMILL_ERROR_KEY_IS_INFINITY = 142,
    /// The key is on the curve that the caller or the algorithm names.
    SIGMILL_ERROR_KEY_CURVE_MISMATCH = 143,
    /// A key is a SEC 1 point, SPKI in DER or PEM, or a JWK.
    SIGMILL_ERROR_KEY_ENCODING_UNKNOWN = 144,
    /// A secret key is as long as the order.
    SIGMILL_ERROR_SECRET_LENGTH = 146,
    /// A secret key is at least 1.
    SIGMILL_ERROR_SECRET_ZERO = 147,
    /// A secret key is below the order n.
    SIGMILL_ERROR_SECRET_OUT_OF_RANGE = 148,
    /// The PKCS#8 or SEC 1 private key is well-formed DER.
    SIGMILL_ERROR_PRIVATE_KEY_MALFORMED = 149,
    /// There are no bytes behind the PKCS#8 or SEC 1 private key.
    SIGMILL_ERROR_PRIVATE_KEY_TRAILING_DATA = 150,
    /// The algorithm in PKCS#8 is id-ecPublicKey.
    SIGMILL_ERROR_PRIVATE_KEY_ALGORITHM_NOT_EC = 151,
    /// The private key names its curve.
    SIGMILL_ERROR_PRIVATE_KEY_CURVE_MISSING = 152,
    /// The curve of a private key is a named one, not explicit numbers and not NULL.
    SIGMILL_ERROR_PRIVATE_KEY_CURVE_NOT_NAMED = 153,
    /// The curve of a private key is one that this crate knows.
    SIGMILL_ERROR_PRIVATE_KEY_CURVE_UNKNOWN = 154,
    /// Where PKCS#8 and the SEC 1 key in it both name a curve, it is the same.
    SIGMILL_ERROR_PRIVATE_KEY_CURVES_DIFFER = 155,
    /// A public key beside a private key belongs to it.
    SIGMILL_ERROR_PRIVATE_KEY_PUBLIC_MISMATCH = 156,
    /// The PEM label of a private key is "PRIVATE KEY" or "EC PRIVATE KEY".
    SIGMILL_ERROR_PRIVATE_KEY_PEM_LABEL = 157,
    /// The SPKI is well-formed DER.
    SIGMILL_ERROR_SPKI_MALFORMED = 158,
    /// There are no bytes behind the SPKI.
    SIGMILL_ERROR_SPKI_TRAILING_DATA = 159,
    /// The SPKI's algorithm is id-ecPublicKey.
    SIGMILL_ERROR_SPKI_ALGORITHM_NOT_EC = 160,
    /// The SPKI's parameters are there.
    SIGMILL_ERROR_SPKI_PARAMETERS_MISSING = 161,
    /// The SPKI's parameters are a named curve, not explicit numbers and not NULL.
    SIGMILL_ERROR_SPKI_PARAMETERS_NOT_NAMED_CURVE = 162,
    /// The SPKI's curve is one that this crate knows.
    SIGMILL_ERROR_SPKI_CURVE_UNKNOWN = 163,
    /// The SPKI's public key is a whole number of bytes.
    SIGMILL_ERROR_SPKI_UNUSED_BITS = 164,
    /// The PEM text is well formed.
    SIGMILL_ERROR_PEM_MALFORMED = 165,
    /// The PEM label is "PUBLIC KEY".
    SIGMILL_ERROR_PEM_LABEL = 166,
    /// There is one PEM block: of several, some readers take the first and some the first that
    /// fits.
    SIGMILL_ERROR_PEM_SEVERAL_BLOCKS = 167,
    /// The JWK is a JSON object whose members have the types of RFC 7517 and RFC 7518.
    SIGMILL_ERROR_JWK_MALFORMED = 168,
    /// No object in the JWK has a member twice.
    SIGMILL_ERROR_JWK_MEMBER_TWICE = 169,
    /// The JWK has the members kty, crv, x and y, and a private one d.
    SIGMILL_ERROR_JWK_MEMBER_MISSING = 170,
    /// The JWK's kty is "EC".
    SIGMILL_ERROR_JWK_KEY_TYPE = 171,
    /// The JWK's crv is one that this crate knows, by the name that JOSE has for it.
    SIGMILL_ERROR_JWK_CURVE_UNKNOWN = 172,
    /// The JWK's use, if it has one, is the purpose that the key is wanted for.
    SIGMILL_ERROR_JWK_USE = 173,
    /// The JWK's key_ops, if it has them, allow what the key is wanted for.
    SIGMILL_ERROR_JWK_KEY_OPERATIONS = 174,
    /// The JWK's alg, if it has one, is an algorithm of its curve and of the purpose.
    SIGMILL_ERROR_JWK_ALGORITHM = 175,
    /// A coordinate in a JWK is base64url without padding.
    SIGMILL_ERROR_JWK_COORDINATE_ENCODING = 176,
    /// A coordinate in a JWK has the full length of the field.
    SIGMILL_ERROR_JWK_COORDINATE_LENGTH = 177,
    /// The operating system gives random bytes for a new key.
    SIGMILL_ERROR_RANDOMNESS_UNAVAILABLE = 179,
    /// The shared secret is not zero: the peer's public key is not a point of small order.
    SIGMILL_ERROR_SHARED_SECRET_ZERO = 180,
    /// The point that two parties share is not the point at infinity.
    SIGMILL_ERROR_SHARED_INFINITY = 182,
    /// A window is 1 to 11 bits wide.
    SIGMILL_ERROR_WINDOW_OUT_OF_RANGE = 186,
    /// The operating system starts the threads asked for.
    SIGMILL_ERROR_THREADS_NOT_STARTED = 187,
    /// A table begins with its magic number.
    SIGMILL_ERROR_TABLE_MAGIC = 189,
    /// The table's version is one that this crate knows.
    SIGMILL_ERROR_TABLE_VERSION = 190,
    /// The table is for the curve asked for, and for one that this crate knows.
    SIGMILL_ERROR_TABLE_CURVE = 191,
    /// The table's window is 1 to 11 bits wide.
    SIGMILL_ERROR_TABLE_WINDOW = 192,
    /// The table has exactly the length that its curve and window demand.
    SIGMILL_ERROR_TABLE_LENGTH = 193,
    /// The table's checksum is right.
    SIGMILL_ERROR_TABLE_CHECKSUM = 194,
    /// Every point of the table is the multiple of the key that belongs there.
    SIGMILL_ERROR_TABLE_POINT = 195,
}
