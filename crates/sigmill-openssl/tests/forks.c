/* A process with three threads that verify without a pause forks, and each child verifies too. A
 * lock that a thread held at that moment is never released in the child. Our own code.
 *
 *   forks CONFIG FORKS SECONDS    with "-" for the stock library
 *
 * A child hangs if it has not ended after SECONDS. */
#define _GNU_SOURCE
#include "common/check.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEYS 200
#define THREADS 3
#define OF_A_CHILD 16

static EVP_PKEY *keys[KEYS];
static unsigned char signatures[KEYS][80];
static size_t lengths[KEYS];
static const unsigned char digest[32] = { 5 };
static OSSL_LIB_CTX *shared;
static atomic_int ends;

static void verify(int number)
{
    EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(shared, keys[number], NULL);
    CHECK(operation && EVP_PKEY_verify_init(operation) == 1);
    CHECK(EVP_PKEY_verify(operation, signatures[number], lengths[number], digest, 32) == 1);
    EVP_PKEY_CTX_free(operation);
}

/* Returns the next of a sequence of pseudorandom numbers. */
static int next(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return (int)(*state >> 16) % KEYS;
}

static void *work(void *seed)
{
    unsigned state = *(unsigned *)seed;
    while (!atomic_load(&ends))
        verify(next(&state));
    return NULL;
}

int main(int count, char **arguments)
{
    CHECK(count == 4);
    int has_sigmill = strcmp(arguments[1], "-") != 0;
    int forks = atoi(arguments[2]), seconds = atoi(arguments[3]), hung = 0;
    shared = library(has_sigmill ? arguments[1] : NULL);
    for (int i = 0; i < KEYS; i++) {
        keys[i] = EVP_PKEY_Q_keygen(shared, NULL, "EC", "P-256");
        EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(shared, keys[i], NULL);
        lengths[i] = sizeof signatures[i];
        CHECK(operation && EVP_PKEY_sign_init(operation) == 1);
        CHECK(EVP_PKEY_sign(operation, signatures[i], &lengths[i], digest, 32) == 1);
        EVP_PKEY_CTX_free(operation);
        verify(i);
    }
    pthread_t threads[THREADS];
    unsigned seeds[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        seeds[i] = i + 1;
        CHECK(!pthread_create(&threads[i], NULL, work, &seeds[i]));
    }
    for (unsigned i = 0; i < (unsigned)forks; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (!child) {
            unsigned state = 1000 + i;
            alarm((unsigned)seconds);
            for (int j = 0; j < OF_A_CHILD; j++)
                verify(next(&state));
            _exit(0);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child);
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
            hung++;
        else
            CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
    }
    atomic_store(&ends, 1);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d forks, %d hung\n", forks, hung);
    for (int i = 0; i < KEYS; i++)
        EVP_PKEY_free(keys[i]);
    OSSL_LIB_CTX_free(shared);
    return 0;
}
