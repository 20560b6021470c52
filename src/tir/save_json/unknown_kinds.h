// What can be known about nodes whose type key the table does not have.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tir/save_json/json_graph.h"
#include "tir/save_json/layout.h"

namespace mlf::tir::save_json {

/// Decides from the rest of the document what nodes of unknown type are and which of their
/// attributes refer to nodes.
///
/// A node of unknown type is an expression or a statement where a known node has it in a field of
/// expressions or statements, and an object everywhere else.
///
/// TVM writes all attributes as strings, so that "57" may be a number or a node. It is taken as a
/// node if the table has fields of this name and all of them are references; or if nothing else in
/// the document refers to node 57, since TVM writes no node that nobody refers to (unless the
/// table has fields of this name and none of them is a reference).
class UnknownKinds {
 public:
  explicit UnknownKinds(const JsonGraph& graph);

  /// The kind that node `index` is read as: its own, or one of the opaque ones.
  Kind kind(std::uint32_t index) const {
    const auto known = graph_.node(index).kind;
    return known ? *known : opaque_kinds_[index];
  }
  /// Node that an attribute of a node of unknown type refers to; 0 where it does not.
  std::uint32_t reference(support::JsonMember attribute) const;

 private:
  void scan_known(std::uint32_t node);
  void scan_unknown(std::uint32_t node);
  void note_field(const FieldInfo& field, std::uint32_t target);
  void note_kind(std::uint32_t node, Expects expects);

  const JsonGraph& graph_;
  std::vector<Kind> opaque_kinds_;    // empty where all type keys are known
  std::vector<bool> certain_;         // nodes that are referred to for certain
  std::vector<bool> lists_of_exprs_;  // arrays whose elements were looked at already
  std::vector<bool> lists_of_stmts_;
};

}  // namespace mlf::tir::save_json
