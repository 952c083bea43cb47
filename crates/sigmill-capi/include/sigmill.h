/* The C interface of sigmill: docs/c.md. Generated from the Rust sources: change those.
 *
 * A pointer that is not NULL points to as many values as the description of the function says,
 * which nobody changes during the call. A handle came from this library and was not freed. What a
 * result is written to overlaps nothing else of the call. All else is checked.
 */

#ifndef SIGMILL_H
#define SIGMILL_H

#include <stddef.h>
#include <stdint.h>

/* Compilers warn where nobody looks at whether a signature is valid, or a secret was agreed on. */
#if defined(__GNUC__) || defined(__clang__)
#define SIGMILL_MUST_USE __attribute__((warn_unused_result))
#else
#define SIGMILL_MUST_USE
#endif

/* The Arrow C Data Interface, as its specification has it. */
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

// The memory that `sigmill_engine_new` is given by those who have no other wish: 256 MiB.
#define SIGMILL_KEY_MEMORY (256 << 20)

// The longest signature: DER on P-521.
#define SIGMILL_MAX_SIGNATURE_LEN 139

// The longest SEC 1 point: uncompressed on P-521.
#define SIGMILL_MAX_POINT_LEN 133

// The longest SubjectPublicKeyInfo.
#define SIGMILL_MAX_SPKI_LEN 158

// The longest private key in PKCS#8.
#define SIGMILL_MAX_PKCS8_LEN 241

// The longest shared secret: on P-521.
#define SIGMILL_MAX_SHARED_LEN 66

