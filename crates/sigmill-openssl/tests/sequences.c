/* Sequences of calls that agree, right and wrong, by the stock library and with the module. The
 * answer of each call is written down, and both must be equal. */
#include "common/check.h"
#include "common/answers.h"
#include "common/keys.h"
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/params.h>
#include <stdint.h>
#include <sys/mman.h>

static EVP_PKEY_CTX *operation;
/* Longer than any length that is requested. Only its beginning is ever written. */
static unsigned char *place;
enum { PLACE = 0x140000000 };

static void begin(OSSL_LIB_CTX *library, EVP_PKEY *key)
{
    EVP_PKEY_CTX_free(operation);
    operation = EVP_PKEY_CTX_new_from_pkey(library, key, NULL);
    CHECK(operation);
}

/* Writes the secret in a buffer of this size: its length and its first bytes. */
static void derive(EVP_PKEY_CTX *operation, size_t size)
{
    size_t length = size;
    memset(place, 0xee, 200);
    int returned = EVP_PKEY_derive(operation, place, &length);
    fprintf(answers, "derive into %zu: %d", size, returned == 1);
    if (returned == 1) {
        fprintf(answers, ", %zu: ", length);
        for (size_t i = 0; i < 200; i++)
            fprintf(answers, "%02x", place[i]);
    }
    fputc('\n', answers);
    ERR_clear_error();
}

/* Writes the length that the secret would have. */
static void ask_length(EVP_PKEY_CTX *operation)
{
    size_t length = 7;
    int returned = EVP_PKEY_derive(operation, NULL, &length);
    fprintf(answers, "length: %d, %zu\n", returned == 1, returned == 1 ? length : 0);
    ERR_clear_error();
}

static void set_peer(const char *whose, EVP_PKEY *peer)
{
    fprintf(answers, "%s: ", whose);
    say("peer", EVP_PKEY_derive_set_peer(operation, peer));
}

/* Calls in a wrong order, repeated, with buffers of any size, and copies in between. */
static void orders(OSSL_LIB_CTX *library, EVP_PKEY *key, EVP_PKEY *peer, EVP_PKEY *third)
{
    begin(library, key);
    ask_length(operation);
    derive(operation, 80);
    set_peer("before the beginning", peer);
    say("begin", EVP_PKEY_derive_init(operation));
    derive(operation, 80);
    ask_length(operation);
    EVP_PKEY_CTX *without_peer = EVP_PKEY_CTX_dup(operation);
    CHECK(without_peer);
    set_peer("right", peer);
    ask_length(operation);
    for (size_t size = 0; size <= 80; size++)
        derive(operation, size);
    EVP_PKEY_CTX *copy = EVP_PKEY_CTX_dup(operation);
    CHECK(copy);
    set_peer("another", third);
    derive(operation, 80);
    derive(copy, 80);
    derive(without_peer, 80);
    say("peer of the copy", EVP_PKEY_derive_set_peer(without_peer, third));
    EVP_PKEY_CTX *again = EVP_PKEY_CTX_dup(copy);
    CHECK(again);
    EVP_PKEY_CTX_free(copy);
    derive(without_peer, 80);
    derive(again, 80);
    EVP_PKEY_CTX_free(again);
    EVP_PKEY_CTX_free(without_peer);
    say("begin again", EVP_PKEY_derive_init(operation));
    derive(operation, 80);
    set_peer("with oneself", key);
    derive(operation, 80);
}

/* Invalid peers, with the peer's key checked or not, after a valid one. Whether a peer has a point
 * must be checked: without a check, the stock library notices only when it derives. */
static void wrong_peers(OSSL_LIB_CTX *library, EVP_PKEY *key, EVP_PKEY *peer, EVP_PKEY **wrong,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length;
        EVP_PKEY *other = wrong[i];
        int has_point =
            other && EVP_PKEY_get_octet_string_param(other, "pub", NULL, 0, &length) == 1;
        for (int is_checked = !has_point; is_checked < 2; is_checked++) {
            begin(library, key);
            fprintf(answers, "wrong peer %zu, checked %d\n", i, is_checked);
            say("begin", EVP_PKEY_derive_init(operation));
            say("peer", EVP_PKEY_derive_set_peer_ex(operation, other, is_checked));
            derive(operation, 80);
            say("right peer", EVP_PKEY_derive_set_peer_ex(operation, peer, is_checked));
            derive(operation, 80);
            say("peer", EVP_PKEY_derive_set_peer_ex(operation, other, is_checked));
            derive(operation, 80);
        }
    }
    /* A key without its private part. */
    begin(library, peer);
    say("begin", EVP_PKEY_derive_init(operation));
    set_peer("own", key);
    ask_length(operation);
    derive(operation, 80);
}

