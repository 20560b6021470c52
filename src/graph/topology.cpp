#include "mlf/graph/topology.h"

#include <algorithm>
#include <array>
#include <limits>

#include "graph/node_queries.h"
#include "support/lookup.h"
#include "support/name_map.h"

namespace mlf::graph {
namespace {

// By value of CheckCode: enum and table are made from the same rows.
constexpr std::array kChecks{
#define MLF_CHECK(name, code, severity, meaning) \
  CheckInfo{CheckCode::name, code, Severity::severity, meaning},
#include "mlf/graph/checks.def"
#undef MLF_CHECK
};

constexpr std::array kDecisions{
#define MLF_DECISION(name, code, meaning) std::string_view(code),
#include "mlf/graph/decisions.def"
#undef MLF_DECISION
};

}  // namespace

// Checked at every step: extents come from the input, and their product may be anything.
std::optional<std::uint64_t> TensorType::bytes() const {
  if (dtype.is_void() || !shape) return std::nullopt;
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (dtype.lanes < 1) return std::nullopt;
  std::uint64_t total = dtype.element_bytes() * static_cast<std::uint64_t>(dtype.lanes);
  for (const std::int64_t extent : *shape) {
    if (extent < 0) return std::nullopt;
    const auto factor = static_cast<std::uint64_t>(extent);
    // The limit is int64: TVM counts in it, and so does JSON.
    if (factor != 0 && total > kMost / factor) return std::nullopt;
    total *= factor;
  }
  return total;
}

const TensorType& Topology::type_at(const Endpoint& end, ValueId value) const {
  // A copy goes by bytes and sees no type of its own.
  if (end.kind == EndpointKind::copy) return values[index(value)].type;
  return calls[end.step].arguments[end.argument].type;
}

const Check* Topology::first_error() const {
  const auto found = std::ranges::find_if(
      checks, [](const Check& check) { return info(check.code).severity == Severity::error; });
  return found == checks.end() ? nullptr : &*found;
}

bool Topology::is_understood() const {
  return std::ranges::none_of(checks, [](const Check& check) {
    return check.code == CheckCode::unknown_statement || check.code == CheckCode::unknown_argument;
  });
}

const CheckInfo& info(CheckCode check) {
  return kChecks[static_cast<std::size_t>(check)];
}

std::string_view to_string(Direction direction) {
  return support::name_in({"input", "output", "in-out", "pool", "context", "unknown"}, direction);
}
std::string_view to_string(DecidedBy decision) {
  return kDecisions[static_cast<std::size_t>(decision)];
}
std::string_view to_string(Certainty certainty) {
  return support::name_in({"certain", "likely", "assumed"}, certainty);
}
std::string_view to_string(KernelOrigin origin) {
  return support::name_in({"tir", "external", "unknown"}, origin);
}
std::string_view to_string(ValueKind kind) {
  return support::name_in({"input", "constant", "computed"}, kind);
}
std::string_view to_string(StorageKind kind) {
  return support::name_in({"parameter", "workspace", "constant", "pool", "lookup"}, kind);
}
std::string_view to_string(PoolKind kind) {
  return support::name_in({"workspace", "constant"}, kind);
}
std::string_view to_string(MemoryKind kind) {
  return support::name_in({"pool", "executor", "heap", "stack", "program"}, kind);
}
std::string_view to_string(Exactness exactness) {
  return support::name_in({"exact", "at-least", "at-most", "unknown"}, exactness);
}
std::string_view to_string(HookPhase phase) {
  return support::name_in({"activate", "open", "close", "deactivate", "other"}, phase);
}
std::string_view to_string(Severity severity) {
  return support::name_in({"error", "warning", "note"}, severity);
}
std::string_view to_string(CallForm form) {
  return support::name_in({"unpacked", "c-packed", "packed"}, form);
}
std::string_view to_string(ArgumentForm form) {
  return support::name_in({"pointers", "arrays", "stack"}, form);
}
std::string_view to_string(ProvenanceKind kind) {
  return support::name_in({"main-function", "graph-json", "relay"}, kind);
}

namespace {

/// The exactness of a sum of two.
Exactness worse_of(Exactness a, Exactness b) {
  if (a == Exactness::exact || a == b) return b;
  return b == Exactness::exact ? a : Exactness::unknown;
}

ByteCount known_or_more(std::optional<std::uint64_t> bytes) {
  return {bytes.value_or(0), bytes ? Exactness::exact : Exactness::at_least};
}

/// The declared size, which includes bytes after the last tensor. Without a declaration, at least
/// the bytes in use.
ByteCount bytes_of_pool(const Topology& topology, std::size_t position) {
  const Pool& pool = topology.pools[position];
  if (pool.bytes) return known_or_more(pool.bytes);
  const auto use = std::ranges::find(topology.memory, std::optional(static_cast<PoolId>(position)),
                                     &MemoryUse::pool);
  const bool is_floor = use != topology.memory.end() && use->exactness != Exactness::at_most &&
                        use->exactness != Exactness::unknown;
  return {is_floor ? use->used : 0, Exactness::at_least};
}

ByteCount bytes_of_pools(const Topology& topology, PoolKind kind) {
  ByteCount sum;
  if (!topology.knows_parameters()) sum += known_or_more(std::nullopt);
  for (std::size_t i = 0; i < topology.pools.size(); ++i) {
    if (topology.pools[i].kind == kind) sum += bytes_of_pool(topology, i);
  }
  return sum;
}

// A pool of constants is one struct in the C with padding between its members: it counts as a
// whole, and the kernels' constants in it do not count again. Code of other compilers may have
// further constants.
ByteCount constants_of(const Topology& topology) {
  ByteCount sum;
  // Parts of main that are not understood may use their own constants and those of other functions.
  const bool may_be_more = !topology.gaps.empty() || !topology.possible_parameter.empty();
  if (may_be_more) sum += known_or_more(std::nullopt);
  sum += bytes_of_pools(topology, PoolKind::constant);
  // Functions of C may share an array, or files may have arrays of one name.
  support::NameSet<std::string_view> names;
  const auto add = [&](std::string_view name, std::optional<std::uint64_t> bytes) {
    const bool is_known = topology.provenance.dialect == tir::Dialect::c && !name.empty();
    const bool is_again = is_known && !names.insert(name).second;
    sum += known_or_more(is_again ? std::nullopt : bytes);
  };
  for (const Storage& storage : topology.storages) {
    const bool is_constant =
        storage.kind == StorageKind::constant || storage.kind == StorageKind::lookup;
    if (is_constant) add(storage.name, storage.bytes);
  }
  for (const Kernel& kernel : topology.kernels) {
    if (!kernel.is_understood()) sum += known_or_more(std::nullopt);
    for (const KernelBuffer& constant : kernel.constants) {
      // If code may end the kernel early, the compiler may drop constants of the code after it.
      const bool is_sure = kernel.gaps.empty() || !kernel.may_end_early;
      if (!constant.pool && is_sure) add(constant.name, constant.bytes);
    }
  }
  return sum;
}

/// Memory on the devices that `counts` accepts.
template <class Counts>
MemoryTotals totals_on(const Topology& topology, Counts counts) {
  MemoryTotals totals;
  const auto add_port = [&](const Port& port) {
    const auto device = port.value ? topology[topology[*port.value].storage].device : std::nullopt;
    if (counts(device)) totals.inputs_and_outputs += bytes_of(topology, port);
  };
  std::ranges::for_each(topology.inputs, add_port);
  if (!topology.possible_parameter.empty()) {
    totals.inputs_and_outputs += ByteCount{0, Exactness::at_most};
  }
  std::ranges::for_each(topology.outputs, add_port);
  for (const MemoryUse& use : topology.memory) {
    ByteCount* const sum = use.kind == MemoryKind::executor ? &totals.executor
                           : use.kind == MemoryKind::heap   ? &totals.heap
                           : use.kind == MemoryKind::stack  ? &totals.stack
                                                            : nullptr;
    if (sum != nullptr && counts(use.device)) *sum += ByteCount{use.used, use.exactness};
  }
  // Main, its constants and its pools are on the device with the program's RAM.
  if (!counts(std::nullopt)) return totals;
  if (!topology.knows_parameters()) totals.inputs_and_outputs += known_or_more(std::nullopt);
  totals.constants = constants_of(topology);
  totals.pools = bytes_of_pools(topology, PoolKind::workspace);
  const bool has_others = std::ranges::any_of(topology.other_memory, [](const auto& one) {
    return one.kind == tir::OtherKind::variable && !one.bytes;
  });
  if (has_others) totals.pools += known_or_more(std::nullopt);
  return totals;
}

}  // namespace

// Main's C does not state the types of its parameters, but a kernel that gets one may.
ByteCount bytes_of(const Topology& topology, const Port& port) {
  const auto declared = port.type.bytes();
  if (declared || !port.value) return known_or_more(declared);
  const Value& value = topology[*port.value];
  return value.bytes ? ByteCount{*value.bytes} : ByteCount{value.least_bytes, Exactness::at_least};
}

ByteCount& ByteCount::operator+=(const ByteCount& other) {
  bytes = sum_of(bytes, other.bytes);
  exactness = worse_of(exactness, other.exactness);
  // Sums saturate at the largest number, so the real number of bytes may be larger.
  if (bytes == kMostBytes) exactness = worse_of(exactness, Exactness::at_least);
  return *this;
}

ByteCount MemoryTotals::workspace() const {
  ByteCount sum = pools;
  sum += executor;
  sum += heap;
  sum += stack;
  return sum;
}

MemoryTotals memory_totals(const Topology& topology) {
  return totals_on(topology, [](std::optional<Device>) { return true; });
}

MemoryTotals memory_totals(const Topology& topology, std::optional<Device> device) {
  return totals_on(topology,
                   [&](std::optional<Device> one) { return topology.is_on(device, one); });
}

}  // namespace mlf::graph
