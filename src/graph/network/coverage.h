// Which bytes of a region are in use.
#pragma once

#include <cstdint>
#include <vector>

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
  /// End of the last byte in a range; 0 if there is none.
  std::uint64_t end() const { return tree_[1].end; }

 private:
  // A node of a binary tree over the pieces between bounds; node n is above 2n and 2n + 1.
  struct Node {
    ByteRange span;
    std::int64_t ranges = 0;  // ranges that cover this node, but not the whole node above
    std::uint64_t bytes = 0;
    std::uint64_t end = 0;
  };

  void change(ByteRange range, int by);
  std::size_t leaf_at(std::uint64_t bound) const;
  void update(std::size_t node);
  void update_above(std::size_t leaf);

  std::vector<std::uint64_t> bounds_;
  std::size_t leaves_ = 1;  // a power of two
  std::vector<Node> tree_;
};

}  // namespace mlf::graph
