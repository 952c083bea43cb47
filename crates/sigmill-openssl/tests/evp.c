/* Calls of libcrypto for the tests, with the stock library and with the module loaded by a
 * configuration, each in its own library context. Our own code. */
#include "common/check.h"
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/wait.h>
#include <unistd.h>

/* Prints 1, 0, or "F" for any other answer; then "s" for sigmill, "d" for another provider. */
static void judge(OSSL_LIB_CTX *library, EVP_PKEY *key, const char *hash,
                  const unsigned char *signature, size_t signature_len,
                  const unsigned char *message, size_t message_len)
{
    int verdict, ours;
    if (strcmp(hash, "-")) {
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        EVP_PKEY_CTX *operation;
        if (EVP_DigestVerifyInit_ex(context, &operation, hash, library, NULL, key, NULL) == 1) {
            ours = is_ours(operation);
            verdict = EVP_DigestVerify(context, signature, signature_len, message, message_len);
        } else {
            verdict = ours = -2;
        }
        EVP_MD_CTX_free(context);
    } else {
        EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(library, key, NULL);
        CHECK(EVP_PKEY_verify_init(operation) == 1);
        ours = is_ours(operation);
        verdict = EVP_PKEY_verify(operation, signature, signature_len, message, message_len);
        EVP_PKEY_CTX_free(operation);
    }
    printf("%c%c ", verdict == 1 ? '1' : verdict == 0 ? '0' : 'F', ours == 1 ? 's' : 'd');
}

/* Reads lines of key (SPKI), hash ("-": none), signature, and message or digest; all but the hash
 * in hexadecimal, and "." for no bytes. Prints the answers of the stock library and of sigmill to
 * each. */
static void verdicts(const char *config)
{
    OSSL_LIB_CTX *libraries[2] = { library(NULL), library(config) };
    EVP_PKEY *keys[2] = { NULL, NULL };
    static char key[1 << 16], hash[64], signature[1 << 16], message[1 << 16], last[1 << 16];
    static unsigned char key_bytes[1 << 15], signature_bytes[1 << 15], message_bytes[1 << 15];
    while (scanf("%65535s %63s %65535s %65535s", key, hash, signature, message) == 4) {
        size_t key_len = unhex(key, key_bytes);
        size_t signature_len = unhex(signature, signature_bytes);
        size_t message_len = unhex(message, message_bytes);
        for (int i = 0; i < 2; i++) {
            /* A key stays while lines use it, and gets a table. */
            if (!keys[i] || strcmp(key, last)) {
                const unsigned char *at = key_bytes;
                EVP_PKEY_free(keys[i]);
                keys[i] = d2i_PUBKEY_ex(NULL, &at, (long)key_len, libraries[i], NULL);
            }
            if (keys[i])
                judge(libraries[i], keys[i], hash, signature_bytes, signature_len, message_bytes,
                      message_len);
            else
                printf("K- ");
        }
        strcpy(last, key);
        putchar('\n');
        ERR_clear_error();
    }
    for (int i = 0; i < 2; i++) {
        EVP_PKEY_free(keys[i]);
        OSSL_LIB_CTX_free(libraries[i]);
    }
}

