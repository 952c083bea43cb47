/* Operations with a property query of the program's own. Keys on curves can be made and built from
 * data as before, with that query and with others. Our own code.
 *
 *   queries CONFIG ("-" for the stock library) QUERY|none yes|no (whether ECDH is by sigmill) */
#include "common/check.h"
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/params.h>
#include <openssl/x509.h>

static OSSL_LIB_CTX *with;
/* The generator of P-256, compressed. */
static const unsigned char generator[33] = {
    0x03, 0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40,
    0xf2, 0x77, 0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2,
    0x96 };

static void is_default(EVP_PKEY *key)
{
    CHECK(!strcmp(OSSL_PROVIDER_get0_name(EVP_PKEY_get0_provider(key)), "default"));
}

/* Makes a new key, with a query for the key. */
static EVP_PKEY *generate(const char *query)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(with, "EC", query);
    CHECK(context && EVP_PKEY_keygen_init(context) == 1);
    CHECK(EVP_PKEY_CTX_set_group_name(context, "P-256") == 1);
    CHECK(EVP_PKEY_generate(context, &key) == 1);
    EVP_PKEY_CTX_free(context);
    is_default(key);
    return key;
}

/* Builds the same key from its point. It can be written and queried like any other. */
static void build(EVP_PKEY *key, const char *query)
{
    unsigned char point[65], *der = NULL;
    char group[32];
    size_t length;
    EVP_PKEY *built = NULL;
    CHECK(EVP_PKEY_get_octet_string_param(key, "encoded-pub-key", point, sizeof point, &length));
    OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string("group", "P-256", 0),
                            OSSL_PARAM_construct_octet_string("pub", point, length),
                            OSSL_PARAM_construct_end() };
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(with, "EC", query);
    CHECK(context && EVP_PKEY_fromdata_init(context) == 1);
    CHECK(EVP_PKEY_fromdata(context, &built, EVP_PKEY_PUBLIC_KEY, params) == 1);
    EVP_PKEY_CTX_free(context);
    is_default(built);
    CHECK(i2d_PUBKEY(built, &der) == 91);
    CHECK(EVP_PKEY_get_utf8_string_param(built, "group", group, sizeof group, NULL) == 1);
    CHECK(EVP_PKEY_eq(built, key) == 1);
    OPENSSL_free(der);
    EVP_PKEY_free(built);
}

/* Signs and verifies with a query. Returns whether it succeeded, and whether it was by us. */
static int sign(EVP_PKEY *key, const char *query, int *is_by_us)
{
    unsigned char signature[128];
    size_t length = sizeof signature;
    EVP_PKEY_CTX *in;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int is_begun = EVP_DigestSignInit_ex(context, &in, "SHA256", with, query, key, NULL) == 1;
    if (is_begun) {
        *is_by_us = is_ours(in);
        CHECK(EVP_DigestSign(context, signature, &length, (unsigned char *)"m", 1) == 1);
        EVP_MD_CTX_free(context);
        context = EVP_MD_CTX_new();
        CHECK(EVP_DigestVerifyInit_ex(context, NULL, "SHA256", with, query, key, NULL) == 1);
        CHECK(EVP_DigestVerify(context, signature, length, (unsigned char *)"m", 1) == 1);
    }
    EVP_MD_CTX_free(context);
    return is_begun;
}

/* Agrees with a query. */
static void agree(EVP_PKEY *key, const char *query)
{
    unsigned char secret[32];
    size_t length = sizeof secret;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(with, key, query);
    CHECK(context && EVP_PKEY_derive_init(context) == 1);
    CHECK(EVP_PKEY_derive_set_peer(context, key) == 1);
    CHECK(EVP_PKEY_derive(context, secret, &length) == 1);
    EVP_PKEY_CTX_free(context);
}

int main(int argc, char **argv)
{
    CHECK(argc == 4);
    const char *config = argv[1], *query = strcmp(argv[2], "none") ? argv[2] : NULL;
    with = library(strcmp(config, "-") ? config : NULL);
    int is_by_us = 0, is_stock = !strcmp(config, "-"), is_ecdh = !strcmp(argv[3], "yes");
    EVP_PKEY *key = generate(NULL);
    if (is_ecdh) {
        /* An agreement does not pass its query to us, and nothing was signed with this one. The
         * first attempt to make a key may fail, and no later one. */
        agree(key, "?first=1");
        EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(with, "EC", "?first=1");
        CHECK(context);
        EVP_PKEY_keygen_init(context);
        EVP_PKEY_CTX_free(context);
        ERR_clear_error();
        EVP_PKEY_free(generate("?first=1"));
        agree(key, "?second=2");
        context = EVP_PKEY_CTX_new_from_name(with, "EC", "?second=2");
        EVP_PKEY *built = NULL;
        OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string("group", "P-256", 0),
                                OSSL_PARAM_construct_octet_string("pub", (void *)generator, 33),
                                OSSL_PARAM_construct_end() };
        CHECK(context && EVP_PKEY_fromdata_init(context) == 1);
        if (EVP_PKEY_fromdata(context, &built, EVP_PKEY_KEYPAIR, params) == 1)
            is_default(built);
        EVP_PKEY_free(built);
        EVP_PKEY_CTX_free(context);
        ERR_clear_error();
        build(key, "?second=2");
    }
    /* A query for our provider also applies to the key, and no key on a curve is ours. */
    int asks_for_us = query && !strcmp(query, "provider=sigmill");
    int asks_for_other = query && !strcmp(query, "provider=default");
    for (int round = 0; round < 3; round++) {
        CHECK(sign(key, query, &is_by_us) == !asks_for_us);
        ERR_clear_error();
        CHECK(asks_for_us || is_by_us == (!is_stock && !asks_for_other));
        for (int i = 0; i < 3; i++) {
            const char *queries[] = { query, NULL, "?a=b" };
            if (asks_for_us && i == 0)
                continue;
            EVP_PKEY *made = generate(queries[i]);
            build(made, queries[i]);
            CHECK(sign(made, queries[i], &is_by_us) == 1);
            CHECK(asks_for_us || asks_for_other || is_by_us == !is_stock);
            agree(made, i ? NULL : query);
            EVP_PKEY_free(made);
        }
    }
    /* Many more queries than are remembered, in rotation. */
    for (int i = 0; i < 60; i++) {
        char other[16];
        snprintf(other, sizeof other, "?q%d=1", i % 30);
        CHECK(sign(key, other, &is_by_us) == 1 && is_by_us == !is_stock);
        EVP_PKEY *made = generate(other);
        build(made, other);
        EVP_PKEY_free(made);
    }
    EVP_PKEY_free(key);
    OSSL_LIB_CTX_free(with);
    return 0;
}
