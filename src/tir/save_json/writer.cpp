// Writes a module as tvm.ir.save_json.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mlf/tir/document.h"
#include "mlf/tir/module.h"
#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "support/base64.h"
#include "support/byte_sink.h"
#include "support/error.h"
#include "support/name_map.h"
#include "support/numbers.h"
#include "tir/node_queries.h"
#include "tir/save_json/json_graph.h"
#include "tir/save_json/layout.h"
#include "tir/save_json/metadata.h"
#include "tir/tvm_features.h"

namespace mlf::tir {
namespace save_json {
namespace {

// Sinks write to files or hashes: larger blocks need fewer calls.
constexpr std::size_t kBlock = 1u << 16;
constexpr std::size_t kMostOnOneLine = 10;

// dmlc-core's JSONWriter escapes only these characters. TVM writes and reads other control
// characters unchanged.
std::string_view escaped(char c) {
  switch (c) {
    case '\r':
      return "\\r";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\\':
      return "\\\\";
    default:
      return "\\\"";
  }
}

/// Collects output and passes it on in blocks. `finish` must be called at the end.
class JsonOutput final : public support::ByteSink {
 public:
  explicit JsonOutput(const Sink& sink) : sink_(sink) {}

  void write(std::string_view bytes) override {
    buffer_ += bytes;
    if (buffer_.size() < kBlock) return;
    sink_(buffer_);
    buffer_.clear();
  }

  void write_quoted(std::string_view text) {
    write("\"");
    while (!text.empty()) {
      const std::size_t special = text.find_first_of("\r\n\t\\\"");
      write(text.substr(0, special));
      if (special == std::string_view::npos) break;
      write(escaped(text[special]));
      text.remove_prefix(special + 1);
    }
    write("\"");
  }

  void write_number(std::uint64_t number) {
    const fmt::format_int digits(number);
    write({digits.data(), digits.size()});
  }

  /// A line for each element, which `write_one` writes, between two brackets of `indent`.
  template <class List, class WriteOne>
  void write_lines(std::string_view brackets, const List& list, std::size_t indent,
                   WriteOne&& write_one) {
    constexpr std::string_view kBlanks = "          ";
    write(brackets.substr(0, 1));
    std::string_view separator = "\n";
    for (const auto& one : list) {
      write(separator);
      write(kBlanks.substr(0, indent + 2));
      write_one(one);
      separator = ", \n";
    }
    if (!list.empty()) write("\n");
    if (!list.empty()) write(kBlanks.substr(0, indent));
    write(brackets.substr(1));
  }

  /// An array of numbers: up to ten on one line, more on a line each, indented by `indent`.
  void write_numbers(std::span<const std::uint32_t> numbers, std::size_t indent) {
    const bool on_one_line = numbers.size() <= kMostOnOneLine;
    const auto break_line = [&](std::size_t spaces) {
      if (!on_one_line) write(fmt::format("\n{:{}}", "", spaces));
    };
    write("[");
    break_line(indent + 2);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (i > 0) write(on_one_line ? ", " : ",");
      if (i > 0) break_line(indent + 2);
      write_number(numbers[i]);
    }
    break_line(indent);
    write("]");
  }

  void finish() {
    if (!buffer_.empty()) sink_(buffer_);
    buffer_.clear();
  }

