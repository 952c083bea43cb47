/* Memory after derivations: nothing of their secrets is left. Each line of the input is a job. The
 * bytes that it must not leave behind are masked, otherwise the search would find its own list. */
#include "common/check.h"
#include "common/keys.h"
#include <fcntl.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <stdint.h>
#include <unistd.h>

enum { MASK = 0xa5, LONGEST = 512, WORD = sizeof(uint64_t) };

static OSSL_LIB_CTX *sigmill;

/* A job: its kind, group and hash, a secret, a public part, and the bytes that must not be
 * found. */
static char kind[32], group[32], hash[32];
static unsigned char secret[LONGEST], public[LONGEST], traces[LONGEST];
static size_t secret_len, public_len, traces_len;

static void mask(unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        bytes[i] ^= MASK;
}

static EVP_PKEY *key_from(OSSL_PARAM_BLD *build, int selection)
{
    EVP_PKEY *key = NULL;
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
    EVP_PKEY_CTX *from = EVP_PKEY_CTX_new_from_name(sigmill, "EC", NULL);
    CHECK(params && EVP_PKEY_fromdata_init(from) == 1);
    CHECK(EVP_PKEY_fromdata(from, &key, selection, params) == 1);
    EVP_PKEY_CTX_free(from);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    return key;
}

static EVP_PKEY *private_key(const unsigned char *bare)
{
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    BIGNUM *number = BN_secure_new();
    CHECK(BN_bin2bn(bare, (int)secret_len, number));
    OSSL_PARAM_BLD_push_utf8_string(build, "group", group, 0);
    OSSL_PARAM_BLD_push_BN(build, "priv", number);
    EVP_PKEY *key = key_from(build, EVP_PKEY_KEYPAIR);
    BN_clear_free(number);
    return key;
}

static EVP_PKEY *public_key(void)
{
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    OSSL_PARAM_BLD_push_utf8_string(build, "group", group, 0);
    OSSL_PARAM_BLD_push_octet_string(build, "pub", public, public_len);
    return key_from(build, EVP_PKEY_PUBLIC_KEY);
}

/* Derives two blocks of the hash and a part of one by X9.63. */
static void x963(const unsigned char *bare)
{
    EVP_PKEY *key = private_key(bare), *peer = public_key();
    EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_pkey(sigmill, key, NULL);
    EVP_MD *md = EVP_MD_fetch(sigmill, hash, NULL);
    CHECK(md && EVP_PKEY_derive_init(operation) == 1 && is_ours(operation));
    size_t length = 2 * (size_t)EVP_MD_get_size(md) + 9;
    EVP_MD_free(md);
    OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string("kdf-type", "X963KDF", 0),
                            OSSL_PARAM_construct_utf8_string("kdf-digest", hash, 0),
                            OSSL_PARAM_construct_size_t("kdf-outlen", &length),
                            OSSL_PARAM_construct_end() };
    CHECK(EVP_PKEY_CTX_set_params(operation, params) == 1);
    CHECK(EVP_PKEY_derive_set_peer(operation, peer) == 1);
    unsigned char result[LONGEST];
    size_t result_len = sizeof result;
    CHECK(EVP_PKEY_derive(operation, result, &result_len) == 1 && result_len == length);
    OPENSSL_cleanse(result, sizeof result);
    EVP_PKEY_CTX_free(operation);
    EVP_PKEY_free(key);
    EVP_PKEY_free(peer);
}

/* Derives an X25519 key from a secret by DHKEM. */
static void dhkem(unsigned char *bare)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *operation = EVP_PKEY_CTX_new_from_name(sigmill, "X25519", NULL);
    CHECK(EVP_PKEY_keygen_init(operation) == 1 && is_ours(operation));
    OSSL_PARAM params[] = { OSSL_PARAM_construct_octet_string("dhkem-ikm", bare, secret_len),
                            OSSL_PARAM_construct_end() };
    CHECK(EVP_PKEY_CTX_set_params(operation, params) == 1);
    CHECK(EVP_PKEY_generate(operation, &key) == 1);
    EVP_PKEY_CTX_free(operation);
    EVP_PKEY_free(key);
}

/* Leaves bytes that a search must find. */
static void leave_on_the_stack(const unsigned char *bare)
{
    volatile unsigned char frame[4 * LONGEST];
    for (size_t i = 0; i < secret_len; i++)
        frame[i] = bare[i];
    (void)frame[0];
}

