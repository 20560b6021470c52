// Reads tvm.ir.save_json: a module, or the objects of a metadata section.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mlf/tir/builder.h"
#include "support/base64.h"
#include "support/error.h"
#include "support/numbers.h"
#include "tir/node_queries.h"
#include "tir/reader.h"
#include "tir/save_json/json_graph.h"
#include "tir/save_json/layout.h"
#include "tir/save_json/metadata.h"
#include "tir/tvm_features.h"

namespace mlf::tir {
namespace save_json {
namespace {

/// Nodes of unknown type are expressions and statements where a known node has them as such, and
/// objects everywhere else.
std::vector<Kind> opaque_kinds(const JsonGraph& graph) {
  std::vector<Kind> kinds(graph.size(), Kind::Opaque);
  std::set<std::pair<std::uint32_t, Kind>> seen;  // arrays whose elements have been visited
  for (std::uint32_t i = 1; i < graph.size(); ++i) {
    if (!graph.node(i).kind) continue;
    const Kind kind = *graph.node(i).kind;
    for (const json::Member attribute : graph.attrs(i)) {
      const auto field = field_named(kind, attribute.key.text());
      const auto target = field ? graph.reference(attribute.value) : std::nullopt;
      if (!target) continue;
      const FieldInfo& row = info(kind).fields[*field];
      if (row.expects != Expects::expr && row.expects != Expects::stmt) continue;
      const Kind opaque = row.expects == Expects::expr ? Kind::OpaqueExpr : Kind::OpaqueStmt;
      if (row.type == FieldType::node) {
        kinds[*target] = opaque;
      } else if (seen.emplace(*target, opaque).second) {
        for (const json::Value element : graph.data(*target)) {
          kinds[graph.element(element)] = opaque;
        }
      }
    }
  }
  return kinds;
}

// Most documents know all their types.
bool has_unknown_types(const JsonGraph& graph) {
  for (std::uint32_t i = 1; i < graph.size(); ++i) {
    if (!graph.node(i).kind) return true;
  }
  return false;
}

// Containers that TVM always makes. If they are empty, they mean the same as null.
bool is_canonical_null(const JsonGraph& graph, std::uint32_t target) {
  const GraphNode& node = graph.node(target);
  if (node.kind == Kind::StringMap) return graph.data_size(target) == 0;
  if (node.kind != Kind::SourceMap) return false;
  // A SourceMap contains a map, which may be empty.
  const auto map = graph.attr(target, "source_map");
  const auto inner = map ? graph.reference(*map) : std::nullopt;
  return inner && graph.node(*inner).kind == Kind::StringMap && graph.data_size(*inner) == 0;
}

// IRModule's constructor sets these if the caller does not.
bool may_be_canonical_null(Kind kind, std::uint8_t field) {
  return kind == Kind::IRModule && field != f::IRModule::functions && field != f::IRModule::attrs &&
         !is_derived(kind, field);
}

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
  std::uint32_t reference(std::uint8_t field) {
    if (!has(field)) return 0;
    std::uint32_t& target = targets_[field];
    if (target != kUnread) return target;
    target = graph_->reference(node_, member(values_[field]));
    // Modules inside of a module may share such a container, or have their own.
    const bool is_root = node_ == graph_->root();
    if (is_root && may_be_canonical_null(kind_, field) && is_canonical_null(*graph_, target))
      target = 0;
    return target;
  }

  std::uint32_t span() {
    if (span_ == 0) return 0;
    if (span_target_ == kUnread) span_target_ = graph_->reference(node_, member(span_));
    return span_target_;
  }

  std::int64_t integer(std::uint8_t field) const {
    return required(field, support::whole_number<std::int64_t>(value(field).text()),
                    "a 64-bit integer");
  }

  std::int64_t boolean(std::uint8_t field) const {
    const std::string_view text = value(field).text();
    if (text != "0" && text != "1") fail_value(field, "\"0\" or \"1\"");
    return text == "1";
  }

  // Some of TVM's enumerations have gaps: an empty name is a number without a meaning.
  std::int64_t enumeration(std::uint8_t field) const {
    const std::int64_t number = integer(field);
    const auto names = enum_names(info(kind_).fields[field].expects);
    if (number < 0 || static_cast<std::size_t>(number) >= names.size() ||
        names[static_cast<std::size_t>(number)].empty()) {
      fail(field, fmt::format("TVM has no value {} for it", number));
    }
    return number;
  }

  double real(std::uint8_t field) const {
    return required(field, support::whole_number<double>(value(field).text()), "a number");
  }

  DType dtype(std::uint8_t field) const {
    return required(field, parse_dtype(value(field).text()), "a dtype");
  }

  std::size_t tensor(std::uint8_t field) const {
    const std::size_t index =
        required(field, support::whole_number<std::size_t>(value(field).text()),
                 "an index into b64ndarrays");
    if (index >= graph_->tensor_count()) {
      fail(field, fmt::format("index {} is out of range: b64ndarrays has {} entries", index,
                              graph_->tensor_count()));
    }
    return index;
  }

