// Which node of another kind may replace a node, by the rules of tolerances.def.
#include "tir/node_queries.h"
#include "tolerance_rules.h"

namespace mlf::tir::compare_detail {
namespace {

bool is_text(Node node) {
  return node.is(Kind::String) || node.is(Kind::StringImm);
}

bool is_number(Node node) {
  return node.is(Kind::BoxInt) || (node.is(Kind::IntImm) && node.dtype() == DType::Int(32));
}

std::int64_t number_of(Node node) {
  return node.is(Kind::BoxInt) ? node.integer(f::BoxInt::value) : node.integer(f::IntImm::value);
}

// TVM has several classes for one value (String and StringImm, runtime boxes and IntImm). The
// version and the creator of the attribute determine which one it is.
bool is_same_value(const NodePair& at) {
  if (is_text(at.left) && is_text(at.right)) return string_of(at.left) == string_of(at.right);
  return is_number(at.left) && is_number(at.right) && number_of(at.left) == number_of(at.right);
}

/// TVM's type key of a node, also for kinds without a row in nodes.def.
std::string_view type_key_of(Node node) {
  if (node.is(Kind::Opaque)) return node.text(f::Opaque::type_key);
  if (node.is(Kind::OpaqueExpr)) return node.text(f::OpaqueExpr::type_key);
  if (node.is(Kind::OpaqueStmt)) return node.text(f::OpaqueStmt::type_key);
  return node.info().type_key;
}

bool are_equal_arrays(Node a, Node b) {
  if (!a.is(Kind::NDArray) || !b.is(Kind::NDArray)) return false;
  const auto data = data_of(a);
  const auto other = data_of(b);
  return data && other && std::ranges::equal(*data, *other) &&
         a.dtype(f::NDArray::dtype) == b.dtype(f::NDArray::dtype) &&
         std::ranges::equal(a.integers(f::NDArray::shape), b.integers(f::NDArray::shape));
}

bool is_missing_object(const NodePair& at, Knowledge& known) {
  if (!at.right.is(Kind::MissingObject)) return false;
  const std::string_view key = at.right.text(f::MissingObject::type_key);
  const bool same_key = key == type_key_of(at.left) || kind_with_type_key(key) == at.left.kind();
  if (!same_key) return false;
  // A text names the objects that it omits; equal names mean the same object everywhere. save_json
  // contains one array several times if it writes it by value.
  const auto name = std::pair(std::string(key), at.right.integer(f::MissingObject::index));
  const NodeId found = known.missing.emplace(name, at.left.id()).first->second;
  return found == at.left.id() || are_equal_arrays(at.left, Node(at.left.module(), found));
}

// The first argument of call_llvm_intrin is a number that depends on the version of LLVM; printers
// show the intrinsic's name.
bool is_intrinsic_name(const NodePair& at) {
  if (!at.left.is(Kind::IntImm) || !at.right.is(Kind::StringImm)) return false;
  if (!at.left_owner || !at.left_owner->is(Kind::Call)) return false;
  const Node op = (*at.left_owner)[f::Call::op];
  if (!op.is(Kind::Op) || at.left_owner->list(f::Call::args)[0] != at.left) return false;
  const std::string_view name = op.text(f::Op::name);
  return name == "tir.call_llvm_intrin" || name == "tir.call_llvm_pure_intrin";
}

}  // namespace

bool tolerates_kind(ToleranceRule rule, const NodePair& at, Knowledge& known) {
  switch (rule) {
    case ToleranceRule::plain_var:
      return at.right.is(Kind::Var);
    case ToleranceRule::same_value:
      return is_same_value(at);
    case ToleranceRule::missing_object:
      return is_missing_object(at, known);
    case ToleranceRule::intrinsic_name:
      return is_intrinsic_name(at);
    default:
      return false;
  }
}

}  // namespace mlf::tir::compare_detail
