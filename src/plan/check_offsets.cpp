// The proof that offsets are a solution, from the definition alone.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "mlf/plan/problem.h"
#include "support/error.h"

namespace mlf::plan {
namespace {

// Shares no code with the planners, so that a mistake in them is not repeated here.

/// Checks the requirements of one buffer, independent of the others.
void check_place(const Buffer& buffer, std::uint64_t offset) {
  const auto fail = [&](const std::string& why) {
    throw support::Error(ErrorKind::check_failed,
                         fmt::format("buffer '{}' at {} {}", printable(buffer.id), offset, why));
  };
  if (buffer.alignment == 0 || offset % buffer.alignment != 0) {
    fail(fmt::format("is not aligned to {}", buffer.alignment));
  }
  if (buffer.fixed_offset && *buffer.fixed_offset != offset) {
    fail(fmt::format("is fixed at {}", *buffer.fixed_offset));
  }
  if (offset + buffer.size < offset) fail("ends beyond 2^64");
}

/// A buffer begins or ends to be live. Ends come first, as it is not live at the end of a lifetime.
struct Change {
  std::int64_t step = 0;
  bool begins = false;
  std::size_t buffer = 0;

  auto operator<=>(const Change&) const = default;
};

/// In the order of time. Empty buffers share nothing at any offset.
std::vector<Change> changes_of(const std::vector<Buffer>& buffers) {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].size == 0) continue;
    std::vector<Interval> gaps = buffers[i].gaps;
    // What is left of the lifetime is before, between and after these.
    gaps.push_back({buffers[i].upper, buffers[i].upper});
    std::ranges::sort(gaps, {}, &Interval::lower);
    std::int64_t from = buffers[i].lower;
    for (const Interval& gap : gaps) {
      const std::int64_t to = std::min(gap.lower, buffers[i].upper);
      if (from < to) {
        changes.push_back({from, true, i});
        changes.push_back({to, false, i});
      }
      from = std::max(from, gap.upper);
    }
  }
  std::ranges::sort(changes);
  return changes;
}

/// The buffers that are live at one step. No two of them share a byte.
class LiveBuffers {
 public:
  LiveBuffers(const std::vector<Buffer>& buffers, const std::vector<std::uint64_t>& offsets)
      : buffers_(buffers), offsets_(offsets) {}

  void take(const Change& change) {
    if (!change.begins) {
      live_.erase(offsets_[change.buffer]);
      return;
    }
    // Live buffers are disjoint, so an overlap includes a neighbour by offset.
    const auto above = live_.lower_bound(offsets_[change.buffer]);
    if (above != live_.begin()) check(change, std::prev(above)->second);
    if (above != live_.end()) check(change, above->second);
    live_.emplace(offsets_[change.buffer], change.buffer);
  }

 private:
  std::uint64_t end(std::size_t buffer) const { return offsets_[buffer] + buffers_[buffer].size; }

  void check(const Change& change, std::size_t other) const {
    const std::size_t added = change.buffer;
    if (end(added) <= offsets_[other] || end(other) <= offsets_[added]) return;
    const auto key = [this](std::size_t buffer) {
      return std::pair(buffers_[buffer].lower, buffer);
    };
    const auto [a, b] = std::minmax(added, other, [&](auto x, auto y) { return key(x) < key(y); });
    throw support::Error(ErrorKind::check_failed,
                         fmt::format("buffers '{}' [{}, {}) and '{}' [{}, {}) overlap at step {}",
                                     printable(buffers_[a].id), offsets_[a], end(a),
                                     printable(buffers_[b].id), offsets_[b], end(b), change.step));
  }

  const std::vector<Buffer>& buffers_;
  const std::vector<std::uint64_t>& offsets_;
  std::map<std::uint64_t, std::size_t> live_{};  // by offset
};

}  // namespace

Result<std::uint64_t> check_offsets(const Problem& problem,
                                    const std::vector<std::uint64_t>& offsets) {
  return support::to_result([&] {
    const auto& buffers = problem.buffers;
    if (offsets.size() != buffers.size()) {
      throw support::Error(ErrorKind::check_failed, fmt::format("{} offsets for {} buffers",
                                                                offsets.size(), buffers.size()));
    }
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      check_place(buffers[i], offsets[i]);
      size = std::max(size, offsets[i] + buffers[i].size);
    }
    LiveBuffers live(buffers, offsets);
    for (const Change& change : changes_of(buffers)) live.take(change);
    return size;
  });
}

}  // namespace mlf::plan