static void set(const char *what, OSSL_PARAM param)
{
    OSSL_PARAM params[] = { param, OSSL_PARAM_construct_end() };
    say(what, EVP_PKEY_CTX_set_params(operation, params));
}

static void text(const char *name, const char *value)
{
    fprintf(answers, "%s ", name);
    set(value, OSSL_PARAM_construct_utf8_string(name, (char *)value, 0));
}

static void info(const void *bytes, size_t length)
{
    unsigned char *found = NULL;
    set("info", OSSL_PARAM_construct_octet_string("kdf-ukm", (void *)bytes, length));
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_ptr("kdf-ukm", (void **)&found, 0),
        OSSL_PARAM_construct_end(),
    };
    say("ask for info", EVP_PKEY_CTX_get_params(operation, params));
    fprintf(answers, "info of %zu: %zu\n", length, params[0].return_size);
    derive(operation, 200);
}

static void output_length(size_t length)
{
    size_t found = 0;
    fprintf(answers, "output of %zu: ", length);
    set("set", OSSL_PARAM_construct_size_t("kdf-outlen", &length));
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_size_t("kdf-outlen", &found), OSSL_PARAM_construct_end(),
    };
    say("ask", EVP_PKEY_CTX_get_params(operation, params));
    fprintf(answers, "found %zu\n", found);
    ask_length(operation);
    if (length > PLACE)
        return;
    derive(operation, PLACE);
    derive(operation, length);
    if (length)
        derive(operation, length - 1);
}

/* X9.63 with much, little and no output, and with missing parameters. */
static void derivations(OSSL_LIB_CTX *library, EVP_PKEY *key, EVP_PKEY *peer)
{
    /* Above 2^30 the stock library derives nothing; up to there it needs much time. */
    static const size_t lengths[] = {
        0, 1, 31, 32, 33, 200, (1 << 30) + 1, INT32_MAX, (size_t)1 << 31, UINT32_MAX - 1,
        UINT32_MAX, (size_t)1 << 32, ((size_t)1 << 32) + 1, SIZE_MAX / 2, SIZE_MAX - 1, SIZE_MAX,
    };
    begin(library, key);
    say("begin", EVP_PKEY_derive_init(operation));
    text("kdf-type", "X963KDF");
    ask_length(operation);
    derive(operation, 80);
    set_peer("right", peer);
    derive(operation, 80);
    output_length(40);
    text("kdf-digest", "SHA256");
    derive(operation, 80);
    for (size_t i = 0; i < COUNT(lengths); i++)
        output_length(lengths[i]);
    output_length(50);
    info("some bytes", 10);
    info("", 0);
    info("others", 6);
    info(NULL, 0);
    info("others", 6);
    info(NULL, 5);
    set("info as text", OSSL_PARAM_construct_utf8_string("kdf-ukm", (char *)"text", 0));
    derive(operation, 80);
    EVP_PKEY_CTX *copy = EVP_PKEY_CTX_dup(operation);
    CHECK(copy);
    info("of the first one", 16);
    text("kdf-digest", "SHA512");
    derive(operation, 80);
    derive(copy, 80);
    EVP_PKEY_CTX_free(copy);

    int number = -1;
    uint32_t small = 48;
    set("output of -1", OSSL_PARAM_construct_int("kdf-outlen", &number));
    derive(operation, 80);
    set("output of 48", OSSL_PARAM_construct_uint32("kdf-outlen", &small));
    derive(operation, 80);
    text("kdf-outlen", "20");
    derive(operation, 80);
    text("kdf-digest", "none such");
    derive(operation, 80);
    text("kdf-digest", "");
    derive(operation, 80);
    text("kdf-type", "x963kdf");
    derive(operation, 80);
    text("kdf-type", "HKDF");
    derive(operation, 80);
    text("kdf-type", "");
    derive(operation, 80);
    text("nothing", "of the kind");
    say("begin again", EVP_PKEY_derive_init(operation));
    set_peer("right", peer);
    derive(operation, 80);
}

/* Makes a number of 255 bits from its first byte, which is the lowest one, and the value of all
 * others. */
