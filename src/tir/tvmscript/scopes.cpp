// Reads statements around others: `with T.…`, or the rest of a suite after the same call; blocks,
// and calls that are lines of a block or a function.
#include <fmt/core.h>

#include <algorithm>

#include "tir/node_queries.h"
#include "tir/tvmscript/function.h"

namespace mlf::tir::tvmscript {

/// `with T.LetStmt(v, T.handle("float32", "global")) as x`, `with T.LetStmt(v, var=x)`
NodeId open_let_scope(Context& c, std::string_view name, const Arguments& args) {
  args.expect(1, 2, {"type_annotation", "var"});
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
    var = scope_var(c, name, type);
  }
  c.fn->frames.add_scope(Kind::LetStmt, {var, value, NodeId::none});
  return var;
}

/// `T.attr(node, "key", value)`: the node is an expression, a buffer, an iteration variable or
/// None.
NodeId open_attr(Context& c, std::string_view, const Arguments& args) {
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
  c.fn->frames.add_scope(Kind::AttrStmt, {node, c.builder.string(key), value, NodeId::none});
  return NodeId::none;
}

namespace {

/// The tag of a variable that was defined before its thread. Outside of the thread, only its name
/// shows the tag.
std::string_view thread_tag(Context& c, const Value& value, NodeId var) {
  constexpr std::string_view kTags[] = {"blockIdx.x",  "blockIdx.y",  "blockIdx.z", "threadIdx.x",
                                        "threadIdx.y", "threadIdx.z", "vthread.x",  "vthread.y",
                                        "vthread.z",   "vthread",     "cthread"};
  if (const auto known = c.fn->thread_tags.find(var); known != c.fn->thread_tags.end()) {
    return known->second;
  }
  const std::string_view name = c.values.text(value);
  const auto* const tag = std::ranges::find_if(kTags, [&](std::string_view candidate) {
    return std::ranges::equal(name, candidate,
                              [](char a, char b) { return a == b || (a == '_' && b == '.'); });
  });
  if (tag == std::end(kTags)) {
    c.values.fail(value, fmt::format("'{}' is not a T.env_thread", name));
  }
  return *tag;
}

/// Separate regions, or a list of them.
std::vector<NodeId> as_regions(Context& c, const Arguments& args) {
  std::vector<NodeId> nodes;
  for (const Value& argument : args.positional()) {
    for (const NodeId region : each(c, argument, as_region)) nodes.push_back(region);
  }
  return nodes;
}

}  // namespace

/// `tx = T.launch_thread("threadIdx.x", 32)`, `T.launch_thread(tx, 32)`
NodeId open_launch_thread(Context& c, std::string_view name, const Arguments& args) {
  args.expect(2, 2);
  const NodeId extent = as_expr(c, args[1]);
  const DType dtype = c.make.dtype_of(extent);
  NodeId var = NodeId::none;
  std::string_view tag;
  if (args[0].kind == ValueKind::string) {
    tag = as_string(c, args[0]);
    var = scope_var(c, name, c.make.prim_type(dtype));
  } else {
    var = as_var(c, args[0]);
    tag = thread_tag(c, args[0], var);
  }
  // The text contains only the tag of the IterVar.
  c.lose(LossCode::thread_iter_var);
  const bool is_virtual = tag == "vthread" || tag.starts_with("vthread.");
  Builder& b = c.builder;
  const NodeId dom = c.make.range_to(extent);
  const NodeId thread = b.make(Kind::IterVar, {dom, var, IterVarType::ThreadIndex, b.string(tag)});
  c.fn->frames.add_scope(
      Kind::AttrStmt,
      {thread, b.string(is_virtual ? "virtual_thread" : "thread_extent"), extent, NodeId::none});
  return var;
}

/// `v = T.allocate([64], "float32", "global", condition, annotations={…})`
NodeId open_allocate(Context& c, std::string_view name, const Arguments& args) {
  args.expect(1, 4, {"extents", "dtype", "scope", "condition", "annotations"});
  const std::vector<NodeId> extents = as_exprs(c, args[0]);
  const DType dtype = as_dtype(c, args.get(1, "dtype"));
  const auto scope = args.find(2, "scope");
  const auto condition = args.find(3, "condition");
  const auto annotations = args.keyword("annotations");
  const std::vector<NamedNode> named =
      annotations ? as_attribute_map(c, *annotations) : std::vector<NamedNode>();
  if (dtype.is_bool()) c.lose(LossCode::pointer_scope);
  const NodeId pointer =
      c.make.pointer_to(stored_dtype(dtype), scope ? as_string(c, *scope) : "global");
  const NodeId var = scope_var(c, name, pointer);
  c.allocations[var] = {Kind::Allocate, dtype, extents};
  const NodeId when = as_condition(c, condition);
  c.fn->frames.add_scope(Kind::Allocate, {var, dtype, c.builder.list(extents), when, NodeId::none,
                                          c.builder.map(named)});
  return var;
}

