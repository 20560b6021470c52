// A module as generated C can say it: what two of them have in common where one is captured before
// the host passes and the other was read from their output.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>
#include <vector>

#include "mlf/tir/c.h"
#include "mlf/tir/visit.h"
#include "tir/c/expansions.h"
#include "tir/c/language.h"
#include "tir/text/expr_factory.h"

namespace mlf::tir {
namespace c {
namespace {

class NormalForm {
 public:
  NormalForm(const Module& module, const VersionRange& version)
      : module_(module),
        ternary_(ternary_of(version)),
        make_(builder_, losses_),
        map_(module.size()) {}

  Module make() &&;

 private:
  NodeId of(Node node);
  NodeId body_of(Node statement);
  void leave(Node node) { map_[index(node.id())] = rebuilt(node); }
  NodeId rebuilt(Node node);
  NodeId rebuilt_statement(Node node);
  NodeId rebuilt_expr(Node node);
  NodeId copy(Node node);
  FieldValue field(Node node, std::uint8_t i);

  NodeId variable(Node node);
  NodeId buffer(Node node);
  NodeId buffer_on(NodeId data, DType dtype);
  NodeId load(Node node);
  NodeId store(Node node);
  NodeId sequence(Node node);
  void splice(NodeId statement, std::vector<NodeId>& into);
  NodeId joined(std::vector<NodeId>& statements);
  NodeId governing(NodeId let, std::vector<NodeId> rest);
  NodeId joined_once(std::span<const NodeId> statements);
  NodeId loop(Node node);
  NodeId allocate(Node node);
  NodeId call(Node node);
  NodeId float_imm(Node node);
  NodeId function(Node node);
  ListId buffer_map(Node function);
  NodeId pool_args(Node attrs);
  NodeId pool(Node allocated);
  NodeId array(Node node);
  NodeId root(Node node);
  NodeId nothing() { return builder_.make(Kind::Evaluate, {make_.int32(0)}); }
  ListId mapped(NodeList list);

  const Module& module_;
  Ternary ternary_;
  Builder builder_;
  LossLog losses_;
  text::ExprFactory make_;
  std::vector<NodeId> map_;
  std::unordered_map<std::uint32_t, Node> lets_;  // variables of Let: what they stand for
  std::map<std::pair<NodeId, std::uint32_t>, NodeId> buffers_;
  std::unordered_map<std::uint32_t, std::vector<Node>>
      constants_;  // of each function, outermost first
};

Module NormalForm::make() && {
  const Node root = module_.root();
  NodeId function = NodeId::none;
  for_each_pre_order(root, [&](Node node) {
    if (node.is(Kind::Let)) lets_[index(node[f::Let::var].id())] = node[f::Let::value];
    if (node.is(Kind::PrimFunc)) function = node.id();
    if (node.is(Kind::AllocateConst)) constants_[index(function)].push_back(node);
  });
  for_each_post_order(root, [&](Node node) { leave(node); });
  return std::move(builder_).finish(of(root));
}

/// What a node of the original became.
NodeId NormalForm::of(Node node) {
  if (!node) return NodeId::none;
  auto let = lets_.find(index(node.id()));
  while (let != lets_.end()) {
    node = let->second;
    let = lets_.find(index(node.id()));
  }
  return map_[index(node.id())];
}

NodeId NormalForm::body_of(Node statement) {
  const NodeId body = of(statement);
  return body == NodeId::none ? nothing() : body;
}

ListId NormalForm::mapped(NodeList list) {
  if (!list.defined()) return ListId::none;
  std::vector<NodeId> ids;
  for (const Node node : list) ids.push_back(of(node));
  return builder_.list(ids);
}

FieldValue NormalForm::field(Node node, std::uint8_t i) {
  const FieldInfo& info = node.info().fields[i];
  switch (info.type) {
    case FieldType::node:
      return info.expects == Expects::stmt && node.node(i) ? body_of(node.node(i))
                                                           : of(node.node(i));
    case FieldType::list:
      return mapped(node.list(i));
    case FieldType::string_map: {
      const NodeMap map = node.map(i);
      std::vector<NamedNode> entries;
      for (std::size_t k = 0; k < map.size(); ++k) {
        entries.push_back({builder_.string(map.name(k)), of(map.value(k))});
      }
      return map.defined() ? builder_.map(entries) : ListId::none;
    }
    case FieldType::node_map: {
      const NodeMap map = node.map(i);
      std::vector<NodePair> entries;
      for (std::size_t k = 0; k < map.size(); ++k) {
        entries.push_back({of(map.key(k)), of(map.value(k))});
      }
      return map.defined() ? builder_.map(entries) : ListId::none;
    }
    case FieldType::string:
      return node.has_text(i) ? builder_.string(node.text(i)) : StringId::none;
    case FieldType::real:
      return node.real(i);
    case FieldType::dtype:
      return node.dtype(i);
    case FieldType::integers:
      return builder_.integers(node.integers(i));
    case FieldType::bytes: {
      const auto data = node.bytes(i);
      if (!data) return BytesId::none;
      return builder_.bytes(std::vector<std::byte>(data->begin(), data->end()));
    }
    default:
      return node.integer(i);
  }
}

NodeId NormalForm::copy(Node node) {
  std::vector<FieldValue> fields;
  for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) fields.push_back(field(node, i));
  return builder_.make(node.kind(), fields);
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
      return node.is(Kind::GlobalVar) ? make_.global_var(node.text(f::GlobalVar::name_hint))
                                      : copy(node);
  }
}

// --- Variables, buffers, constants -------------------------------------------------------------

/// Names as C spells them, without what makes them unique.
std::string bare_name(std::string_view name) {
  std::string bare(name);
  for (char& c : bare) {
    const bool is_legal =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!is_legal) c = '_';
  }
  const std::size_t last = bare.find_last_not_of("0123456789_");
  return last == std::string::npos ? std::string() : bare.substr(0, last + 1);
}

