/* Keys on curves and of X25519, for the programs that agree. */
#include <openssl/x509.h>

static inline int is_x25519(const char *group)
{
    return !strcmp(group, "X25519");
}

static inline EVP_PKEY *generate(OSSL_LIB_CTX *library, const char *group)
{
    EVP_PKEY *key = is_x25519(group) ? EVP_PKEY_Q_keygen(library, NULL, "X25519")
                                     : EVP_PKEY_Q_keygen(library, NULL, "EC", group);
    CHECK(key);
    return key;
}

/* Returns the same key in another library context, with its private part or without. */
static inline EVP_PKEY *same(OSSL_LIB_CTX *library, EVP_PKEY *key, int is_private)
{
    unsigned char *der = NULL;
    int length = is_private ? i2d_PrivateKey(key, &der) : i2d_PUBKEY(key, &der);
    CHECK(length > 0);
    const unsigned char *at = der;
    EVP_PKEY *same = is_private ? d2i_AutoPrivateKey_ex(NULL, &at, length, library, NULL)
                                : d2i_PUBKEY_ex(NULL, &at, length, library, NULL);
    CHECK(same);
    OPENSSL_free(der);
    return same;
}
