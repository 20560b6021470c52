// The order of calls with the least peak of live bytes.
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mlf/diagnostics.h"
#include "mlf/plan/network_plan.h"

namespace mlf::plan {

/// A call touches a buffer in its ticks first to last, both included; a call's ticks count from 0.
struct OrderUse {
  std::size_t buffer = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool writes = false;
};

/// Bytes that a call needs for itself in some of its ticks, first and last included.
struct OrderScratch {
  std::uint64_t bytes = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

struct OrderCall {
  std::vector<OrderUse> uses{};  ///< a buffer may be named more than once
  std::vector<OrderScratch> scratch{};
  /// Its effects beside its buffers are unknown: no call may move across it.
  bool keeps_place = false;
};

/// Live from the first access of the first call that uses it to the last access of the last one.
struct OrderBuffer {
  std::uint64_t bytes = 0;
  bool from_start = false;  ///< live before the first call; also if it is read first
  bool to_end = false;      ///< live after the last call
};

/// Calls in a valid order. Buffers exist, and ticks ascend. Two calls that use one buffer keep
/// their order if one of them writes it.
struct OrderProblem {
  std::vector<OrderBuffer> buffers{};
  std::vector<OrderCall> calls{};
};

/// Returns the best of the given order, a greedy one and a beam search, then of an exact search
/// over sets of finished calls, within `limits`. Prefers the given order among equals. More than
/// 4,096 calls keep their order, with an unknown peak.
///
/// Errors: `invalid_input` for sizes whose sum is not below 2^62.
Result<CallOrder> best_order(const OrderProblem& problem, const SearchLimits& limits = {});

}  // namespace mlf::plan
