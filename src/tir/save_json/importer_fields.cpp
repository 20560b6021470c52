// The fields of nodes of known kind: converts JSON text to field values and checks it.
#include <fmt/core.h>

#include "support/numbers.h"
#include "tir/node_queries.h"
#include "tir/save_json/importer.h"
#include "tir/tvm_features.h"

namespace mlf::tir::save_json {
namespace {

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

}  // namespace

// Both sides are sorted, so the next name usually matches. The search wraps around for documents of
// other writers.
bool NodeFields::place(json::Member attribute) {
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

std::uint32_t NodeFields::reference(std::uint8_t field) {
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

std::uint32_t NodeFields::span() {
  if (span_ == 0) return 0;
  if (span_target_ == kUnread) span_target_ = graph_->reference(node_, member(span_));
  return span_target_;
}

std::int64_t NodeFields::integer(std::uint8_t field) const {
  const auto number = support::whole_number<std::int64_t>(value(field).text());
  if (!number) fail_value(field, "a 64-bit integer");
  return *number;
}

std::int64_t NodeFields::boolean(std::uint8_t field) const {
  const std::string_view text = value(field).text();
  if (text != "0" && text != "1") fail_value(field, "\"0\" or \"1\"");
  return text == "1";
}

// Some of TVM's enumerations have gaps: an empty name is a number without a meaning.
std::int64_t NodeFields::enumeration(std::uint8_t field) const {
  const std::int64_t number = integer(field);
  const auto names = enum_names(info(kind_).fields[field].expects);
  if (number < 0 || static_cast<std::size_t>(number) >= names.size() ||
      names[static_cast<std::size_t>(number)].empty()) {
    fail(field, fmt::format("TVM has no value {} for it", number));
  }
  return number;
}

double NodeFields::real(std::uint8_t field) const {
  const auto number = support::whole_number<double>(value(field).text());
  if (!number) fail_value(field, "a number");
  return *number;
}

DType NodeFields::dtype(std::uint8_t field) const {
  const auto dtype = parse_dtype(value(field).text());
  if (!dtype) fail_value(field, "a dtype");
  return *dtype;
}

std::size_t NodeFields::tensor(std::uint8_t field) const {
  const auto index = support::whole_number<std::size_t>(value(field).text());
  if (!index) fail_value(field, "an index into b64ndarrays");
  if (*index >= graph_->tensor_count()) {
    fail(field, fmt::format("index {} is out of range: b64ndarrays has {} entries", *index,
                            graph_->tensor_count()));
  }
  return *index;
}

void NodeFields::fail(std::uint8_t field, std::string_view message) const {
  graph_->fail(node_, value(field), fmt::format("{}: {}", info(kind_).fields[field].name, message));
}

void NodeFields::fail_value(std::uint8_t field, std::string_view expected) const {
  fail(field, fmt::format("expected {}, found {}", expected, clipped(value(field).text())));
}

// The order of tests matters: a tensor and a plain value look like references but are not.
FieldValue Importer::field_value(NodeFields& fields, std::uint32_t node, Kind kind,
                                 std::uint8_t at) {
  const FieldInfo& field = info(kind).fields[at];
  if (!fields.has(at)) return absent_value(node, field);
  if (field.expects == Expects::tensor) return tensor(fields.tensor(at));
  // In the IR, lanes are an expression, as in TVM since v0.16.
  if (is_plain(fields, at) && is_lanes(kind, at)) {
    return builder_.make(Kind::IntImm, {DType::Int(32), fields.integer(at)});
  }
  const bool is_node = is_reference(field) && !is_plain(fields, at);
  return is_node ? reference_value(fields, node, field, at) : scalar_value(fields, field, at);
}

// Required only if every version that may have written the document has the field; otherwise it has
// the value that means "absent".
FieldValue Importer::absent_value(std::uint32_t node, const FieldInfo& field) {
  if (is_required(field, graph_.version())) {
    graph_.fail(node, fmt::format("expected an attribute \"{}\"", field.name));
  }
  switch (field.type) {
    case FieldType::node:
      return NodeId::none;
    case FieldType::list:
    case FieldType::string_map:
    case FieldType::node_map:
      return field.nullable ? ListId::none : builder_.list({});
    case FieldType::string:
      return field.nullable ? StringId::none : builder_.string("");
    case FieldType::real:
      return 0.0;
    case FieldType::dtype:
      return DType::Void();
    case FieldType::integers:
      return builder_.integers({});
    case FieldType::bytes:
      return BytesId::none;
    case FieldType::integer:
      return kAbsentInteger;
    case FieldType::boolean:
    case FieldType::enumeration:
      break;
  }
  return 0;
}

FieldValue Importer::reference_value(NodeFields& fields, std::uint32_t node, const FieldInfo& field,
                                     std::uint8_t at) {
  const std::uint32_t target = fields.reference(at);
  if (target == 0) return null_value(fields, field, at);
  switch (field.type) {
    case FieldType::node:
      if (!fits(kind(target), field.expects)) {
        fields.fail(at, wrong_kind(graph_, describe(field.expects), target));
      }
      return node_ids_[target];
    case FieldType::string:
      return string_value(fields, at, target);
    default:
      check_elements(field, node, target);
      return list_ids_[target];
  }
}

// Null in a field that may not be null is an error, except for lists: see below.
FieldValue Importer::null_value(const NodeFields& fields, const FieldInfo& field, std::uint8_t at) {
  // Not a document of TVM, which sets these in its constructors.
  if (is_derived(fields.kind(), at)) losses_.add(LossCode::checked_type, "");
  if (field.type == FieldType::string && field.nullable) return StringId::none;
  if (field.type == FieldType::node && field.nullable) return NodeId::none;
  if (field.type != FieldType::node && field.type != FieldType::string) {
    if (field.nullable) return ListId::none;
    // TVM makes such a list only for callers that bypass its Python classes.
    losses_.add_everywhere(LossCode::undefined_list, std::string(info(fields.kind()).type_key) +
                                                         "." + std::string(field.name));
    return builder_.list({});
  }
  const std::string_view expected =
      field.type == FieldType::string ? "a string" : describe(field.expects);
  fields.fail(at, fmt::format("expected {}, found null", expected));
}

FieldValue Importer::scalar_value(const NodeFields& fields, const FieldInfo& field,
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
      return builder_.string(fields.value(at).text());
    default:
      // References and tensors were handled above; constants own bytes.
      fields.fail(at, "cannot be an attribute");
  }
}

FieldValue Importer::string_value(const NodeFields& fields, std::uint8_t at, std::uint32_t target) {
  const GraphNode& string = graph_.node(target);
  if (string.kind != Kind::String) fields.fail(at, wrong_kind(graph_, "a string", target));
  if (string.repr == 0 || string.repr_is_base64) return builder_.string(graph_.repr(target));
  return builder_.string(graph_.value(string.repr).text());
}

// Whether this version writes the value of a field that others write as a node.
bool Importer::is_plain(const NodeFields& fields, std::uint8_t at) const {
  const auto feature = feature_of_nodes(fields.kind(), at);
  if (!feature || !fields.has(at)) return false;
  const VersionRange& version = graph_.version();
  if (!may_have(version, *feature)) return true;
  const bool is_sure =
      version.first == version.last &&
      (has(static_cast<std::uint8_t>(version.first - 1), *feature) || !is_development(version));
  if (is_sure) return false;
  const auto target = graph_.reference(fields.value(at));
  if (!target) return true;
  // A development build may write either form. No layout and no mode is a number.
  if (!is_lanes(fields.kind(), at)) return *target != 0 && kind(*target) != Kind::String;
  if (*target == 0 || !fits(kind(*target), Expects::expr)) return true;
  // Of lanes, the dtype determines the number: the first field of both kinds is that of the vector.
  const std::int64_t lanes = std::abs(static_cast<int>(fields.dtype(0).lanes));
  const auto value = graph_.attr(*target, "value");
  return fields.integer(at) == lanes && !(value && value->text() == std::to_string(lanes));
}

// An empty Map does not show the type of its keys: it fits both kinds of map.
void Importer::check_container(const NodeFields& fields, const FieldInfo& field, std::uint8_t at,
                               std::uint32_t target) {
  const auto kind = graph_.node(target).kind;
  const bool is_empty_map = kind == Kind::StringMap && graph_.data_size(target) == 0;
  switch (field.type) {
    case FieldType::list:
      if (kind != Kind::Array) fields.fail(at, wrong_kind(graph_, "an Array", target));
      return;
    case FieldType::string_map:
      if (kind == Kind::StringMap) return;
      if (kind == Kind::ObjectMap) fields.fail(at, "expected a Map whose keys are strings");
      break;
    default:
      if (kind == Kind::ObjectMap || is_empty_map) return;
      if (kind == Kind::StringMap) fields.fail(at, "expected a Map whose keys are nodes");
  }
  fields.fail(at, wrong_kind(graph_, "a Map", target));
}

void Importer::check_elements(const FieldInfo& field, std::uint32_t owner, std::uint32_t target) {
  // Many fields may share one array: it is checked once for each expected type. Otherwise the time
  // would be quadratic.
  const std::uint32_t bit = 1u << static_cast<std::uint32_t>(field.expects);
  if ((checked_[target] & bit) != 0) return;
  checked_[target] |= bit;
  const bool is_map = field.type == FieldType::node_map;
  // The two maps of the table whose keys are nodes are those of functions, by GlobalVar, and those
  // of buffers, by Var.
  const bool names_functions = field.expects == Expects::function;
  std::size_t position = 0;
  for (const json::Value element : graph_.data(target)) {
    const std::uint32_t index = graph_.element(element);
    const bool is_key = is_map && position % 2 == 0;
    const Expects expects = is_key ? Expects::var : field.expects;
    const bool is_name = is_key && names_functions;
    const bool fits_here =
        index == 0 ? !is_key && may_be_null(expects)
                   : (is_name ? kind(index) == Kind::GlobalVar : fits(kind(index), expects));
    if (!fits_here) {
      const std::string wrong =
          wrong_kind(graph_, is_name ? "a GlobalVar" : describe(expects), index);
      graph_.fail(owner, element,
                  fmt::format("{}[{}]: {}", field.name, is_map ? position / 2 : position, wrong));
    }
    ++position;
  }
}

}  // namespace mlf::tir::save_json
