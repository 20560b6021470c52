#include "tir/save_json/importer.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "support/base64.h"
#include "support/error.h"
#include "support/numbers.h"
#include "tir/node_queries.h"

namespace mlf::tir::save_json {

namespace {

// --- Nodes of unknown type ---------------------------------------------------------------------

/// Nodes of unknown type are expressions and statements where a known node has them as such, and
/// objects everywhere else.
class OpaqueKinds {
 public:
  explicit OpaqueKinds(const JsonGraph& graph)
      : graph_(graph),
        kinds_(graph.size(), Kind::Opaque),
        lists_of_exprs_(graph.size()),
        lists_of_stmts_(graph.size()) {
    for (std::uint32_t i = 1; i < graph.size(); ++i) {
      if (graph.node(i).kind) scan(i);
    }
  }

  std::vector<Kind> take() { return std::move(kinds_); }

 private:
  void scan(std::uint32_t node) {
    const Kind kind = *graph_.node(node).kind;
    for (const json::Member attribute : graph_.attrs(node)) {
      const auto field = field_named(kind, attribute.key.text());
      const auto target = field ? graph_.reference(attribute.value) : std::nullopt;
      if (target) note(info(kind).fields[*field], *target);
    }
  }

  void note(const FieldInfo& field, std::uint32_t target) {
    if (field.expects != Expects::expr && field.expects != Expects::stmt) return;
    if (field.type == FieldType::node) return note(target, field.expects);
    std::vector<bool>& looked = field.expects == Expects::expr ? lists_of_exprs_ : lists_of_stmts_;
    if (looked[target]) return;
    looked[target] = true;
    for (const json::Value element : graph_.data(target)) {
      note(graph_.element(element), field.expects);
    }
  }

  void note(std::uint32_t node, Expects expects) {
    kinds_[node] = expects == Expects::expr ? Kind::OpaqueExpr : Kind::OpaqueStmt;
  }

