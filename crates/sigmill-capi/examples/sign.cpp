// Signs and verifies. Owners free the handles.
#include <sigmill.h>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

template <typename Handle, void (*Free)(Handle *)>
struct Freed {
  void operator()(Handle *handle) const { Free(handle); }
};
template <typename Handle, void (*Free)(Handle *)>
using Owned = std::unique_ptr<Handle, Freed<Handle, Free>>;
using SigningKey = Owned<sigmill_signing_key, sigmill_signing_key_free>;
using VerifyingKey = Owned<sigmill_verifying_key, sigmill_verifying_key_free>;

static void check(sigmill_error error) {
  if (error != SIGMILL_OK) throw std::runtime_error(sigmill_error_message(error));
}

int main() try {
  sigmill_signing_key *made;
  check(sigmill_signing_key_generate(SIGMILL_CURVE_P521, &made));
  SigningKey secret(made);
  sigmill_verifying_key *its;
  check(sigmill_signing_key_verifying_key(secret.get(), &its));
  VerifyingKey key(its);

  const std::string message = "hello";
  auto bytes = reinterpret_cast<const uint8_t *>(message.data());
  std::vector<uint8_t> signature(SIGMILL_MAX_SIGNATURE_LEN);
  size_t len = signature.size();
  check(sigmill_sign(secret.get(), bytes, message.size(), SIGMILL_FORMAT_DER, signature.data(),
                     &len));
  signature.resize(len);
  check(sigmill_verify(key.get(), bytes, message.size(), signature.data(), signature.size(),
                       SIGMILL_FORMAT_DER));
  std::cout << "valid\n";
  check(sigmill_verify(key.get(), bytes, 4, signature.data(), signature.size(),
                       SIGMILL_FORMAT_DER));
} catch (const std::runtime_error &error) {
  std::cout << error.what() << "\n";
}
