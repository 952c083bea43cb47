/* X25519 keys in a library context, and their properties. */
#include <openssl/core_names.h>
#include <openssl/params.h>

static OSSL_LIB_CTX *library_now;
/* The provider that makes the keys. */
static const char *maker;

/* A key pair, a public part, and a private part that is not clamped. */
static unsigned char alice[32], alice_public[32], bob_public[32], loose[32];

static inline void is_by(const char *name, EVP_PKEY *key)
{
    CHECK(key && !strcmp(OSSL_PROVIDER_get0_name(EVP_PKEY_get0_provider(key)), name));
}

static inline EVP_PKEY *of_private(const unsigned char *bytes, size_t length)
{
    return EVP_PKEY_new_raw_private_key_ex(library_now, "X25519", NULL, bytes, length);
}

static inline EVP_PKEY *of_public(const unsigned char *bytes, size_t length)
{
    return EVP_PKEY_new_raw_public_key_ex(library_now, "X25519", NULL, bytes, length);
}

/* Makes a key from parts that may not belong together. */
static inline EVP_PKEY *of_data(int selection, const unsigned char *private, size_t private_len,
                                const unsigned char *public, size_t public_len)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *from = EVP_PKEY_CTX_new_from_name(library_now, "X25519", NULL);
    OSSL_PARAM params[3], *next = params;
    if (private)
        *next++ = OSSL_PARAM_construct_octet_string("priv", (void *)private, private_len);
    if (public)
        *next++ = OSSL_PARAM_construct_octet_string("pub", (void *)public, public_len);
    *next = OSSL_PARAM_construct_end();
    CHECK(from && EVP_PKEY_fromdata_init(from) == 1);
    say("from data", EVP_PKEY_fromdata(from, &key, selection, params));
    EVP_PKEY_CTX_free(from);
    return key;
}

/* Makes a key without parts, as TLS does for its peer. */
static inline EVP_PKEY *of_nothing(void)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(library_now, "X25519", NULL);
    CHECK(EVP_PKEY_paramgen_init(making) == 1);
    CHECK(EVP_PKEY_CTX_set_group_name(making, "x25519") == 1);
    CHECK(EVP_PKEY_paramgen(making, &key) == 1);
    EVP_PKEY_CTX_free(making);
    return key;
}

static inline EVP_PKEY *generate(void)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(library_now, NULL, "X25519");
    is_by(maker, key);
    return key;
}

static inline void say_params(const char *what, const OSSL_PARAM *params)
{
    fprintf(answers, "%s:", what);
    for (; params && params->key; params++)
        /* Versions before 3.2 derive no keys. */
        if (strcmp(params->key, "dhkem-ikm"))
            fprintf(answers, " %s %u", params->key, params->data_type);
    fputc('\n', answers);
}

/* Writes the parts as bytes, with buffers of every size. */
static inline void say_parts(EVP_PKEY *key)
{
    unsigned char bytes[80], *encoded = NULL;
    for (size_t size = 30; size < 35; size++) {
        size_t length = size;
        memset(bytes, 0xee, sizeof bytes);
        say("raw private", EVP_PKEY_get_raw_private_key(key, bytes, &length));
        say_bytes("is", bytes, length);
        length = size;
        memset(bytes, 0xee, sizeof bytes);
        say("raw public", EVP_PKEY_get_raw_public_key(key, bytes, &length));
        say_bytes("is", bytes, length);
        static const char *const names[] = { "pub", "priv", "encoded-pub-key", "group", "none" };
        for (size_t i = 0; i < COUNT(names); i++) {
            length = 99;
            memset(bytes, 0xee, sizeof bytes);
            say(names[i], EVP_PKEY_get_octet_string_param(key, names[i], bytes, size, &length));
            fprintf(answers, "%zd ", (ssize_t)length);
            say_bytes("is", bytes, 40);
        }
    }
    size_t lengths[2] = { 77, 77 };
    say("length of private", EVP_PKEY_get_raw_private_key(key, NULL, &lengths[0]));
    say("length of public", EVP_PKEY_get_raw_public_key(key, NULL, &lengths[1]));
    fprintf(answers, "%zu %zu\n", lengths[0], lengths[1]);
    lengths[0] = EVP_PKEY_get1_encoded_public_key(key, &encoded);
    say_bytes("encoded", encoded, lengths[0]);
    OPENSSL_free(encoded);
}

