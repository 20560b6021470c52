#include "tir/tvmscript/write/statements.h"

#include <fmt/core.h>

#include "tir/tvmscript/write/literals.h"

namespace mlf::tir::tvmscript {

StatementPrinter::StatementPrinter(Printer& printer, Script& script, const Definitions& definitions,
                                   Declarations& declarations)
    : printer_(printer), script_(script), definitions_(definitions), declarations_(declarations) {}

void StatementPrinter::print(Node body, Indent indent) {
  stack_.push_back({.indent = indent, .node = body});
  while (!stack_.empty()) {
    const Step step = stack_.back();
    stack_.pop_back();
    switch (step.task) {
      case Step::Task::statement:
        statement(step);
        break;
      case Step::Task::words:
        script_.line(step.indent, step.words);
        break;
      case Step::Task::end_of_scope:
        printer_.names().release(step.mark);
        break;
    }
  }
}

/// One statement: its first line now, its parts as steps on the stack.
void StatementPrinter::statement(const Step& step) {
  switch (step.node.kind()) {
    case Kind::SeqStmt:
      return sequence(step);
    case Kind::IfThenElse:
      return branch(step);
    case Kind::For:
    case Kind::While:
      return loop(step);
    case Kind::Evaluate:
      return evaluate(step);
    case Kind::BufferStore:
      return store(step);
    case Kind::Store:
      return line_of_form(step);
    case Kind::Prefetch:
      return prefetch(step);
    case Kind::LetStmt:
      return let(step);
    case Kind::AssertStmt:
      return assertion(step);
    case Kind::AttrStmt:
      return attribute(step);
    case Kind::Allocate:
      return allocate(step);
    case Kind::AllocateConst:
      return allocate_const(step);
    case Kind::DeclBuffer:
      return decl_buffer(step);
    case Kind::BlockRealize:
      return block_realize(step);
    case Kind::Block:
      return block(step, {});
    case Kind::OpaqueStmt:
      refuse(fmt::format("a statement of the unknown type {} cannot be written in TVMScript",
                         step.node.text(f::OpaqueStmt::type_key)));
    default:
      refuse_kind(step.node.kind(), printer_.minor_version());
  }
}

/// The body of a scope of its own: what it names is released at its end.
void StatementPrinter::suite(Node body, Indent indent) {
  stack_.push_back({.indent = indent, .node = body});
}

void StatementPrinter::close_scope_after(std::size_t mark) {
  stack_.push_back({.task = Step::Task::end_of_scope, .mark = mark});
}

/// Names what a statement brings into scope.
std::string StatementPrinter::define(Node node) {
  if (node.is(Kind::Buffer)) return std::string(declarations_.bind(node));
  return std::string(printer_.names().bind(node.id(), node.text(f::Var::name)));
}

std::string StatementPrinter::define(const Header& header) {
  if (header.names == Header::Names::itself) return define(header.defines);
  const Node var = header.defines;
  std::string name(
      printer_.names().bind(var.id(), var.text(f::Var::name), ScopedNames::Lifetime::function));
  printer_.names().alias(var.id(), name + ".data");
  return name;
}

StatementPrinter::Header::Names StatementPrinter::names_of_allocations() const {
  const bool is_buffer = printer_.spelling().allocation == Spelling::Allocation::buffer;
  return is_buffer ? Header::Names::buffer : Header::Names::itself;
}

/// Nested sequences are flattened, as by TVM.
void StatementPrinter::sequence(const Step& step) {
  const NodeList statements = step.node.list(f::SeqStmt::seq);
  if (statements.empty()) {
    // Before v0.12 the parser knows no `pass`.
    return script_.line(step.indent, printer_.spelling().is_old() ? "T.evaluate(0)" : "pass");
  }
  for (std::size_t i = statements.size(); i-- > 0;) {
    const bool is_last = i + 1 == statements.size();
    stack_.push_back({.place = is_last ? step.place : Place::inside,
                      .indent = step.indent,
                      .node = statements[i]});
  }
}

/// Steps are taken from the stack: what is printed last is pushed first.
void StatementPrinter::branch(const Step& step) {
  const Node node = step.node;
  script_.line(step.indent,
               TextFragments().text("if ").expr(node[f::IfThenElse::condition]).text(":"));
  const std::size_t mark = open_scope();
  if (const Node else_case = node[f::IfThenElse::else_case]) {
    close_scope_after(mark);
    suite(else_case, step.indent + 1);
    stack_.push_back({.task = Step::Task::words, .indent = step.indent, .words = "else:"});
  }
  close_scope_after(mark);
  suite(node[f::IfThenElse::then_case], step.indent + 1);
}

// --- Loops -------------------------------------------------------------------------------------

/// Both kinds of loops are a scope of their own.
void StatementPrinter::loop(const Step& step) {
  const Node node = step.node;
  const std::size_t mark = open_scope();
  close_scope_after(mark);
  if (node.is(Kind::While)) {
    script_.line(step.indent,
                 TextFragments().text("while ").expr(node[f::While::condition]).text(":"));
    return suite(node[f::While::body], step.indent + 1);
  }
  const TextFragments range = loop_range(node);
  // The bounds are outside of the loop: they are printed under its name, which they cannot use.
  const std::string name = define(node[f::For::loop_var]);
  script_.line(step.indent,
               TextFragments().text(fmt::format("for {} in ", name)).append(range).text(":"));
  declarations_.declare_ready_buffers(step.indent + 1);
  suite(node[f::For::body], step.indent + 1);
}

/// `range(16)`, `T.parallel(2, 16)`, `T.thread_binding(32, thread="threadIdx.x")`
TextFragments StatementPrinter::loop_range(Node node) {
  constexpr std::string_view kFunctions[] = {"T.serial", "T.parallel", "T.vectorized", "T.unroll",
                                             "T.thread_binding"};
  const auto kind = static_cast<std::size_t>(node.integer(f::For::kind));
  const NodeMap notes = node.map(f::For::annotations);
  const bool is_plain = kind == static_cast<std::size_t>(ForKind::serial) && notes.empty();
  TextFragments out;
  const bool is_range = is_plain && !printer_.spelling().is_old();
  out.text(is_range ? "range" : kFunctions[kind]).text("(");
  loop_bounds(node, out);
  if (const Node thread = node[f::For::thread_binding]) {
    out.text(", thread=").text(quoted(thread.text(f::IterVar::thread_tag)));
  } else if (kind == static_cast<std::size_t>(ForKind::thread_binding)) {
    // A text may have lost which one.
    refuse("a loop over threads that says no thread cannot be written in TVMScript");
  }
  annotations(notes, out);
  return out.text(")");
}

/// The end alone where the loop begins at 0, but for v0.8.
void StatementPrinter::loop_bounds(Node node, TextFragments& out) {
  const Node min = node[f::For::min];
  const bool states_begin = printer_.spelling().loop_bounds == Spelling::LoopBounds::begin_and_end;
  if (states_begin || !is_int(min, 0) || min.dtype() != node[f::For::extent].dtype()) {
    out.expr(min).text(", ");
  }
  out.append(end_of(min, node[f::For::extent]));
}

/// Keys keep the order that the module has them in.
void StatementPrinter::annotations(const NodeMap& map, TextFragments& out) {
  if (map.empty()) return;
  out.text(", annotations={");
  for (std::size_t i = 0; i < map.size(); ++i) {
    out.text(i == 0 ? "" : ", ").text(quoted(map.name(i))).text(": ").value(map.value(i));
  }
  out.text("}");
}

// --- Statements on one line --------------------------------------------------------------------

/// Since v0.12 a call is a line of its own; the parser before knows nothing but T.evaluate.
void StatementPrinter::evaluate(const Step& step) {
  const Node value = step.node[f::Evaluate::value];
  const bool is_call = value.is(Kind::Call) && !printer_.spelling().is_old();
  if (!is_call) return line_of_form(step);
  script_.line(step.indent, TextFragments().expr(value));
}

/// Stores with a predicate came with v0.17.
void StatementPrinter::store(const Step& step) {
  const Node node = step.node;
  const std::string_view buffer = printer_.name_of(node[f::BufferStore::buffer]);
  const NodeList indices = node.list(f::BufferStore::indices);
  TextFragments line;
  line.text(buffer);
  if (const Node predicate = node[f::BufferStore::predicate]) {
    if (printer_.spelling().is_old()) {
      refuse("TVMScript before v0.12 has no stores with a predicate");
    }
    line.text(".vstore([").list(indices).text("], ").expr(node[f::BufferStore::value]);
    line.text(", predicate=").expr(predicate).text(")");
  } else {
    line.text("[");
    indices.empty() ? line.text("()") : line.list(indices);
    line.text("] = ").expr(node[f::BufferStore::value]);
  }
  script_.line(step.indent, line);
}

/// A call that is a line of its own, such as the store to a pointer before v0.12.
void StatementPrinter::line_of_form(const Step& step) {
  TextFragments line;
  printer_.regular_form(step.node, line);
  script_.line(step.indent, line);
}

void StatementPrinter::prefetch(const Step& step) {
  TextFragments line;
  printer_.begin_form(Kind::Prefetch, line).value(step.node[f::Prefetch::buffer]).text(", [");
  line.list(step.node.list(f::Prefetch::bounds), PrintAs::value).text("])");
  script_.line(step.indent, line);
}

}  // namespace mlf::tir::tvmscript
