/* The C interface of sigmill: see docs/c.md. Generated from Rust sources: edit those.
 *
 * The caller guarantees three things. A pointer that is not NULL points to as many values as the
 * description of the function states, and nothing changes them during the call. A handle came from
 * this library and was not freed. Memory that receives a result overlaps nothing else of the call.
 * Everything else is checked.
 *
 * In lists of errors, `_X` stands for `SIGMILL_ERROR_X`, and `_X_...` for every error whose name
 * begins so. Every function that returns a `sigmill_error` may also return `SIGMILL_ERROR_PANIC`.
 *
 * A function with a buffer and a `len` sets `*len` to the length needed if the buffer is too small,
 * and to 0 after any other error.
 */

#ifndef SIGMILL_H
#define SIGMILL_H

#include <stddef.h>
#include <stdint.h>

/* Compilers warn if a program ignores whether it verified, signed, agreed or made a handle. */
#if defined(__GNUC__) || defined(__clang__)
#define SIGMILL_MUST_USE __attribute__((warn_unused_result))
#else
#define SIGMILL_MUST_USE
#endif

/* The Arrow C Data Interface, as in its specification. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

// The usual `key_memory` of `sigmill_engine_new`: 256 MiB.
#define SIGMILL_KEY_MEMORY (256 << 20)

// Length of the longest signature: DER on P-521.
#define SIGMILL_MAX_SIGNATURE_LEN 139

// Length of the longest SEC 1 point: uncompressed on P-521.
#define SIGMILL_MAX_POINT_LEN 133

// Length of the longest SubjectPublicKeyInfo in DER.
#define SIGMILL_MAX_SPKI_LEN 158

// Length of the longest private key as PKCS#8 in DER.
#define SIGMILL_MAX_PKCS8_LEN 241

// Length of the longest shared secret: on P-521.
#define SIGMILL_MAX_SHARED_LEN 66

// The result of a function: `SIGMILL_OK`, or the rule that is broken.
// `sigmill_error_name` and `sigmill_error_message` return it in words. Numbers and names
// stay the same between versions; a later version may add more. Missing numbers belong
// to rules that no function of this interface checks.
enum sigmill_error
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Success; for a signature: it is valid.
  SIGMILL_OK = 0,
  // The library panicked, which is a bug in it. Do not use anything that the call has written.
  SIGMILL_ERROR_PANIC = 1,
  // A pointer that must not be NULL is NULL.
  SIGMILL_ERROR_NULL_POINTER = 2,
  // A number that stands for a curve, hash, format, policy or kind of input is not in its list.
  SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE = 3,
  // A length, or the extent of a length and a stride, is more than `PTRDIFF_MAX`; or the
  // signatures of several rows have stride 0.
  SIGMILL_ERROR_LENGTH_OUT_OF_RANGE = 4,
  // The buffer for the result is too small. Its length variable receives the number of bytes
  // needed.
  SIGMILL_ERROR_BUFFER_TOO_SMALL = 5,
  // The PEM or JSON text must be UTF-8.
  SIGMILL_ERROR_TEXT_NOT_UTF8 = 6,
  // There is not enough memory for so many rows.
  SIGMILL_ERROR_MEMORY_UNAVAILABLE = 7,
  // The columns do not form rows.
  SIGMILL_ERROR_ROWS_SHAPE = 8,
  // An Arrow schema or array was released, or one of the two is missing.
  SIGMILL_ERROR_ARROW_RELEASED = 9,
  // The format of the rows must be a struct, and that of a column bytes or text.
  SIGMILL_ERROR_ARROW_FORMAT = 10,
  // A column is missing or occurs twice, or the rows have both messages and digests.
  SIGMILL_ERROR_ARROW_COLUMNS = 11,
  // Schema and array must have the same number of children, and a column of bytes none.
  SIGMILL_ERROR_ARROW_CHILDREN = 12,
  // The number of buffers does not match the format, or a required buffer is NULL.
  SIGMILL_ERROR_ARROW_BUFFERS = 13,
  // A length or offset is negative or too large, or a column is shorter than the rows.
  SIGMILL_ERROR_ARROW_LENGTH = 14,
  // A whole row is null.
  SIGMILL_ERROR_ARROW_NULLS = 15,
  // An error of the library that has no number in this interface.
  SIGMILL_ERROR_UNNAMED = 16,
  // signature: P1363 must have twice the length of the order.
  SIGMILL_ERROR_SIGNATURE_LENGTH = 100,
  // signature: a DER length points behind the end.
  SIGMILL_ERROR_DER_TRUNCATED = 101,
  // signature: DER must end after s, without trailing data.
  SIGMILL_ERROR_DER_TRAILING_DATA = 102,
  // signature: DER must be a SEQUENCE of two INTEGERs.
  SIGMILL_ERROR_DER_TAG = 103,
  // signature: a DER length must be definite and in its shortest form.
  SIGMILL_ERROR_DER_LENGTH = 104,
  // signature: a DER INTEGER must have at least one byte.
  SIGMILL_ERROR_DER_INTEGER_EMPTY = 105,
  // signature: r and s must not be negative in DER.
  SIGMILL_ERROR_DER_INTEGER_NEGATIVE = 106,
  // signature: a DER INTEGER must not have a needless leading byte.
  SIGMILL_ERROR_DER_INTEGER_NOT_MINIMAL = 107,
  // signature: r and s must not be longer than the order.
  SIGMILL_ERROR_DER_INTEGER_TOO_LONG = 108,
  // signature: r must be at least 1.
  SIGMILL_ERROR_R_ZERO = 109,
  // signature: r must be below the order of the curve.
  SIGMILL_ERROR_R_OUT_OF_RANGE = 110,
  // signature: s must be at least 1.
  SIGMILL_ERROR_S_ZERO = 111,
  // signature: s must be below the order of the curve.
  SIGMILL_ERROR_S_OUT_OF_RANGE = 112,
  // signature: s must be at most half the order (low-s policy).
  SIGMILL_ERROR_HIGH_S = 113,
  // signature: R must have an even y and the x-coordinate r (friendly policy).
  SIGMILL_ERROR_NOT_FRIENDLY = 114,
  // signature: it is not a signature of this message by this key.
  // The signature is well formed.
  SIGMILL_ERROR_SIGNATURE_MISMATCH = 116,
  // digest: it must have at least one byte.
  SIGMILL_ERROR_DIGEST_EMPTY = 117,
  // signature: v must be 0 to 3, 27 or 28.
  SIGMILL_ERROR_RECOVERY_BYTE_OUT_OF_RANGE = 123,
  // recovery id: it must be 0, 1, 2 or 3.
  SIGMILL_ERROR_RECOVERY_ID_OUT_OF_RANGE = 124,
  // recovery id: it must be 0 or 1 under this policy, not 2 or 3.
  // Ethereum has this policy: v is 27 or 28.
  SIGMILL_ERROR_RECOVERY_ID_REDUCED = 125,
  // signature: r plus the order must be below the prime for recovery ids 2 and 3.
  SIGMILL_ERROR_RECOVERY_X_OUT_OF_RANGE = 126,
  // signature: r and the recovery id must name a point on the curve.
  SIGMILL_ERROR_RECOVERY_NOT_ON_CURVE = 127,
  // signature: the public key that it leads to must not be infinity.
  SIGMILL_ERROR_RECOVERED_INFINITY = 128,
  // key: it must not be null.
  // A row must have a key.
  SIGMILL_ERROR_KEY_NULL = 132,
  // input: there must be a message or a digest, not null.
  // A row must have a message or a digest.
  SIGMILL_ERROR_INPUT_NULL = 133,
  // signature: it must not be null.
  // A row must have a signature.
  SIGMILL_ERROR_SIGNATURE_NULL = 134,
  // row: it was not judged, as the call was cancelled before.
  // The row may be valid or not.
  SIGMILL_ERROR_NOT_JUDGED = 135,
  // key: it must have at least one byte.
  SIGMILL_ERROR_KEY_EMPTY = 136,
  // key: the point must have the length that its first byte and the curve demand.
  SIGMILL_ERROR_KEY_LENGTH = 137,
  // key: the point must begin with 02, 03 or 04.
  // 02 and 03 are for compressed points, 04 is for uncompressed ones.
  SIGMILL_ERROR_KEY_TAG = 138,
  // key: x must be below the prime of the curve.
  SIGMILL_ERROR_KEY_X_OUT_OF_RANGE = 139,
  // key: y must be below the prime of the curve.
  SIGMILL_ERROR_KEY_Y_OUT_OF_RANGE = 140,
  // key: the point is not on the curve.
  // If the point is compressed, a y must exist for it.
  SIGMILL_ERROR_KEY_NOT_ON_CURVE = 141,
  // key: the point at infinity is not a public key.
  SIGMILL_ERROR_KEY_IS_INFINITY = 142,
  // key: the curve must be the one asked for.
  // The caller or the algorithm names the curve.
  SIGMILL_ERROR_KEY_CURVE_MISMATCH = 143,
  // key: the encoding must be a SEC 1 point, SPKI in DER or PEM, or a JWK.
  SIGMILL_ERROR_KEY_ENCODING_UNKNOWN = 144,
  // secret key: it must be as long as the order of the curve.
  SIGMILL_ERROR_SECRET_LENGTH = 146,
  // secret key: it must be at least 1.
  SIGMILL_ERROR_SECRET_ZERO = 147,
  // secret key: it must be below the order of the curve.
  SIGMILL_ERROR_SECRET_OUT_OF_RANGE = 148,
  // secret key: the private key is not well-formed DER of PKCS#8 or SEC 1.
  SIGMILL_ERROR_PRIVATE_KEY_MALFORMED = 149,
  // secret key: the private key must not have trailing data.
  SIGMILL_ERROR_PRIVATE_KEY_TRAILING_DATA = 150,
  // secret key: the algorithm of the private key must be id-ecPublicKey.
  SIGMILL_ERROR_PRIVATE_KEY_ALGORITHM_NOT_EC = 151,
  // secret key: the private key must name its curve.
  SIGMILL_ERROR_PRIVATE_KEY_CURVE_MISSING = 152,
  // secret key: the curve of the private key must be a named curve.
  // Explicit numbers and NULL do not name a curve.
  SIGMILL_ERROR_PRIVATE_KEY_CURVE_NOT_NAMED = 153,
  // secret key: the curve of the private key is not supported.
  SIGMILL_ERROR_PRIVATE_KEY_CURVE_UNKNOWN = 154,
  // secret key: the two curves that the private key names must be the same.
  // PKCS#8 and the SEC 1 key in it may both name a curve.
  SIGMILL_ERROR_PRIVATE_KEY_CURVES_DIFFER = 155,
  // secret key: the public key in the file must belong to the private key.
  SIGMILL_ERROR_PRIVATE_KEY_PUBLIC_MISMATCH = 156,
  // secret key: the PEM label of a private key must be PRIVATE KEY or EC PRIVATE KEY.
  SIGMILL_ERROR_PRIVATE_KEY_PEM_LABEL = 157,
  // key: the SPKI is not well-formed DER.
  SIGMILL_ERROR_SPKI_MALFORMED = 158,
  // key: the SPKI must not have trailing data.
  SIGMILL_ERROR_SPKI_TRAILING_DATA = 159,
  // key: the SPKI algorithm must be id-ecPublicKey.
  SIGMILL_ERROR_SPKI_ALGORITHM_NOT_EC = 160,
  // key: the SPKI must name its curve.
  SIGMILL_ERROR_SPKI_PARAMETERS_MISSING = 161,
  // key: the SPKI parameters must be a named curve.
  // Explicit numbers and NULL do not name a curve.
  SIGMILL_ERROR_SPKI_PARAMETERS_NOT_NAMED_CURVE = 162,
  // key: the SPKI curve is not supported.
  SIGMILL_ERROR_SPKI_CURVE_UNKNOWN = 163,
  // key: the SPKI public key must be a whole number of bytes.
  SIGMILL_ERROR_SPKI_UNUSED_BITS = 164,
  // key: the PEM text is malformed.
  SIGMILL_ERROR_PEM_MALFORMED = 165,
  // key: the PEM label must be PUBLIC KEY.
  SIGMILL_ERROR_PEM_LABEL = 166,
  // key: the PEM text must hold one block only.
  // Of several, some readers use the first and others the first that fits.
  SIGMILL_ERROR_PEM_SEVERAL_BLOCKS = 167,
  // key: the JWK must be a JSON object with text members.
  // The members must have the types of RFC 7517 and RFC 7518.
  SIGMILL_ERROR_JWK_MALFORMED = 168,
  // key: no object in the JWK may have a member twice.
  SIGMILL_ERROR_JWK_MEMBER_TWICE = 169,
  // key: a JWK must have the members kty, crv, x and y, and a private one d.
  SIGMILL_ERROR_JWK_MEMBER_MISSING = 170,
  // key: the JWK member kty must be EC.
  SIGMILL_ERROR_JWK_KEY_TYPE = 171,
  // key: the JWK member crv names a curve that is not supported in a JWK.
  SIGMILL_ERROR_JWK_CURVE_UNKNOWN = 172,
  // key: the JWK member use must be sig to verify or sign, enc to agree on a secret.
  // The member may be missing.
  SIGMILL_ERROR_JWK_USE = 173,
  // key: the JWK member key_ops must hold verify to verify, sign to sign, deriveKey or deriveBits
  // to agree on a secret.
  // The member may be missing.
  SIGMILL_ERROR_JWK_KEY_OPERATIONS = 174,
  // key: the JWK member alg must be that of the curve to verify or sign (ES256 on P-256), one of
  // ECDH to agree on a secret.
  // The member may be missing.
  SIGMILL_ERROR_JWK_ALGORITHM = 175,
  // key: the JWK members x and y must be base64url without padding.
  SIGMILL_ERROR_JWK_COORDINATE_ENCODING = 176,
  // key: the JWK members x and y must have the length of the field.
  SIGMILL_ERROR_JWK_COORDINATE_LENGTH = 177,
  // key: the operating system gave no randomness.
  SIGMILL_ERROR_RANDOMNESS_UNAVAILABLE = 179,
  // shared secret: it must not be zero (the public key is a point of small order).
  SIGMILL_ERROR_SHARED_SECRET_ZERO = 180,
  // shared secret: its point must not be infinity.
  SIGMILL_ERROR_SHARED_INFINITY = 182,
  // window: it must be 1 to 11 bits wide.
  SIGMILL_ERROR_WINDOW_OUT_OF_RANGE = 186,
  // threads: the operating system did not start them.
  SIGMILL_ERROR_THREADS_NOT_STARTED = 187,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sigmill_error sigmill_error;
#else
typedef int32_t sigmill_error;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Curves. Files of tables use the same numbers.
enum sigmill_curve
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // NIST P-256, also prime256v1 and secp256r1.
  SIGMILL_CURVE_P256 = 1,
  // NIST P-384, also secp384r1.
  SIGMILL_CURVE_P384 = 2,
  // secp256k1, the curve of Bitcoin and Ethereum.
  SIGMILL_CURVE_SECP256K1 = 3,
  // brainpoolP256r1.
  SIGMILL_CURVE_BRAINPOOL_P256R1 = 4,
  // NIST P-521, also secp521r1.
  SIGMILL_CURVE_P521 = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sigmill_curve sigmill_curve;
#else
typedef uint32_t sigmill_curve;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Hashes of messages.
enum sigmill_hash
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // The usual one of the curve: SHA-384 on P-384, SHA-512 on P-521, otherwise SHA-256.
  SIGMILL_HASH_OF_CURVE = 0,
  // SHA-256.
  SIGMILL_HASH_SHA256 = 1,
  // SHA-384.
  SIGMILL_HASH_SHA384 = 2,
  // SHA-512.
  SIGMILL_HASH_SHA512 = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sigmill_hash sigmill_hash;
#else
typedef uint32_t sigmill_hash;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Formats of signatures. 0 is not a format, so the caller must choose one.
enum sigmill_format
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // ASN.1 DER: a SEQUENCE of two INTEGERs (X.509, TLS, OpenSSL). Strict: each signature has one
  // encoding.
  SIGMILL_FORMAT_DER = 1,
  // r and s, one after the other, big-endian, each as long as the order: 32, 48 or 66 bytes
  // (JWS, WebCrypto, PKCS#11).
  SIGMILL_FORMAT_P1363 = 2,
  // Read P1363 if the length is exactly that of r and s together, otherwise DER. Write P1363.
  SIGMILL_FORMAT_AUTO = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sigmill_format sigmill_format;
#else
typedef uint32_t sigmill_format;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Rules in addition to the equation of ECDSA, for signatures to verify and signatures to make: 0,
// or a sum of these. LOW_S and FRIENDLY exclude each other.
enum sigmill_policy
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Any s, all recovery ids.
  SIGMILL_POLICY_ANY = 0,
  // s is at most half the order (BIP 62, EIP-2).
  SIGMILL_POLICY_LOW_S = 1,
  // The one of s and n - s that makes y(R) even, and x(R) = r.
  SIGMILL_POLICY_FRIENDLY = 2,
  // Only the recovery ids 0 and 1, as in Ethereum.
  SIGMILL_POLICY_PARITY_ONLY = 4,
  // An engine may judge many rows with hints (with FRIENDLY, also rows without) at once, by one
  // equation with random weights. A row that is not valid then passes with a probability of at
  // most 2^-120.
  SIGMILL_POLICY_BATCH = 8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sigmill_policy sigmill_policy;
#else
typedef uint32_t sigmill_policy;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The input of a signature.
enum sigmill_input
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // A message, which the library hashes.
  SIGMILL_INPUT_MESSAGE = 1,
  // A digest.
  SIGMILL_INPUT_DIGEST = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sigmill_input sigmill_input;
#else
typedef uint32_t sigmill_input;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// An engine that verifies many rows at once. It remembers keys between calls and builds tables for
// keys that return. Threads may share it. Free it with `sigmill_engine_free`. It also works in the
// child of a process that forks: there the caller's thread does all rows, and no key is known at
// first.
typedef struct sigmill_engine sigmill_engine;

// A public key with a table of its multiples, which verifies several times as fast. It occupies
// 148 KiB on P-256. It never changes, so threads may share it. Free it with
// `sigmill_prepared_key_free`.
typedef struct sigmill_prepared_key sigmill_prepared_key;

// A private key on any of the curves. It never changes, so threads may share it. Wipe and free it
// with `sigmill_signing_key_free`.
typedef struct sigmill_signing_key sigmill_signing_key;

// A public key on any of the curves. It never changes, so threads may share it. Free it with
// `sigmill_verifying_key_free`.
typedef struct sigmill_verifying_key sigmill_verifying_key;

// A column of byte strings, one for each row.
//
// Value i begins at `data + i * stride`, or at `pointers[i]` if `pointers` is not NULL. A row
// whose pointer is NULL has no value. Value i has `lens[i]` bytes, or `len` bytes if `lens` is
// NULL. If `stride` is 0, all rows share the value at `data`; several rows must not share a
// signature.
//
// A field in an array of structs is a column, too: `data` points to the field of the first struct,
// and `stride` is the size of the struct.
typedef struct sigmill_column {
  // Where the first value begins; ignored if `pointers` is not NULL.
  const uint8_t *data;
  // Where each value begins, or NULL.
  const uint8_t *const *pointers;
  // The bytes from the beginning of a value to that of the next.
  size_t stride;
  // The length of every value in bytes, if `lens` is NULL.
  size_t len;
  // The length of each value in bytes, or NULL.
  const size_t *lens;
} sigmill_column;

// Rows to verify. No field left at zero is accepted by mistake.
typedef struct sigmill_rows {
  // The number of rows.
  size_t len;
  // The curve of all keys, a `sigmill_curve`.
  uint32_t curve;
  // The hash of all messages, a `sigmill_hash`.
  uint32_t hash;
  // The format of all signatures, a `sigmill_format`.
  uint32_t format;
  // The kind of the inputs, messages or digests, a `sigmill_input`.
  uint32_t input;
  // The public keys: SEC 1 points, SPKI in DER or PEM, or JWK.
  struct sigmill_column keys;
  // The messages or the digests.
  struct sigmill_column inputs;
  // The signatures.
  struct sigmill_column signatures;
  // Recovery ids of one byte each, as hints (see `SIGMILL_POLICY_BATCH`); without hints, `data`
  // and `pointers` are NULL. Hints do not change a verdict.
  struct sigmill_column hints;
  // Zeros. A later version may give them a meaning.
  size_t reserved[4];
} sigmill_rows;

// The reason why rows were rejected, in words: the column, and the rule that it breaks.
typedef struct sigmill_failure {
  // English text in UTF-8, with a zero byte at its end; truncated if it is too long.
  char message[256];
} sigmill_failure;

// The options of a verification. A structure of zeros has the default options, as NULL in its
// place has.
typedef struct sigmill_verify_options {
  // The hash of a message, a `sigmill_hash`. It does not affect a digest.
  uint32_t hash;
  // The rules for s, a sum of `sigmill_policy`.
  uint32_t policy;
  // A hint: the recovery id of the signature, 0 to 3, or NULL. The right one saves time if the
  // key has no table. A wrong one does not change the result.
  const uint8_t *hint;
  // Zeros. A later version may give them a meaning.
  size_t reserved[4];
} sigmill_verify_options;

// The options of a signature. A structure of zeros has the default options, as NULL in its place
// has. The policy belongs to the key (`sigmill_signing_key_with_policy`).
typedef struct sigmill_sign_options {
  // The hash of a message, and of the HMAC that the nonce comes from, a `sigmill_hash`. For a
  // digest, it should be the hash that produced it.
  uint32_t hash;
  // Additional bytes for the nonce (RFC 6979, section 3.6), or NULL. Random bytes hinder fault
  // attacks. The signature is safe for any value of these bytes.
  const uint8_t *entropy;
  // The number of these bytes.
  size_t entropy_len;
  // Zeros. A later version may give them a meaning.
  size_t reserved[4];
} sigmill_sign_options;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the version of the library, such as "0.1.0", as a static string. Thread-safe.
const char *sigmill_version(void);

// Builds the tables of a curve's generator. Otherwise the first call on that curve builds them,
// which costs some milliseconds. They stay until the process ends.
//
// `curve` is a `sigmill_curve`. Errors: `SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE`. Thread-safe.
sigmill_error sigmill_warm_up(uint32_t curve);

// Computes a shared secret by ECDH (SEC 1 §3.3.1, SP 800-56A): the x-coordinate of the shared
// point, big-endian, as long as the field, at most `SIGMILL_MAX_SHARED_LEN` bytes. `*len` is the
// length of the buffer on entry and that of the secret on return. Pass the secret through a key
// derivation function. After an error the buffer holds random bytes: a caller that ignores the
// error has a secret that nobody knows.
//
// Errors: `SIGMILL_ERROR_KEY_CURVE_MISMATCH`, `_BUFFER_TOO_SMALL`, `_NULL_POINTER`. Constant time.
// Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_ecdh(const struct sigmill_signing_key *key,
                           const struct sigmill_verifying_key *peer,
                           uint8_t *shared,
                           size_t *len);

// Makes a new X25519 private key of 32 bytes from the operating system's random number generator.
// `secret` receives it.
//
// Errors: `SIGMILL_ERROR_RANDOMNESS_UNAVAILABLE`, `_NULL_POINTER`. Thread-safe.
SIGMILL_MUST_USE sigmill_error sigmill_x25519_generate(uint8_t *secret);

// Computes the X25519 public key of a private key (RFC 7748). Both have 32 bytes.
//
// Errors: `SIGMILL_ERROR_NULL_POINTER`. Constant time. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_x25519_public_key(const uint8_t *secret,
                                        uint8_t *public_key);

// Computes the X25519 shared secret (RFC 7748) of a private key and the peer's public key. All
// three have 32 bytes. Pass the secret through a key derivation function. After an error `shared`
// holds random bytes: a caller that ignores the error has a secret that nobody knows.
//
// Errors: `SIGMILL_ERROR_SHARED_SECRET_ZERO` (the peer's key is a point of small order),
// `_NULL_POINTER`. Constant time. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_x25519(const uint8_t *secret,
                             const uint8_t *peer,
                             uint8_t *shared);

// Makes an engine.
//
// `threads`: the number of threads that work on a call. 1 means the caller's own thread alone, 0
// as many threads as the machine runs in parallel. `key_memory`: the bytes that keys and their
// tables may occupy between calls (usually `SIGMILL_KEY_MEMORY`), allocated as they are used.
// `window`: the widest tables, 1 to 11 bits, or 0 for the usual 10. `policy`: a sum of
// `sigmill_policy`. `*engine` receives a handle, which the caller frees, or NULL after an error.
// The first engine of a process measures the machine for half a millisecond.
//
// Errors: `SIGMILL_ERROR_WINDOW_OUT_OF_RANGE`, `_THREADS_NOT_STARTED`, `_ARGUMENT_OUT_OF_RANGE`
// (the policy, or more than 1024 threads), `_NULL_POINTER` (`engine`). Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_engine_new(size_t threads,
                                 size_t key_memory,
                                 uint32_t window,
                                 uint32_t policy,
                                 struct sigmill_engine **engine);

// Frees an engine. NULL is allowed. No other call may use the engine during or after this call.
// Its threads end soon after; the call does not wait for them. Thread-safe for different engines.
void sigmill_engine_free(struct sigmill_engine *engine);

// Verifies rows by pointer and stride. `verdicts` has room for `rows->len` verdicts. `verdicts[i]`
// receives the result that the call for a single signature returns for row i: `SIGMILL_OK`, or the
// rule that the row breaks. A missing value yields `_KEY_NULL`, `_INPUT_NULL` or
// `_SIGNATURE_NULL`. `*valid` receives the number of valid rows; `valid` may be NULL.
//
// Returns `SIGMILL_OK` if all rows were judged, valid or not. Otherwise none was judged: every
// verdict is `SIGMILL_ERROR_NOT_JUDGED`, `*valid` is 0, and `*failure` receives the reason;
// `failure` may be NULL.
//
// Errors: `SIGMILL_ERROR_NULL_POINTER`, `_ARGUMENT_OUT_OF_RANGE`, `_LENGTH_OUT_OF_RANGE`,
// `_ROWS_SHAPE`, `_MEMORY_UNAVAILABLE`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_engine_verify(const struct sigmill_engine *engine,
                                    const struct sigmill_rows *rows,
                                    sigmill_error *verdicts,
                                    size_t *valid,
                                    struct sigmill_failure *failure);

// Verifies the rows of an Arrow record batch by the Arrow C Data Interface. The batch is a struct
// (`+s`) with the columns "key", "message" or "digest", and "signature"; other columns are
// ignored. These columns are binary or text in any layout of Arrow: `z`, `Z`, `w:N`, `vz`, `u`,
// `U`, `vu`, and dictionaries of these. They may have nulls and be slices. Only `vz` and `vu` are
// copied.
//
// `curve` is a `sigmill_curve`, `hash` a `sigmill_hash`, `format` a `sigmill_format`. `verdicts`
// has room for `verdicts_len` verdicts, at least one for each row. Verdicts after the last row are
// `SIGMILL_ERROR_NOT_JUDGED`. Verdicts, `valid`, `failure` and the returned value are otherwise
// those of `sigmill_engine_verify`. The call releases neither `schema` nor `array`: the caller
// does that afterwards.
//
// Errors: those of `sigmill_engine_verify`, `SIGMILL_ERROR_ARROW_...`, `_BUFFER_TOO_SMALL` (fewer
// verdicts than rows). `failure` names the column. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_engine_verify_arrow(const struct sigmill_engine *engine,
                                          const struct ArrowSchema *schema,
                                          const struct ArrowArray *array,
                                          uint32_t curve,
                                          uint32_t hash,
                                          uint32_t format,
                                          sigmill_error *verdicts,
                                          size_t verdicts_len,
                                          size_t *valid,
                                          struct sigmill_failure *failure);

// Returns the name of an error. It is `Error::reason` of the Rust library: lower case with
// hyphens, such as "der-truncated". The name of 0 is "ok", and that of a number outside
// `sigmill_error` is "unnamed".
//
// The string is static: it never changes, and the caller does not free it. Thread-safe.
const char *sigmill_error_name(int32_t error);

// Returns the message of an error in English: the field and the rule that it breaks, such as
// "signature: r must be at least 1".
//
// The string is static: the caller does not free it. The message may become clearer in a later
// version, so programs compare numbers. Thread-safe.
const char *sigmill_error_message(int32_t error);

// Builds the table of a key. This costs as much time as verifying some signatures. `window` is the
// width of the table, 1 to 11 bits, or 0 for the usual one. `*prepared` receives a handle, which
// the caller frees, or NULL after an error. It does not depend on `key` afterwards.
//
// Errors: `SIGMILL_ERROR_WINDOW_OUT_OF_RANGE`, `_NULL_POINTER`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_prepared_key_new(const struct sigmill_verifying_key *key,
                                       uint32_t window,
                                       struct sigmill_prepared_key **prepared);

// Frees a key. NULL is allowed. No other call may use the key during or after this call.
// Thread-safe for different keys.
void sigmill_prepared_key_free(struct sigmill_prepared_key *prepared);

// Returns the bytes of memory that a key and its table occupy, or 0 for NULL. Thread-safe.
size_t sigmill_prepared_key_memory(const struct sigmill_prepared_key *prepared);

// Returns what `sigmill_verify` returns, in a fraction of the time. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_prepared_verify(const struct sigmill_prepared_key *prepared,
                                      const uint8_t *message,
                                      size_t message_len,
                                      const uint8_t *signature,
                                      size_t signature_len,
                                      uint32_t format);

// Returns what `sigmill_verify_prehash` returns, in a fraction of the time. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_prepared_verify_prehash(const struct sigmill_prepared_key *prepared,
                                              const uint8_t *digest,
                                              size_t digest_len,
                                              const uint8_t *signature,
                                              size_t signature_len,
                                              uint32_t format);

// Returns what `sigmill_verify_with` returns, in a fraction of the time. A hint saves none.
// Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_prepared_verify_with(const struct sigmill_prepared_key *prepared,
                                           uint32_t input_kind,
                                           const uint8_t *input,
                                           size_t input_len,
                                           const uint8_t *signature,
                                           size_t signature_len,
                                           uint32_t format,
                                           const struct sigmill_verify_options *options);

// Recovers the public key from a signature of a digest. `curve` is a `sigmill_curve`, `format` a
// `sigmill_format`, `policy` a sum of `sigmill_policy`. `v` is the recovery id, 0 to 3; 27 and 28
// stand for 0 and 1. `*key` receives a handle, which the caller frees, or NULL after an error.
//
// Almost every signature yields some key. The caller checks that it is the right one.
//
// Errors: `SIGMILL_ERROR_RECOVERY_...`, `_RECOVERED_INFINITY`, `_DIGEST_EMPTY`, and those of
// `sigmill_verify_with` except `_SIGNATURE_MISMATCH`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_recover(uint32_t curve,
                              const uint8_t *digest,
                              size_t digest_len,
                              const uint8_t *signature,
                              size_t signature_len,
                              uint32_t format,
                              uint8_t v,
                              uint32_t policy,
                              struct sigmill_verifying_key **key);

// Makes a new key from the operating system's random number generator. `curve` is a
// `sigmill_curve`. `*key` receives a handle, which the caller frees, or NULL after an error.
//
// Errors: `SIGMILL_ERROR_RANDOMNESS_UNAVAILABLE`, `_ARGUMENT_OUT_OF_RANGE`, `_NULL_POINTER`.
// Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_signing_key_generate(uint32_t curve,
                                           struct sigmill_signing_key **key);

// Reads a private key as PEM with the label "PRIVATE KEY" (PKCS#8) or "EC PRIVATE KEY" (SEC 1).
// `len` is the length of the text and may include a zero byte at its end. `*key` receives a
// handle, which the caller frees, or NULL after an error.
//
// Errors: `SIGMILL_ERROR_TEXT_NOT_UTF8`, `_PEM_...`, `_PRIVATE_KEY_...`, `_SECRET_...`, and
// `_KEY_...` for a public key in the text; `_NULL_POINTER`, `_LENGTH_OUT_OF_RANGE`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_signing_key_from_pem(const uint8_t *pem,
                                           size_t len,
                                           struct sigmill_signing_key **key);

// Reads a private key as PKCS#8 in DER (RFC 5958). `*key` receives a handle, which the caller
// frees, or NULL after an error.
//
// Errors: `SIGMILL_ERROR_PRIVATE_KEY_...`, `_SECRET_...`, and `_KEY_...` for a public key in the
// DER; `_NULL_POINTER`, `_LENGTH_OUT_OF_RANGE`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_signing_key_from_pkcs8_der(const uint8_t *der,
                                                 size_t len,
                                                 struct sigmill_signing_key **key);

// Reads a private key as the integer d, big-endian, in the full length of the order (32, 48 or 66
// bytes). `curve` is a `sigmill_curve`. `*key` receives a handle, which the caller frees, or NULL
// after an error.
//
// Errors: `SIGMILL_ERROR_SECRET_...`, `_ARGUMENT_OUT_OF_RANGE`, `_NULL_POINTER`,
// `_LENGTH_OUT_OF_RANGE`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_signing_key_from_scalar(uint32_t curve,
                                              const uint8_t *scalar,
                                              size_t len,
                                              struct sigmill_signing_key **key);

// Copies a key. The copy makes signatures under another policy, a sum of `sigmill_policy`: low s,
// or friendly. Keys that were read or generated sign under `SIGMILL_POLICY_ANY`. `*other` receives
// a handle, which the caller frees, or NULL after an error.
//
// Errors: `SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE`, `_NULL_POINTER`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_signing_key_with_policy(const struct sigmill_signing_key *key,
                                              uint32_t policy,
                                              struct sigmill_signing_key **other);

// Wipes and frees a key. NULL is allowed. No other call may use the key during or after this call.
// Thread-safe for different keys.
void sigmill_signing_key_free(struct sigmill_signing_key *key);

// Returns the curve of a key, a `sigmill_curve`, or 0 for NULL. Thread-safe.
uint32_t sigmill_signing_key_curve(const struct sigmill_signing_key *key);

// Returns the public key of a private key. `*public_key` receives a handle, which the caller
// frees, or NULL after an error. It does not depend on `key` afterwards.
//
// Errors: `SIGMILL_ERROR_NULL_POINTER`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_signing_key_verifying_key(const struct sigmill_signing_key *key,
                                                struct sigmill_verifying_key **public_key);

// Writes a private key as PKCS#8 in DER of at most `SIGMILL_MAX_PKCS8_LEN` bytes. `*len` is the
// length of the buffer on entry and that of the DER on return. The caller wipes the buffer after
// use.
//
// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`, `_NULL_POINTER`. Thread-safe.
sigmill_error sigmill_signing_key_to_pkcs8_der(const struct sigmill_signing_key *key,
                                               uint8_t *der,
                                               size_t *len);

// Writes a private key as PKCS#8 in PEM, without a zero byte at the end. `*len` is the length of
// the buffer on entry and that of the text on return. The caller wipes the buffer after use.
//
// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`, `_NULL_POINTER`. Thread-safe.
sigmill_error sigmill_signing_key_to_pkcs8_pem(const struct sigmill_signing_key *key,
                                               uint8_t *pem,
                                               size_t *len);

// Writes the integer d of a private key, big-endian, in the full length of the order. `*len` is
// the length of the buffer on entry and that of the integer on return. The caller wipes the buffer
// after use.
//
// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`, `_NULL_POINTER`. Thread-safe.
sigmill_error sigmill_signing_key_to_scalar(const struct sigmill_signing_key *key,
                                            uint8_t *scalar,
                                            size_t *len);

// Signs a message under the curve's own hash. The nonce is that of RFC 6979: the same key and
// message yield the same signature. `format` is a `sigmill_format`. `*len` is the length of the
// buffer on entry and that of the signature on return, at most `SIGMILL_MAX_SIGNATURE_LEN`.
//
// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`, `_ARGUMENT_OUT_OF_RANGE`, `_NULL_POINTER`,
// `_LENGTH_OUT_OF_RANGE`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_sign(const struct sigmill_signing_key *key,
                           const uint8_t *message,
                           size_t message_len,
                           uint32_t format,
                           uint8_t *signature,
                           size_t *len);

// Signs a digest. The digest has at least one byte; of one longer than the order, only the
// leftmost bits count. The other arguments are those of `sigmill_sign`.
//
// Errors: those of `sigmill_sign`, `SIGMILL_ERROR_DIGEST_EMPTY`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_sign_prehash(const struct sigmill_signing_key *key,
                                   const uint8_t *digest,
                                   size_t digest_len,
                                   uint32_t format,
                                   uint8_t *signature,
                                   size_t *len);

// Signs a message or a digest, with options: another hash, additional bytes for the nonce.
// `*recovery_id` receives the recovery id for `sigmill_recover`, 0 to 3, or 255 after an error,
// which recovers nothing.
//
// `input_kind` is a `sigmill_input`. `options` and `recovery_id` may be NULL.
//
// Errors: those of `sigmill_sign_prehash`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_sign_with(const struct sigmill_signing_key *key,
                                uint32_t input_kind,
                                const uint8_t *input,
                                size_t input_len,
                                uint32_t format,
                                const struct sigmill_sign_options *options,
                                uint8_t *signature,
                                size_t *len,
                                uint8_t *recovery_id);

// Reads a public key as PEM with the label "PUBLIC KEY". `len` is the length of the text and may
// include a zero byte at its end. `*key` receives a handle, which the caller frees, or NULL after
// an error.
//
// Errors: `SIGMILL_ERROR_TEXT_NOT_UTF8`, `_PEM_...`, `_SPKI_...`, `_KEY_...`, `_NULL_POINTER`,
// `_LENGTH_OUT_OF_RANGE`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_verifying_key_from_pem(const uint8_t *pem,
                                             size_t len,
                                             struct sigmill_verifying_key **key);

// Reads a public key as SubjectPublicKeyInfo in DER (RFC 5280, RFC 5480) with a named curve.
// `*key` receives a handle, which the caller frees, or NULL after an error.
//
// Errors: `SIGMILL_ERROR_SPKI_...`, `_KEY_...`, `_NULL_POINTER`, `_LENGTH_OUT_OF_RANGE`.
// Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_verifying_key_from_spki_der(const uint8_t *der,
                                                  size_t len,
                                                  struct sigmill_verifying_key **key);

// Reads a public key as a SEC 1 point: 04 x y, or compressed as 02 x or 03 x. x and y are
// big-endian, as long as the field. `curve` is a `sigmill_curve`. `*key` receives a handle, which
// the caller frees, or NULL after an error.
//
// Errors: `SIGMILL_ERROR_KEY_...`, `_ARGUMENT_OUT_OF_RANGE`, `_NULL_POINTER`,
// `_LENGTH_OUT_OF_RANGE`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_verifying_key_from_sec1(uint32_t curve,
                                              const uint8_t *point,
                                              size_t len,
                                              struct sigmill_verifying_key **key);

// Reads a public key for verifying signatures as a JSON Web Key (RFC 7517) in UTF-8. `len` may
// include a zero byte at the end. `*key` receives a handle, which the caller frees, or NULL after
// an error.
//
// Errors: `SIGMILL_ERROR_TEXT_NOT_UTF8`, `_JWK_...`, `_KEY_...`, `_NULL_POINTER`,
// `_LENGTH_OUT_OF_RANGE`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_verifying_key_from_jwk(const uint8_t *jwk,
                                             size_t len,
                                             struct sigmill_verifying_key **key);

// Frees a key. NULL is allowed. No other call may use the key during or after this call.
// Thread-safe for different keys.
void sigmill_verifying_key_free(struct sigmill_verifying_key *key);

// Returns the curve of a key, a `sigmill_curve`, or 0 for NULL. Thread-safe.
uint32_t sigmill_verifying_key_curve(const struct sigmill_verifying_key *key);

// Writes a key as a SEC 1 point of at most `SIGMILL_MAX_POINT_LEN` bytes, compressed if
// `is_compressed` is not 0. `*len` is the length of the buffer on entry and that of the point on
// return.
//
// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`, `_NULL_POINTER`. Thread-safe.
sigmill_error sigmill_verifying_key_to_sec1(const struct sigmill_verifying_key *key,
                                            int32_t is_compressed,
                                            uint8_t *point,
                                            size_t *len);

// Writes a key as SubjectPublicKeyInfo in DER of at most `SIGMILL_MAX_SPKI_LEN` bytes. `*len` is
// the length of the buffer on entry and that of the DER on return.
//
// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`, `_NULL_POINTER`. Thread-safe.
sigmill_error sigmill_verifying_key_to_spki_der(const struct sigmill_verifying_key *key,
                                                uint8_t *der,
                                                size_t *len);

// Writes a key as PEM with the label "PUBLIC KEY", without a zero byte at the end. `*len` is the
// length of the buffer on entry and that of the text on return.
//
// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`, `_NULL_POINTER`. Thread-safe.
sigmill_error sigmill_verifying_key_to_pem(const struct sigmill_verifying_key *key,
                                           uint8_t *pem,
                                           size_t *len);

// Verifies a signature of a message under the curve's own hash. Returns `SIGMILL_OK` if it is
// valid, and an error in every other case.
//
// `format` is a `sigmill_format`.
//
// Errors: `SIGMILL_ERROR_SIGNATURE_MISMATCH`, `_DER_...`, `_SIGNATURE_LENGTH`, `_R_...`, `_S_...`,
// `_ARGUMENT_OUT_OF_RANGE`, `_NULL_POINTER`, `_LENGTH_OUT_OF_RANGE`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_verify(const struct sigmill_verifying_key *key,
                             const uint8_t *message,
                             size_t message_len,
                             const uint8_t *signature,
                             size_t signature_len,
                             uint32_t format);

// Verifies a signature of a digest. Returns `SIGMILL_OK` if it is valid, and an error in every
// other case. The digest has at least one byte. Of a digest longer than the order, only the
// leftmost bits count, as many as the order has.
//
// Errors: those of `sigmill_verify`, `SIGMILL_ERROR_DIGEST_EMPTY`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_verify_prehash(const struct sigmill_verifying_key *key,
                                     const uint8_t *digest,
                                     size_t digest_len,
                                     const uint8_t *signature,
                                     size_t signature_len,
                                     uint32_t format);

// Verifies a signature of a message or a digest, with options: another hash, a policy, a hint.
// Returns `SIGMILL_OK` if it is valid, and an error in every other case.
//
// `input_kind` is a `sigmill_input`. `options` may be NULL.
//
// Errors: those of `sigmill_verify_prehash`, `SIGMILL_ERROR_HIGH_S`, `_NOT_FRIENDLY`,
// `_RECOVERY_ID_OUT_OF_RANGE`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_verify_with(const struct sigmill_verifying_key *key,
                                  uint32_t input_kind,
                                  const uint8_t *input,
                                  size_t input_len,
                                  const uint8_t *signature,
                                  size_t signature_len,
                                  uint32_t format,
                                  const struct sigmill_verify_options *options);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SIGMILL_H */
