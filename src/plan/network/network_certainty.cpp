// Pools that mlf does not move, and the reasons: unknown code, devices, and plans that contradict
// the lifetimes.
#include <algorithm>
#include <utility>

#include "graph/node_queries.h"
#include "plan/network/network_reader.h"

namespace mlf::plan {
namespace {

using graph::Argument;
using graph::Call;
using graph::CheckInfo;
using graph::Direction;
using graph::Kernel;
using graph::quoted;

// A few are enough to show the error.
constexpr std::size_t kMaxReasons = 20;

// The most pairs of buffers to check in one pool.
constexpr std::size_t kMaxPairs = 50'000'000;

bool share_bytes(const PlannedBuffer& a, const PlannedBuffer& b) {
  return a.offset < end_of(b) && b.offset < end_of(a) && a.bytes > 0 && b.bytes > 0;
}

/// Whether one of the two overwrites the other, each element its input element: both begin at one
/// byte, as in a plan that `mlf optimize --in-place` wrote.
bool are_in_place(const PoolProblem& pool, const PlannedBuffer& a, const PlannedBuffer& b) {
  if (a.offset != b.offset) return false;
  return std::ranges::any_of(pool.in_place, [&](const InPlaceBuffers& pair) {
    const PlannedBuffer& from = pool.buffers[pair.from];
    const PlannedBuffer& to = pool.buffers[pair.to];
    return (&from == &a && &to == &b) || (&from == &b && &to == &a);
  });
}

}  // namespace

void refuse(PoolProblem& pool, std::string why) {
  std::vector<std::string>& reasons = pool.refused;
  if (reasons.size() == kMaxReasons) return;
  if (std::ranges::find(reasons, why) == reasons.end()) reasons.push_back(std::move(why));
}

std::uint64_t end_of(const PlannedBuffer& buffer) {
  return buffer.offset + buffer.bytes;
}

bool are_alive_together(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() && y != b.end()) {
    if (x->lower < y->upper && y->lower < x->upper) return true;
    x->upper <= y->upper ? ++x : ++y;
  }
  return false;
}

void NetworkReader::refuse_all(const std::string& why) {
  for (PoolProblem& pool : result_.pools) refuse(pool, why);
}

void NetworkReader::refuse_pools_of(const Call& call, const std::string& why) {
  for (const Argument& argument : call.arguments) {
    if (PoolProblem* pool = problem_of(argument.pool)) refuse(*pool, why);
  }
}

/// Checks that concern the whole network. If the graph reader is not certain of a network, no proof
/// exists that it works with other offsets. A device may keep memory that a hook passed to it.
void NetworkReader::check_network() {
  for (const graph::Check& check : topology_.checks) {
    const CheckInfo& about = info(check.code);
    if (about.severity == graph::Severity::error) {
      refuse_all("the network is not certain: " + check.detail);
    }
  }
  for (const std::string& gap : topology_.gaps) refuse_all("main is not understood: " + gap);
  for (const graph::Hook& hook : topology_.hooks) {
    refuse_all(quoted(hook.symbol) + " may give memory to a device");
  }
  for (const Call& call : topology_.calls) check_call(call);
}

/// Checks that all effects of the call on memory of pools are known.
void NetworkReader::check_call(const Call& call) {
  const Kernel& kernel = topology_.kernel_of(call);
  const std::optional<KernelTicks>& ticks = kernels_[index(call.kernel)].ticks;
  if (!ticks) {
    return refuse_all(quoted(kernel.symbol) +
                      " has no TIR: it may keep the pointers that it is given");
  }
  if (!ticks->is_followed) {
    refuse_all("the pointers of " + quoted(kernel.symbol) + " cannot be followed");
  }
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const Argument& argument = call.arguments[i];
    const bool is_touched = i < ticks->arguments.size() && ticks->arguments[i];
    if (argument.direction == Direction::unknown) {
      refuse_all(quoted(kernel.symbol) + " is given something that is not known");
    } else if (argument.direction == Direction::context && is_touched) {
      refuse_all(quoted(kernel.symbol) + " uses a device context");
    } else if (argument.direction == Direction::pool && is_touched) {
      refuse_pools_of(call, quoted(kernel.symbol) + " uses a pool without a let");
    }
  }
  for (const UnknownCallee& callee : ticks->unknown_callees) {
    if (!callee.takes_memory) continue;
    refuse_all(quoted(callee.symbol) + ", which " + quoted(kernel.symbol) +
               " calls, may keep the pointers that it is given");
  }
  for (const std::string& gap : kernel.gaps) {
    refuse_all(quoted(kernel.symbol) + " is not understood: " + gap);
  }
  check_lets(call, *ticks);
}

/// Every address in a pool that the kernel touches must be one of its workspaces: an address
/// without a constant offset would stay in place while others move.
void NetworkReader::check_lets(const Call& call, const KernelTicks& ticks) {
  const Kernel& kernel = topology_.kernel_of(call);
  for (const LetTicks& let : ticks.lets) {
    if (!let.touched || let.argument >= call.arguments.size()) continue;
    PoolProblem* const pool = problem_of(call.arguments[let.argument].pool);
    if (pool == nullptr) continue;
    const auto workspace = std::ranges::find_if(kernel.workspaces, [&](const auto& one) {
      return one.name == let.name && one.offset && one.offset == let.offset;
    });
    if (workspace == kernel.workspaces.end()) {
      refuse(*pool, "the offset of " + quoted(let.name) + " in " + quoted(kernel.symbol) +
                        " is not known");
    } else if (workspace->pool != pool->pool) {
      // The first call determines the pool.
      refuse(*pool, quoted(kernel.symbol) + " is given another pool by another call");
    }
  }
}

/// In the archive's own plan, two buffers that are live together must not share a byte, unless one
/// overwrites the other in place. Otherwise the planner knows more than this reader, or one of the
/// two is wrong.
void check_own_plan(const graph::Topology& topology, PoolProblem& pool) {
  std::vector<const PlannedBuffer*> by_offset;
  for (const PlannedBuffer& buffer : pool.buffers) by_offset.push_back(&buffer);
  std::ranges::sort(by_offset, {}, [](const PlannedBuffer* buffer) { return buffer->offset; });
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < by_offset.size(); ++i) {
    for (std::size_t k = i + 1; k < by_offset.size(); ++k) {
      if (by_offset[k]->offset >= end_of(*by_offset[i])) break;
      if (++pairs > kMaxPairs) return refuse(pool, "the pool has too many buffers");
      if (share_bytes(*by_offset[i], *by_offset[k]) &&
          are_alive_together(by_offset[i]->live, by_offset[k]->live) &&
          !are_in_place(pool, *by_offset[i], *by_offset[k])) {
        refuse(pool, quoted(name_of(topology, *by_offset[i])) + " and " +
                         quoted(name_of(topology, *by_offset[k])) +
                         " share bytes, and the TIR does not show that they may");
      }
    }
  }
}
}  // namespace mlf::plan