  const JsonGraph& graph_;
  std::vector<Kind> kinds_;
  std::vector<bool> lists_of_exprs_;  // arrays whose elements have been visited
  std::vector<bool> lists_of_stmts_;
};

// Most documents know all their types.
bool has_unknown_types(const JsonGraph& graph) {
  for (std::uint32_t i = 1; i < graph.size(); ++i) {
    if (!graph.node(i).kind) return true;
  }
  return false;
}

}  // namespace

// --- Nodes -------------------------------------------------------------------------------------

Importer::Importer(const JsonGraph& graph, const ReadLimits& limits, Builder& builder,
                   LossLog& losses)
    : graph_(graph),
      limits_(limits),
      builder_(builder),
      losses_(losses),
      node_ids_(graph.size()),
      list_ids_(graph.size()),
      open_(graph.size()),
      checked_(graph.size()),
      tensor_ids_(graph.tensor_count()) {
  // Each node of the document becomes at most one node of the module, so this limits both.
  if (graph.size() > limits.max_nodes) {
    graph.fail(
        0, fmt::format("the document has {} nodes, more than {}", graph.size(), limits.max_nodes));
  }
  if (!has_unknown_types(graph)) return;
  opaque_kinds_ = OpaqueKinds(graph).take();
  is_mentioned_.assign(graph.size(), false);
}

// Depth first on a stack: documents are in pre-order, but the Builder needs parts before the whole.
NodeId Importer::import(std::uint32_t node) {
  push(node, Role::node);
  while (!stack_.empty()) {
    const Task task = stack_.back();
    stack_.pop_back();
    run(task);
  }
  return node_ids_[node];
}

bool Importer::is_made(std::uint32_t node, Role role) const {
  return role == Role::node ? node_ids_[node] != NodeId::none : list_ids_[node] != ListId::none;
}

void Importer::push(std::uint32_t node, Role role) {
  if (node != 0 && !is_made(node, role)) stack_.push_back({node, role, false});
}

// Each task is taken twice: first it pushes its parts, then, after these, it makes its own node.
void Importer::run(Task task) {
  const auto bit = static_cast<std::uint8_t>(task.role);
  if (!task.entered) {
    if (is_made(task.node, task.role)) return;
    // TVM's objects cannot form a cycle, but indices can.
    if ((open_[task.node] & bit) != 0) graph_.fail(task.node, "the node is part of itself");
    open_[task.node] = static_cast<std::uint8_t>(open_[task.node] | bit);
    stack_.push_back({task.node, task.role, true});
    return enter(task);
  }
  if (task.role == Role::node) {
    node_ids_[task.node] = make_node(task.node);
    --depth_;
  } else {
    list_ids_[task.node] = make_list(task.node);
  }
  open_[task.node] = static_cast<std::uint8_t>(open_[task.node] & ~bit);
}

// Checks only nodes: a list is between a node and its elements and would count twice.
void Importer::enter(Task task) {
  if (task.role == Role::list) {
    for (const json::Value element : graph_.data(task.node)) {
      push(graph_.element(element), Role::node);
    }
    return;
  }
  if (++depth_ > limits_.max_nesting) {
    graph_.fail(task.node, fmt::format("nested deeper than {} levels", limits_.max_nesting));
  }
  enter_node(task.node);
}

// Nodes that are written as their content (`repr_str`) have no parts.
void Importer::enter_node(std::uint32_t node) {
  const auto kind = graph_.node(node).kind;
  if (!kind) {
    if (graph_.data_size(node) > 0) push(node, Role::list);
    return;
  }
  if (*kind == Kind::Array || *kind == Kind::StringMap || *kind == Kind::ObjectMap) {
    return push(node, Role::list);
  }
  if (info(*kind).encoding != Encoding::attrs) return;
  // Vendors of TVM add attributes to its classes: they are dropped, and recorded as a loss.
  NodeFields& fields = entered_.emplace_back(graph_, node, *kind, [&](std::string_view name) {
    losses_.add_everywhere(LossCode::opaque_fields,
                           fmt::format("{}.{}", graph_.type_key(node), name));
  });
  const auto rows = info(*kind).fields;
  for (std::uint8_t i = 0; i < rows.size(); ++i) enter_field(fields, rows[i], i);
  push(fields.span(), Role::node);
}

void Importer::enter_field(NodeFields& fields, const FieldInfo& field, std::uint8_t at) {
  if (!fields.has(at) || field.expects == Expects::tensor) return;
  switch (field.type) {
    case FieldType::node:
      if (!is_plain(fields, at)) push(fields.reference(at), Role::node);
      return;
    case FieldType::list:
    case FieldType::string_map:
    case FieldType::node_map: {
      // Checked before the elements are pushed: a container of another kind has a different `data`.
      const std::uint32_t target = fields.reference(at);
      if (target != 0) check_container(fields, field, at, target);
      return push(target, Role::list);
    }
    default:
      return;
  }
}

ListId Importer::make_list(std::uint32_t node) {
  const auto kind = graph_.node(node).kind;
  if (kind == Kind::StringMap) return make_string_map(node);
  if (kind == Kind::ObjectMap) return make_node_map(node);
  // The null node, 0, is NodeId::none here too.
  elements_.clear();
  for (const json::Value element : graph_.data(node)) {
    elements_.push_back(node_ids_[graph_.element(element)]);
  }
  return builder_.list(elements_);
}

// `keys` and `data` are parallel arrays.
ListId Importer::make_string_map(std::uint32_t node) {
  const auto data = graph_.data(node);
  const GraphNode& map = graph_.node(node);
  const std::uint32_t keys = map.keys == 0 ? 0 : graph_.value(map.keys).size();
  if (keys != graph_.data_size(node)) {
    graph_.fail(node, fmt::format("a map of {} keys has {} values", keys, graph_.data_size(node)));
  }
  std::vector<NamedNode> entries;
  EntryNames names;
  auto value = data.begin();
  for (const json::Value key : graph_.keys(node)) {
    if (!key.is_string()) graph_.fail(node, key, "expected a string as key of a map");
    const StringId name = builder_.string(key.text());
    if (!names.add(name)) graph_.fail(node, key, message_of_repeated(key.text()));
    entries.push_back({name, node_ids_[graph_.element(*value)]});
    ++value;
  }
  return builder_.map(entries);
}

// Without `keys`, `data` contains keys and values alternately.
ListId Importer::make_node_map(std::uint32_t node) {
  if (graph_.data_size(node) % 2 != 0) {
    graph_.fail(node, "a map without keys must have keys and values in turn in its data");
  }
  std::vector<NodePair> entries;
  const auto data = graph_.data(node);
  for (auto at = data.begin(); at != data.end(); ++at) {
    const NodeId key = node_ids_[graph_.element(*at)];
    ++at;
    entries.push_back({key, node_ids_[graph_.element(*at)]});
  }
  return builder_.map(entries);
}

NodeId Importer::make_node(std::uint32_t node) {
  const Kind kind = this->kind(node);
  // TargetKinds are written with attributes up to v0.17, and as their name since.
  if (kind == Kind::TargetKind && graph_.node(node).repr != 0) {
    entered_.pop_back();
    return make_from_repr(node, kind);
  }
  switch (info(kind).encoding) {
    case Encoding::attrs:
      return make_from_attrs(node, kind);
    case Encoding::repr:
      return make_from_repr(node, kind);
    case Encoding::special:
      return make_special(node, kind);
  }
  graph_.fail(node, "unknown encoding");
}

namespace {

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

}  // namespace

// Its fields were found when it was entered. A field that follows from the others stays undefined:
// the writer derives it.
NodeId Importer::make_from_attrs(std::uint32_t node, Kind kind) {
  NodeFields& fields = entered_.back();
  const auto rows = info(kind).fields;
  values_.clear();
  for (std::uint8_t i = 0; i < rows.size(); ++i) {
    values_.push_back(field_value(fields, node, kind, i));
  }
  const NodeId id = builder_.make(kind, values_);
  const Node made = builder_.node(id);
  if (kind == Kind::PrimFunc && is_type_of(made, made[f::PrimFunc::checked_type])) {
    builder_.set(id, f::PrimFunc::checked_type, NodeId::none);
  }
  if (kind == Kind::IRModule && names_functions(made)) {
    builder_.set(id, f::IRModule::global_var_map, NodeId::none);
  }
  if (const std::uint32_t span = fields.span()) builder_.set_span(id, node_ids_[span]);
  entered_.pop_back();
  return id;
}

// Ops, strings and boxed numbers: the first field is the content. Other fields, such as those of a
// TargetKind that is written as its name, are absent.
NodeId Importer::make_from_repr(std::uint32_t node, Kind kind) {
  const std::string repr = graph_.repr(node);
  // TVM has one Op of each name; a metadata section and its text may both name it.
  if (kind == Kind::Op) {
    const auto known = ops_.find(repr);
    if (known != ops_.end()) return known->second;
  }
  const auto checked = [&](const auto& number) -> FieldValue {
    if (!number) graph_.fail(node, "expected a number as its value, found " + clipped(repr));
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
        graph_.fail(node, "expected \"true\" or \"false\" as its value, found " + clipped(repr));
      }
      values.emplace_back(repr == "true");
      break;
    default:
      values.emplace_back(builder_.string(repr));
  }
  for (const FieldInfo& field : rows.subspan(1)) values.push_back(absent_value(node, field));
  const NodeId id = builder_.make(kind, values);
  if (kind == Kind::Op) ops_.emplace(repr, id);
  return id;
}

