#include "plan/allocator/tvm_planners.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "support/numbers.h"

namespace mlf::plan {
namespace {

// For all buffers of a pool together: 10 million take 80 MB.
constexpr std::size_t kMaxConflicts = 10'000'000;

/// "pad_temp" for "pad_temp_let", the name that ConvertPoolAllocationsToOffsets makes, and for
/// "pad_temp_let_1", the name that a printer uses if the first one is taken.
std::string_view planned_name(std::string_view variable) {
  constexpr std::string_view kLet = "_let";
  const std::size_t at = variable.rfind(kLet);
  if (at == variable.npos) return variable;
  std::string_view rest = variable.substr(at + kLet.size());
  if (rest.starts_with('_')) rest.remove_prefix(1);
  const bool is_number =
      std::ranges::all_of(rest, [](char c) { return std::isdigit(static_cast<unsigned char>(c)); });
  return is_number ? variable.substr(0, at) : variable;
}

/// The beginning or end of a buffer's lifetime. In one tick, beginnings come first.
struct Event {
  std::int64_t tick = 0;
  bool is_end = false;
  std::size_t buffer = 0;
};

/// In TVM's order: a buffer conflicts with those that end in the tick in which it begins
/// (src/tir/usmp/analysis/extract_buffer_info.cc).
std::vector<Event> events_of(const PoolProblem& pool) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < pool.buffers.size(); ++i) {
    const PlannedBuffer& buffer = pool.buffers[i];
    if (buffer.bytes == 0) continue;
    if (buffer.storage) {
      // A tensor of main has one lifetime, even if it is written several times.
      events.push_back({buffer.live.front().lower, false, i});
      events.push_back({buffer.live.back().upper - 1, true, i});
      continue;
    }
    for (const Interval& live : buffer.live) {
      events.push_back({live.lower, false, i});
      events.push_back({live.upper - 1, true, i});
    }
  }
  std::ranges::stable_sort(events, {},
                           [](const Event& event) { return std::pair(event.tick, event.is_end); });
  return events;
}

/// GreedyBase::PostSortAllocation: each buffer goes above all of its placed conflicts, and never
/// into a hole between two of them.
PlannerResult place_in_order(const std::vector<TvmBuffer>& buffers,
                             const std::vector<std::size_t>& order, std::uint64_t alignment) {
  PlannerResult result;
  result.offsets.resize(buffers.size());
  std::vector<bool> is_placed(buffers.size());
  for (const std::size_t at : order) {
    std::uint64_t offset = 0;
    for (const std::size_t conflict : buffers[at].conflicts) {
      if (!is_placed[conflict]) continue;
      const std::uint64_t end = result.offsets[conflict] + buffers[conflict].bytes;
      offset = std::max(offset, support::round_up(end, alignment));
    }
    result.offsets[at] = offset;
    is_placed[at] = true;
    result.size = std::max(result.size, offset + buffers[at].bytes);
  }
  return result;
}

/// The positions of all buffers, largest key first.
template <class Key>
std::vector<std::size_t> descending(const std::vector<TvmBuffer>& buffers, Key key) {
  std::vector<std::size_t> order = support::positions(buffers.size());
  std::ranges::sort(
      order, [&](std::size_t a, std::size_t b) { return key(buffers[a]) > key(buffers[b]); });
  return order;
}

}  // namespace

// Names break ties between buffers of one size, so they must be the names that TVM's planner saw.
// There, a second buffer with a name gets a number.
std::optional<std::vector<TvmBuffer>> tvm_buffers(const PoolProblem& pool) {
  std::vector<TvmBuffer> buffers;
  std::map<std::string, int> counts;
  for (const PlannedBuffer& buffer : pool.buffers) {
    std::string name(planned_name(buffer.variable));
    const int count = ++counts[name];
    if (count > 1) name += std::to_string(count);
    buffers.push_back({.name_hint = std::move(name), .bytes = buffer.bytes});
  }
  std::set<std::size_t> open;
  std::size_t conflicts = 0;
  for (const Event& event : events_of(pool)) {
    if (event.is_end) {
      open.erase(event.buffer);
      continue;
    }
    for (const std::size_t other : open) {
      buffers[other].conflicts.push_back(event.buffer);
      if (other != event.buffer) buffers[event.buffer].conflicts.push_back(other);
    }
    conflicts += open.size();
    if (conflicts > kMaxConflicts) return std::nullopt;
    open.insert(event.buffer);
  }
  return buffers;
}

// TVM's memory pressure is the most bytes live at once; hill climbing stops when it reaches it. It
// includes constants in pools, although no planner of these pools places them.
std::optional<std::uint64_t> memory_pressure(const PoolProblem& pool,
                                             const std::vector<KernelConstant>& constants) {
  std::map<std::int64_t, std::int64_t> changes;  // by tick
  for (const Event& event : events_of(pool)) {
    const auto bytes = static_cast<std::int64_t>(pool.buffers[event.buffer].bytes);
    if (event.is_end) {
      changes[event.tick + 1] -= bytes;
    } else {
      changes[event.tick] += bytes;
    }
  }
  for (const KernelConstant& constant : constants) {
    if (!constant.bytes) return std::nullopt;
    for (const Interval& live : constant.live) {
      changes[live.lower] += static_cast<std::int64_t>(*constant.bytes);
      changes[live.upper] -= static_cast<std::int64_t>(*constant.bytes);
    }
  }
  std::int64_t alive = 0;
  std::int64_t most = 0;
  for (const auto& [tick, change] : changes) most = std::max(most, alive += change);
  return static_cast<std::uint64_t>(most);
}

std::vector<std::size_t> largest_first(const std::vector<TvmBuffer>& buffers) {
  return descending(buffers, [](const TvmBuffer& buffer) {
    return std::tuple(buffer.bytes, buffer.conflicts.size(), std::string_view(buffer.name_hint));
  });
}

PlannerResult greedy_by_size(const std::vector<TvmBuffer>& buffers, std::uint64_t alignment) {
  return place_in_order(buffers, largest_first(buffers), alignment);
}

PlannerResult greedy_by_conflicts(const std::vector<TvmBuffer>& buffers, std::uint64_t alignment) {
  return place_in_order(buffers,
                        descending(buffers,
                                   [](const TvmBuffer& buffer) {
                                     return std::tuple(buffer.conflicts.size(), buffer.bytes,
                                                       std::string_view(buffer.name_hint));
                                   }),
                        alignment);
}

}  // namespace mlf::plan