/* Signs a message in each way, and verifies everything with the other library. */
static void sign_and_verify(OSSL_LIB_CTX *library, OSSL_LIB_CTX *stock, const char *group,
                            const char *hash, int ours)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(library, NULL, "EC", group);
    CHECK(key);
    unsigned char message[1000], signature[256], *der = NULL;
    memset(message, 7, sizeof message);

    /* In parts. The length is queried first, as programs do. */
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *operation;
    CHECK(EVP_DigestSignInit_ex(context, &operation, hash, library, NULL, key, NULL) == 1);
    CHECK(is_ours(operation) == ours);
    CHECK(EVP_DigestSignUpdate(context, message, 300) == 1);
    EVP_MD_CTX *copy = EVP_MD_CTX_new();
    CHECK(EVP_MD_CTX_copy_ex(copy, context) == 1);
    CHECK(EVP_DigestSignUpdate(context, message + 300, sizeof message - 300) == 1);
    size_t length = 0, max_length;
    CHECK(EVP_DigestSignFinal(context, NULL, &length) == 1);
    CHECK((int)length == EVP_PKEY_get_size(key) && length <= sizeof signature);
    max_length = length;
    CHECK(EVP_DigestSignFinal(context, signature, &length) == 1 && length <= max_length);
    /* After a first end, the copy continues with its own message. */
    size_t copied = sizeof signature;
    unsigned char other[256];
    CHECK(EVP_DigestSignFinal(copy, other, &copied) == 1);
    EVP_MD_CTX_free(copy);
    EVP_MD_CTX_free(context);

    /* By the stock library, from the encoded key. */
    int der_len = i2d_PUBKEY(key, &der);
    CHECK(der_len > 0);
    const unsigned char *at = der;
    EVP_PKEY *public = d2i_PUBKEY_ex(NULL, &at, der_len, stock, NULL);
    CHECK(public);
    for (int i = 0; i < 2; i++) {
        OSSL_LIB_CTX *verifier = i ? library : stock;
        at = der;
        EVP_PKEY *public = d2i_PUBKEY_ex(NULL, &at, der_len, verifier, NULL);
        context = EVP_MD_CTX_new();
        CHECK(EVP_DigestVerifyInit_ex(context, NULL, hash, verifier, NULL, public, NULL) == 1);
        CHECK(EVP_DigestVerify(context, signature, length, message, sizeof message) == 1);
        CHECK(EVP_DigestVerifyInit_ex(context, NULL, hash, verifier, NULL, public, NULL) == 1);
        CHECK(EVP_DigestVerify(context, other, copied, message, 300) == 1);
        CHECK(EVP_DigestVerifyInit_ex(context, NULL, hash, verifier, NULL, public, NULL) == 1);
        CHECK(EVP_DigestVerifyUpdate(context, message, 10) == 1);
        CHECK(EVP_DigestVerifyFinal(context, signature, length) == 0);
        EVP_MD_CTX_free(context);
        EVP_PKEY_free(public);
    }

    /* The key with its private part also verifies, repeatedly, and has a table by then. */
    operation = EVP_PKEY_CTX_new_from_pkey(library, key, NULL);
    unsigned char digest[64];
    memset(digest, 9, sizeof digest);
    CHECK(EVP_PKEY_sign_init(operation) == 1 && is_ours(operation) == ours);
    length = sizeof signature;
    CHECK(EVP_PKEY_sign(operation, signature, &length, digest, 32) == 1);
    CHECK(EVP_PKEY_verify_init(operation) == 1);
    for (int i = 0; i < 20; i++) {
        CHECK(EVP_PKEY_verify(operation, signature, length, digest, 32) == 1);
        digest[i] ^= 1;
        CHECK(EVP_PKEY_verify(operation, signature, length, digest, 32) == 0);
        digest[i] ^= 1;
    }
    EVP_PKEY_CTX_free(operation);

    /* A public key signs nothing. */
    at = der;
    EVP_PKEY *ours_public = d2i_PUBKEY_ex(NULL, &at, der_len, library, NULL);
    operation = EVP_PKEY_CTX_new_from_pkey(library, ours_public, NULL);
    if (EVP_PKEY_sign_init(operation) == 1) {
        length = sizeof signature;
        CHECK(EVP_PKEY_sign(operation, signature, &length, digest, 32) <= 0);
    }
    ERR_clear_error();
    CHECK(EVP_PKEY_eq(key, ours_public) == 1);
    EVP_PKEY_CTX_free(operation);
    EVP_PKEY_free(ours_public);
    EVP_PKEY_free(public);
    OPENSSL_free(der);
    EVP_PKEY_free(key);
}

