#include "plan/network/network_problem.h"

#include <algorithm>
#include <map>
#include <utility>

#include "plan/network/network_ticks.h"
#include "support/error.h"

namespace mlf::plan {
namespace {

using graph::Argument;
using graph::Call;
using graph::Kernel;
using graph::Position;
using graph::StorageId;
using graph::Topology;
using graph::Value;
using graph::ValueKind;

bool writes(const Argument& argument) {
  return argument.direction != graph::Direction::input;
}

/// Every storage becomes two buffers: one without bytes, which keeps the order of all calls that
/// get the storage, and one for its memory, which only the calls that touch it use. A call may pass
/// a tensor that the kernel does not need.
class OrderReader {
 public:
  /// Buffers of pools have their planned sizes, which may be larger than declared.
  OrderReader(const Topology& topology, std::span<const graph::TirInput> sources,
              std::span<const PoolPlan> pools)
      : topology_(topology), ticks_(topology, sources) {
    for (const PoolPlan& pool : pools) {
      for (const PlannedBuffer& buffer : pool.now.buffers) {
        if (buffer.storage) sizes_[*buffer.storage] = buffer.bytes;
        if (buffer.kernel) scratch_sizes_[{*buffer.kernel, buffer.workspace}] = buffer.bytes;
      }
    }
  }

  /// Steps of all kinds are by position: copies and device hooks have positions too.
  OrderProblem run() && {
    problem_.buffers.resize(2 * topology_.storages.size());
    problem_.calls.resize(topology_.steps());
    for (const Value& value : topology_.values) take_value(value);
    for (const graph::Port& port : topology_.outputs) {
      if (port.value) memory_of(topology_[*port.value].storage).to_end = true;
    }
    for (const Call& call : topology_.calls) take_call(call);
    for (const graph::Copy& copy : topology_.copies) take_copy(copy);
    for (const graph::Hook& hook : topology_.hooks) {
      problem_.calls[hook.position].keeps_place = true;
    }
    return std::move(problem_);
  }

 private:
  std::size_t memory(StorageId storage) const { return 2 * std::size_t{index(storage)} + 1; }
  OrderBuffer& memory_of(StorageId storage) { return problem_.buffers[memory(storage)]; }

  bool is_in_workspace(std::optional<graph::PoolId> pool) const {
    return pool && topology_[*pool].kind == graph::PoolKind::workspace;
  }

  /// Counts bytes only in workspace pools: the order cannot reduce other memory. Memory of the
  /// caller is live from the start, and constants always.
  void take_value(const Value& value) {
    const graph::Storage& storage = topology_[value.storage];
    OrderBuffer& memory = memory_of(value.storage);
    if (is_in_workspace(storage.pool)) {
      const auto planned = sizes_.find(value.storage);
      memory.bytes = std::max({memory.bytes, storage.bytes.value_or(0), value.bytes.value_or(0),
                               planned == sizes_.end() ? 0 : planned->second});
    }
    if (value.kind != ValueKind::computed) memory.from_start = true;
    if (value.kind == ValueKind::constant) memory.to_end = true;
  }

  /// A kernel that gets a tensor keeps its place among the writers of the tensor, even if it does
  /// not need it. The memory is live only in the ticks that touch it.
  void use(OrderCall& call, StorageId storage, bool is_written,
           const std::optional<Interval>& touched) const {
    const std::size_t order = memory(storage) - 1;
    call.uses.push_back({.buffer = order, .writes = is_written});
    if (!touched) return;
    call.uses.push_back({memory(storage), touched->lower, touched->upper - 1, is_written});
  }

  /// As in NetworkReader, counts accesses through the argument and through lets of addresses inside
  /// it. If its kernel hides the accesses, a result is live for the whole call.
  std::optional<Interval> ticks_of(const Call& call, std::size_t argument) const {
    const std::optional<KernelTicks>& ticks = ticks_.of(call.kernel);
    if (!ticks) return Interval{0, 1};
    const std::optional<Interval> touched = ticks->touched(argument);
    if (!touched && writes(call.arguments[argument])) return Interval{0, ticks->count};
    return touched;
  }

  /// Adds the needs and effects of a call. A kernel without TIR, or with unknown functions, keeps
  /// its place.
  void take_call(const Call& call) {
    OrderCall& step = problem_.calls[call.position];
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const Argument& argument = call.arguments[i];
      if (!argument.storage) continue;
      use(step, *argument.storage, writes(argument), ticks_of(call, i));
    }
    const Kernel& kernel = topology_.kernel_of(call);
    for (std::size_t i = 0; i < kernel.workspaces.size(); ++i) {
      if (is_in_workspace(kernel.workspaces[i].pool)) take_workspace(call, i, step);
    }
    const std::optional<KernelTicks>& ticks = ticks_.of(call.kernel);
    step.keeps_place = !ticks || !ticks->only_computes();
  }

