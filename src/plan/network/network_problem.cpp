// The pools of a network, the buffers of each with their lifetimes as a problem of allocation, the
// pairs of which one may overwrite the other, and the reasons to move none of them: bytes that a
// kernel touches outside of the buffer that moves or reads before a known writer wrote them,
// unknown code, devices, and plans that contradict the lifetimes.
#include "plan/network/network_problem.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/cost/accesses.h"
#include "graph/node_queries.h"
#include "plan/allocator/tvm_planners.h"
#include "plan/network/network_ticks.h"

namespace mlf::plan {
namespace {

using analysis::ByteSet;
using analysis::ByteSpan;
using analysis::TouchedBytes;
using graph::Argument;
using graph::Call;
using graph::Direction;
using graph::Kernel;
using graph::KernelBuffer;
using graph::PoolId;
using graph::quoted;
using graph::Storage;
using graph::Topology;
using graph::Value;

// At most 2^20: no larger alignment of addresses is known.
std::uint64_t alignment_of_offset(std::uint64_t offset) {
  constexpr int kMost = 20;
  return std::uint64_t{1} << (offset == 0 ? kMost : std::min(std::countr_zero(offset), kMost));
}

// The most lifetimes of workspaces, one for each call, of one network.
constexpr std::size_t kMaxScratchLives = 10'000'000;

/// Leaves the buffer out of the pool. This also makes the extent of the pool's buffers unknown.
void refuse_unplaced(PoolProblem& pool, const std::string& name) {
  pool.used.reset();
  refuse(pool, "place or size of " + name + " is not known");
}

/// Empty if the number of bytes is unknown or impossible for a tensor.
ByteSet all_of(std::optional<std::uint64_t> bytes) {
  const bool is_possible = bytes && *bytes <= std::uint64_t{1} << 60;
  return is_possible ? ByteSet({0, static_cast<std::int64_t>(*bytes)}) : ByteSet();
}

/// The first byte of `wanted` that `there` lacks.
std::int64_t first_missing(const ByteSet& wanted, const ByteSet& there) {
  for (const ByteSpan& span : wanted.spans()) {
    std::int64_t at = span.begin;
    for (const ByteSpan& known : there.spans()) {
      if (known.begin <= at && at < known.end) at = known.end;
    }
    if (at < span.end) return at;
  }
  return wanted.hull().begin;
}

void refuse_unknown(const TouchedBytes& touched, const std::string& what, PoolProblem& pool) {
  for (const std::string& why : touched.unknown) {
    pool.used.reset();
    refuse(pool, what + " " + why);
  }
}

/// The pools of one network while they are read.
struct PoolReading {
  const Topology& topology;
  std::span<const graph::TirInput> sources;
  const NetworkTicks& ticks;
  std::vector<PoolProblem> pools;
  std::vector<std::optional<analysis::Accesses>> accesses;  // by kernel; nothing: no TIR
  std::vector<std::uint64_t> reaches;                       // by storage: up to where it is touched
  std::size_t scratch_lives = 0;

  /// Constants keep their offsets, at which the archive contains their bytes.
  PoolReading(const Topology& network, std::span<const graph::TirInput> inputs,
              const NetworkTicks& network_ticks)
      : topology(network),
        sources(inputs),
        ticks(network_ticks),
        accesses(network.kernels.size()),
        reaches(network.storages.size()) {
    for (std::size_t i = 0; i < topology.pools.size(); ++i) {
      const graph::Pool& pool = topology.pools[i];
      if (pool.kind != graph::PoolKind::workspace) continue;
      pools.push_back({.pool = static_cast<PoolId>(i), .declared = pool.bytes, .used = 0});
    }
  }

  PoolProblem* problem_of(std::optional<PoolId> pool) {
    const auto at = std::ranges::find_if(
        pools, [&](const PoolProblem& problem) { return problem.pool == pool; });
    return at == pools.end() ? nullptr : &*at;
  }

