// The proof that offsets are a solution, from the definition alone.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "mlf/plan/problem.h"
#include "support/error.h"

namespace mlf::plan {
namespace {

// Shares no code with the planners, so that a mistake in them is not repeated here.

bool in_gap(const Buffer& buffer, std::int64_t step) {
  return std::any_of(buffer.gaps.begin(), buffer.gaps.end(),
                     [&](const Interval& gap) { return gap.lower <= step && step < gap.upper; });
}

/// The first step at which both are live. It is the beginning of a lifetime or the end of a gap:
/// nothing becomes live at other steps.
std::optional<std::int64_t> common_step(const Buffer& a, const Buffer& b) {
  const std::int64_t from = std::max(a.lower, b.lower);
  const std::int64_t to = std::min(a.upper, b.upper);
  std::vector<std::int64_t> steps = {from};
  for (const Buffer* buffer : {&a, &b}) {
    for (const Interval& gap : buffer->gaps) steps.push_back(gap.upper);
  }
  std::sort(steps.begin(), steps.end());
  for (const std::int64_t step : steps) {
    if (from <= step && step < to && !in_gap(a, step) && !in_gap(b, step)) return step;
  }
  return std::nullopt;
}

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

/// Checks that two buffers share no byte at a step at which both are live. Empty buffers share
/// nothing at any offset.
void check_pair(const Buffer& a, std::uint64_t at_a, const Buffer& b, std::uint64_t at_b) {
  const bool apart = at_a + a.size <= at_b || at_b + b.size <= at_a;
  if (apart || a.size == 0 || b.size == 0) return;
  const auto step = common_step(a, b);
  if (!step) return;
  throw support::Error(
      ErrorKind::check_failed,
      fmt::format("buffers '{}' [{}, {}) and '{}' [{}, {}) overlap at step {}", printable(a.id),
                  at_a, at_a + a.size, printable(b.id), at_b, at_b + b.size, *step));
}

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
    // In the order of their beginnings, only pairs that overlap in time are checked: far fewer than
    // all pairs in a deep network.
    std::vector<std::size_t> by_start(buffers.size());
    std::iota(by_start.begin(), by_start.end(), std::size_t{0});
    std::stable_sort(by_start.begin(), by_start.end(), [&](std::size_t a, std::size_t b) {
      return buffers[a].lower < buffers[b].lower;
    });
    for (std::size_t i = 0; i < by_start.size(); ++i) {
      const std::size_t a = by_start[i];
      for (std::size_t j = i + 1; j < by_start.size(); ++j) {
        const std::size_t b = by_start[j];
        if (buffers[b].lower >= buffers[a].upper) break;
        check_pair(buffers[a], offsets[a], buffers[b], offsets[b]);
      }
    }
    return size;
  });
}

}  // namespace mlf::plan