  /// A workspace is live only during its call, from the first to the last tick that touches it.
  /// Lets with one name and offset are one workspace.
  void take_workspace(const Call& call, std::size_t position, OrderCall& step) {
    const graph::KernelBuffer& workspace = topology_.kernel_of(call).workspaces[position];
    const std::optional<KernelTicks>& ticks = ticks_.of(call.kernel);
    if (!ticks) return;
    const auto touched = ticks->find(workspace).touched;
    if (!touched) return;
    const auto planned = scratch_sizes_.find({call.kernel, position});
    const std::uint64_t bytes = std::max(workspace.bytes.value_or(0),
                                         planned == scratch_sizes_.end() ? 0 : planned->second);
    step.scratch.push_back({bytes, touched->lower, touched->upper - 1});
  }

  /// Copies of main keep their place: no representation has a slot for them
  /// (optimize/call_slots.h).
  void take_copy(const graph::Copy& copy) {
    OrderCall& step = problem_.calls[copy.position];
    step.keeps_place = true;
    if (copy.reads) use(step, topology_[*copy.reads].storage, false, Interval{0, 1});
    use(step, topology_[copy.writes].storage, true, Interval{0, 1});
  }

  const Topology& topology_;
  NetworkTicks ticks_;
  std::map<StorageId, std::uint64_t> sizes_;
  std::map<std::pair<graph::KernelId, std::size_t>, std::uint64_t> scratch_sizes_;  // workspaces
  OrderProblem problem_;
};

/// The network with each step at its new position; does not reorder the vectors.
Topology moved(const Topology& topology, const std::vector<std::size_t>& steps) {
  std::vector<Position> place(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) place[steps[i]] = static_cast<Position>(i);
  Topology result = topology;
  for (Call& call : result.calls) call.position = place[call.position];
  for (graph::Copy& copy : result.copies) copy.position = place[copy.position];
  for (graph::Hook& hook : result.hooks) hook.position = place[hook.position];
  for (Value& value : result.values) {
    if (value.first_definition) value.first_definition = place[*value.first_definition];
    if (!value.last_use) continue;
    value.last_use = value.first_definition.value_or(0);
    for (const graph::Endpoint& end : value.consumers) {
      const bool is_call = end.kind == graph::EndpointKind::call;
      const Position at =
          is_call ? result.calls[end.step].position : result.copies[end.step].position;
      value.last_use = std::max(*value.last_use, at);
    }
  }
  return result;
}

/// Steps that are calls, in the new order; all others keep their positions.
std::vector<graph::CallId> calls_in(const Topology& topology,
                                    const std::vector<std::size_t>& steps) {
  std::vector<std::optional<graph::CallId>> at(steps.size());
  for (std::size_t i = 0; i < topology.calls.size(); ++i) {
    at[topology.calls[i].position] = static_cast<graph::CallId>(i);
  }
  std::vector<graph::CallId> calls;
  for (const std::size_t step : steps) {
    if (at[step]) calls.push_back(*at[step]);
  }
  return calls;
}

std::uint64_t size_of(const std::vector<Solution>& pools) {
  std::uint64_t bytes = 0;
  for (const Solution& pool : pools) bytes += pool.size;
  return bytes;
}

/// Offsets for the pools of the network in the new order; nullopt if one pool cannot be planned.
std::optional<std::vector<Solution>> solve_pools(const NetworkProblem& problem,
                                                 const SearchLimits& limits) {
  std::vector<Solution> pools;
  for (const PoolProblem& pool : problem.pools) {
    if (!pool.refused.empty()) return std::nullopt;
    auto solution = support::value_if_valid(solve(pool.problem, limits));
    if (!solution) return std::nullopt;
    pools.push_back(*std::move(solution));
  }
  return pools;
}

}  // namespace

OrderProblem order_problem(const Topology& topology, std::span<const graph::TirInput> sources,
                           std::span<const PoolPlan> given) {
  return OrderReader(topology, sources, given).run();
}

std::optional<NetworkOrder> plan_order(const Topology& topology,
                                       std::span<const graph::TirInput> sources,
                                       std::span<const PoolAlignment> alignments,
                                       std::span<const PoolPlan> given,
                                       const SearchLimits& limits) {
  // If a pool may not move, its calls may not run in another order either.
  const bool is_planned = !given.empty() && std::ranges::none_of(given, [](const PoolPlan& plan) {
    return plan.is_refused();
  });
  if (!is_planned) return std::nullopt;
  auto found = support::value_if_valid(best_order(order_problem(topology, sources, given), limits));
  if (!found) return std::nullopt;
  NetworkOrder result{.order = *std::move(found)};
  for (const PoolPlan& plan : given) result.pools.push_back(plan.best);
  if (result.changes()) {
    const Topology network = moved(topology, result.order.calls);
    auto pools = solve_pools(read_network(network, sources, alignments), limits);
    if (pools && size_of(*pools) < size_of(result.pools)) {
      result.pools = *std::move(pools);
    } else {
      // Fewer live bytes but no smaller plan: without a gain, keeps the present order.
      std::ranges::sort(result.order.calls);
      result.order.peak = result.order.given_peak;
      result.order.proven = result.order.peak == result.order.lower_bound;
    }
  }
  result.calls = calls_in(topology, result.order.calls);
  return result;
}

}  // namespace mlf::plan
