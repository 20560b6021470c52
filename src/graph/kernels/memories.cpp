#include "graph/kernels/memories.h"

#include <algorithm>
#include <string_view>

#include "graph/allocations.h"
#include "graph/node_queries.h"
#include "support/lookup.h"
#include "tir/ethos_u.h"

namespace mlf::graph {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

// Definitions come before their uses, because parents come before their parts.
Memories::Memories(Node function, const EvaluationOrder& order) : scope_(function) {
  const tir::NodeList params = function.list(f::PrimFunc::params);
  for (const Node param : params) use(param);
  // Texts give the variable of a parameter a name that is derived from that of its Buffer.
  const tir::NodeMap buffers = function.map(f::PrimFunc::buffer_map);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const auto memory = of_pointer(buffers.key(i));
    const std::string_view name = buffers.value(i).text(f::Buffer::name);
    if (memory && !name.empty()) memories_[*memory].name = std::string(name);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    define(order[i]);
    if (const Node data = data_of_access(order[i])) use(data);
    // Memory that is only passed on also counts: the callee accesses it.
    if (order[i].is(Kind::Call)) {
      for (const Node arg : order[i].list(f::Call::args)) {
        const Node pointer = tir::passed_pointer(order[i], arg);
        if (scope_.address_of(pointer).kind != AddressKind::unknown) use(pointer);
      }
    }
  }
}

// Ignores Buffers: they are views of the memory of their variable.
void Memories::define(Node node) {
  if (const auto let = let_of(node)) {
    // Generated C allocates large memory by a call instead of an Allocate.
    if (is_workspace_allocation(let->value)) {
      scope_.allocate(let->var);
    } else if (let->var.dtype().is_handle()) {
      scope_.bind(let->var, let->value);
    }
    return;
  }
  switch (node.kind()) {
    case Kind::Allocate:
      return scope_.allocate(node[f::Allocate::buffer_var]);
    case Kind::AllocateConst:
      constants_.push_back(tir::index(node[f::AllocateConst::buffer_var].id()));
      return scope_.allocate(node[f::AllocateConst::buffer_var]);
    case Kind::BufferRealize:
      return scope_.allocate(node[f::BufferRealize::buffer][f::Buffer::data]);
    case Kind::Block:
      for (const Node buffer : node.list(f::Block::alloc_buffers)) {
        scope_.allocate(buffer[f::Buffer::data]);
      }
      for (const Node match : node.list(f::Block::match_buffers)) {
        const Node source = match[f::MatchBufferRegion::source][f::BufferRegion::buffer];
        scope_.bind(match[f::MatchBufferRegion::buffer][f::Buffer::data],
                    scope_.address_of(source[f::Buffer::data]));
      }
      return;
    default:
      return;
  }
}

/// The variable of its address identifies a tensor in a pool; the address itself identifies any
/// other tensor.
Memories::Key Memories::key_of(const Address& address, Node data) {
  if (address.alias != tir::NodeId::none) {
    return {AddressKind::local, 0, 0, tir::index(address.alias)};
  }
  if (address.kind == AddressKind::unknown) {
    return {AddressKind::unknown, 0, 0, tir::index(data.id())};
  }
  return {address.kind, address.root, address.inside ? address.offset : 0, 0};
}

void Memories::use(Node data) {
  const Address address = scope_.address_of(data);
  const auto [at, is_new] = positions_.emplace(key_of(address, data), memories_.size());
  if (!is_new) return;
  Memory memory{{}, address};
  const Node variable = without_casts(data);
  if (variable.is(Kind::Var) || variable.is(Kind::SizeVar)) {
    memory.name = std::string(variable.text(f::Var::name));
  }
  if (address.kind == AddressKind::local) {
    memory.is_constant =
        std::find(constants_.begin(), constants_.end(), address.root) != constants_.end();
  }
  memories_.push_back(std::move(memory));
}

std::optional<std::size_t> Memories::of_pointer(Node pointer) const {
  return support::value_at(positions_, key_of(scope_.address_of(pointer), pointer));
}

std::optional<std::size_t> Memories::of_access(Node access) const {
  const Node data = data_of_access(access);
  return data ? of_pointer(data) : std::nullopt;
}

}  // namespace mlf::graph