  /// Throws an error at the value of a field.
  [[noreturn]] void fail(std::uint8_t field, std::string_view message) const {
    graph_->fail(node_, value(field),
                 fmt::format("{}: {}", info(kind_).fields[field].name, message));
  }

 private:
  // Both sides are sorted, so the next name usually matches. The search wraps around for documents
  // of other writers.
  bool place(json::Member attribute) {
    const std::string_view name = attribute.key.text();
    // In addition to the fields of nodes.def, every node has a span.
    if (name == kSpan) {
      span_ = attribute.value.index();
      return true;
    }
    for (std::size_t tried = 0; tried < names_.size(); ++tried) {
      if (next_ == names_.size()) next_ = 0;
      const NamedField& candidate = names_[next_++];
      if (candidate.name != name) continue;
      values_[candidate.field] = attribute.value.index();
      return true;
    }
    return false;
  }

  template <class T>
  T required(std::uint8_t field, const std::optional<T>& value, std::string_view expected) const {
    if (!value) fail_value(field, expected);
    return *value;
  }

  [[noreturn]] void fail_value(std::uint8_t field, std::string_view expected) const {
    fail(field, fmt::format("expected {}, found {}", expected, clipped(value(field).text())));
  }

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

// TVM's arrays of objects may contain null; those of expressions cannot.
bool may_be_null(Expects expects) {
  switch (expects) {
    case Expects::any:
    case Expects::object:
    case Expects::attr_value:
    case Expects::type:
      return true;
    default:
      return false;
  }
}

std::string wrong_kind(const JsonGraph& graph, std::string_view expected, std::uint32_t found) {
  return fmt::format("expected {}, found {}", expected, graph.describe(found));
}

/// Whether the type of a function has those of its parameters and result, as PrimFunc's constructor
/// makes it.
bool is_type_of(Node function, Node type) {
  if (!type.is(Kind::FuncType) || type.module().span(type.id())) return false;
  const NodeList arguments = type.list(f::FuncType::arg_types);
  const NodeList params = function.list(f::PrimFunc::params);
  const bool has_form = arguments.size() == params.size() &&
                        type.list(f::FuncType::type_params).empty() &&
                        type.list(f::FuncType::type_constraints).empty();
  if (!has_form) return false;
  for (std::size_t i = 0; i < params.size(); ++i) {
    // v0.8: a Var made from a dtype has no type itself.
    const Node stated = params[i][f::Var::type_annotation];
    const bool is_same = stated ? same_tree(arguments[i], stated)
                                : arguments[i].is(Kind::PrimType) &&
                                      arguments[i].dtype(f::PrimType::dtype) == params[i].dtype();
    if (!is_same) return false;
  }
  return same_tree(type[f::FuncType::ret_type], function[f::PrimFunc::ret_type]);
}

/// Whether the map of names has exactly the GlobalVars of the functions.
bool names_functions(Node module) {
  const NodeMap functions = module.map(f::IRModule::functions);
  const Node map = module[f::IRModule::global_var_map];
  if (!map.is(Kind::StringMap)) return false;
  const NodeMap names = map.map(f::StringMap::entries);
  if (names.size() != functions.size()) return false;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const Node key = functions.key(i);
    if (!key.is(Kind::GlobalVar) || names.find(key.text(f::GlobalVar::name_hint)) != key)
      return false;
  }
  return true;
}

NodeId make_tensor(Builder& builder, Tensor tensor) {
  const ListId shape = builder.integers(tensor.shape);
  return builder.make(Kind::NDArray, {tensor.dtype, shape, builder.bytes(std::move(tensor.data))});
}

/// A document, and what is made of it.
struct Source {
  const JsonGraph& graph;
  Builder& builder;
  LossLog& losses;
  std::vector<Kind> opaque_kinds;  // empty if all type keys are known

