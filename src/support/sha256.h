// SHA-256 digests as lower-case hexadecimal, over Nettle, which libarchive uses, too.
#pragma once

#include <nettle/sha2.h>

#include <array>
#include <cstdint>
#include <future>
#include <string>
#include <string_view>

#include "mlf/export.h"
#include "support/byte_sink.h"

namespace mlf::support {

/// Computes a digest block by block; `hex` or `bytes` ends the computation.
class Sha256 {
 public:
  Sha256();

  void update(std::string_view bytes);
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> bytes();
  std::string hex();

 private:
  sha256_ctx context_{};
};

MLF_API std::string sha256_hex(std::string_view bytes);

/// Returns the policy for std::async: a thread of its own if the digest of so many bytes takes long
/// enough. Without instructions for it, SHA-256 takes a fifth of the time of reading TIR.
std::launch launch_policy(std::uint64_t bytes) noexcept;

/// Passes everything on, and computes its digest.
class HashingSink final : public ByteSink {
 public:
  explicit HashingSink(ByteSink& next) : next_(next) {}

  void write(std::string_view bytes) override {
    digest_.update(bytes);
    next_.write(bytes);
  }
  std::string hex() { return digest_.hex(); }

 private:
  ByteSink& next_;
  Sha256 digest_;
};

}  // namespace mlf::support