// What a function returns: `SIGMILL_OK`, or which rule is broken. `sigmill_error_name` and
// `sigmill_error_message` tell it in words. Numbers and names stay the same between versions; a
// later version may know more of them.
enum sigmill_error
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // All is well; of a signature: it is valid.
  SIGMILL_OK = 0,
  // There was a panic in the library, which is a defect of it. Nothing that the call has written
  // is to be used.
  SIGMILL_ERROR_PANIC = 1,
  // A pointer is NULL that must not be.
  SIGMILL_ERROR_NULL_POINTER = 2,
  // A curve, hash, format, policy or kind of input is none of the list.
  SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE = 3,
  // A length, or what a length and a stride come to, is more than `PTRDIFF_MAX`.
  SIGMILL_ERROR_LENGTH_OUT_OF_RANGE = 4,
  // The buffer for the result is too small; its length now says how many bytes are needed.
  SIGMILL_ERROR_BUFFER_TOO_SMALL = 5,
  // PEM or JSON is not UTF-8.
  SIGMILL_ERROR_TEXT_NOT_UTF8 = 6,
  // There is no memory for so many rows.
  SIGMILL_ERROR_MEMORY_UNAVAILABLE = 7,
  // Columns do not make rows.
  SIGMILL_ERROR_ROWS_SHAPE = 8,
  // A schema or an array of Arrow was released, or one is there without the other.
  SIGMILL_ERROR_ARROW_RELEASED = 9,
  // The format of rows is no struct, or that of a column neither bytes nor text.
  SIGMILL_ERROR_ARROW_FORMAT = 10,
  // A column is missing, there are two of one name, or both messages and digests.
  SIGMILL_ERROR_ARROW_COLUMNS = 11,
  // The numbers of children in schema and array differ, or a column of bytes has some.
  SIGMILL_ERROR_ARROW_CHILDREN = 12,
  // The number of buffers is not that of the format, or one that must be there is NULL.
  SIGMILL_ERROR_ARROW_BUFFERS = 13,
  // A length or offset is negative or too large, or a column is shorter than the rows.
  SIGMILL_ERROR_ARROW_LENGTH = 14,
  // A row is null as a whole.
  SIGMILL_ERROR_ARROW_NULLS = 15,
  // An error of the library that has no number here.
  SIGMILL_ERROR_UNNAMED = 16,
  // A signature in P1363 form is r and s, each exactly as long as the order.
  SIGMILL_ERROR_SIGNATURE_LENGTH = 100,
  // A length in the DER signature points behind its end.
  SIGMILL_ERROR_DER_TRUNCATED = 101,
  // There are bytes behind the DER signature, or behind s inside of it.
  SIGMILL_ERROR_DER_TRAILING_DATA = 102,
  // A DER signature is a SEQUENCE of two INTEGERs, and nothing else.
  SIGMILL_ERROR_DER_TAG = 103,
  // A DER length is definite and in its shortest form.
  SIGMILL_ERROR_DER_LENGTH = 104,
  // A DER INTEGER has at least one byte.
  SIGMILL_ERROR_DER_INTEGER_EMPTY = 105,
  // r and s are positive.
  SIGMILL_ERROR_DER_INTEGER_NEGATIVE = 106,
  // A DER INTEGER has no needless leading zero byte.
  SIGMILL_ERROR_DER_INTEGER_NOT_MINIMAL = 107,
  // r and s are no longer than the order.
  SIGMILL_ERROR_DER_INTEGER_TOO_LONG = 108,
  // r is at least 1.
  SIGMILL_ERROR_R_ZERO = 109,
  // r is below the order n.
  SIGMILL_ERROR_R_OUT_OF_RANGE = 110,
  // s is at least 1.
  SIGMILL_ERROR_S_ZERO = 111,
  // s is below the order n.
  SIGMILL_ERROR_S_OUT_OF_RANGE = 112,
  // The policy asks for s at most n/2.
  SIGMILL_ERROR_HIGH_S = 113,
  // The policy asks for a friendly signature: y(R) is even and x(R) = r.
  SIGMILL_ERROR_NOT_FRIENDLY = 114,
  // The signature is well formed, but does not belong to this message and key.
  SIGMILL_ERROR_SIGNATURE_MISMATCH = 116,
  // A digest has at least one byte.
  SIGMILL_ERROR_DIGEST_EMPTY = 117,
  // v is a recovery id, 0 to 3, or 27 or 28.
  SIGMILL_ERROR_RECOVERY_BYTE_OUT_OF_RANGE = 123,
  // A recovery id is 0, 1, 2 or 3.
  SIGMILL_ERROR_RECOVERY_ID_OUT_OF_RANGE = 124,
  // The policy takes the recovery ids 0 and 1 only (27 and 28 as v), as Ethereum does.
  SIGMILL_ERROR_RECOVERY_ID_REDUCED = 125,
  // r + n, which recovery ids 2 and 3 ask for, is below the prime.
  SIGMILL_ERROR_RECOVERY_X_OUT_OF_RANGE = 126,
  // There is a point on the curve with the x-coordinate that r and the recovery id name.
  SIGMILL_ERROR_RECOVERY_NOT_ON_CURVE = 127,
  // The public key that comes out is not the point at infinity.
  SIGMILL_ERROR_RECOVERED_INFINITY = 128,
  // A row has a key.
  SIGMILL_ERROR_KEY_NULL = 132,
  // A row has a message or a digest.
  SIGMILL_ERROR_INPUT_NULL = 133,
  // A row has a signature.
  SIGMILL_ERROR_SIGNATURE_NULL = 134,
  // The row was judged. One that was not, as its call was refused, may be valid or not.
  SIGMILL_ERROR_NOT_JUDGED = 135,
  // A key has at least one byte.
  SIGMILL_ERROR_KEY_EMPTY = 136,
  // A SEC 1 point has the length that its first byte and the curve demand.
  SIGMILL_ERROR_KEY_LENGTH = 137,
  // A SEC 1 point begins with 02, 03 (compressed) or 04 (uncompressed).
  SIGMILL_ERROR_KEY_TAG = 138,
  // The x coordinate is below the prime p.
  SIGMILL_ERROR_KEY_X_OUT_OF_RANGE = 139,
  // The y coordinate is below the prime p.
  SIGMILL_ERROR_KEY_Y_OUT_OF_RANGE = 140,
  // The point is on the curve; a compressed point has a y.
  SIGMILL_ERROR_KEY_NOT_ON_CURVE = 141,
  // The point is not the point at infinity.
  SIGMILL_ERROR_KEY_IS_INFINITY = 142,
  // The key is on the curve that the caller or the algorithm names.
  SIGMILL_ERROR_KEY_CURVE_MISMATCH = 143,
  // A key is a SEC 1 point, SPKI in DER or PEM, or a JWK.
  SIGMILL_ERROR_KEY_ENCODING_UNKNOWN = 144,
  // A secret key is as long as the order.
  SIGMILL_ERROR_SECRET_LENGTH = 146,
  // A secret key is at least 1.
  SIGMILL_ERROR_SECRET_ZERO = 147,
  // A secret key is below the order n.
  SIGMILL_ERROR_SECRET_OUT_OF_RANGE = 148,
  // The PKCS#8 or SEC 1 private key is well-formed DER.
  SIGMILL_ERROR_PRIVATE_KEY_MALFORMED = 149,
  // There are no bytes behind the PKCS#8 or SEC 1 private key.
  SIGMILL_ERROR_PRIVATE_KEY_TRAILING_DATA = 150,
  // The algorithm in PKCS#8 is id-ecPublicKey.
  SIGMILL_ERROR_PRIVATE_KEY_ALGORITHM_NOT_EC = 151,
  // The private key names its curve.
  SIGMILL_ERROR_PRIVATE_KEY_CURVE_MISSING = 152,
  // The curve of a private key is a named one, not explicit numbers and not NULL.
  SIGMILL_ERROR_PRIVATE_KEY_CURVE_NOT_NAMED = 153,
  // The curve of a private key is one that this crate knows.
  SIGMILL_ERROR_PRIVATE_KEY_CURVE_UNKNOWN = 154,
  // Where PKCS#8 and the SEC 1 key in it both name a curve, it is the same.
  SIGMILL_ERROR_PRIVATE_KEY_CURVES_DIFFER = 155,
  // A public key beside a private key belongs to it.
  SIGMILL_ERROR_PRIVATE_KEY_PUBLIC_MISMATCH = 156,
  // The PEM label of a private key is "PRIVATE KEY" or "EC PRIVATE KEY".
  SIGMILL_ERROR_PRIVATE_KEY_PEM_LABEL = 157,
  // The SPKI is well-formed DER.
  SIGMILL_ERROR_SPKI_MALFORMED = 158,
  // There are no bytes behind the SPKI.
  SIGMILL_ERROR_SPKI_TRAILING_DATA = 159,
  // The SPKI's algorithm is id-ecPublicKey.
  SIGMILL_ERROR_SPKI_ALGORITHM_NOT_EC = 160,
  // The SPKI's parameters are there.
  SIGMILL_ERROR_SPKI_PARAMETERS_MISSING = 161,
  // The SPKI's parameters are a named curve, not explicit numbers and not NULL.
  SIGMILL_ERROR_SPKI_PARAMETERS_NOT_NAMED_CURVE = 162,
  // The SPKI's curve is one that this crate knows.
  SIGMILL_ERROR_SPKI_CURVE_UNKNOWN = 163,
  // The SPKI's public key is a whole number of bytes.
  SIGMILL_ERROR_SPKI_UNUSED_BITS = 164,
  // The PEM text is well formed.
  SIGMILL_ERROR_PEM_MALFORMED = 165,
  // The PEM label is "PUBLIC KEY".
  SIGMILL_ERROR_PEM_LABEL = 166,
  // There is one PEM block: of several, some readers take the first and some the first that
  // fits.
  SIGMILL_ERROR_PEM_SEVERAL_BLOCKS = 167,
  // The JWK is a JSON object whose members have the types of RFC 7517 and RFC 7518.
  SIGMILL_ERROR_JWK_MALFORMED = 168,
  // No object in the JWK has a member twice.
  SIGMILL_ERROR_JWK_MEMBER_TWICE = 169,
  // The JWK has the members kty, crv, x and y, and a private one d.
  SIGMILL_ERROR_JWK_MEMBER_MISSING = 170,
  // The JWK's kty is "EC".
  SIGMILL_ERROR_JWK_KEY_TYPE = 171,
  // The JWK's crv is one that this crate knows, by the name that JOSE has for it.
  SIGMILL_ERROR_JWK_CURVE_UNKNOWN = 172,
  // The JWK's use, if it has one, is the purpose that the key is wanted for.
  SIGMILL_ERROR_JWK_USE = 173,
  // The JWK's key_ops, if it has them, allow what the key is wanted for.
  SIGMILL_ERROR_JWK_KEY_OPERATIONS = 174,
  // The JWK's alg, if it has one, is an algorithm of its curve and of the purpose.
  SIGMILL_ERROR_JWK_ALGORITHM = 175,
  // A coordinate in a JWK is base64url without padding.
  SIGMILL_ERROR_JWK_COORDINATE_ENCODING = 176,
  // A coordinate in a JWK has the full length of the field.
  SIGMILL_ERROR_JWK_COORDINATE_LENGTH = 177,
  // The operating system gives random bytes for a new key.
  SIGMILL_ERROR_RANDOMNESS_UNAVAILABLE = 179,
  // The shared secret is not zero: the peer's public key is not a point of small order.
  SIGMILL_ERROR_SHARED_SECRET_ZERO = 180,
  // The point that two parties share is not the point at infinity.
  SIGMILL_ERROR_SHARED_INFINITY = 182,
  // A window is 1 to 11 bits wide.
  SIGMILL_ERROR_WINDOW_OUT_OF_RANGE = 186,
  // The operating system starts the threads asked for.
  SIGMILL_ERROR_THREADS_NOT_STARTED = 187,
  // A table begins with its magic number.
  SIGMILL_ERROR_TABLE_MAGIC = 189,
  // The table's version is one that this crate knows.
  SIGMILL_ERROR_TABLE_VERSION = 190,
  // The table is for the curve asked for, and for one that this crate knows.
  SIGMILL_ERROR_TABLE_CURVE = 191,
  // The table's window is 1 to 11 bits wide.
  SIGMILL_ERROR_TABLE_WINDOW = 192,
  // The table has exactly the length that its curve and window demand.
  SIGMILL_ERROR_TABLE_LENGTH = 193,
  // The table's checksum is right.
  SIGMILL_ERROR_TABLE_CHECKSUM = 194,
  // Every point of the table is the multiple of the key that belongs there.
  SIGMILL_ERROR_TABLE_POINT = 195,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sigmill_error sigmill_error;
