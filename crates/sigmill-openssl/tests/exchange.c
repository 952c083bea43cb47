/* Agreements by the stock library and with the module, each in its own library context. */
#include "common/check.h"
#include "common/keys.h"
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/params.h>

enum { STOCK, SIGMILL };

/* Both keys agree on the same secret in both libraries, in both directions. */
static void agree(OSSL_LIB_CTX **libraries, const char *group, int ours)
{
    EVP_PKEY *own = generate(libraries[SIGMILL], group), *other = generate(libraries[STOCK], group);
    unsigned char secrets[4][80];
    size_t lengths[4];
    for (int i = 0; i < 4; i++) {
        OSSL_LIB_CTX *library = libraries[i % 2];
        EVP_PKEY *key = same(library, i < 2 ? own : other, 1);
        EVP_PKEY *peer = same(library, i < 2 ? other : own, 0);
        EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(library, key, NULL);
        CHECK(EVP_PKEY_derive_init(operation) == 1);
        CHECK(is_ours(operation) == (ours && i % 2));
        size_t length = 0;
        /* Without a peer there is nothing to share. */
        memset(secrets[i], 0xee, sizeof secrets[i]);
        length = sizeof secrets[i];
        CHECK(EVP_PKEY_derive(operation, secrets[i], &length) <= 0);
        CHECK(EVP_PKEY_derive_set_peer(operation, peer) == 1);
        CHECK(EVP_PKEY_derive(operation, NULL, &length) == 1 && length <= sizeof secrets[i]);
        size_t full = length;
        /* A buffer that is too small: ECDH is truncated, X25519 is not. */
        length = full - 1;
        if (is_x25519(group))
            CHECK(EVP_PKEY_derive(operation, secrets[i], &length) <= 0);
        else
            CHECK(EVP_PKEY_derive(operation, secrets[i], &length) == 1 && length == full - 1 &&
                  secrets[i][full - 1] == 0xee);
        lengths[i] = sizeof secrets[i];
        CHECK(EVP_PKEY_derive(operation, secrets[i], &lengths[i]) == 1 && lengths[i] == full);
        CHECK(secrets[i][full] == 0xee);
        /* A copy continues by itself. */
        EVP_PKEY_CTX *copy = EVP_PKEY_CTX_dup(operation);
        EVP_PKEY_CTX_free(operation);
        unsigned char again[80];
        length = sizeof again;
        CHECK(EVP_PKEY_derive(copy, again, &length) == 1 && length == full);
        CHECK(!memcmp(again, secrets[i], full));
        CHECK(lengths[i] == lengths[0] && !memcmp(secrets[i], secrets[0], full));
        EVP_PKEY_CTX_free(copy);

        /* A key without a private part agrees with nobody. */
        operation = EVP_PKEY_CTX_new_from_pkey(library, peer, NULL);
        if (EVP_PKEY_derive_init(operation) == 1 && EVP_PKEY_derive_set_peer(operation, key) == 1) {
            length = sizeof again;
            CHECK(EVP_PKEY_derive(operation, again, &length) <= 0);
        }
        EVP_PKEY_CTX_free(operation);
        ERR_clear_error();
        EVP_PKEY_free(key);
        EVP_PKEY_free(peer);
    }
    EVP_PKEY_free(own);
    EVP_PKEY_free(other);
}

/* Invalid peers: on another curve, and points of small order. */
static void misuse(OSSL_LIB_CTX *library)
{
    unsigned char secret[80];
    size_t length = sizeof secret;
    EVP_PKEY *key = generate(library, "P-256"), *other = generate(library, "P-384");
    EVP_PKEY *edge = generate(library, "X25519");
    EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(library, key, NULL);
    CHECK(EVP_PKEY_derive_init(operation) == 1 && is_ours(operation));
    CHECK(EVP_PKEY_derive_set_peer(operation, other) <= 0);
    CHECK(EVP_PKEY_derive_set_peer(operation, edge) <= 0);
    CHECK(EVP_PKEY_derive(operation, secret, &length) <= 0);
    EVP_PKEY_CTX_free(operation);

    static const unsigned char small[3][32] = { { 0 }, { 1 }, { 0xec, 0xff } };
    operation = EVP_PKEY_CTX_new_from_pkey(library, edge, NULL);
    CHECK(EVP_PKEY_derive_init(operation) == 1 && is_ours(operation));
    for (int i = 0; i < 2; i++) {
        EVP_PKEY *peer =
            EVP_PKEY_new_raw_public_key_ex(library, "X25519", NULL, small[i], sizeof small[i]);
        CHECK(peer && EVP_PKEY_derive_set_peer(operation, peer) == 1);
        length = sizeof secret;
        CHECK(EVP_PKEY_derive(operation, secret, &length) <= 0);
        EVP_PKEY_free(peer);
    }
    EVP_PKEY_CTX_free(operation);
    EVP_PKEY_free(key);
    EVP_PKEY_free(other);
    EVP_PKEY_free(edge);
    ERR_clear_error();
}