NodeId Importer::make_special(std::uint32_t node, Kind kind) {
  switch (kind) {
    case Kind::Array:
    case Kind::StringMap:
    case Kind::ObjectMap:
      return builder_.make(kind, {list_ids_[node]});
    case Kind::ShapeTuple:
      return make_shape_tuple(node);
    case Kind::NDArray:
      return make_constant(node);
    case Kind::Opaque:
      return make_opaque(node);
    default:
      return make_opaque_expr(node);
  }
}

NodeId Importer::make_shape_tuple(std::uint32_t node) {
  // Base64 of a count and as many int64, little-endian; empty for the empty tuple.
  const auto data = support::base64_decode(graph_.repr(node));
  const auto word = [&](std::size_t at) {
    return load_little_endian<std::uint64_t>(*data, 8 * at);
  };
  std::vector<std::int64_t> values;
  const bool is_sound =
      data && (data->empty() || (data->size() % 8 == 0 && word(0) == data->size() / 8 - 1));
  if (!is_sound) graph_.fail(node, "its value is not base64 of a count and as many integers");
  for (std::size_t i = 1; i < data->size() / 8; ++i) {
    values.push_back(static_cast<std::int64_t>(word(i)));
  }
  return builder_.make(Kind::ShapeTuple, {builder_.integers(values)});
}

namespace {

NodeId make_tensor(Builder& builder, Tensor tensor) {
  const ListId shape = builder.integers(tensor.shape);
  return builder.make(Kind::NDArray, {tensor.dtype, shape, builder.bytes(std::move(tensor.data))});
}

}  // namespace

NodeId Importer::make_constant(std::uint32_t node) {
  const GraphNode& constant = graph_.node(node);
  // v0.8 cannot serialise an NDArray that is a node: it writes only the type key.
  if (constant.repr == 0) {
    losses_.add_everywhere(LossCode::constant_data);
    return builder_.make(Kind::NDArray, {DType::Void(), builder_.integers({}), BytesId::none});
  }
  // The blob is printable base64, so it is usually written unchanged, not encoded again.
  auto tensor = constant.repr_is_base64 ? decode_tensor(graph_.repr(node))
                                        : decode_tensor(graph_.value(constant.repr).text());
  if (!tensor) graph_.fail(node, graph_.value(constant.repr), tensor.error());
  return make_tensor(builder_, std::move(*tensor));
}

NodeId Importer::tensor(std::size_t index) {
  // Fields may share an entry: it is one node, as in TVM.
  if (tensor_ids_[index] != NodeId::none) return tensor_ids_[index];
  auto tensor = decode_tensor(graph_.tensor(index).text());
  if (!tensor) {
    graph_.tensor(index).fail("b64ndarrays[" + std::to_string(index) + "]: " + tensor.error());
  }
  return tensor_ids_[index] = make_tensor(builder_, std::move(*tensor));
}

