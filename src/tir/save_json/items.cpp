#include "tir/save_json/items.h"

#include <map>
#include <string>
#include <utility>

#include "support/error.h"
#include "support/numbers.h"
#include "tir/save_json/layout.h"
#include "tir/tvm_features.h"

namespace mlf::tir::save_json {
namespace {

constexpr std::string_view kLegacyAllocatedPoolInfo = "tir.usmp.AllocatedPoolInfo";

std::optional<std::pair<std::string_view, NodeMap>> unknown_type(Node node) {
  const auto parts = [&](auto type_key, auto fields) {
    return std::pair(node.text(type_key), node.map(fields));
  };
  if (node.is(Kind::Opaque)) return parts(f::Opaque::type_key, f::Opaque::fields);
  if (node.is(Kind::OpaqueExpr)) return parts(f::OpaqueExpr::type_key, f::OpaqueExpr::fields);
  if (node.is(Kind::OpaqueStmt)) return parts(f::OpaqueStmt::type_key, f::OpaqueStmt::fields);
  return std::nullopt;
}

// v0.8: the type of a parameter that has none itself.
Item type_of(Node var) {
  // Var and SizeVar have the same row.
  static_assert(static_cast<int>(f::Var::type_annotation) ==
                static_cast<int>(f::SizeVar::type_annotation));
  const Node type = var[f::Var::type_annotation];
  return type ? Items::of(type) : Item{Item::Form::prim_type, 0, var.id()};
}

// The most numbers that a document has for each node that is written: equal strings and empty
// arrays of a source become one.
constexpr std::uint32_t kMostNumbers = 64;
// Lists are written once for each field that contains them, so sharing can expand.
constexpr std::uint64_t kMostReferences = 1'000'000'000;

}  // namespace

// The form of one kind changed: TargetKind is written as its name since v0.18.
bool Items::has_attrs(Kind kind) const {
  if (kind == Kind::TargetKind) return !may_have(version_, TvmFeature::target_kind_by_name);
  return info(kind).encoding == Encoding::attrs;
}

bool Items::is_opaque(const Item& item) const {
  return item.form == Item::Form::node && unknown_type(module_.node(item.id)).has_value();
}

// TVM's reader fails if an attribute is missing, and ignores additional ones.
std::span<const std::uint8_t> Items::fields_of(Kind kind) {
  auto& fields = fields_[static_cast<std::size_t>(kind)];
  if (fields) return *fields;
  fields.emplace();
  const auto rows = info(kind).fields;
  for (std::uint8_t i = 0; i < rows.size(); ++i) {
    if (is_written(rows[i], version_)) fields->push_back(i);
  }
  return *fields;
}

bool Items::is_reference(Node node, std::uint8_t field) const {
  const auto feature = feature_of_nodes(node.kind(), field);
  if (feature && !may_have(version_, *feature)) return false;
  return save_json::is_reference(node.info().fields[field]);
}

// --- The content of each form ------------------------------------------------------------------

const Content& Items::content(const Item& item) {
  content_.attrs.clear();
  content_.repr.reset();
  content_.keys.clear();
  content_.data.clear();
  content_.type_key = "Array";
  switch (item.form) {
    case Item::Form::null:
      content_.type_key = {};
      break;
    case Item::Form::node:
      add_node(module_.node(item.id));
      break;
    case Item::Form::text:
      content_.type_key = "runtime.String";
      content_.repr = item.text;
      break;
    case Item::Form::field:
      add_elements(module_.node(item.id), item.field);
      break;
    case Item::Form::empty_array:
      break;
    case Item::Form::empty_map:
      content_.type_key = "Map";
      break;
    case Item::Form::empty_source_map:
      content_.type_key = "SourceMap";
      content_.attrs.push_back({"source_map", Item{Item::Form::empty_map}});
      break;
    case Item::Form::checked_type:
      add_checked_type(module_.node(item.id));
      break;
    case Item::Form::checked_params:
      for (const Node param : module_.node(item.id).list(f::PrimFunc::params)) {
        content_.data.push_back(type_of(param));
      }
      break;
    case Item::Form::prim_type:
      content_.type_key = "PrimType";
      content_.attrs.push_back({"dtype", {}, {}, dtype_text(module_.node(item.id).dtype())});
      break;
    case Item::Form::global_vars: {
      content_.type_key = "Map";
      const NodeMap functions = module_.node(item.id).map(f::IRModule::functions);
      for (std::size_t i = 0; i < functions.size(); ++i) {
        content_.keys.push_back(functions.key(i).text(f::GlobalVar::name_hint));
        content_.data.push_back(of(functions.key(i)));
      }
      break;
    }
    case Item::Form::objects:
      content_.type_key = "Map";
      for (const auto& [key, ids] : *objects_) {
        content_.keys.push_back(key);
        content_.data.push_back({Item::Form::objects_of_key, 0, NodeId::none, key});
      }
      break;
    case Item::Form::objects_of_key:
      for (const NodeId id : objects_->find(item.text)->second) {
        content_.data.push_back(of(module_.node(id)));
      }
      break;
  }
  return content_;
}

void Items::add_node(Node node) {
  content_.type_key = type_key(node);
  if (has_attrs(node.kind())) return add_known(node);
  if (is_number_of_attribute(node)) return add_number_of_attribute(node);
  if (const auto unknown = unknown_type(node)) {
    return add_opaque(node, unknown->first, unknown->second);
  }
  // Arrays and maps have one field each: their content.
  if (node.is(Kind::Array) || node.is(Kind::StringMap) || node.is(Kind::ObjectMap)) {
    add_elements(node, 0);
  }
}

std::string_view Items::type_key(Node node) const {
  // The class moved from tir.usmp to ir in v0.13 and did not change otherwise.
  const bool has_pools = has(version_.last, TvmFeature::pool_infos);
  if (node.is(Kind::AllocatedPoolInfo) && !has_pools) return kLegacyAllocatedPoolInfo;
  if (!is_number_of_attribute(node)) return node.info().type_key;
  return info(node.is(Kind::BoxFloat) ? Kind::FloatImm : Kind::IntImm).type_key;
}

void Items::add_known(Node node) {
  for (const std::uint8_t field : fields_of(node.kind())) {
    Content::Attr& attr = content_.attrs.emplace_back();
    attr.name = node.info().fields[field].name;
    if (is_reference(node, field)) {
      attr.target = target(node, field);
    } else {
      attr.field = field;
    }
  }
  if (has_span(node.kind())) {
    content_.attrs.push_back({kSpan, of(module_.span(node.id()))});
  }
}

/// Numbers that v0.18 boxes are expressions in earlier versions.
bool Items::is_number_of_attribute(Node node) const {
  const bool is_box = node.is(Kind::BoxBool) || node.is(Kind::BoxInt) || node.is(Kind::BoxFloat);
  return is_box && !may_have(version_, TvmFeature::boxed_numbers);
}

void Items::add_number_of_attribute(Node node) {
  const std::int64_t integer = node.is(Kind::BoxInt) ? node.integer(f::BoxInt::value) : 0;
  const bool is_long = integer > INT32_MAX || integer < INT32_MIN;
  const bool is_bool = node.is(Kind::BoxBool);
  const std::string_view dtype = is_bool                   ? "bool"
                                 : node.is(Kind::BoxFloat) ? "float32"
                                 : is_long                 ? "int64"
                                                           : "int32";
  content_.attrs.push_back({"dtype", {}, {}, std::string(dtype)});
  content_.attrs.push_back({kSpan, Item{}});
  if (is_bool) {
    const bool value = node.integer(f::BoxBool::value) != 0;
    content_.attrs.push_back({"value", {}, {}, value ? "1" : "0"});
  } else {
    content_.attrs.push_back({"value", {}, std::uint8_t{0}});
  }
}

/// A text of the source is an index there or is none: see Numbering.
void Items::add_opaque(Node node, std::string_view type_key, const NodeMap& fields) {
  content_.type_key = type_key;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Node value = fields.value(i);
    if (value.is(Kind::String)) {
      content_.attrs.push_back({fields.name(i), {}, {}, std::string(value.text(f::String::value))});
    } else {
      content_.attrs.push_back({fields.name(i), of(value)});
    }
  }
  const Node span = module_.span(node.id());
  if (span) content_.attrs.push_back({kSpan, of(span)});
  if (node.is(Kind::OpaqueExpr)) {
    content_.attrs.push_back({"dtype", {}, {}, dtype_text(node.dtype())});
  }
  if (!node.is(Kind::Opaque)) return;
  content_.repr = node.text(f::Opaque::repr);
  for (const Node key : node.list(f::Opaque::keys)) {
    content_.keys.push_back(key.text(f::String::value));
  }
  for (const Node element : node.list(f::Opaque::elements)) content_.data.push_back(of(element));
}