 private:
  const Sink& sink_;
  std::string buffer_;
};

/// A node of the document: one of the IR, or an array, a map, a string or a derived type, for which
/// save_json makes separate nodes.
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

Item item_of(Node node) {
  return node ? Item{Item::Form::node, 0, node.id()} : Item{};
}

// v0.8: the type of a parameter that has none itself.
Item type_of(Node var) {
  // Var and SizeVar have the same row.
  static_assert(static_cast<int>(f::Var::type_annotation) ==
                static_cast<int>(f::SizeVar::type_annotation));
  const Node type = var[f::Var::type_annotation];
  return type ? item_of(type) : Item{Item::Form::prim_type, 0, var.id()};
}

/// Derived from parameters and result: the module does not keep it, and TVM's reader needs it.
void add_checked_type(Content& content, Node function) {
  content.type_key = "FuncType";
  content.attrs.push_back({"arg_types", Item{Item::Form::checked_params, 0, function.id()}});
  content.attrs.push_back({"ret_type", item_of(function[f::PrimFunc::ret_type])});
  content.attrs.push_back({kSpan, Item{}});
  content.attrs.push_back({"type_constraints", Item{Item::Form::empty_array}});
  content.attrs.push_back({"type_params", Item{Item::Form::empty_array}});
}

void add_elements(Content& content, Node node, std::uint8_t field) {
  const FieldType type = node.info().fields[field].type;
  if (type == FieldType::list) {
    for (const Node element : node.list(field)) content.data.push_back(item_of(element));
    return;
  }
  content.type_key = "Map";
  const NodeMap map = node.map(field);
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (type == FieldType::string_map) {
      content.keys.push_back(map.name(i));
    } else {
      content.data.push_back(item_of(map.key(i)));
    }
    content.data.push_back(item_of(map.value(i)));
  }
}

// TVM's constructors never set these to null, and its readers do not expect it.
Item null_of_field(Node node, std::uint8_t field) {
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

// Lists, maps and strings are fields of a node here and separate nodes there. Empty ones share a
// single node, because nothing can distinguish them.
Item target(Node node, std::uint8_t field) {
  switch (node.info().fields[field].type) {
    case FieldType::node:
      return node.node(field) ? item_of(node.node(field)) : null_of_field(node, field);
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

/// Returns the items and texts of a module, for a reader of TVM `version`.
class Items {
 public:
  /// `objects` of the module are items, too, unless it is null; they must outlive this.
  Items(const Module& module, const VersionRange& version, const ObjectsByKey* objects)
      : module_(module), version_(version), objects_(objects), fields_(all_kinds().size()) {}

  /// The content of an item. Valid until the next call.
  const Content& content(const Item& item) {
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
        add_elements(content_, module_.node(item.id), item.field);
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
        add_checked_type(content_, module_.node(item.id));
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
          content_.data.push_back(item_of(functions.key(i)));
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
          content_.data.push_back(item_of(module_.node(id)));
        }
        break;
    }
    return content_;
  }

  /// Whether a kind is written with attributes, not as its content.
  // The form of one kind changed: TargetKind is written as its name since v0.18.
  bool has_attrs(Kind kind) const {
    if (kind == Kind::TargetKind) return !may_have(version_, TvmFeature::target_kind_by_name);
    return info(kind).encoding == Encoding::attrs;
  }

  /// Whether a node is of a type that the table lacks.
  bool is_opaque(const Item& item) const {
    return item.form == Item::Form::node && unknown_type(module_.node(item.id)).has_value();
  }

  const Module& module() const { return module_; }
  const VersionRange& version() const { return version_; }

 private:
  void add_node(Node node) {
    content_.type_key = type_key(node);
    if (has_attrs(node.kind())) return add_known(node);
    if (is_number_of_attribute(node)) return add_number_of_attribute(node);
    if (const auto unknown = unknown_type(node)) {
      return add_opaque(node, unknown->first, unknown->second);
    }
    // Arrays and maps have one field each: their content.
    if (node.is(Kind::Array) || node.is(Kind::StringMap) || node.is(Kind::ObjectMap)) {
      add_elements(content_, node, 0);
    }
  }

  void add_known(Node node) {
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
      content_.attrs.push_back({kSpan, item_of(module_.span(node.id()))});
    }
  }

  /// A text of the source is an index there or is none: see Numbering.
  void add_opaque(Node node, std::string_view type_key, const NodeMap& fields) {
    content_.type_key = type_key;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Node value = fields.value(i);
      if (value.is(Kind::String)) {
        content_.attrs.push_back(
            {fields.name(i), {}, {}, std::string(value.text(f::String::value))});
      } else {
        content_.attrs.push_back({fields.name(i), item_of(value)});
      }
    }
    const Node span = module_.span(node.id());
    if (span) content_.attrs.push_back({kSpan, item_of(span)});
    if (node.is(Kind::OpaqueExpr)) {
      content_.attrs.push_back({"dtype", {}, {}, dtype_text(node.dtype())});
    }
    if (!node.is(Kind::Opaque)) return;
    content_.repr = node.text(f::Opaque::repr);
    for (const Node key : node.list(f::Opaque::keys)) {
      content_.keys.push_back(key.text(f::String::value));
    }
    for (const Node element : node.list(f::Opaque::elements))
      content_.data.push_back(item_of(element));
  }

