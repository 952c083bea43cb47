/* New X25519 keys and keys from bytes, by the stock library and with the module, with right and
 * wrong calls. The answer of each call is written down, and both must be equal. Our own code.
 *
 *   keys answers CONFIG [show]        with "show" prints equal lines, too
 *   keys fork CONFIG                  private keys of a process and of its children */
#define _GNU_SOURCE
#include "common/check.h"
#include "common/answers.h"
#include "common/x25519.h"
#include <openssl/obj_mac.h>
#include <openssl/ec.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#if OPENSSL_VERSION_NUMBER >= 0x30200000L
#include <openssl/hpke.h>
#endif

/* Keys of any length, with parts that are selected or not, present or not, and matching or not. */
static void from_bytes(void)
{
    unsigned char bytes[80];
    memset(bytes, 0x5a, sizeof bytes);
    for (size_t length = 0; length < 65; length++) {
        fprintf(answers, "%zu bytes\n", length);
        EVP_PKEY *private = of_private(bytes, length), *public = of_public(bytes, length);
        say_key(private);
        say_key(public);
        EVP_PKEY_free(private);
        EVP_PKEY_free(public);
        EVP_PKEY_free(of_data(EVP_PKEY_KEYPAIR, bytes, length, alice_public, 32));
        EVP_PKEY_free(of_data(EVP_PKEY_KEYPAIR, alice, 32, bytes, length));
    }
    for (int selection = 0; selection < 0x90; selection++) {
        if (selection & 0x78)
            continue;
        for (int parts = 0; parts < 8; parts++) {
            const unsigned char *public = parts & 4 ? bob_public : alice_public;
            fprintf(answers, "selected %d, given %d\n", selection, parts);
            EVP_PKEY *key = of_data(selection, parts & 1 ? loose : NULL, 32,
                                    parts & 2 ? public : NULL, 32);
            say_key(key);
            EVP_PKEY_free(key);
        }
    }
    /* Parts of another type, and without bytes. */
    for (int i = 0; i < 3; i++) {
        EVP_PKEY *key = NULL;
        EVP_PKEY_CTX *from = EVP_PKEY_CTX_new_from_name(library_now, "X25519", NULL);
        OSSL_PARAM params[2] = { i == 0 ? OSSL_PARAM_construct_utf8_string("pub", (char *)bytes, 32)
                                 : i == 1 ? OSSL_PARAM_construct_octet_string("pub", NULL, 32)
                                          : OSSL_PARAM_construct_octet_string("priv", NULL, 32),
                                 OSSL_PARAM_construct_end() };
        CHECK(EVP_PKEY_fromdata_init(from) == 1);
        say("other parts", EVP_PKEY_fromdata(from, &key, EVP_PKEY_KEYPAIR, params));
        EVP_PKEY_free(key);
        EVP_PKEY_CTX_free(from);
    }
}

