#include "graph/kernels/stores.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "graph/kernels/iterations.h"
#include "graph/node_queries.h"
#include "mlf/tir/visit.h"

namespace mlf::graph {

// --- Copies -------------------------------------------------------------------------------------

namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

/// The one store of a copying kernel, and the loops around it from the outside in.
struct CopyNest {
  std::vector<Loop> loops;
  std::vector<Node> conditions;
  std::vector<std::pair<Node, Node>> lets;  // variable, value
  Node store;
};

// Goes down a chain of statements; anything beside the chain ends the matter.
std::optional<CopyNest> copy_nest(Node statement) {
  CopyNest nest;
  while (true) {
    switch (statement ? statement.kind() : Kind::Evaluate) {
      case Kind::For: {
        const auto loop = loop_of(statement);
        if (!loop) return std::nullopt;
        nest.loops.push_back(*loop);
        statement = statement[f::For::body];
        break;
      }
      case Kind::IfThenElse:
        if (statement[f::IfThenElse::else_case]) return std::nullopt;
        nest.conditions.push_back(statement[f::IfThenElse::condition]);
        statement = statement[f::IfThenElse::then_case];
        break;
      case Kind::LetStmt:
        nest.lets.emplace_back(statement[f::LetStmt::var], statement[f::LetStmt::value]);
        statement = statement[f::LetStmt::body];
        break;
      case Kind::DeclBuffer:
        statement = statement[f::DeclBuffer::body];
        break;
      case Kind::AttrStmt:
        statement = statement[f::AttrStmt::body];
        break;
      case Kind::SeqStmt:
        if (statement.list(f::SeqStmt::seq).size() != 1) return std::nullopt;
        statement = statement.list(f::SeqStmt::seq)[0];
        break;
      case Kind::BufferStore:
      case Kind::Store:
        nest.store = statement;
        return nest;
      default:
        return std::nullopt;
    }
  }
}

struct ElementAccess {
  Node data;
  Node index;
};

ElementAccess single_access(Node data, tir::NodeList indices) {
  return indices.size() == 1 ? ElementAccess{data, indices[0]} : ElementAccess{};
}

ElementAccess stored(Node store) {
  if (store.is(Kind::Store)) return {store[f::Store::buffer_var], store[f::Store::index]};
  return single_access(store[f::BufferStore::buffer][f::Buffer::data],
                       store.list(f::BufferStore::indices));
}

ElementAccess loaded(Node store) {
  const Node value = store.is(Kind::Store) ? store[f::Store::value] : store[f::BufferStore::value];
  if (value.is(Kind::Load)) return {value[f::Load::buffer_var], value[f::Load::index]};
  if (!value.is(Kind::BufferLoad)) return {};
  return single_access(value[f::BufferLoad::buffer][f::Buffer::data],
                       value.list(f::BufferLoad::indices));
}

/// Whether both indices come to the same element in every iteration.
bool agree_everywhere(const CopyNest& nest, Node to, Node from) {
  bool agree = true;
  const bool known = for_each_iteration(nest.loops, nest.lets, nest.conditions, [&](Evaluator& at) {
    const auto a = at(to);
    const auto b = at(from);
    agree = a && b && *a == *b;
    return agree;
  });
  return known && agree;
}

}  // namespace

// The same variable as both indices needs no running. v0.9 and v0.10 flatten buffers, so that the
// two sides of a reshape have different expressions for one element.
bool copies_in_order(Node function) {
  const auto nest = copy_nest(function[f::PrimFunc::body]);
  if (!nest) return false;
  const ElementAccess to = stored(nest->store);
  const ElementAccess from = loaded(nest->store);
  if (!to.index || !from.index || to.data == from.data) return false;
  if (to.index == from.index) return true;
  return agree_everywhere(*nest, to.index, from.index);
}

// --- Written extents ----------------------------------------------------------------------------

namespace {

/// Walks a body with the loops, lets and conditions around each store at hand.
class Stores {
 public:
  std::map<tir::NodeId, std::int64_t> of(Node function) &&;

 private:
  void enter(Node node);
  void leave(Node node);
  void store(Node data, tir::NodeList indices);
  std::optional<std::int64_t> highest(Node index) const;

  std::vector<Loop> loops_;
  std::vector<Binding> lets_;
  std::vector<Node> conditions_;
  std::size_t endless_ = 0;  // loops around the store whose bounds are not constant
  std::map<tir::NodeId, std::int64_t> extents_;
  std::set<tir::NodeId> unknown_;
};

void Stores::enter(Node node) {
  if (node.is(Kind::For)) {
    const auto loop = loop_of(node);
    loop ? loops_.push_back(*loop) : static_cast<void>(++endless_);
  } else if (node.is(Kind::LetStmt)) {
    lets_.emplace_back(node[f::LetStmt::var], node[f::LetStmt::value]);
  } else if (node.is(Kind::IfThenElse)) {
    conditions_.push_back(node[f::IfThenElse::else_case] ? Node() : node[f::IfThenElse::condition]);
  } else if (node.is(Kind::BufferStore)) {
    store(node[f::BufferStore::buffer][f::Buffer::data], node.list(f::BufferStore::indices));
  }
}

void Stores::leave(Node node) {
  if (node.is(Kind::For)) {
    loop_of(node) ? loops_.pop_back() : static_cast<void>(--endless_);
  } else if (node.is(Kind::LetStmt)) {
    lets_.pop_back();
  } else if (node.is(Kind::IfThenElse)) {
    conditions_.pop_back();
  }
}

// The highest element that the store writes in any iteration, by running all of them.
std::optional<std::int64_t> Stores::highest(Node index) const {
  std::optional<std::int64_t> most;
  bool known = true;
  const bool ran = for_each_iteration(loops_, lets_, conditions_, [&](Evaluator& at) {
    const auto element = at(index);
    known = element.has_value();
    if (known) most = std::max(most.value_or(0), *element);
    return known;
  });
  return ran && known ? most : std::nullopt;
}

void Stores::store(Node data, tir::NodeList indices) {
  const bool is_guarded =
      !conditions_.empty() && std::all_of(conditions_.begin(), conditions_.end(),
                                          [](Node condition) { return bool(condition); });
  const auto element =
      is_guarded && endless_ == 0 && indices.size() == 1 ? highest(indices[0]) : std::nullopt;
  if (!element) {
    unknown_.insert(data.id());
    return;
  }
  std::int64_t& extent = extents_[data.id()];
  extent = std::max(extent, *element + 1);
}

std::map<tir::NodeId, std::int64_t> Stores::of(Node function) && {
  tir::NodeSet seen(function.module());
  tir::walk(
      function[f::PrimFunc::body], seen,
      [this](Node node) {
        enter(node);
        return tir::Descend::into_children;
      },
      [this](Node node) { leave(node); });
  for (const tir::NodeId id : unknown_) extents_.erase(id);
  return std::move(extents_);
}

}  // namespace

std::map<tir::NodeId, std::int64_t> guarded_extents(Node function) {
  return Stores().of(function);
}

}  // namespace mlf::graph
