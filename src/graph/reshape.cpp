#include "graph/reshape.h"

#include <optional>
#include <utility>
#include <vector>

#include "graph/iterations.h"
#include "graph/nodes.h"

namespace mlf::graph {
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

bool copies_in_order(Node function) {
  const auto nest = copy_nest(function[f::PrimFunc::body]);
  if (!nest) return false;
  const ElementAccess to = stored(nest->store);
  const ElementAccess from = loaded(nest->store);
  if (!to.index || !from.index || to.data == from.data) return false;
  if (to.index == from.index) return true;
  return agree_everywhere(*nest, to.index, from.index);
}

}  // namespace mlf::graph