/// Scalar variables keep their type; what a pointer points to shows where it is used.
NodeId NormalForm::variable(Node node) {
  const DType dtype = node.dtype();
  const NodeId type = dtype.is_handle() ? NodeId::none : make_.prim_type(dtype);
  return builder_.make(Kind::Var,
                       {dtype, builder_.string(bare_name(node.text(f::Var::name))), type});
}

NodeId NormalForm::buffer_on(NodeId data, DType dtype) {
  const auto [found, is_new] = buffers_.try_emplace({data, dtype.packed()});
  if (is_new) {
    found->second = make_.buffer({.name = {}, .data = data, .dtype = dtype});
  }
  return found->second;
}

/// All buffers on a pointer that hold the same are one, without shape; bool is stored in bytes.
NodeId NormalForm::buffer(Node node) {
  const DType dtype = node.dtype(f::Buffer::dtype);
  return buffer_on(of(node[f::Buffer::data]), dtype.is_bool() ? DType::Int(8) : dtype);
}

/// Constants are flat.
NodeId NormalForm::array(Node node) {
  std::int64_t count = 1;
  for (const std::int64_t size : node.integers(f::NDArray::shape)) count *= size;
  const auto data = node.bytes(f::NDArray::data);
  const BytesId bytes =
      data ? builder_.bytes(std::vector<std::byte>(data->begin(), data->end())) : BytesId::none;
  return builder_.make(Kind::NDArray, {node.dtype(f::NDArray::dtype),
                                       builder_.integers(std::span(&count, 1)), bytes});
}

// --- Expressions -------------------------------------------------------------------------------

NodeId NormalForm::rebuilt_expr(Node node) {
  switch (node.kind()) {
    case Kind::Var:
    case Kind::SizeVar:
      return variable(node);
    case Kind::Let:
      return of(node[f::Let::body]);
    case Kind::Cast:
      return node.dtype() == node[f::Cast::value].dtype() ? of(node[f::Cast::value]) : copy(node);
    case Kind::FloatImm:
      return float_imm(node);
    case Kind::BufferLoad:
      return load(node);
    case Kind::Select:
      if (ternary_ == Ternary::select) return copy(node);
      return make_.call(make_.op("tir.if_then_else"),
                        std::array{of(node[f::Select::condition]), of(node[f::Select::true_value]),
                                   of(node[f::Select::false_value])},
                        node.dtype());
    case Kind::Call:
      return call(node);
    default:
      return copy(node);
  }
}

/// Seven digits are printed.
NodeId NormalForm::float_imm(Node node) {
  const std::string printed = fmt::format("{:.6e}", node.real(f::FloatImm::value));
  double value = node.real(f::FloatImm::value);
  std::from_chars(printed.data(), printed.data() + printed.size(), value);
  return make_.float_imm(node.dtype(), value);
}

