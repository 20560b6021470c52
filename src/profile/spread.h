// The least, the median and the most of several runs.
#pragma once

#include <cstdint>
#include <vector>

#include "mlf/profile.h"

namespace mlf::profile {

/// There must be one at least. Of two in the middle, the median is the lower.
ProfileSpread spread_of(std::vector<std::uint64_t> runs);

}  // namespace mlf::profile