  void refuse_all(const std::string& why) {
    for (PoolProblem& pool : pools) refuse(pool, why);
  }
};

/// A kernel with its place in the generated C, or else its source member.
std::string kernel_at(const PoolReading& reading, graph::KernelId id) {
  const Kernel& kernel = reading.topology.kernels[index(id)];
  for (const graph::TirInput& source : reading.sources) {
    if (source.stem != kernel.source) continue;
    const auto place = source.document->c_places.find(kernel.function);
    if (place != source.document->c_places.end()) {
      return fmt::format("{} ({}:{})", quoted(kernel.symbol), place->second.member,
                         place->second.line);
    }
    return fmt::format("{} ({})", quoted(kernel.symbol), source.document->source.member);
  }
  return quoted(kernel.symbol);
}

void refuse_pools_of(PoolReading& reading, const Call& call, const std::string& why) {
  for (const Argument& argument : call.arguments) {
    if (PoolProblem* pool = reading.problem_of(argument.pool)) refuse(*pool, why);
  }
}

/// Every address in a pool that the kernel touches must be one of its workspaces: an address
/// without a constant offset would stay in place while others move.
void check_lets(PoolReading& reading, const Call& call, const KernelTicks& ticks) {
  const Kernel& kernel = reading.topology.kernel_of(call);
  std::map<std::pair<std::string_view, std::uint64_t>, const graph::KernelBuffer*> workspaces;
  for (const graph::KernelBuffer& one : kernel.workspaces) {
    if (one.offset) workspaces.try_emplace({one.name, *one.offset}, &one);
  }
  for (const LetTicks& let : ticks.lets) {
    if (!let.touched || let.argument >= call.arguments.size()) continue;
    PoolProblem* const pool = reading.problem_of(call.arguments[let.argument].pool);
    if (pool == nullptr) continue;
    const auto workspace = let.offset ? workspaces.find({let.name, *let.offset}) : workspaces.end();
    if (workspace == workspaces.end()) {
      refuse(*pool, "the offset of " + quoted(let.name) + " in " + quoted(kernel.symbol) +
                        " is not known");
    } else if (workspace->second->pool != pool->pool) {
      // The first call determines the pool.
      refuse(*pool, quoted(kernel.symbol) + " is given another pool by another call");
    }
  }
}

/// Checks that all effects of the call on memory of pools are known.
void check_call(PoolReading& reading, const Call& call) {
  const Kernel& kernel = reading.topology.kernel_of(call);
  const std::optional<KernelTicks>& ticks = reading.ticks.of(call.kernel);
  if (!ticks) {
    return reading.refuse_all(quoted(kernel.symbol) +
                              " has no TIR: it may keep the pointers that it is given");
  }
  if (!ticks->is_followed) {
    reading.refuse_all("the pointers of " + quoted(kernel.symbol) + " cannot be followed");
  }
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const Argument& argument = call.arguments[i];
    const bool is_touched = i < ticks->arguments.size() && ticks->arguments[i];
    if (argument.direction == Direction::unknown) {
      reading.refuse_all(quoted(kernel.symbol) + " is given something that is not known");
    } else if (argument.direction == Direction::context && is_touched) {
      reading.refuse_all(quoted(kernel.symbol) + " uses a device context");
    } else if (argument.direction == Direction::pool && is_touched) {
      refuse_pools_of(reading, call, quoted(kernel.symbol) + " uses a pool without a let");
    }
  }
  for (const auto& [callee, takes_memory] : ticks->unknown_callees) {
    if (!takes_memory) continue;
    reading.refuse_all(quoted(callee) + ", which " + quoted(kernel.symbol) +
                       " calls, may keep the pointers that it is given");
  }
  for (const std::string& gap : kernel.gaps) {
    reading.refuse_all(quoted(kernel.symbol) + " is not understood: " + gap);
  }
  check_lets(reading, call, *ticks);
}

/// Checks that concern the whole network. If the graph reader is not certain of a network, no
/// proof exists that it works with other offsets. A device may keep memory that a hook passed to
/// it.
void check_network(PoolReading& reading) {
  for (const graph::Check& check : reading.topology.checks) {
    const graph::CheckInfo& about = info(check.code);
    if (about.severity == graph::Severity::error) {
      reading.refuse_all("the network is not certain: " + check.detail);
    }
  }
  for (const std::string& gap : reading.topology.gaps)
    reading.refuse_all("main is not understood: " + gap);
  for (const graph::Hook& hook : reading.topology.hooks) {
    reading.refuse_all(quoted(hook.symbol) + " may give memory to a device");
  }
  for (const Call& call : reading.topology.calls) check_call(reading, call);
}

/// Follows the steps of main in order: each step finds the contents that the earlier ones left.
class AccessReader {
 public:
  explicit AccessReader(PoolReading& reading)
      : reading_(reading), contents_(reading.topology.values.size()) {}

