/* Verifies the signature of RFC 6979, A.2.5, and a changed one. */
#include <sigmill.h>
#include <stdio.h>
#include <string.h>

static int hex(const char *digits, uint8_t *bytes) {
  int count = 0;
  for (; sscanf(digits, "%2hhx", &bytes[count]) == 1; digits += 2) count++;
  return count;
}

int main(void) {
  uint8_t point[SIGMILL_MAX_POINT_LEN], signature[SIGMILL_MAX_SIGNATURE_LEN];
  size_t point_len = hex("0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
                         "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299", point);
  size_t len = hex("efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
                   "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8", signature);
  const uint8_t *message = (const uint8_t *)"sample";

  sigmill_verifying_key *key;
  sigmill_error error = sigmill_verifying_key_from_sec1(SIGMILL_CURVE_P256, point, point_len, &key);
  if (error != SIGMILL_OK) {
    fprintf(stderr, "%s\n", sigmill_error_message(error));
    return 1;
  }
  for (int change = 0; change < 2; change++) {
    signature[40] ^= change;
    error = sigmill_verify(key, message, 6, signature, len, SIGMILL_FORMAT_P1363);
    printf("%s\n", sigmill_error_name(error));
  }
  sigmill_verifying_key_free(key);
  return 0;
}
