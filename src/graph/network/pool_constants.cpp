#include <algorithm>
#include <map>
#include <utility>

#include "graph/network/completion.h"
#include "graph/node_queries.h"
#include "tir/pools.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

/// Bytes by pool and offset.
using ConstantSizes = std::map<std::pair<PoolId, std::uint64_t>, std::uint64_t>;

/// Names identify pools: TVM passes them to kernels in any order.
std::optional<PoolId> constant_pool(const Topology& topology, std::string_view name) {
  for (std::size_t i = 0; i < topology.pools.size(); ++i) {
    const Pool& pool = topology.pools[i];
    if (pool.kind == PoolKind::constant && pool.name == name) return static_cast<PoolId>(i);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> bytes_of_array(Node array) {
  if (!array.is(Kind::NDArray)) return std::nullopt;
  const auto shape = array.integers(f::NDArray::shape);
  return TensorType{array.dtype(std::uint8_t{f::NDArray::dtype}),
                    std::vector<std::int64_t>(shape.begin(), shape.end())}
      .bytes();
}

// Texts and older captures may have lost the data of an array, and with it the type.
void add_pool(ConstantSizes& sizes, const Topology& topology, Node info) {
  if (!info.is(Kind::ConstantPoolInfo)) return;
  const auto pool = constant_pool(topology, info.text(f::ConstantPoolInfo::pool_name));
  if (!pool) return;
  for (const Node constant : info.list(f::ConstantPoolInfo::constant_info_array)) {
    if (!constant.is(Kind::ConstantInfo)) continue;
    const auto offset = tir::pool_offset(constant);
    const auto bytes = bytes_of_array(constant[f::ConstantInfo::data]);
    if (offset && bytes) sizes.insert_or_assign({*pool, *offset}, *bytes);
  }
}

ConstantSizes constant_sizes(const Topology& topology, Node main) {
  ConstantSizes sizes;
  const Node pools = attribute_of(main, "pool_args");
  if (!pools.is(Kind::Array)) return sizes;
  for (const Node pool : pools.list(f::Array::elements)) {
    if (pool.is(Kind::AllocatedPoolInfo)) {
      add_pool(sizes, topology, pool[f::AllocatedPoolInfo::pool_info]);
    }
  }
  return sizes;
}

}  // namespace

void size_pool_constants(Topology& topology, Node main) {
  const ConstantSizes sizes = constant_sizes(topology, main);
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
