// How much memory is in use at each step.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "graph/reconstruct.h"
#include "mlf/graph/topology.h"

namespace mlf::graph {

struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< one past the last byte
};

/// A changing set of ranges, and the number of bytes that they cover together. Each change takes
/// time logarithmic in the number of different bounds.
class Coverage {
 public:
  /// Callers may add only these ranges.
  explicit Coverage(const std::vector<ByteRange>& ranges);

  void add(ByteRange range) { change(range, 1); }
  void remove(ByteRange range) { change(range, -1); }
  /// Bytes in at least one range.
  std::uint64_t bytes() const { return tree_[1].bytes; }

 private:
  // A node of a binary tree over the pieces between bounds; node n is above 2n and 2n + 1.
  struct Node {
    std::uint64_t length = 0;
    std::int64_t ranges = 0;  // ranges that cover this node, but not the whole node above
    std::uint64_t bytes = 0;
  };

  void change(ByteRange range, int by);
  std::size_t leaf_at(std::uint64_t bound) const;
  void update(std::size_t node);
  void update_above(std::size_t leaf);

  std::vector<std::uint64_t> bounds_;
  std::size_t leaves_ = 1;
  std::vector<Node> tree_;
};

/// Fills `memory` and `devices` of an otherwise complete topology.
void account_memory(Topology& topology);

/// The memory that functions take of which one runs at a time, as those of operator archives: heap
/// and stack of the largest, and the constants of all.
MemoryTotals memory_in_turn(std::span<const TirInput> sources);

/// Sets the size of the only workspace pool, if the code does not declare it and the module's
/// stated workspace equals the bytes of its tensors: TVM's planner leaves no bytes after the last
/// tensor. A larger stated number may include arrays on the stack.
void size_workspace_pool(Topology& topology, std::optional<std::uint64_t> stated);

/// Whether a storage is in RAM of the program, and no constant.
bool is_in_ram(const Topology& topology, const Storage& storage);

/// Whether more bytes may be in use than it counts.
bool may_be_more(const MemoryUse& use);

/// From the step that defines a value to the last one that accesses it, both included.
struct Lifetime {
  static constexpr std::int64_t kBeforeMain = -1;
  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
  std::int64_t from = kBeforeMain;
  std::int64_t to = kForever;
};

class Lifetimes {
 public:
  /// `topology` must outlive this.
  explicit Lifetimes(const Topology& topology);

  /// Inputs exist before main, constants always, and outputs to the end.
  Lifetime of(ValueId value) const;

 private:
  const Topology& topology_;
  std::vector<bool> returned_;  // by value
};

/// The workspace that the network certainly uses as TVM counts it: heap and stack may have their
/// peaks at different calls, pools may be larger than what is in them, and parameters that the
/// graph executor copies are no workspace.
std::uint64_t least_workspace(const Topology& topology);

}  // namespace mlf::graph
