// The calls of each kernel together.
#include <cstdint>
#include <optional>
#include <string_view>

#include "mlf/profile.h"
#include "support/name_map.h"

namespace mlf {
namespace {

/// Unknown if one of them is.
std::optional<std::uint64_t> sum_of(std::optional<std::uint64_t> a,
                                    std::optional<std::uint64_t> b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

std::optional<ProfileSpread> sum_of(const std::optional<ProfileSpread>& a,
                                    const std::optional<ProfileSpread>& b) {
  if (!a || !b) return std::nullopt;
  return ProfileSpread{.min = a->min + b->min,
                       .median = sum_of(a->median, b->median),
                       .max = sum_of(a->max, b->max)};
}

void add_call(ProfiledKernel& kernel, const ProfiledCall& call) {
  ++kernel.calls;
  kernel.numbers = {.instructions = sum_of(kernel.numbers.instructions, call.numbers.instructions),
                    .cycles = sum_of(kernel.numbers.cycles, call.numbers.cycles),
                    .nanoseconds = sum_of(kernel.numbers.nanoseconds, call.numbers.nanoseconds)};
  kernel.mac += call.mac;
  kernel.loaded += call.loaded;
  kernel.divisions += call.divisions;
}

}  // namespace

std::vector<ProfiledKernel> kernels_of(const Profile& profile) {
  std::vector<ProfiledKernel> kernels;
  support::NameMap<std::string_view, std::size_t> known;
  for (const ProfiledCall& call : profile.calls) {
    const auto [place, is_new] = known.emplace(call.kernel, kernels.size());
    if (is_new) {
      kernels.push_back({call.kernel, 1, call.numbers, call.mac, call.loaded, call.divisions});
    } else {
      add_call(kernels[place->second], call);
    }
  }
  return kernels;
}

}  // namespace mlf
