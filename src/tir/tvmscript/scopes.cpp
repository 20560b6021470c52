#include "tir/tvmscript/scopes.h"

#include <fmt/core.h>

#include <algorithm>

#include "tir/tvmscript/accesses.h"
#include "tir/tvmscript/attributes.h"
#include "tir/tvmscript/buffers.h"
#include "tir/tvmscript/calls.h"
#include "tir/tvmscript/constants.h"
#include "tir/tvmscript/conversions.h"
#include "tir/tvmscript/read_forms.h"
#include "tir/tvmscript/types.h"

namespace mlf::tir::tvmscript {
namespace {

/// `with T.LetStmt(v, T.handle("float32", "global")) as x`, `with T.LetStmt(v, var=x)`
NodeId open_let_scope(FunctionContext& fn, std::string_view name, const Arguments& args) {
  Context& c = fn.c;
  args.expect(1, 2);
  args.expect_keywords({"type_annotation", "var"});
  const NodeId value = as_expr(c, args[0]);
  NodeId var = NodeId::none;
  if (const auto defined = args.keyword("var")) {
    var = as_var(c, *defined);
  } else {
    const DType dtype = c.make.dtype_of(value);
    const auto stated = args.find(1, "type_annotation");
    const NodeId type = stated            ? as_type(c, *stated)
                        : dtype.is_void() ? c.make.void_type()
                                          : c.make.prim_type(dtype);
    var = scope_var(fn, name, type);
  }
  fn.frames.add_scope(Kind::LetStmt, f::LetStmt::body, {var, value, NodeId::none});
  return var;
}

/// `T.attr(node, "key", value)`: the node is an expression, a buffer, an iteration variable or
/// None.
NodeId open_attr(FunctionContext& fn, std::string_view, const Arguments& args) {
  Context& c = fn.c;
  args.expect(3, 3);
  const Value subject = args[0];
  NodeId node = NodeId::none;
  if (subject.kind == ValueKind::string || subject.kind == ValueKind::integer) {
    node = as_expr(c, subject);
  } else if (subject.kind == ValueKind::access && subject.node != NodeId::none) {
    node = as_expr(c, subject);
  } else {
    node = as_attribute(c, subject);
  }
  const std::string_view key = as_string(c, args[1]);
  const NodeId value = as_expr(c, args[2]);
  fn.frames.add_scope(Kind::AttrStmt, f::AttrStmt::body,
                      {node, c.builder.string(key), value, NodeId::none});
  return NodeId::none;
}

/// The tag of a variable that was defined before its thread. Where it is used outside of the
/// thread, only its name tells.
std::string_view thread_tag(FunctionContext& fn, const Value& value, NodeId var) {
  constexpr std::string_view kTags[] = {"blockIdx.x",  "blockIdx.y",  "blockIdx.z", "threadIdx.x",
                                        "threadIdx.y", "threadIdx.z", "vthread.x",  "vthread.y",
                                        "vthread.z",   "vthread",     "cthread"};
  if (const auto known = fn.thread_tags.find(index(var)); known != fn.thread_tags.end()) {
    return known->second;
  }
  const std::string_view name = fn.c.values.text(value);
  const auto* const tag = std::ranges::find_if(kTags, [&](std::string_view candidate) {
    return std::ranges::equal(name, candidate,
                              [](char a, char b) { return a == b || (a == '_' && b == '.'); });
  });
  if (tag == std::end(kTags)) {
    fn.c.values.fail(value, fmt::format("'{}' is not a T.env_thread", name));
  }
  return *tag;
}

/// `tx = T.launch_thread("threadIdx.x", 32)`, `T.launch_thread(tx, 32)`
NodeId open_launch_thread(FunctionContext& fn, std::string_view name, const Arguments& args) {
  Context& c = fn.c;
  args.expect(2, 2);
  const NodeId extent = as_expr(c, args[1]);
  const DType dtype = c.make.dtype_of(extent);
  NodeId var = NodeId::none;
  std::string_view tag;
  if (args[0].kind == ValueKind::string) {
    tag = as_string(c, args[0]);
    var = scope_var(fn, name, c.make.prim_type(dtype));
  } else {
    var = as_var(c, args[0]);
    tag = thread_tag(fn, args[0], var);
  }
  // Of the IterVar only the tag is printed.
  c.lose(LossCode::thread_iter_var);
  const bool is_virtual = tag == "vthread" || tag.starts_with("vthread.");
  Builder& b = c.builder;
  const NodeId dom = b.make(Kind::Range, {c.make.int_imm(dtype, 0), extent});
  const NodeId thread = b.make(Kind::IterVar, {dom, var, IterVarType::ThreadIndex, b.string(tag)});
  fn.frames.add_scope(
      Kind::AttrStmt, f::AttrStmt::body,
      {thread, b.string(is_virtual ? "virtual_thread" : "thread_extent"), extent, NodeId::none});
  return var;
}

/// `v = T.allocate([64], "float32", "global", condition, annotations={…})`
NodeId open_allocate(FunctionContext& fn, std::string_view name, const Arguments& args) {
  Context& c = fn.c;
  args.expect(1, 4);
  args.expect_keywords({"extents", "dtype", "scope", "condition", "annotations"});
  const std::vector<NodeId> extents = as_exprs(c, args[0]);
  const DType dtype = as_dtype(c, args.get(1, "dtype"));
  const auto scope = args.find(2, "scope");
  const auto condition = args.find(3, "condition");
  const auto annotations = args.keyword("annotations");
  const std::vector<NamedNode> named =
      annotations ? as_attribute_map(c, *annotations) : std::vector<NamedNode>();
  if (dtype.is_bool()) c.lose(LossCode::pointer_scope);
  const NodeId pointer = c.make.pointer_type(c.make.prim_type(stored_dtype(dtype)),
                                             scope ? as_string(c, *scope) : "global");
  const NodeId var = scope_var(fn, name, pointer);
  c.allocations[index(var)] = {Kind::Allocate, dtype, extents};
  const NodeId when = condition ? as_expr(c, *condition) : c.make.boolean(1);
  fn.frames.add_scope(
      Kind::Allocate, f::Allocate::body,
      {var, dtype, c.builder.list(extents), when, NodeId::none, c.builder.map(named)});
  return var;
}

/// `v = T.allocate_const([…], "float32", [64])`
NodeId open_allocate_const(FunctionContext& fn, std::string_view name, const Arguments& args) {
  Context& c = fn.c;
  args.expect(2, 3);
  args.expect_keywords({"annotations"});
  const std::size_t at = args.size() - 2;  // before v0.12 the data may not be there at all
  const DType dtype = as_dtype(c, args[at]);
  const std::vector<NodeId> extents = as_exprs(c, args[at + 1]);
  const NodeId data =
      constant_data(c, name, at > 0 ? std::optional(args[0]) : std::nullopt, dtype, extents);
  // irmod_storage_idx and the annotations are not printed.
  c.lose(LossCode::constant_fields);
  const NodeId pointer = c.make.pointer_type(c.make.prim_type(dtype), "global");
  const NodeId var = scope_var(fn, name, pointer);
  c.allocations[index(var)] = {Kind::AllocateConst, dtype, extents};
  fn.frames.add_scope(Kind::AllocateConst, f::AllocateConst::body,
                      {var, data, NodeId::none, dtype, c.builder.list(extents), NodeId::none,
                       c.builder.map(std::span<const NamedNode>())});
  return var;
}

/// Without `data=` the buffer is allocated on the way: TVM merges the two statements into one.
NodeId open_decl_buffer(FunctionContext& fn, std::string_view name, const Arguments& args) {
  Context& c = fn.c;
  NodeId buffer = declared(fn, name, Kind::Buffer);
  if (buffer == NodeId::none) {
    buffer = declare_buffer(c, name, args, 0);
    c.builder.set_source_range(buffer, {fn.line_begin, c.lexer.token().begin});
  }
  if (!args.find(2, "data")) {
    const Node node = c.node(buffer);
    std::vector<NodeId> extents;
    for (const Node extent : node.list(f::Buffer::shape)) extents.push_back(extent.id());
    const NodeId data = node[f::Buffer::data].id();
    const DType dtype = node.dtype(f::Buffer::dtype);
    fn.frames.add_scope(Kind::Allocate, f::Allocate::body,
                        {data, dtype, c.builder.list(extents), c.make.boolean(1), NodeId::none,
                         c.builder.map(std::span<const NamedNode>())});
  }
  fn.frames.add_scope(Kind::DeclBuffer, f::DeclBuffer::body, {buffer, NodeId::none});
  return buffer;
}

/// `T.realize(A[0:16, 0:4], "scope", condition=c)`: the scope is an attribute around it.
NodeId open_realize(FunctionContext& fn, std::string_view, const Arguments& args) {
  Context& c = fn.c;
  args.expect(1, 3);
  args.expect_keywords({"storage_scope", "condition"});
  const Value region = args[0];
  if (region.kind != ValueKind::access || region.node == NodeId::none) {
    fail_expected(c, region, "a region of a buffer");
  }
  const std::vector<NodeId> bounds = as_ranges(c, region);
  const auto condition = args.find(2, "condition");
  const NodeId when = condition ? as_expr(c, *condition) : c.make.boolean(1);
  if (const auto scope = args.find(1, "storage_scope")) {
    fn.frames.add_scope(Kind::AttrStmt, f::AttrStmt::body,
                        {region.node, c.builder.string("realize_scope"),
                         c.make.string_imm(as_string(c, *scope)), NodeId::none});
  }
  fn.frames.add_scope(Kind::BufferRealize, f::BufferRealize::body,
                      {region.node, c.builder.list(bounds), when, NodeId::none});
  return NodeId::none;
}

/// `with T.ProducerRealize(P[0:16], condition)`
NodeId open_producer_realize(FunctionContext& fn, std::string_view, const Arguments& args) {
  Context& c = fn.c;
  args.expect(1, 2);
  const Value region = args[0];
  if (region.kind != ValueKind::access || region.node != NodeId::none) {
    fail_expected(c, region, "a region of a producer");
  }
  c.lose(LossCode::producer_scope);
  const NodeId producer = as_producer(c, region);
  const std::vector<NodeId> bounds = as_ranges(c, region);
  const NodeId when = args.size() > 1 ? as_expr(c, args[1]) : c.make.boolean(1);
  fn.frames.add_scope(Kind::ProducerRealize, f::ProducerRealize::body,
                      {producer, c.builder.list(bounds), when, NodeId::none, StringId::none});
  return NodeId::none;
}

/// Adds the scope that a call opens to the innermost frame; gives what `name` refers to in it.
using ScopeReader = NodeId (*)(FunctionContext& fn, std::string_view name, const Arguments& args);

/// By the position of the form; null for regular ones and those of other places.
constexpr ScopeReader kScopeReaders[] = {
#define MLF_READER_scope(reader) open_##reader
#include "tir/tvmscript/form_readers.def"
};

/// A statement around the rest of its frame whose fields are the arguments of the call.
void add_regular_scope(FunctionContext& fn, const Form& form, const Arguments& args) {
  const std::vector<FieldValue> fields = read_fields(fn.c, form, args);
  fn.frames.add_scope(form.kind, *field_named(form.kind, "body"), fields);
}

}  // namespace

void open_scope(FunctionContext& fn, const Form& form, std::string_view name, text::SyntaxId call,
                Reach reach) {
  const Arguments args = arguments_of(fn.c, call);
  note_version(fn.c, form);
  open_frame(fn, FrameKind::scoped, reach);
  if (const ScopeReader reader = kScopeReaders[position_of(form)]) {
    bind(fn, name, reader(fn, name, args));
  } else {
    add_regular_scope(fn, form, args);
  }
}

void add_assert(FunctionContext& fn, NodeId condition, NodeId message) {
  fn.frames.add_scope(Kind::AssertStmt, f::AssertStmt::body, {condition, message, NodeId::none});
}

}  // namespace mlf::tir::tvmscript