/* Wrong uses. Each must fail and leave everything else unchanged. */
static void misuse(OSSL_LIB_CTX *library)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(library, NULL, "EC", "P-256");
    unsigned char digest[64] = { 1 }, signature[80];
    size_t length = sizeof signature;
    EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(library, key, NULL);
    CHECK(EVP_PKEY_sign_init(operation) == 1 && is_ours(operation));
    /* A buffer that is too small, and digests whose length is not that of their hash. */
    length = 60;
    CHECK(EVP_PKEY_sign(operation, signature, &length, digest, 32) <= 0);
    CHECK(EVP_PKEY_CTX_set_signature_md(operation, EVP_sha384()) == 1);
    const EVP_MD *md = NULL;
    CHECK(EVP_PKEY_CTX_get_signature_md(operation, &md) == 1 && EVP_MD_is_a(md, "SHA384"));
    length = sizeof signature;
    CHECK(EVP_PKEY_sign(operation, signature, &length, digest, 32) <= 0);
    CHECK(EVP_PKEY_sign(operation, signature, &length, digest, 48) == 1);
    CHECK(EVP_PKEY_verify_init(operation) == 1);
    CHECK(EVP_PKEY_verify(operation, signature, length, digest, 48) == 1);
    CHECK(EVP_PKEY_verify(operation, signature, length, digest, 0) <= 0);
    CHECK(EVP_PKEY_verify(operation, NULL, 0, digest, 48) <= 0);
    CHECK(EVP_PKEY_verify(operation, signature, length - 1, digest, 48) <= 0);
    CHECK(EVP_PKEY_verify(operation, signature, 0, digest, 48) <= 0);
    /* A digest that others made with a hash that we do not have. */
    CHECK(EVP_PKEY_sign_init(operation) == 1);
    CHECK(EVP_PKEY_CTX_set_signature_md(operation, EVP_md5()) == 1);
    length = sizeof signature;
    CHECK(EVP_PKEY_sign(operation, signature, &length, digest, 16) == 1);
    EVP_PKEY_CTX_free(operation);

    EVP_MD_CTX *context = EVP_MD_CTX_new();
    CHECK(EVP_DigestVerifyInit_ex(context, NULL, "SM3", library, NULL, key, NULL) <= 0);
    CHECK(strstr(ERR_reason_error_string(ERR_peek_last_error()), "not supported by sigmill"));
    EVP_MD_CTX_free(context);
    context = EVP_MD_CTX_new();
    static const char by_default[] = "provider=default";
    CHECK(EVP_DigestVerifyInit_ex(context, NULL, "SM3", library, by_default, key, NULL) == 1);
    EVP_MD_CTX_free(context);

    /* The query of X.509, and a hash in the middle of a message. */
    context = EVP_MD_CTX_new();
    CHECK(EVP_DigestSignInit_ex(context, &operation, "SHA2-256", library, NULL, key, NULL) == 1);
    unsigned char identifier[64];
    size_t mdsize = 0;
    OSSL_PARAM params[3];
    params[0] = OSSL_PARAM_construct_octet_string("algorithm-id", identifier, sizeof identifier);
    params[1] = OSSL_PARAM_construct_size_t("digest-size", &mdsize);
    params[2] = OSSL_PARAM_construct_end();
    CHECK(EVP_PKEY_CTX_get_params(operation, params) == 1 && mdsize == 32);
    static const unsigned char expected[] = {
        0x30, 10, 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2,
    };
    CHECK(params[0].return_size == sizeof expected);
    CHECK(!memcmp(identifier, expected, sizeof expected));
    CHECK(EVP_PKEY_CTX_set_signature_md(operation, EVP_sha512()) <= 0);
    CHECK(EVP_PKEY_CTX_set_signature_md(operation, EVP_sha256()) == 1);
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    ERR_clear_error();
}

/* A key from its parts: without a public part, with a hybrid or compressed point, and with wrong
 * ones. */
static void parts(OSSL_LIB_CTX *library)
{
    static const char *const forms[] = { "uncompressed", "compressed", "hybrid" };
    EVP_PKEY *key = EVP_PKEY_Q_keygen(library, NULL, "EC", "P-256");
    for (int i = 0; i < 3; i++) {
        CHECK(EVP_PKEY_set_utf8_string_param(key, "point-format", forms[i]) == 1);
        unsigned char *der = NULL;
        int length = i2d_PUBKEY(key, &der);
        const unsigned char *at = der;
        EVP_PKEY *other = d2i_PUBKEY_ex(NULL, &at, length, library, NULL);
        CHECK(other);
        EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(library, other, NULL);
        CHECK(EVP_PKEY_verify_init(operation) == 1 && is_ours(operation));
        EVP_PKEY_CTX_free(operation);
        EVP_PKEY_free(other);
        OPENSSL_free(der);
    }
    EVP_PKEY_free(key);
    ERR_clear_error();
}

#if OPENSSL_VERSION_NUMBER >= 0x30400000L
/* Algorithms that the program fetches. "ECDSA" is ours and accepts our curves only, as nothing
 * falls through. One that names a hash is the default provider's on every curve. */
