// Which versions of TVM a text may come from, narrowed by what stands in it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "mlf/tir/document.h"

namespace mlf::tir::text {

/// The intersection of what was seen. A clue that contradicts the others is passed over: texts are
/// edited by hand, and a version estimate is no reason to refuse one.
class VersionClues {
 public:
  explicit VersionClues(VersionRange range) : range_(std::move(range)) {}

  void at_least(std::uint8_t minor) {
    if (minor <= range_.last) range_.first = std::max(range_.first, minor);
  }
  void at_most(std::uint8_t minor) {
    if (minor >= range_.first) range_.last = std::min(range_.last, minor);
  }
  /// A metadata section names the version.
  void exactly(const VersionRange& range) { range_ = range; }

  const VersionRange& range() const { return range_; }

 private:
  VersionRange range_;
};

}  // namespace mlf::tir::text
