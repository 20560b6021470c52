#include "support/sha256.h"

#include <nettle/base16.h>

namespace mlf::support {

Sha256::Sha256() {
  sha256_init(&context_);
}

void Sha256::update(std::string_view bytes) {
  sha256_update(&context_, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

std::array<std::uint8_t, SHA256_DIGEST_SIZE> Sha256::bytes() {
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context_, digest.size(), digest.data());
  return digest;
}

std::string Sha256::hex() {
  std::string text(BASE16_ENCODE_LENGTH(SHA256_DIGEST_SIZE), '\0');
  base16_encode_update(text.data(), SHA256_DIGEST_SIZE, bytes().data());
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