  /// The kind that a node is read as: its own, or one of the opaque ones.
  Kind kind(std::uint32_t node) const {
    const auto known = graph.node(node).kind;
    return known ? *known : opaque_kinds[node];
  }
};

NodeId make_shape_tuple(const Source& in, std::uint32_t node) {
  // Base64 of a count and as many int64, little-endian; empty for the empty tuple.
  const auto data = support::base64_decode(in.graph.repr(node));
  const auto word = [&](std::size_t at) {
    return load_little_endian<std::uint64_t>(*data, 8 * at);
  };
  std::vector<std::int64_t> values;
  const bool is_sound =
      data && (data->empty() || (data->size() % 8 == 0 && word(0) == data->size() / 8 - 1));
  if (!is_sound) in.graph.fail(node, "its value is not base64 of a count and as many integers");
  for (std::size_t i = 1; i < data->size() / 8; ++i) {
    values.push_back(static_cast<std::int64_t>(word(i)));
  }
  return in.builder.make(Kind::ShapeTuple, {in.builder.integers(values)});
}

NodeId make_constant(const Source& in, std::uint32_t node) {
  const GraphNode& constant = in.graph.node(node);
  // v0.8 cannot serialise an NDArray that is a node: it writes only the type key.
  if (constant.repr == 0) {
    in.losses.add_everywhere(LossCode::constant_data);
    return in.builder.make(Kind::NDArray, {DType::Void(), in.builder.integers({}), BytesId::none});
  }
  // The blob is printable base64, so it is usually written unchanged, not encoded again.
  auto tensor = constant.repr_is_base64 ? decode_tensor(in.graph.repr(node))
                                        : decode_tensor(in.graph.value(constant.repr).text());
  if (!tensor) in.graph.fail(node, in.graph.value(constant.repr), tensor.error());
  return make_tensor(in.builder, std::move(*tensor));
}

// Required only if every version that may have written the document has the field; otherwise it
// has the value that means "absent".
FieldValue absent_value(const Source& in, std::uint32_t node, const FieldInfo& field) {
  const bool is_needed = field.type == FieldType::node && !field.nullable;
  if (is_needed || is_required(field, in.graph.version())) {
    in.graph.fail(node, fmt::format("expected an attribute \"{}\"", field.name));
  }
  switch (field.type) {
    case FieldType::list:
    case FieldType::string_map:
    case FieldType::node_map:
      return field.nullable ? ListId::none : in.builder.list({});
    case FieldType::string:
      return field.nullable ? StringId::none : in.builder.string("");
    case FieldType::real:
      return 0.0;
    case FieldType::dtype:
      return DType::Void();
    case FieldType::integers:
      return in.builder.integers({});
    case FieldType::enumeration:
      return 0;
    default:
      return undefined_value(field);
  }
}

// Null in a field that may not be null is an error, except for lists: see below.
FieldValue null_value(const Source& in, const NodeFields& fields, const FieldInfo& field,
                      std::uint8_t at) {
  // Not a document of TVM, which sets these in its constructors.
  if (is_derived(fields.kind(), at)) in.losses.add(LossCode::checked_type, "");
  if (field.type == FieldType::string && field.nullable) return StringId::none;
  if (field.type == FieldType::node && field.nullable) return NodeId::none;
  if (field.type != FieldType::node && field.type != FieldType::string) {
    if (field.nullable) return ListId::none;
    // TVM makes such a list only for callers that bypass its Python classes.
    in.losses.add_everywhere(LossCode::undefined_list, std::string(info(fields.kind()).type_key) +
                                                           "." + std::string(field.name));
    return in.builder.list({});
  }
  const std::string_view expected =
      field.type == FieldType::string ? "a string" : describe(field.expects);
  fields.fail(at, fmt::format("expected {}, found null", expected));
}

FieldValue string_value(const Source& in, const NodeFields& fields, std::uint8_t at,
                        std::uint32_t target) {
  const GraphNode& string = in.graph.node(target);
  if (string.kind != Kind::String) fields.fail(at, wrong_kind(in.graph, "a string", target));
  if (string.repr == 0 || string.repr_is_base64) return in.builder.string(in.graph.repr(target));
  return in.builder.string(in.graph.value(string.repr).text());
}

FieldValue scalar_value(const Source& in, const NodeFields& fields, const FieldInfo& field,
                        std::uint8_t at) {
  switch (field.type) {
    case FieldType::integer:
      return fields.integer(at);
    case FieldType::boolean:
      return fields.boolean(at);
    case FieldType::enumeration:
      return fields.enumeration(at);
    case FieldType::real:
      return fields.real(at);
    case FieldType::dtype:
      return fields.dtype(at);
    case FieldType::string:
      return in.builder.string(fields.value(at).text());
    default:
      // References and tensors were handled above; constants own bytes.
      fields.fail(at, "cannot be an attribute");
  }
}

// Whether this version writes the value of a field that others write as a node.
bool is_plain(const Source& in, const NodeFields& fields, std::uint8_t at) {
  const auto feature = feature_of_nodes(fields.kind(), at);
  if (!feature || !fields.has(at)) return false;
  const VersionRange& version = in.graph.version();
  if (!may_have(version, *feature)) return true;
  const bool is_sure =
      version.first == version.last &&
      (has(static_cast<std::uint8_t>(version.first - 1), *feature) || !is_development(version));
  if (is_sure) return false;
  const auto target = in.graph.reference(fields.value(at));
  if (!target) return true;
  // A development build may write either form. No layout and no mode is a number.
  if (!is_lanes(fields.kind(), at)) return *target != 0 && in.kind(*target) != Kind::String;
  if (*target == 0 || !fits(in.kind(*target), Expects::expr)) return true;
  // Of lanes, the dtype determines the number: the first field of both kinds is that of the
  // vector.
  const std::int64_t lanes = std::abs(static_cast<int>(fields.dtype(0).lanes));
  const auto value = in.graph.attr(*target, "value");
  return fields.integer(at) == lanes && !(value && value->text() == std::to_string(lanes));
}

// An empty Map does not show the type of its keys: it fits both kinds of map.
void check_container(const Source& in, const NodeFields& fields, const FieldInfo& field,
                     std::uint8_t at, std::uint32_t target) {
  const auto kind = in.graph.node(target).kind;
  const bool is_empty_map = kind == Kind::StringMap && in.graph.data_size(target) == 0;
  switch (field.type) {
    case FieldType::list:
      if (kind != Kind::Array) fields.fail(at, wrong_kind(in.graph, "an Array", target));
      return;
    case FieldType::string_map:
      if (kind == Kind::StringMap) return;
      if (kind == Kind::ObjectMap) fields.fail(at, "expected a Map whose keys are strings");
      break;
    default:
      if (kind == Kind::ObjectMap || is_empty_map) return;
      if (kind == Kind::StringMap) fields.fail(at, "expected a Map whose keys are nodes");
  }
  fields.fail(at, wrong_kind(in.graph, "a Map", target));
}

// Ops, strings and boxed numbers: the first field is the content. Other fields, such as those of
// a TargetKind that is written as its name, are absent.
NodeId make_from_repr(const Source& in, std::map<std::string, NodeId, std::less<>>& ops,
                      std::uint32_t node, Kind kind) {
  const std::string repr = in.graph.repr(node);
  // TVM has one Op of each name; a metadata section and its text may both name it.
  if (kind == Kind::Op) {
    const auto known = ops.find(repr);
    if (known != ops.end()) return known->second;
  }
  const auto checked = [&](const auto& number) -> FieldValue {
    if (!number) in.graph.fail(node, "expected a number as its value, found " + clipped(repr));
    return *number;
  };
  const auto rows = info(kind).fields;
  std::vector<FieldValue> values;
  switch (rows.front().type) {
    case FieldType::integer:
      values.push_back(checked(support::whole_number<std::int64_t>(repr)));
      break;
    case FieldType::real:
      values.push_back(checked(support::whole_number<double>(repr)));
      break;
    case FieldType::boolean:
      if (repr != "true" && repr != "false") {
        in.graph.fail(node, "expected \"true\" or \"false\" as its value, found " + clipped(repr));
      }
      values.emplace_back(repr == "true");
      break;
    default:
      values.emplace_back(in.builder.string(repr));
  }
  for (const FieldInfo& field : rows.subspan(1)) values.push_back(absent_value(in, node, field));
  const NodeId id = in.builder.make(kind, values);
  if (kind == Kind::Op) ops.emplace(repr, id);
  return id;
}

// `keys` and `data` are parallel arrays.
ListId make_string_map(const Source& in, const std::vector<NodeId>& made, std::uint32_t node) {
  const auto data = in.graph.data(node);
  const GraphNode& map = in.graph.node(node);
  const std::uint32_t keys = map.keys == 0 ? 0 : in.graph.value(map.keys).size();
  if (keys != in.graph.data_size(node)) {
    in.graph.fail(node,
                  fmt::format("a map of {} keys has {} values", keys, in.graph.data_size(node)));
  }
  std::vector<NamedNode> entries;
  EntryNames names;
  auto value = data.begin();
  for (const json::Value key : in.graph.keys(node)) {
    if (!key.is_string()) in.graph.fail(node, key, "expected a string as key of a map");
    const StringId name = in.builder.string(key.text());
    if (!names.add(name)) in.graph.fail(node, key, message_of_repeated(key.text()));
    entries.push_back({name, made[in.graph.element(*value)]});
    ++value;
  }
  return in.builder.map(entries);
}

// Without `keys`, `data` contains keys and values alternately.
ListId make_node_map(const Source& in, const std::vector<NodeId>& made, std::uint32_t node) {
  if (in.graph.data_size(node) % 2 != 0) {
    in.graph.fail(node, "a map without keys must have keys and values in turn in its data");
  }
  std::vector<NodePair> entries;
  const auto data = in.graph.data(node);
  for (auto at = data.begin(); at != data.end(); ++at) {
    const NodeId key = made[in.graph.element(*at)];
    ++at;
    entries.push_back({key, made[in.graph.element(*at)]});
  }
  return in.builder.map(entries);
}

ListId make_list(const Source& in, const std::vector<NodeId>& made, std::uint32_t node) {
  const auto kind = in.graph.node(node).kind;
  if (kind == Kind::StringMap) return make_string_map(in, made, node);
  if (kind == Kind::ObjectMap) return make_node_map(in, made, node);
  // The null node, 0, is NodeId::none here too.
  std::vector<NodeId> elements;
  for (const json::Value element : in.graph.data(node)) {
    elements.push_back(made[in.graph.element(element)]);
  }
  return in.builder.list(elements);
}

void check_elements(const Source& in, std::vector<std::uint32_t>& checked, const FieldInfo& field,
                    std::uint32_t owner, std::uint32_t target) {
  // Many fields may share one array: it is checked once for each expected type. Otherwise the
  // time would be quadratic.
  const std::uint32_t bit = 1u << static_cast<std::uint32_t>(field.expects);
  if ((checked[target] & bit) != 0) return;
  checked[target] |= bit;
  const bool is_map = field.type == FieldType::node_map;
  // The two maps of the table whose keys are nodes are those of functions, by GlobalVar, and
  // those of buffers, by Var.
  const bool names_functions = field.expects == Expects::function;
  std::size_t position = 0;
  for (const json::Value element : in.graph.data(target)) {
    const std::uint32_t index = in.graph.element(element);
    const bool is_key = is_map && position % 2 == 0;
    const Expects expects = is_key ? Expects::var : field.expects;
    const bool is_name = is_key && names_functions;
    const bool fits_here =
        index == 0 ? !is_key && may_be_null(expects)
                   : (is_name ? in.kind(index) == Kind::GlobalVar : fits(in.kind(index), expects));
    if (!fits_here) {
      const std::string wrong =
          wrong_kind(in.graph, is_name ? "a GlobalVar" : describe(expects), index);
      in.graph.fail(owner, element,
                    fmt::format("{}[{}]: {}", field.name, is_map ? position / 2 : position, wrong));
    }
    ++position;
  }
}

NodeId tensor(const Source& in, std::vector<NodeId>& made, std::size_t index) {
  // Fields may share an entry: it is one node, as in TVM.
  if (made[index] != NodeId::none) return made[index];
  auto tensor = decode_tensor(in.graph.tensor(index).text());
  if (!tensor) {
    in.graph.tensor(index).fail("b64ndarrays[" + std::to_string(index) + "]: " + tensor.error());
  }
  return made[index] = make_tensor(in.builder, std::move(*tensor));
}

/// Makes nodes of unknown type.
class OpaqueNodes {
 public:
  explicit OpaqueNodes(const Source& in) : in_(in), is_mentioned_(in.graph.size()) {}