static void leave_on_the_heap(const unsigned char *bare)
{
    volatile unsigned char *place = malloc(4 * LONGEST);
    CHECK(place);
    for (size_t i = 0; i < secret_len; i++)
        place[LONGEST + i] = bare[i];
    free((void *)place);
}

/* Does a job so far down the stack that the search does not overwrite what is left there. */
static __attribute__((noinline)) void further_down(void)
{
    volatile unsigned char space[1 << 17];
    unsigned char bare[LONGEST];
    space[0] = 0;
    memcpy(bare, secret, secret_len);
    mask(bare, secret_len);
    if (!strcmp(kind, "x963"))
        x963(bare);
    else if (!strcmp(kind, "dhkem"))
        dhkem(bare);
    else if (!strcmp(kind, "control-stack"))
        leave_on_the_stack(bare);
    else if (!strcmp(kind, "control-heap"))
        leave_on_the_heap(bare);
    else
        CHECK(!"a kind of job");
    OPENSSL_cleanse(bare, sizeof bare);
    space[sizeof space - 1] = 0;
}

static char maps[1 << 20];
static unsigned char piece[1 << 16];

/* Returns how often a word of a trace occurs in these bytes. */
static size_t found_in(const unsigned char *bytes, size_t length)
{
    /* Most memory does not begin a word. */
    static unsigned char begins[1 << 16];
    size_t count = 0;
    for (int is_set = 1; is_set >= 0; is_set--) {
        for (size_t j = 0; j + WORD <= traces_len; j += WORD)
            begins[traces[j] << 8 | traces[j + 1]] = (unsigned char)is_set;
        for (size_t i = 0; is_set && i + WORD <= length; i++) {
            if (!begins[(bytes[i] ^ MASK) << 8 | (bytes[i + 1] ^ MASK)])
                continue;
            for (size_t j = 0; j + WORD <= traces_len; j += WORD) {
                size_t same = 0;
                while (same < WORD && (bytes[i + same] ^ MASK) == traces[j + same])
                    same++;
                count += same == WORD;
            }
        }
    }
    return count;
}

/* Returns how many words of the traces are in the writable memory of this process, except in the
 * buffer of the search. It allocates nothing, as that would overwrite freed memory of the heap. */
static size_t search(void)
{
    size_t count = 0, length = 0;
    int file = open("/proc/self/maps", O_RDONLY), memory = open("/proc/self/mem", O_RDONLY);
    CHECK(file >= 0 && memory >= 0);
    for (ssize_t got; (got = read(file, maps + length, sizeof maps - 1 - length)) > 0;)
        length += (size_t)got;
    maps[length] = 0;
    for (char *line = maps; *line; line = strchr(line, '\n') + 1) {
        char *rest;
        uintptr_t start = strtoul(line, &rest, 16), end = strtoul(rest + 1, &rest, 16);
        uintptr_t own = (uintptr_t)piece, own_end = own + sizeof piece;
        if (strncmp(rest, " rw", 3))
            continue;
        while (start + WORD <= end) {
            if (start >= own && start < own_end) {
                start = own_end;
                continue;
            }
            size_t most = (start < own && own < end ? own : end) - start;
            ssize_t got = pread(memory, piece, most < sizeof piece ? most : sizeof piece,
                                (off_t)start);
            if (got <= 0)
                break;
            count += found_in(piece, (size_t)got);
            /* Pieces overlap by seven bytes, so that no word is split. */
            start += (size_t)got == most ? most : (size_t)got - (WORD - 1);
        }
    }
    close(file);
    close(memory);
    return count;
}

/* Reads lines of a kind, a group, a hash, a masked secret, a public part and masked traces, in
 * hexadecimal. Prints how many words of the traces are found for each. */
int main(int count, char **arguments)
{
    static char fields[3][2 * LONGEST + 1];
    CHECK(count == 3);
    sigmill = library(arguments[2]);
    while (scanf("%31s %31s %31s %1024s %1024s %1024s", kind, group, hash, fields[0], fields[1],
                 fields[2]) == 6) {
        secret_len = unhex(fields[0], secret);
        public_len = unhex(fields[1], public);
        traces_len = unhex(fields[2], traces);
        /* The first run makes everything that is made once and kept. */
        further_down();
        further_down();
        printf("%zu\n", search());
    }
    OSSL_LIB_CTX_free(sigmill);
    return 0;
}
