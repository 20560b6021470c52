// What is known of the expressions of the function at hand, beyond what their nodes say.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/interval.h"

namespace mlf::tir::c {

struct Fact {
  std::optional<Interval> range;  ///< values that an integer can take, where they follow from loops
  bool loads = false;             ///< whether a buffer is read below
};

/// Facts by node id, of nodes that were made after this was.
class Facts {
 public:
  explicit Facts(std::uint32_t first) : first_(first) {}

  Fact of(NodeId id) const {
    const std::size_t at = index(id) - std::size_t{first_};
    return index(id) >= first_ && at < facts_.size() ? facts_[at] : Fact();
  }
  void set(NodeId id, const Fact& fact) {
    if (index(id) < first_) return;
    const std::size_t at = index(id) - first_;
    if (at >= facts_.size()) facts_.resize(at + 1);
    facts_[at] = fact;
  }

 private:
  std::uint32_t first_;
  std::vector<Fact> facts_;
};

}  // namespace mlf::tir::c
