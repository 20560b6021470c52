// The rules behind the rows of tolerances.def.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "surroundings.h"
#include "text_tolerance.h"

namespace mlf::tir::compare_detail {

/// Knowledge about both modules beyond the two compared nodes.
struct Knowledge {
  Knowledge(const Module& on_left, const Module& on_right) : left(on_left), right(on_right) {}

  Roles left;
  Roles right;
  const Pairing* pairing = nullptr;  ///< of the comparison so far
  /// The objects that references into a missing metadata section are.
  std::map<std::pair<std::string, std::int64_t>, NodeId> missing;
};

/// A field of two nodes of one kind (a SizeVar and a Var count as one) whose values may differ.
struct FieldPair {
  Node left;
  Node right;
  std::uint8_t field;
};

/// Whether the values of the field differ in exactly the way that `rule` allows. For a field that
/// contains a node, false leaves the decision to the comparison of the nodes below. Always false
/// for a rule that is not about a field.
bool tolerates_field(ToleranceRule rule, const FieldPair& at, Knowledge& known);

/// Two nodes of different kinds, and the node whose field contains the left one.
struct NodePair {
  Node left;
  Node right;
  std::optional<Node> left_owner;
};

/// Whether `right` may replace `left` although its kind differs. Always false for a rule that is
/// not about a kind.
bool tolerates_kind(ToleranceRule rule, const NodePair& at, Knowledge& known);

}  // namespace mlf::tir::compare_detail
