// Reads a whole function: its head, its suite, the open frames.
#include "tir/tvmscript/function.h"

#include <fmt/core.h>

#include "support/error.h"
#include "tir/tvm_features.h"

namespace mlf::tir::tvmscript {

// --- Frames ------------------------------------------------------------------------------------

/// Frames nest as deep as the source, so they are on their own stack, with a limit.
void Frames::open(Frame frame) {
  if (depth() >= c_.limits.max_nesting) {
    support::fail_at(c_.source, frame.begin,
                     fmt::format("statements nested deeper than {} levels", c_.limits.max_nesting));
  }
  frame.name_mark = c_.names.mark();
  StatementStack::open(frame);
}

void Frames::close(std::uint32_t end) {
  const Frame frame = StatementStack::close();
  const SourceRange range{frame.begin, end};
  NodeId node = take_scopes(frame, take_body(frame), end);
  c_.names.release(frame.name_mark);
  switch (frame.kind) {
    case FrameKind::then_branch:
    case FrameKind::else_branch:
      node = make_branches(frame, node);
      break;
    case FrameKind::block:
      node = close_block(node);
      break;
    case FrameKind::init:
      // The init of a block is not one of its statements.
      blocks_.back().init = node;
      return;
    default:
      break;
  }
  // The stack sets the range of a scope.
  if (frame.kind != FrameKind::scoped) c_.builder.set_source_range(node, range);
  add(node);
}

void Frames::open_block(OpenBlock block) {
  block.first_definition = definitions_ + 1;
  blocks_.push_back(std::move(block));
}

NodeId Frames::close_block(NodeId body) {
  const OpenBlock block = std::move(blocks_.back());
  blocks_.pop_back();
  const NodeId made = c_.make.block(block, body);
  const Node node = c_.node(made);
  if (node.is(Kind::BlockRealize)) has_realized_block_ = true;
  if (!block.states_reads || !block.states_writes) {
    const NodeId id = node.is(Kind::BlockRealize) ? node[f::BlockRealize::block].id() : made;
    incomplete_.push_back(
        {id, block.first_definition, block.states_reads, block.states_writes, blocks_.empty()});
  }
  return made;
}

void Frames::define(NodeId buffer) {
  const NodeId data = c_.node(buffer)[f::Buffer::data].id();
  accessible_.try_emplace(data, BufferDefinition{++definitions_, buffer});
}

void Frames::define_outside(NodeId buffer) {
  accessible_[c_.node(buffer)[f::Buffer::data].id()] = {0, buffer};
}

/// ScriptComplete of src/tir/ir/script/script_complete.cc. The outermost block keeps the reads and
/// writes that it states.
NodeId Frames::complete(NodeId body, const std::vector<NodeId>& root_buffers) {
  const Node node = c_.node(body);
  const bool is_block = node.is(Kind::BlockRealize);
  const bool has_axes = is_block && !node[f::BlockRealize::block].list(f::Block::iter_vars).empty();
  // Before v0.12 TVM prints the root block as a comment, if there is one.
  const bool may_be_printed =
      c_.rules.is_old() && incomplete_.empty() &&
      c_.source.text.find("# from tvm.script import") != std::string_view::npos;
  const bool has_blocks = has_axes || (!is_block && has_realized_block_);
  const bool needs_root = !root_buffers.empty() || (has_blocks && !may_be_printed);
  for (const IncompleteBlock& block : incomplete_) {
    if (needs_root || !block.is_outermost) complete_block(c_, accessible_, block);
  }
  if (!needs_root) return body;
  c_.lose(LossCode::root_block);
  text::BlockDraft root;
  root.name = "root";
  root.alloc_buffers = root_buffers;
  return c_.make.block(root, body);
}

/// Names of the then branch end with it.
void Frames::start_else() {
  Frame& frame = top();
  frame.then_case = take_body(frame);
  frame.kind = FrameKind::else_branch;
  c_.names.release(frame.name_mark);
}

NodeId Frames::finish() {
  const Frame frame = StatementStack::close();
  const NodeId body = take_body(frame);
  c_.names.release(frame.name_mark);
  return body;
}

// --- Lines -------------------------------------------------------------------------------------

void add_statement(Context& c, NodeId stmt) {
  c.builder.set_source_range(stmt, {c.fn->line_begin, c.lexer.token().begin});
  c.note_place(stmt, c.fn->line_begin, c.lexer.end_before());
  c.fn->frames.add(stmt);
}

void open_frame(Context& c, FrameKind kind, Reach reach) {
  Frame frame{.kind = kind, .indent = 0, .header_indent = 0, .begin = c.fn->line_begin};
  frame.indent = c.fn->frames.top().indent;
  frame.header_indent = reach == Reach::own_suite ? frame.indent : c.fn->frames.top().header_indent;
  c.fn->frames.open(frame);
}

void end_header(Context& c) {
  c.lexer.expect(Sign::colon);
  end_line(c);
  c.fn->expects_suite = true;
}

void end_line(Context& c) {
  c.fn->line_end = c.lexer.token().begin;
  c.lexer.end_line();
}

// --- Names -------------------------------------------------------------------------------------

bool is_plain_name(Context& c) {
  const std::string_view rest = c.slice(c.lexer.token().end, c.lexer.line_end());
  return rest.starts_with("[") || rest.starts_with(".") || rest.starts_with(",") ||
         rest.starts_with(" = ");
}

std::string_view target_name(Context& c, SyntaxId target) {
  const text::Syntax& syntax = c.values.syntax(target);
  const std::string_view text = c.slice(syntax.begin, syntax.end);
  if (syntax.kind != SyntaxKind::name) {
    support::fail_at(c.source, syntax.begin, fmt::format("cannot assign to '{}'", text),
                     syntax.end - syntax.begin);
  }
  return text;
}

void bind(Context& c, std::string_view name, NodeId node) {
  if (!name.empty() && node != NodeId::none) c.names.bind(name, node);
}

NodeId declare(Context& c, NodeId node) {
  c.fn->declared.insert(node);
  return node;
}

NodeId declared(Context& c, std::string_view name, Kind kind) {
  const NodeId known = c.names.find(name);
  if (known == NodeId::none || !c.node(known).is(kind)) return NodeId::none;
  return c.fn->declared.erase(known) > 0 ? known : NodeId::none;
}

NodeId scope_var(Context& c, std::string_view name, NodeId type) {
  const NodeId known = declared(c, name, Kind::Var);
  const bool fits = known != NodeId::none && c.node(known).dtype() == c.make.dtype_of_type(type);
  return fits ? known : c.make.var(name, type);
}

// --- Functions ---------------------------------------------------------------------------------

namespace {

/// `n: T.int32`, `n: T.int32(is_size_var=True)`, `n: T.Var("n", "bfloat16")`
NodeId read_scalar_param(Context& c, std::string_view name, SyntaxId root) {
  const std::string_view callee = tir_callee(c, root);
  if (callee == "Var" || callee == "SizeVar") {
    return constructed_var(c, name, arguments_of(c, root));
  }
  const auto dtype = script_dtype(callee);
  if (!dtype || dtype->is_void()) return c.make.var(name, as_type(c, lower(c, root)));
  return typed_var(c, name, callee, arguments_of(c, root));
}

/// `n: T.int32`, or `A: T.Buffer((16,), "float32")` in the place of a handle and its buffer.
void read_param(Context& c) {
  const std::string_view name = c.lexer.expect_name("a parameter");
  c.lexer.expect(Sign::colon, fmt::format("and the type of {}", name));
  const std::uint32_t begin = c.lexer.token().begin;
  const SyntaxId root = c.parser.parse();
  // v0.9 to v0.11 write T.Buffer[…]; since then it is a call.
  if (tir_callee(c, root) != "Buffer" && tir_generic(c, root) != "Buffer") {
    c.fn->draft.params.push_back(read_scalar_param(c, name, root));
    return bind(c, name, c.fn->draft.params.back());
  }
  c.lose(LossCode::hidden_param);
  const NodeId handle =
      c.make.var(fmt::format("{}_handle", name), c.make.prim_type(DType::Handle()));
  const NodeId buffer = declare_buffer(c, name, arguments_of(c, root), 0);
  c.builder.set_source_range(buffer, {begin, c.lexer.token().begin});
  c.fn->draft.params.push_back(handle);
  c.fn->draft.buffer_map.push_back({handle, buffer});
  c.fn->frames.define_outside(buffer);
  bind(c, name, buffer);
}

/// Parameters share one line, which may be long: its syntax is kept until the body begins.
void read_params(Context& c) {
  c.values.clear();
  c.lexer.expect(Sign::open_paren, "after the name of a function");
  while (!c.lexer.token().is(Sign::close_paren)) {
    read_param(c);
    if (!c.lexer.accept(Sign::comma) && !c.lexer.token().is(Sign::close_paren)) {
      c.lexer.fail_expected("')' after parameters");
    }
  }
  c.lexer.advance();
}

/// Comments have no meaning, except for the one that replaces the root block.
void read_comment(Context& c) {
  const std::string_view comment = c.lexer.text(c.lexer.token());
  if (is_root_block(comment) && c.lexer.indentation() > c.fn->frames.top().header_indent &&
      c.fn->frames.blocks().empty()) {
    c.fn->line_begin = c.lexer.token().begin;
    align(c);
    open_root_block(c);
  }
  c.lexer.advance();
}

/// Lines belong to the body if they are indented further than `def`.
void read_body(Context& c) {
  const std::uint32_t outside = c.fn->frames.top().header_indent;
  for (;;) {
    if (c.lexer.token().is(TokenKind::comment)) {
      read_comment(c);
      continue;
    }
    if (c.lexer.token().is(TokenKind::end) || c.lexer.indentation() <= outside) break;
    align(c);
    read_statement(c);
  }
  // A header at the end of the text has no lines below it.
  if (c.fn->expects_suite) c.lexer.fail("expected an indented line");
  while (c.fn->frames.depth() > 1) c.fn->frames.close(c.fn->line_end);
  c.fn->draft.body = c.fn->frames.complete(c.fn->frames.finish(), c.fn->root_buffers);
}

}  // namespace

/// Releases all bindings of the function at its end, and records its losses with its name.
void read_function(Context& c, FunctionDraft& draft) {
  FunctionState state(c, draft);
  c.fn = &state;
  c.fn->line_begin = c.lexer.token().begin;
  draft.range.begin = c.fn->line_begin;
  const std::uint32_t indent = c.lexer.indentation();
  c.lexer.advance();
  draft.name = c.lexer.expect_name("the name of a function");
  c.function_losses.enter(draft.name);
  const std::size_t mark = c.names.mark();
  read_params(c);
  draft.ret_type = c.make.void_type();
  if (c.lexer.accept(Sign::arrow)) {
    const Value type = read_value(c);
    draft.ret_type = as_type(c, type);
    // v0.11 and later omit a void result.
    if (type.kind == ValueKind::none) c.versions.observe(TvmFeature::void_result);
  } else {
    c.versions.observe_absence(TvmFeature::void_result);
  }
  c.fn->frames.open({.kind = FrameKind::function,
                     .indent = indent,
                     .header_indent = indent,
                     .begin = c.fn->line_begin});
  end_header(c);
  read_body(c);
  if (!c.threads_ahead.empty()) {
    const auto& [name, thread] = *c.threads_ahead.begin();
    support::fail_at(c.source, thread.offset, fmt::format("'{}' is not defined", name),
                     name.size());
  }
  c.names.release(mark);
  draft.range.end = c.fn->line_end;
  c.fn = nullptr;
  c.function_losses.enter({});
}

}  // namespace mlf::tir::tvmscript
