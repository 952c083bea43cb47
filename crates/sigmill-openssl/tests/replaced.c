/* Keys that are changed in place after use: no later operation uses the old key. With the stock
 * library it uses the new one; with sigmill it may fail. Our own code.
 *
 *   replaced CONFIG ("-" for the stock library) [short] */
#include "common/check.h"
#include "common/keys.h"
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/params.h>
#include <openssl/x509.h>
#include <pthread.h>

static const char *config;
static OSSL_LIB_CTX *with, *stock;
static const unsigned char message[] = "a message";

/* The ways to change a key's public part. */
enum way { SET1_ENCODED, SET_PARAM, WAYS };

static void set_point(EVP_PKEY *key, const unsigned char *point, size_t length, enum way way)
{
    if (way == SET1_ENCODED)
        CHECK(EVP_PKEY_set1_encoded_public_key(key, point, length) == 1);
    else
        CHECK(EVP_PKEY_set_octet_string_param(key, "encoded-pub-key", point, length) == 1);
}

/* Replaces the public part of a key with that of another one. */
static void change(EVP_PKEY *key, EVP_PKEY *to, enum way way)
{
    unsigned char *point = NULL;
    size_t length = EVP_PKEY_get1_encoded_public_key(to, &point);
    CHECK(length);
    set_point(key, point, length, way);
    OPENSSL_free(point);
}

/* Signs the message. For `EVP_PKEY_sign`, the digest is the message itself. */
static size_t sign(EVP_PKEY *key, int is_digest, unsigned char *signature)
{
    size_t length = 256;
    if (is_digest) {
        EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(stock, key, NULL);
        CHECK(context && EVP_PKEY_sign_init(context) == 1);
        CHECK(EVP_PKEY_sign(context, signature, &length, message, sizeof message) == 1);
        EVP_PKEY_CTX_free(context);
    } else {
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        CHECK(context);
        CHECK(EVP_DigestSignInit_ex(context, NULL, "SHA256", stock, NULL, key, NULL) == 1);
        CHECK(EVP_DigestSign(context, signature, &length, message, sizeof message) == 1);
        EVP_MD_CTX_free(context);
    }
    return length;
}

/* True where an operation may fail because a key was changed. */
static _Thread_local int may_fail;

/* Returns whether a key verifies the signature of a signer; -1 if the operation does not begin. */
static int verifies(EVP_PKEY *key, EVP_PKEY *signer, int is_digest, const char *hash, int is_by_us)
{
    unsigned char signature[256];
    size_t length = sign(signer, is_digest, signature);
    int verdict;
    EVP_PKEY_CTX *pkey_context;
    if (is_digest) {
        pkey_context = EVP_PKEY_CTX_new_from_pkey(with, key, NULL);
        CHECK(pkey_context);
        if (EVP_PKEY_verify_init(pkey_context) != 1) {
            CHECK(may_fail && is_by_us);
            EVP_PKEY_CTX_free(pkey_context);
            ERR_clear_error();
            return -1;
        }
        CHECK(is_ours(pkey_context) == is_by_us);
        verdict = EVP_PKEY_verify(pkey_context, signature, length, message, sizeof message);
        EVP_PKEY_CTX_free(pkey_context);
    } else {
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        CHECK(context);
        if (EVP_DigestVerifyInit_ex(context, &pkey_context, hash, with, NULL, key, NULL) != 1) {
            CHECK(may_fail && is_by_us);
            EVP_MD_CTX_free(context);
            ERR_clear_error();
            return -1;
        }
        CHECK(is_ours(pkey_context) == is_by_us);
        verdict = EVP_DigestVerify(context, signature, length, message, sizeof message);
        EVP_MD_CTX_free(context);
    }
    CHECK(verdict == 0 || verdict == 1);
    ERR_clear_error();
    return verdict;
}

/* Checks in all ways that a key is that of this signer, and not that of the other. */
static void is_that_of(EVP_PKEY *key, EVP_PKEY *signer, EVP_PKEY *other)
{
    int is_by_us = strcmp(config, "-") != 0;
    /* The last one uses the default hash, and so queries the key's parameters. */
    static const char *const hashes[] = { "SHA256", NULL };
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < COUNT(hashes); i++) {
            CHECK(verifies(key, other, 0, hashes[i], is_by_us) <= 0);
            CHECK(verifies(key, signer, 0, hashes[i], is_by_us) != 0);
        }
        CHECK(verifies(key, other, 1, NULL, is_by_us) <= 0);
        CHECK(verifies(key, signer, 1, NULL, is_by_us) != 0);
    }
}

/* The same for a key that was changed. */
static void is_now_that_of(EVP_PKEY *key, EVP_PKEY *signer, EVP_PKEY *other)
{
    may_fail = 1;
    is_that_of(key, signer, other);
    may_fail = 0;
}

