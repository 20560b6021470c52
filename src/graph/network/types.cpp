// Completes the types of tensors from all available sources.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "graph/network/completion.h"
#include "graph/node_queries.h"
#include "tir/pools.h"

namespace mlf::graph {
namespace {

/// Whether both call the same functions in the same order. Then the calls correspond one to one.
bool calls_are_alike(const Topology& topology, const Topology& relay) {
  return std::equal(topology.calls.begin(), topology.calls.end(), relay.calls.begin(),
                    relay.calls.end(), [&](const Call& a, const Call& b) {
                      return topology.kernel_of(a).symbol == relay.kernel_of(b).symbol;
                    });
}

bool is_tensor(const Argument& argument) {
  return argument.direction == Direction::input || argument.direction == Direction::output;
}

void take_shape(TensorType& type, const TensorType& from) {
  if (type.dtype == from.dtype && type.bytes() && type.bytes() == from.bytes()) type = from;
}

void take_shapes_of_call(Call& call, const Call& relay) {
  auto from = relay.arguments.begin();
  for (Argument& argument : call.arguments) {
    if (!is_tensor(argument)) continue;
    // After the first argument that does not match, no match is reliable.
    if (from == relay.arguments.end() || from->direction != argument.direction) return;
    take_shape(argument.type, from->type);
    ++from;
  }
}

/// Gives the tensors of calls their dimensions in Relay's main, if both make the same calls in
/// order; dtype and size of a tensor must be equal.
void take_shapes_of_relay(Topology& topology, const Topology& relay) {
  if (!calls_are_alike(topology, relay)) return;
  for (std::size_t i = 0; i < topology.calls.size(); ++i) {
    take_shapes_of_call(topology.calls[i], relay.calls[i]);
  }
  for (Value& value : topology.values) {
    if (!value.producer || value.producer->kind != EndpointKind::call) continue;
    const Call& call = topology.calls[value.producer->step];
    take_shape(value.type, call.arguments[value.producer->argument].type);
  }
}

/// Calls `visit` with the type of a value in each call that writes or reads it.
template <class Visit>
void for_each_seen_type(Topology& topology, const Value& value, Visit visit) {
  const auto look_at = [&](const Endpoint& end) {
    if (end.kind == EndpointKind::call)
      visit(topology.calls[end.step].arguments[end.argument].type);
  };
  for (const Endpoint& end : value.consumers) look_at(end);
  if (value.producer) look_at(*value.producer);
}

bool knows_more(const TensorType& type, const TensorType& than) {
  if (than.shape || !type.shape) return false;
  return than.dtype.is_void() || than.dtype == type.dtype;
}

// If a tensor has no shape at one end, it has that of the other end; otherwise its bytes are
// unknown.
void complete(Topology& topology, Value& value, ValueId id) {
  for (const Endpoint& end : value.consumers) {
    const TensorType& seen = topology.type_at(end, id);
    if (knows_more(seen, value.type)) value.type = seen;
  }
  // First the value gets the types of its readers, then all get the type of the value.
  for_each_seen_type(topology, value, [&](TensorType& type) {
    if (knows_more(value.type, type)) type = value.type;
  });
  // Bytes that are read beyond the written ones must also exist.
  const std::uint64_t read = value.bytes.value_or(0);
  value.bytes = value.type.bytes();
  if (value.bytes) value.bytes = std::max(*value.bytes, read);
}

void complete_storage(Topology& topology, const Value& value) {
  Storage& storage = topology.storages[index(value.storage)];
  // A let in a pool states only its offset, and a linked parameter nothing, so the largest tensor
  // in it determines the size.
  const bool is_sized_by_values =
      storage.kind == StorageKind::pool || storage.kind == StorageKind::lookup;
  if (is_sized_by_values && value.bytes) {
    storage.bytes = std::max(storage.bytes.value_or(0), *value.bytes);
  }
}

// v0.9 and v0.10 flatten the tensors of kernels, and the memory planner drops the original shapes.
// Then only main's own declarations and Relay's types have dimensions.
bool is_flattened(const Topology& topology) {
  for (const Call& call : topology.calls) {
    for (const Argument& argument : call.arguments) {
      if (argument.type.shape && argument.type.shape->size() > 1) return false;
    }
  }
  return true;
}

/// Gives a declared shape to the value of an input or output, and to its readers and writers.
void take_shape_of_port(Topology& topology, const Port& port) {
  if (!port.value || !port.type.shape) return;
  Value& value = topology.values[index(*port.value)];
  take_shape(value.type, port.type);
  for_each_seen_type(topology, value, [&](TensorType& type) { take_shape(type, port.type); });
}

/// External kernels declare tensors without dimensions (CMSIS-NN: `()`), and C declares none. A
/// type with one dimension may be a size alone; one with several dimensions is kept.
void take_stated_shape(TensorType& type, const std::vector<std::int64_t>& shape) {
  const TensorType stated{type.dtype, shape};
  if (!stated.bytes() || (type.shape && type.shape->size() > 1)) return;
  const bool is_size = type.shape && type.shape->size() == 1;
  if (!is_size || type.bytes() == stated.bytes()) type = stated;
}

/// The dtype that all readers of a value use; void if they differ.
tir::DType dtype_at_readers(const Topology& topology, ValueId id) {
  tir::DType dtype;
  for (const Endpoint& end : topology[id].consumers) {
    const tir::DType seen = topology.type_at(end, id).dtype;
    if (!dtype.is_void() && seen != dtype) return {};
    dtype = seen;
  }
  return dtype;
}

/// Calls `visit` with each argument whose kernel has a parameter for it, in the order of the calls:
/// the writer of a tensor comes before its readers.
template <class Visit>
void for_each_parameter(Topology& topology, KernelLibrary& kernels, Visit visit) {
  for (Call& call : topology.calls) {
    const auto& parameters = kernels.describe(topology.kernel_of(call).symbol).parameters;
    const std::size_t count = std::min(parameters.size(), call.arguments.size());
    for (std::size_t i = 0; i < count; ++i) visit(call.arguments[i], parameters[i]);
  }
}

/// Whether the writer of this argument may have written more bytes than known. Then its reader does
/// not determine the size.
bool is_from_open_end(const Topology& topology, const Argument& argument) {
  if (!argument.reads) return false;
  const auto& producer = topology.values[index(*argument.reads)].producer;
  if (!producer || producer->kind != EndpointKind::call) return false;
  const Call& call = topology.calls[producer->step];
  const Argument& written = call.arguments[producer->argument];
  const bool is_own_affair = !written.parameter.empty() && !written.type.bytes();
  return is_own_affair || !topology.kernel_of(call).gaps.empty();
}

}  // namespace

void restore_shapes(Topology& topology, const Topology* relay) {
  // Only in this case: otherwise a removed reshape may give readers another shape intentionally.
  if (!is_flattened(topology)) return;
  if (relay != nullptr) take_shapes_of_relay(topology, *relay);
  for (const Port& port : topology.inputs) take_shape_of_port(topology, port);
  for (const Port& port : topology.outputs) take_shape_of_port(topology, port);
}

void take_stated_shapes(Topology& topology, KernelLibrary& kernels) {
  for_each_parameter(topology, kernels, [&](Argument& argument, const KernelParameter& parameter) {
    // If the numbers differ, no argument has a parameter.
    const StatedShape& stated = parameter.stated_shape;
    if (!stated || argument.parameter.empty() || !argument.storage) return;
    if (is_from_open_end(topology, argument)) return;
    take_stated_shape(argument.type, *stated);
    if (!argument.writes) return;
    take_stated_shape(topology.values[index(*argument.writes)].type, *stated);
  });
}

/// A function that states how many bytes it writes may not state their dtype; its readers do.
void take_written_sizes(Topology& topology, KernelLibrary& kernels) {
  for_each_parameter(topology, kernels, [&](Argument& argument, const KernelParameter& parameter) {
    const auto bytes = parameter.written;
    if (!argument.writes || !bytes || !argument.type.dtype.is_void()) return;
    const tir::DType dtype = dtype_at_readers(topology, *argument.writes);
    const std::uint64_t element = dtype.is_void() ? 0 : dtype.element_bytes();
    if (element == 0 || *bytes == 0 || *bytes % element != 0) return;
    argument.type = {dtype, std::vector{static_cast<std::int64_t>(*bytes / element)}};
    TensorType& type = topology.values[index(*argument.writes)].type;
    if (!type.bytes()) type = argument.type;
  });
}

void complete_types(Topology& topology) {
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

void confirm_reshapes(Topology& topology) {
  for (const Call& call : topology.calls) {
    // An unknown size counts as a distinct size here: it agrees with no other.
    std::set<std::optional<std::uint64_t>> sizes;
    for (const Argument& argument : call.arguments) {
      if (argument.storage) sizes.insert(argument.type.bytes());
    }
    const bool agree = sizes.size() == 1 && sizes.begin()->has_value();
    if (!agree) topology.kernels[index(call.kernel)].is_reshape = false;
  }
}

namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

/// Bytes by pool and offset.
using ConstantSizes = std::map<std::pair<PoolId, std::uint64_t>, std::uint64_t>;

std::optional<PoolId> constant_pool(const Topology& topology, std::string_view name) {
  for (std::size_t i = 0; i < topology.pools.size(); ++i) {
    const Pool& pool = topology.pools[i];
    if (pool.kind == PoolKind::constant && pool.name == name) return static_cast<PoolId>(i);
  }
  return std::nullopt;
}

/// Names identify pools: TVM passes them to kernels in any order.
ConstantSizes sizes_in(const Topology& topology, std::span<const PoolConstant> constants) {
  ConstantSizes sizes;
  for (const PoolConstant& one : constants) {
    const auto pool = constant_pool(topology, one.pool);
    if (pool) sizes.insert_or_assign({*pool, one.offset}, one.bytes);
  }
  return sizes;
}

/// Reads that begin in a constant of a pool and end far behind it.
class PoolReads {
 public:
  PoolReads(Topology& topology, const ConstantSizes& sizes) : topology_(topology), sizes_(sizes) {}

  void check(const std::string& name, std::optional<PoolId> pool,
             std::optional<std::uint64_t> offset, std::uint64_t bytes) {
    if (!pool || !offset) return;
    const auto next = sizes_.upper_bound({*pool, *offset});
    if (next == sizes_.begin()) return;
    const auto& [place, size] = *std::prev(next);
    const std::uint64_t begin = *offset - place.second;
    if (place.first != *pool || begin >= size) return;
    // Loads of vectors may reach behind a constant, and do not use what is there.
    constexpr std::uint64_t kWidestVector = 64;
    if (bytes <= size - begin + (begin == 0 ? kWidestVector : 0)) return;
    topology_.checks.push_back(
        {CheckCode::storage_too_small,
         fmt::format("{} is read up to {} bytes at {} of {}, and the constant there ends at {}",
                     quoted(name), bytes, *offset, quoted(topology_[*pool].name),
                     sum_of(place.second, size)),
         {},
         {}});
  }

 private:
  Topology& topology_;
  const ConstantSizes& sizes_;
};

}  // namespace

// Texts and older captures may have lost the data of an array, and with it the type.
std::vector<PoolConstant> pool_constants(Node main) {
  std::vector<PoolConstant> constants;
  for (const tir::PoolUse& use : tir::pool_uses(main)) {
    const Node info = use.allocated[f::AllocatedPoolInfo::pool_info];
    if (!info.is(Kind::ConstantPoolInfo)) continue;
    for (const Node constant : info.list(f::ConstantPoolInfo::constant_info_array)) {
      if (!constant.is(Kind::ConstantInfo)) continue;
      const auto offset = tir::pool_offset(constant);
      const Node array = constant[f::ConstantInfo::data];
      const auto bytes = array.is(Kind::NDArray) ? type_of(array).bytes() : std::nullopt;
      if (!offset || !bytes) continue;
      constants.push_back(
          {std::string(info.text(f::ConstantPoolInfo::pool_name)), *offset, *bytes});
    }
  }
  return constants;
}

void check_pool_constants(Topology& topology, std::span<const PoolConstant> constants) {
  const ConstantSizes sizes = sizes_in(topology, constants);
  PoolReads reads(topology, sizes);
  for (const Value& value : topology.values) {
    const Storage& storage = topology[value.storage];
    if (value.kind != ValueKind::constant) continue;
    reads.check(storage.name, storage.pool, storage.offset, value.bytes.value_or(0));
  }
  for (const Kernel& kernel : topology.kernels) {
    for (const KernelBuffer& one : kernel.constants) {
      reads.check(kernel.symbol + "." + one.name, one.pool, one.offset, one.at_least);
    }
  }
}

void size_pool_constants(Topology& topology, std::span<const PoolConstant> constants) {
  const ConstantSizes sizes = sizes_in(topology, constants);
  const auto declared = [&](std::optional<PoolId> pool, std::optional<std::uint64_t> offset) {
    const auto at = pool && offset ? sizes.find({*pool, *offset}) : sizes.end();
    return at == sizes.end() ? std::nullopt : std::optional(at->second);
  };
  for (Storage& storage : topology.storages) {
    if (!storage.bytes) storage.bytes = declared(storage.pool, storage.offset);
  }
  for (Value& value : topology.values) {
    const Storage& storage = topology[value.storage];
    if (value.kind != ValueKind::constant || value.bytes) continue;
    value.bytes = declared(storage.pool, storage.offset);
  }
  for (Kernel& kernel : topology.kernels) {
    for (KernelBuffer& buffer : kernel.constants) {
      // Accesses of generated C may only bound the size, which the pool states.
      const auto bytes = declared(buffer.pool, buffer.offset);
      if (!bytes) continue;
      buffer.at_least = std::max(buffer.at_least, *bytes);
      buffer.bytes = buffer.at_least;
    }
  }
}

}  // namespace mlf::graph
