#include "graph/formats/ranks.h"

#include <algorithm>
#include <utility>

namespace mlf::graph {
namespace {

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

/// In the order of main.
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

}  // namespace

Ranks ranks_of(const Topology& topology, const FoldedNetwork& folded) {
  Ranks ranks(topology, folded);
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

}  // namespace mlf::graph
