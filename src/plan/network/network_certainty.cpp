// Pools that mlf does not move, and the reasons: bytes that a kernel touches outside of the buffer
// that moves or reads before a known writer wrote them, unknown code, devices, and plans that
// contradict the lifetimes.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "graph/network/completion.h"
#include "graph/node_queries.h"
#include "plan/network/network_problem.h"
#include "plan/network/network_reader.h"
#include "support/lookup.h"

namespace mlf::plan {
namespace {

using analysis::ByteSet;
using analysis::ByteSpan;
using analysis::TouchedBytes;
using graph::Argument;
using graph::Call;
using graph::Direction;
using graph::Kernel;
using graph::quoted;

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

}  // namespace

/// A kernel with its place in the generated C, or else its source member.
std::string NetworkReader::kernel_at(graph::KernelId id) const {
  const Kernel& kernel = topology_.kernels[index(id)];
  for (const graph::TirInput& source : sources_) {
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

/// Follows the steps of main in order: each step finds the contents that the earlier ones left.
void NetworkReader::read_accesses() {
  contents_.resize(topology_.values.size());
  reaches_.resize(topology_.storages.size());
  for (std::size_t i = 0; i < topology_.values.size(); ++i) {
    const graph::Value& value = topology_.values[i];
    if (value.kind != graph::ValueKind::computed) {
      const auto bytes = value.bytes ? value.bytes : topology_[value.storage].bytes;
      contents_[i] = all_of(bytes);
    }
  }
  std::vector<const Call*> calls(topology_.steps());
  std::vector<const graph::Copy*> copies(topology_.steps());
  for (const Call& call : topology_.calls) calls[call.position] = &call;
  for (const graph::Copy& copy : topology_.copies) copies[copy.position] = &copy;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i] != nullptr) read_accesses_of(*calls[i]);
    if (copies[i] != nullptr) read_accesses_of(*copies[i]);
  }
  check_outputs();
}

/// Checks that all bytes of outputs in a pool are written, because the caller reads them.
void NetworkReader::check_outputs() {
  for (const graph::Port& port : topology_.outputs) {
    if (!port.value) continue;
    const graph::Value& value = topology_[*port.value];
    PoolProblem* const pool = problem_of(topology_[value.storage].pool);
    if (pool == nullptr || contents_[index(*port.value)].covers(all_of(value.bytes))) continue;
    refuse(*pool, "not all of the output " + quoted(port.name) + " is written");
  }
}

void NetworkReader::read_accesses_of(const graph::Copy& copy) {
  const auto all = all_of(copy.bytes);
  const graph::StorageId to = topology_[copy.writes].storage;
  reach(to, all, "a copy of main");
  contents_[index(copy.writes)] = all;
  if (!copy.reads) return;
  const graph::StorageId from = topology_[*copy.reads].storage;
  reach(from, all, "a copy of main");
  expect_written(from, all, contents_[index(*copy.reads)], "a copy of main");
}

/// Widens the buffer to all bytes that are touched.
void NetworkReader::reach(graph::StorageId id, const ByteSet& bytes, const std::string& who) {
  const graph::Storage& storage = topology_[id];
  PoolProblem* const pool = problem_of(storage.pool);
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
  std::uint64_t& end = reaches_[index(id)];
  end = std::max(end, static_cast<std::uint64_t>(std::max<std::int64_t>(hull.end, 0)));
}

void NetworkReader::expect_written(graph::StorageId id, const ByteSet& read, const ByteSet& there,
                                   const std::string& who) {
  const graph::Storage& storage = topology_[id];
  PoolProblem* const pool = problem_of(storage.pool);
  if (pool == nullptr || there.covers(read)) return;
  refuse(*pool, fmt::format("{} may read byte {} of {}, which is not known to be written", who,
                            first_missing(read, there), quoted(storage.name)));
}

