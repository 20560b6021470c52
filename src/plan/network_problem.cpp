#include <algorithm>
#include <bit>
#include <map>
#include <string_view>
#include <utility>

#include "graph/kernels/functions.h"
#include "graph/network/memory_use.h"
#include "graph/node_queries.h"
#include "mlf/plan/network_plan.h"
#include "plan/network_reader.h"

namespace mlf::plan {
namespace {

using graph::Argument;
using graph::Call;
using graph::CheckInfo;
using graph::Direction;
using graph::Endpoint;
using graph::Kernel;
using graph::KernelBuffer;
using graph::PoolId;
using graph::quoted;
using graph::Storage;
using graph::StorageKind;
using graph::Topology;
using graph::Value;
using graph::ValueKind;

// A few show what is wrong.
constexpr std::size_t kMaxReasons = 20;

// Pairs of buffers that are looked at, of one pool.
constexpr std::size_t kMaxPairs = 50'000'000;

// Lives of workspaces, a call each, of one network.
constexpr std::size_t kMaxScratchLives = 10'000'000;

void refuse(PoolProblem& pool, std::string why) {
  std::vector<std::string>& reasons = pool.refused;
  if (reasons.size() == kMaxReasons) return;
  if (std::ranges::find(reasons, why) == reasons.end()) reasons.push_back(std::move(why));
}

/// Makes pieces of time ascending and disjoint; those that overlap become one.
std::vector<Interval> joined(std::vector<Interval> pieces) {
  std::ranges::sort(pieces, {}, &Interval::lower);
  std::vector<Interval> result;
  for (const Interval& piece : pieces) {
    if (!result.empty() && piece.lower < result.back().upper) {
      result.back().upper = std::max(result.back().upper, piece.upper);
    } else {
      result.push_back(piece);
    }
  }
  return result;
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

std::uint64_t end_of(const PlannedBuffer& buffer) {
  return buffer.offset + buffer.bytes;
}

bool share_bytes(const PlannedBuffer& a, const PlannedBuffer& b) {
  return a.offset < end_of(b) && b.offset < end_of(a) && a.bytes > 0 && b.bytes > 0;
}

/// Reads the pools of one network, kernel by kernel and then tensor by tensor.
class NetworkReader {
 public:
  NetworkReader(const Topology& topology, std::span<const graph::TirInput> sources)
      : topology_(topology), sources_(sources), lifetimes_(topology) {}

  NetworkProblem run(std::span<const PoolAlignment> alignments);

 private:
  struct KernelReading {
    std::optional<KernelTicks> ticks;          // nothing: no TIR
    std::vector<std::int64_t> first_of_calls;  // first tick of each call
  };

  void read_kernels();
  void set_clock();
  void find_pools();
  PoolProblem* problem_of(std::optional<PoolId> pool);
  void refuse_all(const std::string& why);
  void refuse_pools_of(const Call& call, const std::string& why);
  void check_network();
  void check_call(const Call& call);
  const graph::Port* port_of(graph::StorageId id) const;
  void add_storages();
  void add_storage(graph::StorageId id, std::span<const graph::ValueId> values);
  Interval life_of(graph::ValueId id) const;
  std::optional<TickRange> ticks_at(const Endpoint& end) const;
  TickRange whole_step(graph::Position position) const;
  void add_workspaces(graph::KernelId id);
  std::optional<TickRange> scratch_ticks(const Kernel& kernel, const KernelBuffer& buffer,
                                         PoolProblem& pool) const;
  void find_in_place(graph::CallId id);
  std::optional<std::size_t> buffer_of(const Call& call, const TickMemory& memory,
                                       PoolProblem& pool) const;
  void finish(PoolProblem& pool, std::span<const PoolAlignment> alignments) const;

  const Topology& topology_;
  std::span<const graph::TirInput> sources_;
  graph::Lifetimes lifetimes_;
  std::vector<KernelReading> kernels_;  // by kernel
  std::vector<std::int64_t> steps_;     // NetworkProblem::first_tick
  std::size_t scratch_lives_ = 0;
  NetworkProblem result_;
};

void NetworkReader::read_kernels() {
  for (std::optional<KernelTicks>& ticks : ticks_of_kernels(topology_, sources_)) {
    kernels_.push_back({std::move(ticks), {}});
  }
}

// Tick 0 is before main. Copies and device hooks take one tick each.
void NetworkReader::set_clock() {
  std::vector<std::int64_t> lengths(
      topology_.calls.size() + topology_.copies.size() + topology_.hooks.size(), 1);
  for (const Call& call : topology_.calls) {
    const std::optional<KernelTicks>& ticks = kernels_[index(call.kernel)].ticks;
    if (ticks) lengths[call.position] = ticks->count;
  }
  std::int64_t now = 1;
  for (const std::int64_t length : lengths) {
    steps_.push_back(now);
    now += length;
  }
  steps_.push_back(now);
  for (const Call& call : topology_.calls) {
    kernels_[index(call.kernel)].first_of_calls.push_back(steps_[call.position]);
  }
}

void NetworkReader::find_pools() {
  for (std::size_t i = 0; i < topology_.pools.size(); ++i) {
    const graph::Pool& pool = topology_.pools[i];
    if (pool.kind != graph::PoolKind::workspace) continue;
    result_.pools.push_back({.pool = static_cast<PoolId>(i), .declared = pool.bytes});
  }
}

PoolProblem* NetworkReader::problem_of(std::optional<PoolId> pool) {
  const auto at = std::ranges::find_if(
      result_.pools, [&](const PoolProblem& problem) { return problem.pool == pool; });
  return at == result_.pools.end() ? nullptr : &*at;
}

void NetworkReader::refuse_all(const std::string& why) {
  for (PoolProblem& pool : result_.pools) refuse(pool, why);
}

void NetworkReader::refuse_pools_of(const Call& call, const std::string& why) {
  for (const Argument& argument : call.arguments) {
    if (PoolProblem* pool = problem_of(argument.pool)) refuse(*pool, why);
  }
}

/// What is true of no single buffer.
void NetworkReader::check_network() {
  for (const graph::Check& check : topology_.checks) {
    const CheckInfo& about = info(check.code);
    if (about.severity == graph::Severity::error) {
      refuse_all("the network is not certain: " + check.detail);
    }
  }
  for (const graph::Hook& hook : topology_.hooks) {
    refuse_all(quoted(hook.symbol) + " may give memory to a device");
  }
  for (const Call& call : topology_.calls) check_call(call);
}

/// Whether everything that the call does with memory of pools is known.
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
}

TickRange NetworkReader::whole_step(graph::Position position) const {
  return {steps_[position], steps_[position + 1] - 1};
}

/// The ticks in which one end of an edge touches its value; nothing where a kernel is given a
/// tensor that it does not need, such as a whole tuple of which it takes a part.
std::optional<TickRange> NetworkReader::ticks_at(const Endpoint& end) const {
  if (end.kind == Endpoint::Kind::copy) return whole_step(topology_.copies[end.step].position);
  const Call& call = topology_.calls[end.step];
  const TickRange whole = whole_step(call.position);
  const std::optional<KernelTicks>& ticks = kernels_[index(call.kernel)].ticks;
  if (!ticks) return whole;
  std::optional<TickRange> touched;
  const auto include = [&](const std::optional<TickRange>& range) {
    if (!range) return;
    if (!touched) touched = range;
    touched->include(*range);
  };
  if (end.argument < ticks->arguments.size()) include(ticks->arguments[end.argument]);
  for (const LetTicks& let : ticks->lets) {
    if (let.argument == end.argument) include(let.touched);
  }
  if (!touched) return std::nullopt;
  return TickRange{whole.first + touched->first, whole.first + touched->last};
}

/// When a value has to be there: from the first touch of any end to the last, inputs from before
/// main and outputs to its end; a constant always.
Interval NetworkReader::life_of(graph::ValueId id) const {
  const Value& value = topology_[id];
  const graph::Lifetime steps = lifetimes_.of(id);
  if (value.kind == ValueKind::constant) return {0, steps_.back()};
  // An input is there before main. A result comes with its first touch; where its kernel hides
  // that, with the call.
  TickRange life{0, 0};
  if (value.producer && value.first_definition) {
    life = ticks_at(*value.producer).value_or(whole_step(*value.first_definition));
  }
  for (const Endpoint& consumer : value.consumers) {
    if (const auto touched = ticks_at(consumer)) life.include(*touched);
  }
  if (steps.to == graph::Lifetime::kForever) life.last = steps_.back() - 1;
  return {life.first, life.last + 1};
}

/// A tensor of main, with all values that are in it one after the other.
void NetworkReader::add_storage(graph::StorageId id, std::span<const graph::ValueId> values) {
  const Storage& storage = topology_[id];
  PoolProblem* pool = problem_of(storage.pool);
  if (pool == nullptr) return;
  PlannedBuffer buffer{.source = topology_.provenance.source,
                       .function = topology_.provenance.function,
                       .variable = storage.name,
                       .pool = *storage.pool,
                       .storage = id};
  std::uint64_t bytes = storage.bytes.value_or(0);
  bool is_known = storage.offset.has_value();
  std::vector<Interval> live;
  for (const graph::ValueId id_of_value : values) {
    const Value& value = topology_[id_of_value];
    is_known = is_known && (value.bytes || storage.bytes);
    bytes = std::max(bytes, value.bytes.value_or(0));
    live.push_back(life_of(id_of_value));
  }
  if (!is_known) return refuse(*pool, "place or size of " + quoted(storage.name) + " is not known");
  buffer.offset = *storage.offset;
  buffer.bytes = bytes;
  buffer.live = joined(std::move(live));
  if (const graph::Port* port = port_of(id)) {
    buffer.is_port = true;
    buffer.variable = port->parameter;
  }
  // A place that has no let is called so (graph/network/storages.cpp).
  if (storage.name.starts_with(topology_[*storage.pool].name + "+")) {
    refuse(*pool, quoted(storage.name) + " has no let");
  }
  // Nothing is ever in it: it takes no room, but its address is computed.
  if (buffer.live.empty()) {
    buffer.live = {{0, 1}};
    buffer.bytes = 0;
  }
  pool->buffers.push_back(std::move(buffer));
}

const graph::Port* NetworkReader::port_of(graph::StorageId id) const {
  for (const std::vector<graph::Port>* ports : {&topology_.inputs, &topology_.outputs}) {
    for (const graph::Port& port : *ports) {
      if (port.value && topology_[*port.value].storage == id) return &port;
    }
  }
  return nullptr;
}

void NetworkReader::add_storages() {
  std::vector<std::vector<graph::ValueId>> values(topology_.storages.size());
  for (std::size_t i = 0; i < topology_.values.size(); ++i) {
    values[index(topology_.values[i].storage)].push_back(static_cast<graph::ValueId>(i));
  }
  for (std::size_t i = 0; i < topology_.storages.size(); ++i) {
    add_storage(static_cast<graph::StorageId>(i), values[i]);
  }
}

/// The ticks of a call in which a workspace is touched; nothing where it never is. Lets of one name
/// and place count together.
std::optional<TickRange> NetworkReader::scratch_ticks(const Kernel& kernel,
                                                      const KernelBuffer& buffer,
                                                      PoolProblem& pool) const {
  const auto kernel_at = static_cast<std::size_t>(&kernel - topology_.kernels.data());
  const std::optional<KernelTicks>& ticks = kernels_[kernel_at].ticks;
  std::optional<TickRange> touched;
  bool is_found = false;
  if (ticks) {
    for (const LetTicks& let : ticks->lets) {
      if (let.name != buffer.name || let.offset != buffer.offset) continue;
      is_found = true;
      if (!let.touched) continue;
      if (!touched) touched = let.touched;
      touched->include(*let.touched);
    }
  }
  if (!is_found) {
    refuse(pool, "the let " + quoted(buffer.name) + " in " + quoted(kernel.symbol) +
                     " cannot be followed");
  }
  return touched;
}

void NetworkReader::add_workspaces(graph::KernelId id) {
  const Kernel& kernel = topology_.kernels[index(id)];
  for (std::size_t i = 0; i < kernel.workspaces.size(); ++i) {
    const KernelBuffer& workspace = kernel.workspaces[i];
    PoolProblem* pool = problem_of(workspace.pool);
    if (pool == nullptr) continue;
    if (!workspace.offset || !workspace.bytes) {
      refuse(*pool, "place or size of " + quoted(workspace.name) + " in " + quoted(kernel.symbol) +
                        " is not known");
      continue;
    }
    PlannedBuffer buffer{.source = kernel.source,
                         .function = kernel.function,
                         .variable = workspace.name,
                         .pool = *workspace.pool,
                         .offset = *workspace.offset,
                         .bytes = *workspace.bytes,
                         .kernel = id,
                         .workspace = i};
    const std::optional<TickRange> touched = scratch_ticks(kernel, workspace, *pool);
    const std::vector<std::int64_t>& calls = kernels_[index(id)].first_of_calls;
    scratch_lives_ += calls.size();
    if (scratch_lives_ > kMaxScratchLives) return refuse(*pool, "there are too many calls");
    for (const std::int64_t call : calls) {
      if (touched) buffer.live.push_back({call + touched->first, call + touched->last + 1});
    }
    buffer.live = joined(std::move(buffer.live));
    if (buffer.live.empty()) {
      buffer.live = {{0, 1}};
      buffer.bytes = 0;
    }
    pool->buffers.push_back(std::move(buffer));
  }
}

/// The buffer of a pool that a kernel touches in one way alone during a call.
std::optional<std::size_t> NetworkReader::buffer_of(const Call& call, const TickMemory& memory,
                                                    PoolProblem& pool) const {
  const KernelTicks& ticks = *kernels_[index(call.kernel)].ticks;
  if (memory.argument >= call.arguments.size()) return std::nullopt;
  const Argument& argument = call.arguments[memory.argument];
  const auto is_it = [&](const PlannedBuffer& buffer) {
    if (!memory.let) return buffer.storage.has_value() && buffer.storage == argument.storage;
    const LetTicks& let = ticks.lets[*memory.let];
    return buffer.kernel == call.kernel && buffer.variable == let.name &&
           buffer.offset == let.offset;
  };
  if (memory.let) {
    // Lets of one name and place are one buffer, of which the other one may be touched as well.
    const LetTicks& let = ticks.lets[*memory.let];
    const auto is_same = [&](const LetTicks& other) {
      return other.name == let.name && other.offset == let.offset;
    };
    if (argument.pool != pool.pool || std::ranges::count_if(ticks.lets, is_same) != 1) {
      return std::nullopt;
    }
  } else {
    const auto is_same = [&](const Argument& other) { return other.storage == argument.storage; };
    const auto is_inside = [&](const LetTicks& let) { return let.argument == memory.argument; };
    if (!argument.storage || std::ranges::count_if(call.arguments, is_same) != 1 ||
        std::ranges::any_of(ticks.lets, is_inside)) {
      return std::nullopt;
    }
  }
  const auto found = std::ranges::find_if(pool.buffers, is_it);
  if (found == pool.buffers.end()) return std::nullopt;
  return static_cast<std::size_t>(found - pool.buffers.begin());
}

/// What the code of one call allows and what else is in the two buffers does not forbid: one is not
/// needed any more, the other not yet.
void NetworkReader::find_in_place(graph::CallId id) {
  const Call& call = topology_[id];
  const std::optional<KernelTicks>& ticks = kernels_[index(call.kernel)].ticks;
  if (!ticks) return;
  for (const InPlaceTick& one : ticks->in_place) {
    const std::int64_t tick = steps_[call.position] + one.tick;
    for (PoolProblem& pool : result_.pools) {
      const auto from = buffer_of(call, one.from, pool);
      const auto to = buffer_of(call, one.to, pool);
      if (!from || !to) continue;
      const PlannedBuffer& old = pool.buffers[*from];
      const PlannedBuffer& result = pool.buffers[*to];
      const bool has_one_life = old.live.size() == 1 && result.live.size() == 1;
      if (!has_one_life || old.is_port || result.is_port) continue;
      if (old.live.front().upper != tick + 1 || result.live.front().lower != tick) continue;
      pool.in_place.push_back({id, *from, *to});
    }
  }
}

// Within 2^20: addresses are not known to be more aligned than that.
std::uint64_t alignment_of_offset(std::uint64_t offset) {
  constexpr int kMost = 20;
  return std::uint64_t{1} << (offset == 0 ? kMost : std::min(std::countr_zero(offset), kMost));
}

void NetworkReader::finish(PoolProblem& pool, std::span<const PoolAlignment> alignments) const {
  // What TVM was told divides all offsets, so what divides them all is enough. TVM's default is 16,
  // below which tensors would not be aligned for their elements.
  constexpr std::uint64_t kDefaultAlignment = 16;
  std::uint64_t stated = alignment_of_offset(0);
  for (const PlannedBuffer& buffer : pool.buffers) {
    stated = std::min(stated, alignment_of_offset(buffer.offset));
  }
  for (const PoolAlignment& alignment : alignments) {
    if (alignment.pool == topology_[pool.pool].name) stated = std::min(stated, alignment.bytes);
  }
  stated = std::max(stated, kDefaultAlignment);
  for (PlannedBuffer& buffer : pool.buffers) {
    buffer.alignment = std::min(stated, alignment_of_offset(buffer.offset));
    pool.used = std::max(pool.used, end_of(buffer));
    Buffer plain{.id = name_of(topology_, buffer),
                 .lower = buffer.live.front().lower,
                 .upper = buffer.live.back().upper,
                 .size = buffer.bytes,
                 .alignment = buffer.alignment};
    for (std::size_t i = 1; i < buffer.live.size(); ++i) {
      const Interval gap{buffer.live[i - 1].upper, buffer.live[i].lower};
      if (gap.lower < gap.upper) plain.gaps.push_back(gap);
    }
    if (buffer.is_port) plain.fixed_offset = buffer.offset;
    pool.problem.buffers.push_back(std::move(plain));
  }
  if (pool.declared && pool.used > *pool.declared) refuse(pool, "buffers reach beyond the pool");
}

NetworkProblem NetworkReader::run(std::span<const PoolAlignment> alignments) {
  read_kernels();
  set_clock();
  find_pools();
  check_network();
  add_storages();
  for (std::size_t i = 0; i < topology_.kernels.size(); ++i) {
    add_workspaces(static_cast<graph::KernelId>(i));
  }
  for (std::size_t i = 0; i < topology_.calls.size(); ++i) {
    find_in_place(static_cast<graph::CallId>(i));
  }
  for (PoolProblem& pool : result_.pools) finish(pool, alignments);
  result_.first_tick = std::move(steps_);
  return std::move(result_);
}

/// Two buffers that are alive together must not share a byte in the archive's own plan; where they
/// do, either the planner knows more than this reader, or one of them is wrong.
void check_own_plan(const Topology& topology, PoolProblem& pool) {
  std::vector<const PlannedBuffer*> by_offset;
  for (const PlannedBuffer& buffer : pool.buffers) by_offset.push_back(&buffer);
  std::ranges::sort(by_offset, {}, [](const PlannedBuffer* buffer) { return buffer->offset; });
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < by_offset.size(); ++i) {
    for (std::size_t k = i + 1; k < by_offset.size(); ++k) {
      if (by_offset[k]->offset >= end_of(*by_offset[i])) break;
      if (++pairs > kMaxPairs) return refuse(pool, "the pool has too many buffers");
      if (share_bytes(*by_offset[i], *by_offset[k]) &&
          are_alive_together(by_offset[i]->live, by_offset[k]->live)) {
        refuse(pool, quoted(name_of(topology, *by_offset[i])) + " and " +
                         quoted(name_of(topology, *by_offset[k])) +
                         " share bytes, and the TIR does not show that they may");
      }
    }
  }
}

}  // namespace

