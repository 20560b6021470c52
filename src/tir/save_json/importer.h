// Makes the nodes of a save_json document in a Builder: parts before the whole, on its own stack,
// each node once. Keeps nodes whose type key the table lacks as they are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/builder.h"
#include "mlf/tir/document.h"
#include "tir/reader.h"
#include "tir/save_json/json_graph.h"
#include "tir/save_json/layout.h"

namespace mlf::tir::save_json {

/// The JSON values of one node's fields, found by name; attributes outside the table are separate.
class NodeFields {
 public:
  /// Calls `unknown(name)` for attributes that are neither fields, `span` nor derived. `graph` must
  /// outlive this.
  template <class Unknown>
  NodeFields(const JsonGraph& graph, std::uint32_t node, Kind kind, Unknown&& unknown)
      : graph_(&graph), names_(fields_by_name(kind)), node_(node), kind_(kind) {
    targets_.fill(kUnread);
    for (const json::Member attribute : graph.attrs(node)) {
      if (!place(attribute)) unknown(attribute.key.text());
    }
  }

  bool has(std::uint8_t field) const { return values_[field] != 0; }
  json::Value value(std::uint8_t field) const { return graph_->value(values_[field]); }

  Kind kind() const { return kind_; }

  /// The node that a field refers to; 0 for null and for a missing field. Read at the first call.
  std::uint32_t reference(std::uint8_t field);
  std::uint32_t span();

  std::int64_t integer(std::uint8_t field) const;
  std::int64_t boolean(std::uint8_t field) const;
  std::int64_t enumeration(std::uint8_t field) const;
  double real(std::uint8_t field) const;
  DType dtype(std::uint8_t field) const;
  std::size_t tensor(std::uint8_t field) const;

  /// Throws an error at the value of a field.
  [[noreturn]] void fail(std::uint8_t field, std::string_view message) const;

 private:
  bool place(json::Member attribute);
  [[noreturn]] void fail_value(std::uint8_t field, std::string_view expected) const;
  json::Member member(std::uint32_t value) const {
    return {graph_->value(value - 1), graph_->value(value)};
  }

  static constexpr std::uint32_t kUnread = UINT32_MAX;  // no index of a node

  const JsonGraph* graph_;
  std::span<const NamedField> names_;
  std::uint32_t node_;
  Kind kind_;
  std::size_t next_ = 0;  // attributes are sorted, like the names
  std::uint32_t span_ = 0;
  std::uint32_t span_target_ = kUnread;
  std::array<std::uint32_t, kMaxFields> values_{};
  std::array<std::uint32_t, kMaxFields> targets_;  // the nodes that `values_` are
};

class Importer {
 public:
  Importer(const JsonGraph& graph, const ReadLimits& limits, Builder& builder, LossLog& losses);

  /// Returns the IR node for a document's node; makes it at the first call.
  NodeId import(std::uint32_t node);

  /// The nodes that a text in a node of unknown type may be the index of, as a StringMap by index.
  /// TVM writes numbers, texts and indices of nodes alike, and only the class tells them apart.
  /// Undefined if there are none.
  NodeId source_nodes();

  /// The places of the integers made so far in the document.
  void note_integers(Places& places) const;

 private:
  /// The result for a node: a node of the IR, or the list or map of a field.
  enum class Role : std::uint8_t { node = 1, list = 2 };
  struct Task {
    std::uint32_t node;
    Role role;
    bool entered;
  };

  void run(Task task);
  bool is_made(std::uint32_t node, Role role) const;
  void push(std::uint32_t node, Role role);
  void enter(Task task);
  void enter_node(std::uint32_t node);
  void enter_field(NodeFields& fields, const FieldInfo& field, std::uint8_t at);

  ListId make_list(std::uint32_t node);
  ListId make_string_map(std::uint32_t node);
  ListId make_node_map(std::uint32_t node);
  NodeId make_node(std::uint32_t node);
  NodeId make_from_attrs(std::uint32_t node, Kind kind);
  NodeId make_from_repr(std::uint32_t node, Kind kind);
  NodeId make_special(std::uint32_t node, Kind kind);
  NodeId make_shape_tuple(std::uint32_t node);
  NodeId make_constant(std::uint32_t node);
  NodeId make_opaque(std::uint32_t node);
  NodeId make_opaque_expr(std::uint32_t node);
  ListId opaque_fields(std::uint32_t node);
  /// The kind that a node is read as: its own, or one of the opaque ones.
  Kind kind(std::uint32_t node) const {
    const auto known = graph_.node(node).kind;
    return known ? *known : opaque_kinds_[node];
  }

  FieldValue field_value(NodeFields& fields, std::uint32_t node, Kind kind, std::uint8_t at);
  FieldValue absent_value(std::uint32_t node, const FieldInfo& field);
  FieldValue reference_value(NodeFields& fields, std::uint32_t node, const FieldInfo& field,
                             std::uint8_t at);
  FieldValue null_value(const NodeFields& fields, const FieldInfo& field, std::uint8_t at);
  FieldValue scalar_value(const NodeFields& fields, const FieldInfo& field, std::uint8_t at);
  FieldValue string_value(const NodeFields& fields, std::uint8_t at, std::uint32_t target);
  NodeId tensor(std::size_t index);
  bool is_plain(const NodeFields& fields, std::uint8_t at) const;
  void check_container(const NodeFields& fields, const FieldInfo& field, std::uint8_t at,
                       std::uint32_t target);
  void check_elements(const FieldInfo& field, std::uint32_t owner, std::uint32_t target);

  const JsonGraph& graph_;
  const ReadLimits& limits_;
  Builder& builder_;
  LossLog& losses_;
  std::vector<Kind> opaque_kinds_;        // empty if all type keys are known
  std::vector<std::uint32_t> mentioned_;  // nodes whose index is a text in a node of unknown type
  std::vector<bool> is_mentioned_;
  bool mentions_tensors_ = false;
  std::vector<Task> stack_;
  std::vector<NodeFields> entered_;  // of the nodes with attributes whose parts are being made
  std::uint32_t depth_ = 0;
  std::vector<NodeId> node_ids_;        // by index in the document
  std::vector<ListId> list_ids_;        // the same
  std::vector<std::uint8_t> open_;      // roles that are being made
  std::vector<std::uint32_t> checked_;  // the purposes (a bit each) for which elements were checked
  std::vector<NodeId> tensor_ids_;
  std::map<std::string, NodeId, std::less<>> ops_;
  // Of the node or list that is being made: vectors that keep their memory.
  std::vector<FieldValue> values_;
  std::vector<NodeId> elements_;
};

}  // namespace mlf::tir::save_json
