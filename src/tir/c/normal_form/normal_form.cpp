// The common part of two modules: one was captured before the host passes, the other was read from
// their output.
#include "tir/c/normal_form/normal_form.h"

#include <fmt/core.h>

#include <algorithm>

#include "mlf/tir/visit.h"
#include "tir/node_queries.h"

namespace mlf::tir {
namespace c {
namespace {

/// Whether C has nothing of a field.
bool is_reset(Kind kind, std::uint8_t field) {
  switch (kind) {
    case Kind::IRModule:
      return field != f::IRModule::functions;
    case Kind::GlobalVar:
      return field != f::GlobalVar::name_hint;
    case Kind::PrimFunc:
      return field == f::PrimFunc::checked_type || field == f::PrimFunc::preflattened_buffer_map;
    case Kind::For:
      return field == f::For::annotations;
    case Kind::Allocate:
      return field == f::Allocate::annotations;
    case Kind::AllocateConst:
      return field == f::AllocateConst::irmod_storage_idx || field == f::AllocateConst::annotations;
    default:
      return false;
  }
}

/// The name of a pool. A text may refer to the pool's info in a section that it does not print;
/// then only the type of the info is known.
std::string_view pool_name(Node info) {
  const bool is_pool = info.is(Kind::PoolInfo) || info.is(Kind::WorkspacePoolInfo) ||
                       info.is(Kind::ConstantPoolInfo);
  if (is_pool) return info.text(f::PoolInfo::pool_name);
  return info.is(Kind::MissingObject) ? info.text(f::MissingObject::type_key) : std::string_view();
}

}  // namespace

NormalForm::NormalForm(const Module& module, const VersionRange& version, const NewNames& new_names)
    : module_(module),
      new_names_(new_names),
      ternary_(ternary_of(version)),
      make_(builder_, losses_),
      map_(module.size()),
      ranges_(module) {}

/// Walks the module twice: first collects what must be known before a node is rebuilt (ranges,
/// lets, constants of each function), then rebuilds the nodes, children first.
Module NormalForm::make() && {
  const Node root = module_.root();
  NodeId function = NodeId::none;
  for_each_pre_order(root, [&](Node node) {
    ranges_.enter(node);
    if (node.is(Kind::Let)) lets_[index(node[f::Let::var].id())] = node[f::Let::value];
    if (node.is(Kind::PrimFunc)) function = node.id();
    if (node.is(Kind::AllocateConst)) constants_[index(function)].push_back(node);
  });
  for_each_post_order(root, [&](Node node) { leave(node); });
  return std::move(builder_).finish(of(root));
}

void NormalForm::leave(Node node) {
  ranges_.leave(node);
  const NodeId made = rebuilt(node);
  map_[index(node.id())] = made;
  const auto range = node.module().source_range(node.id());
  if (range && made != NodeId::none) builder_.set_source_range(made, *range);
}

/// The new node for a node of the original.
NodeId NormalForm::of(Node node) {
  if (!node) return NodeId::none;
  // Follows at most as many references as there are variables: malformed ones may form a cycle.
  for (std::size_t i = 0; i < lets_.size(); ++i) {
    const auto let = lets_.find(index(node.id()));
    if (let == lets_.end()) break;
    node = let->second;
  }
  return map_[index(node.id())];
}

/// A statement whose body is never printed gets an empty body.
NodeId NormalForm::body_of(Node statement) {
  const NodeId body = of(statement);
  return body == NodeId::none ? nothing() : body;
}

/// A field with the new nodes in place of the old ones.
FieldValue NormalForm::rebuilt_field(Node node, std::uint8_t i) {
  const FieldInfo& info = node.info().fields[i];
  const bool is_body = info.type == FieldType::node && info.expects == Expects::stmt;
  if (is_body && node.node(i)) return body_of(node.node(i));
  return copied_field(builder_, node, i, becoming());
}

FieldValue NormalForm::field(Node node, std::uint8_t i) {
  if (!is_reset(node.kind(), i)) return rebuilt_field(node, i);
  if (node.info().fields[i].type == FieldType::node) return NodeId::none;
  return ListId::none;
}

/// The result is valid until the next call.
std::span<FieldValue> NormalForm::fields_of(Node node) {
  fields_.clear();
  for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) fields_.push_back(field(node, i));
  return fields_;
}

NodeId NormalForm::copy(Node node) {
  return builder_.make(node.kind(), fields_of(node));
}

NodeId NormalForm::rebuilt(Node node) {
  switch (node.category()) {
    case Category::expr:
      return rebuilt_expr(node);
    case Category::stmt:
      return rebuilt_statement(node);
    case Category::buffer:
      return buffer(node);
    case Category::constant:
      return array(node);
    case Category::function:
      return function(node);
    case Category::module:
      return root(node);
    default:
      return node.is(Kind::GlobalVar) ? global_var(node) : copy(node);
  }
}

// --- Statements ----------------------------------------------------------------------------------

/// All other statements have their own form in C.
NodeId NormalForm::rebuilt_statement(Node node) {
  switch (node.kind()) {
    // The generator prints only the bodies of these.
    case Kind::AttrStmt:
      return of(node[f::AttrStmt::body]);
    case Kind::AssertStmt:
      return of(node[f::AssertStmt::body]);
    case Kind::DeclBuffer:
      return of(node[f::DeclBuffer::body]);
    case Kind::AllocateConst:
      return of(node[f::AllocateConst::body]);
    case Kind::Evaluate:
      return evaluate(node);
    case Kind::SeqStmt:
      return sequence(node);
    case Kind::BufferStore:
      return store(node);
    case Kind::For:
      return loop(node);
    case Kind::Allocate:
      return allocate(node);
    default:
      return copy(node);
  }
}

/// The generator does not print a number as a statement. It prints a call of an external function
/// without its result type, because nothing uses the result.
NodeId NormalForm::evaluate(Node node) {
  if (node[f::Evaluate::value].is(Kind::IntImm)) return NodeId::none;
  const Node value = builder_.node(of(node[f::Evaluate::value]));
  if (!is_call_of(value, "tir.call_extern") || value.dtype() == DType::Int(32)) return copy(node);
  const std::vector<NodeId> args = ids_of(value.list(f::Call::args));
  const NodeId call = make_.call(value[f::Call::op].id(), args, DType::Int(32));
  return builder_.make(Kind::Evaluate, {call});
}

/// Flattens nested sequences; replaces a sequence of one by its statement and removes an empty one.
NodeId NormalForm::sequence(Node node) {
  std::vector<NodeId> statements;
  for (const Node part : node.list(f::SeqStmt::seq)) splice(of(part), statements);
  return joined(statements);
}

/// Adds a statement; of a sequence, its statements one by one.
void NormalForm::splice(NodeId statement, std::vector<NodeId>& into) {
  if (statement == NodeId::none) return;
  const Node made = builder_.node(statement);
  if (!made.is(Kind::SeqStmt)) return into.push_back(statement);
  for (const Node element : made.list(f::SeqStmt::seq)) into.push_back(element.id());
}

/// Makes a sequence in which each variable's scope contains all statements after it.
NodeId NormalForm::joined(std::vector<NodeId>& statements) {
  for (std::size_t i = statements.size(); i > 1; --i) {
    if (!builder_.node(statements[i - 2]).is(Kind::LetStmt)) continue;
    const auto rest = statements.begin() + static_cast<std::ptrdiff_t>(i - 1);
    const NodeId all = governing(statements[i - 2], {rest, statements.end()});
    statements.resize(i - 2);
    statements.push_back(all);
  }
  return joined_once(statements);
}

/// `let` with `rest` at the end of its scope, after other variables that are defined at its end.
NodeId NormalForm::governing(NodeId let, std::vector<NodeId> rest) {
  struct Outer {
    NodeId let;
    std::vector<NodeId> before;  // its body, up to the statement whose scope contains the rest
  };
  std::vector<Outer> chain;
  while (let != NodeId::none) {
    std::vector<NodeId> body;
    splice(builder_.node(let)[f::LetStmt::body].id(), body);
    const bool goes_on = builder_.node(body.back()).is(Kind::LetStmt);
    const NodeId inner = goes_on ? body.back() : NodeId::none;
    if (goes_on) body.pop_back();
    chain.push_back({let, std::move(body)});
    let = inner;
  }
  for (std::size_t i = chain.size(); i > 0; --i) {
    Outer& outer = chain[i - 1];
    outer.before.insert(outer.before.end(), rest.begin(), rest.end());
    const Node node = builder_.node(outer.let);
    const NodeId var = node[f::LetStmt::var].id();
    const NodeId value = node[f::LetStmt::value].id();
    rest = {builder_.make(Kind::LetStmt, {var, value, joined_once(outer.before)})};
  }
  return rest.front();
}

NodeId NormalForm::joined_once(std::span<const NodeId> statements) {
  if (statements.empty()) return NodeId::none;
  if (statements.size() == 1) return statements.front();
  return builder_.make(Kind::SeqStmt, {builder_.list(statements)});
}

/// bool is stored as a byte: `((int8_t)(cond))`.
NodeId NormalForm::store(Node node) {
  std::span<FieldValue> fields = fields_of(node);
  if (node[f::BufferStore::value].dtype().is_bool()) {
    fields[f::BufferStore::value] = make_.cast(DType::Int(8), of(node[f::BufferStore::value]));
  }
  return builder_.make(Kind::BufferStore, fields);
}

/// Serial, parallel and unrolled loops are printed as the same `for`. The generator expands
/// vectorized loops and fails for thread loops: both stay unchanged.
NodeId NormalForm::loop(Node node) {
  std::span<FieldValue> fields = fields_of(node);
  // vectorized and thread_binding stay.
  const auto kind = static_cast<ForKind>(node.integer(f::For::kind));
  if (kind == ForKind::parallel || kind == ForKind::unrolled) {
    fields[f::For::kind] = ForKind::serial;
  }
  return builder_.make(Kind::For, fields);
}

/// The size becomes one number.
NodeId NormalForm::allocate(Node node) {
  std::span<FieldValue> fields = fields_of(node);
  fields[f::Allocate::extents] = flat(node.list(f::Allocate::extents));
  return builder_.make(Kind::Allocate, fields);
}

// --- Functions ----------------------------------------------------------------------------------

/// A pool keeps its name, its size and its constants.
NodeId NormalForm::pool(Node allocated) {
  const Node info = allocated[f::AllocatedPoolInfo::pool_info];
  std::vector<NodeId> constants;
  if (info.is(Kind::ConstantPoolInfo)) {
    for (const Node constant : info.list(f::ConstantPoolInfo::constant_info_array)) {
      constants.push_back(of(constant));
    }
    const auto offset = [&](NodeId id) {
      const Node at = builder_.node(id)[f::ConstantInfo::byte_offset];
      return int_imm_of(at).value_or(0);
    };
    std::ranges::sort(constants, {}, offset);
  }
  const std::array fields = {
      NamedNode{builder_.string("name"), make_.string(pool_name(info))},
      NamedNode{builder_.string("size"), of(allocated[f::AllocatedPoolInfo::allocated_size])},
      NamedNode{builder_.string("parameter"), of(allocated[f::AllocatedPoolInfo::pool_var_idx])},
      NamedNode{builder_.string("constants"),
                builder_.make(Kind::Array, {builder_.list(constants)})}};
  return builder_.make(Kind::StringMap, {builder_.map(std::span(fields))});
}

/// C contains only the pools among the attributes: as parameters, and as arrays in the file with
/// the entry point.
NodeId NormalForm::pool_args(Node attrs) {
  if (!attrs.is(Kind::DictAttrs)) return NodeId::none;
  const Node pools = attrs.map(f::DictAttrs::dict).find("pool_args");
  if (!pools.is(Kind::Array) || pools.list(f::Array::elements).empty()) return NodeId::none;
  std::vector<NodeId> made;
  for (const Node allocated : pools.list(f::Array::elements)) {
    if (allocated.is(Kind::AllocatedPoolInfo)) made.push_back(pool(allocated));
  }
  const std::array entries = {
      NamedNode{builder_.string("pool_args"), builder_.make(Kind::Array, {builder_.list(made)})}};
  return builder_.make(Kind::DictAttrs, {builder_.map(std::span(entries))});
}

/// In the order of the parameters.
ListId NormalForm::buffer_map(Node function) {
  const NodeMap map = function.map(f::PrimFunc::buffer_map);
  std::vector<std::size_t> order;
  for (const Node param : function.list(f::PrimFunc::params)) {
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (map.key(i) == param) order.push_back(i);
    }
  }
  if (order.size() != map.size()) return copied_pairs(builder_, map, becoming());
  std::vector<NodePair> entries;
  for (const std::size_t i : order) entries.push_back({of(map.key(i)), of(map.value(i))});
  return builder_.map(entries);
}

