/* Builds the table of a key, stores it as bytes, reads it back, and verifies with it. */
#include <sigmill.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  sigmill_signing_key *secret;
  sigmill_verifying_key *key;
  sigmill_prepared_key *built, *read;
  if (sigmill_signing_key_generate(SIGMILL_CURVE_P384, &secret) != SIGMILL_OK ||
      sigmill_signing_key_verifying_key(secret, &key) != SIGMILL_OK ||
      sigmill_prepared_key_new(key, 4, &built) != SIGMILL_OK)
    return 1;

  size_t len = 0;
  sigmill_prepared_key_to_bytes(built, NULL, &len); /* returns the length */
  uint8_t *table = malloc(len);
  if (table == NULL || sigmill_prepared_key_to_bytes(built, table, &len) != SIGMILL_OK) return 1;
  sigmill_error error = sigmill_prepared_key_from_bytes(table, len, &read);
  printf("read: %s\n", sigmill_error_name(error));
  if (error != SIGMILL_OK) return 1;

  const uint8_t message[] = {'h', 'e', 'l', 'l', 'o'};
  uint8_t signature[SIGMILL_MAX_SIGNATURE_LEN];
  size_t signature_len = sizeof signature;
  error = sigmill_sign(secret, message, sizeof message, SIGMILL_FORMAT_DER, signature,
                       &signature_len);
  printf("sign: %s\n", sigmill_error_name(error));
  error = sigmill_prepared_verify(read, message, sizeof message, signature, signature_len,
                                  SIGMILL_FORMAT_DER);
  printf("verify: %s\n", sigmill_error_name(error));
  table[len / 2] ^= 1;
  sigmill_prepared_key *none;
  error = sigmill_prepared_key_from_bytes(table, len, &none);
  printf("read what was changed: %s\n", sigmill_error_name(error));

  free(table);
  sigmill_prepared_key_free(read);
  sigmill_prepared_key_free(built);
  sigmill_verifying_key_free(key);
  sigmill_signing_key_free(secret);
  return 0;
}