  void run() {
    for (std::size_t i = 0; i < reading_.topology.values.size(); ++i) {
      const graph::Value& value = reading_.topology.values[i];
      if (value.kind != graph::ValueKind::computed) {
        const auto bytes = value.bytes ? value.bytes : reading_.topology[value.storage].bytes;
        contents_[i] = all_of(bytes);
      }
    }
    std::vector<const Call*> calls(reading_.topology.steps());
    std::vector<const graph::Copy*> copies(reading_.topology.steps());
    for (const Call& call : reading_.topology.calls) calls[call.position] = &call;
    for (const graph::Copy& copy : reading_.topology.copies) copies[copy.position] = &copy;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls[i] != nullptr) read_accesses_of(*calls[i]);
      if (copies[i] != nullptr) read_accesses_of(*copies[i]);
    }
    check_outputs();
  }

 private:
  /// Checks that all bytes of outputs in a pool are written, because the caller reads them.
  void check_outputs() {
    for (const graph::Port& port : reading_.topology.outputs) {
      if (!port.value) continue;
      const graph::Value& value = reading_.topology[*port.value];
      PoolProblem* const pool = reading_.problem_of(reading_.topology[value.storage].pool);
      if (pool == nullptr || contents_[index(*port.value)].covers(all_of(value.bytes))) continue;
      refuse(*pool, "not all of the output " + quoted(port.name) + " is written");
    }
  }

  void read_accesses_of(const graph::Copy& copy) {
    const auto all = all_of(copy.bytes);
    const graph::StorageId to = reading_.topology[copy.writes].storage;
    reach(to, all, "a copy of main");
    contents_[index(copy.writes)] = all;
    if (!copy.reads) return;
    const graph::StorageId from = reading_.topology[*copy.reads].storage;
    reach(from, all, "a copy of main");
    expect_written(from, all, contents_[index(*copy.reads)], "a copy of main");
  }

  /// Widens the buffer to all bytes that are touched.
  void reach(graph::StorageId id, const ByteSet& bytes, const std::string& who) {
    const graph::Storage& storage = reading_.topology[id];
    PoolProblem* const pool = reading_.problem_of(storage.pool);
    if (pool == nullptr) return;
    const ByteSpan hull = bytes.hull();
    if (hull.begin < 0) {
      refuse(*pool, fmt::format("{} may touch byte {} of {}, which is before it", who, hull.begin,
                                quoted(storage.name)));
    }
    // A loop of unknown extent may run as often as its type permits.
    constexpr std::int64_t kNoBound = std::numeric_limits<std::int32_t>::max();
    if (hull.end >= kNoBound) {
      return refuse(*pool,
                    fmt::format("{} touches {} without a known bound", who, quoted(storage.name)));
    }
    std::uint64_t& end = reading_.reaches[index(id)];
    end = std::max(end, static_cast<std::uint64_t>(std::max<std::int64_t>(hull.end, 0)));
  }

  void expect_written(graph::StorageId id, const ByteSet& read, const ByteSet& there,
                      const std::string& who) {
    const graph::Storage& storage = reading_.topology[id];
    PoolProblem* const pool = reading_.problem_of(storage.pool);
    if (pool == nullptr || there.covers(read)) return;
    refuse(*pool, fmt::format("{} may read byte {} of {}, which is not known to be written", who,
                              first_missing(read, there), quoted(storage.name)));
  }

  void read_accesses_of(const Call& call) {
    const std::optional<analysis::Accesses>& accesses = reading_.accesses[index(call.kernel)];
    // Without TIR, the pools are already refused.
    if (!accesses) return;
    const std::string who = kernel_at(reading_, call.kernel);
    for (const std::string& why : accesses->unknown) reading_.refuse_all(who + " " + why);
    std::vector<const TouchedBytes*> by_argument(call.arguments.size());
    for (const TouchedBytes& touched : accesses->arguments) {
      if (touched.argument < by_argument.size()) by_argument[touched.argument] = &touched;
    }
    // All reads come before all writes: a call may pass one argument twice.
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      if (by_argument[i] != nullptr) read_argument(call.arguments[i], *by_argument[i], who);
    }
    static const TouchedBytes kUntouched;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      write_argument(call.arguments[i], by_argument[i] == nullptr ? kUntouched : *by_argument[i]);
    }
  }

  void read_argument(const Argument& argument, const TouchedBytes& touched,
                     const std::string& who) {
    if (!argument.storage) return;
    PoolProblem* const pool = reading_.problem_of(reading_.topology[*argument.storage].pool);
    if (pool == nullptr) return;
    const std::string& name = reading_.topology[*argument.storage].name;
    refuse_unknown(touched, who + ": " + quoted(name), *pool);
    reach(*argument.storage, touched.reach, who);
    const ByteSet there = argument.reads ? contents_[index(*argument.reads)] : ByteSet();
    expect_written(*argument.storage, touched.read, there, who);
    if (touched.is_written && !argument.writes) {
      refuse(*pool,
             fmt::format("{} writes {}, which the network does not show", who, quoted(name)));
    }
  }

  /// A result that updates its input keeps the bytes that the kernel does not write.
  void write_argument(const Argument& argument, const TouchedBytes& touched) {
    if (!argument.writes || !argument.storage) return;
    ByteSet& there = contents_[index(*argument.writes)];
    there = touched.written;
    if (argument.direction == Direction::in_out && argument.reads) {
      there.add(contents_[index(*argument.reads)]);
    }
  }

  PoolReading& reading_;
  std::vector<ByteSet> contents_;  // by value: what is certainly written of it
};