/// An AllocateConst with another body: C declares arrays outside of functions.
NodeId NormalForm::constant_around(NodeId body, Node constant) {
  std::span<FieldValue> fields = fields_of(constant);
  fields[f::AllocateConst::body] = body;
  fields[f::AllocateConst::extents] = flat(constant.list(f::AllocateConst::extents));
  return builder_.make(Kind::AllocateConst, fields);
}

/// Moves constants outwards in their order; parameters and body stay.
NodeId NormalForm::function(Node node) {
  const std::vector<Node>& constants = constants_[index(node.id())];
  NodeId body = body_of(node[f::PrimFunc::body]);
  // The last one is the innermost.
  for (std::size_t i = constants.size(); i > 0; --i) body = constant_around(body, constants[i - 1]);
  std::span<FieldValue> fields = fields_of(node);
  fields[f::PrimFunc::buffer_map] = buffer_map(node);
  fields[f::PrimFunc::attrs] = pool_args(node[f::PrimFunc::attrs]);
  fields[f::PrimFunc::body] = body;
  return builder_.make(Kind::PrimFunc, fields);
}

std::string_view NormalForm::name_of(Node global_var) const {
  const std::string_view name = global_var.text(f::GlobalVar::name_hint);
  const auto renamed = new_names_.find(name);
  return renamed == new_names_.end() ? name : renamed->second;
}

