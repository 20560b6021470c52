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

/// The order in which two of TVM's planners begin: by size, conflicts, name.
std::vector<std::size_t> largest_first(const std::vector<TvmBuffer>& buffers) {
  return descending(buffers, [](const TvmBuffer& buffer) {
    return std::tuple(buffer.bytes, buffer.conflicts.size(), std::string_view(buffer.name_hint));
  });
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

// --- Hill climbing -------------------------------------------------------------------------------

// TVM's planner "hill_climb" (src/tir/usmp/algo/hill_climb.cc of v0.10 and later, which orders its
// candidates by position; v0.9 orders them by address, so its result differs between runs). Keeps
// all of TVM's rules, even odd ones: after an attempt without a swap, it undoes the last rejected
// swap again, and the result is the last accepted plan, not the smallest.
namespace {

constexpr std::size_t kAttempts = 500;

// The most conflicts to visit in all attempts; beyond that, the result is not worth the time.
constexpr std::size_t kMostWork = 100'000'000;

class HillClimb {
 public:
  HillClimb(const std::vector<TvmBuffer>& buffers, std::uint64_t alignment)
      : buffers_(buffers),
        alignment_(alignment),
        order_(largest_first(buffers)),
        position_(buffers.size()) {
    for (std::size_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
  }

  PlannerResult run(std::uint64_t pressure) {
    PlannerResult accepted;
    PlannerResult now;
    for (std::size_t attempt = 0; attempt < kAttempts; ++attempt) {
      PlannerResult before = std::exchange(now, place());
      if (accepted.size == 0 || now.size < accepted.size ||
          chance() < 50 * (now.size - accepted.size) / now.size / attempt) {
        accepted = now;
        if (accepted.size <= pressure) break;
      } else {
        swap_positions();
        now = std::move(before);
      }
      choose_swap(now);
    }
    return accepted;
  }

 private:
  std::size_t random() { return static_cast<std::size_t>(::rand_r(&seed_)); }
  std::size_t chance() { return random() % 100; }

  std::uint64_t end_of(const PlannerResult& plan, std::size_t buffer) const {
    return plan.offsets[buffer] + buffers_[buffer].bytes;
  }

  /// Places each buffer, in the present order, into the lowest gap between its conflicts that one
  /// upward pass over them finds.
  PlannerResult place() const {
    PlannerResult plan;
    plan.offsets.resize(buffers_.size());
    std::vector<bool> is_placed(buffers_.size());
    for (const std::size_t at : order_) {
      std::vector<std::size_t> conflicts;
      for (const std::size_t other : buffers_[at].conflicts) {
        if (is_placed[other]) conflicts.push_back(other);
      }
      std::ranges::sort(conflicts, {}, [&](std::size_t other) { return plan.offsets[other]; });
      std::uint64_t offset = 0;
      for (const std::size_t other : conflicts) {
        const std::uint64_t next = support::round_up(end_of(plan, other), alignment_);
        if (next > offset && offset + buffers_[at].bytes > plan.offsets[other]) offset = next;
      }
      plan.offsets[at] = offset;
      is_placed[at] = true;
      plan.size = std::max(plan.size, end_of(plan, at));
    }
    return plan;
  }

  /// Chooses two buffers to swap: among the conflicts before a buffer that ends last, and the
  /// buffers before any of its conflicts.
  void choose_swap(const PlannerResult& plan) {
    std::vector<std::size_t> last;  // by position, ascending
    for (const std::size_t at : order_) {
      if (end_of(plan, at) == plan.size) last.push_back(at);
    }
    const std::size_t buffer = last[random() % last.size()];
    std::set<std::size_t> first_positions;
    std::set<std::size_t> second_positions;
    for (const std::size_t other : buffers_[buffer].conflicts) {
      if (position_[other] < position_[buffer]) first_positions.insert(position_[other]);
      for (const std::size_t next : buffers_[other].conflicts) {
        if (position_[next] < position_[other]) second_positions.insert(position_[next]);
      }
    }
    if (first_positions.empty()) return;
    const std::vector<std::size_t> first(first_positions.begin(), first_positions.end());
    const std::vector<std::size_t> second(second_positions.begin(), second_positions.end());
    const std::size_t one = first[random() % first.size()];
    std::size_t other = one;
    while (other == one) {
      const bool takes_second = !second.empty() && chance() > 25;
      const std::vector<std::size_t>& from = takes_second ? second : first;
      other = from[random() % from.size()];
      if (first.size() < 2 && second.size() < 2) break;
    }
    if (other == one) return;
    swap_ = {one, other};
    swap_positions();
  }

  /// Its own inverse: a second swap undoes a rejected attempt.
  void swap_positions() {
    std::swap(order_[swap_.first], order_[swap_.second]);
    position_[order_[swap_.first]] = swap_.first;
    position_[order_[swap_.second]] = swap_.second;
  }

  const std::vector<TvmBuffer>& buffers_;
  std::uint64_t alignment_;
  std::vector<std::size_t> order_;              // buffers by position
  std::vector<std::size_t> position_;           // by buffer
  std::pair<std::size_t, std::size_t> swap_{};  // the last one
  unsigned int seed_ = 0;                       // TVM's, of rand_r
};

}  // namespace

std::optional<PlannerResult> hill_climb(const std::vector<TvmBuffer>& buffers,
                                        std::uint64_t alignment, std::uint64_t pressure) {
  std::size_t conflicts = 0;
  for (const TvmBuffer& buffer : buffers) {
    for (const std::size_t other : buffer.conflicts) conflicts += buffers[other].conflicts.size();
    if (conflicts > kMostWork / kAttempts) return std::nullopt;
  }
  if (buffers.empty()) return PlannerResult{};
  return HillClimb(buffers, alignment).run(pressure);
}

}  // namespace mlf::plan
