/* Builds the table of a key, and verifies with it. */
#include <sigmill.h>
#include <stdio.h>

int main(void) {
  sigmill_signing_key *secret;
  sigmill_verifying_key *key;
  sigmill_prepared_key *prepared;
  if (sigmill_signing_key_generate(SIGMILL_CURVE_P384, &secret) != SIGMILL_OK ||
      sigmill_signing_key_verifying_key(secret, &key) != SIGMILL_OK ||
      sigmill_prepared_key_new(key, 4, &prepared) != SIGMILL_OK)
    return 1;

  uint8_t message[] = {'h', 'e', 'l', 'l', 'o'};
  uint8_t signature[SIGMILL_MAX_SIGNATURE_LEN];
  size_t signature_len = sizeof signature;
  sigmill_error error =
      sigmill_sign_message(secret, message, sizeof message, SIGMILL_HASH_OF_CURVE,
                           SIGMILL_FORMAT_DER, signature, &signature_len);
  printf("sign: %s\n", sigmill_error_name(error));
  error = sigmill_prepared_verify_message(prepared, message, sizeof message, SIGMILL_HASH_OF_CURVE,
                                          signature, signature_len, SIGMILL_FORMAT_DER,
                                          SIGMILL_POLICY_ANY);
  printf("verify: %s\n", sigmill_error_name(error));
  message[0] = 'j';
  error = sigmill_prepared_verify_message(prepared, message, sizeof message, SIGMILL_HASH_OF_CURVE,
                                          signature, signature_len, SIGMILL_FORMAT_DER,
                                          SIGMILL_POLICY_ANY);
  printf("verify another message: %s\n", sigmill_error_name(error));

  sigmill_prepared_key_free(prepared);
  sigmill_verifying_key_free(key);
  sigmill_signing_key_free(secret);
  return 0;
}
