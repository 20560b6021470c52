// The rules behind the rows of tolerances.def.
#pragma once

#include <cstdint>
#include <optional>

#include "tir/compare/compare.h"
#include "tir/compare/correspondence.h"
#include "tir/compare/surroundings.h"

namespace mlf::tir::compare_detail {

/// Knowledge about both modules beyond the two compared nodes.
struct Knowledge {
  Roles left;
  Roles right;
  Pairing pairing;
};

/// A field of two nodes of one kind (a SizeVar and a Var count as one) whose values may differ.
struct FieldPair {
  Node left;
  Node right;
  std::uint8_t field;
};

/// Whether the values of the field differ in just the way that `rule` allows. For a field that
/// holds a node, false leaves the decision to the comparison of what is below. Always false for a
/// rule about something else than a field.
bool tolerates_field(ToleranceRule rule, const FieldPair& at, Knowledge& known);

/// Whether a load or store through a pointer, and one of a buffer, name the same place alike.
bool is_same_access(Node left, Node right);

/// Two nodes of different kinds, and the one whose field holds the left one.
struct NodePair {
  Node left;
  Node right;
  std::optional<Node> left_owner;
};

/// Whether `right` may take the place of `left` although its kind is another one. Always false for
/// a rule about something else than a kind.
bool tolerates_kind(ToleranceRule rule, const NodePair& at, Knowledge& known);

}  // namespace mlf::tir::compare_detail
