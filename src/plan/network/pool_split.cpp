// Assigns buffers to memories. Buffers that gain most from the fast memory come first, measured by
// the bytes loaded and stored in one run of the network.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/cost/regions.h"
#include "mlf/analysis/cost.h"
#include "plan/allocator/deadline.h"
#include "plan/allocator/instance.h"
#include "plan/network/network_ticks.h"
#include "support/error.h"
#include "support/numbers.h"

namespace mlf::plan {
namespace {

using analysis::BufferCost;
using analysis::Count;
using analysis::KernelCost;

// --- What is accessed ----------------------------------------------------------------------------

class AccessCounter {
 public:
  AccessCounter(const graph::Topology& topology, std::span<const graph::TirInput> sources)
      : values_(topology.values.size()), calls_(topology.kernels.size()) {
    for (const graph::KernelCode* const code : code_of_kernels(topology, sources)) {
      costs_.emplace_back();
      if (code != nullptr) costs_.back() = analysis::kernel_cost(*code);
    }
    for (const graph::Call& call : topology.calls) add_call(call);
    for (const graph::Copy& copy : topology.copies) add_copy(copy);
    storages_.resize(topology.storages.size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
      storages_[index(topology.values[i].storage)] += values_[i];
    }
  }

  Count accessed(const PlannedBuffer& buffer) const {
    // Does not count accesses to memory that belongs neither to main nor to a kernel.
    if (buffer.storage) return accessed(*buffer.storage);
    if (!buffer.kernel) return Count::unknown();
    return of_kernel(*buffer.kernel, buffer.variable) * Count(calls_[index(*buffer.kernel)]);
  }

  /// Of one call.
  Count accessed(const Allocation& one) const {
    return one.kernel ? of_kernel(*one.kernel, one.variable) : accessed(*one.value);
  }
  Count accessed(graph::ValueId value) const { return values_[index(value)]; }

  /// Of all calls of a kernel.
  Count accessed(graph::KernelId kernel, const std::string& constant) const {
    return of_kernel(kernel, constant) * Count(calls_[index(kernel)]);
  }

 private:
  static Count total(const BufferCost& buffer) { return buffer.bytes_loaded + buffer.bytes_stored; }

  Count accessed(graph::StorageId storage) const { return storages_[index(storage)]; }

  /// Adds the accesses of one execution of a call to the values of its arguments.
  void add_call(const graph::Call& call) {
    ++calls_[index(call.kernel)];
    const std::optional<KernelCost>& cost = costs_[index(call.kernel)];
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const graph::Argument& argument = call.arguments[i];
      const auto add = [&](const std::optional<graph::ValueId>& value, const Count& bytes) {
        if (value) values_[index(*value)] += bytes;
      };
      if (!cost) {
        add(argument.reads, Count::unknown());
        add(argument.writes, Count::unknown());
        continue;
      }
      // A parameter without accesses has no entry, or an entry of zeros. What is loaded and was not
      // there before is what the call stored.
      for (const BufferCost& buffer : cost->buffers) {
        if (buffer.parameter != i) continue;
        add(argument.reads ? argument.reads : argument.writes, buffer.bytes_loaded);
        add(argument.writes ? argument.writes : argument.reads, buffer.bytes_stored);
      }
    }
  }

  /// A copy of main reads every byte once and writes it once.
  void add_copy(const graph::Copy& copy) {
    const Count bytes = copy.bytes ? Count(*copy.bytes) : Count::unknown();
    values_[index(copy.writes)] += bytes;
    if (copy.reads) values_[index(*copy.reads)] += bytes;
  }

  /// Workspaces in pools are lets in the pool's parameter, identified by their names.
  Count of_kernel(graph::KernelId kernel, const std::string& variable) const {
    const std::optional<KernelCost>& cost = costs_[index(kernel)];
    if (!cost) return Count::unknown();
    Count sum;
    bool is_found = false;
    for (const BufferCost& buffer : cost->buffers) {
      if (buffer.parameter || buffer.name != variable) continue;
      // Two have one name, so neither count is known.
      sum = is_found ? Count::unknown() : total(buffer);
      is_found = true;
    }
    return is_found ? sum : Count::unknown();
  }

