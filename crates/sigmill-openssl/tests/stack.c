/* The use of the caller's stack by an operation: in an asynchronous job, whose stack libcrypto
 * allocates on the heap, or on a thread with the smallest stack. Our own code.
 *
 *   stack CONFIG OPERATION GROUP PLACE
 *
 * PLACE is "job" or "thread". Prints how many bytes below the caller of `EVP_*` the first call in
 * the process and all later ones change, and whether the stack was large enough. */
#define _GNU_SOURCE
#include "common/check.h"
#include "common/keys.h"
#include "common/stacks.h"
#include <unistd.h>

/* Enough calls to widen the table of a key and to try every kind of answer. */
enum { CALLS = 100 };

static const char *config;
static OSSL_LIB_CTX *here;
static int has_sigmill;
static EVP_PKEY *key, *peer;
static unsigned char message[32] = { 1, 2, 3 }, good[160], bad[160];
static size_t good_len;

static void sign(int i)
{
    unsigned char signature[160];
    size_t length = sizeof signature;
    EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(here, key, NULL);
    CHECK(EVP_PKEY_sign_init(operation) == 1 && is_ours(operation) == has_sigmill);
    CHECK(EVP_PKEY_sign(operation, signature, &length, message, i % 2 ? 20 : 32) == 1);
    EVP_PKEY_CTX_free(operation);
}

static void digest_sign(int i)
{
    unsigned char signature[160];
    size_t length = sizeof signature;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    const char *hash = i % 2 ? "SHA512" : "SHA3-384";
    CHECK(EVP_DigestSignInit_ex(context, NULL, hash, here, NULL, key, NULL) == 1);
    CHECK(EVP_DigestSign(context, signature, &length, message, 32) == 1);
    EVP_MD_CTX_free(context);
}

/* The first signature is right. Later ones are wrong, truncated, or right. */
static void verify(int i)
{
    EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(here, key, NULL);
    CHECK(EVP_PKEY_verify_init(operation) == 1 && is_ours(operation) == has_sigmill);
    if (i % 4 == 1)
        CHECK(EVP_PKEY_verify(operation, bad, good_len, message, 32) == 0);
    else if (i % 4 == 3)
        CHECK(EVP_PKEY_verify(operation, good, good_len - 1, message, 32) <= 0);
    else
        CHECK(EVP_PKEY_verify(operation, good, good_len, message, 32) == 1);
    EVP_PKEY_CTX_free(operation);
    ERR_clear_error();
}

static void digest_verify(int i)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    CHECK(EVP_DigestVerifyInit_ex(context, NULL, "SHA256", here, NULL, key, NULL) == 1);
    CHECK(EVP_DigestVerify(context, i % 2 ? bad : good, good_len, message, 32) == 0);
    EVP_MD_CTX_free(context);
    ERR_clear_error();
}

static void derive(int i)
{
    unsigned char secret[80];
    size_t length = sizeof secret;
    EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(here, i % 2 ? peer : key, NULL);
    CHECK(EVP_PKEY_derive_init(operation) == 1 && is_ours(operation) == has_sigmill);
    CHECK(EVP_PKEY_derive_set_peer(operation, i % 2 ? key : peer) == 1);
    CHECK(EVP_PKEY_derive(operation, secret, &length) == 1);
    EVP_PKEY_CTX_free(operation);
}

static void keygen(int i)
{
    (void)i;
    EVP_PKEY_free(generate(here, "X25519"));
}

/* Loads the module into a library context and finds its operations. */
static void load(int i)
{
    OSSL_LIB_CTX *loaded = library(config);
    EVP_SIGNATURE_free(EVP_SIGNATURE_fetch(loaded, i % 2 ? "ECDSA" : "ED25519", NULL));
    EVP_KEYEXCH_free(EVP_KEYEXCH_fetch(loaded, "X25519", NULL));
    OSSL_LIB_CTX_free(loaded);
}

static const struct {
    const char *name;
    void (*call)(int);
} OPERATIONS[] = {
    { "sign", sign },     { "digest-sign", digest_sign },
    { "verify", verify }, { "digest-verify", digest_verify },
    { "derive", derive }, { "keygen", keygen },
    { "load", load },
};

static void (*call)(int);
static long first, later;
static int is_enough = 1;

/* Returns the number of bytes below this function that calls change. */
static __attribute__((noinline)) long depth(int from, int to)
{
    const struct stack *stack = &stacks[0];
    unsigned char *low = stack->start - BELOW, *own = __builtin_frame_address(0);
    /* Not the memory below its frame that this function uses itself. */
    CHECK(own > stack->start && own < stack->start + stack->size);
    for (unsigned char *at = low; at < own - 1024; at++)
        *(volatile unsigned char *)at = PAINT;
    for (int i = from; i < to; i++)
        call(i);
    const unsigned char *lowest = stack_lowest(stack);
    is_enough &= lowest >= stack->start;
    return own - lowest;
}

static int measure(void *none)
{
    (void)none;
    first = depth(0, 1);
    later = depth(1, CALLS);
    return 1;
}

static void *measure_on_thread(void *none)
{
    measure(none);
    return NULL;
}

/* Makes a key of the stock library and its signature, without the module. */
static void prepare(const char *group, OSSL_LIB_CTX *stock)
{
    EVP_PKEY *own = generate(stock, group), *other = generate(stock, group);
    if (!is_x25519(group)) {
        EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(stock, own, NULL);
        good_len = sizeof good;
        CHECK(EVP_PKEY_sign_init(operation) == 1);
        CHECK(EVP_PKEY_sign(operation, good, &good_len, message, 32) == 1);
        EVP_PKEY_CTX_free(operation);
        memcpy(bad, good, sizeof good);
        bad[good_len - 1] ^= 1;
    }
    here = library(config);
    has_sigmill = OSSL_PROVIDER_available(here, "sigmill");
    key = same(here, own, 1);
    peer = same(here, other, 1);
    EVP_PKEY_free(own);
    EVP_PKEY_free(other);
}

int main(int count, char **arguments)
{
    CHECK(count == 5);
    CHECK(CRYPTO_set_mem_functions(stacks_malloc, stacks_realloc, stacks_free) == 1);
    OSSL_LIB_CTX *stock = library(NULL);
    config = arguments[1];
    for (size_t i = 0; i < COUNT(OPERATIONS); i++)
        if (!strcmp(arguments[2], OPERATIONS[i].name))
            call = OPERATIONS[i].call;
    CHECK(call);
    if (call != load)
        prepare(arguments[3], stock);
    if (!strcmp(arguments[4], "job")) {
        ASYNC_JOB *job = NULL;
        int returned;
        CHECK(ASYNC_start_job(&job, NULL, &returned, measure, NULL, 0) == ASYNC_FINISH);
    } else {
        pthread_t thread;
        pthread_attr_t attributes;
        long least = sysconf(_SC_THREAD_STACK_MIN);
        const struct stack *stack = stack_new(least > 16384 ? (size_t)least : 16384);
        CHECK(!pthread_attr_init(&attributes));
        CHECK(!pthread_attr_setstack(&attributes, stack->start, stack->size));
        CHECK(!pthread_create(&thread, &attributes, measure_on_thread, NULL));
        CHECK(!pthread_join(thread, NULL));
    }
    printf("%ld %ld %d\n", first, later, is_enough);
    EVP_PKEY_free(key);
    EVP_PKEY_free(peer);
    OSSL_LIB_CTX_free(here);
    OSSL_LIB_CTX_free(stock);
    return 0;
}
