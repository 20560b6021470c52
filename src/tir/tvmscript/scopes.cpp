// Statements around others: what `with T.…` opens, or the rest of a suite after the same call.
#include <fmt/core.h>

#include <algorithm>

#include "tir/tvmscript/buffers.h"
#include "tir/tvmscript/constants.h"
#include "tir/tvmscript/statements.h"

namespace mlf::tir::tvmscript {

const std::unordered_map<std::string_view, Statements::Opener>& Statements::openers() {
  using S = Statements;
  static const std::unordered_map<std::string_view, Opener> table{
      {"LetStmt", &S::open_let},
      {"let", &S::open_old_let},
      {"attr", &S::open_attr},
      {"launch_thread", &S::open_launch_thread},
      {"Assert", &S::open_assert},
      {"allocate", &S::open_allocate},
      {"allocate_const", &S::open_allocate_const},
      {"decl_buffer", &S::open_decl_buffer},
      {"realize", &S::open_realize},
      {"ProducerRealize", &S::open_producer_realize},
  };
  return table;
}

/// `with T.LetStmt(v, T.handle("float32", "global")) as x`, `with T.LetStmt(v, var=x)`
NodeId Statements::open_let(std::string_view name, const Arguments& args) {
  args.expect(1, 2);
  args.expect_keywords({"type_annotation", "var"});
  const NodeId value = exprs_.expr(args[0]);
  NodeId var = NodeId::none;
  if (const auto defined = args.keyword("var")) {
    var = exprs_.var(*defined);
  } else {
    const DType dtype = c_.make.dtype_of(value);
    const auto stated = args.find(1, "type_annotation");
    const NodeId type = stated            ? exprs_.type(*stated)
                        : dtype.is_void() ? c_.make.void_type()
                                          : c_.make.prim_type(dtype);
    var = scope_var(name, type);
  }
  frames_.add_scope(Kind::LetStmt, f::LetStmt::body, {var, value, NodeId::none});
  return var;
}

/// `with T.let(x, v)` of the versions before v0.12: x is defined above.
NodeId Statements::open_old_let(std::string_view, const Arguments& args) {
  args.expect(2, 2);
  const NodeId var = exprs_.var(args[0]);
  frames_.add_scope(Kind::LetStmt, f::LetStmt::body, {var, exprs_.expr(args[1]), NodeId::none});
  return NodeId::none;
}

NodeId Statements::open_attr(std::string_view, const Arguments& args) {
  args.expect(3, 3);
  const Value subject = args[0];
  NodeId node = NodeId::none;
  if (subject.kind == ValueKind::string || subject.kind == ValueKind::integer) {
    node = exprs_.expr(subject);
  } else if (subject.kind == ValueKind::access && subject.node != NodeId::none) {
    node = exprs_.expr(subject);
  } else {
    node = exprs_.attribute(subject);
  }
  const std::string_view key = exprs_.string(args[1]);
  const NodeId value = exprs_.expr(args[2]);
  frames_.add_scope(Kind::AttrStmt, f::AttrStmt::body,
                    {node, c_.builder.string(key), value, NodeId::none});
  return NodeId::none;
}

/// The tag of a variable that was defined before its thread. Where it is used outside of the
/// thread, only its name tells.
std::string_view Statements::thread_tag(const Value& value, NodeId var) {
  constexpr std::string_view kTags[] = {"blockIdx.x",  "blockIdx.y",  "blockIdx.z", "threadIdx.x",
                                        "threadIdx.y", "threadIdx.z", "vthread.x",  "vthread.y",
                                        "vthread.z",   "vthread",     "cthread"};
  if (const auto known = thread_tags_.find(index(var)); known != thread_tags_.end()) {
    return known->second;
  }
  const std::string_view name = exprs_.text(value);
  const auto* const tag = std::ranges::find_if(kTags, [&](std::string_view candidate) {
    return std::ranges::equal(name, candidate,
                              [](char a, char b) { return a == b || (a == '_' && b == '.'); });
  });
  if (tag == std::end(kTags)) {
    exprs_.fail(value, fmt::format("'{}' is no T.env_thread", name));
  }
  return *tag;
}

/// `tx = T.launch_thread("threadIdx.x", 32)`, `T.launch_thread(tx, 32)`
NodeId Statements::open_launch_thread(std::string_view name, const Arguments& args) {
  args.expect(2, 2);
  const NodeId extent = exprs_.expr(args[1]);
  const DType dtype = c_.make.dtype_of(extent);
  NodeId var = NodeId::none;
  std::string_view tag;
  if (args[0].kind == ValueKind::string) {
    tag = exprs_.string(args[0]);
    var = scope_var(name, c_.make.prim_type(dtype));
  } else {
    var = exprs_.var(args[0]);
    tag = thread_tag(args[0], var);
  }
  c_.lose(LossCode::thread_iter_var, "launched threads");
  const bool is_virtual = tag == "vthread" || tag.starts_with("vthread.");
  Builder& b = c_.builder;
  const NodeId dom = b.make(Kind::Range, {c_.make.int_imm(dtype, 0), extent});
  const NodeId thread = b.make(Kind::IterVar, {dom, var, IterVarType::ThreadIndex, b.string(tag)});
  frames_.add_scope(
      Kind::AttrStmt, f::AttrStmt::body,
      {thread, b.string(is_virtual ? "virtual_thread" : "thread_extent"), extent, NodeId::none});
  return var;
}

NodeId Statements::open_assert(std::string_view, const Arguments& args) {
  args.expect(2, 2);
  const NodeId condition = exprs_.expr(args[0]);
  add_assert(condition, exprs_.expr(args[1]));
  return NodeId::none;
}

void Statements::add_assert(NodeId condition, NodeId message) {
  frames_.add_scope(Kind::AssertStmt, f::AssertStmt::body, {condition, message, NodeId::none});
}

/// `v = T.allocate([64], "float32", "global", condition, annotations={…})`
NodeId Statements::open_allocate(std::string_view name, const Arguments& args) {
  args.expect(1, 4);
  args.expect_keywords({"extents", "dtype", "scope", "condition", "annotations"});
  const std::vector<NodeId> extents = exprs_.exprs(args[0]);
  const DType dtype = exprs_.dtype(args.get(1, "dtype"));
  const auto scope = args.find(2, "scope");
  const auto condition = args.find(3, "condition");
  const auto annotations = args.keyword("annotations");
  const std::vector<NamedNode> named =
      annotations ? exprs_.attribute_map(*annotations) : std::vector<NamedNode>();
  if (dtype.is_bool()) c_.lose(LossCode::pointer_scope, "pointers to bool");
  const NodeId pointer = c_.make.pointer_type(c_.make.prim_type(stored_dtype(dtype)),
                                              scope ? exprs_.string(*scope) : "global");
  const NodeId var = scope_var(name, pointer);
  c_.allocations[index(var)] = {dtype, extents};
  const NodeId when = condition ? exprs_.expr(*condition) : c_.make.boolean(1);
  frames_.add_scope(
      Kind::Allocate, f::Allocate::body,
      {var, dtype, c_.builder.list(extents), when, NodeId::none, c_.builder.map(named)});
  return var;
}

/// `v = T.allocate_const([…], "float32", [64])`
NodeId Statements::open_allocate_const(std::string_view name, const Arguments& args) {
  args.expect(2, 3);
  args.expect_keywords({"annotations"});
  const std::size_t at = args.size() - 2;  // before v0.12 the data may not be there at all
  const DType dtype = exprs_.dtype(args[at]);
  const std::vector<NodeId> extents = exprs_.exprs(args[at + 1]);
  const NodeId data =
      constant_data(exprs_, name, at > 0 ? std::optional(args[0]) : std::nullopt, dtype, extents);
  c_.lose(LossCode::constant_fields, "constants");
  const NodeId pointer = c_.make.pointer_type(c_.make.prim_type(dtype), "global");
  const NodeId var = scope_var(name, pointer);
  c_.allocations[index(var)] = {dtype, extents};
  frames_.add_scope(Kind::AllocateConst, f::AllocateConst::body,
                    {var, data, NodeId::none, dtype, c_.builder.list(extents), NodeId::none,
                     c_.builder.map(std::span<const NamedNode>())});
  return var;
}

/// Without `data=` the buffer is allocated on the way: TVM merges the two statements into one.
NodeId Statements::open_decl_buffer(std::string_view name, const Arguments& args) {
  NodeId buffer = declared(name, Kind::Buffer);
  if (buffer == NodeId::none) {
    buffer = declare_buffer(exprs_, name, args, 0);
    c_.builder.set_source_range(buffer, {begin_, lexer_.token().begin});
  }
  if (!args.find(2, "data")) {
    const Node node = c_.node(buffer);
    std::vector<NodeId> extents;
    for (const Node extent : node.list(f::Buffer::shape)) extents.push_back(extent.id());
    const NodeId data = node[f::Buffer::data].id();
    const DType dtype = node.dtype(f::Buffer::dtype);
    frames_.add_scope(Kind::Allocate, f::Allocate::body,
                      {data, dtype, c_.builder.list(extents), c_.make.boolean(1), NodeId::none,
                       c_.builder.map(std::span<const NamedNode>())});
  }
  frames_.add_scope(Kind::DeclBuffer, f::DeclBuffer::body, {buffer, NodeId::none});
  return buffer;
}

/// `T.realize(A[0:16, 0:4], "scope", condition=c)`: the scope is an attribute around it.
NodeId Statements::open_realize(std::string_view, const Arguments& args) {
  args.expect(1, 3);
  args.expect_keywords({"storage_scope", "condition"});
  const Value region = args[0];
  if (region.kind != ValueKind::access || region.node == NodeId::none) {
    exprs_.fail_expected(region, "a region of a buffer");
  }
  const std::vector<NodeId> bounds = exprs_.ranges(region);
  const auto condition = args.find(2, "condition");
  const NodeId when = condition ? exprs_.expr(*condition) : c_.make.boolean(1);
  if (const auto scope = args.find(1, "storage_scope")) {
    frames_.add_scope(Kind::AttrStmt, f::AttrStmt::body,
                      {region.node, c_.builder.string("realize_scope"),
                       c_.make.string_imm(exprs_.string(*scope)), NodeId::none});
  }
  frames_.add_scope(Kind::BufferRealize, f::BufferRealize::body,
                    {region.node, c_.builder.list(bounds), when, NodeId::none});
  return NodeId::none;
}

/// `with T.ProducerRealize(P[0:16], condition)`
NodeId Statements::open_producer_realize(std::string_view, const Arguments& args) {
  args.expect(1, 2);
  const Value region = args[0];
  if (region.kind != ValueKind::access || region.node != NodeId::none) {
    exprs_.fail_expected(region, "a region of a producer");
  }
  c_.lose(LossCode::producer_scope, exprs_.text(region));
  const NodeId producer = exprs_.producer(region);
  const std::vector<NodeId> bounds = exprs_.ranges(region);
  const NodeId when = args.size() > 1 ? exprs_.expr(args[1]) : c_.make.boolean(1);
  frames_.add_scope(Kind::ProducerRealize, f::ProducerRealize::body,
                    {producer, c_.builder.list(bounds), when, NodeId::none, StringId::none});
  return NodeId::none;
}

}  // namespace mlf::tir::tvmscript
