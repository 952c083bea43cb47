/* Verifies a thousand rows of an array of structs. Every tenth signature is changed. */
#include <sigmill.h>
#include <stdio.h>

enum { ROWS = 1000 };

struct row {
  uint8_t digest[32];
  uint8_t signature[64];
};

int main(void) {
  static struct row table[ROWS];
  static sigmill_error verdicts[ROWS];
  sigmill_signing_key *secret;
  sigmill_verifying_key *key;
  sigmill_engine *engine;
  uint8_t point[SIGMILL_MAX_POINT_LEN];
  size_t point_len = sizeof point, valid = 0;
  if (sigmill_signing_key_generate(SIGMILL_CURVE_SECP256K1, &secret) != SIGMILL_OK ||
      sigmill_signing_key_verifying_key(secret, &key) != SIGMILL_OK ||
      sigmill_verifying_key_to_sec1(key, 1, point, &point_len) != SIGMILL_OK ||
      sigmill_engine_new(2, SIGMILL_KEY_MEMORY, 0, SIGMILL_POLICY_ANY, &engine) != SIGMILL_OK)
    return 1;
  for (int i = 0; i < ROWS; i++) {
    size_t len = sizeof table[i].signature;
    table[i].digest[0] = (uint8_t)i;
    if (sigmill_sign_prehash(secret, table[i].digest, 32, SIGMILL_FORMAT_P1363,
                             table[i].signature, &len) != SIGMILL_OK)
      return 1;
    table[i].signature[63] ^= i % 10 == 0;
  }

  sigmill_rows rows = {
      .len = ROWS,
      .curve = SIGMILL_CURVE_SECP256K1,
      .format = SIGMILL_FORMAT_P1363,
      .input = SIGMILL_INPUT_DIGEST,
      .keys = {.data = point, .len = point_len}, /* stride 0: one key for all */
      .inputs = {.data = table[0].digest, .stride = sizeof(struct row), .len = 32},
      .signatures = {.data = table[0].signature, .stride = sizeof(struct row), .len = 64},
  };
  sigmill_failure failure;
  if (sigmill_engine_verify(engine, &rows, verdicts, &valid, &failure) != SIGMILL_OK) {
    fprintf(stderr, "%s\n", failure.message);
    return 1;
  }
  printf("%zu of %d valid\n", valid, ROWS);
  printf("row 10: %s\n", sigmill_error_name(verdicts[10]));
  printf("row 11: %s\n", sigmill_error_name(verdicts[11]));

  sigmill_engine_free(engine);
  sigmill_verifying_key_free(key);
  sigmill_signing_key_free(secret);
  return 0;
}
