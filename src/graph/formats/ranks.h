// Places the boxes of a network in a picture: below their inputs, and in several columns if the
// network is long.
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

/// In the order of main.
std::vector<Box> boxes_in_order(const Topology& topology, const FoldedNetwork& folded);

/// A value for every box.
template <class T>
class ByBox {
 public:
  ByBox(const Topology& topology, const FoldedNetwork& folded, T value)
      : blocks_(folded.blocks.size(), value), copies_(topology.copies.size(), value) {}

  T& operator[](const Box& box) { return of_kind(box.kind)[box.at]; }
  const T& operator[](const Box& box) const {
    return (box.kind == EndpointKind::call ? blocks_ : copies_)[box.at];
  }

 private:
  std::vector<T>& of_kind(EndpointKind kind) {
    return kind == EndpointKind::call ? blocks_ : copies_;
  }

  std::vector<T> blocks_;
  std::vector<T> copies_;
};

/// Ranks of boxes by the longest path to them, from 1.
using Ranks = ByBox<std::uint64_t>;
Ranks ranks_of(const Topology& topology, const FoldedNetwork& folded);

/// Side-by-side parts of a long network, which make the picture about as high as wide.
struct PictureColumns {
  std::uint32_t count = 1;
  ByBox<std::uint32_t> columns;
};

/// A new column begins only at a point that a single tensor crosses, so one edge returns to the
/// top.
PictureColumns picture_columns(const Topology& topology, const FoldedNetwork& folded);

}  // namespace mlf::graph