/* X9.63 with this hash, a length that is not a multiple of the hash's, and optional bytes after the
 * secret. */
static void derive(OSSL_LIB_CTX **libraries, const char *hash, size_t length, size_t info_len)
{
    EVP_PKEY *own = generate(libraries[SIGMILL], "P-256");
    EVP_PKEY *other = generate(libraries[STOCK], "P-256");
    unsigned char results[2][300], info[100];
    memset(info, 0x5a, sizeof info);
    for (int i = 0; i < 2; i++) {
        EVP_PKEY *key = same(libraries[i], own, 1), *peer = same(libraries[i], other, 0);
        EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(libraries[i], key, NULL);
        char type[20] = "?", name[50] = "?";
        unsigned char *found = NULL;
        size_t found_len = 1;
        int mode = 5;
        OSSL_PARAM params[6];
        CHECK(EVP_PKEY_derive_init(operation) == 1 && is_ours(operation) == i);
        CHECK(EVP_PKEY_CTX_get_ecdh_kdf_type(operation) == EVP_PKEY_ECDH_KDF_NONE);
        params[0] = OSSL_PARAM_construct_utf8_string("kdf-type", "X963KDF", 0);
        params[1] = OSSL_PARAM_construct_utf8_string("kdf-digest", (char *)hash, 0);
        params[2] = OSSL_PARAM_construct_size_t("kdf-outlen", &length);
        params[3] = OSSL_PARAM_construct_octet_string("kdf-ukm", info, info_len);
        params[4] = OSSL_PARAM_construct_end();
        CHECK(EVP_PKEY_CTX_set_params(operation, params) == 1);
        CHECK(EVP_PKEY_CTX_set_ecdh_cofactor_mode(operation, 1) == 1);
        CHECK(EVP_PKEY_CTX_set_ecdh_cofactor_mode(operation, 2) <= 0);
        /* From text, which yields a number of one byte. */
        CHECK(EVP_PKEY_CTX_ctrl_str(operation, "ecdh_cofactor_mode", "1") == 1);
        CHECK(EVP_PKEY_CTX_get_ecdh_kdf_type(operation) == EVP_PKEY_ECDH_KDF_X9_63);
        int outlen = 0;
        CHECK(EVP_PKEY_CTX_get_ecdh_kdf_outlen(operation, &outlen) == 1 && outlen == (int)length);
        params[0] = OSSL_PARAM_construct_utf8_string("kdf-type", type, sizeof type);
        params[1] = OSSL_PARAM_construct_utf8_string("kdf-digest", name, sizeof name);
        params[2] = OSSL_PARAM_construct_octet_ptr("kdf-ukm", (void **)&found, 0);
        params[3] = OSSL_PARAM_construct_int("ecdh-cofactor-mode", &mode);
        params[4] = OSSL_PARAM_construct_end();
        CHECK(EVP_PKEY_CTX_get_params(operation, params) == 1);
        CHECK(!strcmp(type, "X963KDF") && mode == 1);
        found_len = params[2].return_size;
        CHECK(found_len == info_len && (!info_len || !memcmp(found, info, info_len)));
        EVP_MD *md = EVP_MD_fetch(libraries[i], hash, NULL);
        CHECK(md && EVP_MD_is_a(md, name));
        EVP_MD_free(md);

        CHECK(EVP_PKEY_derive_set_peer(operation, peer) == 1);
        size_t result_len = 0;
        CHECK(EVP_PKEY_derive(operation, NULL, &result_len) == 1 && result_len == length);
        result_len = length - 1;
        CHECK(EVP_PKEY_derive(operation, results[i], &result_len) <= 0);
        EVP_PKEY_CTX *copy = EVP_PKEY_CTX_dup(operation);
        EVP_PKEY_CTX_free(operation);
        result_len = sizeof results[i];
        CHECK(EVP_PKEY_derive(copy, results[i], &result_len) == 1 && result_len == length);
        EVP_PKEY_CTX_free(copy);
        EVP_PKEY_free(key);
        EVP_PKEY_free(peer);
        ERR_clear_error();
    }
    CHECK(!memcmp(results[STOCK], results[SIGMILL], length));
    EVP_PKEY_free(own);
    EVP_PKEY_free(other);
}