/// A buffer that never contains a value takes no memory, but the code computes its address.
void add_buffer(PlannedBuffer buffer, PoolProblem& pool) {
  if (buffer.live.empty()) {
    buffer.live = {{0, 1}};
    buffer.bytes = 0;
  }
  pool.buffers.push_back(std::move(buffer));
}

/// By the name and offset of a let.
using LetsByPlace = std::multimap<std::pair<std::string_view, std::int64_t>, const TouchedBytes*>;

/// Checks the bytes of a workspace, which only the present call of this kernel may have written.
/// The address is its beginning.
std::uint64_t check_workspace(PoolReading& reading, graph::KernelId id,
                              const graph::KernelBuffer& workspace, const LetsByPlace& lets,
                              PoolProblem& pool) {
  std::uint64_t bytes = *workspace.bytes;
  const std::optional<analysis::Accesses>& accesses = reading.accesses[index(id)];
  if (!accesses) return bytes;
  const std::string who = kernel_at(reading, id);
  const std::string name = quoted(workspace.name);
  const auto offset = static_cast<std::int64_t>(*workspace.offset);
  const auto [first, last] = lets.equal_range({workspace.name, offset});
  for (auto found = first; found != last; ++found) {
    const TouchedBytes& let = *found->second;
    refuse_unknown(let, who + ": " + name, pool);
    const ByteSpan hull = let.reach.hull();
    if (let.reach.is_empty()) continue;
    if (hull.begin < let.let_offset) {
      refuse(pool, fmt::format("{} may touch byte {} of {}, which is before it", who,
                               hull.begin - let.let_offset, name));
    }
    if (!let.read.is_empty()) {
      refuse(pool, fmt::format("{} may read byte {} of {} before it has written that", who,
                               let.read.hull().begin - let.let_offset, name));
    }
    const std::int64_t end = std::max<std::int64_t>(hull.end - let.let_offset, 0);
    bytes = std::max(bytes, static_cast<std::uint64_t>(end));
  }
  return bytes;
}