#else
typedef int32_t sigmill_error;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Curves. The numbers are those in files of tables.
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
  // The one that goes with the curve: SHA-384 on P-384, SHA-512 on P-521, else SHA-256.
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

// How signatures are written. 0 is none of them: it has to be said.
enum sigmill_format
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // ASN.1 DER: a SEQUENCE of two INTEGERs (X.509, TLS, OpenSSL). Strict: one encoding for each
  // signature.
  SIGMILL_FORMAT_DER = 1,
  // r and s, big-endian, each as long as the order (32, 48 or 66 bytes), one after the other
  // (JWS, WebCrypto, PKCS#11).
  SIGMILL_FORMAT_P1363 = 2,
  // To read: P1363 if the length is exactly that of r and s together, else DER. To write: P1363.
  SIGMILL_FORMAT_AUTO = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sigmill_format sigmill_format;
#else
typedef uint32_t sigmill_format;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What is accepted beyond the equation of ECDSA, and what a private key makes: 0, or a sum of
// these. LOW_S and FRIENDLY exclude each other.
enum sigmill_policy
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Every s, all recovery ids.
  SIGMILL_POLICY_ANY = 0,
  // s at most half the order (BIP 62, EIP-2).
  SIGMILL_POLICY_LOW_S = 1,
  // The one of s and n - s with which R has an even y, and x(R) = r.
  SIGMILL_POLICY_FRIENDLY = 2,
  // Recovery ids 0 and 1 only, as Ethereum has them.
  SIGMILL_POLICY_PARITY_ONLY = 4,
  // Engines may judge rows that have hints many at once, by one equation with random weights: a
  // row that is not valid then passes with a probability of at most 2^-120.
  SIGMILL_POLICY_BATCH = 8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sigmill_policy sigmill_policy;
