// The least, the median and the most of several runs.
#pragma once

#include <cstdint>
#include <vector>

#include "mlf/profile.h"

namespace mlf::profile {

/// `runs` must not be empty. If two values are in the middle, the median is the lower one.
ProfileSpread spread_of(std::vector<std::uint64_t> runs);

}  // namespace mlf::profile