/// Adds a tensor of main, with all values that it contains one after the other.
void add_storage(PoolReading& reading, graph::StorageId id,
                 std::span<const graph::ValueId> values) {
  const Storage& storage = reading.topology[id];
  PoolProblem* pool = reading.problem_of(storage.pool);
  if (pool == nullptr) return;
  PlannedBuffer buffer{.source = reading.topology.provenance.source,
                       .function = reading.topology.provenance.function,
                       .variable = storage.name,
                       .pool = *storage.pool,
                       .storage = id};
  std::uint64_t bytes = std::max(storage.bytes.value_or(0), reading.reaches[index(id)]);
  bool is_known = storage.offset.has_value();
  std::vector<Interval> live;
  for (const graph::ValueId id_of_value : values) {
    const Value& value = reading.topology[id_of_value];
    is_known = is_known && (value.bytes || storage.bytes || reading.reaches[index(id)] > 0);
    bytes = std::max(bytes, value.bytes.value_or(0));
    live.push_back(reading.ticks.life_of(id_of_value).possible);
  }
  if (!is_known) return refuse_unplaced(*pool, quoted(storage.name));
  buffer.offset = *storage.offset;
  buffer.bytes = bytes;
  buffer.live = joined(std::move(live));
  if (const graph::Port* port = port_of(reading.topology, id)) {
    buffer.is_port = true;
    buffer.variable = port->parameter;
  }
  // A place without a let has such a name (graph/network/storages.cpp).
  if (storage.name.starts_with(reading.topology[*storage.pool].name + "+")) {
    refuse(*pool, quoted(storage.name) + " has no let");
  }
  add_buffer(std::move(buffer), *pool);
}

void add_storages(PoolReading& reading) {
  std::vector<std::vector<graph::ValueId>> values(reading.topology.storages.size());
  for (std::size_t i = 0; i < reading.topology.values.size(); ++i) {
    values[index(reading.topology.values[i].storage)].push_back(static_cast<graph::ValueId>(i));
  }
  for (std::size_t i = 0; i < reading.topology.storages.size(); ++i) {
    add_storage(reading, static_cast<graph::StorageId>(i), values[i]);
  }
}

/// The ticks of a call in which the memory of a let is touched.
KernelTicks::FoundBuffer find_let(const PoolReading& reading, graph::KernelId id,
                                  const KernelBuffer& buffer) {
  return reading.ticks.of(id) ? reading.ticks.of(id)->find(buffer) : KernelTicks::FoundBuffer();
}

/// Adds constants in their own pool, which TVM's planner counts together with workspaces.
void add_constants(const PoolReading& reading, graph::KernelId id,
                   std::vector<KernelConstant>& constants) {
  for (const KernelBuffer& constant : reading.topology.kernels[index(id)].constants) {
    const auto touched = find_let(reading, id, constant).touched;
    if (!constant.pool || !touched) continue;
    constants.push_back({constant.bytes, reading.ticks.in_calls_of(id, *touched)});
  }
}

void add_workspaces(PoolReading& reading, graph::KernelId id) {
  const Kernel& kernel = reading.topology.kernels[index(id)];
  LetsByPlace lets;
  if (const auto& accesses = reading.accesses[index(id)]) {
    for (const analysis::TouchedBytes& let : accesses->lets) {
      lets.emplace(std::pair(std::string_view(let.let), let.let_offset), &let);
    }
  }
  for (std::size_t i = 0; i < kernel.workspaces.size(); ++i) {
    const KernelBuffer& workspace = kernel.workspaces[i];
    PoolProblem* pool = reading.problem_of(workspace.pool);
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
                         .bytes = check_workspace(reading, id, workspace, lets, *pool),
                         .kernel = id,
                         .workspace = i};
    const auto [is_found, touched] = find_let(reading, id, workspace);
    if (!is_found) {
      refuse(*pool,
             fmt::format("the let '{}' in '{}' cannot be followed", workspace.name, kernel.symbol));
    }
    if (touched) buffer.live = reading.ticks.in_calls_of(id, *touched);
    reading.scratch_lives += buffer.live.size();
    if (reading.scratch_lives > kMaxScratchLives) return refuse(*pool, "there are too many calls");
    buffer.live = joined(std::move(buffer.live));
    add_buffer(std::move(buffer), *pool);
  }
}

