/* CPU time of agreements as a TLS server has them: a key of its own, and a peer's key from bytes,
 * both new each time, by which all that goes on around an agreement is counted too. Our own code.
 *
 *   exchange GROUP SECONDS        agreements a second
 */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                 \
            ERR_print_errors_fp(stderr);                                            \
            exit(1);                                                                \
        }                                                                           \
    } while (0)

/* Keys that are made beforehand: making them is the default provider's work in both cases. */
#define KEYS 64

static double now(void)
{
    struct timespec time;
    CHECK(!clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time));
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static EVP_PKEY *generate(const char *group)
{
    EVP_PKEY *key = strcmp(group, "X25519") ? EVP_PKEY_Q_keygen(NULL, NULL, "EC", group)
                                            : EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
    CHECK(key);
    return key;
}

static void agree(EVP_PKEY *own, const unsigned char *bytes, size_t length)
{
    unsigned char secret[80];
    size_t secret_len = sizeof secret;
    EVP_PKEY *peer = EVP_PKEY_new();
    CHECK(EVP_PKEY_copy_parameters(peer, own) == 1);
    CHECK(EVP_PKEY_set1_encoded_public_key(peer, bytes, length) == 1);
    EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(NULL, own, NULL);
    CHECK(EVP_PKEY_derive_init(operation) == 1);
    CHECK(EVP_PKEY_derive_set_peer(operation, peer) == 1);
    CHECK(EVP_PKEY_derive(operation, secret, &secret_len) == 1);
    EVP_PKEY_CTX_free(operation);
    EVP_PKEY_free(peer);
}

int main(int count, char **arguments)
{
    CHECK(count == 3);
    const char *group = arguments[1];
    double seconds = atof(arguments[2]), spent = 0;
    unsigned long done = 0;
    EVP_PKEY *peer = generate(group);
    unsigned char *bytes = NULL;
    size_t length = EVP_PKEY_get1_encoded_public_key(peer, &bytes);
    CHECK(length);
    while (spent < seconds) {
        EVP_PKEY *keys[KEYS];
        for (int i = 0; i < KEYS; i++) {
            unsigned char *encoded = NULL;
            keys[i] = generate(group);
            /* What the server sends. */
            CHECK(EVP_PKEY_get1_encoded_public_key(keys[i], &encoded));
            OPENSSL_free(encoded);
        }
        double start = now();
        for (int i = 0; i < KEYS; i++)
            agree(keys[i], bytes, length);
        /* The first ones build tables. */
        if (done)
            spent += now() - start;
        done += KEYS;
        for (int i = 0; i < KEYS; i++)
            EVP_PKEY_free(keys[i]);
    }
    printf("%.1f\n", (double)(done - KEYS) / spent);
    OPENSSL_free(bytes);
    EVP_PKEY_free(peer);
    return 0;
}
