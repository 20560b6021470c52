// Archives: opened under limits or refused; what is found in them can be read or is refused.
#include <cstdint>
#include <string_view>

#include "mlf/deployment.h"

namespace {

constexpr mlf::archive::Limits kLimits{.max_members = 1000,
                                       .max_total_bytes = 64u << 20,
                                       .max_member_bytes = 16u << 20,
                                       .max_expansion = 100};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto archive = mlf::archive::Archive::from_bytes(bytes, "fuzz", kLimits);
  if (!archive) return 0;
  const auto deployment = mlf::Deployment::open(*std::move(archive));
  if (!deployment) return 0;
  for (const mlf::TirSource& source : deployment->tir_sources()) {
    static_cast<void>(deployment->document(source));
  }
  return 0;
}
