// The structure of a document of tvm.ir.save_json: nodes by index, tensors, version.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "mlf/tir/document.h"
#include "mlf/tir/module.h"
#include "support/numbers.h"

namespace mlf::tir::save_json {

/// The version range of TVM's version string: "0.9.dev0" is minor 9.
VersionRange version_named(std::string_view tvm_version);
/// Whether a version string is that of a development build between two releases.
bool is_development(const VersionRange& version);

/// Text of the input in quotes for a message, shortened if it is long.
std::string clipped(std::string_view text);

/// One entry of `nodes`. Members are indices of JSON values, 0 if absent.
struct GraphNode {
  std::uint32_t object = 0;
  std::uint32_t type_key = 0;
  std::uint32_t repr = 0;
  std::uint32_t attrs = 0;
  std::uint32_t keys = 0;
  std::uint32_t data = 0;
  std::optional<Kind> kind{};  ///< nullopt for types outside the table
  bool repr_is_base64 = false;
};

/// Checks the structure of a document and gives access to its nodes. Refers to the document.
class JsonGraph {
 public:
  explicit JsonGraph(const json::Document& document);

  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  std::uint32_t root() const { return root_; }
  const GraphNode& node(std::uint32_t index) const { return nodes_[index]; }
  const VersionRange& version() const { return version_; }
  std::size_t tensor_count() const { return tensors_.size(); }
  json::Value tensor(std::size_t index) const { return value(tensors_[index]); }

  json::Value value(std::uint32_t index) const { return {document_, index}; }
  std::string_view type_key(std::uint32_t node) const {
    return value(nodes_[node].type_key).text();
  }
  json::Value::Elements data(std::uint32_t node) const { return elements(nodes_[node].data); }
  json::Value::Elements keys(std::uint32_t node) const { return elements(nodes_[node].keys); }
  json::Value::Members attrs(std::uint32_t node) const {
    return json::Value::Members(elements(nodes_[node].attrs));
  }
  // A node has few attributes, so a search needs no index.
  std::optional<json::Value> attr(std::uint32_t node, std::string_view name) const {
    const std::uint32_t attrs = nodes_[node].attrs;
    return attrs == 0 ? std::nullopt : value(attrs).find(name);
  }
  std::uint32_t data_size(std::uint32_t node) const {
    return nodes_[node].data == 0 ? 0 : value(nodes_[node].data).size();
  }
  /// The decoded repr bytes of a node; empty if it has none.
  std::string repr(std::uint32_t node) const;

  /// Node index in an element of `data`.
  std::uint32_t element(json::Value element) const;
  /// Node index in an attribute; nullopt if its text is not an index of this document.
  std::optional<std::uint32_t> reference(json::Value attribute) const {
    const auto index = support::whole_number<std::uint32_t>(attribute.text());
    return index && *index < size() ? index : std::nullopt;
  }
  /// Whether the text of an attribute may be an index into `b64ndarrays`.
  bool is_tensor(json::Value attribute) const {
    const auto index = support::whole_number<std::size_t>(attribute.text());
    return index && *index < tensor_count();
  }
  /// Node index in an attribute of a node that must be one.
  std::uint32_t reference(std::uint32_t node, json::Member attribute) const;

  /// Throws an error at the node, or at the faulty value.
  [[noreturn]] void fail(std::uint32_t node, std::string_view message) const {
    fail(node, value(nodes_[node].object), message);
  }
  [[noreturn]] void fail(std::uint32_t node, json::Value at, std::string_view message) const {
    at.fail(fmt::format("{}: {}", describe(node), message));
  }
  /// `node 17 (tir.For)`.
  std::string describe(std::uint32_t node) const {
    const std::string_view key = type_key(node);
    return fmt::format("node {} ({})", node, key.empty() ? "null" : key);
  }

 private:
  // Absent members are read as empty ones.
  json::Value::Elements elements(std::uint32_t index) const {
    if (index == 0) return {document_, 0, 0};
    return value(index).elements();
  }
  void read_nodes(json::Value nodes);
  GraphNode read_node(json::Value object);
  void read_tensors(json::Value tensors);
  bool has_known_fields(std::uint32_t node) const;

  const json::Document& document_;
  std::uint32_t root_ = 0;
  std::vector<GraphNode> nodes_;
  std::vector<std::uint32_t> tensors_;
  VersionRange version_;
};

}  // namespace mlf::tir::save_json
