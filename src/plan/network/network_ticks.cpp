// The clock of a network, and its own plan as the lifetimes show it.
#include "plan/network/network_ticks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "graph/kernels/kernel_code.h"
#include "graph/network/completion.h"
#include "graph/node_queries.h"
#include "support/lookup.h"

namespace mlf::plan {

using graph::Call;
using graph::quoted;
using graph::Topology;

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
  for (const graph::Kernel& kernel : topology.kernels) {
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

const graph::Port* port_of(const Topology& topology, graph::StorageId id) {
  for (const std::vector<graph::Port>* ports : {&topology.inputs, &topology.outputs}) {
    for (const graph::Port& port : *ports) {
      if (port.value && topology[*port.value].storage == id) return &port;
    }
  }
  return nullptr;
}

namespace {

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

// A few are enough to show the error.
constexpr std::size_t kMaxChecks = 20;

bool is_computed_with(const Topology& topology, const NetworkTicks& ticks, graph::KernelId kernel) {
  const std::optional<KernelTicks>& known = ticks.of(kernel);
  return topology.kernels[index(kernel)].has_tir() && known && known->is_followed &&
         std::ranges::none_of(known->unknown_callees, [](const auto& one) { return one.second; });
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
  const NetworkTicks ticks(topology, sources);
  // Code that mentions arguments without using them makes lifetimes look longer than they are.
  const bool is_bound = std::ranges::any_of(
      ticks.kernels(),
      [](const std::optional<KernelTicks>& kernel) { return kernel && kernel->is_packed; });
  if (is_bound) return checks;
  // Offsets and lifetimes tell; only where a size is unknown would the bytes matter that kernels
  // touch.
  constexpr std::size_t kMostPairs = 10'000'000;
  for (const PoolProblem& pool : placed_buffers(topology, ticks)) {
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
    for_each_overlap(certain_buffers(topology, ticks, pool), kMostPairs, check);
    if (checks.size() == kMaxChecks) break;
  }
  return checks;
}

}  // namespace mlf::plan