#else
typedef uint32_t sigmill_policy;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What the inputs of rows are.
enum sigmill_input
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Messages, which are hashed.
  SIGMILL_INPUT_MESSAGES = 1,
  // Digests.
  SIGMILL_INPUT_DIGESTS = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum sigmill_input sigmill_input;
#else
typedef uint32_t sigmill_input;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What verifies many rows at once, remembers keys between calls, and builds tables for those that
// return. Threads may share it; freed by `sigmill_engine_free`. It works in the child of a process
// that forks, too: all rows are done by the caller's thread there, and no key is known at first.
typedef struct sigmill_engine sigmill_engine;

// A public key with a table, by which it verifies several times as fast: 148 KiB on P-256. Never
// changed, so threads may share it; freed by `sigmill_prepared_key_free`.
typedef struct sigmill_prepared_key sigmill_prepared_key;

// A private key on any of the curves. Never changed, so threads may share it; wiped and freed by
// `sigmill_signing_key_free`.
typedef struct sigmill_signing_key sigmill_signing_key;

// A public key on any of the curves. Never changed, so threads may share it; freed by
// `sigmill_verifying_key_free`.
typedef struct sigmill_verifying_key sigmill_verifying_key;

// A column of byte strings, one a row.
//
// Value i begins at `data + i * stride`, or, where `pointers` is not NULL, at `pointers[i]`; a row
// whose pointer is NULL has no value. It has `lens[i]` bytes, or `len` where `lens` is NULL.
// `stride` 0 says that all rows have the value at `data`, which signatures of several rows may
// not.
//
// Fields of an array of structs are a column, too: `data` is the field of the first, `stride` the
// size of the struct.
typedef struct sigmill_column {
  // Where the first value begins; not looked at if `pointers` is not NULL.
  const uint8_t *data;
  // Where each value begins, or NULL.
  const uint8_t *const *pointers;
  // The bytes from the beginning of a value to that of the next.
  size_t stride;
  // The length of every value, in bytes, if `lens` is NULL.
  size_t len;
  // The length of each value, in bytes, or NULL.
  const size_t *lens;
} sigmill_column;

// Rows to verify. Filled with zeros, it says nothing that is accepted by mistake.
typedef struct sigmill_rows {
  // The number of rows.
  size_t len;
  // The curve of all keys, a `sigmill_curve`.
  uint32_t curve;
  // The hash of all messages, a `sigmill_hash`.
  uint32_t hash;
  // How all signatures are written, a `sigmill_format`.
  uint32_t format;
  // Whether the inputs are messages or digests, a `sigmill_input`.
  uint32_t input;
  // The public keys: SEC 1 points, SPKI in DER or PEM, or JWK.
  struct sigmill_column keys;
  // The messages, or the digests.
  struct sigmill_column inputs;
  // The signatures.
  struct sigmill_column signatures;
  // Recovery ids of one byte, as hints (see `SIGMILL_POLICY_BATCH`); `data` and `pointers` NULL
  // if there are none. They change no verdict.
  struct sigmill_column hints;
} sigmill_rows;

// Why rows were refused, in words: the column, and the rule that it breaks.
typedef struct sigmill_failure {
  // English, in UTF-8, with a zero byte behind it; cut off if it is too long.
  char message[256];
} sigmill_failure;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, "0.1.0". The text is static. Thread-safe.
const char *sigmill_version(void);

