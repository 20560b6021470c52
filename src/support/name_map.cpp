#include "support/name_map.h"

#include <array>
#include <random>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace mlf::support {
namespace {

using Secret = std::array<std::byte, XXH3_SECRET_SIZE_MIN>;

Secret drawn_secret() {
  std::array<std::random_device::result_type, 8> seed{};
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION  // fuzzers want each run to be the same
  std::random_device device;
  for (auto& word : seed) word = device();
#endif
  Secret secret;
  XXH3_generateSecret(secret.data(), secret.size(), seed.data(), sizeof seed);
  return secret;
}

}  // namespace

std::size_t NameHash::operator()(std::string_view name) const {
  static const Secret secret = drawn_secret();
  return XXH3_64bits_withSecret(name.data(), name.size(), secret.data(), secret.size());
}

}  // namespace mlf::support