/* Ways to make new keys. */
static void generations(void)
{
    static const char *const groups[] = { "x25519", "X25519", "x448", "P-256", "x25519 ", "" };
    for (size_t i = 0; i < COUNT(groups); i++) {
        for (int is_pair = 0; is_pair < 2; is_pair++) {
            EVP_PKEY *key = NULL;
            EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(library_now, "X25519", NULL);
            CHECK((is_pair ? EVP_PKEY_keygen_init(making) : EVP_PKEY_paramgen_init(making)) == 1);
            say_params("generation takes", EVP_PKEY_CTX_settable_params(making));
            fprintf(answers, "%s ", groups[i]);
            say("group", EVP_PKEY_CTX_set_group_name(making, groups[i]));
            say("generate", EVP_PKEY_generate(making, &key));
            is_by(maker, key);
            unsigned char bytes[32];
            size_t length = sizeof bytes;
            say("raw", EVP_PKEY_get_raw_private_key(key, bytes, &length));
            if (is_pair) {
                CHECK(!(bytes[0] & 7) && (bytes[31] & 0xc0) == 0x40);
                EVP_PKEY *same = of_private(bytes, sizeof bytes);
                say("same", EVP_PKEY_eq(key, same));
                EVP_PKEY_free(same);
            }
            EVP_PKEY_free(key);
            EVP_PKEY_CTX_free(making);
        }
    }
    EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(library_now, "X25519", NULL);
    unsigned number = 5;
    EVP_PKEY *key = NULL;
    OSSL_PARAM params[] = { OSSL_PARAM_construct_uint("group", &number),
                            OSSL_PARAM_construct_end() };
    CHECK(EVP_PKEY_keygen_init(making) == 1);
    say("group by number", EVP_PKEY_CTX_set_params(making, params));
    params[0] = OSSL_PARAM_construct_uint("properties", &number);
    say("properties by number", EVP_PKEY_CTX_set_params(making, params));
    params[0] = OSSL_PARAM_construct_utf8_string("properties", "?provider=default", 0);
    say("properties", EVP_PKEY_CTX_set_params(making, params));
    params[0] = OSSL_PARAM_construct_uint("none", &number);
    say("unknown", EVP_PKEY_CTX_set_params(making, params));
    say("curve", EVP_PKEY_CTX_set_ec_paramgen_curve_nid(making, NID_X9_62_prime256v1));
    say("generate", EVP_PKEY_generate(making, &key));
    CHECK(key);
    /* A second key from the same context. */
    EVP_PKEY *second = NULL;
    say("generate", EVP_PKEY_generate(making, &second));
    say("equal", EVP_PKEY_eq(key, second));
    EVP_PKEY_free(key);
    EVP_PKEY_free(second);
    EVP_PKEY_CTX_free(making);
}

/* Derives a key from a secret of any length by DeriveKeyPair (RFC 9180), or returns null. */
static EVP_PKEY *derived(const char *properties, const unsigned char *secret, size_t length)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(library_now, "X25519", properties);
    OSSL_PARAM params[] = { OSSL_PARAM_construct_octet_string("dhkem-ikm", (void *)secret, length),
                            OSSL_PARAM_construct_end() };
    CHECK(EVP_PKEY_keygen_init(making) == 1 && EVP_PKEY_CTX_set_params(making, params) == 1);
    EVP_PKEY_generate(making, &key);
    EVP_PKEY_CTX_free(making);
    ERR_clear_error();
    return key;
}

static int takes_secrets(const char *properties)
{
    EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(library_now, "X25519", properties);
    CHECK(EVP_PKEY_keygen_init(making) == 1);
    const OSSL_PARAM *params = EVP_PKEY_CTX_settable_params(making);
    int takes = OSSL_PARAM_locate_const(params, "dhkem-ikm") != NULL;
    EVP_PKEY_CTX_free(making);
    return takes;
}

