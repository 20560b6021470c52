#include "tir/save_json/items.h"

#include "support/error.h"
#include "tir/save_json/layout.h"
#include "tir/tvm_features.h"

namespace mlf::tir::save_json {
namespace {

// TVM's reader fails if an attribute is missing, and ignores additional ones.
std::vector<Slot> slots_of(const KindInfo& kind, const VersionRange& version) {
  std::vector<Slot> slots;
  for (std::uint8_t i = 0; i < kind.fields.size(); ++i) {
    if (!is_written(kind.fields[i], version)) continue;
    slots.push_back({kind.fields[i].name, Slot::Source::field, i});
  }
  if (has_span(kind.kind)) slots.push_back({kSpan, Slot::Source::span, 0});
  if (is_derived(kind.kind, kCheckedType)) {
    slots.push_back({kCheckedType, Slot::Source::checked_type, 0});
  }
  if (is_derived(kind.kind, kGlobalVarMap)) {
    slots.push_back({kGlobalVarMap, Slot::Source::global_vars, 0});
  }
  return slots;
}

// Lists are written once for each field that contains them, so sharing can expand.
constexpr std::uint64_t kMostReferences = 1'000'000'000;

}  // namespace

Items::Items(const Module& module, const VersionRange& version)
    : module_(module), version_(version) {
  for (const KindInfo& kind : all_kinds()) slots_.push_back(slots_of(kind, version));
}

Items::Items(const Module& module, const VersionRange& version, const ObjectsByKey& objects)
    : Items(module, version) {
  objects_ = &objects;
}

// The form of one kind changed: TargetKind is written as its name since v0.18.
bool Items::has_attrs(Kind kind) const {
  if (kind == Kind::TargetKind) return !may_have(version_, TvmFeature::target_kind_by_name);
  return info(kind).encoding == Encoding::attrs;
}

std::optional<NodeMap> Items::opaque_fields(Node node) {
  switch (node.kind()) {
    case Kind::Opaque:
      return node.map(f::Opaque::fields);
    case Kind::OpaqueExpr:
      return node.map(f::OpaqueExpr::fields);
    case Kind::OpaqueStmt:
      return node.map(f::OpaqueStmt::fields);
    default:
      return std::nullopt;
  }
}

bool Items::is_reference(Node node, const Slot& slot) const {
  if (slot.source != Slot::Source::field) return true;
  // Constant lanes are written as the number itself.
  if (is_lanes(node.kind(), slot.field) && !may_have(version_, TvmFeature::lanes_as_nodes))
    return false;
  return save_json::is_reference(node.info().fields[slot.field]);
}

Item Items::target(Node node, const Slot& slot) const {
  switch (slot.source) {
    case Slot::Source::field:
      return target_of_field(node, slot.field);
    case Slot::Source::span:
      return of(module_.span(node.id()));
    case Slot::Source::checked_type:
      return {Item::Form::checked_type, 0, node.id()};
    case Slot::Source::global_vars:
      if (node.map(f::IRModule::functions).empty()) return {Item::Form::empty_map};
      return {Item::Form::global_vars, 0, node.id()};
  }
  return {};
}

// Lists, maps and strings are fields of a node here and separate nodes there. Empty ones share a
// single node, because nothing can distinguish them.
Item Items::target_of_field(Node node, std::uint8_t field) const {
  switch (node.info().fields[field].type) {
    case FieldType::node:
      return node.node(field) ? of(node.node(field)) : null_of_field(node.kind(), field);
    case FieldType::string:
      if (!node.has_text(field)) return {};
      return {Item::Form::text, 0, NodeId::none, node.text(field)};
    case FieldType::list: {
      const NodeList list = node.list(field);
      if (!list.defined()) return {};
      if (list.empty()) return {Item::Form::empty_array};
      return {Item::Form::field, field, node.id()};
    }
    default: {
      const NodeMap map = node.map(field);
      if (!map.defined()) return null_of_field(node.kind(), field);
      if (map.empty()) return {Item::Form::empty_map};
      return {Item::Form::field, field, node.id()};
    }
  }
}

// TVM's constructors never set these to null, and its readers do not expect it.
Item Items::null_of_field(Kind kind, std::uint8_t field) const {
  if (kind == Kind::PrimFunc && field == f::PrimFunc::preflattened_buffer_map) {
    return {Item::Form::empty_map};
  }
  if (kind != Kind::IRModule || field == f::IRModule::attrs) return {};
  if (field == f::IRModule::source_map) return {Item::Form::empty_source_map};
  return {Item::Form::empty_map};
}

// The inverse of Importer::opaque_value.
std::optional<std::string_view> Items::opaque_text(Node value) {
  if (value.is(Kind::String)) {
    const std::string_view text = value.text(f::String::value);
    return looks_plain(text) ? std::optional(text) : std::nullopt;
  }
  const bool is_text = value.is(Kind::Opaque) && value.text(f::Opaque::type_key).empty();
  return is_text ? std::optional(value.text(f::Opaque::repr)) : std::nullopt;
}

Item Items::opaque_target(Node value) {
  return opaque_text(value) ? Item{} : of(value);
}

Item Items::type_of(Node var) const {
  // Var and SizeVar have the same row.
  static_assert(static_cast<int>(f::Var::type_annotation) ==
                static_cast<int>(f::SizeVar::type_annotation));
  const Node type = var[f::Var::type_annotation];
  return type ? of(type) : Item{Item::Form::prim_type, 0, var.id()};
}

Numbering::Numbering(const Items& items, const Item& root) : of_node_(items.module().size()) {
  order_.push_back({});
  // TVM numbers a node before the nodes below it (NodeIndexer of serialization.cc). Targets are
  // pushed in reverse, so the first one is next.
  std::vector<Item> stack{root};
  std::vector<Item> targets;
  std::uint64_t references = 0;
  while (!stack.empty()) {
    const Item item = stack.back();
    stack.pop_back();
    std::uint32_t& number = place(item);
    if (number != 0) continue;
    number = static_cast<std::uint32_t>(order_.size());
    order_.push_back(item);
    targets.clear();
    items.for_each_target(item, [&](const Item& target) {
      ++references;
      if (target.form != Item::Form::null && place(target) == 0) targets.push_back(target);
    });
    if (references > kMostReferences) {
      throw support::Error(ErrorKind::invalid_input,
                           "the module has more references than save_json can be written with");
    }
    stack.insert(stack.end(), targets.rbegin(), targets.rend());
  }
}

// Ids have 32 bits, fields fewer than 8, forms a handful.
std::uint64_t Numbering::key(const Item& item) {
  return static_cast<std::uint64_t>(item.form) << 40 |
         static_cast<std::uint64_t>(item.field) << 32 | index(item.id);
}

std::uint32_t& Numbering::place(const Item& item) {
  switch (item.form) {
    case Item::Form::node:
      return of_node_[index(item.id)];
    case Item::Form::text:
      // Equal strings are one node. TVM keeps string objects apart, but nothing depends on their
      // identity.
      return of_text_[item.text];
    case Item::Form::objects_of_key:
      return of_key_[item.text];
    default:
      return of_other_[key(item)];
  }
}

std::uint32_t Numbering::number(const Item& item) const {
  switch (item.form) {
    case Item::Form::null:
      return 0;
    case Item::Form::node:
      return of_node_[index(item.id)];
    case Item::Form::text:
      return of_text_.at(item.text);
    case Item::Form::objects_of_key:
      return of_key_.at(item.text);
    default:
      return of_other_.at(key(item));
  }
}

}  // namespace mlf::tir::save_json
