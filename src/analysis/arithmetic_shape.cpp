#include <unordered_map>
#include <unordered_set>

#include "analysis/digest.h"
#include "analysis/fingerprint.h"
#include "mlf/tir/visit.h"

namespace mlf::analysis {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

bool is_load(Node node) {
  return node.is(Kind::BufferLoad) || node.is(Kind::Load);
}

/// What a statement stores, or calls; undefined where it does neither.
Node computed_value(Node statement) {
  if (statement.is(Kind::BufferStore)) return statement[f::BufferStore::value];
  if (statement.is(Kind::Store)) return statement[f::Store::value];
  if (!statement.is(Kind::Evaluate)) return {};
  const Node value = statement[f::Evaluate::value];
  return value.is(Kind::Call) ? value : Node();
}

bool is_choice(Node call) {
  const Node callee = call[f::Call::op];
  return callee.is(Kind::Op) && callee.text(f::Op::name) == "tir.if_then_else";
}

/// Digests of expressions, each once however often it is shared.
class Expressions {
 public:
  explicit Expressions(Node function) {
    // Parts before the whole.
    tir::for_each_post_order(function,
                             [&](Node node) { digests_[index(node.id())] = digest(node); });
  }

  std::uint64_t of(Node node) const { return digests_.at(index(node.id())); }

 private:
  std::uint64_t digest(Node node) const {
    Digest digest;
    digest.add(static_cast<std::uint64_t>(node.kind()));
    const auto fields = node.info().fields;
    for (std::uint8_t i = 0; i < fields.size(); ++i) {
      if (fields[i].type == tir::FieldType::dtype) add(digest, node.dtype(i));
    }
    // Operands come from anywhere.
    if (is_load(node) || node.is(Kind::Var) || node.is(Kind::SizeVar)) return digest.value();
    for (std::uint8_t i = 0; i < fields.size(); ++i) add_field(digest, node, i, fields[i].type);
    return digest.value();
  }

  static void add(Digest& digest, tir::DType dtype) {
    digest.add(static_cast<std::uint64_t>(dtype.code));
    digest.add(dtype.bits);
  }

  void add_child(Digest& digest, Node child) const { digest.add(child ? of(child) : 0); }

  void add_field(Digest& digest, Node node, std::uint8_t i, tir::FieldType type) const {
    if (type == tir::FieldType::string) return digest.add(node.text(i));
    if (type == tir::FieldType::node) {
      const bool is_condition =
          node.is(Kind::Select) && i == static_cast<std::uint8_t>(f::Select::condition);
      if (!is_condition) add_child(digest, node.node(i));
    } else if (type == tir::FieldType::list) {
      const tir::NodeList list = node.list(i);
      const bool has_condition = node.is(Kind::Call) && is_choice(node);
      for (std::size_t k = has_condition ? 1 : 0; k < list.size(); ++k) add_child(digest, list[k]);
    }
  }

  std::unordered_map<std::uint32_t, std::uint64_t> digests_;
};

}  // namespace

std::uint64_t arithmetic_shape(Node prim_func) {
  const Expressions expressions(prim_func);
  Digest shape;
  shape.add(prim_func.list(f::PrimFunc::params).size());
  std::unordered_set<std::uint64_t> seen;
  tir::for_each_pre_order(prim_func, [&](Node node) {
    const Node value = computed_value(node);
    // Schedules copy through caches, and may have none.
    if (!value || is_load(value)) return;
    const std::uint64_t digest = expressions.of(value);
    if (seen.insert(digest).second) shape.add(digest);
  });
  return shape.value();
}

}  // namespace mlf::analysis
