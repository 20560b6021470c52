// Sets of bytes, and their unions over repetitions at other indices.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mlf::analysis {

/// The bytes [begin, end).
struct ByteSpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  friend bool operator==(const ByteSpan&, const ByteSpan&) = default;
};

/// Bytes as ascending spans that neither overlap nor touch.
class ByteSet {
 public:
  ByteSet() = default;
  /// An empty span is the empty set.
  explicit ByteSet(ByteSpan span);
  /// In any order; they may overlap.
  explicit ByteSet(std::vector<ByteSpan> spans);

  bool is_empty() const { return spans_.empty(); }
  std::span<const ByteSpan> spans() const { return spans_; }
  /// Returns the span from the first byte to the last; [0, 0) for an empty set.
  ByteSpan hull() const;
  bool covers(const ByteSet& other) const;
  void add(const ByteSet& other);
  /// Moves all bytes. Returns false on overflow; the set is then not valid.
  bool shift(std::int64_t distance);

  /// Returns the union of copies of this set, each moved by one of `distances`, which ascend and
  /// are unique. Returns nullopt if the result has too many spans.
  std::optional<ByteSet> at_each(std::span<const std::int64_t> distances) const;
  /// The same with distances 0, `step`, 2 `step`, …, `count` of them, at least one.
  std::optional<ByteSet> repeated(std::int64_t step, std::uint64_t count) const;

 private:
  void merge();

  std::vector<ByteSpan> spans_;
};

}  // namespace mlf::analysis