  void add_number_of_attribute(Node node) {
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

  std::string_view type_key(Node node) const {
    // The class moved from tir.usmp to ir in v0.13 and did not change otherwise.
    const bool has_pools = has(version_.last, TvmFeature::pool_infos);
    if (node.is(Kind::AllocatedPoolInfo) && !has_pools) return kLegacyAllocatedPoolInfo;
    if (!is_number_of_attribute(node)) return node.info().type_key;
    return info(node.is(Kind::BoxFloat) ? Kind::FloatImm : Kind::IntImm).type_key;
  }

  /// Numbers that v0.18 boxes are expressions in earlier versions.
  bool is_number_of_attribute(Node node) const {
    const bool is_box = node.is(Kind::BoxBool) || node.is(Kind::BoxInt) || node.is(Kind::BoxFloat);
    return is_box && !may_have(version_, TvmFeature::boxed_numbers);
  }

  bool is_reference(Node node, std::uint8_t field) const {
    const auto feature = feature_of_nodes(node.kind(), field);
    if (feature && !may_have(version_, *feature)) return false;
    return save_json::is_reference(node.info().fields[field]);
  }

  // TVM's reader fails if an attribute is missing, and ignores additional ones.
  std::span<const std::uint8_t> fields_of(Kind kind) {
    auto& fields = fields_[static_cast<std::size_t>(kind)];
    if (fields) return *fields;
    fields.emplace();
    const auto rows = info(kind).fields;
    for (std::uint8_t i = 0; i < rows.size(); ++i) {
      if (is_written(rows[i], version_)) fields->push_back(i);
    }
    return *fields;
  }

  const Module& module_;
  const VersionRange& version_;
  const ObjectsByKey* objects_;
  std::vector<std::optional<std::vector<std::uint8_t>>> fields_;  // that TVM reads, by kind
  Content content_;
};

// The most numbers that a document has for each node that is written: equal strings and empty
// arrays of a source become one.
constexpr std::uint32_t kMostNumbers = 64;
// Lists are written once for each field that contains them, so sharing can expand.
constexpr std::uint64_t kMostReferences = 1'000'000'000;

/// Numbers everything below a root in TVM's order, the whole before its parts, each once; equal
/// strings are one item. The null node is number 0. If there are nodes of unknown type, the
/// `source_nodes` of the module keep their numbers.
class Numbering {
 public:
  Numbering(Items& items, const Item& root) : items_(items), of_node_(items.module().size()) {
    order_.push_back({});
    visit(root);
    if (has_opaque_) pin(items.module().root().node(f::IRModule::source_nodes));
  }

  /// By number.
  std::span<const Item> order() const { return order_; }
  std::uint32_t number(const Item& item) { return place(item); }
  /// The first tensors of the document, which keep their numbers too.
  std::span<const Node> tensors() const { return tensors_; }

 private:
  /// The place of an item's number; new items, and null, have 0 there.
  std::uint32_t& place(const Item& item) {
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

  void visit(const Item& root) {
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
  void pin(Node source_nodes) {
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
      pins.emplace(*number, item_of(nodes.value(i)));
      visit(item_of(nodes.value(i)));
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

constexpr std::size_t kMemberIndent = 6;

// TVM's condition for `repr_str`; everything else goes into `repr_b64`.
bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c <= 0x7e; });
}

[[noreturn]] void fail(std::string message) {
  throw support::Error(ErrorKind::invalid_input, std::move(message));
}

// A text without its metadata section leaves such nodes, and save_json cannot express "unknown".
[[noreturn]] void fail_missing(Node node) {
  fail(fmt::format("metadata[\"{}\"][{}] is not known: the text had no metadata section",
                   node.text(f::MissingObject::type_key), node.integer(f::MissingObject::index)));
}

/// TVM reads the first argument as a number.
bool names_intrinsic(Node node) {
  if (!is_call_of(node, "tir.call_llvm_intrin") && !is_call_of(node, "tir.call_llvm_pure_intrin")) {
    return false;
  }
  const NodeList args = node.list(f::Call::args);
  return !args.empty() && args[0].is(Kind::StringImm);
}

class Writer {
 public:
  /// Of the module, or of `objects` in it if they are not null.
  Writer(const Module& module, const VersionRange& version, const ObjectsByKey* objects,
         const Sink& sink)
      : items_(module, version, objects),
        root_(objects == nullptr ? item_of(module.root()) : Item{Item::Form::objects}),
        numbering_(items_, root_),
        out_(sink) {}

