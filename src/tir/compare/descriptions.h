// Names for messages: the path to a pair of nodes, and a short description of a node.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mlf/tir/module.h"

namespace mlf::tir::compare_detail {

using StepId = std::uint32_t;
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
  Steps(const Module& left, const Module& right) : left_(&left), right_(&right) {}

  StepId add(const ComparisonStep& step);
  const ComparisonStep& operator[](StepId id) const { return steps_[id]; }
  NodeId left_root() const { return left_->root().id(); }
  NodeId right_root() const { return right_->root().id(); }
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

}  // namespace mlf::tir::compare_detail
