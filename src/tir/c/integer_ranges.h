// The values that integer expressions of a module can take, as far as they follow from constant
// loops.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/interval.h"

namespace mlf::tir::c {

/// Filled by a walk: `enter` each node before those below it, then `leave` each after them.
class IntegerRanges {
 public:
  explicit IntegerRanges(const Module& module) : ranges_(module.size()) {}

  void enter(Node node);
  void leave(Node node);
  /// Of an expression that was left; nothing if there is no telling.
  std::optional<Interval> of(Node expr) const;

 private:
  std::vector<std::optional<Interval>> ranges_;         // by node id
  std::unordered_map<std::uint32_t, Node> let_values_;  // by variable
};

}  // namespace mlf::tir::c