  // TVM's format, including blanks, so files can be compared line by line: dmlc-core puts a blank
  // after commas at the ends of lines.
  void write() {
    // Nodes of unknown type may mention any of these.
    for (const Node tensor : numbering_.tensors()) {
      tensor_numbers_.try_emplace(index(tensor.id()), tensors_.size());
      tensors_.push_back(tensor);
    }
    out_.write("{\n  \"root\": ");
    out_.write_number(numbering_.number(root_));
    out_.write(", \n  \"nodes\": ");
    out_.write_lines("[]", numbering_.order(), 2, [&](const Item& item) { write_item(item); });
    out_.write(", \n  \"b64ndarrays\": ");
    // Comes last, because writing the nodes finds the tensors.
    out_.write_lines("[]", tensors_, 2, [&](Node tensor) { write_tensor(tensor); });
    out_.write(", \n  \"attrs\": {\"tvm_version\": ");
    out_.write_quoted(items_.version().exact);
    out_.write("}\n}");
    out_.finish();
  }

 private:
  void member(std::string_view name) {
    out_.write(", \n      \"");
    out_.write(name);
    out_.write("\": ");
  }

  void write_item(const Item& item) {
    const Content& content = items_.content(item);
    out_.write("{\n      \"type_key\": ");
    out_.write_quoted(content.type_key);
    if (content.repr) write_repr(*content.repr);
    const Node node = items_.module().node(item.id);
    write_attrs(node, content.attrs);
    write_keys(content.keys);
    write_data(content.data);
    if (item.form == Item::Form::node && content.attrs.empty()) write_content(node);
    out_.write("\n    }");
  }

  // The content of a node that has no attributes.
  void write_content(Node node) {
    switch (node.kind()) {
      case Kind::NDArray:
        // v0.8 writes such a node without its content.
        if (!has(items_.version().last, TvmFeature::tensors_as_nodes)) return;
        member("repr_str");
        return write_tensor(node);
      case Kind::ShapeTuple:
        return write_shape_tuple(node);
      case Kind::MissingObject:
        fail_missing(node);
      default:
        if (!items_.has_attrs(node.kind()) && info(node.kind()).encoding != Encoding::special) {
          write_repr(plain_text(node, 0));
        }
    }
  }

  void write_attrs(Node node, std::vector<Content::Attr> attrs) {
    if (attrs.empty()) return;
    // TVM keeps attributes in a std::map.
    std::ranges::sort(attrs, {}, &Content::Attr::name);
    member("attrs");
    out_.write_lines("{}", attrs, kMemberIndent, [&](const Content::Attr& attr) {
      out_.write_quoted(attr.name);
      out_.write(": ");
      out_.write_quoted(attr.target  ? std::to_string(numbering_.number(*attr.target))
                        : attr.field ? plain_text(node, *attr.field)
                                     : attr.text);
    });
  }

  // Omits a member with empty content.
  void write_repr(std::string_view content) {
    if (content.empty()) return;
    if (is_printable(content)) {
      member("repr_str");
      return out_.write_quoted(content);
    }
    member("repr_b64");
    std::vector<std::byte> length;
    append_little_endian(length, std::uint64_t{content.size()});
    write_base64(length, std::as_bytes(std::span(content)));
  }

  // Two spans, so a length can precede bytes without a copy of them.
  void write_base64(std::span<const std::byte> head, std::span<const std::byte> rest) {
    out_.write("\"");
    support::Base64Encoder encoder(out_);
    encoder.write(head);
    encoder.write(rest);
    encoder.finish();
    out_.write("\"");
  }

  // Base64 in `repr_str`: ShapeTuple's own serialisation is base64.
  void write_shape_tuple(Node node) {
    std::vector<std::byte> words;
    const auto values = node.integers(f::ShapeTuple::values);
    append_little_endian(words, std::uint64_t{values.size()});
    for (const std::int64_t value : values) append_little_endian(words, value);
    member("repr_str");
    write_base64(words, {});
  }

  void write_tensor(Node node) {
    if (node.is(Kind::MissingObject)) fail_missing(node);
    if (!node.is(Kind::NDArray)) fail("a tensor of source_nodes is not an NDArray");
    if (!node.bytes(f::NDArray::data)) {
      fail("the data of a constant is not known");
    }
    out_.write("\"");
    encode_tensor(node, out_);
    out_.write("\"");
  }

  void write_keys(const std::vector<std::string_view>& keys) {
    // TVM omits empty members.
    if (keys.empty()) return;
    member("keys");
    out_.write_lines("[]", keys, kMemberIndent,
                     [&](std::string_view key) { out_.write_quoted(key); });
  }

  void write_data(const std::vector<Item>& items) {
    if (items.empty()) return;
    std::vector<std::uint32_t> numbers;
    for (const Item& item : items) numbers.push_back(numbering_.number(item));
    member("data");
    out_.write_numbers(numbers, kMemberIndent);
  }

