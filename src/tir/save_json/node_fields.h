// The attributes of one node of known kind, as fields: finds them by name, and converts their text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "mlf/tir/module.h"
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

}  // namespace mlf::tir::save_json
