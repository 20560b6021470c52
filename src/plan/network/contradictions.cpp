#include "plan/network/network_problem.h"

#include <algorithm>
#include <optional>

#include "graph/node_queries.h"
#include "plan/network/network_reader.h"

namespace mlf::plan {
namespace {

using graph::CheckCode;
using graph::quoted;
using graph::Topology;

// The most pairs of buffers to check in one pool.
constexpr std::size_t kMostComparedPairs = 10'000'000;
// A few are enough to show the error.
constexpr std::size_t kMaxChecks = 20;

/// A buffer with its proven size.
struct Certain {
  const PlannedBuffer* buffer;
  std::uint64_t end;
};

bool is_computed_with(const Topology& topology,
                      const std::vector<std::optional<KernelTicks>>& ticks,
                      graph::KernelId kernel) {
  const std::optional<KernelTicks>& known = ticks[index(kernel)];
  return topology.kernels[index(kernel)].has_tir() && known && known->is_followed &&
         std::ranges::none_of(known->unknown_callees,
                              [](const UnknownCallee& callee) { return callee.takes_memory; });
}

/// The buffers by offset, each with the end that it certainly reaches. Leaves out workspaces of
/// kernels that are not understood, because only the kernel's code shows when they are in use.
std::vector<Certain> certain_buffers(const Topology& topology,
                                     const std::vector<std::optional<KernelTicks>>& ticks,
                                     const PoolProblem& pool) {
  std::vector<Certain> list;
  for (const PlannedBuffer& buffer : pool.buffers) {
    if (!buffer.kernel) {
      list.push_back({&buffer, end_of(buffer)});
    } else if (is_computed_with(topology, ticks, *buffer.kernel)) {
      const graph::Kernel& kernel = topology.kernels[index(*buffer.kernel)];
      const std::uint64_t bytes = kernel.workspaces[buffer.workspace].at_least;
      list.push_back({&buffer, buffer.offset + std::min(bytes, buffer.bytes)});
    }
  }
  std::ranges::sort(list, {}, [](const Certain& one) { return one.buffer->offset; });
  return list;
}

/// Whether the last tick of one is the first of the other.
bool hands_over(const Interval& before, const Interval& after) {
  return before.upper == after.lower + 1 && before.lower < after.lower &&
         after.upper > before.upper;
}

/// Whether both are in use at the same time. In the tick that ends one lifetime and begins the
/// other, a loop may write each element over its input element.
bool are_in_use_together(const PlannedBuffer& a, const PlannedBuffer& b) {
  auto x = a.live.begin();
  auto y = b.live.begin();
  while (x != a.live.end() && y != b.live.end()) {
    const std::int64_t first = std::max(x->lower, y->lower);
    const std::int64_t end = std::min(x->upper, y->upper);
    const bool is_next = end == first + 1 && (hands_over(*x, *y) || hands_over(*y, *x));
    if (first < end && !is_next) return true;
    x->upper <= y->upper ? ++x : ++y;
  }
  return false;
}

}  // namespace

std::vector<graph::Check> overlapping_workspaces(const Topology& topology,
                                                 std::span<const graph::TirInput> sources) {
  std::vector<graph::Check> checks;
  if (topology.pools.empty()) return checks;
  const auto ticks = ticks_of_kernels(topology, sources);
  // Code that mentions arguments without using them makes lifetimes look longer than they are.
  const bool is_bound = std::ranges::any_of(
      ticks, [](const std::optional<KernelTicks>& kernel) { return kernel && kernel->is_packed; });
  if (is_bound) return checks;
  // Offsets and lifetimes tell; only where a size is unknown would the bytes matter that kernels
  // touch.
  for (const PoolProblem& pool : NetworkReader(topology, sources).placed(ticks)) {
    const std::vector<Certain> buffers = certain_buffers(topology, ticks, pool);
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      for (std::size_t k = i + 1; k < buffers.size(); ++k) {
        const PlannedBuffer& a = *buffers[i].buffer;
        const PlannedBuffer& b = *buffers[k].buffer;
        if (b.offset >= buffers[i].end || ++pairs > kMostComparedPairs) break;
        const bool is_of_main = !a.kernel && !b.kernel;
        if (is_of_main || b.offset == buffers[k].end || !are_in_use_together(a, b)) continue;
        if (checks.size() == kMaxChecks) return checks;
        const PlannedBuffer& workspace = b.kernel ? b : a;
        const PlannedBuffer& other = b.kernel ? a : b;
        checks.push_back({CheckCode::storage_overlap,
                          quoted(name_of(topology, workspace)) + " is put over " +
                              quoted(name_of(topology, other)) + ", which is in use then",
                          {},
                          {}});
      }
    }
  }
  return checks;
}

}  // namespace mlf::plan