/* Keys that are imported and freed without an operation do not affect the next operation's key. */
static void come_and_go(const char *group)
{
    unsigned char *point = NULL;
    EVP_PKEY *key = generate(stock, group), *built = NULL;
    size_t length = EVP_PKEY_get1_encoded_public_key(key, &point);
    CHECK(length);
    OSSL_PARAM params[] = { OSSL_PARAM_construct_octet_string("pub", point, length),
                            OSSL_PARAM_construct_utf8_string("group", (char *)group, 0),
                            OSSL_PARAM_construct_utf8_string("encoding", "named_curve", 0),
                            OSSL_PARAM_construct_end() };
    if (is_x25519(group))
        params[1] = OSSL_PARAM_construct_end();
    /* With a query that finds our KEYMGMT "EC" if that is possible. */
    for (int i = 0; i < 2; i++) {
        EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(with, is_x25519(group) ? group : "EC",
                                                           i ? "sigmill.key=yes" : NULL);
        if (context) {
            CHECK(EVP_PKEY_fromdata_init(context) == 1);
            CHECK(EVP_PKEY_fromdata(context, &built, EVP_PKEY_PUBLIC_KEY, params) == 1);
            EVP_PKEY_free(built);
            built = NULL;
            EVP_PKEY_CTX_free(context);
        }
    }
    EVP_PKEY_free(same(with, key, 0));
    EVP_PKEY_free(key);
    OPENSSL_free(point);
    ERR_clear_error();
}

/* A key that is checked and freed also has a copy here, if a query selects our KEYMGMT. It must not
 * take the place of the next operation's. */
static void check_and_free(EVP_PKEY *of)
{
    EVP_PKEY *key = same(with, of, 0);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(with, key, "?sigmill.key=yes");
    CHECK(context);
    EVP_PKEY_public_check(context);
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(key);
    ERR_clear_error();
}

static void verify_by_changed(const char *group, enum way way)
{
    EVP_PKEY *a = generate(stock, group), *b = generate(stock, group);
    EVP_PKEY *key = same(with, a, 0), *bystander = same(with, a, 0);
    is_that_of(key, a, b);
    is_that_of(bystander, a, b);
    come_and_go(group);
    is_that_of(bystander, a, b);
    for (int is_digest = 0; is_digest < 2; is_digest++) {
        may_fail = 1;
        check_and_free(b);
        CHECK(verifies(bystander, b, is_digest, "SHA256", strcmp(config, "-") != 0) <= 0);
        may_fail = 0;
        CHECK(verifies(bystander, a, is_digest, "SHA256", strcmp(config, "-") != 0) == 1);
    }
    change(key, b, way);
    is_now_that_of(key, b, a);
    /* Another key in the same thread is unchanged, and its copy is still used. */
    is_that_of(bystander, a, b);
    is_now_that_of(key, b, a);
    change(key, a, way);
    is_now_that_of(key, a, b);
    EVP_PKEY *copy = EVP_PKEY_dup(key);
    is_now_that_of(copy, a, b);
    change(copy, b, way);
    is_now_that_of(copy, b, a);
    is_now_that_of(key, a, b);
    EVP_PKEY_free(copy);
    EVP_PKEY_free(bystander);
    EVP_PKEY_free(key);
    /* Never used before the change. */
    key = same(with, a, 0);
    change(key, b, way);
    is_now_that_of(key, b, a);
    EVP_PKEY_free(key);
    /* With a private part, which the change keeps: so it signs for a and verifies for b. */
    key = same(with, a, 1);
    is_that_of(key, a, b);
    change(key, b, way);
    is_now_that_of(key, b, a);
    CHECK(verifies(a, key, 0, "SHA256", strcmp(config, "-") != 0) == 1);
    EVP_PKEY_free(key);
    EVP_PKEY_free(a);
    EVP_PKEY_free(b);
}

/* Returns the length of the secret that two keys share; 0 if they share none. */
static size_t agree(EVP_PKEY *own, EVP_PKEY *peer, const char *properties, unsigned char *secret)
{
    size_t length = 128;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(with, own, properties);
    CHECK(context);
    if (EVP_PKEY_derive_init(context) != 1 || EVP_PKEY_derive_set_peer(context, peer) != 1
        || EVP_PKEY_derive(context, secret, &length) != 1)
        length = 0;
    EVP_PKEY_CTX_free(context);
    ERR_clear_error();
    return length;
}

/* Returns whether two keys share the secret that the other two share in the stock library; -1 if
 * they share none. */
static int agree_like(EVP_PKEY *own, EVP_PKEY *peer, EVP_PKEY *stock_own, EVP_PKEY *stock_peer)
{
    unsigned char secret[128], expected[128];
    size_t length = agree(own, peer, NULL, secret);
    size_t expected_len = agree(stock_own, stock_peer, "provider=default", expected);
    CHECK(expected_len && (length || (may_fail && strcmp(config, "-"))));
    if (!length)
        return -1;
    return length == expected_len && !memcmp(secret, expected, length);
}

