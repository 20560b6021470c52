#include "support/sha256.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <array>
#include <new>
#include <stdexcept>

namespace mlf::support {

struct Sha256::Context {
  // OpenSSL's context is one of C: it is freed here and nowhere else.
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> state{EVP_MD_CTX_new()};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  // OpenSSL reads through a null pointer where it had no memory for its own context.
  if (context_->state == nullptr || OSSL_LIB_CTX_get0_global_default() == nullptr) {
    throw std::bad_alloc();
  }
  if (EVP_DigestInit_ex(context_->state.get(), EVP_sha256(), nullptr) != 1) {
    // A configuration without the algorithm: not a matter of the input. Otherwise OpenSSL did not
    // get the memory for it ("initialization error").
    if (ERR_GET_REASON(ERR_peek_last_error()) == ERR_R_UNSUPPORTED) {
      throw std::runtime_error("OpenSSL has no SHA-256");
    }
    throw std::bad_alloc();
  }
}
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) {
  if (EVP_DigestUpdate(context_->state.get(), bytes.data(), bytes.size()) != 1) {
    throw std::runtime_error("SHA-256 failed");
  }
}

std::string Sha256::hex() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_DigestFinal_ex(context_->state.get(), digest.data(), &size) != 1) {
    throw std::runtime_error("SHA-256 failed");
  }
  std::string text;
  // Lower case, as sha256sum prints it.
  for (unsigned int i = 0; i < size; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

std::launch launch_policy(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t kWorthAThread = std::uint64_t{1} << 20;
  // Deferred, too, where no thread can be had.
  return bytes < kWorthAThread ? std::launch::deferred : std::launch::async | std::launch::deferred;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.hex();
}

}  // namespace mlf::support