  // Keeps everything in a node of unknown type: attributes, keys, data and content. The writer
  // writes it unchanged.
  NodeId make_opaque(std::uint32_t node, ListId data) {
    const ListId fields = fields_of(node);
    std::vector<NodeId> names;
    for (const json::Value key : in_.graph.keys(node)) {
      if (!key.is_string()) in_.graph.fail(node, key, "expected a string in \"keys\"");
      names.push_back(in_.builder.make(Kind::String, {in_.builder.string(key.text())}));
    }
    const GraphNode& source = in_.graph.node(node);
    const ListId keys = source.keys == 0 ? ListId::none : in_.builder.list(names);
    // Distinguishes undefined from empty, because TVM omits empty members and other writers may
    // not.
    const ListId elements = source.data == 0                 ? ListId::none
                            : in_.graph.data_size(node) == 0 ? in_.builder.list({})
                                                             : data;
    const StringId repr =
        source.repr == 0 ? StringId::none : in_.builder.string(in_.graph.repr(node));
    const StringId type_key = in_.builder.string(in_.graph.type_key(node));
    return in_.builder.make(Kind::Opaque, {type_key, fields, keys, elements, repr});
  }

  // If a known node has it as an expression or a statement, visitors of the IR require one.
  NodeId make_opaque_expr(std::uint32_t node) {
    const GraphNode& source = in_.graph.node(node);
    if (source.data != 0 || source.repr != 0) {
      in_.graph.fail(node,
                     "expected an expression or a statement, found an object with data of its own");
    }
    const ListId fields = fields_of(node);
    const StringId type_key = in_.builder.string(in_.graph.type_key(node));
    if (in_.kind(node) == Kind::OpaqueStmt)
      return in_.builder.make(Kind::OpaqueStmt, {type_key, fields});
    const auto text = in_.graph.attr(node, "dtype");
    const auto dtype = text ? parse_dtype(text->text()) : std::nullopt;
    if (!dtype) in_.graph.fail(node, "expected an expression, found an object without a dtype");
    return in_.builder.make(Kind::OpaqueExpr, {*dtype, type_key, fields});
  }