// Builds the tables of a curve's generator, which else the first call on that curve does: some
// milliseconds. They stay until the process ends.
//
// `curve` is a `sigmill_curve`. Errors: `SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE`. Thread-safe.
sigmill_error sigmill_warm_up(uint32_t curve);

// ECDH (SEC 1 §3.3.1, SP 800-56A): the x-coordinate of the shared point, big-endian, as long as
// the field: at most `SIGMILL_MAX_SHARED_LEN` bytes. `*len` is the length of the buffer, and then
// that of the secret. Put it through a key derivation function. After an error the buffer
// holds random bytes: a caller that ignores the error has a secret that nobody knows.
//
// Errors: `SIGMILL_ERROR_KEY_CURVE_MISMATCH`, `_BUFFER_TOO_SMALL`. In constant time. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_ecdh(const struct sigmill_signing_key *key,
                           const struct sigmill_verifying_key *peer,
                           uint8_t *shared,
                           size_t *len);

// A new private key of X25519 from the operating system's generator: 32 bytes.
//
// Errors: `SIGMILL_ERROR_RANDOMNESS_UNAVAILABLE`, `_NULL_POINTER`. Thread-safe.
SIGMILL_MUST_USE sigmill_error sigmill_x25519_generate(uint8_t *secret);

// The public key, 32 bytes, of a private key of X25519, 32 bytes (RFC 7748).
//
// Errors: `SIGMILL_ERROR_NULL_POINTER`. In constant time. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_x25519_public_key(const uint8_t *secret,
                                        uint8_t *public_key);

// X25519 (RFC 7748): the shared secret, 32 bytes, of a private key and the peer's public key, 32
// bytes each. Put it through a key derivation function. If there is an error, `shared` gets random
// bytes, so that nobody knows the secret of a caller who does not look.
//
// Errors: `SIGMILL_ERROR_SHARED_SECRET_ZERO` (the peer's key is a point of small order),
// `_NULL_POINTER`. In constant time. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_x25519(const uint8_t *secret,
                             const uint8_t *peer,
                             uint8_t *shared);

// A new engine.
//
// `threads`: how many work on a call; 1 is the caller's own, 0 as many as the machine runs side by
// side. `key_memory`: the bytes that keys and their tables may take between calls
// (`SIGMILL_KEY_MEMORY`); taken as they are used. `window`: the widest tables, 1 to 11 bits, 0 for
// the usual 10. `policy`: a sum of `sigmill_policy`. `*engine` gets a handle to free, or NULL if
// there is an error. The first engine of a process measures the machine for half a millisecond.
//
// Errors: `SIGMILL_ERROR_WINDOW_OUT_OF_RANGE`, `_THREADS_NOT_STARTED`, `_ARGUMENT_OUT_OF_RANGE`
// (the policy, or more than 1024 threads). Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_engine_new(size_t threads,
                                 size_t key_memory,
                                 uint32_t window,
                                 uint32_t policy,
                                 struct sigmill_engine **engine);

// Frees an engine; NULL is none. No other call may use it then. Its threads end soon after, and
// are not waited for. Thread-safe for different engines.
void sigmill_engine_free(struct sigmill_engine *engine);

// Verifies rows by pointer and stride. `verdicts[i]` gets what the single call would say of row i:
// `SIGMILL_OK`, or the rule that it breaks (`_KEY_NULL`, `_INPUT_NULL` or `_SIGNATURE_NULL` where
// a value is missing); it has room for `rows->len`. `*valid`, if `valid` is not NULL, gets the
// number of valid rows.
//
// Returns `SIGMILL_OK` if all rows were judged, valid or not. Else none was: every verdict is
// `SIGMILL_ERROR_NOT_JUDGED`, `*valid` is 0, and `failure`, if it is not NULL, says why:
// `SIGMILL_ERROR_NULL_POINTER`, `_ARGUMENT_OUT_OF_RANGE`, `_LENGTH_OUT_OF_RANGE`,
// `_ROWS_SHAPE`, `_MEMORY_UNAVAILABLE`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_engine_verify(const struct sigmill_engine *engine,
                                    const struct sigmill_rows *rows,
                                    sigmill_error *verdicts,
                                    size_t *valid,
                                    struct sigmill_failure *failure);

// Verifies the rows of an Arrow record batch (Arrow C Data Interface): a struct (`+s`) with the
// columns "key", "message" or "digest", and "signature"; others are not looked at. Columns are
// binary or text in any layout of Arrow: `z`, `Z`, `w:N`, `vz`, `u`, `U`, `vu`, and dictionaries
// of these, with nulls and slices. Without a copy, but for `vz` and `vu`.
//
// `curve` is a `sigmill_curve`, `hash` a `sigmill_hash`, `format` a `sigmill_format`. `verdicts`
// has room for `verdicts_len`, at least the length of the array; those behind the last row are
// `SIGMILL_ERROR_NOT_JUDGED`. Else as of `sigmill_engine_verify`. Neither schema nor array are
// released: the caller does that afterwards.
//
// Errors: also `SIGMILL_ERROR_ARROW_...`, `_BUFFER_TOO_SMALL`; `failure` names the column.
// Thread-safe.
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