NodeId NormalForm::global_var(Node node) {
  std::span<FieldValue> fields = fields_of(node);
  fields[f::GlobalVar::name_hint] = builder_.string(name_of(node));
  return builder_.make(Kind::GlobalVar, fields);
}

/// Sorts functions by name: their order in the files depends on TVM's hash maps.
NodeId NormalForm::root(Node node) {
  const NodeMap functions = node.map(f::IRModule::functions);
  std::vector<std::pair<std::string_view, NodePair>> named;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const Node key = functions.key(i);
    const auto name = key.is(Kind::GlobalVar) ? name_of(key) : "";
    named.emplace_back(name, NodePair{of(key), of(functions.value(i))});
  }
  std::ranges::stable_sort(named, {}, &std::pair<std::string_view, NodePair>::first);
  std::vector<NodePair> entries;
  for (const auto& [name, entry] : named) entries.push_back(entry);
  std::span<FieldValue> fields = fields_of(node);
  fields[f::IRModule::functions] = builder_.map(entries);
  return builder_.make(Kind::IRModule, fields);
}

}  // namespace c

Module c_normal_form(const Module& module, const VersionRange& version,
                     const std::map<std::string_view, std::string_view>& new_names) {
  return c::NormalForm(module, version, new_names).make();
}

}  // namespace mlf::tir