static void number(unsigned char *u, unsigned first, unsigned char rest)
{
    memset(u, rest, 32);
    u[0] = (unsigned char)first;
    u[31] &= 0x7f;
}

/* Points of X25519 of small order, and all numbers from p - 1 on (p = 2^255 - 19), each with the
 * last bit, which is ignored, and without it. Returns how many of them share nothing. */
static int numbers(OSSL_LIB_CTX *library, EVP_PKEY *key)
{
    static const char *const order_8[] = {
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    };
    int refused = 0;
    for (int i = 0; i < 2 * (2 + 2 + 20); i++) {
        unsigned char u[32], secret[32];
        size_t length = sizeof secret;
        int j = i / 2;
        if (j < 2)
            unhex(order_8[j], u);
        else if (j < 4)
            number(u, (unsigned)j - 2, 0);
        else
            number(u, 0xec + (unsigned)j - 4, 0xff);
        u[31] |= i % 2 ? 0x80 : 0;
        for (int is_checked = 0; is_checked < 2; is_checked++) {
            EVP_PKEY *peer = EVP_PKEY_new_raw_public_key_ex(library, "X25519", NULL, u, sizeof u);
            CHECK(peer);
            begin(library, key);
            say("begin", EVP_PKEY_derive_init(operation));
            say("peer", EVP_PKEY_derive_set_peer_ex(operation, peer, is_checked));
            fprintf(answers, "number %d, ", i);
            int returned = EVP_PKEY_derive(operation, secret, &length);
            refused += returned != 1;
            derive(operation, 80);
            EVP_PKEY_free(peer);
        }
    }
    return refused;
}

/* A group without a key. */
static EVP_PKEY *group_only(OSSL_LIB_CTX *library)
{
    EVP_PKEY *group = NULL;
    EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(library, "EC", NULL);
    CHECK(EVP_PKEY_paramgen_init(making) == 1);
    CHECK(EVP_PKEY_CTX_set_group_name(making, "P-256") == 1);
    CHECK(EVP_PKEY_paramgen(making, &group) == 1);
    EVP_PKEY_CTX_free(making);
    return group;
}

static void all(OSSL_LIB_CTX *library, EVP_PKEY *const *common, size_t count)
{
    /* Two pairs and a third key on each of P-256 and X25519, and others. */
    EVP_PKEY *keys[20];
    for (size_t i = 0; i < count; i++)
        keys[i] = same(library, common[i], i % 3 == 0);
    keys[count] = group_only(library);
    EVP_PKEY *of_p256[] = { keys[6], keys[3], keys[count], NULL };
    EVP_PKEY *of_x25519[] = { keys[0], keys[7], NULL };
    orders(library, keys[0], keys[1], keys[2]);
    orders(library, keys[3], keys[4], keys[5]);
    wrong_peers(library, keys[0], keys[1], of_p256, COUNT(of_p256));
    wrong_peers(library, keys[3], keys[4], of_x25519, COUNT(of_x25519));
    derivations(library, keys[0], keys[1]);
    /* 0, 1, p - 1, p, p + 1 and two points of order 8. */
    CHECK(numbers(library, keys[3]) == 7 * 2 * 2);
    EVP_PKEY_CTX_free(operation);
    operation = NULL;
    for (size_t i = 0; i <= count; i++)
        EVP_PKEY_free(keys[i]);
}

/*   sequences CONFIG [show]        with "show" prints equal lines, too */
int main(int count, char **arguments)
{
    static const char *const groups[] = {
        "P-256", "P-256", "P-256", "X25519", "X25519", "X25519", "P-384", "brainpoolP384r1",
    };
    CHECK(count >= 2);
    int is_shown = count > 2;
    OSSL_LIB_CTX *libraries[] = { library(NULL), library(arguments[1]) };
    EVP_PKEY *common[COUNT(groups)];
    for (size_t i = 0; i < COUNT(groups); i++)
        common[i] = generate(libraries[0], groups[i]);
    place = mmap(NULL, PLACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
    CHECK(place != MAP_FAILED);
    for (int i = 0; i < 2; i++) {
        begin_answers(i);
        all(libraries[i], common, COUNT(groups));
        end_answers();
    }
    int differ = answers_differ(is_shown);
    for (int i = 0; i < 2; i++)
        OSSL_LIB_CTX_free(libraries[i]);
    for (size_t i = 0; i < COUNT(groups); i++)
        EVP_PKEY_free(common[i]);
    munmap(place, PLACE);
    return differ;
}
