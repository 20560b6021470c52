// Running the loops around a statement, where they are few: what its indices come to is then known
// rather than guessed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "mlf/tir/module.h"

namespace mlf::graph {

/// A loop of constant bounds.
struct Loop {
  tir::Node var;
  std::int64_t min;
  std::int64_t extent;
};

/// Nothing where a bound is not constant.
std::optional<Loop> loop_of(tir::Node loop);

/// A variable and its value.
using Binding = std::pair<tir::Node, tir::Node>;

/// Computes integer expressions of variables that have values.
class Evaluator {
 public:
  void set(tir::Node var, std::int64_t value);
  void forget(tir::Node var);
  /// Nothing where the expression holds something else, overflows or is too large.
  std::optional<std::int64_t> operator()(tir::Node expr);
  /// Whether it has done so much that it will not do more.
  bool is_exhausted() const { return steps_left_ < 0; }

 private:
  std::optional<std::int64_t> evaluate(tir::Node expr, int height);

  std::unordered_map<std::uint32_t, std::int64_t> values_;
  std::int64_t steps_left_ = 100'000'000;  // over all iterations: expressions may be shared
};

/// Calls `visit` in every iteration in which all conditions hold, until it returns false. False
/// where the iterations are too many, or where a condition cannot be computed.
bool for_each_iteration(std::span<const Loop> loops, std::span<const Binding> lets,
                        std::span<const tir::Node> conditions,
                        const std::function<bool(Evaluator&)>& visit);

}  // namespace mlf::graph
