// The clock of a network, its pools, the buffers of each with their lifetimes as a problem of
// allocation, and the pairs of which one may overwrite the other.
#include "plan/network/network_problem.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>
#include <utility>

#include "graph/kernels/kernel_code.h"
#include "graph/node_queries.h"
#include "plan/allocator/tvm_planners.h"
#include "plan/network/network_reader.h"
#include "support/lookup.h"

namespace mlf::plan {
namespace {

using graph::Call;
using graph::Kernel;
using graph::PoolId;
using graph::Topology;

// At most 2^20: no larger alignment of addresses is known.
std::uint64_t alignment_of_offset(std::uint64_t offset) {
  constexpr int kMost = 20;
  return std::uint64_t{1} << (offset == 0 ? kMost : std::min(std::countr_zero(offset), kMost));
}

}  // namespace

/// Constants keep their offsets, at which the archive contains their bytes.
void NetworkReader::find_pools() {
  for (std::size_t i = 0; i < topology_.pools.size(); ++i) {
    const graph::Pool& pool = topology_.pools[i];
    if (pool.kind != graph::PoolKind::workspace) continue;
    result_.pools.push_back({.pool = static_cast<PoolId>(i), .declared = pool.bytes, .used = 0});
  }
}

PoolProblem* NetworkReader::problem_of(std::optional<PoolId> pool) {
  const auto at = std::ranges::find_if(
      result_.pools, [&](const PoolProblem& problem) { return problem.pool == pool; });
  return at == result_.pools.end() ? nullptr : &*at;
}

/// Determines alignments and the extent of the buffers, and makes the buffers a problem for the
/// allocator.
void NetworkReader::finish(PoolProblem& pool, std::span<const PoolAlignment> alignments) const {
  // TVM's alignment divides all offsets, so the largest common divisor of the offsets is
  // sufficient. With less than TVM's default, elements would not be aligned.
  std::uint64_t stated = alignment_of_offset(0);
  for (const PlannedBuffer& buffer : pool.buffers) {
    stated = std::min(stated, alignment_of_offset(buffer.offset));
  }
  for (const PoolAlignment& alignment : alignments) {
    if (alignment.pool != topology_[pool.pool].name) continue;
    stated = std::min(stated, alignment.bytes);
    pool.is_alignment_stated = true;
  }
  stated = std::max(stated, kDefaultAlignment);
  for (PlannedBuffer& buffer : pool.buffers) {
    buffer.alignment = std::min(stated, alignment_of_offset(buffer.offset));
    if (pool.used) pool.used = std::max(*pool.used, end_of(buffer));
    Buffer plain{.id = name_of(topology_, buffer),
                 .lower = buffer.live.front().lower,
                 .upper = buffer.live.back().upper,
                 .size = buffer.bytes,
                 .alignment = buffer.alignment};
    for (std::size_t i = 1; i < buffer.live.size(); ++i) {
      const Interval gap{buffer.live[i - 1].upper, buffer.live[i].lower};
      if (gap.lower < gap.upper) plain.gaps.push_back(gap);
    }
    // The caller may know the address of an input or output, so it keeps its offset.
    if (buffer.is_port) plain.fixed_offset = buffer.offset;
    pool.problem.buffers.push_back(std::move(plain));
  }
  if (pool.declared && pool.used && *pool.used > *pool.declared)
    refuse(pool, "buffers reach beyond the pool");
}

std::vector<PoolProblem> NetworkReader::placed() {
  accesses_.resize(topology_.kernels.size());
  find_pools();
  reaches_.resize(topology_.storages.size());
  add_storages();
  for (std::size_t i = 0; i < topology_.kernels.size(); ++i) {
    add_workspaces(static_cast<graph::KernelId>(i));
  }
  return std::move(result_.pools);
}

/// Buffers come before pairs of buffers, and both come before the alignment, which depends on all
/// offsets of a pool.
NetworkProblem NetworkReader::run(std::span<const PoolAlignment> alignments) {
  for (const graph::KernelCode* const code : code_of_kernels(topology_, sources_)) {
    accesses_.emplace_back();
    if (code != nullptr) accesses_.back() = analysis::accesses_of(*code);
  }
  find_pools();
  check_network();
  read_accesses();
  add_storages();
  for (std::size_t i = 0; i < topology_.kernels.size(); ++i) {
    add_workspaces(static_cast<graph::KernelId>(i));
    add_constants(static_cast<graph::KernelId>(i));
  }
  for (std::size_t i = 0; i < topology_.calls.size(); ++i) {
    find_in_place(static_cast<graph::CallId>(i));
  }
  for (PoolProblem& pool : result_.pools) finish(pool, alignments);
  result_.first_tick = ticks_.clock();
  return std::move(result_);
}

std::string name_of(const Topology& topology, const PlannedBuffer& buffer) {
  if (!buffer.kernel) return buffer.variable;
  return topology.kernels[index(*buffer.kernel)].symbol + "." + buffer.variable;
}

// Looks functions up by source and name: several TIR sources may have a function of one name.
std::vector<const graph::KernelCode*> code_of_kernels(const Topology& topology,
                                                      std::span<const graph::TirInput> sources) {
  std::map<std::string_view, const graph::DocumentCode*> by_stem;
  for (const graph::TirInput& source : sources) by_stem.emplace(source.stem, source.code.get());
  std::vector<const graph::KernelCode*> found;
  for (const Kernel& kernel : topology.kernels) {
    found.push_back(nullptr);
    const auto source = by_stem.find(kernel.source);
    if (!kernel.has_tir() || source == by_stem.end()) continue;
    const tir::Node function = source->second->find(kernel.function);
    if (function) found.back() = &source->second->code_of(function);
  }
  return found;
}

NetworkTicks::NetworkTicks(const Topology& topology, std::span<const graph::TirInput> sources)
    : topology_(topology), lifetimes_(topology), first_of_calls_(topology.kernels.size()) {
  for (const graph::KernelCode* const code : code_of_kernels(topology, sources)) {
    kernels_.emplace_back();
    if (code != nullptr) kernels_.back() = kernel_ticks(*code);
  }
  std::vector<std::int64_t> lengths(topology.steps(), 1);
  for (const Call& call : topology.calls) {
    if (of(call.kernel)) lengths[call.position] = of(call.kernel)->count;
  }
  clock_.push_back(1);
  for (const std::int64_t length : lengths) clock_.push_back(clock_.back() + length);
  for (const Call& call : topology.calls) {
    first_of_calls_[index(call.kernel)].push_back(begin_of(call));
  }
}

const KernelTicks* NetworkTicks::understood(graph::KernelId kernel) const {
  const std::optional<KernelTicks>& ticks = of(kernel);
  const bool is_understood =
      ticks && ticks->is_followed && topology_.kernels[index(kernel)].gaps.empty();
  return is_understood ? &*ticks : nullptr;
}

std::vector<Interval> NetworkTicks::in_calls_of(graph::KernelId kernel,
                                                const Interval& ticks) const {
  std::vector<Interval> pieces;
  for (const std::int64_t first : first_of_calls_[index(kernel)]) {
    pieces.push_back({first + ticks.lower, first + ticks.upper});
  }
  return pieces;
}

Interval NetworkTicks::whole_step(graph::Position position) const {
  return {clock_[position], clock_[position + 1]};
}

/// The ticks in which one end of an edge touches its value; none if a kernel gets a tensor that it
/// does not need, such as a whole tuple of which it uses a part.
NetworkTicks::Touch NetworkTicks::touched_at(const graph::Endpoint& end) const {
  if (end.kind == graph::EndpointKind::copy) {
    const Interval whole = whole_step(topology_.copies[end.step].position);
    return {whole, whole};
  }
  const Call& call = topology_.calls[end.step];
  if (!of(call.kernel)) return {std::nullopt, whole_step(call.position)};
  std::optional<Interval> touched = of(call.kernel)->touched(end.argument);
  if (touched) touched = Interval{begin_of(call) + touched->lower, begin_of(call) + touched->upper};
  return {understood(call.kernel) != nullptr ? touched : std::nullopt, touched};
}

/// From the first access of any end to the last; inputs from before main, outputs to its end,
/// constants always.
ValueLife NetworkTicks::life_of(graph::ValueId id) const {
  const graph::Value& value = topology_[id];
  const std::int64_t end = clock_.back();
  if (value.kind == graph::ValueKind::constant) return {{0, end}, {0, end}};
  // An input exists before main.
  ValueLife life{{0, 1}, {0, 1}};
  if (value.producer && value.first_definition) {
    // If its kernel hides the first access, a result may exist from the beginning of the call, and
    // certainly exists after the call.
    const Interval whole = whole_step(*value.first_definition);
    const Touch written = touched_at(*value.producer);
    life.certain = written.certain.value_or(Interval{whole.upper, whole.upper});
    life.possible = written.possible.value_or(whole);
  }
  for (const graph::Endpoint& consumer : value.consumers) {
    const Touch read = touched_at(consumer);
    if (read.certain) life.certain.upper = std::max(life.certain.upper, read.certain->upper);
    if (read.possible) include(life.possible, *read.possible);
  }
  if (lifetimes_.of(id).to == graph::Lifetime::kForever)
    life.certain.upper = life.possible.upper = end;
  return life;
}

NetworkProblem read_network(const Topology& topology, std::span<const graph::TirInput> sources,
                            std::span<const PoolAlignment> alignments) {
  return NetworkReader(topology, sources).run(alignments);
}

NetworkProblem network_problem(const Topology& topology, std::span<const graph::TirInput> sources,
                               std::span<const PoolAlignment> alignments) {
  NetworkProblem problem = read_network(topology, sources, alignments);
  const LeastMemory least = least_memory(topology, sources);
  for (PoolProblem& pool : problem.pools) {
    check_own_plan(topology, pool);
    pool.lower_bound = least.pools[index(pool.pool)];
  }
  problem.lower_bound = least.all;
  return problem;
}

// --- Buffers -------------------------------------------------------------------------------------

namespace {

using graph::Argument;
using graph::KernelBuffer;
using graph::quoted;
using graph::Storage;
using graph::Value;

// The most lifetimes of workspaces, one for each call, of one network.
constexpr std::size_t kMaxScratchLives = 10'000'000;

/// Leaves the buffer out of the pool. This also makes the extent of the pool's buffers unknown.
void refuse_unplaced(PoolProblem& pool, const std::string& name) {
  pool.used.reset();
  refuse(pool, "place or size of " + name + " is not known");
}

}  // namespace

/// Makes intervals ascending and disjoint; merges those that overlap.
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

/// Adds a tensor of main, with all values that it contains one after the other.
void NetworkReader::add_storage(graph::StorageId id, std::span<const graph::ValueId> values) {
  const Storage& storage = topology_[id];
  PoolProblem* pool = problem_of(storage.pool);
  if (pool == nullptr) return;
  PlannedBuffer buffer{.source = topology_.provenance.source,
                       .function = topology_.provenance.function,
                       .variable = storage.name,
                       .pool = *storage.pool,
                       .storage = id};
  std::uint64_t bytes = std::max(storage.bytes.value_or(0), reaches_[index(id)]);
  bool is_known = storage.offset.has_value();
  std::vector<Interval> live;
  for (const graph::ValueId id_of_value : values) {
    const Value& value = topology_[id_of_value];
    is_known = is_known && (value.bytes || storage.bytes || reaches_[index(id)] > 0);
    bytes = std::max(bytes, value.bytes.value_or(0));
    live.push_back(ticks_.life_of(id_of_value).possible);
  }
  if (!is_known) return refuse_unplaced(*pool, quoted(storage.name));
  buffer.offset = *storage.offset;
  buffer.bytes = bytes;
  buffer.live = joined(std::move(live));
  if (const graph::Port* port = port_of(topology_, id)) {
    buffer.is_port = true;
    buffer.variable = port->parameter;
  }
  // A place without a let has such a name (graph/network/storages.cpp).
  if (storage.name.starts_with(topology_[*storage.pool].name + "+")) {
    refuse(*pool, quoted(storage.name) + " has no let");
  }
  // It never contains a value: it takes no memory, but the code computes its address.
  if (buffer.live.empty()) {
    buffer.live = {{0, 1}};
    buffer.bytes = 0;
  }
  pool->buffers.push_back(std::move(buffer));
}

const graph::Port* port_of(const Topology& topology, graph::StorageId id) {
  for (const std::vector<graph::Port>* ports : {&topology.inputs, &topology.outputs}) {
    for (const graph::Port& port : *ports) {
      if (port.value && topology[*port.value].storage == id) return &port;
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

/// The ticks of a call in which the memory of a let is touched.
KernelTicks::FoundBuffer NetworkReader::find(graph::KernelId id, const KernelBuffer& buffer) const {
  return ticks_.of(id) ? ticks_.of(id)->find(buffer) : KernelTicks::FoundBuffer();
}

/// The ticks of a call in which a workspace is touched; nullopt if it never is.
std::optional<Interval> NetworkReader::scratch_ticks(graph::KernelId id, const KernelBuffer& buffer,
                                                     PoolProblem& pool) const {
  const KernelTicks::FoundBuffer found = find(id, buffer);
  if (!found.is_found) {
    refuse(pool, "the let " + quoted(buffer.name) + " in " +
                     quoted(topology_.kernels[index(id)].symbol) + " cannot be followed");
  }
  return found.touched;
}

/// Adds constants in their own pool, which TVM's planner counts together with workspaces.
void NetworkReader::add_constants(graph::KernelId id) {
  for (const KernelBuffer& constant : topology_.kernels[index(id)].constants) {
    const auto touched = find(id, constant).touched;
    if (!constant.pool || !touched) continue;
    result_.constants.push_back({constant.bytes, ticks_.in_calls_of(id, *touched)});
  }
}

void NetworkReader::add_workspaces(graph::KernelId id) {
  const Kernel& kernel = topology_.kernels[index(id)];
  LetsByPlace lets;
  if (const auto& accesses = accesses_[index(id)]) {
    for (const analysis::TouchedBytes& let : accesses->lets) {
      lets.emplace(std::pair(std::string_view(let.let), let.let_offset), &let);
    }
  }
  for (std::size_t i = 0; i < kernel.workspaces.size(); ++i) {
    const KernelBuffer& workspace = kernel.workspaces[i];
    PoolProblem* pool = problem_of(workspace.pool);
    if (pool == nullptr) continue;
    if (!workspace.offset || !workspace.bytes) {
      refuse_unplaced(*pool, quoted(workspace.name) + " in " + quoted(kernel.symbol));
      continue;
    }
    PlannedBuffer buffer{.source = kernel.source,
                         .function = kernel.function,
                         .variable = workspace.name,
                         .pool = *workspace.pool,
                         .offset = *workspace.offset,
                         .bytes = check_workspace(id, workspace, lets, *pool),
                         .kernel = id,
                         .workspace = i};
    if (const auto touched = scratch_ticks(id, workspace, *pool)) {
      buffer.live = ticks_.in_calls_of(id, *touched);
    }
    scratch_lives_ += buffer.live.size();
    if (scratch_lives_ > kMaxScratchLives) return refuse(*pool, "there are too many calls");
    buffer.live = joined(std::move(buffer.live));
    if (buffer.live.empty()) {
      buffer.live = {{0, 1}};
      buffer.bytes = 0;
    }
    pool->buffers.push_back(std::move(buffer));
  }
}

/// The buffer of a pool that a kernel touches in only one way during a call.
std::optional<std::size_t> NetworkReader::buffer_of(const Call& call, const TickMemory& memory,
                                                    PoolProblem& pool) const {
  const KernelTicks& ticks = *ticks_.of(call.kernel);
  if (memory.argument >= call.arguments.size()) return std::nullopt;
  const Argument& argument = call.arguments[memory.argument];
  const auto is_it = [&](const PlannedBuffer& buffer) {
    if (!memory.let) return buffer.storage.has_value() && buffer.storage == argument.storage;
    const LetTicks& let = ticks.lets[*memory.let];
    return buffer.kernel == call.kernel && buffer.variable == let.name &&
           buffer.offset == let.offset;
  };
  if (memory.let) {
    // Lets with one name and offset are one buffer, so the code may also touch it through the other
    // one.
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

/// Finds pairs that the code of one call allows and that the other values in the two buffers do not
/// forbid: one buffer is not needed after it, the other not before it.
void NetworkReader::find_in_place(graph::CallId id) {
  const Call& call = topology_[id];
  const std::optional<KernelTicks>& ticks = ticks_.of(call.kernel);
  if (!ticks) return;
  for (const InPlaceTick& one : ticks->in_place) {
    const std::int64_t tick = ticks_.begin_of(call) + one.tick;
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

}  // namespace mlf::plan