static void agree_by_changed(const char *group, enum way way)
{
    EVP_PKEY *a = generate(stock, group), *b = generate(stock, group), *c = generate(stock, group);
    /* Keys that are read belong to the default provider. One key is made by the provider that makes
     * keys. */
    EVP_PKEY *own = same(with, c, 1), *made = generate(with, group);
    EVP_PKEY *stock_made = same(stock, made, 0), *peer = same(with, a, 0);
    for (int again = 0; again < 2; again++) {
        come_and_go(group);
        CHECK(agree_like(own, peer, c, a) && agree_like(made, peer, a, stock_made));
        come_and_go(group);
        CHECK(agree_like(own, peer, c, a) && agree_like(made, peer, a, stock_made));
        change(peer, b, way);
        may_fail = 1;
        for (int i = 0; i < 2; i++) {
            CHECK(agree_like(own, peer, c, b) && agree_like(made, peer, b, stock_made));
            CHECK(agree_like(own, peer, c, a) != 1 && agree_like(made, peer, a, stock_made) != 1);
        }
        change(peer, a, way);
    }
    CHECK(agree_like(own, peer, c, a));
    /* Our own key: on a curve its private part stays, with X25519 it is dropped. */
    change(own, b, way);
    if (is_x25519(group)) {
        unsigned char secret[128];
        CHECK(agree(own, peer, NULL, secret) == 0);
        CHECK(agree(own, peer, NULL, secret) == 0);
    } else {
        CHECK(agree_like(own, peer, c, a));
    }
    may_fail = 0;
    EVP_PKEY *keys[] = { a, b, c, own, made, stock_made, peer };
    for (size_t i = 0; i < COUNT(keys); i++)
        EVP_PKEY_free(keys[i]);
}

/* A key of the provider that makes keys, in operations of the default provider. They use the new
 * key or none. */
static void leave_by_changed(enum way way)
{
    EVP_PKEY *a = generate(with, "X25519"), *b = generate(with, "X25519");
    EVP_PKEY *stock_a = same(stock, a, 1), *stock_b = same(stock, b, 1);
    EVP_PKEY *peer = EVP_PKEY_dup(a), *own = EVP_PKEY_dup(b), *read = same(with, b, 1);
    EVP_PKEY *signers[2] = { stock_a, stock_b };
    for (int now = 0; now < 4; now++) {
        unsigned char secret[128], expected[128];
        size_t length = agree(read, peer, "provider=default", secret);
        CHECK(length || now);
        CHECK(agree(stock_b, signers[now % 2], NULL, expected) == 32);
        CHECK(!length || !memcmp(secret, expected, length));
#if OPENSSL_VERSION_PREREQ(3, 2)
        unsigned char wrapped[64], opened[64];
        size_t wrapped_len = sizeof wrapped, secret_len = sizeof secret, opened_len = sizeof opened;
        EVP_PKEY_CTX *sealing = EVP_PKEY_CTX_new_from_pkey(with, peer, NULL);
        CHECK(sealing);
        if (EVP_PKEY_encapsulate_init(sealing, NULL) == 1) {
            CHECK(EVP_PKEY_CTX_set_kem_op(sealing, "DHKEM") == 1);
            CHECK(EVP_PKEY_encapsulate(sealing, wrapped, &wrapped_len, secret, &secret_len) == 1);
            EVP_PKEY_CTX *opening = EVP_PKEY_CTX_new_from_pkey(stock, signers[now % 2], NULL);
            CHECK(opening && EVP_PKEY_decapsulate_init(opening, NULL) == 1);
            CHECK(EVP_PKEY_CTX_set_kem_op(opening, "DHKEM") == 1);
            CHECK(EVP_PKEY_decapsulate(opening, opened, &opened_len, wrapped, wrapped_len) == 1);
            CHECK(opened_len == secret_len && !memcmp(opened, secret, secret_len));
            EVP_PKEY_CTX_free(opening);
        } else {
            CHECK(now);
        }
        EVP_PKEY_CTX_free(sealing);
        ERR_clear_error();
#endif
        /* It can always be written. */
        EVP_PKEY *written = same(stock, peer, 0);
        CHECK(EVP_PKEY_eq(written, signers[now % 2]) == 1);
        EVP_PKEY_free(written);
        change(peer, now % 2 ? a : b, way);
    }
    /* The private part is dropped. */
    unsigned char secret[128];
    CHECK(agree(own, peer, "provider=default", secret) || strcmp(config, "-"));
    change(own, a, way);
    CHECK(agree(own, peer, "provider=default", secret) == 0);
    EVP_PKEY *keys[] = { a, b, stock_a, stock_b, peer, own, read };
    for (size_t i = 0; i < COUNT(keys); i++)
        EVP_PKEY_free(keys[i]);
}