// The name of an error: the same as `Error::reason` of the Rust library has, in lower case with
// hyphens ("der-truncated"). "ok" for 0, and "unnamed" for a number that is none of
// `sigmill_error`.
//
// The text is static: it is never freed, and never changes. Thread-safe.
const char *sigmill_error_name(int32_t error);

// What an error means, in English: the field, and the rule that it breaks ("signature: r must be
// at least 1").
//
// The text is static: it is never freed. It may become clearer in a later version, so programs
// compare numbers. Thread-safe.
const char *sigmill_error_message(int32_t error);

// Builds the table of a key, which takes as long as some signatures. `window` is its width, 1 to
// 11 bits, or 0 for the usual one. `*prepared` gets a handle to free, or NULL if there is an
// error; it does not need `key` any more.
//
// Errors: `SIGMILL_ERROR_WINDOW_OUT_OF_RANGE`, `_NULL_POINTER`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_prepared_key_new(const struct sigmill_verifying_key *key,
                                       uint32_t window,
                                       struct sigmill_prepared_key **prepared);

// Reads a key with its table, as `sigmill_prepared_key_to_bytes` has written it. All of it is
// checked, so it may come from anywhere. `*prepared` gets a handle to free, or NULL if there is an
// error.
//
// Errors: `SIGMILL_ERROR_TABLE_...`, `_KEY_...`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_prepared_key_from_bytes(const uint8_t *table,
                                              size_t len,
                                              struct sigmill_prepared_key **prepared);

// Frees a key; NULL is none. No other call may use it then. Thread-safe for different keys.
void sigmill_prepared_key_free(struct sigmill_prepared_key *prepared);

// The memory that a key and its table take, in bytes; 0 for NULL. Thread-safe.
size_t sigmill_prepared_key_memory(const struct sigmill_prepared_key *prepared);

// Writes a key with its table, to be kept in a file. `*len` is the length of the buffer, and then
// that of the table; a call with 0 there asks for it.
//
// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`. Thread-safe.
sigmill_error sigmill_prepared_key_to_bytes(const struct sigmill_prepared_key *prepared,
                                            uint8_t *table,
                                            size_t *len);

// Whether a signature of a message is valid: as `sigmill_verify_message`, in a fraction of the
// time. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_prepared_verify_message(const struct sigmill_prepared_key *prepared,
                                              const uint8_t *message,
                                              size_t message_len,
                                              uint32_t hash,
                                              const uint8_t *signature,
                                              size_t signature_len,
                                              uint32_t format,
                                              uint32_t policy);

// Whether a signature of a digest is valid: as `sigmill_verify_prehash`, in a fraction of the
// time.
// Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_prepared_verify_prehash(const struct sigmill_prepared_key *prepared,
                                              const uint8_t *digest,
                                              size_t digest_len,
                                              const uint8_t *signature,
                                              size_t signature_len,
                                              uint32_t format,
                                              uint32_t policy);

// Recovers the public key of a signature of a digest. `curve` is a `sigmill_curve`, `format` a
// `sigmill_format`, `policy` a sum of `sigmill_policy`. `v` is the recovery id, 0 to 3, or 27 or
// 28
// for 0 or 1. `*key` gets a handle to free, or NULL if there is an error.
//
// Some key comes out of almost every signature: whether it is the right one is for the caller to
// say.
//
// Errors: `SIGMILL_ERROR_RECOVERY_...`, `_RECOVERED_INFINITY`, `_DIGEST_EMPTY`, and those of a
// signature as of `sigmill_verify_message`. Thread-safe.
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

// A new key from the operating system's generator. `curve` is a `sigmill_curve`. `*key` gets a
// handle to free, or NULL if there is an error.
//
// Errors: `SIGMILL_ERROR_RANDOMNESS_UNAVAILABLE`, `_ARGUMENT_OUT_OF_RANGE`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_signing_key_generate(uint32_t curve,
                                           struct sigmill_signing_key **key);

// Reads a private key: PEM, label "PRIVATE KEY" (PKCS#8) or "EC PRIVATE KEY" (SEC 1), `len` bytes
// with or without a zero byte counted behind them. `*key` gets a handle to free, or NULL if there
// is an error.
//
// Errors: `SIGMILL_ERROR_TEXT_NOT_UTF8`, `_PEM_...`, `_PRIVATE_KEY_...`, `_SECRET_...`.
// Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_signing_key_from_pem(const uint8_t *pem,
                                           size_t len,
                                           struct sigmill_signing_key **key);

// Reads a private key: PKCS#8 in DER (RFC 5958). `*key` gets a handle to free, or NULL if there is
// an error.
//
// Errors: `SIGMILL_ERROR_PRIVATE_KEY_...`, `_SECRET_...`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_signing_key_from_pkcs8_der(const uint8_t *der,
                                                 size_t len,
                                                 struct sigmill_signing_key **key);

