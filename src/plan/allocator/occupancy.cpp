#include "plan/allocator/occupancy.h"

#include <algorithm>
#include <utility>

namespace mlf::plan {
namespace {

/// Joins extents that overlap or touch.
void add_to(std::vector<Extent>& extents, Extent added) {
  const auto first = std::ranges::lower_bound(extents, added.first, {}, &Extent::second);
  if (first == extents.end() || first->first > added.second) {
    extents.insert(first, added);
    return;
  }
  auto last = first;
  for (; last != extents.end() && last->first <= added.second; ++last) {
    added.second = std::max(added.second, last->second);
  }
  *first = {std::min(first->first, added.first), added.second};
  extents.erase(first + 1, last);
}

}  // namespace

Occupancy::Occupancy(SectionIndex sections) {
  while (leaves_ < sections) leaves_ *= 2;
  nodes_.resize(2 * std::size_t{leaves_});
}

/// Calls `inside` for the largest nodes within a range, and `across` for the nodes above them.
template <class Inside, class Across>
void Occupancy::visit(std::span<const SectionRange> ranges, Inside inside, Across across) {
  for (const SectionRange& range : ranges) {
    // Of each level, from the leaves to the root: the nodes at the ends of the range, and the nodes
    // [begin, end) that are within it.
    std::size_t first = leaves_ + range.first;
    std::size_t last = leaves_ + range.last - 1;
    std::size_t begin = first;
    std::size_t end = last + 1;
    for (; first > 0; first /= 2, last /= 2, begin /= 2, end /= 2) {
      const bool is_above = begin == end;
      if (is_above || first < begin) across(nodes_[first]);
      if (first != last && (is_above || last >= end)) across(nodes_[last]);
      if (begin != end && begin % 2 == 1) inside(nodes_[begin++]);
      if (begin != end && end % 2 == 1) inside(nodes_[--end]);
    }
  }
}

void Occupancy::add(std::span<const SectionRange> ranges, const Extent& extent) {
  visit(
      ranges,
      [&](Node& node) {
        add_to(node.anywhere, extent);
        add_to(node.everywhere, extent);
      },
      [&](Node& node) { add_to(node.anywhere, extent); });
}

void Occupancy::look_at(std::span<const SectionRange> ranges) {
  rests_.clear();
  end_ = 0;
  const auto add = [this](const Extents& extents) {
    if (!extents.empty()) rests_.push_back({extents.data(), extents.data() + extents.size()});
  };
  visit(
      ranges, [&](const Node& node) { add(node.anywhere); },
      [&](const Node& node) { add(node.everywhere); });
}

Extent Occupancy::next_hole(const Item& item) {
  for (bool is_hole = false; !is_hole;) {
    is_hole = true;
    Units limit = kNoEnd;
    for (Rest& rest : rests_) {
      for (; rest.next != rest.end; ++rest.next) {
        const auto& [from, to] = *rest.next;
        if (to <= end_) continue;
        if (from >= item.aligned(end_) + item.size) break;
        end_ = to;
        is_hole = false;
      }
      if (rest.next != rest.end) limit = std::min(limit, rest.next->first);
    }
    if (is_hole) return {std::exchange(end_, limit), limit};
  }
  return {};
}

}  // namespace mlf::plan
