#include "analysis/cost/byte_set.h"

#include <algorithm>
#include <utility>

namespace mlf::analysis {
namespace {

// The most spans of one set. TVM does not write tensors in more pieces.
constexpr std::size_t kMaxSpans = std::size_t{1} << 20;

// No byte of a tensor is this far from its start, and sums of two distances stay within 64 bits.
constexpr std::int64_t kFarthest = std::int64_t{1} << 60;

bool is_near(std::int64_t distance) {
  return distance > -kFarthest && distance < kFarthest;
}

}  // namespace

ByteSet::ByteSet(ByteSpan span) {
  if (span.begin < span.end) spans_.push_back(span);
}

ByteSet::ByteSet(std::vector<ByteSpan> spans) : spans_(std::move(spans)) {
  merge();
}

ByteSpan ByteSet::hull() const {
  return spans_.empty() ? ByteSpan{} : ByteSpan{spans_.front().begin, spans_.back().end};
}

void ByteSet::merge() {
  std::ranges::sort(spans_, {}, &ByteSpan::begin);
  std::vector<ByteSpan> merged;
  for (const ByteSpan& span : spans_) {
    if (!merged.empty() && span.begin <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, span.end);
    } else {
      merged.push_back(span);
    }
  }
  spans_ = std::move(merged);
}

bool ByteSet::covers(const ByteSet& other) const {
  return std::ranges::all_of(other.spans_, [&](const ByteSpan& span) {
    const auto next = std::ranges::upper_bound(spans_, span.begin, {}, &ByteSpan::begin);
    return next != spans_.begin() && std::prev(next)->end >= span.end;
  });
}

void ByteSet::add(const ByteSet& other) {
  if (other.spans_.empty() || covers(other)) return;
  spans_.insert(spans_.end(), other.spans_.begin(), other.spans_.end());
  merge();
}

bool ByteSet::shift(std::int64_t distance) {
  if (spans_.empty()) return true;
  const ByteSpan ends = hull();
  if (!is_near(ends.begin) || !is_near(ends.end) || !is_near(distance)) return false;
  for (ByteSpan& span : spans_) {
    span.begin += distance;
    span.end += distance;
  }
  return true;
}

std::optional<ByteSet> ByteSet::at_each(std::span<const std::int64_t> distances) const {
  if (spans_.empty() || distances.empty()) return ByteSet();
  if (distances.size() > kMaxSpans / spans_.size()) return std::nullopt;
  if (!is_near(distances.front()) || !is_near(distances.back())) return std::nullopt;
  const ByteSpan ends = hull();
  if (!is_near(ends.begin) || !is_near(ends.end)) return std::nullopt;
  ByteSet result;
  result.spans_.reserve(spans_.size() * distances.size());
  for (const std::int64_t distance : distances) {
    for (const ByteSpan& span : spans_) {
      result.spans_.push_back({span.begin + distance, span.end + distance});
    }
  }
  result.merge();
  return result;
}

/// If each copy touches the next one, all copies form one span.
std::optional<ByteSet> ByteSet::repeated(std::int64_t step, std::uint64_t count) const {
  if (spans_.empty() || step == 0 || count <= 1) return *this;
  std::int64_t reach = 0;
  const bool overflows = count > static_cast<std::uint64_t>(kFarthest) ||
                         __builtin_mul_overflow(step, static_cast<std::int64_t>(count - 1), &reach);
  const ByteSpan ends = hull();
  if (overflows || !is_near(reach) || !is_near(ends.begin) || !is_near(ends.end))
    return std::nullopt;
  const std::int64_t length = ends.end - ends.begin;
  if (spans_.size() == 1 && step <= length && -step <= length) {
    return ByteSet({ends.begin + std::min<std::int64_t>(reach, 0),
                    ends.end + std::max<std::int64_t>(reach, 0)});
  }
  if (count > kMaxSpans / spans_.size()) return std::nullopt;
  std::vector<std::int64_t> distances;
  for (std::uint64_t i = 0; i < count; ++i) {
    distances.push_back(step * static_cast<std::int64_t>(i));
  }
  if (step < 0) std::ranges::reverse(distances);
  return at_each(distances);
}

}  // namespace mlf::analysis