  std::vector<std::uint32_t> mentioned;  ///< nodes whose index is a text in such a node
  bool mentions_tensors = false;

 private:
  // A text is kept, with the node that it may be the index of: the writer gives that node the same
  // index again, so that the text stays right whatever it means.
  ListId fields_of(std::uint32_t node) {
    std::vector<NamedNode> entries;
    for (const json::Member attribute : in_.graph.attrs(node)) {
      const std::string_view name = attribute.key.text();
      // Every expression has one, in addition to its fields.
      if (name == "dtype" && in_.kind(node) == Kind::OpaqueExpr) continue;
      const NodeId text =
          in_.builder.make(Kind::String, {in_.builder.string(attribute.value.text())});
      entries.push_back({in_.builder.string(name), text});
      const std::uint32_t target = in_.graph.reference(attribute.value).value_or(0);
      // Also the number of a tensor looks like any other.
      mentions_tensors = mentions_tensors || in_.graph.is_tensor(attribute.value);
      // Nothing contains the root.
      if (target == 0 || target == in_.graph.root() || is_mentioned_[target]) continue;
      is_mentioned_[target] = true;
      mentioned.push_back(target);
    }
    in_.losses.add_everywhere(LossCode::opaque_fields, in_.graph.type_key(node));
    return in_.builder.map(entries);
  }

