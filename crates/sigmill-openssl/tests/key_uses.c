/* Uses of X25519 keys, by the stock library and with the module: keys are changed, copied,
 * compared, written, read, and agree. The answer of each call is written down, and both must be
 * equal. Our own code.
 *
 *   key_uses CONFIG [show]        with "show" prints equal lines, too */
#define _GNU_SOURCE
#include "common/check.h"
#include "common/answers.h"
#include "common/x25519.h"
#include <openssl/encoder.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

/* Sets public parts of every length, and everything else that can be set. */
static void changes(void)
{
    unsigned char bytes[80];
    memset(bytes, 0xa5, sizeof bytes);
    for (size_t length = 0; length < 65; length++) {
        EVP_PKEY *keys[] = { of_private(alice, 32), of_public(bob_public, 32), of_nothing() };
        for (size_t i = 0; i < COUNT(keys); i++) {
            EVP_PKEY *copy = EVP_PKEY_dup(keys[i]);
            fprintf(answers, "%zu %zu ", i, length);
            say("set", EVP_PKEY_set1_encoded_public_key(keys[i], bytes, length));
            say_parts(keys[i]);
            /* The original is unchanged. */
            say_parts(copy);
            EVP_PKEY_free(copy);
            EVP_PKEY_free(keys[i]);
        }
    }
    EVP_PKEY *key = of_private(alice, 32);
    say("no bytes", EVP_PKEY_set1_encoded_public_key(key, NULL, 32));
    say("priv", EVP_PKEY_set_octet_string_param(key, "priv", bytes, 32));
    say("pub", EVP_PKEY_set_octet_string_param(key, "pub", bytes, 32));
    say("text", EVP_PKEY_set_utf8_string_param(key, "encoded-pub-key", "x"));
    say("properties", EVP_PKEY_set_utf8_string_param(key, "properties", "?fips=yes"));
    say("properties by number", EVP_PKEY_set_int_param(key, "properties", 1));
    OSSL_PARAM params[] = { OSSL_PARAM_construct_octet_string("encoded-pub-key", bytes, 32),
                            OSSL_PARAM_construct_octet_string("properties", bytes, 3),
                            OSSL_PARAM_construct_end() };
    say_parts(key);
    say("both", EVP_PKEY_set_params(key, params));
    say_parts(key);
    EVP_PKEY_free(key);
}

/* Copies and comparisons. */
static void copies(void)
{
    EVP_PKEY *keys[] = {
        of_private(alice, 32),
        of_public(alice_public, 32),
        of_public(bob_public, 32),
        of_private(loose, 32),
        of_nothing(),
        of_data(EVP_PKEY_KEYPAIR, alice, 32, bob_public, 32),
        /* The same key by the default provider, whichever provider usually makes keys. */
        EVP_PKEY_new_raw_private_key_ex(library_now, "X25519", "provider=default", alice, 32),
        EVP_PKEY_new_raw_public_key_ex(library_now, "X25519", "provider=default", bob_public, 32),
        EVP_PKEY_Q_keygen(library_now, NULL, "X448"),
        EVP_PKEY_Q_keygen(library_now, NULL, "EC", "P-256"),
        EVP_PKEY_new(),
    };
    for (size_t i = 0; i < COUNT(keys); i++) {
        CHECK(keys[i]);
        for (size_t j = 0; j < COUNT(keys); j++)
            fprintf(answers, "%zu %zu: %d %d\n", i, j, EVP_PKEY_eq(keys[i], keys[j]),
                    EVP_PKEY_parameters_eq(keys[i], keys[j]));
        ERR_clear_error();
        for (size_t j = 0; j < 9; j++) {
            EVP_PKEY *to = i < 6 && j == 8 ? EVP_PKEY_new() : EVP_PKEY_dup(keys[j]);
            fprintf(answers, "%zu to %zu ", i, j);
            say("copy", EVP_PKEY_copy_parameters(to, keys[i]));
            if (i < 6 && j == 8) {
                say_key(EVP_PKEY_get0_type_name(to) ? to : NULL);
                say("set", EVP_PKEY_set1_encoded_public_key(to, bob_public, 32));
                say_key(EVP_PKEY_get0_type_name(to) ? to : NULL);
            }
            EVP_PKEY_free(to);
        }
        if (i < 6) {
            EVP_PKEY *copy = EVP_PKEY_dup(keys[i]);
            say_key(copy);
            EVP_PKEY_free(keys[i]);
            say_key(copy);
            keys[i] = copy;
        }
    }
    for (size_t i = 0; i < COUNT(keys); i++)
        EVP_PKEY_free(keys[i]);
}

