/* Calls that sign and verify in any order, chosen by fixed random numbers. The stock library must
 * answer the same. Our own code. */
#include "common/check.h"
#include "common/answers.h"
#include "common/keys.h"
#include <openssl/core_names.h>
#include <openssl/params.h>

/* Versions after 3.0 end a message that a provider signs or verifies in one call, as ours does. */
#define IS_OVER OPENSSL_VERSION_PREREQ(3, 1)

static OSSL_LIB_CTX *stock;
static EVP_PKEY *signer;

static unsigned long long state;

/* Returns a number below n, by Knuth's generator. */
static unsigned below(unsigned n)
{
    state = state * 6364136223846793005 + 1442695040888963407;
    return (unsigned)(state >> 33) % n;
}

static const char *a_hash(void)
{
    static const char *const hashes[] = { "SHA256", "SHA384", "SHA2-512/256", "SHA3-256", NULL };
    return hashes[below(COUNT(hashes))];
}

/* A message that grows by one part with each call. */
static unsigned char fed[64];
static size_t fed_len;

static const unsigned char *feed(size_t *length)
{
    *length = 1 + below(3);
    fed_len = (fed_len + *length) % 48;
    memset(fed, 'a' + (int)fed_len % 20, sizeof fed);
    return fed;
}

/* Writes whether a signature belongs to this key, hash and message, by the stock library. */
static void say_signed(const char *hash, const unsigned char *message, size_t message_len,
                       const unsigned char *signature, size_t length)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    CHECK(EVP_DigestVerifyInit_ex(context, NULL, hash, stock, NULL, signer, NULL) == 1);
    say("is of the message", EVP_DigestVerify(context, signature, length, message, message_len));
    EVP_MD_CTX_free(context);
}

/* Writes what an operation reports about itself. */
static void say_context(EVP_PKEY_CTX *context, int is_plain)
{
    unsigned char id[32] = { 0 };
    char hash[32] = "";
    size_t size = 99;
    OSSL_PARAM params[] = { OSSL_PARAM_construct_octet_string("algorithm-id", id, sizeof id),
                            OSSL_PARAM_construct_end() };
    int is_answered = EVP_PKEY_CTX_get_params(context, params);
    if (is_plain)
        say_bytes(is_answered == 1 ? "algorithm" : "no algorithm", id, sizeof id);
    params[0] = OSSL_PARAM_construct_size_t("digest-size", &size);
    say("size", EVP_PKEY_CTX_get_params(context, params));
    fprintf(answers, "%zu\n", size);
    params[0] = OSSL_PARAM_construct_utf8_string("digest", hash, sizeof hash);
    say("hash", EVP_PKEY_CTX_get_params(context, params));
    /* A hash has several names. */
    EVP_MD *md = EVP_MD_fetch(stock, hash, NULL);
    fprintf(answers, "%s\n", md ? EVP_MD_get0_name(md) : "none");
    EVP_MD_free(md);
    ERR_clear_error();
}

static void messages(OSSL_LIB_CTX *library, EVP_PKEY *key)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *inner = NULL;
    unsigned char signature[256] = { 0 };
    /* The signature of "m" with SHA-256. */
    unsigned char valid[256];
    size_t length = 0, valid_len = sizeof valid;
    EVP_MD_CTX *signing = EVP_MD_CTX_new();
    CHECK(EVP_DigestSignInit_ex(signing, NULL, "SHA256", stock, NULL, signer, NULL) == 1);
    CHECK(EVP_DigestSign(signing, valid, &valid_len, (const unsigned char *)"m", 1) == 1);
    EVP_MD_CTX_free(signing);
    int is_signing = (int)below(2);
    /* OpenSSL 3.0 reports any algorithm, or bytes of none, after a copy, a second beginning or
     * another hash. */
    int is_plain = 1, is_over = 0;
    for (int call = 0; call < 7 && !is_over; call++) {
        unsigned which = call ? below(12) : 0;
        const char *hash;
        size_t part_len;
        const unsigned char *part;
        fprintf(answers, "%d: %u of %d\n", call, which, is_signing);
        switch (which) {
        case 0:
        case 1: {
            /* Begins again, with the key or without. */
            EVP_PKEY *with = which ? NULL : key;
            is_plain &= !call;
            hash = a_hash();
            if (which && call && !inner)
                break;
            EVP_PKEY_CTX *got = NULL;
            int is_begun = is_signing
                ? EVP_DigestSignInit_ex(context, &got, hash, library, NULL, with, NULL)
                : EVP_DigestVerifyInit_ex(context, &got, hash, library, NULL, with, NULL);
            say("begin", is_begun);
            inner = is_begun == 1 ? got : NULL;
            break;
        }
        case 2:
        case 3:
            part = feed(&part_len);
            say("more", is_signing ? EVP_DigestSignUpdate(context, part, part_len)
                                   : EVP_DigestVerifyUpdate(context, part, part_len));
            break;
        case 4:
            length = sizeof signature;
            say("final", is_signing ? EVP_DigestSignFinal(context, signature, &length)
                                    : EVP_DigestVerifyFinal(context, valid, valid_len));
            break;
        case 5:
            length = 0;
            if (is_signing) {
                say("length", EVP_DigestSignFinal(context, NULL, &length));
                fprintf(answers, "%zu\n", length);
            }
            break;
        case 6:
        case 7:
            is_over = IS_OVER;
            length = sizeof signature;
            if (is_signing) {
                int is_signed = EVP_DigestSign(context, signature, &length,
                                               (const unsigned char *)"m", 1);
                say("sign", is_signed);
                length = is_signed == 1 ? length : 0;
                say_signed("SHA256", (const unsigned char *)"m", 1, signature, length);
            } else {
                say("verify", EVP_DigestVerify(context, valid, valid_len,
                                               (const unsigned char *)"m", 1));
            }
            break;
        case 8:
            is_over = IS_OVER;
            length = 0;
            if (is_signing) {
                say("sign nothing", EVP_DigestSign(context, NULL, &length,
                                                   (const unsigned char *)"m", 1));
                fprintf(answers, "%zu\n", length);
            }
            break;
        case 9:
            hash = a_hash();
            if (inner && hash) {
                is_plain = 0;
                EVP_MD *md = EVP_MD_fetch(library, hash, NULL);
                say("set hash", EVP_PKEY_CTX_set_signature_md(inner, md));
                EVP_MD_free(md);
            }
            break;
        case 10:
            if (inner)
                say_context(inner, is_plain);
            break;
        case 11: {
            EVP_MD_CTX *copy = EVP_MD_CTX_new();
            is_plain = 0;
            int is_copied = EVP_MD_CTX_copy_ex(copy, context);
            say("copy", is_copied);
            if (is_copied == 1) {
                EVP_MD_CTX_free(context);
                context = copy;
                inner = EVP_MD_CTX_get_pkey_ctx(context);
            } else {
                EVP_MD_CTX_free(copy);
            }
            break;
        }
        }
    }
    EVP_MD_CTX_free(context);
    ERR_clear_error();
}

