// What can be known about nodes whose type key the table does not have.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
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
/// TVM writes all attributes as strings, so that "57" may be a number or a node. All attributes of
/// one name in nodes of one type key are the same:
/// - numbers where one of them is not the index of a node, or where the table has fields of this
/// name
///   and none of them is a reference;
/// - else nodes where one of them is a node further down that nothing else refers to: TVM writes no
///   node that nobody refers to, and a node before what is below it;
/// - else nodes where all fields of this name in the table are references, and to such nodes.
class UnknownKinds {
 public:
  explicit UnknownKinds(const JsonGraph& graph);

  /// The kind that node `index` is read as: its own, or one of the opaque ones.
  Kind kind(std::uint32_t index) const {
    const auto known = graph_.node(index).kind;
    return known ? *known : opaque_kinds_[index];
  }
  /// Node that an attribute of a node of unknown type refers to; 0 where it does not.
  std::uint32_t reference(std::uint32_t node, json::Member attribute) const;

 private:
  /// What the attributes of one name in nodes of one type key are like.
  struct Evidence {
    bool has_number = false;  ///< one is not the index of a node
    bool has_first = false;   ///< one is a node that nothing else is known to refer to
    bool has_misfit = false;  ///< one is a node that no field of this name in the table takes
    bool is_reference = false;
  };
  /// Type key and name.
  using Place = std::pair<std::string_view, std::string_view>;

  void scan_known(std::uint32_t node);
  void scan_unknown(std::uint32_t node);
  void gather(std::uint32_t node);
  void decide();
  bool fits_name(std::string_view name, std::uint32_t target) const;
  void note_field(const FieldInfo& field, std::uint32_t target);
  void note_kind(std::uint32_t node, Expects expects);

  const JsonGraph& graph_;
  std::vector<Kind> opaque_kinds_;    // empty where all type keys are known
  std::vector<bool> certain_;         // nodes that are referred to for certain
  std::vector<bool> lists_of_exprs_;  // arrays whose elements were looked at already
  std::vector<bool> lists_of_stmts_;
  std::map<Place, Evidence> evidence_;
};

}  // namespace mlf::tir::save_json