  const Source& in_;
  std::vector<bool> is_mentioned_;
};

/// Makes the nodes of a document in a Builder: parts before the whole, on its own stack, each node
/// once. Keeps nodes whose type key the table lacks as they are.
class Importer {
 public:
  Importer(const JsonGraph& graph, const ReadLimits& limits, Builder& builder, LossLog& losses)
      : in_{graph, builder, losses, {}},
        limits_(limits),
        node_ids_(graph.size()),
        list_ids_(graph.size()),
        open_(graph.size()),
        checked_(graph.size()),
        tensor_ids_(graph.tensor_count()) {
    // Each node of the document becomes at most one node of the module, so this limits both.
    if (graph.size() > limits.max_nodes) {
      graph.fail(0, fmt::format("the document has {} nodes, more than {}", graph.size(),
                                limits.max_nodes));
    }
    if (has_unknown_types(graph)) in_.opaque_kinds = opaque_kinds(graph);
  }

  /// Returns the IR node for a document's node; makes it at the first call. Depth first: documents
  /// are in pre-order, but the Builder needs parts before the whole.
  NodeId import(std::uint32_t node) {
    push(node, Role::node);
    while (!stack_.empty()) {
      const Task task = stack_.back();
      stack_.pop_back();
      run(task);
    }
    return node_ids_[node];
  }

  /// The nodes that a text in a node of unknown type may be the index of, as a StringMap by index.
  /// TVM writes numbers, texts and indices of nodes alike, and only the class tells them apart.
  /// Undefined if there are none.
  NodeId source_nodes() {
    if (opaque_.mentioned.empty() && !opaque_.mentions_tensors) return NodeId::none;
    // Making one may mention more.
    for (std::size_t i = 0; i < opaque_.mentioned.size(); ++i) import(opaque_.mentioned[i]);
    std::ranges::sort(opaque_.mentioned);
    std::vector<NamedNode> entries;
    for (const std::uint32_t node : opaque_.mentioned) {
      entries.push_back({in_.builder.string(std::to_string(node)), node_ids_[node]});
    }
    for (std::size_t i = 0; opaque_.mentions_tensors && i < tensor_ids_.size(); ++i) {
      entries.push_back({in_.builder.string(name_of_tensor(i)), tensor(in_, tensor_ids_, i)});
    }
    return in_.builder.make(Kind::StringMap, {in_.builder.map(entries)});
  }

  /// save_json writes numbers as strings: the digits are between the quotes.
  void note_integers(Places& places) const {
    for (std::uint32_t node = 0; node < in_.graph.size(); ++node) {
      if (node_ids_[node] == NodeId::none || in_.graph.node(node).kind != Kind::IntImm) continue;
      const auto value = in_.graph.attr(node, "value");
      if (!value || !value->is_string()) continue;
      const auto begin = static_cast<std::uint32_t>(value->offset() + 1);
      const auto digits = static_cast<std::uint32_t>(value->length() - 2);
      places.add(node_ids_[node], {0, {begin, begin + digits}});
    }
  }

 private:
  /// The result for a node: a node of the IR, or the list or map of a field.
  enum class Role : std::uint8_t { node = 1, list = 2 };
  struct Task {
    std::uint32_t node;
    Role role;
    bool entered;
  };

  bool is_made(std::uint32_t node, Role role) const {
    return role == Role::node ? node_ids_[node] != NodeId::none : list_ids_[node] != ListId::none;
  }

  void push(std::uint32_t node, Role role) {
    if (node != 0 && !is_made(node, role)) stack_.push_back({node, role, false});
  }

  // Each task is taken twice: first it pushes its parts, then, after these, it makes its own node.
  void run(Task task) {
    const auto bit = static_cast<std::uint8_t>(task.role);
    if (!task.entered) {
      if (is_made(task.node, task.role)) return;
      // TVM's objects cannot form a cycle, but indices can.
      if ((open_[task.node] & bit) != 0) in_.graph.fail(task.node, "the node is part of itself");
      open_[task.node] = static_cast<std::uint8_t>(open_[task.node] | bit);
      stack_.push_back({task.node, task.role, true});
      return enter(task);
    }
    if (task.role == Role::node) {
      node_ids_[task.node] = make_node(task.node);
      --depth_;
    } else {
      list_ids_[task.node] = make_list(in_, node_ids_, task.node);
    }
    open_[task.node] = static_cast<std::uint8_t>(open_[task.node] & ~bit);
  }

