// Structural equality of two expressions inside one builder, on a stack of its own.
#include <utility>

#include "mlf/tir/visit.h"
#include "tir/text/expr_factory.h"

namespace mlf::tir::text {
namespace {

using Pairs = std::vector<std::pair<NodeId, NodeId>>;

bool has_identity(Category category) {
  return category == Category::buffer || category == Category::object ||
         category == Category::constant;
}

// Compares a field's own content; nodes it refers to are left in `rest`.
bool same_field(Node a, Node b, std::uint8_t i, Pairs& rest) {
  switch (a.info().fields[i].type) {
    case FieldType::node:
      rest.emplace_back(a.node(i).id(), b.node(i).id());
      return true;
    case FieldType::list: {
      const NodeList left = a.list(i);
      const NodeList right = b.list(i);
      if (left.size() != right.size()) return false;
      for (std::size_t k = 0; k < left.size(); ++k) rest.emplace_back(left[k].id(), right[k].id());
      return true;
    }
    case FieldType::string:
      return a.text(i) == b.text(i);
    case FieldType::integer:
    case FieldType::boolean:
    case FieldType::enumeration:
      return a.integer(i) == b.integer(i);
    case FieldType::real:
      return a.real(i) == b.real(i);
    case FieldType::dtype:
      return a.dtype(i) == b.dtype(i);
    default:
      return false;  // expressions that repeat hold no maps, integers or bytes
  }
}

bool same_fields(Node a, Node b, Pairs& rest) {
  for (std::uint8_t i = 0; i < a.info().fields.size(); ++i) {
    if (!same_field(a, b, i, rest)) return false;
  }
  return true;
}

}  // namespace

bool ExprFactory::same_expr(NodeId a, NodeId b) const {
  Pairs rest{{a, b}};
  while (!rest.empty()) {
    const auto [left, right] = rest.back();
    rest.pop_back();
    if (left == right) continue;
    if (left == NodeId::none || right == NodeId::none) return false;
    const Node l = builder_->node(left);
    const Node r = builder_->node(right);
    if (l.kind() != r.kind() || l.is(Kind::Var) || l.is(Kind::SizeVar)) return false;
    if (has_identity(l.category()) || !same_fields(l, r, rest)) return false;
  }
  return true;
}

}  // namespace mlf::tir::text