std::string name_of(const Topology& topology, const PlannedBuffer& buffer) {
  if (!buffer.kernel) return buffer.variable;
  return topology.kernels[index(*buffer.kernel)].symbol + "." + buffer.variable;
}

std::vector<std::optional<KernelTicks>> ticks_of_kernels(const Topology& topology,
                                                         std::span<const graph::TirInput> sources) {
  const graph::FunctionTable functions(sources);
  const auto function_of = [&](const Kernel& kernel) -> const graph::FunctionRef* {
    for (const graph::FunctionRef& function : functions.all()) {
      const bool is_source = sources[function.source].stem == kernel.source;
      if (is_source && function.name == kernel.function) return &function;
    }
    return nullptr;
  };
  std::vector<std::optional<KernelTicks>> ticks;
  for (const Kernel& kernel : topology.kernels) {
    const graph::FunctionRef* function = kernel.has_tir() ? function_of(kernel) : nullptr;
    ticks.emplace_back();
    if (function != nullptr) ticks.back() = kernel_ticks(function->function);
  }
  return ticks;
}

NetworkProblem read_network(const Topology& topology, std::span<const graph::TirInput> sources,
                            std::span<const PoolAlignment> alignments) {
  return NetworkReader(topology, sources).run(alignments);
}

NetworkProblem network_problem(const Topology& topology, std::span<const graph::TirInput> sources,
                               std::span<const PoolAlignment> alignments) {
  NetworkProblem problem = read_network(topology, sources, alignments);
  for (PoolProblem& pool : problem.pools) check_own_plan(topology, pool);
  return problem;
}

}  // namespace mlf::plan
