#include "tir/compare/pairing.h"

namespace mlf::tir::compare_detail {

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
  return missing_.emplace(key, left.id()).first->second == left.id();
}

}  // namespace mlf::tir::compare_detail
