/* Shared code of these tests' programs in C. Our own code. */
#include <openssl/conf.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                 \
            ERR_print_errors_fp(stderr);                                            \
            exit(1);                                                                \
        }                                                                           \
    } while (0)

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Returns a library context, with the module if a configuration is given. */
static inline OSSL_LIB_CTX *library(const char *config)
{
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    CHECK(library);
    if (config)
        CHECK(OSSL_LIB_CTX_load_config(library, config));
    return library;
}

static inline size_t unhex(const char *text, unsigned char *bytes)
{
    size_t length = strlen(text) / 2;
    for (size_t i = 0; i < length; i++) {
        unsigned byte;
        CHECK(sscanf(text + 2 * i, "%2x", &byte) == 1);
        bytes[i] = (unsigned char)byte;
    }
    return length;
}

static inline int is_ours(EVP_PKEY_CTX *context)
{
    const OSSL_PROVIDER *provider = EVP_PKEY_CTX_get0_provider(context);
    return provider && !strcmp(OSSL_PROVIDER_get0_name(provider), "sigmill");
}
