#include "graph/findings.h"

#include <algorithm>
#include <set>

#include "graph/nodes.h"
#include "graph/overlaps.h"
#include "graph/relay_shapes.h"

namespace mlf::graph {
namespace {

bool knows_more(const TensorType& type, const TensorType& than) {
  if (than.shape || !type.shape) return false;
  return than.dtype.is_void() || than.dtype == type.dtype;
}

// A tensor without a shape at one end has the shape of the other end, or its bytes are unknown.
void complete(Topology& topology, Value& value, ValueId id) {
  for (const Endpoint& end : value.consumers) {
    const TensorType& seen = topology.type_at(end, id);
    if (knows_more(seen, value.type)) value.type = seen;
  }
  const auto fill = [&](const Endpoint& end) {
    if (end.kind != Endpoint::Kind::call) return;
    TensorType& type = topology.calls[end.step].arguments[end.argument].type;
    if (knows_more(value.type, type)) type = value.type;
  };
  for (const Endpoint& end : value.consumers) fill(end);
  if (value.producer) fill(*value.producer);
  value.bytes = value.type.bytes();
}

void complete_storage(Topology& topology, const Value& value) {
  Storage& storage = topology.storages[index(value.storage)];
  const bool is_sized_by_values =
      storage.kind == StorageKind::pool || storage.kind == StorageKind::lookup;
  if (is_sized_by_values && value.bytes) {
    storage.bytes = std::max(storage.bytes.value_or(0), *value.bytes);
  }
}

std::set<ValueId> returned(const Topology& topology) {
  std::set<ValueId> values;
  for (const Port& port : topology.outputs) {
    if (port.value) values.insert(*port.value);
  }
  return values;
}

void check_use(Topology& topology, ValueId id, bool is_returned) {
  const Value& value = topology[id];
  if (!value.consumers.empty() || is_returned) return;
  if (value.kind == ValueKind::input) {
    topology.checks.push_back(
        {CheckCode::unused_input, "nothing reads the input " + quoted(value.name), {}, id});
  } else if (value.kind == ValueKind::computed) {
    topology.checks.push_back(
        {CheckCode::unread_value, "nothing reads " + quoted(value.name), {}, id});
  }
}

void check_sizes(Topology& topology, ValueId id) {
  const Value& value = topology[id];
  if (!value.bytes) return;
  const Storage& storage = topology[value.storage];
  if (storage.bytes && *value.bytes > *storage.bytes) {
    topology.checks.push_back({CheckCode::storage_too_small,
                               quoted(value.name) + " has " + std::to_string(*value.bytes) +
                                   " bytes, its storage " + std::to_string(*storage.bytes),
                               {},
                               id});
  }
  for (const Endpoint& end : value.consumers) {
    const auto bytes = topology.type_at(end, id).bytes();
    if (!bytes || *bytes == *value.bytes) continue;
    topology.checks.push_back({CheckCode::size_mismatch,
                               quoted(value.name) + " is written with " +
                                   std::to_string(*value.bytes) + " bytes and read with " +
                                   std::to_string(*bytes),
                               static_cast<CallId>(end.step), id});
    return;
  }
}

void check_pool_bounds(Topology& topology, const std::string& name, const Pool& pool,
                       std::optional<std::uint64_t> offset, std::optional<std::uint64_t> bytes) {
  if (!offset || !bytes || !pool.bytes) return;
  if (*offset <= *pool.bytes && *bytes <= *pool.bytes - *offset) return;
  topology.checks.push_back({CheckCode::storage_too_small,
                             quoted(name) + " ends " + std::to_string(*offset + *bytes) +
                                 " bytes into " + quoted(pool.name) + ", which has " +
                                 std::to_string(*pool.bytes),
                             {},
                             {}});
}

// v0.9 and v0.10 flatten the tensors of kernels, and the memory planner forgets the shapes they
// had. Main's own declarations and Relay's types are then the only ones with dimensions.
bool is_flattened(const Topology& topology) {
  for (const Call& call : topology.calls) {
    for (const Argument& argument : call.arguments) {
      if (argument.type.shape && argument.type.shape->size() > 1) return false;
    }
  }
  return true;
}

void take_shape_of_port(Topology& topology, const Port& port) {
  if (!port.value || !port.type.shape) return;
  const auto unflatten = [&](TensorType& type) {
    if (type.dtype == port.type.dtype && type.bytes() == port.type.bytes()) type = port.type;
  };
  Value& value = topology.values[index(*port.value)];
  unflatten(value.type);
  const auto unflatten_end = [&](const Endpoint& end) {
    if (end.kind == Endpoint::Kind::call) {
      unflatten(topology.calls[end.step].arguments[end.argument].type);
    }
  };
  for (const Endpoint& end : value.consumers) unflatten_end(end);
  if (value.producer) unflatten_end(*value.producer);
}

}  // namespace

void complete_types(Topology& topology, const Topology* relay) {
  if (is_flattened(topology)) {
    if (relay != nullptr) take_shapes_of_relay(topology, *relay);
    for (const Port& port : topology.inputs) take_shape_of_port(topology, port);
    for (const Port& port : topology.outputs) take_shape_of_port(topology, port);
  }
  for (std::size_t i = 0; i < topology.values.size(); ++i) {
    complete(topology, topology.values[i], static_cast<ValueId>(i));
    complete_storage(topology, topology.values[i]);
  }
  for (auto* ports : {&topology.inputs, &topology.outputs}) {
    for (Port& port : *ports) {
      if (port.value && knows_more(topology[*port.value].type, port.type)) {
        port.type = topology[*port.value].type;
      }
    }
  }
}

void settle_reshapes(Topology& topology) {
  for (const Call& call : topology.calls) {
    std::set<std::optional<std::uint64_t>> sizes;
    for (const Argument& argument : call.arguments) {
      if (argument.storage) sizes.insert(argument.type.bytes());
    }
    const bool agree = sizes.size() == 1 && sizes.begin()->has_value();
    if (!agree) topology.kernels[index(call.kernel)].is_reshape = false;
  }
}

void check_values(Topology& topology) {
  const std::set<ValueId> outputs = returned(topology);
  for (std::size_t i = 0; i < topology.values.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    check_use(topology, id, outputs.contains(id));
    check_sizes(topology, id);
  }
  for (const Storage& storage : topology.storages) {
    if (!storage.pool) continue;
    check_pool_bounds(topology, storage.name, topology[*storage.pool], storage.offset,
                      storage.bytes);
  }
  check_overlaps(topology);
}

void check_unused_kernels(Topology& topology, const FunctionTable& functions,
                          const FunctionRef& main) {
  std::set<std::string_view> called;
  for (const Kernel& kernel : topology.kernels) called.insert(kernel.symbol);
  std::set<std::string> modules;
  for (const FunctionRef* other : functions.mains()) modules.insert(module_of_main(other->symbol));
  const auto owner = [&](std::string_view symbol) {
    std::string best;
    for (const std::string& module : modules) {
      const bool fits = symbol.starts_with("tvmgen_" + module + "_");
      if (fits && module.size() >= best.size()) best = module;
    }
    return best;
  };
  for (const FunctionRef& function : functions.all()) {
    if (function.function == main.function || called.contains(function.symbol)) continue;
    if (called.contains(function.name) || owner(function.symbol) != topology.module) continue;
    if (!function.symbol.starts_with("tvmgen_") || function.symbol == main.symbol) continue;
    topology.checks.push_back(
        {CheckCode::unused_kernel, "main does not call " + quoted(function.symbol), {}, {}});
  }
}

}  // namespace mlf::graph