/// The buffer of a pool that a kernel touches in only one way during a call.
std::optional<std::size_t> buffer_of(const KernelTicks& ticks, const Call& call,
                                     const TickMemory& memory, const PoolProblem& pool) {
  if (memory.argument >= call.arguments.size()) return std::nullopt;
  const Argument& argument = call.arguments[memory.argument];
  const auto is_it = [&](const PlannedBuffer& buffer) {
    if (!memory.let) return buffer.storage.has_value() && buffer.storage == argument.storage;
    const LetTicks& let = ticks.lets[*memory.let];
    return buffer.kernel == call.kernel && buffer.variable == let.name &&
           buffer.offset == let.offset;
  };
  if (memory.let) {
    // Lets with one name and offset are one buffer, so the code may also touch it through the
    // other one.
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

/// Finds pairs that the code of one call allows and that the other values in the two buffers do
/// not forbid: one buffer is not needed after it, the other not before it.
void find_in_place(PoolReading& reading, graph::CallId id) {
  const Call& call = reading.topology[id];
  const std::optional<KernelTicks>& ticks = reading.ticks.of(call.kernel);
  if (!ticks) return;
  for (const InPlaceTick& one : ticks->in_place) {
    const std::int64_t tick = reading.ticks.begin_of(call) + one.tick;
    for (PoolProblem& pool : reading.pools) {
      const auto from = buffer_of(*ticks, call, one.from, pool);
      const auto to = buffer_of(*ticks, call, one.to, pool);
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

/// Determines alignments and the extent of the buffers, and makes the buffers a problem for the
/// allocator.
void make_problem(const Topology& topology, PoolProblem& pool,
                  std::span<const PoolAlignment> alignments) {
  // TVM's alignment divides all offsets, so the largest common divisor of the offsets is
  // sufficient. With less than TVM's default, elements would not be aligned.
  std::uint64_t stated = alignment_of_offset(0);
  for (const PlannedBuffer& buffer : pool.buffers) {
    stated = std::min(stated, alignment_of_offset(buffer.offset));
  }
  for (const PoolAlignment& alignment : alignments) {
    if (alignment.pool != topology[pool.pool].name) continue;
    stated = std::min(stated, alignment.bytes);
    pool.is_alignment_stated = true;
  }
  stated = std::max(stated, kDefaultAlignment);
  for (PlannedBuffer& buffer : pool.buffers) {
    buffer.alignment = std::min(stated, alignment_of_offset(buffer.offset));
    if (pool.used) pool.used = std::max(*pool.used, end_of(buffer));
    Buffer plain{.id = name_of(topology, buffer),
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

}  // namespace

NetworkProblem read_network(const Topology& topology, std::span<const graph::TirInput> sources,
                            std::span<const PoolAlignment> alignments) {
  const NetworkTicks ticks(topology, sources);
  PoolReading reading(topology, sources, ticks);
  NetworkProblem result{.first_tick = ticks.clock()};
  const std::vector<const graph::KernelCode*> codes = code_of_kernels(topology, sources);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (codes[i] != nullptr) reading.accesses[i] = analysis::accesses_of(*codes[i]);
  }
  check_network(reading);
  AccessReader(reading).run();
  // Buffers come before pairs of buffers, and both come before the alignment, which depends on all
  // offsets of a pool.
  add_storages(reading);
  for (std::size_t i = 0; i < topology.kernels.size(); ++i) {
    add_workspaces(reading, static_cast<graph::KernelId>(i));
    add_constants(reading, static_cast<graph::KernelId>(i), result.constants);
  }
  for (std::size_t i = 0; i < topology.calls.size(); ++i) {
    find_in_place(reading, static_cast<graph::CallId>(i));
  }
  for (PoolProblem& pool : reading.pools) make_problem(topology, pool, alignments);
  result.pools = std::move(reading.pools);
  return result;
}

std::vector<PoolProblem> placed_buffers(const Topology& topology, const NetworkTicks& ticks) {
  PoolReading reading(topology, {}, ticks);
  add_storages(reading);
  for (std::size_t i = 0; i < topology.kernels.size(); ++i) {
    add_workspaces(reading, static_cast<graph::KernelId>(i));
  }
  return std::move(reading.pools);
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

}  // namespace mlf::plan