/* Writes everything that a key reports about itself. */
static inline void say_key(EVP_PKEY *key)
{
    if (!key) {
        fputs("none\n", answers);
        return;
    }
    is_by(maker, key);
    char name[50] = "?";
    fprintf(answers, "%d %d %s, %d %d %d, ", EVP_PKEY_get_id(key), EVP_PKEY_get_base_id(key),
            EVP_PKEY_get0_type_name(key), EVP_PKEY_get_bits(key), EVP_PKEY_get_security_bits(key),
            EVP_PKEY_get_size(key));
    fprintf(answers, "%d %d %d %d, ", EVP_PKEY_is_a(key, "X25519"), EVP_PKEY_is_a(key, "x25519"),
            EVP_PKEY_is_a(key, "1.3.101.110"), EVP_PKEY_is_a(key, "X448"));
    fprintf(answers, "%d %d, ", EVP_PKEY_can_sign(key), EVP_PKEY_missing_parameters(key));
    fprintf(answers, "%d %s\n", EVP_PKEY_get_default_digest_name(key, name, sizeof name), name);
    say_params("answers", EVP_PKEY_gettable_params(key));
    say_params("takes", EVP_PKEY_settable_params(key));
    say("group", EVP_PKEY_get_group_name(key, name, sizeof name, NULL));
    size_t bits = 0;
    say("bits", EVP_PKEY_get_size_t_param(key, "bits", &bits));
    fprintf(answers, "%zu\n", bits);
    say_parts(key);
    EVP_PKEY_CTX *check = EVP_PKEY_CTX_new_from_pkey(library_now, key, NULL);
    CHECK(check);
    say("check", EVP_PKEY_check(check));
    say("public check", EVP_PKEY_public_check(check));
    say("quick check", EVP_PKEY_public_check_quick(check));
    say("private check", EVP_PKEY_private_check(check));
    say("pairwise check", EVP_PKEY_pairwise_check(check));
    say("parameter check", EVP_PKEY_param_check(check));
    EVP_PKEY_CTX_free(check);
    for (int selection = 0; selection < 8; selection++) {
        OSSL_PARAM *params = NULL;
        /* A key has no parameters: the default provider returns an error, ours returns nothing
         * (docs/openssl.md). */
        if (selection == OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS) {
            int is_done = EVP_PKEY_todata(key, selection, &params);
            CHECK(strcmp(maker, "default") ? is_done == 1 && !params->key : is_done != 1);
            OSSL_PARAM_free(params);
            continue;
        }
        fprintf(answers, "%d ", selection);
        say("to data", EVP_PKEY_todata(key, selection, &params));
        for (OSSL_PARAM *at = params; at && at->key; at++)
            say_bytes(at->key, at->data, at->data_size);
        OSSL_PARAM_free(params);
    }
}

/* Sets the bytes of the keys. */
static inline void set_bytes(void)
{
    unhex("77076d0a7318a57d3c16c17251b26645df4c0ba2e4b5c7d3a5b1a1c1b7a6f52a", alice);
    unhex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f", bob_public);
    memset(loose, 0xff, sizeof loose);
    size_t length = sizeof alice_public;
    EVP_PKEY *key = of_private(alice, 32);
    CHECK(EVP_PKEY_get_raw_public_key(key, alice_public, &length) == 1);
    say_bytes("public", alice_public, length);
    EVP_PKEY_free(key);
}

/* Compares the answers of `all` by the stock library and with the module. Returns 1 if they
 * differ. */
static inline int compare(OSSL_LIB_CTX **libraries, void (*all)(void), int is_shown)
{
    static const char *const makers[] = { "default", "sigmill" };
    for (int i = 0; i < 2; i++) {
        library_now = libraries[i];
        maker = makers[i];
        begin_answers(i);
        set_bytes();
        all();
        end_answers();
    }
    return answers_differ(is_shown);
}