/* Invalid derivations. */
static void derive_wrongly(OSSL_LIB_CTX *library)
{
    EVP_PKEY *key = generate(library, "P-256");
    EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(library, key, NULL);
    unsigned char result[64];
    size_t length = 32;
    OSSL_PARAM params[4];
    CHECK(EVP_PKEY_derive_init(operation) == 1 && is_ours(operation));
    CHECK(EVP_PKEY_derive_set_peer(operation, key) == 1);
    params[1] = OSSL_PARAM_construct_end();
    params[0] = OSSL_PARAM_construct_utf8_string("kdf-type", "HKDF", 0);
    CHECK(EVP_PKEY_CTX_set_params(operation, params) <= 0);
    params[0] = OSSL_PARAM_construct_utf8_string("kdf-digest", "NONE-SUCH", 0);
    CHECK(EVP_PKEY_CTX_set_params(operation, params) <= 0);
    /* Without a hash, and with one that we do not have. */
    params[0] = OSSL_PARAM_construct_utf8_string("kdf-type", "X963KDF", 0);
    params[1] = OSSL_PARAM_construct_size_t("kdf-outlen", &length);
    params[2] = OSSL_PARAM_construct_end();
    CHECK(EVP_PKEY_CTX_set_params(operation, params) == 1);
    size_t result_len = sizeof result;
    CHECK(EVP_PKEY_derive(operation, result, &result_len) <= 0);
    EVP_PKEY_CTX_free(operation);
    EVP_PKEY_free(key);
    ERR_clear_error();
}

/* Reads lines of a group, a private key and a public one: SPKI, or the 32 bytes of X25519; all in
 * hexadecimal. Prints the secret by the stock library and with sigmill for each; "-" for none. */
static void answers(OSSL_LIB_CTX **libraries)
{
    static char group[64], private_hex[1 << 12], public_hex[1 << 14];
    static unsigned char private_bytes[1 << 11], public_bytes[1 << 13];
    while (scanf("%63s %4095s %16383s", group, private_hex, public_hex) == 3) {
        size_t private_len = unhex(private_hex, private_bytes);
        size_t public_len = unhex(public_hex, public_bytes);
        for (int i = 0; i < 2; i++) {
            OSSL_LIB_CTX *library = libraries[i];
            const unsigned char *at = public_bytes;
            EVP_PKEY *key = NULL, *peer;
            if (is_x25519(group)) {
                key = EVP_PKEY_new_raw_private_key_ex(library, group, NULL, private_bytes,
                                                      private_len);
                peer = EVP_PKEY_new_raw_public_key_ex(library, group, NULL, public_bytes,
                                                      public_len);
            } else {
                /* Without its public part. */
                BIGNUM *number = BN_bin2bn(private_bytes, (int)private_len, NULL);
                OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
                OSSL_PARAM_BLD_push_utf8_string(build, "group", group, 0);
                OSSL_PARAM_BLD_push_BN(build, "priv", number);
                OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
                EVP_PKEY_CTX *from = EVP_PKEY_CTX_new_from_name(library, "EC", NULL);
                CHECK(params && EVP_PKEY_fromdata_init(from) == 1);
                EVP_PKEY_fromdata(from, &key, EVP_PKEY_KEYPAIR, params);
                EVP_PKEY_CTX_free(from);
                OSSL_PARAM_free(params);
                OSSL_PARAM_BLD_free(build);
                BN_free(number);
                peer = d2i_PUBKEY_ex(NULL, &at, (long)public_len, library, NULL);
            }
            unsigned char secret[80];
            size_t length = sizeof secret;
            EVP_PKEY_CTX *operation = key ? EVP_PKEY_CTX_new_from_pkey(library, key, NULL) : NULL;
            int is_done = operation && peer && EVP_PKEY_derive_init(operation) == 1 &&
                          EVP_PKEY_derive_set_peer(operation, peer) == 1 &&
                          EVP_PKEY_derive(operation, secret, &length) == 1;
            for (size_t j = 0; is_done && j < length; j++)
                printf("%02x", secret[j]);
            printf("%s%c ", is_done ? "" : "-", operation && is_ours(operation) ? 's' : 'd');
            EVP_PKEY_CTX_free(operation);
            EVP_PKEY_free(key);
            EVP_PKEY_free(peer);
        }
        putchar('\n');
        ERR_clear_error();
    }
}

int main(int count, char **arguments)
{
    static const char *const ours[] = {
        "P-256", "P-384", "P-521", "secp256k1", "brainpoolP256r1", "X25519",
    };
    static const char *const others[] = { "brainpoolP384r1", "P-224", "brainpoolP256t1" };
    static const char *const hashes[] = {
        "SHA1", "SHA224", "SHA256", "SHA384", "SHA512", "SHA3-256",
    };
    CHECK(count == 3);
    OSSL_LIB_CTX *libraries[] = { library(NULL), library(arguments[2]) };
    if (!strcmp(arguments[1], "answers")) {
        answers(libraries);
    } else {
        for (size_t i = 0; i < COUNT(ours); i++)
            agree(libraries, ours[i], 1);
        for (size_t i = 0; i < COUNT(others); i++)
            agree(libraries, others[i], 0);
        for (size_t i = 0; i < COUNT(hashes); i++) {
            derive(libraries, hashes[i], 32, 0);
            derive(libraries, hashes[i], 16 + 40 * i, sizeof(char[100]));
        }
        misuse(libraries[SIGMILL]);
        derive_wrongly(libraries[SIGMILL]);
    }
    OSSL_LIB_CTX_free(libraries[STOCK]);
    OSSL_LIB_CTX_free(libraries[SIGMILL]);
    return 0;
}
