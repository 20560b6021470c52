// The entries of `nodes` for a module, in order: nodes of the IR, and arrays, maps, strings and
// derived types, for which save_json makes separate nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
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

/// One attribute of a kind: a field, or the span.
struct Slot {
  std::string_view name;
  std::uint8_t field;
  bool is_span = false;
};

/// Returns the items and texts of a module, for a reader of TVM `version`.
class Items {
 public:
  Items(const Module& module, const VersionRange& version);
  /// The same for `objects` of the module, which must outlive this.
  Items(const Module& module, const VersionRange& version, const ObjectsByKey& objects);

  /// The attributes of a kind that TVM reads, in the order of the table.
  std::span<const Slot> slots(Kind kind) const { return slots_[static_cast<std::size_t>(kind)]; }
  /// Whether an attribute is written as the index of an item.
  bool is_reference(Node node, const Slot& slot) const;
  /// The target of an attribute.
  Item target(Node node, const Slot& slot) const;
  /// The text of an attribute of a node of unknown type; nullopt if it is a reference.
  static std::optional<std::string_view> opaque_text(Node value);
  /// What it refers to: null if it is a text.
  static Item opaque_target(Node value);
  /// The type of a parameter.
  Item type_of(Node var) const;

  /// Calls `visit(item)` for everything that `item` refers to: first in its attributes, then in its
  /// data.
  template <class Visit>
  void for_each_target(const Item& item, Visit&& visit) const {
    if (item.form == Item::Form::node) {
      const Node node = module_.node(item.id);
      if (has_attrs(node.kind())) {
        for (const Slot& slot : slots(node.kind())) {
          if (is_reference(node, slot)) visit(target(node, slot));
        }
      }
      if (const auto unknown = opaque(node)) {
        for (std::size_t i = 0; i < unknown->fields.size(); ++i) {
          visit(opaque_target(unknown->fields.value(i)));
        }
        visit(of(module_.span(item.id)));
      }
    } else if (item.form == Item::Form::checked_type) {
      visit({Item::Form::checked_params, 0, item.id});
      visit(of(module_.node(item.id)[f::PrimFunc::ret_type]));
      visit({Item::Form::empty_array});
    } else if (item.form == Item::Form::empty_source_map) {
      visit({Item::Form::empty_map});
    }
    for_each_element(item, visit);
  }
  /// Calls `visit(item)` for the elements in the `data` of an item, in order.
  template <class Visit>
  void for_each_element(const Item& item, Visit&& visit) const;

  /// Whether a kind is written with attributes, not as its content.
  bool has_attrs(Kind kind) const;
  /// The type and the attributes of a node of unknown type; nullopt for known kinds.
  struct Opaque {
    std::string_view type_key;
    NodeMap fields;
  };
  static std::optional<Opaque> opaque(Node node);
  bool is_opaque(const Item& item) const {
    return item.form == Item::Form::node && opaque(module_.node(item.id)).has_value();
  }
  static Item of(Node node) { return node ? Item{Item::Form::node, 0, node.id()} : Item{}; }
  const Module& module() const { return module_; }
  const VersionRange& version() const { return version_; }
  const ObjectsByKey& objects() const { return *objects_; }

 private:
  Item target_of_field(Node node, std::uint8_t field) const;
  Item null_of_field(Node node, std::uint8_t field) const;
  template <class Visit>
  void for_each_of_field(Node node, std::uint8_t field, Visit&& visit) const;

  const Module& module_;
  const VersionRange& version_;
  const ObjectsByKey* objects_ = nullptr;
  std::vector<std::vector<Slot>> slots_;
};

template <class Visit>
void Items::for_each_of_field(Node node, std::uint8_t field, Visit&& visit) const {
  const FieldType type = node.info().fields[field].type;
  if (type == FieldType::list) {
    for (const Node element : node.list(field)) visit(of(element));
    return;
  }
  const NodeMap map = node.map(field);
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (type == FieldType::node_map) visit(of(map.key(i)));
    visit(of(map.value(i)));
  }
}

template <class Visit>
void Items::for_each_element(const Item& item, Visit&& visit) const {
  if (item.form == Item::Form::objects) {
    for (const auto& [key, ids] : *objects_)
      visit({Item::Form::objects_of_key, 0, NodeId::none, key});
    return;
  }
  if (item.form == Item::Form::objects_of_key) {
    for (const NodeId id : objects_->find(item.text)->second) visit(of(module_.node(id)));
    return;
  }
  const Node node = module_.node(item.id);
  switch (item.form) {
    case Item::Form::field:
      return for_each_of_field(node, item.field, visit);
    case Item::Form::node:
      // Arrays and maps have one field each: their content.
      if (node.is(Kind::Array) || node.is(Kind::StringMap) || node.is(Kind::ObjectMap)) {
        return for_each_of_field(node, 0, visit);
      }
      if (node.is(Kind::Opaque)) return for_each_of_field(node, f::Opaque::elements, visit);
      return;
    case Item::Form::checked_params:
      for (const Node param : node.list(f::PrimFunc::params)) visit(type_of(param));
      return;
    case Item::Form::global_vars: {
      const NodeMap functions = node.map(f::IRModule::functions);
      for (std::size_t i = 0; i < functions.size(); ++i) visit(of(functions.key(i)));
      return;
    }
    default:
      return;
  }
}

/// Numbers everything below a root in TVM's order, the whole before its parts, each once; equal
/// strings are one item. The null node is number 0. If there are nodes of unknown type, the
/// `source_nodes` of the module keep their numbers.
class Numbering {
 public:
  Numbering(const Items& items, const Item& root);

  /// By number.
  std::span<const Item> order() const { return order_; }
  std::uint32_t number(const Item& item) { return place(item); }
  /// The first tensors of the document, which keep their numbers too.
  std::span<const Node> tensors() const { return tensors_; }

 private:
  /// The place of an item's number; new items, and null, have 0 there.
  std::uint32_t& place(const Item& item);
  static std::uint64_t key(const Item& item);
  void visit(const Item& root);
  void pin(Node source_nodes);

  const Items& items_;
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
