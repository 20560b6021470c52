// The highest value that an index takes in loops, under conditions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "mlf/tir/module.h"

namespace mlf::graph {

/// What is around a statement or expression, from the outside in.
struct Surrounding {
  enum class Kind : std::uint8_t {
    loop,       ///< `var` takes the values of `min`, `min` + 1, …: `extent` of them
    binding,    ///< `var` has the value `value`
    condition,  ///< `value` holds; where it is undefined, the condition is not known
    otherwise,  ///< `value` does not hold
  };
  Kind kind = Kind::loop;
  tir::Node var{};
  tir::Node value{};
  std::int64_t min = 0;
  std::int64_t extent = 0;
};

/// What a search may do: evaluations of nodes, over all searches that share it.
struct SearchBudget {
  std::int64_t steps = 20'000'000;
};

/// The highest value that `index` certainly takes, in an iteration in which all conditions hold.
struct HighestIndex {
  bool is_known = false;              ///< false: it may take any value
  std::optional<std::int64_t> value;  ///< nothing, though known: it is never evaluated
};

/// Finds it without running the loops: parts of the iteration space that cannot hold the highest
/// value are left out whole.
HighestIndex highest_index(tir::Node index, std::span<const Surrounding> around,
                           SearchBudget& budget);

}  // namespace mlf::graph