/* A message continues after it was signed, and after a signature of it was verified. */
static void go_on(OSSL_LIB_CTX *library, EVP_PKEY *key)
{
    unsigned char signature[2][256];
    size_t lengths[2] = { sizeof signature[0], sizeof signature[1] };
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    CHECK(EVP_DigestSignInit_ex(context, NULL, "SHA384", library, NULL, key, NULL) == 1);
    say("sign", EVP_DigestSign(context, signature[0], &lengths[0], (unsigned char *)"ab", 2));
    say("more", EVP_DigestSignUpdate(context, "c", 1));
    say("final", EVP_DigestSignFinal(context, signature[1], &lengths[1]));
    say_signed("SHA384", (const unsigned char *)"ab", 2, signature[0], lengths[0]);
    say_signed("SHA384", (const unsigned char *)"abc", 3, signature[1], lengths[1]);
    EVP_MD_CTX_free(context);
    context = EVP_MD_CTX_new();
    CHECK(EVP_DigestVerifyInit_ex(context, NULL, "SHA384", library, NULL, key, NULL) == 1);
    for (int i = 0; i < 2; i++)
        say("verify", EVP_DigestVerify(context, signature[i], lengths[i],
                                       (const unsigned char *)"abc" + 2 * i, 2 - (size_t)i));
    say("more", EVP_DigestVerifyUpdate(context, "c", 1));
    EVP_MD_CTX_free(context);
}

/* Uses digests with a key that has only a private part. */
static void private_alone(OSSL_LIB_CTX *library, const char *group)
{
    unsigned char secret[] = { 5, 4, 3, 2, 1 }, signature[256];
    EVP_PKEY *key = NULL;
    OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string("group", (char *)group, 0),
                            OSSL_PARAM_construct_BN("priv", secret, sizeof secret),
                            OSSL_PARAM_construct_end() };
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(library, "EC", NULL);
    CHECK(context && EVP_PKEY_fromdata_init(context) == 1);
    CHECK(EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, params) == 1);
    EVP_PKEY_CTX_free(context);
    size_t length = sizeof signature;
    for (int is_verifying = 0; is_verifying < 2; is_verifying++) {
        unsigned char digest[32] = { 1 };
        context = EVP_PKEY_CTX_new_from_pkey(library, key, NULL);
        int begun = is_verifying ? EVP_PKEY_verify_init(context) : EVP_PKEY_sign_init(context);
        say("begin", begun);
        int done = is_verifying ? EVP_PKEY_verify(context, signature, length, digest, 32)
                                : EVP_PKEY_sign(context, signature, &length, digest, 32);
        fprintf(answers, "private alone, %d: %d\n", is_verifying, done);
        EVP_PKEY_CTX_free(context);
        ERR_clear_error();
    }
    EVP_PKEY_free(key);
}

/*   uses CONFIG [show]        with "show" prints equal lines, too */
int main(int count, char **arguments)
{
    CHECK(count >= 2);
    OSSL_LIB_CTX *libraries[] = { library(NULL), library(arguments[1]) };
    stock = library(NULL);
    signer = generate(stock, "P-256");
    int differ = 0;
    for (unsigned seed = 0; seed < 3000; seed++) {
        for (int i = 0; i < 2; i++) {
            EVP_PKEY *key = same(libraries[i], signer, 1);
            state = seed;
            begin_answers(i);
            fprintf(answers, "seed %u\n", seed);
            if (seed > 1)
                messages(libraries[i], key);
            else if (seed && !IS_OVER)
                go_on(libraries[i], key);
            else if (!seed)
                private_alone(libraries[i], "P-384");
            end_answers();
            EVP_PKEY_free(key);
        }
        int is_other = answers_differ(count > 2);
        if (is_other)
            printf("with seed %u\n", seed);
        differ |= is_other;
    }
    for (int i = 0; i < 2; i++)
        OSSL_LIB_CTX_free(libraries[i]);
    EVP_PKEY_free(signer);
    OSSL_LIB_CTX_free(stock);
    return differ;
}
