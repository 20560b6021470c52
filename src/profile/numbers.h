// The calls of a profile, and sums and spreads of their numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "mlf/deployment.h"
#include "mlf/profile.h"

namespace mlf::profile {

/// The calls of a network without numbers of a run. Layers and costs are those of the report.
/// Throws `Error` if there is no report.
std::vector<ProfiledCall> described_calls(const Deployment& deployment, const Network& network);

/// The least, the median and the most of several runs. `runs` must not be empty. If two values are
/// in the middle, the median is the lower one.
ProfileSpread spread_of(std::vector<std::uint64_t> runs);

/// Returns the sum of each number; nothing if one of the two lacks it, or above 2^63 - 1. Adds the
/// parts of spreads one by one.
ProfileNumbers sum_of(const ProfileNumbers& a, const ProfileNumbers& b);

/// Throws `Error` (`invalid_input`) if the total is less than its calls take. Limits of `mlf check`
/// apply to the total.
void require_total_of_calls(const Profile& profile);

}  // namespace mlf::profile