  std::vector<Count> values_;    // by value
  std::vector<Count> storages_;  // by storage: those of its values
  /// By kernel, for one execution; nullopt without TIR.
  std::vector<std::optional<KernelCost>> costs_;
  std::vector<std::uint64_t> calls_;  // by kernel: number of executions
};

// --- Splits --------------------------------------------------------------------------------------

// The steps of one attempt to fit another buffer beside the others. Heuristics usually succeed at
// once. A long search for each buffer would take as long as the whole plan, and the next buffer may
// fit just as well.
constexpr std::uint64_t kStepsOfTry = 20'000;
constexpr std::uint64_t kStepsOfAllTries = 2'000'000;

// TVM aligns constants to 16 bytes, as C it prints states.
constexpr std::uint64_t kConstantAlignment = 16;

// The most ticks at which the bound is computed; any choice of ticks gives a bound, also fewer of
// them when the time is over.
constexpr std::size_t kMostTicks = 2'000;

bool is_alive_at(const std::vector<Interval>& lifetime, std::int64_t tick) {
  return std::ranges::any_of(
      lifetime, [&](const Interval& piece) { return piece.lower <= tick && tick < piece.upper; });
}

/// Accesses that a byte of memory saves. Of an inexact number, only the minimum counts.
long double density(const AccessedBuffer& one) {
  return static_cast<long double>(one.accessed.min) /
         static_cast<long double>(std::max<std::uint64_t>(one.buffer.size, 1));
}

/// Positions of all buffers, the densest first; among equals the one with the most accesses.
std::vector<std::size_t> densest_first(std::span<const AccessedBuffer> buffers) {
  std::vector<std::size_t> order = support::positions(buffers.size());
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const long double of_a = density(buffers[a]);
    const long double of_b = density(buffers[b]);
    if (of_a != of_b) return of_a > of_b;
    return buffers[a].accessed.min > buffers[b].accessed.min;
  });
  return order;
}

/// The bytes of buffers that are live at the same time.
class LiveBytes {
 public:
  /// The most at any tick of a lifetime.
  std::uint64_t most_during(const std::vector<Interval>& lifetime) const {
    std::uint64_t most = 0;
    for (const Interval& piece : lifetime) {
      auto at = since_.upper_bound(piece.lower);
      if (at != since_.begin()) --at;
      for (; at != since_.end() && at->first < piece.upper; ++at) most = std::max(most, at->second);
    }
    return most;
  }

  void add(const std::vector<Interval>& lifetime, std::uint64_t bytes) {
    for (const Interval& piece : lifetime) {
      const auto end = boundary(piece.upper);
      for (auto at = boundary(piece.lower); at != end; ++at) at->second += bytes;
    }
  }

 private:
  std::map<std::int64_t, std::uint64_t>::iterator boundary(std::int64_t tick) {
    const auto next = since_.upper_bound(tick);
    const std::uint64_t before = next == since_.begin() ? 0 : std::prev(next)->second;
    return since_.emplace(tick, before).first;
  }

  std::map<std::int64_t, std::uint64_t> since_;  ///< by the first tick at which it is so
};

/// Buffers for one memory.
struct Taken {
  std::vector<std::size_t> buffers{};
  std::optional<Solution> solution{};  ///< where a search has found one within the limit
};

class Splitter {
 public:
  /// `order` has the positions of all buffers: those that come first choose first.
  Splitter(std::span<const AccessedBuffer> buffers, const SearchLimits& limits,
           std::vector<std::size_t> order)
      : buffers_(buffers), limits_(limits.from_now()), deadline_(limits_), left_(std::move(order)) {
    result_.places.resize(buffers.size());
    for (const AccessedBuffer& one : buffers) pieces_.push_back(live_intervals(one.buffer));
  }

  PoolSplit run(std::span<const MemoryLimit> memories) {
    for (const MemoryLimit& memory : memories) {
      const bool is_last = &memory == &memories.back();
      const bool is_last_of_tensors =
          std::all_of(&memory + 1, memories.data() + memories.size(),
                      [](const MemoryLimit& one) { return one.has_only_constants; });
      // Constants have another memory.
      if (is_last_of_tensors) {
        std::stable_partition(left_.begin(), left_.end(),
                              [&](std::size_t i) { return !buffers_[i].is_constant; });
      }
      Taken taken;
      if (!is_last) taken = take_what_fits(memory);
      // What fits nowhere else, whether it fits here or not.
      const auto rest = std::stable_partition(left_.begin(), left_.end(), [&](std::size_t i) {
        return buffers_[i].is_constant ? !is_last
                                       : memory.has_only_constants || !is_last_of_tensors;
      });
      if (rest != left_.end()) taken.solution.reset();
      taken.buffers.insert(taken.buffers.end(), rest, left_.end());
      left_.erase(rest, left_.end());
      place(memory, taken);
    }
    result_.most_in_first = most_within(memories.front());
    return std::move(result_);
  }

 private:
  Problem problem_of(const std::vector<std::size_t>& chosen) const {
    Problem problem;
    for (const std::size_t i : chosen) problem.buffers.push_back(buffers_[i].buffer);
    return problem;
  }

