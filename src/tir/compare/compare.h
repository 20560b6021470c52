// Compares two modules, with a tolerance for differences that its user explains. Threads: functions
// have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "mlf/tir/compare.h"
#include "mlf/tir/module.h"
#include "tir/compare/correspondence.h"
#include "tir/compare/descriptions.h"

namespace mlf::tir {

/// What of two corresponding nodes differs.
enum class Aspect : std::uint8_t {
  field,     ///< the value of a field, or the size of the list or map in it
  kind,      ///< that the right node is of another kind
  identity,  ///< that one node on one side corresponds to several on the other
  span,      ///< TVM's span of the node
  order,     ///< the order of the entries of a map
  entry,     ///< that the right map lacks an entry of the left one
};

/// A place in which two nodes differ, before it counts as a difference.
struct Mismatch {
  const compare_detail::Steps& steps;
  compare_detail::StepId step;
  const compare_detail::Pairing& pairing;
  Aspect aspect;
  std::uint8_t field = 0;      ///< for a field, and for the order and an entry of a map
  std::uint32_t position = 0;  ///< of the entry

  Node left() const { return steps.left(step); }
  Node right() const { return steps.right(step); }
};

/// Takes differences for none. This one takes no difference: every field of every node counts, as
/// do order, shared identities and spans.
class Tolerance {
 public:
  /// Statements that are compared in place of two, as steps of this kind.
  struct Statements {
    compare_detail::StepKind step = compare_detail::StepKind::in_place;
    std::vector<std::pair<Node, Node>> pairs{};
  };

  virtual ~Tolerance() = default;
  /// Whether the place counts as equal. Nodes below a field that does are not compared.
  virtual bool takes(const Mismatch&) { return false; }
  /// The statements in two that differ in how sequences nest; none to compare the two as they are.
  virtual Statements statements_in(const Mismatch&) { return {}; }
  /// Whether the constants of a module correspond by their content, not by their order.
  virtual bool has_constants_in_any_order() const { return false; }
};

struct Comparison {
  std::vector<Difference> differences;  ///< in the order of the left module
  std::size_t nodes = 0;                ///< pairs of nodes compared
  std::size_t functions = 0;            ///< pairs of functions compared

  bool equal() const { return differences.empty(); }
};

/// Compares two modules, of which `tolerance` may take some differences for none. Functions are
/// matched by name, the rest by position; Var, Buffer, constants and objects must correspond one to
/// one. Shared nodes are compared once per pair: time and memory grow with the number of nodes, not
/// of paths. If two nodes differ in kind, nothing below them is compared.
Comparison compare(const Module& left, const Module& right, Tolerance& tolerance);
Comparison compare(const Module& left, const Module& right);

}  // namespace mlf::tir
