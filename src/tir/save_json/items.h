// The entries of `nodes` for a module, in order: nodes of the IR, and arrays, maps, strings and
// derived types, for which save_json makes separate nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mlf/tir/document.h"
#include "mlf/tir/module.h"
#include "support/name_map.h"
#include "tir/save_json/metadata.h"

namespace mlf::tir::save_json {

struct Item {
  enum class Form : std::uint8_t {
    null,
    node,              ///< the node `id`
    field,             ///< the list or map in field `field` of the node `id`
    text,              ///< `text` as a runtime.String
    empty_array,       ///< one for all fields without elements
    empty_map,         ///< the same for maps
    empty_source_map,  ///< an empty SourceMap
    checked_type,      ///< FuncType of the PrimFunc `id`
    checked_params,    ///< Array of the types of its parameters
    prim_type,         ///< PrimType of the Var `id`, which has no type itself
    global_vars,       ///< Map of names to GlobalVars of the IRModule `id`
    objects,           ///< Map of type keys to Arrays of objects
    objects_of_key,    ///< the Array of the objects whose type key is `text`
  };
  Form form = Form::null;
  std::uint8_t field = 0;
  NodeId id = NodeId::none;
  std::string_view text{};
};

/// What the node of an item consists of, besides the content of arrays, strings and numbers.
struct Content {
  struct Attr {
    std::string_view name;
    std::optional<Item> target{};         ///< its text is the number of this item
    std::optional<std::uint8_t> field{};  ///< its text is this field
    std::string text{};
  };
  std::string_view type_key{};
  std::vector<Attr> attrs{};
  std::optional<std::string_view> repr{};
  std::vector<std::string_view> keys{};
  std::vector<Item> data{};
};

/// Returns the items and texts of a module, for a reader of TVM `version`.
class Items {
 public:
  Items(const Module& module, const VersionRange& version)
      : module_(module), version_(version), fields_(all_kinds().size()) {}
  /// The same for `objects` of the module, which must outlive this.
  Items(const Module& module, const VersionRange& version, const ObjectsByKey& objects)
      : Items(module, version) {
    objects_ = &objects;
  }

  /// The content of an item. Valid until the next call.
  const Content& content(const Item& item);
  /// Whether a kind is written with attributes, not as its content.
  bool has_attrs(Kind kind) const;
  /// Whether a node is of a type that the table lacks.
  bool is_opaque(const Item& item) const;
  static Item of(Node node) { return node ? Item{Item::Form::node, 0, node.id()} : Item{}; }
  const Module& module() const { return module_; }
  const VersionRange& version() const { return version_; }

 private:
  void add_node(Node node);
  void add_known(Node node);
  void add_opaque(Node node, std::string_view type_key, const NodeMap& fields);
  void add_number_of_attribute(Node node);
  void add_checked_type(Node function);
  void add_elements(Node node, std::uint8_t field);
  std::string_view type_key(Node node) const;
  bool is_number_of_attribute(Node node) const;
  bool is_reference(Node node, std::uint8_t field) const;
  std::span<const std::uint8_t> fields_of(Kind kind);
  Item target(Node node, std::uint8_t field) const;
  Item null_of_field(Node node, std::uint8_t field) const;

  const Module& module_;
  const VersionRange& version_;
  const ObjectsByKey* objects_ = nullptr;
  std::vector<std::optional<std::vector<std::uint8_t>>> fields_;  // that TVM reads, by kind
  Content content_;
};

/// Numbers everything below a root in TVM's order, the whole before its parts, each once; equal
/// strings are one item. The null node is number 0. If there are nodes of unknown type, the
/// `source_nodes` of the module keep their numbers.
class Numbering {
 public:
  Numbering(Items& items, const Item& root);

  /// By number.
  std::span<const Item> order() const { return order_; }
  std::uint32_t number(const Item& item) { return place(item); }
  /// The first tensors of the document, which keep their numbers too.
  std::span<const Node> tensors() const { return tensors_; }

 private:
  /// The place of an item's number; new items, and null, have 0 there.
  std::uint32_t& place(const Item& item);
  void visit(const Item& root);
  void pin(Node source_nodes);

  Items& items_;
  std::vector<Item> order_;
  std::uint64_t references_ = 0;
  bool has_opaque_ = false;
  std::vector<Node> tensors_;
  std::vector<std::uint32_t> of_node_;
  support::NameMap<std::string_view, std::uint32_t> of_text_;
  support::NameMap<std::string_view, std::uint32_t> of_key_;
  std::unordered_map<std::uint64_t, std::uint32_t> of_other_;
};

}  // namespace mlf::tir::save_json
