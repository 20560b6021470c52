// The highest value that an index takes in loops, under conditions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "mlf/tir/module.h"

namespace mlf::graph {

enum class SurroundingKind : std::uint8_t {
  loop,       ///< `var` takes the values of `min`, `min` + 1, …: `extent` of them
  binding,    ///< `var` has the value `value`
  condition,  ///< `value` holds; where it is undefined, the condition is not known
  otherwise,  ///< `value` does not hold
};

/// A loop, condition or binding around a statement or expression, from the outside in.
struct Surrounding {
  SurroundingKind kind = SurroundingKind::loop;
  tir::Node var{};
  tir::Node value{};
  std::int64_t min = 0;
  std::int64_t extent = 0;
};

/// The node evaluations that remain for all searches that share this budget.
struct SearchBudget {
  std::int64_t steps = 20'000'000;
};

/// The highest value that `index` certainly has in an iteration in which all conditions are true.
struct HighestIndex {
  bool is_known = false;              ///< false: it may take any value
  std::optional<std::int64_t> value;  ///< nothing, though known: it is never evaluated
};

/// Finds it without running the loops: skips whole parts of the iteration space that cannot contain
/// the highest value.
HighestIndex highest_index(tir::Node index, std::span<const Surrounding> around,
                           SearchBudget& budget);

}  // namespace mlf::graph