/// Derived from parameters and result: the module does not keep it, and TVM's reader needs it.
void Items::add_checked_type(Node function) {
  content_.type_key = "FuncType";
  content_.attrs.push_back({"arg_types", Item{Item::Form::checked_params, 0, function.id()}});
  content_.attrs.push_back({"ret_type", of(function[f::PrimFunc::ret_type])});
  content_.attrs.push_back({kSpan, Item{}});
  content_.attrs.push_back({"type_constraints", Item{Item::Form::empty_array}});
  content_.attrs.push_back({"type_params", Item{Item::Form::empty_array}});
}

void Items::add_elements(Node node, std::uint8_t field) {
  const FieldType type = node.info().fields[field].type;
  if (type == FieldType::list) {
    for (const Node element : node.list(field)) content_.data.push_back(of(element));
    return;
  }
  content_.type_key = "Map";
  const NodeMap map = node.map(field);
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (type == FieldType::string_map) {
      content_.keys.push_back(map.name(i));
    } else {
      content_.data.push_back(of(map.key(i)));
    }
    content_.data.push_back(of(map.value(i)));
  }
}

// Lists, maps and strings are fields of a node here and separate nodes there. Empty ones share a
// single node, because nothing can distinguish them.
Item Items::target(Node node, std::uint8_t field) const {
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

Numbering::Numbering(Items& items, const Item& root)
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
    const auto note = [&](const Item& target) {
      ++references_;
      if (target.form != Item::Form::null && place(target) == 0) targets.push_back(target);
    };
    const Content& content = items_.content(item);
    for (const Content::Attr& attr : content.attrs) {
      if (attr.target) note(*attr.target);
    }
    for (const Item& element : content.data) note(element);
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
      // Ids have 32 bits, fields fewer than 8, forms a handful.
      return of_other_[static_cast<std::uint64_t>(item.form) << 40 |
                       static_cast<std::uint64_t>(item.field) << 32 | index(item.id)];
  }
}

}  // namespace mlf::tir::save_json
