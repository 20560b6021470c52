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

/// Bytes that a call needs for itself in some of its ticks, both included.
struct OrderScratch {
  std::uint64_t bytes = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

struct OrderCall {
  std::vector<OrderUse> uses{};  ///< a buffer may be named more than once
  std::vector<OrderScratch> scratch{};
  /// Calls that come earlier in the given order and have to, whatever the buffers say.
  std::vector<std::size_t> after{};
  /// What it does beside its buffers is not known: no call passes it.
  bool keeps_place = false;
};

/// Alive from the first touch of the first call that uses it to the last touch of the last one.
struct OrderBuffer {
  std::uint64_t bytes = 0;
  bool from_start = false;  ///< alive before the first call already; so is one that is read first
  bool to_end = false;      ///< and after the last one
};

/// Calls in an order that is allowed. Two calls that use one buffer keep their order if one of them
/// writes it.
struct OrderProblem {
  std::vector<OrderBuffer> buffers{};
  std::vector<OrderCall> calls{};
};

/// The best of the given order, a greedy one and a beam search, then an exact search over sets of
/// calls that are done, as far as `limits` allow. The given order wins where none is better. More
/// than 4,096 calls keep their order, and nothing is known of its peak.
///
/// Errors: `invalid_input` for a buffer or call that does not exist, ticks that run backwards, a
/// call that has to be after itself or a later one, or sizes whose sum is not below 2^62.
Result<CallOrder> best_order(const OrderProblem& problem, const SearchLimits& limits = {});

/// The most bytes alive in one tick of `calls`. Looks at the problem alone, not at how `best_order`
/// works. Throws `Error` of kind `check_failed` for an order that is not allowed.
std::uint64_t peak_of(const OrderProblem& problem, const std::vector<std::size_t>& calls);

}  // namespace mlf::plan
