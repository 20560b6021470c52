// Compares two modules, with a tolerance for differences that its user explains. Threads: functions
// have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mlf/tir/compare.h"
#include "mlf/tir/module.h"

namespace mlf::tir {
namespace compare_detail {

// --- The correspondence: one to one for nodes with an identity, and for entries of maps ---------

class Pairing {
 public:
  Pairing(const Module& left, const Module& right)
      : right_of_(left.size()), left_of_(right.size()) {}

  enum class Match : std::uint8_t {
    paired,      ///< these two correspond, now or since an earlier call
    left_split,  ///< left has another partner, right has none: one node became several
    conflict,    ///< right has another partner
  };
  Match pair(Node left, Node right);
  /// Gives another partner to a left node that has one.
  void add_copy(Node left, Node right);

  /// Partners; `NodeId::none` if there is none yet.
  NodeId left_of(Node right) const { return left_of_[index(right.id())]; }
  NodeId right_of(Node left) const { return right_of_[index(left.id())]; }

 private:
  std::vector<NodeId> right_of_;
  std::vector<NodeId> left_of_;
};

// --- Names for messages: the path to a pair of nodes, and a short description of a node ---------

using StepId = std::uint32_t;
constexpr StepId kRootStep = 0;
constexpr StepId kNoStep = std::numeric_limits<StepId>::max();
constexpr std::uint32_t kNoPosition = std::numeric_limits<std::uint32_t>::max();

enum class StepKind : std::uint8_t {
  root,
  node,      ///< a node field
  element,   ///< an element of a list, or an entry's value in a map
  key,       ///< an entry's key in a node_map
  map,       ///< a whole node_map field; its entries are matched once its turn has come
  span,      ///< TVM's span of the parent
  in_place,  ///< the only statement of a sequence that has no counterpart
};

struct ComparisonStep {
  NodeId left;
  NodeId right;
  StepId parent;
  std::uint32_t position;  ///< of the element on the left; kNoPosition for a node field
  std::uint8_t field;      ///< of the parent
  StepKind kind;
};

/// The name of an entry of a map, or an element of a list: `functions["f"]`, `seq[3]`.
std::string entry_name(Node owner, std::uint8_t field, std::uint32_t position);

class Steps {
 public:
  /// Begins with the step `kRootStep`.
  Steps(const Module& left, const Module& right)
      : left_(&left),
        right_(&right),
        steps_{{left.root().id(), right.root().id(), kNoStep, kNoPosition, 0, StepKind::root}} {}

  StepId add(const ComparisonStep& step);
  const ComparisonStep& operator[](StepId id) const { return steps_[id]; }
  Node left(StepId id) const { return {*left_, steps_[id].left}; }
  Node right(StepId id) const { return {*right_, steps_[id].right}; }

  /// The path of a step. Long ones keep their beginning and their end.
  std::string path(StepId id) const;
  /// The path of a field of this step's nodes.
  std::string path(StepId id, std::string_view field) const;
  /// The name of the function that contains or is a step; empty outside of functions.
  std::string_view function(StepId id) const;
  /// Whether a step is in `field` of a node of `kind`, at any depth.
  bool is_below(StepId id, Kind kind, std::uint8_t field) const;
  /// The source range of the innermost node that has one.
  std::optional<SourceRange> left_range(StepId id) const {
    return range(id, *left_, &ComparisonStep::left);
  }
  std::optional<SourceRange> right_range(StepId id) const {
    return range(id, *right_, &ComparisonStep::right);
  }

 private:
  std::optional<SourceRange> range(StepId id, const Module& module,
                                   NodeId ComparisonStep::*side) const;
  std::string spell(StepId id) const;

  const Module* left_;
  const Module* right_;
  std::vector<ComparisonStep> steps_;
};

/// Kind and scalar fields: `IntImm int32 5`, `Var int32 "i"`; `undefined` for no node.
std::string brief(Node node);

/// The value of a field that is not a node; for lists and maps, the size.
std::string brief_field(Node node, std::uint8_t field);

}  // namespace compare_detail

// --- The comparison -----------------------------------------------------------------------------

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