NodeId NormalForm::load(Node node) {
  const NodeId buffer = of(node[f::BufferLoad::buffer]);
  std::vector<NodeId> indices;
  for (const Node i : node.list(f::BufferLoad::indices)) indices.push_back(of(i));
  const NodeId loaded = make_.buffer_load(buffer, indices);
  return node.dtype().is_bool() ? make_.cast(DType::Bool(), loaded) : loaded;
}

NodeId NormalForm::call(Node node) {
  const Node op = node[f::Call::op];
  if (!op.is(Kind::Op)) return copy(node);
  std::string_view name = op.text(f::Op::name);
  std::vector<NodeId> args;
  for (const Node arg : node.list(f::Call::args)) args.push_back(of(arg));
  if (const auto expanded = expand(make_, name, node.dtype(), args, ternary_)) return *expanded;
  if (name == "tir.call_pure_extern") name = "tir.call_extern";
  const bool is_select = name == "tir.if_then_else" && node.dtype().is_scalar();
  if (is_select && args.size() == 3) {
    return make_.call(make_.op(name), args, make_.dtype_of(args[1]));
  }
  return make_.call(make_.op(name), args, node.dtype());
}

// --- Statements --------------------------------------------------------------------------------

NodeId NormalForm::rebuilt_statement(Node node) {
  switch (node.kind()) {
    case Kind::AttrStmt:
      return of(node[f::AttrStmt::body]);
    case Kind::AssertStmt:
      return of(node[f::AssertStmt::body]);
    case Kind::DeclBuffer:
      return of(node[f::DeclBuffer::body]);
    case Kind::AllocateConst:
      return of(node[f::AllocateConst::body]);
    case Kind::Evaluate:
      return node[f::Evaluate::value].is(Kind::IntImm) ? NodeId::none : copy(node);
    case Kind::SeqStmt:
      return sequence(node);
    case Kind::BufferStore:
      return store(node);
    case Kind::For:
      return loop(node);
    case Kind::Allocate:
      return allocate(node);
    case Kind::IfThenElse:
      return builder_.make(Kind::IfThenElse, {of(node[f::IfThenElse::condition]),
                                              body_of(node[f::IfThenElse::then_case]),
                                              of(node[f::IfThenElse::else_case])});
    default:
      return copy(node);
  }
}

/// Nested sequences are one; a sequence of one is its statement, one of none is nothing.
NodeId NormalForm::sequence(Node node) {
  std::vector<NodeId> statements;
  for (const Node part : node.list(f::SeqStmt::seq)) splice(of(part), statements);
  return joined(statements);
}

void NormalForm::splice(NodeId statement, std::vector<NodeId>& into) {
  if (statement == NodeId::none) return;
  const Node made = builder_.node(statement);
  if (!made.is(Kind::SeqStmt)) return into.push_back(statement);
  for (const Node element : made.list(f::SeqStmt::seq)) into.push_back(element.id());
}

/// A sequence in which variables that are set govern all that follows.
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