  // Checks only nodes: a list is between a node and its elements and would count twice.
  void enter(Task task) {
    if (task.role == Role::list) {
      for (const json::Value element : in_.graph.data(task.node)) {
        push(in_.graph.element(element), Role::node);
      }
      return;
    }
    if (++depth_ > limits_.max_nesting) {
      in_.graph.fail(task.node, fmt::format("nested deeper than {} levels", limits_.max_nesting));
    }
    enter_node(task.node);
  }

  // Nodes that are written as their content (`repr_str`) have no parts.
  void enter_node(std::uint32_t node) {
    const auto kind = in_.graph.node(node).kind;
    if (!kind) {
      if (in_.graph.data_size(node) > 0) push(node, Role::list);
      return;
    }
    if (*kind == Kind::Array || *kind == Kind::StringMap || *kind == Kind::ObjectMap) {
      return push(node, Role::list);
    }
    if (info(*kind).encoding != Encoding::attrs) return;
    // Vendors of TVM add attributes to its classes: they are dropped, and recorded as a loss.
    NodeFields& fields = entered_.emplace_back(in_.graph, node, *kind, [&](std::string_view name) {
      in_.losses.add_everywhere(LossCode::opaque_fields,
                                fmt::format("{}.{}", in_.graph.type_key(node), name));
    });
    const auto rows = info(*kind).fields;
    for (std::uint8_t i = 0; i < rows.size(); ++i) enter_field(fields, rows[i], i);
    push(fields.span(), Role::node);
  }

  void enter_field(NodeFields& fields, const FieldInfo& field, std::uint8_t at) {
    if (!fields.has(at) || field.expects == Expects::tensor) return;
    switch (field.type) {
      case FieldType::node:
        if (!is_plain(in_, fields, at)) push(fields.reference(at), Role::node);
        return;
      case FieldType::list:
      case FieldType::string_map:
      case FieldType::node_map: {
        // Checked before the elements are pushed: a container of another kind has a different
        // `data`.
        const std::uint32_t target = fields.reference(at);
        if (target != 0) check_container(in_, fields, field, at, target);
        return push(target, Role::list);
      }
      default:
        return;
    }
  }

  NodeId make_node(std::uint32_t node) {
    const Kind kind = in_.kind(node);
    // TargetKinds are written with attributes up to v0.17, and as their name since.
    if (kind == Kind::TargetKind && in_.graph.node(node).repr != 0) {
      entered_.pop_back();
      return make_from_repr(in_, ops_, node, kind);
    }
    const Encoding encoding = info(kind).encoding;
    if (encoding == Encoding::attrs) return make_from_attrs(node, kind);
    if (encoding == Encoding::repr) return make_from_repr(in_, ops_, node, kind);
    switch (kind) {
      case Kind::Array:
      case Kind::StringMap:
      case Kind::ObjectMap:
        return in_.builder.make(kind, {list_ids_[node]});
      case Kind::ShapeTuple:
        return make_shape_tuple(in_, node);
      case Kind::NDArray:
        return make_constant(in_, node);
      case Kind::Opaque:
        return opaque_.make_opaque(node, list_ids_[node]);
      default:
        return opaque_.make_opaque_expr(node);
    }
  }

  // Its fields were found when it was entered. A field that follows from the others stays
  // undefined: the writer derives it.
  NodeId make_from_attrs(std::uint32_t node, Kind kind) {
    NodeFields& fields = entered_.back();
    const auto rows = info(kind).fields;
    values_.clear();
    for (std::uint8_t i = 0; i < rows.size(); ++i) {
      values_.push_back(field_value(fields, node, kind, i));
    }
    const NodeId id = in_.builder.make(kind, values_);
    const Node made = in_.builder.node(id);
    if (kind == Kind::PrimFunc && is_type_of(made, made[f::PrimFunc::checked_type])) {
      in_.builder.set(id, f::PrimFunc::checked_type, NodeId::none);
    }
    if (kind == Kind::IRModule && names_functions(made)) {
      in_.builder.set(id, f::IRModule::global_var_map, NodeId::none);
    }
    if (const std::uint32_t span = fields.span()) in_.builder.set_span(id, node_ids_[span]);
    entered_.pop_back();
    return id;
  }

  // The order of tests matters: a tensor and a plain value look like references but are not.
  FieldValue field_value(NodeFields& fields, std::uint32_t node, Kind kind, std::uint8_t at) {
    const FieldInfo& field = info(kind).fields[at];
    if (!fields.has(at)) return absent_value(in_, node, field);
    if (field.expects == Expects::tensor) return tensor(in_, tensor_ids_, fields.tensor(at));
    // In the IR, lanes are an expression, as in TVM since v0.16.
    if (is_plain(in_, fields, at) && is_lanes(kind, at)) {
      return in_.builder.make(Kind::IntImm, {DType::Int(32), fields.integer(at)});
    }
    const bool is_node = is_reference(field) && !is_plain(in_, fields, at);
    return is_node ? reference_value(fields, node, field, at)
                   : scalar_value(in_, fields, field, at);
  }