static void fetched(OSSL_LIB_CTX *library, const char *group, int ours)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(library, NULL, "EC", group);
    EVP_SIGNATURE *plain = EVP_SIGNATURE_fetch(library, "ECDSA", NULL);
    EVP_SIGNATURE *hashing = EVP_SIGNATURE_fetch(library, "ECDSA-SHA256", NULL);
    unsigned char digest[32] = { 5 }, signature[256];
    size_t length = sizeof signature;
    EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(library, key, NULL);
    CHECK(key && plain && hashing && operation);
    CHECK(EVP_PKEY_sign_init_ex2(operation, plain, NULL) == ours);
    if (ours) {
        CHECK(is_ours(operation));
        CHECK(EVP_PKEY_sign(operation, signature, &length, digest, sizeof digest) == 1);
        CHECK(EVP_PKEY_verify_init_ex2(operation, plain, NULL) == 1 && is_ours(operation));
        CHECK(EVP_PKEY_verify(operation, signature, length, digest, sizeof digest) == 1);
    }
    EVP_PKEY_CTX_free(operation);
    operation = EVP_PKEY_CTX_new_from_pkey(library, key, NULL);
    length = sizeof signature;
    CHECK(EVP_PKEY_sign_message_init(operation, hashing, NULL) == 1 && !is_ours(operation));
    CHECK(EVP_PKEY_sign(operation, signature, &length, digest, sizeof digest) == 1);
    CHECK(EVP_PKEY_verify_message_init(operation, hashing, NULL) == 1);
    CHECK(EVP_PKEY_verify(operation, signature, length, digest, sizeof digest) == 1);
    EVP_PKEY_CTX_free(operation);
    EVP_SIGNATURE_free(plain);
    EVP_SIGNATURE_free(hashing);
    EVP_PKEY_free(key);
    ERR_clear_error();
}
#endif

static const char *const OURS[] = { "P-256", "P-384", "P-521", "secp256k1", "brainpoolP256r1" };
static const char *const OTHERS[] = {
    "brainpoolP384r1", "brainpoolP512t1", "P-224", "brainpoolP256t1",
};
static const char *const HASHES[] = {
    "SHA1", "SHA224", "SHA256", "SHA384", "SHA512", "SHA512-224", "SHA512-256",
    "SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512",
};

/* Checks that keys can be made, and that a look-up of "EC" returns the default provider's. */
static void keys_are_made(OSSL_LIB_CTX *library)
{
    EVP_KEYMGMT *found = EVP_KEYMGMT_fetch(library, "EC", NULL);
    CHECK(found);
    CHECK(!strcmp(OSSL_PROVIDER_get0_name(EVP_KEYMGMT_get0_provider(found)), "default"));
    EVP_KEYMGMT_free(found);
    EVP_PKEY *key = EVP_PKEY_Q_keygen(library, NULL, "EC", "P-256");
    CHECK(key);
    EVP_PKEY_free(key);
}

/* Signs with a key that existed before. */
static void sign_once(OSSL_LIB_CTX *library, EVP_PKEY *key)
{
    unsigned char signature[80];
    size_t length = sizeof signature;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *operation;
    CHECK(EVP_DigestSignInit_ex(context, &operation, "SHA256", library, NULL, key, NULL) == 1);
    CHECK(is_ours(operation));
    CHECK(EVP_DigestSign(context, signature, &length, (const unsigned char *)"a", 1) == 1);
    EVP_MD_CTX_free(context);
    CHECK(ERR_peek_error() == 0);
}

/* libcrypto drops its cache of look-ups, and the next look-up is that of an operation of ours. */
static void lookups(OSSL_LIB_CTX *library)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(library, NULL, "EC", "P-256");
    CHECK(key);
    ERR_clear_error();
    sign_once(library, key);
    keys_are_made(library);
    for (int i = 0; i < 3; i++) {
        OSSL_PROVIDER *base = OSSL_PROVIDER_load(library, "base");
        CHECK(base);
        sign_once(library, key);
        keys_are_made(library);
        sign_once(library, key);
        CHECK(OSSL_PROVIDER_unload(base) == 1);
        sign_once(library, key);
        keys_are_made(library);
    }
    CHECK(EVP_default_properties_enable_fips(library, 0) == 1);
    sign_once(library, key);
    keys_are_made(library);
    /* Above 500 entries it drops some, at random. */
    for (int i = 0; i < 3000; i++) {
        char properties[40];
        snprintf(properties, sizeof properties, "?number%d=yes", i);
        EVP_MD_free(EVP_MD_fetch(library, "SHA256", properties));
        if (i % 10 == 0) {
            sign_once(library, key);
            keys_are_made(library);
        }
    }
    /* Also after the latest of these: the checks that follow make keys. */
    sign_once(library, key);
    EVP_PKEY_free(key);
}

