// Arithmetic on the values that integer expressions can take.
#pragma once

#include <cstdint>
#include <optional>

#include "mlf/tir/module.h"

namespace mlf::tir {

/// Both ends included.
struct Interval {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// The values of `a op b` for the arithmetic kinds; nothing if they are unbounded or too large.
std::optional<Interval> combine(Kind kind, const Interval& a, const Interval& b);

}  // namespace mlf::tir