  /// Greedy, the densest first. A buffer that does not fit goes to the next memory; smaller ones
  /// after it may still fit here. Once the time is over, no buffer is tried.
  Taken take_what_fits(const MemoryLimit& memory) {
    Taken taken;
    LiveBytes live;
    std::vector<std::size_t> rest;
    for (const std::size_t i : left_) {
      taken.buffers.push_back(i);
      const bool may_be_here = buffers_[i].is_constant || !memory.has_only_constants;
      auto found = may_be_here ? try_within(memory.bytes, taken, live) : std::nullopt;
      if (found) {
        taken.solution = std::move(found);
        live.add(pieces_[i], buffers_[i].buffer.size);
      } else {
        taken.buffers.pop_back();
        rest.push_back(i);
      }
    }
    left_ = std::move(rest);
    return taken;
  }

  /// Finds a placement of the taken buffers, of which the last one is not in the solution and not
  /// in `live`. A search without a result counts as none: buffers that are taken certainly fit.
  std::optional<Solution> try_within(std::uint64_t limit, const Taken& taken,
                                     const LiveBytes& live) {
    if (deadline_.look()) return std::nullopt;
    const std::uint64_t last = buffers_[taken.buffers.back()].buffer.size;
    const std::vector<Interval>& lifetime = pieces_[taken.buffers.back()];
    // More bytes are live than there are: no search is needed.
    if (last > limit || live.most_during(lifetime) > limit - last) return std::nullopt;
    if (auto found = with_last(taken, limit)) return found;
    Problem problem = problem_of(taken.buffers);
    problem.capacity = limit;
    Solution found = support::get_or_throw(solve(problem, limits_of_try()));
    if (!found.fits) return std::nullopt;
    return found;
  }

  /// The solution with the last buffer at the lowest offset that is free, if that is within the
  /// limit. Most buffers need no search.
  std::optional<Solution> with_last(const Taken& taken, std::uint64_t limit) const {
    const Buffer& last = buffers_[taken.buffers.back()].buffer;
    if (last.alignment == 0 || last.fixed_offset) return std::nullopt;
    Solution found = taken.solution.value_or(Solution{});
    const std::vector<Interval>& pieces = pieces_[taken.buffers.back()];
    std::vector<std::pair<std::uint64_t, std::uint64_t>> used;  // from, to
    for (std::size_t i = 0; i < found.offsets.size(); ++i) {
      const Buffer& other = buffers_[taken.buffers[i]].buffer;
      if (!are_alive_together(pieces, pieces_[taken.buffers[i]])) continue;
      used.emplace_back(found.offsets[i], found.offsets[i] + other.size);
    }
    std::ranges::sort(used);
    std::uint64_t offset = 0;
    for (const auto& [from, to] : used) {
      if (offset <= from && last.size <= from - offset) break;
      if (to <= offset) continue;
      const std::uint64_t padding = (last.alignment - to % last.alignment) % last.alignment;
      if (padding > limit - to) return std::nullopt;
      offset = to + padding;
    }
    if (last.size > limit - offset) return std::nullopt;
    found.offsets.push_back(offset);
    found.size = std::max(found.size, offset + last.size);
    return found;
  }

  SearchLimits limits_of_try() const {
    SearchLimits limits = limits_;
    const std::uint64_t share = kStepsOfAllTries / std::max<std::size_t>(buffers_.size(), 1);
    limits.steps = std::min({limits.steps.value_or(kStepsOfTry), kStepsOfTry, share});
    return limits;
  }

  /// Minimizes the memory beyond what the attempts found.
  void place(const MemoryLimit& limit, const Taken& taken) {
    const std::vector<std::size_t>& chosen = taken.buffers;
    SplitMemory memory{.limit = limit, .size = 0, .buffers = chosen.size(), .accessed = {}};
    Problem problem = problem_of(chosen);
    Solution best = support::get_or_throw(solve(problem, limits_));
    problem.capacity = limit.bytes;
    if (best.size > limit.bytes) {
      best =
          taken.solution ? *taken.solution : support::get_or_throw(solve(problem, limits_of_try()));
    }
    memory.size = best.size;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      result_.places[chosen[i]] = {result_.memories.size(), best.offsets[i]};
      memory.accessed += buffers_[chosen[i]].accessed;
    }
    result_.fits = result_.fits && memory.size <= limit.bytes;
    result_.memories.push_back(std::move(memory));
  }

  /// An upper bound of the accesses that fit within `limit`. At each tick, at most `limit` live
  /// bytes are in the memory. The bound for a tick is a fractional knapsack: all buffers that are
  /// not live, and of the live ones the densest, the last one in part. The smallest of these bounds
  /// applies.
  std::uint64_t most_within(const MemoryLimit& memory) {
    std::vector<std::size_t> order = densest_first(buffers_);
    if (memory.has_only_constants) {
      std::erase_if(order, [&](std::size_t i) { return !buffers_[i].is_constant; });
    }
    Count all;
    std::set<std::int64_t> ticks;
    for (const std::size_t i : order) {
      const AccessedBuffer& one = buffers_[i];
      all += Count(one.accessed.min);
      if (ticks.size() < kMostTicks) ticks.insert(one.buffer.lower);
    }
    std::uint64_t most = all.min;
    for (const std::int64_t tick : ticks) {
      if (deadline_.ends_after(order.size())) break;
      std::uint64_t space = memory.bytes;
      std::uint64_t lost = 0;
      for (const std::size_t i : order) {
        const AccessedBuffer& one = buffers_[i];
        if (!is_alive_at(pieces_[i], tick)) continue;
        const std::uint64_t inside = std::min(space, one.buffer.size);
        space -= inside;
        if (inside == one.buffer.size) continue;
        // Rounded down: the bound may be larger than necessary, never smaller.
        const long double part = static_cast<long double>(one.buffer.size - inside) /
                                 static_cast<long double>(one.buffer.size);
        lost += static_cast<std::uint64_t>(part * static_cast<long double>(one.accessed.min));
      }
      most = std::min(most, all.min - std::min(all.min, lost));
    }
    return most;
  }

  std::span<const AccessedBuffer> buffers_;
  std::vector<std::vector<Interval>> pieces_;  // live intervals by buffer
  SearchLimits limits_;
  Deadline deadline_;
  std::vector<std::size_t> left_;  // in the order of choice
  PoolSplit result_;
};

}  // namespace

