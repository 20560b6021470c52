// What an order of calls needs, by going through it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/order.h"

namespace mlf::plan {

/// The most bytes alive in one tick of `calls`. Looks at the problem alone, not at how `best_order`
/// works. Throws `Error` of kind `check_failed` for an order that is not allowed.
std::uint64_t peak_of(const OrderProblem& problem, const std::vector<std::size_t>& calls);

}  // namespace mlf::plan