/// `let` with `rest` at the end of what it governs, behind other variables set at its end.
NodeId NormalForm::governing(NodeId let, std::vector<NodeId> rest) {
  struct Outer {
    NodeId let;
    std::vector<NodeId> before;  // its body, up to the statement that governs the rest
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

NodeId NormalForm::store(Node node) {
  const NodeId buffer = of(node[f::BufferStore::buffer]);
  NodeId value = of(node[f::BufferStore::value]);
  if (node[f::BufferStore::value].dtype().is_bool()) value = make_.cast(DType::Int(8), value);
  return builder_.make(Kind::BufferStore,
                       {buffer, value, mapped(node.list(f::BufferStore::indices)), NodeId::none});
}

NodeId NormalForm::loop(Node node) {
  const ListId none = builder_.map(std::span<const NamedNode>());
  return builder_.make(Kind::For,
                       {of(node[f::For::loop_var]), of(node[f::For::min]), of(node[f::For::extent]),
                        ForKind::serial, body_of(node[f::For::body]), NodeId::none, none});
}

/// The size is one number.
NodeId NormalForm::allocate(Node node) {
  std::int64_t count = 1;
  for (const Node extent : node.list(f::Allocate::extents)) {
    if (!extent.is(Kind::IntImm)) return copy(node);
    count *= extent.integer(f::IntImm::value);
  }
  const ListId none = builder_.map(std::span<const NamedNode>());
  return builder_.make(Kind::Allocate,
                       {of(node[f::Allocate::buffer_var]), node.dtype(f::Allocate::dtype),
                        builder_.list({make_.int32(count)}), of(node[f::Allocate::condition]),
                        body_of(node[f::Allocate::body]), none});
}

// --- Functions ---------------------------------------------------------------------------------

/// Of a pool: its name, its size and the constants in it.
NodeId NormalForm::pool(Node allocated) {
  const Node info = allocated[f::AllocatedPoolInfo::pool_info];
  std::vector<NodeId> constants;
  if (info.is(Kind::ConstantPoolInfo)) {
    for (const Node constant : info.list(f::ConstantPoolInfo::constant_info_array)) {
      constants.push_back(of(constant));
    }
    const auto offset = [&](NodeId id) {
      const Node at = builder_.node(id)[f::ConstantInfo::byte_offset];
      return at.is(Kind::IntImm) ? at.integer(f::IntImm::value) : 0;
    };
    std::ranges::sort(constants, {}, offset);
  }
  const std::array fields = {
      NamedNode{builder_.string("name"), make_.string(info.text(f::PoolInfo::pool_name))},
      NamedNode{builder_.string("size"), of(allocated[f::AllocatedPoolInfo::allocated_size])},
      NamedNode{builder_.string("parameter"), of(allocated[f::AllocatedPoolInfo::pool_var_idx])},
      NamedNode{builder_.string("constants"),
                builder_.make(Kind::Array, {builder_.list(constants)})}};
  return builder_.make(Kind::StringMap, {builder_.map(std::span(fields))});
}

NodeId NormalForm::pool_args(Node attrs) {
  const Node pools = attrs ? attrs.map(f::DictAttrs::dict).find("pool_args") : Node();
  if (!pools || !pools.is(Kind::Array)) return NodeId::none;
  if (pools.list(f::Array::elements).empty()) return NodeId::none;
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
  std::vector<NodePair> entries;
  for (const Node param : function.list(f::PrimFunc::params)) {
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (map.key(i) == param) entries.push_back({of(param), of(map.value(i))});
    }
  }
  return builder_.map(entries);
}

NodeId NormalForm::function(Node node) {
  NodeId body = body_of(node[f::PrimFunc::body]);
  const std::vector<Node>& constants = constants_[index(node.id())];
  for (std::size_t i = constants.size(); i > 0; --i) {
    const Node constant = constants[i - 1];
    const NodeId data = of(constant[f::AllocateConst::data]);
    std::int64_t count = 1;
    for (const Node extent : constant.list(f::AllocateConst::extents)) {
      count *= extent.integer(f::IntImm::value);
    }
    const ListId none = builder_.map(std::span<const NamedNode>());
    body =
        builder_.make(Kind::AllocateConst, {of(constant[f::AllocateConst::buffer_var]), data,
                                            NodeId::none, constant.dtype(f::AllocateConst::dtype),
                                            builder_.list({make_.int32(count)}), body, none});
  }
  return builder_.make(Kind::PrimFunc,
                       {mapped(node.list(f::PrimFunc::params)), make_.void_type(), buffer_map(node),
                        ListId::none, pool_args(node[f::PrimFunc::attrs]), body});
}

NodeId NormalForm::root(Node node) {
  const NodeMap functions = node.map(f::IRModule::functions);
  std::vector<std::pair<std::string_view, NodePair>> named;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (!functions.value(i).is(Kind::PrimFunc)) continue;
    named.emplace_back(functions.key(i).text(f::GlobalVar::name_hint),
                       NodePair{of(functions.key(i)), of(functions.value(i))});
  }
  std::ranges::sort(named, {}, &std::pair<std::string_view, NodePair>::first);
  std::vector<NodePair> entries;
  for (const auto& [name, entry] : named) entries.push_back(entry);
  return builder_.make(Kind::IRModule, {builder_.map(entries), NodeId::none, NodeId::none,
                                        NodeId::none, NodeId::none, NodeId::none});
}

}  // namespace
}  // namespace c

Module c_normal_form(const Module& module, const VersionRange& version) {
  return c::NormalForm(module, version).make();
}

}  // namespace mlf::tir
