// The times of a profile for a trace.
#include <algorithm>
#include <string>
#include <vector>

#include "mlf/profile.h"
#include "profile/same_build.h"
#include "support/error.h"

namespace mlf {
namespace profile {
namespace {

/// Which number of a call is shown; that of all calls is of one kind.
struct Shown {
  std::uint64_t (*of)(const ProfileSpread& time);
  std::string words;
};

Shown shown_of(const std::vector<ProfileSpread>& times) {
  const auto has_median = [](const ProfileSpread& time) { return time.median.has_value(); };
  const auto has_max = [](const ProfileSpread& time) { return time.max.has_value(); };
  if (std::ranges::all_of(times, has_median)) {
    return {[](const ProfileSpread& time) { return *time.median; }, "medians"};
  }
  if (std::ranges::all_of(times, has_max)) {
    return {[](const ProfileSpread& time) { return *time.max; }, "upper bounds"};
  }
  return {[](const ProfileSpread& time) { return time.min; }, "lower bounds"};
}

graph::TraceTimes times_for(const Deployment& deployment, const Network& network,
                            const Profile& profile) {
  std::vector<std::string> kernels;
  for (const graph::Call& call : network.topology.calls) {
    kernels.push_back(network.topology.kernel_of(call).symbol);
  }
  require_same_build(profile, deployment, network.module, kernels);
  std::vector<ProfileSpread> spreads;
  for (const ProfiledCall& call : profile.calls) {
    if (!call.numbers.nanoseconds) {
      throw support::Error(ErrorKind::usage,
                           "the profile has no times: mlf profile --clock adds them");
    }
    spreads.push_back(*call.numbers.nanoseconds);
  }
  const Shown shown = shown_of(spreads);
  graph::TraceTimes times{.shown = shown.words, .origin = origin_of(profile)};
  for (const ProfileSpread& time : spreads) {
    times.calls.push_back({.shown = shown.of(time), .min = time.min, .max = time.max});
  }
  return times;
}

}  // namespace
}  // namespace profile

Result<graph::TraceTimes> trace_times(const Deployment& deployment, const Network& network,
                                      const Profile& profile) {
  return support::to_result([&] { return profile::times_for(deployment, network, profile); });
}

}  // namespace mlf