  /// A field as the text of an attribute, or of the repr of a node with only this field.
  std::string plain_text(Node node, std::uint8_t field) {
    const FieldInfo& row = node.info().fields[field];
    // Boxed values, new in v0.18, spell their content differently from attributes.
    const bool is_repr = row.since >= 9 && node.info().encoding == Encoding::repr;
    switch (row.type) {
      case FieldType::integer: {
        // Zero for unknown values; in a field that is always present, that number is a value.
        const std::int64_t value = node.integer(field);
        return std::to_string(row.nullable && value == kAbsentInteger ? 0 : value);
      }
      case FieldType::boolean:
        if (is_repr) return node.integer(field) != 0 ? "true" : "false";
        return std::to_string(node.integer(field));
      case FieldType::enumeration:
        return std::to_string(node.integer(field));
      case FieldType::real:
        return is_repr ? fmt::format("{}", node.real(field))
                       : fmt::format("{:.17g}", node.real(field));
      case FieldType::dtype:
        return dtype_text(node.dtype(field));
      case FieldType::string:
        return std::string(node.text(field));
      default:
        return is_lanes(node.kind(), field) ? lanes_text(node[field])
                                            : tensor_text(node, node[field]);
    }
  }

  // `vscale` in lanes is new in v0.16, which changed the field for it.
  static std::string lanes_text(Node lanes) {
    if (!lanes.is(Kind::IntImm)) fail("lanes that are not a number need TVM v0.16 or later");
    return std::to_string(lanes.integer(f::IntImm::value));
  }

  [[noreturn]] static void fail_without_data(Node owner) {
    const bool is_statement = owner.is(Kind::AllocateConst);
    const bool is_in_pool = owner.is(Kind::ConstantInfo);
    if (!is_statement && !is_in_pool) fail("the data of a constant is not known");
    fail(fmt::format("the data of the constant '{}' is not known",
                     is_statement ? owner[f::AllocateConst::buffer_var].text(f::Var::name)
                                  : owner.text(f::ConstantInfo::name_hint)));
  }

  // Numbers follow the order in which attributes mention tensors.
  std::string tensor_text(Node owner, Node tensor) {
    if (!tensor || (tensor.is(Kind::NDArray) && !tensor.bytes(f::NDArray::data))) {
      fail_without_data(owner);
    }
    const auto [place, is_new] = tensor_numbers_.try_emplace(index(tensor.id()), tensors_.size());
    if (is_new) tensors_.push_back(tensor);
    return std::to_string(place->second);
  }

  Items items_;
  Item root_;
  Numbering numbering_;
  JsonOutput out_;
  std::vector<Node> tensors_;  // in the order in which nodes mention them
  std::unordered_map<std::uint32_t, std::size_t> tensor_numbers_;
};

// A document of several possible versions is written for the newest of them.
VersionRange written_version(const VersionRange& version) {
  VersionRange written = version;
  if (!written.exact.empty()) return written;
  written.first = written.last;
  written.exact = fmt::format("0.{}.0", written.last);
  return written;
}

/// Fails if a text names an intrinsic. TVM 0.9 keeps the names that its parser reads: those in a
/// save_json come from TVM.
void require_numbers_of_intrinsics(const Document& document) {
  if (std::ranges::find(document.losses, LossCode::llvm_intrinsic, &Loss::code) ==
      document.losses.end()) {
    return;
  }
  for_each_pre_order(document.module.root(), [](Node node) {
    if (!names_intrinsic(node)) return;
    fail(
        fmt::format("the number of the LLVM intrinsic {} is not in the text, and save_json has "
                    "nothing else for it: write TVMScript, in which TVM looks it up",
                    node.list(f::Call::args)[0].text(f::StringImm::value)));
  });
}

}  // namespace
}  // namespace save_json

Result<void> write_save_json(const Document& document, const Sink& sink) {
  return support::to_result([&] {
    refuse_repeated_functions(document.module);
    save_json::require_numbers_of_intrinsics(document);
    const VersionRange version = save_json::written_version(document.source.tvm_version);
    save_json::Writer(document.module, version, nullptr, sink).write();
  });
}

void write_objects(const Document& document, const ObjectsByKey& objects, const Sink& sink) {
  const VersionRange version = save_json::written_version(document.source.tvm_version);
  save_json::Writer(document.module, version, &objects, sink).write();
}

}  // namespace mlf::tir
