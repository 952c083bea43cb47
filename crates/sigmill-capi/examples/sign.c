/* Makes two keys, signs with one, verifies, recovers the public key, and agrees on a secret. */
#include <sigmill.h>
#include <stdio.h>
#include <string.h>

static void tell(sigmill_error error, const char *what) {
  printf("%s: %s\n", what, sigmill_error_name(error));
}

int main(void) {
  sigmill_signing_key *a, *b;
  sigmill_verifying_key *public_a, *public_b, *recovered;
  tell(sigmill_signing_key_generate(SIGMILL_CURVE_P256, &a), "generate");
  tell(sigmill_signing_key_generate(SIGMILL_CURVE_P256, &b), "generate");
  tell(sigmill_signing_key_verifying_key(a, &public_a), "public key");
  tell(sigmill_signing_key_verifying_key(b, &public_b), "public key");

  uint8_t digest[32] = {1, 2, 3}, signature[SIGMILL_MAX_SIGNATURE_LEN], id;
  size_t len = sizeof signature;
  tell(sigmill_sign_with(a, SIGMILL_INPUT_DIGEST, digest, sizeof digest, SIGMILL_FORMAT_DER, NULL,
                         signature, &len, &id), "sign");
  tell(sigmill_verify_prehash(public_a, digest, sizeof digest, signature, len, SIGMILL_FORMAT_DER),
       "verify");
  tell(sigmill_verify_prehash(public_b, digest, sizeof digest, signature, len, SIGMILL_FORMAT_DER),
       "verify with another key");
  sigmill_verify_options options = {.policy = SIGMILL_POLICY_PARITY_ONLY, .hint = &id};
  tell(sigmill_verify_with(public_a, SIGMILL_INPUT_DIGEST, digest, sizeof digest, signature, len,
                           SIGMILL_FORMAT_DER, &options), "verify with a hint");
  tell(sigmill_recover(SIGMILL_CURVE_P256, digest, sizeof digest, signature, len,
                       SIGMILL_FORMAT_DER, id, SIGMILL_POLICY_ANY, &recovered), "recover");

  uint8_t ab[SIGMILL_MAX_SHARED_LEN], ba[SIGMILL_MAX_SHARED_LEN];
  size_t ab_len = sizeof ab, ba_len = sizeof ba;
  tell(sigmill_ecdh(a, public_b, ab, &ab_len), "agree");
  tell(sigmill_ecdh(b, recovered, ba, &ba_len), "agree");
  printf("same secret: %s\n", ab_len == ba_len && !memcmp(ab, ba, ab_len) ? "yes" : "no");

  sigmill_verifying_key_free(recovered);
  sigmill_verifying_key_free(public_b);
  sigmill_verifying_key_free(public_a);
  sigmill_signing_key_free(b);
  sigmill_signing_key_free(a);
  return 0;
}