// A text is kept, with the node that it may be the index of: the writer gives that node the same
// index again, so that the text stays right whatever it means.
ListId Importer::opaque_fields(std::uint32_t node) {
  std::vector<NamedNode> entries;
  for (const json::Member attribute : graph_.attrs(node)) {
    const std::string_view name = attribute.key.text();
    // Every expression has one, in addition to its fields.
    if (name == "dtype" && kind(node) == Kind::OpaqueExpr) continue;
    const NodeId text = builder_.make(Kind::String, {builder_.string(attribute.value.text())});
    entries.push_back({builder_.string(name), text});
    const std::uint32_t target = graph_.reference(attribute.value).value_or(0);
    // Also the number of a tensor looks like any other.
    mentions_tensors_ = mentions_tensors_ || graph_.is_tensor(attribute.value);
    // Nothing contains the root.
    if (target == 0 || target == graph_.root() || is_mentioned_[target]) continue;
    is_mentioned_[target] = true;
    mentioned_.push_back(target);
  }
  losses_.add_everywhere(LossCode::opaque_fields, graph_.type_key(node));
  return builder_.map(entries);
}

NodeId Importer::source_nodes() {
  if (mentioned_.empty() && !mentions_tensors_) return NodeId::none;
  // Making one may mention more.
  for (std::size_t i = 0; i < mentioned_.size(); ++i) import(mentioned_[i]);
  std::ranges::sort(mentioned_);
  std::vector<NamedNode> entries;
  for (const std::uint32_t node : mentioned_) {
    entries.push_back({builder_.string(std::to_string(node)), node_ids_[node]});
  }
  for (std::size_t i = 0; mentions_tensors_ && i < tensor_ids_.size(); ++i) {
    entries.push_back({builder_.string(name_of_tensor(i)), tensor(i)});
  }
  return builder_.make(Kind::StringMap, {builder_.map(entries)});
}

// Keeps everything in a node of unknown type: attributes, keys, data and content. The writer writes
// it unchanged.
NodeId Importer::make_opaque(std::uint32_t node) {
  const ListId fields = opaque_fields(node);
  std::vector<NodeId> names;
  for (const json::Value key : graph_.keys(node)) {
    if (!key.is_string()) graph_.fail(node, key, "expected a string in \"keys\"");
    names.push_back(builder_.make(Kind::String, {builder_.string(key.text())}));
  }
  const GraphNode& source = graph_.node(node);
  const ListId keys = source.keys == 0 ? ListId::none : builder_.list(names);
  // Distinguishes undefined from empty, because TVM omits empty members and other writers may not.
  const ListId elements = source.data == 0              ? ListId::none
                          : graph_.data_size(node) == 0 ? builder_.list({})
                                                        : list_ids_[node];
  const StringId repr = source.repr == 0 ? StringId::none : builder_.string(graph_.repr(node));
  const StringId type_key = builder_.string(graph_.type_key(node));
  return builder_.make(Kind::Opaque, {type_key, fields, keys, elements, repr});
}

// If a known node has it as an expression or a statement, visitors of the IR require one.
NodeId Importer::make_opaque_expr(std::uint32_t node) {
  const GraphNode& source = graph_.node(node);
  if (source.data != 0 || source.repr != 0) {
    graph_.fail(node,
                "expected an expression or a statement, found an object with data of its own");
  }
  const ListId fields = opaque_fields(node);
  const StringId type_key = builder_.string(graph_.type_key(node));
  if (kind(node) == Kind::OpaqueStmt) return builder_.make(Kind::OpaqueStmt, {type_key, fields});
  const auto text = graph_.attr(node, "dtype");
  const auto dtype = text ? parse_dtype(text->text()) : std::nullopt;
  if (!dtype) graph_.fail(node, "expected an expression, found an object without a dtype");
  return builder_.make(Kind::OpaqueExpr, {*dtype, type_key, fields});
}

// --- Places --------------------------------------------------------------------------------------

/// save_json writes numbers as strings: the digits are between the quotes.
void Importer::note_integers(Places& places) const {
  for (std::uint32_t node = 0; node < graph_.size(); ++node) {
    if (node_ids_[node] == NodeId::none || graph_.node(node).kind != Kind::IntImm) continue;
    const auto value = graph_.attr(node, "value");
    if (!value || !value->is_string()) continue;
    const auto begin = static_cast<std::uint32_t>(value->offset() + 1);
    const auto digits = static_cast<std::uint32_t>(value->length() - 2);
    places.add(node_ids_[node], {0, {begin, begin + digits}});
  }
}

}  // namespace mlf::tir::save_json
