// The calls of each kernel together.
#include <string_view>

#include "mlf/profile.h"
#include "profile/sums.h"
#include "support/name_map.h"

namespace mlf {
namespace {

void add_call(ProfiledKernel& kernel, const ProfiledCall& call) {
  ++kernel.calls;
  kernel.numbers = profile::sum_of(kernel.numbers, call.numbers);
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