/* The first operation falls through, and the next ones are still ours. */
static void first_falls_through(const char *config)
{
    OSSL_LIB_CTX *sigmill = library(config), *stock = library(NULL);
    sign_and_verify(sigmill, stock, "brainpoolP384r1", "SHA256", 0);
    sign_and_verify(sigmill, stock, "P-256", "SHA256", 1);
    OSSL_PROVIDER *base = OSSL_PROVIDER_load(sigmill, "base");
    CHECK(base && OSSL_PROVIDER_unload(base) == 1);
    sign_and_verify(sigmill, stock, "brainpoolP384r1", "SHA256", 0);
    sign_and_verify(sigmill, stock, "P-256", "SHA256", 1);
    OSSL_LIB_CTX_free(sigmill);
    OSSL_LIB_CTX_free(stock);
}

static void operations(const char *config)
{
    first_falls_through(config);
    OSSL_LIB_CTX *sigmill = library(config), *stock = library(NULL);
    for (size_t i = 0; i < COUNT(OURS); i++)
        sign_and_verify(sigmill, stock, OURS[i], "SHA256", 1);
    for (size_t i = 0; i < COUNT(OTHERS); i++)
        sign_and_verify(sigmill, stock, OTHERS[i], "SHA256", 0);
    for (size_t i = 0; i < COUNT(HASHES); i++)
        sign_and_verify(sigmill, stock, "P-256", HASHES[i], 1);
    misuse(sigmill);
    parts(sigmill);
    lookups(sigmill);
#if OPENSSL_VERSION_NUMBER >= 0x30400000L
    fetched(sigmill, "P-256", 1);
    fetched(sigmill, "brainpoolP384r1", 0);
#endif
    OSSL_LIB_CTX_free(sigmill);
    OSSL_LIB_CTX_free(stock);
}

/* A server that has verified and signed forks, and each of its processes continues. */
static void forks(const char *config)
{
    OSSL_LIB_CTX *sigmill = library(config), *stock = library(NULL);
    EVP_PKEY *key = EVP_PKEY_Q_keygen(sigmill, NULL, "EC", "P-256");
    EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(sigmill, key, NULL);
    unsigned char digest[32] = { 3 }, signature[80];
    size_t length = sizeof signature;
    CHECK(EVP_PKEY_sign_init(operation) == 1);
    CHECK(EVP_PKEY_sign(operation, signature, &length, digest, 32) == 1);
    CHECK(EVP_PKEY_verify_init(operation) == 1);
    for (int i = 0; i < 10; i++)
        CHECK(EVP_PKEY_verify(operation, signature, length, digest, 32) == 1);
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (!child) {
            for (int i = 0; i < 10; i++)
                CHECK(EVP_PKEY_verify(operation, signature, length, digest, 32) == 1);
            sign_and_verify(sigmill, stock, "P-256", "SHA256", 1);
            sign_and_verify(sigmill, stock, "P-384", "SHA384", 1);
            /* Nonces of two processes differ, although the state is the same. */
            CHECK(EVP_PKEY_sign_init(operation) == 1);
            length = sizeof signature;
            CHECK(EVP_PKEY_sign(operation, signature, &length, digest, 32) == 1);
            for (size_t i = 0; i < length; i++)
                printf("%02x", signature[i]);
            putchar('\n');
            fflush(stdout);
            _exit(0);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
    }
    CHECK(EVP_PKEY_verify(operation, signature, length, digest, 32) == 1);
    EVP_PKEY_CTX_free(operation);
    EVP_PKEY_free(key);
    OSSL_LIB_CTX_free(sigmill);
    OSSL_LIB_CTX_free(stock);
}

/* Prints the queue of errors after loading a configuration, and whether the module is loaded. */
static void options(const char *config)
{
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    ERR_clear_error();
    OSSL_LIB_CTX_load_config(library, config);
    ERR_print_errors_fp(stdout);
    printf("available: %d\n", OSSL_PROVIDER_available(library, "sigmill"));
    OSSL_LIB_CTX_free(library);
}

int main(int count, char **arguments)
{
    CHECK(count == 3);
    if (!strcmp(arguments[1], "verdicts"))
        verdicts(arguments[2]);
    else if (!strcmp(arguments[1], "operations"))
        operations(arguments[2]);
    else if (!strcmp(arguments[1], "options"))
        options(arguments[2]);
    else if (!strcmp(arguments[1], "fork"))
        forks(arguments[2]);
    else
        return 2;
    return 0;
}
