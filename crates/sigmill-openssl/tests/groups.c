/* The TLS groups that a client offers and a server supports, by the stock library and with the
 * module. Both must be the same, in the same order. Our own code.
 *
 *   groups CONFIG [show]        with "show" prints equal lines, too */
#include "common/check.h"
#include "common/answers.h"
#include <openssl/ssl.h>

enum { SUPPORTED_GROUPS = 10, KEY_SHARE = 51 };

/* Writes what the client offers, and ends the handshake, as the server has no certificate. */
static int look(SSL *server, int *alert, void *none)
{
    const unsigned char *bytes;
    size_t length;
    if (SSL_client_hello_get0_ext(server, SUPPORTED_GROUPS, &bytes, &length))
        say_bytes("groups", bytes, length);
    /* Group, length and key of each share. Keys are new, so they are left out. */
    if (SSL_client_hello_get0_ext(server, KEY_SHARE, &bytes, &length)) {
        for (size_t i = 2; i + 4 <= length;) {
            say_bytes("share", bytes + i, 4);
            i += 4 + (size_t)(bytes[i + 2] << 8 | bytes[i + 3]);
        }
    }
    *alert = SSL_AD_INTERNAL_ERROR;
    (void)none;
    return SSL_CLIENT_HELLO_ERROR;
}

static void hello(OSSL_LIB_CTX *library, const char *properties, int version, const char *groups)
{
    SSL_CTX *contexts[2] = { SSL_CTX_new_ex(library, properties, TLS_server_method()),
                             SSL_CTX_new_ex(library, properties, TLS_client_method()) };
    CHECK(contexts[0] && contexts[1]);
    fprintf(answers, "%x %s\n", (unsigned)version, groups ? groups : "-");
    SSL_CTX_set_client_hello_cb(contexts[0], look, NULL);
    CHECK(SSL_CTX_set_max_proto_version(contexts[1], version) == 1);
    if (groups)
        say("set", (int)SSL_CTX_set1_groups_list(contexts[1], groups));
    SSL *server = SSL_new(contexts[0]), *client = SSL_new(contexts[1]);
    BIO *to_server, *to_client;
    CHECK(server && client && BIO_new_bio_pair(&to_server, 0, &to_client, 0) == 1);
    SSL_set_bio(server, to_client, to_client);
    SSL_set_bio(client, to_server, to_server);
    SSL_set_accept_state(server);
    SSL_set_connect_state(client);
    SSL_do_handshake(client);
    CHECK(SSL_do_handshake(server) != 1);
#if OPENSSL_VERSION_NUMBER >= 0x30500000L
    /* Each name appears once. Groups with the same number are in the order of the providers. */
    STACK_OF(OPENSSL_CSTRING) *names = sk_OPENSSL_CSTRING_new_null();
    CHECK(SSL_CTX_get0_implemented_groups(contexts[0], 0, names) == 1);
    for (int i = 0; i < sk_OPENSSL_CSTRING_num(names); i++)
        fprintf(answers, "has %s\n", sk_OPENSSL_CSTRING_value(names, i));
    sk_OPENSSL_CSTRING_free(names);
#endif
    SSL_free(server);
    SSL_free(client);
    SSL_CTX_free(contexts[0]);
    SSL_CTX_free(contexts[1]);
    ERR_clear_error();
}

int main(int count, char **arguments)
{
    static const char *const lists[] = {
        NULL,          "X25519", "x25519",        "P-256:X25519:X448",
        "X448:X25519", "P-384",  "X25519:X25519", "none",
    };
    static const char *const properties[] = { NULL, "provider=default", "?provider=default" };
    CHECK(count >= 2);
    OSSL_LIB_CTX *libraries[] = { library(NULL), library(arguments[1]) };
    for (int i = 0; i < 2; i++) {
        begin_answers(i);
        for (int version = TLS1_2_VERSION; version <= TLS1_3_VERSION; version++)
            for (size_t j = 0; j < COUNT(lists); j++)
                for (size_t k = 0; k < COUNT(properties); k++)
                    hello(libraries[i], properties[k], version, lists[j]);
        end_answers();
    }
    int differ = answers_differ(count > 2);
    OSSL_LIB_CTX_free(libraries[0]);
    OSSL_LIB_CTX_free(libraries[1]);
    return differ;
}
