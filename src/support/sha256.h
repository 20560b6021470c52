// SHA-256 digests as lower-case hexadecimal, over OpenSSL.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>

#include "support/byte_sink.h"

namespace mlf::support {

/// Takes bytes block by block; `hex` ends the computation.
class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();

  void update(std::string_view bytes);
  std::string hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string sha256_hex(std::string_view bytes);

/// For std::async: in a thread of its own where the digests of so many bytes take long enough to be
/// worth one. Without the processor's help SHA-256 is as slow as a fifth of reading TIR.
std::launch launch_policy(std::uint64_t bytes) noexcept;

/// Passes everything on and computes its digest on the way.
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