/// `v = T.allocate_const([…], "float32", [64])`
NodeId open_allocate_const(Context& c, std::string_view name, const Arguments& args) {
  args.expect(1, 3, {"dtype", "extents", "annotations"});
  const auto stated_dtype = args.keyword("dtype");
  const auto stated_extents = args.keyword("extents");
  const std::size_t stated = (stated_dtype ? 1u : 0u) + (stated_extents ? 1u : 0u);
  if (args.size() + stated < 2) args.fail("T.allocate_const needs a dtype and extents");
  // Before v0.12 the data may be missing.
  const std::size_t at = args.size() + stated - 2;
  const DType dtype = as_dtype(c, stated_dtype ? *stated_dtype : args[at]);
  const std::vector<NodeId> extents =
      as_exprs(c, stated_extents ? *stated_extents : args[args.size() - 1]);
  const NodeId data =
      constant_data(c, name, at > 0 ? std::optional(args[0]) : std::nullopt, dtype, extents);
  // irmod_storage_idx and the annotations are not printed.
  c.lose(LossCode::constant_fields);
  const NodeId pointer = c.make.pointer_to(dtype, "global");
  const NodeId var = scope_var(c, name, pointer);
  c.allocations[var] = {Kind::AllocateConst, dtype, extents};
  c.note_dtype_word(var, stated_dtype ? *stated_dtype : args[at]);
  if (at > 0) {
    const text::Syntax& values = c.values.syntax(args[0].syntax);
    c.note_values(var, values.begin, values.end);
  }
  c.fn->frames.add_scope(
      Kind::AllocateConst,
      {var, data, NodeId::none, dtype, c.builder.list(extents), NodeId::none, c.make.no_entries()});
  return var;
}

/// Without `data=` the call also allocates the buffer: TVM combines the two statements.
NodeId open_decl_buffer(Context& c, std::string_view name, const Arguments& args) {
  NodeId buffer = declared(c, name, Kind::Buffer);
  if (buffer == NodeId::none) buffer = buffer_of_line(c, name, args, 0);
  if (!args.find(2, "data")) {
    const Node node = c.node(buffer);
    const std::vector<NodeId> extents = ids_of(node.list(f::Buffer::shape));
    const NodeId data = node[f::Buffer::data].id();
    const DType dtype = node.dtype(f::Buffer::dtype);
    c.fn->frames.add_scope(Kind::Allocate, {data, dtype, c.builder.list(extents), c.make.boolean(1),
                                            NodeId::none, c.make.no_entries()});
  }
  c.fn->frames.add_scope(Kind::DeclBuffer, {buffer, NodeId::none});
  c.fn->frames.define(buffer);
  return buffer;
}

/// `T.realize(A[0:16, 0:4], "scope", condition=c)`: the scope is an attribute around it.
NodeId open_realize(Context& c, std::string_view, const Arguments& args) {
  args.expect(1, 3, {"storage_scope", "condition"});
  const Value region = args[0];
  if (region.kind != ValueKind::access || region.node == NodeId::none) {
    fail_expected(c, region, "a region of a buffer");
  }
  const std::vector<NodeId> bounds = as_ranges(c, region);
  const NodeId when = as_condition(c, args.find(2, "condition"));
  if (const auto scope = args.find(1, "storage_scope")) {
    c.fn->frames.add_scope(Kind::AttrStmt, {region.node, c.builder.string("realize_scope"),
                                            c.make.string_imm(as_string(c, *scope)), NodeId::none});
  }
  c.fn->frames.add_scope(Kind::BufferRealize,
                         {region.node, c.builder.list(bounds), when, NodeId::none});
  return NodeId::none;
}

/// `with T.ProducerRealize(P[0:16], condition)`
NodeId open_producer_realize(Context& c, std::string_view, const Arguments& args) {
  args.expect(1, 2);
  const Value region = args[0];
  if (region.kind != ValueKind::access || region.node != NodeId::none) {
    fail_expected(c, region, "a region of a producer");
  }
  c.lose(LossCode::producer_scope);
  const NodeId producer = as_producer(c, region);
  const std::vector<NodeId> bounds = as_ranges(c, region);
  const NodeId when = as_condition(c, args.find(1, "condition"));
  c.fn->frames.add_scope(Kind::ProducerRealize,
                         {producer, c.builder.list(bounds), when, NodeId::none, StringId::none});
  return NodeId::none;
}

void open_scope(Context& c, const Form& form, std::string_view name, SyntaxId call, Reach reach) {
  const Arguments args = arguments_of(c, call);
  note_version(c, form);
  open_frame(c, FrameKind::scoped, reach);
  if (form.name_reader != nullptr) return bind(c, name, form.name_reader(c, name, args));
  const std::vector<FieldValue> fields = read_fields(c, form, args);
  c.fn->frames.add_scope(form.kind, fields);
}

