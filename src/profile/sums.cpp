#include "profile/sums.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "support/error.h"

namespace mlf::profile {
namespace {

[[noreturn]] void refuse_total() {
  throw support::Error(ErrorKind::invalid_input,
                       "the total of all calls is not their sum, or the sum exceeds 63 bits");
}

std::optional<std::uint64_t> sum_of(std::optional<std::uint64_t> a,
                                    std::optional<std::uint64_t> b) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (!a || !b) return std::nullopt;
  const bool is_too_large = *a > kMost || *b > kMost - *a;
  return is_too_large ? std::nullopt : std::optional(*a + *b);
}

std::optional<ProfileSpread> sum_of(const std::optional<ProfileSpread>& a,
                                    const std::optional<ProfileSpread>& b) {
  const auto min = a && b ? sum_of(a->min, b->min) : std::nullopt;
  if (!min) return std::nullopt;
  return ProfileSpread{
      .min = *min, .median = sum_of(a->median, b->median), .max = sum_of(a->max, b->max)};
}

/// In some run a call took its most, and the others at least their least. The total may be smaller
/// by `rounding`.
void require_spread(const Profile& profile, std::optional<ProfileSpread> ProfileNumbers::*kind,
                    const ProfileNumbers& sum, std::uint64_t rounding) {
  const std::optional<ProfileSpread>& total = profile.total.*kind;
  if (!total) return;
  std::uint64_t widest = 0;
  bool has_max = true;
  for (const ProfiledCall& call : profile.calls) {
    const auto& spread = call.numbers.*kind;
    has_max = has_max && spread && spread->max;
    if (has_max) widest = std::max(widest, *spread->max - std::min(*spread->max, spread->min));
  }
  const bool is_sum = (sum.*kind) && total->min + rounding >= (sum.*kind)->min &&
                      total->max.has_value() == has_max &&
                      (!has_max || *total->max + rounding >= (sum.*kind)->min + widest);
  if (!is_sum) refuse_total();
}

}  // namespace

ProfileNumbers sum_of(const ProfileNumbers& a, const ProfileNumbers& b) {
  return {.instructions = sum_of(a.instructions, b.instructions),
          .cycles = sum_of(a.cycles, b.cycles),
          .nanoseconds = sum_of(a.nanoseconds, b.nanoseconds)};
}

void require_total_of_calls(const Profile& profile) {
  if (profile.calls.empty()) return;
  ProfileNumbers sum = profile.calls.front().numbers;
  for (std::size_t i = 1; i < profile.calls.size(); ++i) {
    sum = sum_of(sum, profile.calls[i].numbers);
  }
  if (profile.total.instructions && profile.total.instructions != sum.instructions) {
    refuse_total();
  }
  require_spread(profile, &ProfileNumbers::cycles, sum, 0);
  // A clock makes whole nanoseconds of the cycles of each call and of those of the total.
  const std::uint64_t rounding = profile.clock ? profile.calls.size() : 0;
  require_spread(profile, &ProfileNumbers::nanoseconds, sum, rounding);
}

}  // namespace mlf::profile
