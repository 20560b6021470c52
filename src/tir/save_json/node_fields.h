// The attributes of one node of known kind, in the order of its row in the table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tir/save_json/json_graph.h"
#include "tir/save_json/layout.h"

namespace mlf::tir::save_json {

/// JSON values of the fields of one node, found by name; attributes outside the table aside.
class NodeFields {
 public:
  /// Calls `unknown(name)` for attributes that are neither fields, `span` nor derived.
  template <class Unknown>
  NodeFields(const JsonGraph& graph, std::uint32_t node, Kind kind, Unknown&& unknown)
      : graph_(graph), node_(node), kind_(kind) {
    for (const json::Member attribute : graph.attrs(node)) {
      if (!place(attribute)) unknown(attribute.key.text());
    }
  }

  bool has(std::uint8_t field) const { return values_[field] != 0; }
  json::Value value(std::uint8_t field) const { return graph_.value(values_[field]); }

  Kind kind() const { return kind_; }

  /// Node that a field refers to; 0 for null and for a field that is not there.
  std::uint32_t reference(std::uint8_t field) const;
  std::uint32_t span() const;

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
    return {graph_.value(value - 1), graph_.value(value)};
  }

  const JsonGraph& graph_;
  std::uint32_t node_;
  Kind kind_;
  std::size_t next_ = 0;  // attributes come sorted, as the names are
  std::uint32_t span_ = 0;
  std::array<std::uint32_t, kMaxFields> values_{};
};

}  // namespace mlf::tir::save_json
