// The peak of an order from its definition, to compare searches with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/order/order.h"

namespace mlf::plan {

/// Returns the most bytes live in one tick of `calls`, computed independently of `best_order`.
/// Throws `Error` of kind `check_failed` for an invalid order.
std::uint64_t peak_of(const OrderProblem& problem, const std::vector<std::size_t>& calls);

}  // namespace mlf::plan
