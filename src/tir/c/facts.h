// What is known of the expressions of the function at hand, beyond what their nodes say.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir::c {

/// Both ends included.
struct Interval {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

struct Fact {
  std::optional<Interval> range;  ///< values that an integer can take, where they follow from loops
  bool loads = false;             ///< whether a buffer is read below
};

/// Facts by node id.
class Facts {
 public:
  Fact of(NodeId id) const { return index(id) < facts_.size() ? facts_[index(id)] : Fact(); }
  void set(NodeId id, const Fact& fact) {
    if (index(id) >= facts_.size()) facts_.resize(std::max<std::size_t>(index(id) + 1, 64));
    facts_[index(id)] = fact;
  }

 private:
  std::vector<Fact> facts_;
};

/// The values of `a op b` for the arithmetic kinds; nothing where they are unbounded or too large.
std::optional<Interval> combine(Kind kind, const Interval& a, const Interval& b);

}  // namespace mlf::tir::c
