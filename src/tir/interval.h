// The values that integer expressions can take, as far as they follow from constants.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir {

/// Both ends included.
struct Interval {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// The values of `a op b` for the arithmetic kinds; nothing if they are unbounded or too large.
std::optional<Interval> combine(Kind kind, const Interval& a, const Interval& b);

/// The same where an operand may be unknown: a minimum or maximum with a known number bounds one
/// side of any other number of its type.
std::optional<Interval> combine(Kind kind, std::optional<Interval> a, std::optional<Interval> b,
                                DType dtype);

/// All numbers of an integer type; nothing for others, and for 64-bit types, whose sums could
/// overflow.
std::optional<Interval> range_of_type(DType dtype);

/// The value of a literal; nothing for any other expression, and for a number that is too large.
std::optional<Interval> value_of_literal(Node expr);

/// The values of all expressions of a module. Filled by a walk: `enter` each node before those
/// below it, then `leave` each after them.
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

}  // namespace mlf::tir
