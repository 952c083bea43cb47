/* TLS handshakes for some seconds in one process: a server and a client that both present a
 * certificate, over pairs of BIOs, with reloads and forks as in a web server. Prints its memory
 * after each fifty. Our own code.
 *
 *   load CONFIG SECONDS CERTIFICATE KEY */
#include "common/check.h"
#include <malloc.h>
#include <openssl/ssl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Prints the number of resident bytes, and of bytes that were allocated and not freed. */
static void print_memory(const char *name)
{
    unsigned long pages, allocated = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%*u %lu", &pages) == 1);
    fclose(file);
#ifdef __GLIBC__
    struct mallinfo2 information = mallinfo2();
    allocated = information.uordblks + information.hblkhd;
#endif
    printf("%s %lu %lu\n", name, pages * (unsigned long)sysconf(_SC_PAGESIZE), allocated);
    fflush(stdout);
}

/* The state of a server between two reloads, and a client of it. */
struct pair {
    SSL_CTX *server, *client;
};

static SSL_CTX *side(OSSL_LIB_CTX *library, const SSL_METHOD *method, char **files)
{
    SSL_CTX *side = SSL_CTX_new_ex(library, NULL, method);
    CHECK(side);
    CHECK(SSL_CTX_use_certificate_chain_file(side, files[0]) == 1);
    CHECK(SSL_CTX_use_PrivateKey_file(side, files[1], SSL_FILETYPE_PEM) == 1);
    CHECK(SSL_CTX_load_verify_locations(side, files[0], NULL) == 1);
    SSL_CTX_set_verify(side, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    SSL_CTX_set_session_cache_mode(side, SSL_SESS_CACHE_OFF);
    /* From OpenSSL 3.5 on, the first default group is combined with ML-KEM. */
    CHECK(SSL_CTX_set1_groups_list(side, "X25519:P-256") == 1);
    return side;
}

static struct pair load(OSSL_LIB_CTX *library, char **files)
{
    struct pair pair = { side(library, TLS_server_method(), files),
                         side(library, TLS_client_method(), files) };
    SSL_CTX_set_num_tickets(pair.server, 0);
    return pair;
}

static void unload(struct pair pair)
{
    SSL_CTX_free(pair.server);
    SSL_CTX_free(pair.client);
}

static void handshake(struct pair pair, int version)
{
    SSL *server = SSL_new(pair.server), *client = SSL_new(pair.client);
    BIO *to_server, *to_client;
    CHECK(server && client && BIO_new_bio_pair(&to_server, 0, &to_client, 0) == 1);
    SSL_set_bio(server, to_client, to_client);
    SSL_set_bio(client, to_server, to_server);
    SSL_set_accept_state(server);
    SSL_set_connect_state(client);
    CHECK(SSL_set_min_proto_version(client, version) && SSL_set_max_proto_version(client, version));
    int is_server_done = 0, is_client_done = 0;
    for (int step = 0; !is_server_done || !is_client_done; step++) {
        CHECK(step < 100);
        if (!is_client_done) {
            int result = SSL_do_handshake(client);
            CHECK(result == 1 || SSL_get_error(client, result) == SSL_ERROR_WANT_READ);
            is_client_done = result == 1;
        }
        if (!is_server_done) {
            int result = SSL_do_handshake(server);
            CHECK(result == 1 || SSL_get_error(server, result) == SSL_ERROR_WANT_READ);
            is_server_done = result == 1;
        }
    }
    CHECK(SSL_version(server) == version);
    CHECK(SSL_get_verify_result(server) == X509_V_OK && SSL_get_verify_result(client) == X509_V_OK);
    CHECK(SSL_get0_peer_certificate(server) && SSL_get0_peer_certificate(client));
    /* X25519 keys are ours on both sides, and nothing is exported. */
    EVP_PKEY *of_server = NULL;
    CHECK(SSL_get_peer_tmp_key(client, &of_server) == 1 && EVP_PKEY_is_a(of_server, "X25519"));
    CHECK(!strcmp(OSSL_PROVIDER_get0_name(EVP_PKEY_get0_provider(of_server)), "sigmill"));
    EVP_PKEY_free(of_server);
    SSL_free(server);
    SSL_free(client);
}

/* Makes fifty handshakes, of both versions. */
static void serve(struct pair pair)
{
    for (int i = 0; i < 50; i++)
        handshake(pair, i % 2 ? TLS1_3_VERSION : TLS1_2_VERSION);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* A worker that continues with its parent's state, and then with files that it reads again. Its key
 * store is empty at first, and has its tables after some rounds. */
static void worker(OSSL_LIB_CTX *library, struct pair pair, char **files)
{
    serve(pair);
    for (int i = 0; i < 8; i++) {
        struct pair again = load(library, files);
        serve(again);
        unload(again);
        print_memory("worker");
    }
    _exit(0);
}

int main(int count, char **arguments)
{
    CHECK(count == 5);
    OSSL_LIB_CTX *shared = library(arguments[1]);
    CHECK(OSSL_PROVIDER_available(shared, "sigmill"));
    char **files = arguments + 3;
    struct pair pair = load(shared, files);
    double end = now() + atof(arguments[2]);
    for (long rounds = 0; rounds < 24 || now() < end; rounds++) {
        serve(pair);
        unload(pair);
        pair = load(shared, files);
        print_memory("server");
        if (rounds % 8 == 7) {
            pid_t child = fork();
            CHECK(child >= 0);
            if (!child)
                worker(shared, pair, files);
            int status;
            CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
        }
    }
    unload(pair);
    OSSL_LIB_CTX_free(shared);
    return 0;
}
