// Statements, variables and expressions of the normal form.
#include <fmt/format.h>

#include <charconv>

#include "tir/c/expansions.h"
#include "tir/c/normal_form.h"

namespace mlf::tir::c {

// --- Variables, buffers, constants -------------------------------------------------------------

namespace {

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

}  // namespace

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
  if (name == "tir.tvm_access_ptr" && args.size() == 5) return pointer_into(args);
  if (name == "tir.tvm_stack_make_array" && args.size() == 6) plain_array(args);
  const bool is_select = name == "tir.if_then_else" && node.dtype().is_scalar();
  if (is_select && args.size() == 3) {
    return make_.call(make_.op(name), args, make_.dtype_of(args[1]));
  }
  return make_.call(make_.op(name), args, node.dtype());
}

/// Of an access pointer the address is printed, neither how far it reaches nor what for.
NodeId NormalForm::pointer_into(std::span<const NodeId> access) {
  const DType element = make_.dtype_of(access[0]);
  const NodeId buffer = buffer_on(access[1], element);
  const NodeId loaded = make_.buffer_load(buffer, std::array{access[2]});
  return make_.call(make_.op("tir.address_of"), std::array{loaded}, DType::Handle());
}

/// Strides that are none and the zero that has the element type are spelled in several ways.
void NormalForm::plain_array(std::vector<NodeId>& args) {
  if (builder_.node(args[2]).is(Kind::IntImm)) {
    const std::array zero = {make_.int_imm(DType::UInt(64), 0)};
    args[2] = make_.call(make_.op("tir.reinterpret"), zero, DType::Handle());
  }
  if (builder_.node(args[3]).is(Kind::IntImm)) {
    args[3] = make_.int_imm(DType::UInt(32), builder_.node(args[3]).integer(f::IntImm::value));
  }
  args[4] = make_.cast(make_.dtype_of(args[4]), make_.int32(0));
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

}  // namespace mlf::tir::c
