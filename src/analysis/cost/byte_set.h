// Sets of bytes, and what becomes of them where an access is repeated at other indices.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mlf::analysis {

/// Bytes from `begin` up to `end`, which is not among them.
struct ByteSpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  friend bool operator==(const ByteSpan&, const ByteSpan&) = default;
};

/// Bytes as ascending spans of which no two touch.
class ByteSet {
 public:
  ByteSet() = default;
  /// An empty span is the empty set.
  explicit ByteSet(ByteSpan span);
  /// In any order; they may overlap.
  explicit ByteSet(std::vector<ByteSpan> spans);

  bool is_empty() const { return spans_.empty(); }
  std::span<const ByteSpan> spans() const { return spans_; }
  /// From the first byte to the last; begin and end are 0 in an empty set.
  ByteSpan hull() const;
  bool covers(const ByteSet& other) const;
  void add(const ByteSet& other);
  /// Moves all bytes. False where one would be too far away; the set means nothing then.
  bool shift(std::int64_t distance);

  /// The bytes of copies of this set, each moved by one of `distances`, which ascend and are all
  /// different. Nothing where the result has too many spans.
  std::optional<ByteSet> at_each(std::span<const std::int64_t> distances) const;
  /// The same with distances 0, `step`, 2 `step`, …, `count` of them, at least one.
  std::optional<ByteSet> repeated(std::int64_t step, std::uint64_t count) const;

 private:
  void merge();

  std::vector<ByteSpan> spans_;
};

}  // namespace mlf::analysis