static void say_bio(const char *what, BIO *bio)
{
    char *text = NULL;
    long length = BIO_get_mem_data(bio, &text);
    say_bytes(what, (unsigned char *)text, (size_t)length);
}

/* Keys in files: writes them and reads them again. Two cases are left out (docs/openssl.md): from
 * parameters alone, the stock library prints the public part; of a key without parts it prints
 * none, but writes one of zeros. */
static void files(EVP_PKEY *key, int is_empty)
{
    unsigned char *der = NULL;
    int length = i2d_PrivateKey(key, &der);
    const unsigned char *at = der;
    say_bytes("PKCS#8", der, length < 0 ? 0 : (size_t)length);
    if (length > 0) {
        EVP_PKEY *read = d2i_AutoPrivateKey_ex(NULL, &at, length, library_now, NULL);
        say("read", EVP_PKEY_eq(key, read));
        EVP_PKEY_free(read);
    }
    OPENSSL_free(der);
    der = NULL;
    length = i2d_PUBKEY(key, &der);
    at = der;
    say_bytes("SPKI", der, length < 0 ? 0 : (size_t)length);
    if (length > 0) {
        EVP_PKEY *read = d2i_PUBKEY_ex(NULL, &at, length, library_now, NULL);
        say("read", is_empty ? read != NULL : EVP_PKEY_eq(key, read));
        EVP_PKEY_free(read);
    }
    OPENSSL_free(der);
    for (int i = 0; i < 5; i++) {
        BIO *bio = BIO_new(BIO_s_mem());
        EVP_PKEY *read = NULL;
        switch (i) {
        case 0: say("PEM", PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL)); break;
        case 1: say("PEM", PEM_write_bio_PUBKEY(bio, key)); break;
        case 2: say("print", EVP_PKEY_print_private(bio, key, 2, NULL)); break;
        case 3:
            if (!is_empty)
                say("print", EVP_PKEY_print_public(bio, key, 0, NULL));
            break;
        default:
            /* The salt makes this different every time. */
            say("PEM", PEM_write_bio_PrivateKey(bio, key, EVP_aes_256_cbc(), NULL, 0, NULL, "x"));
            read = PEM_read_bio_PrivateKey_ex(bio, NULL, NULL, "x", library_now, NULL);
            say("read", read && EVP_PKEY_eq(key, read) == 1);
        }
        if (i < 4)
            say_bio("is", bio);
        if (i == 0)
            read = PEM_read_bio_PrivateKey_ex(bio, NULL, NULL, NULL, library_now, NULL);
        if (i == 1)
            read = PEM_read_bio_PUBKEY_ex(bio, NULL, NULL, NULL, library_now, NULL);
        if (i < 2)
            say("read", read && (is_empty || EVP_PKEY_eq(key, read) == 1));
        EVP_PKEY_free(read);
        BIO_free(bio);
        ERR_clear_error();
    }
    static const char *const outputs[][2] = {
        { "DER", "PrivateKeyInfo" }, { "DER", "SubjectPublicKeyInfo" }, { "TEXT", NULL },
        { "DER", "type-specific" },  { "PVK", NULL },                   { "MSBLOB", NULL },
    };
    for (int selection = 0; selection < 8; selection++) {
        for (size_t i = 0; i < COUNT(outputs); i++) {
            if (!strcmp(outputs[i][0], "TEXT") &&
                (is_empty || selection == OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS))
                continue;
            size_t bytes_len = 0;
            unsigned char *bytes = NULL;
            OSSL_ENCODER_CTX *encoder =
                OSSL_ENCODER_CTX_new_for_pkey(key, selection, outputs[i][0], outputs[i][1], NULL);
            fprintf(answers, "%d %zu, %d encoders\n", selection, i,
                    OSSL_ENCODER_CTX_get_num_encoders(encoder));
            say("encode", OSSL_ENCODER_to_data(encoder, &bytes, &bytes_len));
            say_bytes("is", bytes, bytes ? bytes_len : 0);
            OPENSSL_free(bytes);
            OSSL_ENCODER_CTX_free(encoder);
        }
    }
    X509_PUBKEY *of_certificate = NULL;
    say("certificate", X509_PUBKEY_set(&of_certificate, key));
    EVP_PKEY *got = of_certificate ? X509_PUBKEY_get(of_certificate) : NULL;
    say("the same", got && EVP_PKEY_eq(key, got) == 1);
    EVP_PKEY_free(got);
    X509_PUBKEY_free(of_certificate);
    ERR_clear_error();
}

