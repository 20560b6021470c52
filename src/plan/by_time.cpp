#include "plan/by_time.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "plan/instance.h"

namespace mlf::plan {
namespace {

/// Free and used bytes above `base`.
class Heap {
 public:
  explicit Heap(std::uint64_t base) : top_(base) {}

  std::uint64_t allocate(const Buffer& buffer) {
    // With the most bytes that the alignment can cost.
    const auto hole = by_size_.lower_bound({buffer.size + buffer.alignment - 1, 0});
    if (hole == by_size_.end()) {
      const std::uint64_t offset = aligned(top_, buffer.alignment);
      release(top_, offset - top_);
      top_ = offset + buffer.size;
      return offset;
    }
    const auto [size, from] = *hole;
    remove(from);
    const std::uint64_t offset = aligned(from, buffer.alignment);
    release(from, offset - from);
    release(offset + buffer.size, from + size - offset - buffer.size);
    return offset;
  }

  void release(std::uint64_t offset, std::uint64_t size) {
    if (size == 0) return;
    const auto above = holes_.lower_bound(offset);
    if (above != holes_.end() && above->first == offset + size) {
      size += above->second;
      remove(above->first);
    }
    const auto next = holes_.lower_bound(offset);
    if (next != holes_.begin()) {
      const auto [from, bytes] = *std::prev(next);
      if (from + bytes == offset) {
        remove(from);
        offset = from;
        size += bytes;
      }
    }
    holes_.emplace(offset, size);
    by_size_.emplace(size, offset);
  }

 private:
  static std::uint64_t aligned(std::uint64_t offset, std::uint64_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
  }

  void remove(std::uint64_t from) {
    const auto hole = holes_.find(from);
    by_size_.erase({hole->second, from});
    holes_.erase(hole);
  }

  std::uint64_t top_;                                            // nothing is used above
  std::map<std::uint64_t, std::uint64_t> holes_{};               // sizes by offset
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_{};  // sizes and offsets
};

/// Allocates and frees at the events, in order. Returns the end of the highest buffer.
std::uint64_t allocate_all(const Problem& problem, std::uint64_t base,
                           std::vector<LifeEvent>& events, std::vector<std::uint64_t>& offsets) {
  std::ranges::sort(events);
  Heap heap(base);
  std::uint64_t height = base;
  for (const LifeEvent& event : events) {
    const Buffer& buffer = problem.buffers[event.index];
    std::uint64_t& offset = offsets[event.index];
    if (event.starts) {
      offset = heap.allocate(buffer);
      height = std::max(height, offset + buffer.size);
    } else {
      heap.release(offset, buffer.size);
    }
  }
  return height;
}

/// The most bytes that are live at one step.
std::uint64_t busiest_step(const Problem& problem) {
  std::vector<LifeEvent> events;
  for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
    add_events(problem.buffers[i], i, events);
  }
  std::ranges::sort(events);
  std::uint64_t live = 0;
  std::uint64_t most = 0;
  for (const LifeEvent& event : events) {
    const std::uint64_t size = problem.buffers[event.index].size;
    live = event.starts ? live + size : live - size;
    most = std::max(most, live);
  }
  return most;
}

}  // namespace

Solution in_order_of_time(const Problem& problem) {
  Solution solution;
  std::uint64_t base = 0;
  std::vector<LifeEvent> events;
  std::vector<LifeEvent> backwards;
  for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    solution.offsets.push_back(buffer.fixed_offset.value_or(0));
    if (buffer.fixed_offset) {
      base = std::max(base, *buffer.fixed_offset + buffer.size);
    } else if (buffer.size > 0) {
      // Gaps count as if there were none.
      events.push_back({buffer.lower, true, i});
      events.push_back({buffer.upper, false, i});
      // Negative without overflow, in the opposite order.
      backwards.push_back({~buffer.upper, true, i});
      backwards.push_back({~buffer.lower, false, i});
    }
  }
  solution.lower_bound = std::max(busiest_step(problem), base);
  std::vector<std::uint64_t> offsets = solution.offsets;
  const std::uint64_t height = allocate_all(problem, base, events, solution.offsets);
  if (allocate_all(problem, base, backwards, offsets) < height) solution.offsets = offsets;
  return solution;
}

}  // namespace mlf::plan
