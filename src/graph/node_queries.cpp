#include "graph/node_queries.h"

namespace mlf::graph {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

Node without_casts(Node expr) {
  while (expr.is(Kind::Cast)) expr = expr[f::Cast::value];
  return expr;
}

// Attributes contain integers as IntImm in older versions and as runtime boxes in newer ones.
std::optional<std::int64_t> integer_of(Node expr) {
  expr = without_casts(expr);
  if (expr.is(Kind::IntImm)) return expr.integer(f::IntImm::value);
  if (expr.is(Kind::BoxInt)) return expr.integer(f::BoxInt::value);
  if (expr.is(Kind::BoxBool)) return expr.integer(f::BoxBool::value);
  return std::nullopt;
}

// Without "tir.": the code here uses the names of operators in texts.
std::string_view operator_of(Node expr) {
  if (!expr.is(Kind::Call)) return {};
  const Node op = expr[f::Call::op];
  if (!op.is(Kind::Op)) return {};
  std::string_view name = op.text(f::Op::name);
  if (name.starts_with("tir.")) name.remove_prefix(4);
  return name;
}

/// Omits a shape with an unknown extent, because no caller can use it.
TensorType type_of_buffer(Node buffer) {
  TensorType type;
  type.dtype = buffer.dtype(f::Buffer::dtype);
  std::vector<std::int64_t> shape;
  for (const Node extent : buffer.list(f::Buffer::shape)) {
    const auto value = integer_of(extent);
    if (!value) return type;
    shape.push_back(*value);
  }
  type.shape = std::move(shape);
  return type;
}

bool is_inert_text(Node statement) {
  if (!statement.is(Kind::OpaqueStmt) || statement.text(f::OpaqueStmt::type_key) != "c") {
    return false;
  }
  return integer_of(statement.map(f::OpaqueStmt::fields).find("is_inert")).value_or(0) != 0;
}

std::optional<std::uint64_t> bytes_of(tir::DType dtype, tir::NodeList extents) {
  TensorType type;
  type.dtype = dtype;
  type.shape.emplace();
  for (const Node extent : extents) {
    const auto value = integer_of(extent);
    if (!value) return std::nullopt;
    type.shape->push_back(*value);
  }
  return type.bytes();
}

std::optional<LetParts> let_of(Node node) {
  if (node.is(Kind::LetStmt)) {
    return LetParts{node[f::LetStmt::var], node[f::LetStmt::value], node[f::LetStmt::body]};
  }
  if (!node.is(Kind::Let)) return std::nullopt;
  return LetParts{node[f::Let::var], node[f::Let::value], node[f::Let::body]};
}

Node data_of_access(Node access) {
  switch (access.kind()) {
    case Kind::Load:
      return access[f::Load::buffer_var];
    case Kind::Store:
      return access[f::Store::buffer_var];
    case Kind::BufferLoad:
      return access[f::BufferLoad::buffer][f::Buffer::data];
    case Kind::BufferStore:
      return access[f::BufferStore::buffer][f::Buffer::data];
    default:
      return {};
  }
}

bool is_load(Node node) {
  return node.is(Kind::Load) || node.is(Kind::BufferLoad);
}

bool is_store(Node node) {
  return node.is(Kind::Store) || node.is(Kind::BufferStore);
}

Node stored_value(Node store) {
  return store.is(Kind::Store) ? store[f::Store::value] : store[f::BufferStore::value];
}

tir::DType dtype_of(Node node) {
  return is_store(node) ? stored_value(node).dtype() : node.dtype();
}

Node buffer_of(Node access) {
  if (access.is(Kind::BufferStore)) return access[f::BufferStore::buffer];
  return access.is(Kind::BufferLoad) ? access[f::BufferLoad::buffer] : Node();
}

Node index_of(Node access) {
  if (access.is(Kind::Store)) return access[f::Store::index];
  if (access.is(Kind::Load)) return access[f::Load::index];
  const tir::NodeList indices = access.is(Kind::BufferStore) ? access.list(f::BufferStore::indices)
                                                             : access.list(f::BufferLoad::indices);
  return indices.size() == 1 ? indices[0] : Node();
}

std::vector<Node> indices_of(Node access) {
  if (access.is(Kind::Store) || access.is(Kind::Load)) return {index_of(access)};
  std::vector<Node> indices;
  for (const Node index :
       access.list(access.is(Kind::BufferLoad) ? tir::FieldRef(f::BufferLoad::indices)
                                               : tir::FieldRef(f::BufferStore::indices))) {
    indices.push_back(index);
  }
  return indices;
}

tir::DType counted_type(Node access) {
  const Node buffer = buffer_of(access);
  return buffer ? buffer.dtype(f::Buffer::dtype) : dtype_of(access).element();
}

Node predicate_of(Node access) {
  Node predicate = access.is(Kind::Load)         ? access[f::Load::predicate]
                   : access.is(Kind::Store)      ? access[f::Store::predicate]
                   : access.is(Kind::BufferLoad) ? access[f::BufferLoad::predicate]
                                                 : access[f::BufferStore::predicate];
  return predicate.is(Kind::Broadcast) ? predicate[f::Broadcast::value] : predicate;
}

bool is_masked(Node access) {
  const Node predicate = predicate_of(access);
  return predicate && integer_of(predicate) != 1;
}

}  // namespace mlf::graph
