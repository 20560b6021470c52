#include <fmt/core.h>

#include <string_view>
#include <vector>

#include "mlf/profile.h"
#include "run/call_pairs.h"
#include "support/error.h"

namespace mlf {
namespace {

std::vector<std::string_view> symbols_of(const Profile& profile) {
  std::vector<std::string_view> kernels;
  for (const ProfiledCall& call : profile.calls) kernels.emplace_back(call.kernel);
  return kernels;
}

std::vector<ProfileDifference> paired(const Profile& before, const Profile& after) {
  std::vector<bool> taken(before.calls.size());
  std::vector<ProfileDifference> pairs;
  for (const auto& pair : run::paired_calls(symbols_of(after), symbols_of(before))) {
    pairs.push_back({.before = pair, .after = pairs.size()});
    if (pair) taken[*pair] = true;
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (!taken[i]) pairs.push_back({.before = i});
  }
  return pairs;
}

}  // namespace

Result<std::vector<ProfileDifference>> compare_profiles(const Profile& before,
                                                        const Profile& after) {
  return support::to_result([&] {
    if (before.unit() != after.unit()) {
      throw support::Error(ErrorKind::usage, fmt::format("{} cannot be compared with {}",
                                                         before.unit(), after.unit()));
    }
    return paired(before, after);
  });
}

}  // namespace mlf
