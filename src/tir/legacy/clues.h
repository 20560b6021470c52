// Which versions of TVM a text may come from, narrowed by what stands in it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "mlf/tir/document.h"

namespace mlf::tir::legacy {

/// The intersection of what was seen. A clue that contradicts the others is passed over: texts are
/// edited by hand, and a version estimate is no reason to refuse one.
class VersionClues {
 public:
  void at_least(std::uint8_t minor) {
    if (minor <= range_.last) range_.first = std::max(range_.first, minor);
  }
  void at_most(std::uint8_t minor) {
    if (minor >= range_.first) range_.last = std::min(range_.last, minor);
  }
  /// A Load or Store: gone in v0.12, and made by no pass of v0.9 and later.
  void accesses_variables() {
    at_most(11);
    may_be_flattened_ = false;
  }
  /// v0.9 and v0.10 flatten buffers and keep what they were like before; others have no
  /// preflattened_buffer_map at all.
  void keeps_no_flattened_buffers() {
    if (range_.first >= 9) at_least(11);
    may_be_flattened_ = false;
  }
  bool has_preflattened_maps() const {
    return may_be_flattened_ && range_.first <= 10 && range_.last >= 9;
  }
  /// The metadata section names the version.
  void exactly(const VersionRange& range) { range_ = range; }

  const VersionRange& range() const { return range_; }

 private:
  VersionRange range_;
  bool may_be_flattened_ = true;
};

}  // namespace mlf::tir::legacy