void add_assert(Context& c, NodeId condition, NodeId message) {
  c.fn->frames.add_scope(Kind::AssertStmt, {condition, message, NodeId::none});
}

// --- Blocks ------------------------------------------------------------------------------------

OpenBlock& block_of(Context& c, const Arguments& args) {
  if (c.fn->frames.blocks().empty()) {
    args.fail(fmt::format("{} is outside of a block", args.callee()));
  }
  return c.fn->frames.blocks().back();
}

void open_block(Context& c, const Arguments& args) {
  args.expect(0, 1, {"no_realize"});
  OpenBlock block;
  if (args.size() > 0) block.name = as_string(c, args[0]);
  const auto no_realize = args.keyword("no_realize");
  if (no_realize && as_boolean(c, *no_realize)) block.realize = text::BlockDraft::Realize::no;
  open_frame(c, FrameKind::block, Reach::own_suite);
  c.fn->frames.open_block(std::move(block));
}

void open_root_block(Context& c) {
  c.lose(LossCode::root_block);
  open_frame(c, FrameKind::block, Reach::rest_of_suite);
  OpenBlock root;
  root.name = "root";
  c.fn->frames.open_block(std::move(root));
}

void open_init(Context& c, const Arguments& args) {
  args.expect(0, 0);
  block_of(c, args);
  open_frame(c, FrameKind::init, Reach::own_suite);
}

// --- Lines -------------------------------------------------------------------------------------

/// Combines attributes of several lines, which users write.
void line_func_attr(Context& c, const Arguments& args) {
  args.expect(1, 1);
  c.fn->draft.states_attrs = true;
  add_attributes(c, args[0], c.fn->draft.attrs, c.fn->draft.attr_names);
}

/// A match_buffer whose buffer is not used.
void line_match_buffer(Context& c, const Arguments& args) {
  define_match_buffer(c, "buffer", args);
}

/// `T.preflattened_buffer(A, [4, 4], dtype="float32", data=A.data)`: the buffer of a parameter
/// before it was flattened.
void line_preflattened_buffer(Context& c, const Arguments& args) {
  args.expect(2, SIZE_MAX);
  const NodeId flat = as_buffer(c, args[0]);
  const auto mapped = std::ranges::find(c.fn->draft.buffer_map, flat, &NodePair::value);
  if (mapped == c.fn->draft.buffer_map.end()) {
    c.values.fail(args[0], fmt::format("'{}' is not a parameter of {}", c.values.text(args[0]),
                                       c.fn->draft.name));
  }
  // A separate buffer must name the pointer that it shares with the flat one.
  const NodeId buffer =
      args.keyword("data") ? declare_buffer(c, c.values.text(args[0]), args, 1) : flat;
  c.fn->draft.preflattened_buffer_map.push_back({mapped->key, buffer});
}

/// `T.prefetch(A, [T.Range(0, 64)])`; with other arguments it is the operator of that name.
void line_prefetch(Context& c, const Arguments& args) {
  if (args.size() != 2 || args[1].kind != ValueKind::list) {
    return add_statement(
        c, c.builder.make(Kind::Evaluate, {as_expr(c, lower(c, args.call().syntax))}));
  }
  const NodeId buffer = as_buffer(c, args[0]);
  const std::vector<NodeId> bounds = each(c, args[1], as_range);
  add_statement(c, c.builder.make(Kind::Prefetch, {buffer, c.builder.list(bounds)}));
}

/// `T.buffer_store(A, v, [i, j])`
void line_buffer_store(Context& c, const Arguments& args) {
  args.expect(3, 3);
  const NodeId buffer = as_buffer(c, args[0]);
  const std::vector<NodeId> indices = as_exprs(c, args[2]);
  add_store(c, buffer, indices, args[1]);
}

/// The predicate of the BlockRealize.
void line_where(Context& c, const Arguments& args) {
  args.expect(1, 1);
  block_of(c, args).predicate = as_expr(c, args[0]);
}

void line_reads(Context& c, const Arguments& args) {
  OpenBlock& block = block_of(c, args);
  block.reads = as_regions(c, args);
  block.states_reads = true;
}

void line_writes(Context& c, const Arguments& args) {
  OpenBlock& block = block_of(c, args);
  block.writes = as_regions(c, args);
  block.states_writes = true;
}

void line_block_attr(Context& c, const Arguments& args) {
  args.expect(1, 1);
  auto& block = block_of(c, args);
  add_attributes(c, args[0], block.annotations, block.annotation_names);
}

void read_line(Context& c, const Form& form, const Arguments& args) {
  note_version(c, form);
  if (form.read_line != nullptr) return form.read_line(c, args);
  add_statement(c, c.builder.make(form.kind, read_fields(c, form, args)));
}

}  // namespace mlf::tir::tvmscript
