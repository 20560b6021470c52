#include "tir/compare/pairing.h"

#include <algorithm>

namespace mlf::tir::compare_detail {
namespace {

/// save_json has one array several times where it writes it by value.
bool are_equal_arrays(Node a, Node b) {
  if (!a.is(Kind::NDArray) || !b.is(Kind::NDArray)) return false;
  const auto data = a.bytes(f::NDArray::data);
  const auto other = b.bytes(f::NDArray::data);
  return data && other && std::ranges::equal(*data, *other) &&
         a.dtype(f::NDArray::dtype) == b.dtype(f::NDArray::dtype) &&
         std::ranges::equal(a.integers(f::NDArray::shape), b.integers(f::NDArray::shape));
}

}  // namespace

bool has_identity(Node node) {
  switch (node.kind()) {
    case Kind::Var:
    case Kind::SizeVar:
      return true;
    case Kind::Span:
    case Kind::SequentialSpan:
    case Kind::SourceName:
    case Kind::MissingObject:
      return false;
    default:
      break;
  }
  const Category category = node.category();
  return category == Category::buffer || category == Category::constant ||
         category == Category::object;
}

Pairing::Match Pairing::pair(Node left, Node right, std::uint32_t scope) {
  NodeId& partner_of_right = left_of_[index(right.id())];
  if (partner_of_right == left.id()) return Match::paired;
  if (partner_of_right != NodeId::none) return Match::conflict;
  if (right_of_[index(left.id())] != NodeId::none) return Match::left_split;
  add_copy(left, right, scope);
  return Match::paired;
}

void Pairing::add_copy(Node left, Node right, std::uint32_t scope) {
  left_of_[index(right.id())] = left.id();
  right_of_[index(left.id())] = right.id();
  scope_of_[index(left.id())] = scope;
}

bool Pairing::pair_missing(Node left, Node reference) {
  const auto key = std::pair(std::string(reference.text(f::MissingObject::type_key)),
                             reference.integer(f::MissingObject::index));
  const NodeId known = missing_.emplace(key, left.id()).first->second;
  return known == left.id() || are_equal_arrays(left, Node(left.module(), known));
}

}  // namespace mlf::tir::compare_detail