/* Agreements between keys of both providers, by an operation of either. */
static void agreements(void)
{
    static const char *const properties[] = { NULL, "provider=default", "?provider=default" };
    EVP_PKEY *own[COUNT(properties)], *peers[COUNT(properties)];
    for (size_t i = 0; i < COUNT(properties); i++) {
        own[i] = EVP_PKEY_new_raw_private_key_ex(library_now, "X25519", properties[i], loose, 32);
        peers[i] =
            EVP_PKEY_new_raw_public_key_ex(library_now, "X25519", properties[i], bob_public, 32);
        is_by(i ? "default" : maker, own[i]);
        is_by(i ? "default" : maker, peers[i]);
    }
    for (size_t i = 0; i < 27; i++) {
        const char *of_operation = properties[i % 3];
        EVP_PKEY *key = own[i / 3 % 3], *peer = peers[i / 9];
        EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(library_now, key, of_operation);
        unsigned char secret[32];
        size_t length = sizeof secret;
        CHECK(EVP_PKEY_derive_init(operation) == 1);
        const char *by = OSSL_PROVIDER_get0_name(EVP_PKEY_CTX_get0_provider(operation));
        CHECK(!strcmp(by, of_operation ? "default" : maker));
        CHECK(EVP_PKEY_derive_set_peer(operation, peer) == 1);
        CHECK(EVP_PKEY_derive(operation, secret, &length) == 1);
        say_bytes("secret", secret, length);
        EVP_PKEY_CTX_free(operation);
    }
    for (size_t i = 0; i < COUNT(properties); i++) {
        EVP_PKEY_free(own[i]);
        EVP_PKEY_free(peers[i]);
    }
}

static void all(void)
{
    changes();
    copies();
    EVP_PKEY *keys[] = { of_private(loose, 32), of_private(alice, 32), of_public(bob_public, 32),
                         of_nothing(), of_data(EVP_PKEY_KEYPAIR, alice, 32, bob_public, 32) };
    for (size_t i = 0; i < COUNT(keys); i++) {
        files(keys[i], i == 3);
        EVP_PKEY_free(keys[i]);
    }
    agreements();
}

int main(int count, char **arguments)
{
    CHECK(count >= 2);
    OSSL_LIB_CTX *libraries[] = { library(NULL), library(arguments[1]) };
    int differ = compare(libraries, all, count > 2);
    OSSL_LIB_CTX_free(libraries[0]);
    OSSL_LIB_CTX_free(libraries[1]);
    return differ;
}
