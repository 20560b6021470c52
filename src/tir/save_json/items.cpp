#include "tir/save_json/items.h"

#include <map>

#include "support/error.h"
#include "support/numbers.h"
#include "tir/save_json/layout.h"
#include "tir/tvm_features.h"

namespace mlf::tir::save_json {
namespace {

// TVM's reader fails if an attribute is missing, and ignores additional ones.
std::vector<Slot> slots_of(const KindInfo& kind, const VersionRange& version) {
  std::vector<Slot> slots;
  for (std::uint8_t i = 0; i < kind.fields.size(); ++i) {
    if (!is_written(kind.fields[i], version)) continue;
    slots.push_back({kind.fields[i].name, i});
  }
  if (has_span(kind.kind)) slots.push_back({kSpan, 0, true});
  return slots;
}

// The most numbers that a document has for each node that is written: equal strings and empty
// arrays of a source become one.
constexpr std::uint32_t kMostNumbers = 64;
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

std::optional<Items::Opaque> Items::opaque(Node node) {
  const auto parts = [&](auto type_key, auto fields) {
    return Opaque{node.text(type_key), node.map(fields)};
  };
  if (node.is(Kind::Opaque)) return parts(f::Opaque::type_key, f::Opaque::fields);
  if (node.is(Kind::OpaqueExpr)) return parts(f::OpaqueExpr::type_key, f::OpaqueExpr::fields);
  if (node.is(Kind::OpaqueStmt)) return parts(f::OpaqueStmt::type_key, f::OpaqueStmt::fields);
  return std::nullopt;
}

bool Items::is_reference(Node node, const Slot& slot) const {
  if (slot.is_span) return true;
  const auto feature = feature_of_nodes(node.kind(), slot.field);
  if (feature && !may_have(version_, *feature)) return false;
  return save_json::is_reference(node.info().fields[slot.field]);
}

Item Items::target(Node node, const Slot& slot) const {
  return slot.is_span ? of(module_.span(node.id())) : target_of_field(node, slot.field);
}

// Lists, maps and strings are fields of a node here and separate nodes there. Empty ones share a
// single node, because nothing can distinguish them.
Item Items::target_of_field(Node node, std::uint8_t field) const {
  switch (node.info().fields[field].type) {
    case FieldType::node:
      return node.node(field) ? of(node.node(field)) : null_of_field(node, field);
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
      if (!map.defined()) return null_of_field(node, field);
      if (map.empty()) return {Item::Form::empty_map};
      return {Item::Form::field, field, node.id()};
    }
  }
}

// TVM's constructors never set these to null, and its readers do not expect it.
Item Items::null_of_field(Node node, std::uint8_t field) const {
  const Kind kind = node.kind();
  if (is_derived(kind, field)) {
    if (kind == Kind::PrimFunc) return {Item::Form::checked_type, 0, node.id()};
    if (node.map(f::IRModule::functions).empty()) return {Item::Form::empty_map};
    return {Item::Form::global_vars, 0, node.id()};
  }
  if (kind == Kind::PrimFunc && field == f::PrimFunc::preflattened_buffer_map) {
    return {Item::Form::empty_map};
  }
  if (kind != Kind::IRModule || field == f::IRModule::attrs) return {};
  if (field == f::IRModule::source_map) return {Item::Form::empty_source_map};
  return {Item::Form::empty_map};
}

std::optional<std::string_view> Items::opaque_text(Node value) {
  return value.is(Kind::String) ? std::optional(value.text(f::String::value)) : std::nullopt;
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

Numbering::Numbering(const Items& items, const Item& root)
    : items_(items), of_node_(items.module().size()) {
  order_.push_back({});
  visit(root);
  if (has_opaque_) pin(items.module().root().node(f::IRModule::source_nodes));
}

void Numbering::visit(const Item& root) {
  // TVM numbers a node before the nodes below it (NodeIndexer of serialization.cc). Targets are
  // pushed in reverse, so the first one is next.
  std::vector<Item> stack{root};
  std::vector<Item> targets;
  while (!stack.empty()) {
    const Item item = stack.back();
    stack.pop_back();
    std::uint32_t& number = place(item);
    if (number != 0) continue;
    number = static_cast<std::uint32_t>(order_.size());
    order_.push_back(item);
    has_opaque_ = has_opaque_ || items_.is_opaque(item);
    targets.clear();
    items_.for_each_target(item, [&](const Item& target) {
      ++references_;
      if (target.form != Item::Form::null && place(target) == 0) targets.push_back(target);
    });
    if (references_ > kMostReferences) {
      throw support::Error(ErrorKind::invalid_input,
                           "the module has more references than save_json can be written with");
    }
    stack.insert(stack.end(), targets.rbegin(), targets.rend());
  }
}

// Nodes of the source get the numbers that they have there, all others the free numbers in order.
void Numbering::pin(Node source_nodes) {
  if (!source_nodes || !source_nodes.is(Kind::StringMap)) return;
  const NodeMap nodes = source_nodes.map(f::StringMap::entries);
  std::map<std::uint32_t, Item> pins;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes.name(i) == name_of_tensor(tensors_.size())) {
      tensors_.push_back(nodes.value(i));
      continue;
    }
    const auto number = support::whole_number<std::uint32_t>(nodes.name(i));
    if (!number || *number == 0) {
      throw support::Error(ErrorKind::invalid_input,
                           "a name in source_nodes is not the index of a node");
    }
    if (!nodes.value(i)) continue;
    pins.emplace(*number, Items::of(nodes.value(i)));
    visit(Items::of(nodes.value(i)));
  }
  if (pins.empty()) return;
  const std::vector<Item> found = std::move(order_);
  if (pins.rbegin()->first / kMostNumbers > found.size()) {
    throw support::Error(ErrorKind::invalid_input, "a number in source_nodes is that of no node");
  }
  for (const Item& item : std::span(found).subspan(1)) place(item) = 0;
  // The numbers between them that nothing takes are those of null.
  order_.assign(pins.rbegin()->first + 1, {});
  std::vector<bool> taken(order_.size());
  taken[0] = true;
  for (const auto& [number, item] : pins) {
    order_[number] = item;
    taken[number] = true;
    place(item) = number;
  }
  std::uint32_t next = 0;
  for (const Item& item : std::span(found).subspan(1)) {
    if (place(item) != 0) continue;
    while (next < taken.size() && taken[next]) ++next;
    if (next == order_.size()) order_.emplace_back();
    order_[next] = item;
    place(item) = next++;
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

}  // namespace mlf::tir::save_json