namespace {

/// Always live. False if the size of one is not known.
bool add_constants(const graph::Topology& topology, const AccessCounter& counter,
                   std::vector<AccessedBuffer>& result) {
  std::int64_t end = 1;
  for (const AccessedBuffer& one : result) end = std::max(end, one.buffer.upper);
  const auto add = [&](std::string name, const std::optional<std::uint64_t>& bytes,
                       Count accessed) {
    result.push_back({.buffer = {.id = std::move(name),
                                 .lower = -1,
                                 .upper = end,
                                 .size = bytes.value_or(0),
                                 .alignment = kConstantAlignment},
                      .accessed = accessed,
                      .is_constant = true});
    return bytes.has_value();
  };
  for (std::uint32_t i = 0; i < topology.values.size(); ++i) {
    const graph::Value& value = topology.values[i];
    // The graph executor allocates memory for its parameters.
    const bool is_allocated = topology[value.storage].memory == graph::MemoryKind::executor;
    if (value.kind != graph::ValueKind::constant || is_allocated) continue;
    if (!add(value.name, value.bytes, counter.accessed(graph::ValueId{i}))) return false;
  }
  for (std::size_t i = 0; i < topology.kernels.size(); ++i) {
    const graph::Kernel& kernel = topology.kernels[i];
    if (!kernel.is_understood()) return false;
    for (const graph::KernelBuffer& one : kernel.constants) {
      const graph::KernelId id{static_cast<std::uint32_t>(i)};
      const std::string name = kernel.symbol + "." + one.name;
      if (!add(name, one.bytes, counter.accessed(id, one.name))) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<std::vector<AccessedBuffer>> accessed_buffers(
    const graph::Topology& topology, std::span<const graph::TirInput> sources,
    const NetworkProblem& problem, bool constants) {
  const AccessCounter counter(topology, sources);
  std::vector<AccessedBuffer> result;
  for (const PoolProblem& pool : problem.pools) {
    for (std::size_t i = 0; i < pool.problem.buffers.size(); ++i) {
      AccessedBuffer one{.buffer = pool.problem.buffers[i],
                         .accessed = counter.accessed(pool.buffers[i])};
      // A split is a proposal for another build, so present offsets do not matter.
      one.buffer.fixed_offset.reset();
      result.push_back(std::move(one));
    }
  }
  if (problem.pools.empty()) {
    Allocations found = allocations_of(topology);
    if (!found.uncertain.empty() || !topology.gaps.empty()) return std::nullopt;
    for (Allocation& one : found.all) {
      const Count accessed = counter.accessed(one);
      result.push_back({.buffer = std::move(one.buffer), .accessed = accessed});
    }
  }
  if (constants && !add_constants(topology, counter, result)) return std::nullopt;
  return result;
}

PoolSplit split_pools(std::span<const AccessedBuffer> buffers,
                      std::span<const MemoryLimit> memories, const SearchLimits& limits) {
  if (std::ranges::all_of(memories, &MemoryLimit::has_only_constants)) {
    throw support::Error(ErrorKind::usage, "no memory is given that tensors may be in");
  }
  std::vector<std::size_t> order = densest_first(buffers);
  PoolSplit split = Splitter(buffers, limits, order).run(memories);
  if (split.fits) return split;
  // Constants that are denser than tensors may have taken bytes that only tensors need.
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t i) { return !buffers[i].is_constant; });
  PoolSplit tensors_first = Splitter(buffers, limits, std::move(order)).run(memories);
  return tensors_first.fits ? tensors_first : split;
}

}  // namespace mlf::plan
