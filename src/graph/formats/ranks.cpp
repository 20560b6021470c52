#include "graph/formats/ranks.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mlf::graph {
namespace {

// The ranks that fit on a screen or a page; longer networks wrap.
constexpr std::uint64_t kRanksOfOneColumn = 20;

// A box with its edge is about 75 points high. A column, with some boxes side by side, is about 300
// wide. Columns × width should be about ranks / columns × height.
constexpr double kHeightOfRank = 75;
constexpr double kWidthOfColumn = 300;

std::uint64_t column_count(std::uint64_t ranks) {
  if (ranks <= kRanksOfOneColumn) return 1;
  const double columns = std::sqrt(static_cast<double>(ranks) * kHeightOfRank / kWidthOfColumn);
  return std::max<std::uint64_t>(2, static_cast<std::uint64_t>(std::lround(columns)));
}

/// For every box, in the order of main: the number of earlier tensors that it or a later box reads.
/// Constants are drawn at their readers.
std::vector<std::uint32_t> tensors_across(const Topology& topology, const FoldedNetwork& folded,
                                          const std::vector<Box>& boxes) {
  ByBox<std::uint32_t> places(topology, folded, 0);
  for (std::uint32_t i = 0; i < boxes.size(); ++i) places[boxes[i]] = i;
  std::vector<std::int64_t> changes(boxes.size() + 1);
  for (const Value& value : topology.values) {
    if (value.kind == ValueKind::constant || value.consumers.empty()) continue;
    std::uint32_t last = 0;
    for (const Endpoint& end : value.consumers) last = std::max(last, places[box_of(folded, end)]);
    const std::uint32_t first = value.producer ? places[box_of(folded, *value.producer)] + 1 : 0;
    if (first > last) continue;
    ++changes[first];
    --changes[last + 1];
  }
  std::vector<std::uint32_t> across(boxes.size());
  std::int64_t now = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    now += changes[i];
    across[i] = static_cast<std::uint32_t>(now);
  }
  return across;
}

/// Calls `read` with every value that a box reads, including its own.
template <class Read>
void for_each_read(const Topology& topology, const FoldedNetwork& folded, const Box& box,
                   const Read& read) {
  if (box.kind == EndpointKind::copy) {
    if (const auto& value = topology.copies[box.at].reads) read(*value);
    return;
  }
  const CallBlock& block = folded.blocks[box.at];
  for (std::uint32_t i = index(block.first); i <= index(block.last()); ++i) {
    for (const Argument& argument : topology.calls[i].arguments) {
      if (argument.reads) read(*argument.reads);
    }
  }
}

}  // namespace

std::vector<Box> boxes_in_order(const Topology& topology, const FoldedNetwork& folded) {
  std::vector<std::pair<Position, Box>> boxes;
  for (std::uint32_t i = 0; i < folded.blocks.size(); ++i) {
    boxes.push_back({topology[folded.blocks[i].first].position, {EndpointKind::call, i}});
  }
  for (std::uint32_t i = 0; i < topology.copies.size(); ++i) {
    boxes.push_back({topology.copies[i].position, {EndpointKind::copy, i}});
  }
  std::sort(boxes.begin(), boxes.end());
  std::vector<Box> ordered;
  for (const auto& [position, box] : boxes) ordered.push_back(box);
  return ordered;
}

Ranks ranks_of(const Topology& topology, const FoldedNetwork& folded) {
  Ranks ranks(topology, folded, 1);
  // Earlier boxes make all values that a box reads, so one pass in the order of main is enough.
  for (const Box& box : boxes_in_order(topology, folded)) {
    std::uint64_t rank = 1;
    for_each_read(topology, folded, box, [&](ValueId id) {
      const Value& value = topology[id];
      if (!value.producer) return;
      const Box producer = box_of(folded, *value.producer);
      if (producer != box) rank = std::max(rank, ranks[producer] + 1);
    });
    ranks[box] = rank;
  }
  return ranks;
}

PictureColumns picture_columns(const Topology& topology, const FoldedNetwork& folded) {
  PictureColumns result{.count = 1, .columns = {topology, folded, 0}};
  const std::vector<Box> boxes = boxes_in_order(topology, folded);
  const Ranks ranks = ranks_of(topology, folded);
  std::uint64_t all = 0;
  for (const Box& box : boxes) all = std::max(all, ranks[box]);
  const std::uint64_t wanted = column_count(all);
  if (wanted == 1) return result;
  const std::vector<std::uint32_t> across = tensors_across(topology, folded, boxes);
  const std::uint64_t height = (all + wanted - 1) / wanted;
  std::uint64_t top = 1;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const std::uint64_t rank = ranks[boxes[i]];
    // A short rest of the network does not get its own column.
    const bool is_full = rank >= top + height && rank + height / 3 <= all;
    if (is_full && across[i] == 1) {
      ++result.count;
      top = rank;
    }
    result.columns[boxes[i]] = result.count - 1;
  }
  return result;
}

}  // namespace mlf::graph
