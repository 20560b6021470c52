// Where a picture has the steps of main: below what they read, and beside it where it is long.
#pragma once

#include <cstdint>
#include <vector>

#include "mlf/graph/topology.h"

namespace mlf::graph {

/// A step of main that makes values: a call or a copy.
struct MakingStep {
  Position position = 0;
  Endpoint::Kind kind = Endpoint::Kind::call;
  std::uint32_t step = 0;
};

std::vector<MakingStep> steps_in_order(const Topology& topology);

/// A number of every call and copy.
template <class T>
class ByStep {
 public:
  ByStep(const Topology& topology, T value)
      : calls_(topology.calls.size(), value), copies_(topology.copies.size(), value) {}

  T& of(Endpoint::Kind kind, std::uint32_t step) {
    return (kind == Endpoint::Kind::call ? calls_ : copies_)[step];
  }
  const T& of(Endpoint::Kind kind, std::uint32_t step) const {
    return (kind == Endpoint::Kind::call ? calls_ : copies_)[step];
  }
  const T& of(const Endpoint& end) const { return of(end.kind, end.step); }

 private:
  std::vector<T> calls_;
  std::vector<T> copies_;
};

/// Ranks of calls and copies by the longest path that leads to them, from 1.
using Ranks = ByStep<std::uint64_t>;
Ranks ranks_of(const Topology& topology);

/// Parts of a long network that stand side by side, so that the picture is about as high as wide.
struct PictureColumns {
  std::uint32_t count = 1;
  ByStep<std::uint32_t> columns;
};

/// A new column begins only where a single tensor leads on, so that one edge goes back to the top.
PictureColumns picture_columns(const Topology& topology);

}  // namespace mlf::graph