void NetworkReader::read_accesses_of(const Call& call) {
  const std::optional<analysis::Accesses>& accesses = accesses_[index(call.kernel)];
  // Without TIR, the pools are already refused.
  if (!accesses) return;
  const std::string who = kernel_at(call.kernel);
  for (const std::string& why : accesses->unknown) refuse_all(who + " " + why);
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

void NetworkReader::read_argument(const Argument& argument, const TouchedBytes& touched,
                                  const std::string& who) {
  if (!argument.storage) return;
  PoolProblem* const pool = problem_of(topology_[*argument.storage].pool);
  if (pool == nullptr) return;
  const std::string& name = topology_[*argument.storage].name;
  for (const std::string& why : touched.unknown) {
    pool->used.reset();
    refuse(*pool, fmt::format("{}: {} {}", who, quoted(name), why));
  }
  reach(*argument.storage, touched.reach, who);
  const ByteSet there = argument.reads ? contents_[index(*argument.reads)] : ByteSet();
  expect_written(*argument.storage, touched.read, there, who);
  if (touched.is_written && !argument.writes) {
    refuse(*pool, fmt::format("{} writes {}, which the network does not show", who, quoted(name)));
  }
}

/// A result that updates its input keeps the bytes that the kernel does not write.
void NetworkReader::write_argument(const Argument& argument, const TouchedBytes& touched) {
  if (!argument.writes || !argument.storage) return;
  ByteSet& there = contents_[index(*argument.writes)];
  there = touched.written;
  if (argument.direction == Direction::in_out && argument.reads) {
    there.add(contents_[index(*argument.reads)]);
  }
}

/// Checks the bytes of a workspace, which only the present call of this kernel may have written.
/// The address is its beginning.
std::uint64_t NetworkReader::check_workspace(graph::KernelId id,
                                             const graph::KernelBuffer& workspace,
                                             const LetsByPlace& lets, PoolProblem& pool) {
  std::uint64_t bytes = *workspace.bytes;
  const std::optional<analysis::Accesses>& accesses = accesses_[index(id)];
  if (!accesses) return bytes;
  const std::string who = kernel_at(id);
  const std::string name = quoted(workspace.name);
  const auto offset = static_cast<std::int64_t>(*workspace.offset);
  const auto [first, last] = lets.equal_range({workspace.name, offset});
  for (auto found = first; found != last; ++found) {
    const TouchedBytes& let = *found->second;
    for (const std::string& why : let.unknown) {
      pool.used.reset();
      refuse(pool, fmt::format("{}: {} {}", who, name, why));
    }
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

namespace {

using graph::CheckInfo;

// A few are enough to show the error.
constexpr std::size_t kMaxReasons = 20;

/// A buffer, and the end of the bytes that it certainly has.
struct PlacedBytes {
  const PlannedBuffer* buffer = nullptr;
  std::uint64_t end = 0;
};

/// Calls `visit` for the buffers of each pair that shares bytes, until it returns false. Returns
/// false if there are more than `most_pairs` to compare.
template <class Visit>
bool for_each_overlap(std::vector<PlacedBytes> placed, std::size_t most_pairs, Visit visit) {
  std::ranges::sort(placed, {}, [](const PlacedBytes& one) { return one.buffer->offset; });
  for (auto a = placed.begin(); a != placed.end(); ++a) {
    for (auto b = a + 1; b != placed.end() && b->buffer->offset < a->end; ++b) {
      if (most_pairs-- == 0) return false;
      const bool is_empty = b->buffer->offset == b->end;
      if (!is_empty && !visit(*a->buffer, *b->buffer)) return true;
    }
  }
  return true;
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
  support::add_once(pool.refused, std::move(why), kMaxReasons);
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
  const std::optional<KernelTicks>& ticks = ticks_.of(call.kernel);
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
  std::map<std::pair<std::string_view, std::uint64_t>, const graph::KernelBuffer*> workspaces;
  for (const graph::KernelBuffer& one : kernel.workspaces) {
    if (one.offset) workspaces.try_emplace({one.name, *one.offset}, &one);
  }
  for (const LetTicks& let : ticks.lets) {
    if (!let.touched || let.argument >= call.arguments.size()) continue;
    PoolProblem* const pool = problem_of(call.arguments[let.argument].pool);
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

/// In the archive's own plan, two buffers that are live together must not share a byte, unless one
/// overwrites the other in place. Otherwise the planner knows more than this reader, or one of the
/// two is wrong.
void check_own_plan(const graph::Topology& topology, PoolProblem& pool) {
  constexpr std::size_t kMostPairs = 50'000'000;
  std::vector<PlacedBytes> placed;
  for (const PlannedBuffer& buffer : pool.buffers) placed.push_back({&buffer, end_of(buffer)});
  const auto check = [&](const PlannedBuffer& a, const PlannedBuffer& b) {
    if (are_alive_together(a.live, b.live) && !are_in_place(pool, a, b)) {
      refuse(pool, quoted(name_of(topology, a)) + " and " + quoted(name_of(topology, b)) +
                       " share bytes, and the TIR does not show that they may");
    }
    return pool.refused.size() < kMaxReasons;
  };
  if (!for_each_overlap(std::move(placed), kMostPairs, check)) {
    refuse(pool, "the pool has too many buffers");
  }
}

namespace {

using graph::CheckCode;
using graph::Topology;

// A few are enough to show the error.
constexpr std::size_t kMaxChecks = 20;

bool is_computed_with(const Topology& topology, const NetworkTicks& ticks, graph::KernelId kernel) {
  const std::optional<KernelTicks>& known = ticks.of(kernel);
  return topology.kernels[index(kernel)].has_tir() && known && known->is_followed &&
         std::ranges::none_of(known->unknown_callees,
                              [](const UnknownCallee& callee) { return callee.takes_memory; });
}

/// The buffers, each with the end that it certainly reaches. Leaves out workspaces of kernels that
/// are not understood and tensors that these receive, because only the kernel's code shows when
/// they are in use.
std::vector<PlacedBytes> certain_buffers(const Topology& topology, const NetworkTicks& ticks,
                                         const PoolProblem& pool) {
  const std::set<graph::StorageId> uncertain = graph::storages_of_externals(topology);
  // A storage may have several values, one after the other.
  std::map<graph::StorageId, std::uint64_t> least;
  for (const graph::Value& value : topology.values) {
    const std::uint64_t bytes = value.bytes.value_or(0);
    const auto [known, is_new] = least.try_emplace(value.storage, bytes);
    if (!is_new) known->second = std::min(known->second, bytes);
  }
  std::vector<PlacedBytes> list;
  for (const PlannedBuffer& buffer : pool.buffers) {
    if (buffer.storage && uncertain.contains(*buffer.storage)) continue;
    if (!buffer.kernel && buffer.storage) {
      list.push_back({&buffer, buffer.offset + std::min(least[*buffer.storage], buffer.bytes)});
    } else if (buffer.kernel && is_computed_with(topology, ticks, *buffer.kernel)) {
      const graph::Kernel& kernel = topology.kernels[index(*buffer.kernel)];
      const std::uint64_t bytes = kernel.workspaces[buffer.workspace].at_least;
      list.push_back({&buffer, buffer.offset + std::min(bytes, buffer.bytes)});
    }
  }
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
  NetworkReader reader(topology, sources);
  // Code that mentions arguments without using them makes lifetimes look longer than they are.
  const bool is_bound = std::ranges::any_of(
      reader.ticks().kernels(),
      [](const std::optional<KernelTicks>& kernel) { return kernel && kernel->is_packed; });
  if (is_bound) return checks;
  // Offsets and lifetimes tell; only where a size is unknown would the bytes matter that kernels
  // touch.
  constexpr std::size_t kMostPairs = 10'000'000;
  for (const PoolProblem& pool : reader.placed()) {
    const auto check = [&](const PlannedBuffer& a, const PlannedBuffer& b) {
      const bool is_of_main = !a.kernel && !b.kernel;
      if (is_of_main || !are_in_use_together(a, b)) return true;
      const PlannedBuffer& workspace = b.kernel ? b : a;
      const PlannedBuffer& other = b.kernel ? a : b;
      checks.push_back({CheckCode::storage_overlap,
                        quoted(name_of(topology, workspace)) + " is put over " +
                            quoted(name_of(topology, other)) + ", which is in use then"});
      return checks.size() < kMaxChecks;
    };
    for_each_overlap(certain_buffers(topology, reader.ticks(), pool), kMostPairs, check);
    if (checks.size() == kMaxChecks) break;
  }
  return checks;
}

}  // namespace mlf::plan
