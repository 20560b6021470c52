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

}  // namespace mlf::graph