// Reads a private key: the integer d, big-endian, in the full length of the order (32, 48 or 66
// bytes). `curve` is a `sigmill_curve`. `*key` gets a handle to free, or NULL if there is an
// error.
//
// Errors: `SIGMILL_ERROR_SECRET_...`, `_ARGUMENT_OUT_OF_RANGE`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_signing_key_from_scalar(uint32_t curve,
                                              const uint8_t *scalar,
                                              size_t len,
                                              struct sigmill_signing_key **key);

// The same key, with signatures of another policy, a sum of `sigmill_policy`: low s, or friendly.
// Keys that are read or generated sign by `SIGMILL_POLICY_ANY`. `*other` gets a handle to free, or
// NULL if there is an error.
//
// Errors: `SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE`, `_NULL_POINTER`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_signing_key_with_policy(const struct sigmill_signing_key *key,
                                              uint32_t policy,
                                              struct sigmill_signing_key **other);

// Wipes and frees a key; NULL is none. No other call may use it then. Thread-safe for different
// keys.
void sigmill_signing_key_free(struct sigmill_signing_key *key);

// The curve of a key, a `sigmill_curve`; 0 for NULL. Thread-safe.
uint32_t sigmill_signing_key_curve(const struct sigmill_signing_key *key);

// The public key of a private key. `*public_key` gets a handle to free, or NULL if there is an
// error; it does not need `key` any more.
//
// Errors: `SIGMILL_ERROR_NULL_POINTER`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_signing_key_verifying_key(const struct sigmill_signing_key *key,
                                                struct sigmill_verifying_key **public_key);

// Writes a private key as PKCS#8 in DER, at most `SIGMILL_MAX_PKCS8_LEN` bytes. `*len` is the
// length of the buffer, and then that of the DER. The caller wipes the buffer.
//
// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`. Thread-safe.
sigmill_error sigmill_signing_key_to_pkcs8_der(const struct sigmill_signing_key *key,
                                               uint8_t *der,
                                               size_t *len);

// Writes a private key as PKCS#8 in PEM, without a zero byte behind it. `*len` is the length of
// the
// buffer, and then that of the text. The caller wipes the buffer.
//
// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`. Thread-safe.
sigmill_error sigmill_signing_key_to_pkcs8_pem(const struct sigmill_signing_key *key,
                                               uint8_t *pem,
                                               size_t *len);

// Writes the integer d of a private key, big-endian in the full length of the order. `*len` is the
// length of the buffer, and then that of the integer. The caller wipes the buffer.
//
// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`. Thread-safe.
sigmill_error sigmill_signing_key_to_scalar(const struct sigmill_signing_key *key,
                                            uint8_t *scalar,
                                            size_t *len);

// Signs a message, with a nonce by RFC 6979: the same key, message and hash give the same
// signature. `hash` is a `sigmill_hash`, `format` a `sigmill_format`. `*len` is the length of the
// buffer, and then that of the signature, at most `SIGMILL_MAX_SIGNATURE_LEN`.
//
// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`, `_ARGUMENT_OUT_OF_RANGE`, `_NULL_POINTER`.
// Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_sign_message(const struct sigmill_signing_key *key,
                                   const uint8_t *message,
                                   size_t message_len,
                                   uint32_t hash,
                                   uint32_t format,
                                   uint8_t *signature,
                                   size_t *len);

// Signs a digest of any length but 0; of a long one the leftmost bits count. `hash` is the one
// that
// the nonce is made by. Else as `sigmill_sign_message`.
//
// Errors: `SIGMILL_ERROR_DIGEST_EMPTY`, and as of `sigmill_sign_message`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_sign_prehash(const struct sigmill_signing_key *key,
                                   const uint8_t *digest,
                                   size_t digest_len,
                                   uint32_t hash,
                                   uint32_t format,
                                   uint8_t *signature,
                                   size_t *len);

// As `sigmill_sign_prehash`, and `*recovery_id` gets what the public key is recovered by, 0 to 3;
// 255, which recovers nothing, if there is an error. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_sign_prehash_recoverable(const struct sigmill_signing_key *key,
                                               const uint8_t *digest,
                                               size_t digest_len,
                                               uint32_t hash,
                                               uint32_t format,
                                               uint8_t *signature,
                                               size_t *len,
                                               uint8_t *recovery_id);

// Reads a public key: PEM, label "PUBLIC KEY", `len` bytes with or without a zero byte counted
// behind them. `*key` gets a handle to free, or NULL if there is an error.
//
// Errors: `SIGMILL_ERROR_TEXT_NOT_UTF8`, `_PEM_...`, `_SPKI_...`, `_KEY_...`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_verifying_key_from_pem(const uint8_t *pem,
                                             size_t len,
                                             struct sigmill_verifying_key **key);

