// Checks of a finished network.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "graph/kernels/functions.h"
#include "graph/network/completion.h"
#include "graph/network/memory_use.h"
#include "graph/node_queries.h"
#include "support/characters.h"

namespace mlf::graph {

std::set<StorageId> storages_of_externals(const Topology& topology) {
  std::set<StorageId> storages;
  for (const Call& call : topology.calls) {
    if (topology.kernel_of(call).has_tir()) continue;
    for (const Argument& argument : call.arguments) {
      if (argument.storage) storages.insert(*argument.storage);
    }
  }
  return storages;
}

namespace {

/// Storages of arguments that a call reads or writes by a rule, not by its code: it may do both.
std::set<StorageId> guessed_storages(const Topology& topology) {
  std::set<StorageId> storages;
  for (const Call& call : topology.calls) {
    for (const Argument& argument : call.arguments) {
      const bool is_certain = argument.certainty == Certainty::certain;
      if (argument.storage && !is_certain) storages.insert(*argument.storage);
    }
  }
  return storages;
}

/// Both are legal: TVM keeps inputs that are unused after optimisation.
void check_use(Topology& topology, ValueId id, bool may_be_read) {
  const Value& value = topology[id];
  if (!value.consumers.empty() || may_be_read) return;
  if (value.kind == ValueKind::input) {
    topology.checks.push_back(
        {CheckCode::unused_input, "nothing reads the input " + quoted(value.name), {}, id});
  } else if (value.kind == ValueKind::computed) {
    topology.checks.push_back(
        {CheckCode::unread_value, "nothing reads " + quoted(value.name), {}, id});
  }
}

/// A kernel that accesses nothing writes only tensors without elements.
void check_producer(Topology& topology, ValueId id) {
  const Value& value = topology[id];
  if (!value.producer || value.producer->kind != EndpointKind::call) return;
  const Call& call = topology.calls[value.producer->step];
  if (call.arguments[value.producer->argument].decided_by != DecidedBy::untouched) return;
  const bool is_read = std::ranges::any_of(value.consumers, [&](const Endpoint& end) {
    return end.kind == EndpointKind::call &&
           topology.calls[end.step].arguments[end.argument].decided_by == DecidedBy::body;
  });
  if (value.bytes.value_or(0) == 0 && !is_read) return;
  topology.checks.push_back({CheckCode::no_output,
                             quoted(call.name) + " writes none of its arguments",
                             static_cast<CallId>(value.producer->step), id});
}

/// Whether a kernel whose body is not understood may write it between its producer and a reader.
bool may_be_rewritten(const Topology& topology, StorageId storage) {
  return std::ranges::any_of(topology.calls, [&](const Call& call) {
    return !topology.kernels[index(call.kernel)].gaps.empty() &&
           std::ranges::any_of(call.arguments, [&](const Argument& argument) {
             return argument.storage == storage;
           });
  });
}

// TVM does not check sizes: AOT passes bare pointers, and a tensor that is too large for its
// storage silently overwrites another one.
void check_sizes(Topology& topology, ValueId id) {
  const Value& value = topology[id];
  const std::optional<std::uint64_t> written = value.type.bytes();
  const Storage& storage = topology[value.storage];
  // Its calls certainly access all its bytes.
  const bool is_overrun = !storage.pool && storage.kind == StorageKind::workspace &&
                          storage.bytes && value.bytes > storage.bytes;
  if (is_overrun && (!written || *written <= *storage.bytes)) {
    topology.checks.push_back({CheckCode::storage_too_small,
                               fmt::format("{} is accessed up to {} bytes, its storage has {}",
                                           quoted(value.name), *value.bytes, *storage.bytes),
                               {},
                               id});
  }
  if (!written) return;
  // Before planning, both are equal; a merged `sid` has the size of its largest tensor.
  if (storage.bytes && *written > *storage.bytes) {
    topology.checks.push_back(
        {CheckCode::storage_too_small,
         fmt::format("'{}' has {} bytes, its storage {}", value.name, *written, *storage.bytes),
         {},
         id});
  }
  for (const Endpoint& end : value.consumers) {
    const auto bytes = topology.type_at(end, id).bytes();
    // Bytes and not shapes: removed reshapes (v0.10+) leave two shapes of one size.
    if (!bytes || *bytes == *written || may_be_rewritten(topology, value.storage)) continue;
    topology.checks.push_back({CheckCode::size_mismatch,
                               quoted(value.name) + " is written with " + std::to_string(*written) +
                                   " bytes and read with " + std::to_string(*bytes),
                               static_cast<CallId>(end.step), id});
    return;
  }
}

/// Of an object that certainly takes these bytes of a pool.
void check_pool_bounds(Topology& topology, const std::string& name, const Pool& pool,
                       std::optional<std::uint64_t> offset, std::uint64_t bytes) {
  if (!offset || bytes == 0 || !pool.bytes) return;
  // In this order nothing overflows.
  if (*offset <= *pool.bytes && bytes <= *pool.bytes - *offset) return;
  topology.checks.push_back(
      {CheckCode::storage_too_small, fmt::format("'{}' ends {} bytes into '{}', which has {}", name,
                                                 sum_of(*offset, bytes), pool.name, *pool.bytes)});
}

void check_pools(Topology& topology) {
  // A tensor of main has the size of the largest value in it.
  std::vector<std::uint64_t> bytes;
  for (const Storage& storage : topology.storages) bytes.push_back(storage.bytes.value_or(0));
  for (const Value& value : topology.values) {
    std::uint64_t& most = bytes[index(value.storage)];
    most = std::max(most, value.bytes.value_or(0));
  }
  for (std::size_t i = 0; i < topology.storages.size(); ++i) {
    const Storage& one = topology.storages[i];
    if (!one.pool) continue;
    check_pool_bounds(topology, one.name, topology[*one.pool], one.offset, bytes[i]);
  }
  for (const Kernel& kernel : topology.kernels) {
    for (const auto* buffers : {&kernel.workspaces, &kernel.constants}) {
      for (const KernelBuffer& one : *buffers) {
        if (!one.pool) continue;
        check_pool_bounds(topology, kernel.symbol + "." + one.name, topology[*one.pool], one.offset,
                          one.at_least);
      }
    }
  }
}

/// A value in a pool and when it is in use.
struct PlacedValue {
  ValueId value;
  PoolId pool;
  std::uint64_t begin;
  std::uint64_t end;
  std::int64_t from;
  std::int64_t to;
};

/// Values whose lifetimes are certain.
std::vector<PlacedValue> placed_values_of(const Topology& topology) {
  std::set<StorageId> uncertain = storages_of_externals(topology);
  uncertain.merge(guessed_storages(topology));
  const Lifetimes lifetimes(topology);
  std::vector<PlacedValue> placed_values;
  for (std::size_t i = 0; i < topology.values.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    const Value& value = topology[id];
    const Storage& storage = topology[value.storage];
    // The written bytes: a reader may also read the value after it.
    const std::uint64_t bytes = value.type.bytes().value_or(0);
    if (!storage.pool || !storage.offset || bytes == 0) continue;
    if (uncertain.contains(value.storage)) continue;
    const Lifetime life = lifetimes.of(id);
    placed_values.push_back(
        {id, *storage.pool, *storage.offset, *storage.offset + bytes, life.from, life.to});
  }
  return placed_values;
}

/// The live values of one pool, by offset. None of them overlap.
using Occupied = std::map<std::uint64_t, const PlacedValue*>;

const PlacedValue* overlapping(const Occupied& occupied, const PlacedValue& placed) {
  auto next = occupied.lower_bound(placed.begin);
  if (next != occupied.end() && next->first < placed.end) return next->second;
  if (next == occupied.begin()) return nullptr;
  --next;
  return next->second->end > placed.begin ? next->second : nullptr;
}

/// Whether two results of one call may share bytes: kernels write their results in the order of
/// their parameters, and nothing reads the first one. TVM places such parts of a split tensor so.
bool may_write_over(const Topology& topology, const PlacedValue& first, const PlacedValue& second) {
  const bool is_gone = first.from == second.from && first.to == first.from;
  const auto& one = topology[first.value].producer;
  const auto& other = topology[second.value].producer;
  return is_gone && one && other && one->argument < other->argument;
}

void note_overlap(Topology& topology, ValueId value, ValueId other) {
  topology.checks.push_back({CheckCode::storage_overlap,
                             quoted(topology[value].name) + " is put over " +
                                 quoted(topology[other].name) + ", which is still in use",
                             {},
                             value});
}

/// Adds a check for every value that overlaps a live one (rule `storage` of schemas/topology.md).
/// If a call is the last reader of a tensor, the tensor may share bytes with a result of that call:
/// USMP analyses kernels and knows that they read before they write. Shared bytes do not make an
/// edge, because the planner reuses memory; only a read of the same storage makes an edge.
/// Values enter in the order of their definitions. `pools` always contains the live ones by offset,
/// so a new value is only compared with its two neighbours: near-linear in the number of values.
void check_overlaps(Topology& topology) {
  std::vector<PlacedValue> placed_values = placed_values_of(topology);
  std::ranges::stable_sort(placed_values, {}, &PlacedValue::from);
  std::multimap<std::int64_t, const PlacedValue*> leaving;
  std::map<PoolId, Occupied> pools;
  for (const PlacedValue& placed : placed_values) {
    // A value whose last reader is the call that defines this one may overlap it; other results of
    // the same call may not.
    for (auto at = leaving.begin(); at != leaving.end() && at->first <= placed.from;) {
      const PlacedValue* gone = at->second;
      const bool is_sibling = gone->from == placed.from;
      Occupied& around = pools[gone->pool];
      const auto place = around.find(gone->begin);
      if (!is_sibling && place != around.end() && place->second == gone) around.erase(place);
      at = is_sibling ? std::next(at) : leaving.erase(at);
    }
    Occupied& occupied = pools[placed.pool];
    const PlacedValue* other = overlapping(occupied, placed);
    while (other != nullptr && may_write_over(topology, *other, placed)) {
      occupied.erase(other->begin);
      other = overlapping(occupied, placed);
    }
    if (other != nullptr) {
      note_overlap(topology, placed.value, other->value);
      continue;
    }
    occupied.emplace(placed.begin, &placed);
    leaving.emplace(placed.to, &placed);
  }
}

}  // namespace

void check_storages(Topology& topology) {
  const Lifetimes lifetimes(topology);
  // For each storage, the value so far that is in use until the latest step.
  std::map<StorageId, ValueId> longest;
  for (std::size_t i = 0; i < topology.values.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    const StorageId storage = topology[id].storage;
    if (topology[storage].memory == MemoryKind::program) continue;
    const auto [known, is_first] = longest.try_emplace(storage, id);
    if (is_first) continue;
    const Lifetime before = lifetimes.of(known->second);
    if (before.to > lifetimes.of(id).from) note_overlap(topology, id, known->second);
    if (lifetimes.of(id).to > before.to) known->second = id;
  }
}

namespace {

/// How many bytes behind the first value the second one begins, if both share bytes.
std::optional<std::int64_t> shift_between(const Topology& topology, const Value& first,
                                          const Value& second) {
  if (first.storage == second.storage) return 0;
  const Storage& one = topology[first.storage];
  const Storage& other = topology[second.storage];
  if (!one.pool || one.pool != other.pool || !one.offset || !other.offset) return std::nullopt;
  const auto from = static_cast<std::int64_t>(*one.offset);
  const auto to = static_cast<std::int64_t>(*other.offset);
  const auto end = [](std::int64_t begin, const Value& value) {
    return begin + static_cast<std::int64_t>(value.bytes.value_or(0));
  };
  const bool shares = from < end(to, second) && to < end(from, first);
  return shares ? std::optional(to - from) : std::nullopt;
}

}  // namespace

void check_results_in_place(Topology& topology, const CodeOf& code_of) {
  std::set<StorageId> uncertain = storages_of_externals(topology);
  uncertain.merge(guessed_storages(topology));
  for (std::size_t i = 0; i < topology.calls.size(); ++i) {
    const std::vector<Argument>& arguments = topology.calls[i].arguments;
    for (std::uint32_t to = 0; to < arguments.size(); ++to) {
      if (!arguments[to].writes) continue;
      for (std::uint32_t from = 0; from < arguments.size(); ++from) {
        if (!arguments[from].reads || from == to) continue;
        const Value& read = topology[*arguments[from].reads];
        const Value& written = topology[*arguments[to].writes];
        const auto shift = shift_between(topology, read, written);
        if (!shift || uncertain.contains(written.storage)) continue;
        const KernelCode* const code = code_of(topology.calls[i].kernel);
        if (code == nullptr || !reads_overwritten(*code, from, to, *shift)) continue;
        topology.checks.push_back(
            {CheckCode::storage_overlap,
             fmt::format("{} writes {} over {} and reads that afterwards",
                         quoted(topology.calls[i].name), quoted(written.name), quoted(read.name)),
             static_cast<CallId>(i), arguments[to].writes});
      }
    }
  }
}

void check_values(Topology& topology) {
  const Lifetimes lifetimes(topology);
  const std::set<StorageId> guessed = guessed_storages(topology);
  for (std::size_t i = 0; i < topology.values.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    const bool is_output = lifetimes.of(id).to == Lifetime::kForever;
    check_use(topology, id, is_output || guessed.contains(topology[id].storage));
    check_producer(topology, id);
    check_sizes(topology, id);
  }
  check_pools(topology);
  check_overlaps(topology);
}

void check_constant_pools(Topology& topology, KernelLibrary& kernels) {
  const auto is_constant = [&](PoolId id) {
    const Pool& pool = topology[id];
    const auto is_writable = [&](const tir::OtherMemory& one) {
      return one.kind == tir::OtherKind::writable && one.name == pool.name;
    };
    return pool.kind == PoolKind::constant && pool.bytes &&
           std::ranges::none_of(topology.other_memory, is_writable);
  };
  for (std::size_t i = 0; i < topology.calls.size(); ++i) {
    const Call& call = topology.calls[i];
    const auto& parameters = kernels.describe(topology.kernel_of(call).symbol).parameters;
    for (std::size_t k = 0; k < std::min(call.arguments.size(), parameters.size()); ++k) {
      const Argument& argument = call.arguments[k];
      const bool is_written = parameters[k].written.value_or(0) > 0;
      if (argument.direction != Direction::pool || !is_written) continue;
      if (!is_constant(*argument.pool)) continue;
      topology.checks.push_back({CheckCode::constant_overwritten,
                                 quoted(call.name) + " writes into the pool of constants " +
                                     quoted(topology[*argument.pool].name),
                                 static_cast<CallId>(i),
                                 {}});
    }
  }
}

void take_least_sizes(Topology& topology, const ParametersOf& parameters_of) {
  for (Value& value : topology.values) {
    if (value.kind != ValueKind::input || value.bytes) continue;
    value.least_bytes = accessed_bytes(topology, value, parameters_of).value_or(0);
  }
}

void confirm_least_sizes(Topology& topology, std::uint64_t io_bytes) {
  std::uint64_t least = 0;
  std::vector<ValueId> unsized;
  for (const auto* const list : {&topology.inputs, &topology.outputs}) {
    for (const Port& port : *list) {
      const ByteCount bytes = bytes_of(topology, port);
      least += bytes.bytes;
      if (bytes.exactness == Exactness::exact) continue;
      if (!port.value || bytes.bytes == 0) return;
      unsized.push_back(*port.value);
    }
  }
  if (least != io_bytes) return;
  for (const ValueId id : unsized) {
    Value& value = topology.values[index(id)];
    value.bytes = value.least_bytes;
  }
}

void check_header_sizes(Topology& topology, std::span<const NamedTensor> header,
                        std::span<const PortPlan> ports, const ParametersOf& parameters_of) {
  if (!topology.gaps.empty()) return;
  for (const auto* const list : {&topology.inputs, &topology.outputs}) {
    for (const Port& port : *list) {
      const auto stated =
          std::ranges::find(header, support::sanitized(port.name), &NamedTensor::name);
      if (stated == header.end() || !stated->bytes || !port.value) continue;
      const auto plan = std::ranges::find(ports, port.name, &PortPlan::name);
      const bool is_alone = plan != ports.end() && plan->is_sized_by_header;
      const std::uint64_t typed = is_alone ? 0 : port.type.bytes().value_or(0);  // 0: unknown
      const auto bytes = accessed_bytes(topology, topology[*port.value], parameters_of);
      if (!bytes && typed != 0 && typed != *stated->bytes) {
        topology.checks.push_back(
            {CheckCode::header_size, fmt::format("'{}' has {} bytes in the C header, and {} by its "
                                                 "type",
                                                 port.name, *stated->bytes, typed)});
      }
      if (!bytes || *bytes == 0 || *bytes == *stated->bytes) continue;
      if (*bytes < *stated->bytes && typed == *stated->bytes) continue;
      topology.checks.push_back(
          {CheckCode::header_size,
           fmt::format("'{}' has {} bytes in the C header, {} the calls "
                       "access {}",
                       port.name, *stated->bytes, *bytes < *stated->bytes ? "of which" : "and",
                       *bytes)});
    }
  }
}

namespace {

/// Whether a kernel may call other kernels: code of external compilers does not.
bool calls_unknown_code(const Topology& topology) {
  return std::ranges::any_of(topology.kernels, [](const Kernel& kernel) {
    const bool is_external = kernel.origin == KernelOrigin::external && !kernel.target.empty();
    return !kernel.is_understood() && !is_external;
  });
}

}  // namespace

void check_unused_kernels(Topology& topology, const FunctionTable& functions,
                          const FunctionRef& main) {
  // Parts of main that are not understood may call any function.
  if (!topology.gaps.empty() || calls_unknown_code(topology)) return;
  std::set<std::string_view> called;
  // By symbol and by name: main may use either.
  for (const Kernel& kernel : topology.kernels) called.insert(kernel.symbol);
  // Helpers that users add to a module have other names and need not be called.
  for (const FunctionRef* function : functions.of_module(topology.module)) {
    if (function->function == main.function || function->symbol == main.symbol) continue;
    if (called.contains(function->symbol) || called.contains(function->name)) continue;
    topology.checks.push_back({.code = CheckCode::unused_kernel,
                               .detail = "main does not call " + quoted(function->symbol),
                               .symbol = std::string(function->symbol)});
  }
}

void check_externals(Topology& topology) {
  for (const Kernel& kernel : topology.kernels) {
    if (kernel.origin != KernelOrigin::external) continue;
    topology.checks.push_back({CheckCode::external_callee, "'" + kernel.symbol + "' has no TIR"});
  }
}

void check_several_mains(std::vector<Topology>& topologies) {
  std::map<std::string_view, std::vector<std::size_t>> by_module;
  for (std::size_t i = 0; i < topologies.size(); ++i) by_module[topologies[i].module].push_back(i);
  for (std::size_t i = 0; i < topologies.size(); ++i) {
    for (const std::size_t k : by_module[topologies[i].module]) {
      if (i == k) continue;
      const Provenance& other = topologies[k].provenance;
      topologies[i].checks.push_back({CheckCode::several_mains, "'" + other.symbol + "' in " +
                                                                    other.source +
                                                                    " is another main of module '" +
                                                                    topologies[i].module + "'"});
    }
  }
}

}  // namespace mlf::graph