/* Checks whether a key equals another one. With sigmill, one that was changed may differ from
 * all. */
static void is_equal(EVP_PKEY *key, EVP_PKEY *other, int expected, int is_changed)
{
    int may_differ = is_changed && strcmp(config, "-");
    int one = EVP_PKEY_eq(key, other), two = EVP_PKEY_eq(other, key);
    CHECK(one == expected || (may_differ && one == 0));
    CHECK(two == expected || (may_differ && two == 0));
}

/* Keys of one provider compared with those of another. The provider depends on how they were
 * made. */
static void compare_changed(const char *group, enum way way)
{
    EVP_PKEY *a = generate(with, group), *b = generate(with, group);
    EVP_PKEY *a_read = same(with, a, 0), *b_read = same(with, b, 0), *key;
    for (int is_made = 0; is_made < 2; is_made++) {
        key = is_made ? EVP_PKEY_dup(a) : same(with, a, 0);
        EVP_PKEY *made[2] = { a, b }, *read[2] = { a_read, b_read };
        for (int now = 0; now < 4; now++) {
            for (int i = 0; i < 2; i++) {
                is_equal(key, made[i], i == now % 2, now);
                is_equal(key, read[i], i == now % 2, now);
            }
            change(key, made[(now + 1) % 2], way);
        }
        EVP_PKEY_free(key);
    }
    EVP_PKEY *keys[] = { a, b, a_read, b_read };
    for (size_t i = 0; i < COUNT(keys); i++)
        EVP_PKEY_free(keys[i]);
}

/* Threads that use one key, which is changed between their rounds and never during one. */
#define THREADS 4

static int rounds;

static EVP_PKEY *signers[2], *shared, *fixed;
static pthread_barrier_t barrier;

static void *work(void *argument)
{
    (void)argument;
    int is_by_us = strcmp(config, "-") != 0;
    for (int round = 0; round < rounds; round++) {
        pthread_barrier_wait(&barrier);
        EVP_PKEY *now = signers[round % 2], *other = signers[1 - round % 2];
        for (int i = 0; i < 2; i++) {
            may_fail = round % 4 != 0;
            CHECK(verifies(shared, now, i, "SHA256", is_by_us) != 0);
            CHECK(verifies(shared, other, i, "SHA256", is_by_us) <= 0);
            may_fail = 0;
            CHECK(verifies(fixed, signers[0], i, "SHA256", is_by_us) == 1);
            CHECK(verifies(fixed, signers[1], i, "SHA256", is_by_us) == 0);
        }
        pthread_barrier_wait(&barrier);
    }
    OPENSSL_thread_stop_ex(with);
    OPENSSL_thread_stop();
    return NULL;
}

static void threads(const char *group, int count)
{
    rounds = count;
    pthread_t workers[THREADS];
    signers[0] = generate(stock, group);
    signers[1] = generate(stock, group);
    fixed = same(with, signers[0], 0);
    CHECK(!pthread_barrier_init(&barrier, NULL, THREADS + 1));
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&workers[i], NULL, work, NULL));
    shared = NULL;
    for (int round = 0; round < rounds; round++) {
        /* From time to time a new key, which all threads export at once. */
        if (round % 4 == 0) {
            EVP_PKEY_free(shared);
            shared = same(with, signers[round % 2], 0);
        } else {
            change(shared, signers[round % 2], round % WAYS);
        }
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_join(workers[i], NULL));
    pthread_barrier_destroy(&barrier);
    EVP_PKEY *keys[] = { shared, fixed, signers[0], signers[1] };
    for (size_t i = 0; i < COUNT(keys); i++)
        EVP_PKEY_free(keys[i]);
}

int main(int argc, char **argv)
{
    CHECK(argc >= 2);
    /* "short": one curve, once, and fewer rounds of the threads. */
    int is_short = argc > 2;
    config = argv[1];
    with = library(strcmp(config, "-") ? config : NULL);
    stock = library(NULL);
    static const char *const curves[] = { "P-256", "P-384", "P-521", "secp256k1",
                                          "brainpoolP256r1" };
    for (enum way way = is_short; way < WAYS; way++) {
        leave_by_changed(way);
        for (size_t i = 0; i < (is_short ? 1 : COUNT(curves)); i++) {
            verify_by_changed(curves[i], way);
            agree_by_changed(curves[i], way);
            compare_changed(curves[i], way);
        }
        agree_by_changed("X25519", way);
        compare_changed("X25519", way);
    }
    threads("P-256", is_short ? 6 : 24);
    OSSL_LIB_CTX_free(with);
    OSSL_LIB_CTX_free(stock);
    return 0;
}