  FieldValue reference_value(NodeFields& fields, std::uint32_t node, const FieldInfo& field,
                             std::uint8_t at) {
    const std::uint32_t target = fields.reference(at);
    if (target == 0) return null_value(in_, fields, field, at);
    switch (field.type) {
      case FieldType::node:
        if (!fits(in_.kind(target), field.expects)) {
          fields.fail(at, wrong_kind(in_.graph, describe(field.expects), target));
        }
        return node_ids_[target];
      case FieldType::string:
        return string_value(in_, fields, at, target);
      default:
        check_elements(in_, checked_, field, node, target);
        return list_ids_[target];
    }
  }

  Source in_;
  const ReadLimits& limits_;
  OpaqueNodes opaque_{in_};
  std::vector<Task> stack_;
  std::vector<NodeFields> entered_;  // of the nodes with attributes whose parts are being made
  std::uint32_t depth_ = 0;
  std::vector<NodeId> node_ids_;        // by index in the document
  std::vector<ListId> list_ids_;        // the same
  std::vector<std::uint8_t> open_;      // roles that are being made
  std::vector<std::uint32_t> checked_;  // the purposes (a bit each) for which elements were checked
  std::vector<NodeId> tensor_ids_;
  std::map<std::string, NodeId, std::less<>> ops_;
  std::vector<FieldValue> values_;  // of the node that is being made
};

// A PrimFunc that was saved without a module gets its name for callers, or TVM's name for a single
// function.
NodeId wrap(Builder& builder, NodeId function) {
  const Node symbol = attribute_of(builder.node(function), "global_symbol");
  const std::string name(symbol.is(Kind::String) ? symbol.text(f::String::value) : "main");
  const NodeId var = builder.make(Kind::GlobalVar, {builder.string(name)});
  const NodePair entry{var, function};
  return builder.make(Kind::IRModule, {builder.map(std::span(&entry, 1))});
}

// Other roots (a Target, a Stmt, an Array) are also save_json, but not the TIR of a program.
NodeId read_root(const JsonGraph& graph, Importer& importer, Builder& builder) {
  const std::uint32_t root = graph.root();
  const auto kind = graph.node(root).kind;
  if (kind != Kind::IRModule && kind != Kind::PrimFunc) {
    graph.fail(root, "expected an IRModule or a PrimFunc at the root");
  }
  const NodeId id = importer.import(root);
  return kind == Kind::PrimFunc ? wrap(builder, id) : id;
}

}  // namespace
}  // namespace save_json

NodeId with_source_nodes(Builder& builder, NodeId module, NodeId nodes) {
  if (nodes == NodeId::none) return module;
  const auto same = [](Node node) { return node.id(); };
  std::vector<FieldValue> fields;
  for (std::uint8_t i = 0; i < info(Kind::IRModule).fields.size(); ++i) {
    fields.push_back(copied_field(builder, builder.node(module), i, same));
  }
  fields[f::IRModule::source_nodes] = nodes;
  return builder.make(Kind::IRModule, fields);
}

Reading read_save_json(const support::SourceText& source, const ReadLimits& limits) {
  const json::Document document(source, {limits.max_nesting, json::Strings::any_bytes});
  const save_json::JsonGraph graph(document);
  Builder builder;
  LossLog losses;
  save_json::Importer importer(graph, limits, builder, losses);
  const NodeId module = save_json::read_root(graph, importer, builder);
  const NodeId root = with_source_nodes(builder, module, importer.source_nodes());
  return {std::move(builder).finish(root), graph.version(), losses.finish()};
}

MetadataSection read_metadata(const support::SourceText& source, std::size_t begin, std::size_t end,
                              const ReadLimits& limits, Builder& builder, LossLog& losses,
                              Places* places) {
  const json::Document document(source, begin, end, {limits.max_nesting, json::Strings::any_bytes});
  const save_json::JsonGraph graph(document);
  save_json::Importer importer(graph, limits, builder, losses);
  const std::uint32_t root = graph.root();
  if (graph.node(root).kind != Kind::StringMap) {
    graph.fail(root, "expected a Map of type keys at the root of a metadata section");
  }
  MetadataSection section{.version = graph.version()};
  importer.import(root);
  // The importer has made the map. Its arrays are read from the document, because null elements
  // keep their positions: texts refer to objects by number.
  auto list = graph.data(root).begin();
  for (const json::Value key : graph.keys(root)) {
    const std::uint32_t array = graph.element(*list);
    if (graph.node(array).kind != Kind::Array) {
      graph.fail(array, "expected an Array of objects for " + save_json::clipped(key.text()));
    }
    std::vector<NodeId>& objects = section.objects[std::string(key.text())];
    for (const json::Value element : graph.data(array)) {
      const std::uint32_t object = graph.element(element);
      objects.push_back(object == 0 ? NodeId::none : importer.import(object));
    }
    ++list;
  }
  section.source_nodes = importer.source_nodes();
  if (places != nullptr) importer.note_integers(*places);
  return section;
}

}  // namespace mlf::tir