static void derivations(void)
{
    unsigned char secret[100], known[32], expected[32];
    for (size_t i = 0; i < sizeof secret; i++)
        secret[i] = (unsigned char)(i * i + 3);
    int is_known = takes_secrets("provider=default");
    for (size_t length = 1; is_known && length <= sizeof secret; length++) {
        EVP_PKEY *key = derived(NULL, secret, length);
        fprintf(answers, "derived from %zu\n", length);
        say_key(key);
        EVP_PKEY_free(key);
    }
    if (strcmp(maker, "default")) {
        CHECK(takes_secrets(NULL));
        /* Appendix A.1.1. */
        unhex("7268600d403fce431561aef583ee1613527cff655c1343f29812e66706df3234", known);
        unhex("37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431", expected);
        EVP_PKEY *key = derived(NULL, known, 32), *same = of_public(expected, 32);
        is_by(maker, key);
        CHECK(EVP_PKEY_eq(key, same) == 1);
        CHECK(!derived(NULL, known, 31));
        EVP_PKEY_free(key);
        EVP_PKEY_free(same);
        /* Nothing to derive from: a new key. */
        EVP_PKEY *new[2] = { derived(NULL, known, 0), derived(NULL, known, 0) };
        CHECK(new[0] && new[1] && EVP_PKEY_eq(new[0], new[1]) == 0);
        EVP_PKEY_free(new[0]);
        EVP_PKEY_free(new[1]);
    }
#if OPENSSL_VERSION_NUMBER >= 0x30200000L
    /* Our keys with the default provider's KEM. */
    OSSL_HPKE_SUITE suite = { OSSL_HPKE_KEM_ID_X25519, OSSL_HPKE_KDF_ID_HKDF_SHA256,
                              OSSL_HPKE_AEAD_ID_EXPORTONLY };
    unsigned char public[32], enc[32], exported[2][32];
    size_t public_len = sizeof public, enc_len = sizeof enc;
    EVP_PKEY *receiver = NULL;
    CHECK(OSSL_HPKE_keygen(suite, public, &public_len, &receiver, secret, 32, library_now, NULL));
    say_bytes("HPKE", public, public_len);
    is_by(maker, receiver);
    OSSL_HPKE_CTX *sender = OSSL_HPKE_CTX_new(OSSL_HPKE_MODE_BASE, suite, OSSL_HPKE_ROLE_SENDER,
                                              library_now, NULL);
    CHECK(OSSL_HPKE_encap(sender, enc, &enc_len, public, public_len, NULL, 0) == 1);
    OSSL_HPKE_CTX *opener = OSSL_HPKE_CTX_new(OSSL_HPKE_MODE_BASE, suite, OSSL_HPKE_ROLE_RECEIVER,
                                              library_now, NULL);
    CHECK(OSSL_HPKE_decap(opener, enc, enc_len, receiver, NULL, 0) == 1);
    CHECK(OSSL_HPKE_export(sender, exported[0], 32, NULL, 0) == 1);
    CHECK(OSSL_HPKE_export(opener, exported[1], 32, NULL, 0) == 1);
    CHECK(!memcmp(exported[0], exported[1], 32));
    OSSL_HPKE_CTX_free(sender);
    OSSL_HPKE_CTX_free(opener);
    EVP_PKEY_free(receiver);
#endif
}

static void all(void)
{
    from_bytes();
    generations();
    derivations();
}

static void print_new_key(const char *whose)
{
    unsigned char bytes[32];
    size_t length = sizeof bytes;
    EVP_PKEY *key = generate();
    CHECK(EVP_PKEY_get_raw_private_key(key, bytes, &length) == 1);
    printf("%s ", whose);
    for (size_t i = 0; i < length; i++)
        printf("%02x", bytes[i]);
    putchar('\n');
    fflush(stdout);
    EVP_PKEY_free(key);
}

/* Makes children with the C library, and without it, so that no library knows of them. */
static void forks(void)
{
    print_new_key("parent");
    for (int i = 0; i < 4; i++) {
#ifdef SYS_fork
        pid_t child = i % 2 ? (pid_t)syscall(SYS_fork) : fork();
#else
        pid_t child = fork();
#endif
        int status;
        CHECK(child >= 0);
        if (!child) {
            print_new_key("child");
            print_new_key("child");
            _exit(0);
        }
        print_new_key("parent");
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
        print_new_key("parent");
    }
}

int main(int count, char **arguments)
{
    CHECK(count >= 3);
    OSSL_LIB_CTX *libraries[] = { library(NULL), library(arguments[2]) };
    int differ = 0;
    if (strcmp(arguments[1], "fork")) {
        differ = compare(libraries, all, count > 3);
    } else {
        library_now = libraries[1];
        maker = "sigmill";
        forks();
    }
    OSSL_LIB_CTX_free(libraries[0]);
    OSSL_LIB_CTX_free(libraries[1]);
    return differ;
}
