/* CPU time of agreements as in a TLS server: a key of its own, and a peer's key from bytes, both
 * new each time. So everything around an agreement is counted too. Our own code.
 *
 *   exchange agree GROUP SECONDS        agreements a second, without making the server's keys
 *   exchange make GROUP SECONDS         keys a second, made and encoded
 *   exchange both GROUP SECONDS         one of each */
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

/* The number of keys that are made in a row. */
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

/* Makes a new key and its encoded public part, which has this length. */
static EVP_PKEY *make(const char *group, unsigned char **encoded, size_t *length)
{
    EVP_PKEY *key = generate(group);
    *length = EVP_PKEY_get1_encoded_public_key(key, encoded);
    CHECK(*length);
    return key;
}

static size_t agree(EVP_PKEY *own, const unsigned char *bytes, size_t length, unsigned char *secret)
{
    size_t secret_len = 80;
    EVP_PKEY *peer = EVP_PKEY_new();
    CHECK(EVP_PKEY_copy_parameters(peer, own) == 1);
    CHECK(EVP_PKEY_set1_encoded_public_key(peer, bytes, length) == 1);
    EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(NULL, own, NULL);
    CHECK(EVP_PKEY_derive_init(operation) == 1);
    CHECK(EVP_PKEY_derive_set_peer(operation, peer) == 1);
    CHECK(EVP_PKEY_derive(operation, secret, &secret_len) == 1);
    EVP_PKEY_CTX_free(operation);
    EVP_PKEY_free(peer);
    return secret_len;
}

int main(int count, char **arguments)
{
    CHECK(count == 4);
    int agrees = strcmp(arguments[1], "make") != 0, makes = strcmp(arguments[1], "agree") != 0;
    const char *group = arguments[2];
    double seconds = atof(arguments[3]), spent = 0;
    unsigned long done = 0;
    unsigned char *bytes = NULL;
    size_t length;
    EVP_PKEY *peer = make(group, &bytes, &length);
    while (spent < seconds) {
        EVP_PKEY *keys[KEYS];
        unsigned char *encoded[KEYS], secrets[KEYS][80], theirs[80];
        size_t secret_len = 0;
        double start = now();
        for (int i = 0; i < KEYS; i++)
            keys[i] = make(group, &encoded[i], &length);
        if (!makes)
            start = now();
        for (int i = 0; i < KEYS && agrees; i++)
            secret_len = agree(keys[i], bytes, length, secrets[i]);
        /* The first keys build tables. */
        if (done)
            spent += now() - start;
        done += KEYS;
        /* The peer shares the secret, and two keys are different. */
        int last = KEYS - 1;
        CHECK(memcmp(encoded[last], encoded[0], length));
        if (agrees) {
            CHECK(agree(peer, encoded[last], length, theirs) == secret_len);
            CHECK(!memcmp(theirs, secrets[last], secret_len));
        } else {
            EVP_PKEY_CTX *check = EVP_PKEY_CTX_new_from_pkey(NULL, keys[last], NULL);
            CHECK(EVP_PKEY_pairwise_check(check) == 1);
            EVP_PKEY_CTX_free(check);
        }
        for (int i = 0; i < KEYS; i++) {
            OPENSSL_free(encoded[i]);
            EVP_PKEY_free(keys[i]);
        }
    }
    printf("%.1f\n", (double)(done - KEYS) / spent);
    OPENSSL_free(bytes);
    EVP_PKEY_free(peer);
    return 0;
}
