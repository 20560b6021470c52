// The bytes that placed items use, without a list of pairs of items.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "plan/allocator/instance.h"

namespace mlf::plan {

/// The bytes [from, to).
using Extent = std::pair<Units, Units>;

/// A tree over sections. A range of sections is a few nodes of it, so it takes about the logarithm
/// of the number of sections to add an item, and to look at the bytes that are used in its
/// sections.
class Occupancy {
 public:
  explicit Occupancy(SectionIndex sections);

  void add(std::span<const SectionRange> ranges, const Extent& extent);
  /// Begins to look at what is used in these sections. Ends with the next call of `add`.
  void look_at(std::span<const SectionRange> ranges);
  /// The lowest hole above the last one in which the item fits. That above everything ends at
  /// `kNoEnd`, and is the last one.
  Extent next_hole(const Item& item);

  static constexpr Units kNoEnd = std::numeric_limits<Units>::max();

 private:
  /// Disjoint and in order.
  using Extents = std::vector<Extent>;
  struct Node {
    Extents anywhere{};    ///< used in at least one section of the node
    Extents everywhere{};  ///< of items that are live in all sections of the node, but not of the
                           ///< node above
  };
  /// The extents that are not below the present place.
  struct Rest {
    const Extent* next;
    const Extent* end;
  };

  template <class Inside, class Across>
  void visit(std::span<const SectionRange> ranges, Inside inside, Across across);

  SectionIndex leaves_ = 1;
  std::vector<Node> nodes_{};
  std::vector<Rest> rests_{};
  Units end_ = 0;  ///< what is below was looked at
};

}  // namespace mlf::plan
