// Places the boxes of a network in a picture: below their inputs.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/formats/picture.h"
#include "mlf/graph/topology.h"

namespace mlf::graph {

/// A box that makes values: a block of calls or a copy.
struct Box {
  EndpointKind kind = EndpointKind::call;
  std::uint32_t at = 0;  ///< position among the blocks or the copies
  friend auto operator<=>(const Box&, const Box&) = default;
};

/// The box that contains a step.
inline Box box_of(const FoldedNetwork& folded, const Endpoint& end) {
  return {end.kind, end.kind == EndpointKind::call ? folded.block_of[end.step] : end.step};
}

/// Whether the box contains several calls.
inline bool is_block(const FoldedNetwork& folded, const Box& box) {
  return box.kind == EndpointKind::call && folded.blocks[box.at].size() > 1;
}

/// Ranks of boxes by the longest path to them, from 1.
class Ranks {
 public:
  Ranks(const Topology& topology, const FoldedNetwork& folded)
      : blocks_(folded.blocks.size(), 1), copies_(topology.copies.size(), 1) {}

  std::uint64_t& operator[](const Box& box) {
    return (box.kind == EndpointKind::call ? blocks_ : copies_)[box.at];
  }

 private:
  std::vector<std::uint64_t> blocks_;
  std::vector<std::uint64_t> copies_;
};
Ranks ranks_of(const Topology& topology, const FoldedNetwork& folded);

}  // namespace mlf::graph