// Reads a public key: SubjectPublicKeyInfo in DER (RFC 5280, RFC 5480), with a named curve.
// `*key` gets a handle to free, or NULL if there is an error.
//
// Errors: `SIGMILL_ERROR_SPKI_...`, `_KEY_...`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_verifying_key_from_spki_der(const uint8_t *der,
                                                  size_t len,
                                                  struct sigmill_verifying_key **key);

// Reads a public key: a SEC 1 point, 04 x y or compressed 02 or 03 x; x and y big-endian, as long
// as the field. `curve` is a `sigmill_curve`. `*key` gets a handle to free, or NULL if there is an
// error.
//
// Errors: `SIGMILL_ERROR_KEY_...`, `_ARGUMENT_OUT_OF_RANGE`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_verifying_key_from_sec1(uint32_t curve,
                                              const uint8_t *point,
                                              size_t len,
                                              struct sigmill_verifying_key **key);

// Reads a public key: a JSON Web Key (RFC 7517) in UTF-8, to verify with. `*key` gets a handle to
// free, or NULL if there is an error.
//
// Errors: `SIGMILL_ERROR_TEXT_NOT_UTF8`, `_JWK_...`, `_KEY_...`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_verifying_key_from_jwk(const uint8_t *jwk,
                                             size_t len,
                                             struct sigmill_verifying_key **key);

// Frees a key; NULL is none. No other call may use it then. Thread-safe for different keys.
void sigmill_verifying_key_free(struct sigmill_verifying_key *key);

// The curve of a key, a `sigmill_curve`; 0 for NULL. Thread-safe.
uint32_t sigmill_verifying_key_curve(const struct sigmill_verifying_key *key);

// Writes a key as a SEC 1 point, at most `SIGMILL_MAX_POINT_LEN` bytes: compressed if
// `is_compressed` is not 0. `*len` is the length of the buffer, and then that of the point.
//
// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`. Thread-safe.
sigmill_error sigmill_verifying_key_to_sec1(const struct sigmill_verifying_key *key,
                                            int32_t is_compressed,
                                            uint8_t *point,
                                            size_t *len);

// Writes a key as SubjectPublicKeyInfo in DER, at most `SIGMILL_MAX_SPKI_LEN` bytes. `*len` is the
// length of the buffer, and then that of the DER.
//
// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`. Thread-safe.
sigmill_error sigmill_verifying_key_to_spki_der(const struct sigmill_verifying_key *key,
                                                uint8_t *der,
                                                size_t *len);

// Writes a key as PEM, label "PUBLIC KEY", without a zero byte behind it. `*len` is the length of
// the buffer, and then that of the text.
//
// Errors: `SIGMILL_ERROR_BUFFER_TOO_SMALL`. Thread-safe.
sigmill_error sigmill_verifying_key_to_pem(const struct sigmill_verifying_key *key,
                                           uint8_t *pem,
                                           size_t *len);

// Whether a signature of a message is valid: `SIGMILL_OK`, and nothing else.
//
// `hash` is a `sigmill_hash`, `format` a `sigmill_format`, `policy` a sum of `sigmill_policy`.
// Errors: `SIGMILL_ERROR_SIGNATURE_MISMATCH`, `_DER_...`, `_SIGNATURE_LENGTH`, `_R_...`, `_S_...`,
// `_HIGH_S`, `_NOT_FRIENDLY`, `_ARGUMENT_OUT_OF_RANGE`, `_NULL_POINTER`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_verify_message(const struct sigmill_verifying_key *key,
                                     const uint8_t *message,
                                     size_t message_len,
                                     uint32_t hash,
                                     const uint8_t *signature,
                                     size_t signature_len,
                                     uint32_t format,
                                     uint32_t policy);

// Whether a signature of a digest is valid: `SIGMILL_OK`, and nothing else. The digest has any
// length but 0; of a long one the leftmost bits count, as many as the order has.
//
// Arguments and errors as of `sigmill_verify_message`; `SIGMILL_ERROR_DIGEST_EMPTY`. Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_verify_prehash(const struct sigmill_verifying_key *key,
                                     const uint8_t *digest,
                                     size_t digest_len,
                                     const uint8_t *signature,
                                     size_t signature_len,
                                     uint32_t format,
                                     uint32_t policy);

// The verdict of `sigmill_verify_prehash`, in less time if the recovery id (0 to 3) is that of the
// signature. A wrong one changes no verdict.
//
// Arguments and errors as of `sigmill_verify_prehash`; `SIGMILL_ERROR_RECOVERY_ID_OUT_OF_RANGE`.
// Thread-safe.
SIGMILL_MUST_USE
sigmill_error sigmill_verify_prehash_with_hint(const struct sigmill_verifying_key *key,
                                               const uint8_t *digest,
                                               size_t digest_len,
                                               const uint8_t *signature,
                                               size_t signature_len,
                                               uint32_t format,
                                               uint32_t policy,
                                               uint8_t recovery_id);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SIGMILL_H */
