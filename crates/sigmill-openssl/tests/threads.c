/* A process of many threads: some sign, verify, agree and make keys, while others load and unload
 * providers and change the default properties, which makes libcrypto drop its cache of look-ups.
 * The properties are changed while nobody works, as their manual requires. Our own code.
 *
 *   threads CONFIG SECONDS        with "-" for the stock library */
#define _GNU_SOURCE
#include "common/check.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static OSSL_LIB_CTX *shared;
/* The thread that changes properties waits for those that work, and not for those that come
 * later. */
static pthread_rwlock_t properties =
#ifdef __GLIBC__
    PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#else
    PTHREAD_RWLOCK_INITIALIZER;
#endif
static int has_sigmill;
static atomic_int ends, is_quiet, is_strict;
/* Counts of operations, and of failed attempts to make a key. */
static atomic_ulong signatures, by_sigmill, agreements, keys, not_made, changes;

/* Makes a key for the thread. While the cache is dropped, there is a moment in which libcrypto
 * selects our KEYMGMT "EC" for a new key, which makes none (docs/openssl.md, traps). It lasts as
 * long as the thread that has looked ours up gets no CPU. X25519 keys are always made. */
static EVP_PKEY *make(const char *group)
{
    for (int i = 0; i < 20000; i++) {
        EVP_PKEY *key = group ? EVP_PKEY_Q_keygen(shared, NULL, "EC", group)
                              : EVP_PKEY_Q_keygen(shared, NULL, "X25519");
        if (key) {
            atomic_fetch_add(&keys, 1);
            return key;
        }
        CHECK(group && has_sigmill && !atomic_load(&is_strict));
        atomic_fetch_add(&not_made, 1);
        ERR_clear_error();
        usleep(200);
    }
    CHECK(!"a key is made");
    return NULL;
}

static void sign_and_verify(EVP_PKEY *common, EVP_PKEY *fresh)
{
    unsigned char signature[160], message[50] = { 1 };
    EVP_PKEY *both[] = { common, fresh };
    for (int i = 0; i < 2; i++) {
        size_t length = sizeof signature;
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        EVP_PKEY_CTX *operation;
        EVP_PKEY *key = both[i];
        CHECK(EVP_DigestSignInit_ex(context, &operation, "SHA256", shared, NULL, key, NULL) == 1);
        int ours = is_ours(operation);
        CHECK(EVP_DigestSign(context, signature, &length, message, sizeof message) == 1);
        EVP_MD_CTX_free(context);
        for (int right = 1; right >= 0; right--) {
            context = EVP_MD_CTX_new();
            CHECK(EVP_DigestVerifyInit_ex(context, NULL, "SHA256", shared, NULL, key, NULL) == 1);
            message[7] ^= !right;
            CHECK(EVP_DigestVerify(context, signature, length, message, sizeof message) == right);
            message[7] ^= !right;
            EVP_MD_CTX_free(context);
        }
        atomic_fetch_add(&signatures, 1);
        atomic_fetch_add(&by_sigmill, (unsigned long)ours);
    }
}

static void agree(EVP_PKEY *one, EVP_PKEY *other)
{
    unsigned char secrets[2][80];
    size_t lengths[2];
    for (int i = 0; i < 2; i++) {
        EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(shared, i ? other : one, NULL);
        lengths[i] = sizeof secrets[i];
        CHECK(operation && EVP_PKEY_derive_init(operation) == 1);
        CHECK(EVP_PKEY_derive_set_peer(operation, i ? one : other) == 1);
        CHECK(EVP_PKEY_derive(operation, secrets[i], &lengths[i]) == 1);
        EVP_PKEY_CTX_free(operation);
    }
    CHECK(lengths[0] == lengths[1] && !memcmp(secrets[0], secrets[1], lengths[0]));
    atomic_fetch_add(&agreements, 1);
}

/* Works until it is told to end. `common` is a key that all threads use at once. */
static void *work(void *common)
{
    EVP_PKEY *own = make("P-256"), *edge = make(NULL);
    for (int i = 0; !atomic_load(&ends); i++) {
        pthread_rwlock_rdlock(&properties);
        EVP_PKEY *fresh = make(i % 8 ? "P-256" : "brainpoolP384r1");
        sign_and_verify(common, fresh);
        if (i % 8)
            agree(own, fresh);
        EVP_PKEY *other = make(NULL);
        agree(edge, other);
        EVP_PKEY_free(other);
        EVP_PKEY_free(fresh);
        pthread_rwlock_unlock(&properties);
    }
    EVP_PKEY_free(own);
    EVP_PKEY_free(edge);
    return NULL;
}

static void *load(void *name)
{
    while (!atomic_load(&ends) && !atomic_load(&is_quiet)) {
        pthread_rwlock_rdlock(&properties);
        OSSL_PROVIDER *provider = OSSL_PROVIDER_load(shared, name);
        CHECK(provider);
        usleep(300);
        CHECK(OSSL_PROVIDER_unload(provider) == 1);
        pthread_rwlock_unlock(&properties);
        atomic_fetch_add(&changes, 2);
        usleep(300);
    }
    return NULL;
}

static void *change_properties(void *none)
{
    while (!atomic_load(&ends) && !atomic_load(&is_quiet)) {
        /* This sets the value that was set before, and drops the cache of look-ups. */
        pthread_rwlock_wrlock(&properties);
        CHECK(EVP_default_properties_enable_fips(shared, 0) == 1);
        pthread_rwlock_unlock(&properties);
        atomic_fetch_add(&changes, 1);
        usleep(5000);
    }
    return none;
}

int main(int count, char **arguments)
{
    CHECK(count == 3);
    has_sigmill = strcmp(arguments[1], "-") != 0;
    shared = library(has_sigmill ? arguments[1] : NULL);
    unsigned seconds = (unsigned)atoi(arguments[2]);
    EVP_PKEY *common = make("P-256");
    pthread_t workers[4], disturbers[3];
    for (size_t i = 0; i < COUNT(workers); i++)
        CHECK(!pthread_create(&workers[i], NULL, work, common));
    CHECK(!pthread_create(&disturbers[0], NULL, load, "base"));
    CHECK(!pthread_create(&disturbers[1], NULL, load, "null"));
    CHECK(!pthread_create(&disturbers[2], NULL, change_properties, NULL));
    sleep(seconds);
    atomic_store(&is_quiet, 1);
    for (size_t i = 0; i < COUNT(disturbers); i++)
        pthread_join(disturbers[i], NULL);
    printf("%lu signatures, %lu by sigmill, ", atomic_load(&signatures), atomic_load(&by_sigmill));
    printf("%lu agreements, %lu keys, ", atomic_load(&agreements), atomic_load(&keys));
    printf("%lu not made at first, %lu changes\n", atomic_load(&not_made), atomic_load(&changes));
    /* From here on nothing may fail, except operations that had begun. */
    usleep(200000);
    atomic_store(&is_strict, 1);
    sleep(1);
    atomic_store(&ends, 1);
    for (size_t i = 0; i < COUNT(workers); i++)
        pthread_join(workers[i], NULL);
    EVP_PKEY_free(common);
    OSSL_LIB_CTX_free(shared);
    return 0;
}
