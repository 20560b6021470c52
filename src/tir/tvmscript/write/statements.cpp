#include "tir/tvmscript/write/statements.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "tir/tvmscript/dialects.h"

namespace mlf::tir::tvmscript {
namespace {

/// Of the types of iteration variables, blocks have four.
std::string axis_function(Node axis) {
  const auto type = static_cast<IterVarType>(axis.integer(f::IterVar::iter_type));
  const auto* const row = std::ranges::find(kAxes, type, &text::Meaning<IterVarType>::value);
  if (row != std::end(kAxes)) return fmt::format("T.axis.{}", row->word);
  refuse(fmt::format("TVMScript has no axis of type {}",
                     enum_names(Expects::iter_var_type)[static_cast<std::size_t>(type)]));
}

/// What statements are printed with.
struct Printing {
  Printer& printer;
  Script& script;
  const Definitions& definitions;
  Declarations& declarations;
};

/// The line before the body of a statement around others.
struct Header {
  Node body{};
  TextFragments call{};       ///< `T.allocate(…)`
  Node defines{};             ///< the variable or buffer of the call
  TextFragments annotated{};  ///< the line to write if it extends to the end of the suite
  bool has_suite = false;     ///< also if it is the last of one
  bool names_buffer = false;  ///< the name is that of a buffer around the call's result
};

/// Keys keep their order in the module.
void annotations(const NodeMap& map, TextFragments& out) {
  if (map.empty()) return;
  out.text(", annotations={").entries(map).text("}");
}

/// The last positional argument, unless it is always true.
void condition(Node condition, TextFragments& out) {
  if (!is_int_imm(condition, 1)) out.text(", ").expr(condition);
}

/// Only the end if the loop begins at 0, except in v0.8.
void loop_bounds(const Printer& printer, Node node, TextFragments& out) {
  const Node min = node[f::For::min];
  const bool states_begin = printer.prints(TvmFeature::loops_state_begin);
  if (states_begin || !is_int_imm(min, 0) || min.dtype() != node[f::For::extent].dtype()) {
    out.expr(min).text(", ");
  }
  out.append(end_of(min, node[f::For::extent]));
}

/// `range(16)`, `T.parallel(2, 16)`, `T.thread_binding(32, thread="threadIdx.x")`
TextFragments loop_range(const Printer& printer, Node node) {
  const auto kind = static_cast<std::size_t>(node.integer(f::For::kind));
  const NodeMap notes = node.map(f::For::annotations);
  const bool is_plain = kind == static_cast<std::size_t>(ForKind::serial) && notes.empty();
  TextFragments out;
  const bool is_range = is_plain && !printer.is_old();
  out.text(is_range ? "range" : fmt::format("T.{}", kLoops[kind].word)).text("(");
  loop_bounds(printer, node, out);
  if (const Node thread = node[f::For::thread_binding]) {
    out.text(", thread=").text(quoted(thread.text(f::IterVar::thread_tag)));
  } else if (kind == static_cast<std::size_t>(ForKind::thread_binding)) {
    // A text may not contain it.
    refuse("a loop over threads without a thread cannot be written in TVMScript");
  }
  annotations(notes, out);
  return out.text(")");
}

/// The text before the dtype: a list, or an array in the metadata before the text.
TextFragments elements(const Printer& printer, Node allocate_const) {
  const Node constant = allocate_const[f::AllocateConst::data];
  TextFragments out;
  if (!printer.has_constants()) {
    if (printer.is_old()) return out;
    if (constant) return out.value(constant).text(", ");
  }
  if (!constant.is(Kind::NDArray) || !constant.bytes(f::NDArray::data)) {
    refuse(fmt::format("the data of the constant '{}' is not known",
                       allocate_const[f::AllocateConst::buffer_var].text(f::Var::name)));
  }
  for (const Node extent : allocate_const.list(f::AllocateConst::extents)) {
    if (!extent.is(Kind::IntImm)) {
      refuse("TVMScript has no words for a constant whose extents are not numbers");
    }
  }
  // Elements of a list have the dtype of the statement; an array has its own.
  const bool is_of_its_dtype = constant.dtype(std::uint8_t{f::NDArray::dtype}) ==
                               allocate_const.dtype(f::AllocateConst::dtype);
  const auto list = constant_elements(constant, printer.minor_version());
  if (list && is_of_its_dtype) return out.text(*list).text(", ");
  if (printer.is_old()) {
    refuse(fmt::format("TVMScript before v0.12 has no literals for the constant '{}'",
                       allocate_const[f::AllocateConst::buffer_var].text(f::Var::name)));
  }
  return out.value(constant).text(".numpy(), ");
}

/// Names the variables that a statement brings into scope.
std::string define(const Printing& in, Node node) {
  if (node.is(Kind::Buffer)) return std::string(in.declarations.bind(node));
  return std::string(in.printer.names().bind(node.id(), node.text(f::Var::name)));
}

std::string define(const Printing& in, const Header& header) {
  if (!header.names_buffer) return define(in, header.defines);
  const Node var = header.defines;
  std::string name(
      in.printer.names().bind(var.id(), var.text(f::Var::name), ScopedNames::Lifetime::function));
  in.printer.names().alias(var.id(), name + ".data");
  return name;
}

/// `A = T.alloc_buffer(…)`; `call` has no bracket at its end, and cannot use the name.
void definition(const Printing& in, Node defined, const TextFragments& call, Indent indent) {
  const std::string value = in.printer.text_of(call);
  const std::string name = define(in, defined);
  in.script.line(indent, fmt::format("{} = {})", name, value));
}

/// `vi = T.axis.spatial(16, i)`, `vk = T.axis.reduce((2, 16), k)`
void axes(const Printing& in, Node block, Node realize, Indent indent) {
  const NodeList iter_vars = block.list(f::Block::iter_vars);
  if (realize && realize.list(f::BlockRealize::iter_values).size() != iter_vars.size()) {
    refuse("TVMScript has no words for a block with more or fewer values than axes");
  }
  for (std::size_t i = 0; i < iter_vars.size(); ++i) {
    const Node range = iter_vars[i][f::IterVar::dom];
    if (!range) refuse("TVMScript has no words for an axis of a block without a range");
    const Node min = range[f::Range::min];
    const Node extent = range[f::Range::extent];
    TextFragments line;
    line.text(axis_function(iter_vars[i])).text("(");
    if (is_int_imm(min, 0) && min.dtype() == extent.dtype()) {
      line.expr(extent);
    } else {
      line.text("(").expr(min).text(", ").append(end_of(min, extent)).text(")");
    }
    if (realize) line.text(", ").expr(realize.list(f::BlockRealize::iter_values)[i]);
    definition(in, iter_vars[i][f::IterVar::var], line, indent);
  }
}

/// Also if there are none: without the line the parser would infer them.
void regions(const Printing& in, std::string_view callee, NodeList regions, Indent indent) {
  // v0.8 has one list, later versions one argument for each region.
  const bool is_list = in.printer.prints(TvmFeature::lists_of_regions);
  in.script.line(indent, TextFragments()
                             .text(callee)
                             .text(is_list ? "([" : "(")
                             .list(regions, PrintAs::value)
                             .text(is_list ? "])" : ")"));
}

/// Prints lines in TVM's order: a line comes after those that define its variables.
void block_head(const Printing& in, Node block, Node realize, Indent indent) {
  axes(in, block, realize, indent);
  in.declarations.declare_ready_buffers(indent);
  if (realize && !is_int_imm(realize[f::BlockRealize::predicate], 1)) {
    in.script.line(
        indent,
        TextFragments().text("T.where(").expr(realize[f::BlockRealize::predicate]).text(")"));
  }
  for (const Node buffer : block.list(f::Block::alloc_buffers)) {
    in.script.begin(buffer);
    definition(in, buffer,
               TextFragments().text("T.alloc_buffer(").append(in.declarations.arguments(buffer)),
               indent);
  }
  regions(in, "T.reads", block.list(f::Block::reads), indent);
  regions(in, "T.writes", block.list(f::Block::writes), indent);
  if (const NodeMap notes = block.map(f::Block::annotations); !notes.empty()) {
    in.script.line(indent, TextFragments().text("T.block_attr({").entries(notes).text("})"));
  }
  for (const Node match : block.list(f::Block::match_buffers)) {
    const Node buffer = match[f::MatchBufferRegion::buffer];
    TextFragments call;
    call.text("T.match_buffer(").value(match[f::MatchBufferRegion::source]).text(", ");
    definition(in, buffer, call.append(in.declarations.arguments(buffer)), indent);
  }
  in.declarations.declare_ready_buffers(indent);
}

/// A variable that was declared above, because its scope requires it or because code outside of
/// its scope uses it: `with T.let(x, v):`, `with T.LetStmt(v, var=x):`
Header let_of_taken(const Printing& in, Node node) {
  const Node var = node[f::LetStmt::var];
  const Node value = node[f::LetStmt::value];
  Header header{.body = node[f::LetStmt::body]};
  header.has_suite = true;
  if (in.printer.is_old()) {
    in.printer.regular_form(node, header.call);
  } else {
    in.printer.begin_form(Kind::LetStmt, header.call)
        .expr(value)
        .text(", var=")
        .expr(var)
        .text(")");
  }
  return header;
}

/// `x: T.int32 = v`, `with T.LetStmt(v, T.handle("int8", "global")) as x:`
Header let(const Printing& in, Node node) {
  const Node var = node[f::LetStmt::var];
  if (!in.printer.names().find(var.id()).empty()) return let_of_taken(in, node);
  const Node value = node[f::LetStmt::value];
  const TextFragments type_text = in.declarations.annotation(var);
  Header header{.body = node[f::LetStmt::body]};
  header.defines = var;
  in.printer.begin_form(Kind::LetStmt, header.call).expr(value);
  header.call.text(", ").append(type_text).text(")");
  header.annotated.text(": ").append(type_text).text(" = ").expr(value);
  return header;
}

/// `assert cond, msg` at the end of a suite.
Header assertion(const Printing& in, Node node) {
  const Node condition = node[f::AssertStmt::condition];
  const Node message = node[f::AssertStmt::message];
  Header header{.body = node[f::AssertStmt::body]};
  in.printer.regular_form(node, header.call);
  header.annotated.text("assert ").expr(condition).text(", ").expr(message);
  return header;
}

/// `T.realize(A[0:16, 0:4], "local")` is two statements; the outer one is an attribute.
Header realize(const Printing& in, Node attribute) {
  const Node node = attribute[f::AttrStmt::body];
  Header header{.body = node[f::BufferRealize::body]};
  in.printer.begin_form(Kind::BufferRealize, header.call).value(node[f::BufferRealize::buffer]);
  append_slices(node.list(f::BufferRealize::bounds), header.call);
  header.call.text(", ").expr(attribute[f::AttrStmt::value]);
  condition(node[f::BufferRealize::condition], header.call);
  header.call.text(")");
  return header;
}

/// Attributes of threads are T.launch_thread if that makes this attribute.
Header attribute(const Printing& in, Node node) {
  const Node about = node[f::AttrStmt::node];
  const Node body = node[f::AttrStmt::body];
  if (node.text(f::AttrStmt::attr_key) == "realize_scope" && body.is(Kind::BufferRealize) &&
      body[f::BufferRealize::buffer] == about) {
    return realize(in, node);
  }
  Header header{.body = body};
  if (is_launch(node)) {
    const Node var = about[f::IterVar::var];
    if (in.definitions.thread_tags.contains(var.id())) {
      header.call.text("T.launch_thread(").expr(var).text(", ");
      header.call.expr(node[f::AttrStmt::value]).text(")");
      return header;
    }
    const bool is_declared = !in.printer.names().find(var.id()).empty();
    if (!is_declared && in.definitions.thread_uses.at(var.id()) == 1) {
      header.defines = var;
      header.call.text("T.launch_thread(").text(quoted(about.text(f::IterVar::thread_tag)));
      header.call.text(", ").expr(node[f::AttrStmt::value]).text(")");
      return header;
    }
  }
  in.printer.begin_form(Kind::AttrStmt, header.call).value(about).text(", ");
  header.call.text(quoted(node.text(f::AttrStmt::attr_key)));
  header.call.text(", ").expr(node[f::AttrStmt::value]).text(")");
  return header;
}

/// The scope is printed even if it is the default, as in TVM.
Header allocate(const Printing& in, Node node) {
  const Node var = node[f::Allocate::buffer_var];
  const Node type = var[f::Var::type_annotation];
  const bool is_pointer = type && type.is(Kind::PointerType);
  Header header{.body = node[f::Allocate::body]};
  header.defines = var;
  header.names_buffer = in.printer.prints(TvmFeature::allocation_is_buffer);
  in.printer.begin_form(Kind::Allocate, header.call)
      .text("[")
      .list(node.list(f::Allocate::extents))
      .text("], ");
  header.call.text(quoted_dtype(node.dtype(f::Allocate::dtype))).text(", ");
  header.call.text(is_pointer ? quoted(type.text(f::PointerType::storage_scope)) : "\"global\"");
  condition(node[f::Allocate::condition], header.call);
  annotations(node.map(f::Allocate::annotations), header.call);
  header.call.text(")");
  return header;
}

/// The name is that of the pointer; in v0.9 it is a buffer around it.
Header allocate_const(const Printing& in, Node node) {
  Header header{.body = node[f::AllocateConst::body]};
  header.defines = node[f::AllocateConst::buffer_var];
  header.names_buffer = in.printer.prints(TvmFeature::allocation_is_buffer);
  in.printer.begin_form(Kind::AllocateConst, header.call).append(elements(in.printer, node));
  header.call.text(quoted_dtype(node.dtype(f::AllocateConst::dtype))).text(", [");
  header.call.list(node.list(f::AllocateConst::extents)).text("]");
  annotations(node.map(f::AllocateConst::annotations), header.call);
  header.call.text(")");
  return header;
}

/// data= is always stated: without it the parser would allocate the buffer.
Header decl_buffer(const Printing& in, Node node) {
  const Node buffer = node[f::DeclBuffer::buffer];
  Header header{.body = node[f::DeclBuffer::body]};
  header.defines = buffer;
  in.printer.begin_form(Kind::DeclBuffer, header.call)
      .append(in.declarations.arguments(buffer))
      .text(")");
  return header;
}

/// Prints statements on its own stack instead of by recursion.
class StatementPrinter {
 public:
  explicit StatementPrinter(const Printing& in) : in_(in) {}

  /// Prints `body` as the rest of a suite.
  void print(Node body, Indent indent) {
    stack_.push_back({.indent = indent, .node = body});
    while (!stack_.empty()) {
      const PendingOutput step = stack_.back();
      stack_.pop_back();
      switch (step.task) {
        case PendingOutput::Task::statement:
          statement(step);
          break;
        case PendingOutput::Task::words:
          in_.script.line(step.indent, step.words);
          break;
        case PendingOutput::Task::end_of_scope:
          in_.printer.names().release(step.mark);
          break;
      }
    }
  }

 private:
  /// Whether a statement is the last one of its suite: then its scope may extend to the end.
  enum class SuitePosition : std::uint8_t { inside, last };
  struct PendingOutput {
    enum class Task : std::uint8_t { statement, words, end_of_scope };
    Task task = Task::statement;
    SuitePosition position = SuitePosition::last;
    Indent indent = 0;
    Node node{};
    std::string_view words{};
    std::size_t mark = 0;
  };
  /// One statement: prints its first line and pushes its parts as steps.
  void statement(const PendingOutput& step) {
    in_.script.begin(step.node);
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
        return around(step, let(in_, step.node));
      case Kind::AssertStmt:
        return around(step, assertion(in_, step.node));
      case Kind::AttrStmt:
        return around(step, attribute(in_, step.node));
      case Kind::Allocate:
        return around(step, allocate(in_, step.node));
      case Kind::AllocateConst:
        return around(step, allocate_const(in_, step.node));
      case Kind::DeclBuffer:
        return around(step, decl_buffer(in_, step.node));
      case Kind::BlockRealize:
        return block_realize(step);
      case Kind::Block:
        return block(step, {});
      case Kind::OpaqueStmt:
        refuse(fmt::format("a statement of the unknown type {} cannot be written in TVMScript",
                           step.node.text(f::OpaqueStmt::type_key)));
      default:
        refuse_kind(step.node.kind(), in_.printer.minor_version());
    }
  }

  /// The body of a separate scope: its names are released at its end.
  void suite(Node body, Indent indent) { stack_.push_back({.indent = indent, .node = body}); }

  void close_scope_after(std::size_t mark) {
    stack_.push_back({.task = PendingOutput::Task::end_of_scope, .mark = mark});
  }

  /// Flattens nested sequences, like TVM.
  void sequence(const PendingOutput& step) {
    const NodeList statements = step.node.list(f::SeqStmt::seq);
    if (statements.empty()) {
      // Before v0.12 the parser does not know `pass`.
      return in_.script.line(step.indent, in_.printer.is_old() ? "T.evaluate(0)" : "pass");
    }
    for (std::size_t i = statements.size(); i-- > 0;) {
      const bool is_last = i + 1 == statements.size();
      stack_.push_back({.position = is_last ? step.position : SuitePosition::inside,
                        .indent = step.indent,
                        .node = statements[i]});
    }
  }

  /// Takes steps from the stack: the last one to print is pushed first.
  void branch(const PendingOutput& step) {
    const Node node = step.node;
    in_.script.line(step.indent,
                    TextFragments().text("if ").expr(node[f::IfThenElse::condition]).text(":"));
    const std::size_t mark = open_scope();
    if (const Node else_case = node[f::IfThenElse::else_case]) {
      close_scope_after(mark);
      suite(else_case, step.indent + 1);
      stack_.push_back(
          {.task = PendingOutput::Task::words, .indent = step.indent, .words = "else:"});
    }
    close_scope_after(mark);
    suite(node[f::IfThenElse::then_case], step.indent + 1);
  }

  /// Both kinds of loops have their own scope.
  void loop(const PendingOutput& step) {
    const Node node = step.node;
    const std::size_t mark = open_scope();
    close_scope_after(mark);
    if (node.is(Kind::While)) {
      in_.script.line(step.indent,
                      TextFragments().text("while ").expr(node[f::While::condition]).text(":"));
      return suite(node[f::While::body], step.indent + 1);
    }
    // The bounds are outside of the loop.
    const std::string range = in_.printer.text_of(loop_range(in_.printer, node));
    const std::string name = define(in_, node[f::For::loop_var]);
    in_.script.line(step.indent, fmt::format("for {} in {}:", name, range));
    in_.declarations.declare_ready_buffers(step.indent + 1);
    suite(node[f::For::body], step.indent + 1);
  }

  /// Since v0.12 a call is a line; earlier parsers know only T.evaluate.
  void evaluate(const PendingOutput& step) {
    const Node value = step.node[f::Evaluate::value];
    const bool is_call = value.is(Kind::Call) && !in_.printer.is_old();
    if (!is_call) return line_of_form(step);
    in_.script.line(step.indent, TextFragments().expr(value));
  }

  /// v0.17 introduced stores with a predicate.
  void store(const PendingOutput& step) {
    const Node node = step.node;
    const std::string_view buffer = in_.printer.name_of(node[f::BufferStore::buffer]);
    const NodeList indices = node.list(f::BufferStore::indices);
    TextFragments line;
    line.text(buffer);
    if (const Node predicate = node[f::BufferStore::predicate]) {
      if (in_.printer.is_old()) {
        refuse("TVMScript before v0.12 has no stores with a predicate");
      }
      line.text(".vstore([").list(indices).text("], ").expr(node[f::BufferStore::value]);
      line.text(", predicate=").expr(predicate).text(")");
    } else {
      line.indices(indices).text(" = ").expr(node[f::BufferStore::value]);
    }
    in_.script.line(step.indent, line);
  }

  /// A call that is a line, such as the store to a pointer before v0.12.
  void line_of_form(const PendingOutput& step) {
    TextFragments line;
    in_.printer.regular_form(step.node, line);
    in_.script.line(step.indent, line);
  }

  void prefetch(const PendingOutput& step) {
    TextFragments line;
    in_.printer.begin_form(Kind::Prefetch, line).value(step.node[f::Prefetch::buffer]).text(", [");
    line.list(step.node.list(f::Prefetch::bounds), PrintAs::value).text("])");
    in_.script.line(step.indent, line);
  }

  /// A scope that is the last of its suite contains the rest of it and needs no indentation: TVM
  /// calls this form concise.
  void around(const PendingOutput& step, const Header& header) {
    const std::size_t mark = open_scope();
    // Inside of a suite, a scope must show its end.
    const bool is_nested = step.position == SuitePosition::inside || header.has_suite;
    if (is_nested) close_scope_after(mark);
    const bool is_annotated = !is_nested && !header.annotated.all().empty();
    // It cannot use the name.
    const std::string call = in_.printer.text_of(is_annotated ? header.annotated : header.call);
    const std::string name = header.defines ? define(in_, header) : std::string();
    if (is_nested) {
      in_.script.line(step.indent,
                      fmt::format("with {}{}{}:", call, name.empty() ? "" : " as ", name));
    } else {
      const bool is_assigned = !is_annotated && !name.empty();
      in_.script.line(step.indent, fmt::format("{}{}{}", name, is_assigned ? " = " : "", call));
    }
    const Indent inner = is_nested ? step.indent + 1 : step.indent;
    in_.declarations.declare_ready_buffers(inner);
    suite(header.body, inner);
  }

  /// The BlockRealize and its block are one `with`.
  void block_realize(const PendingOutput& step) {
    PendingOutput inner = step;
    inner.node = step.node[f::BlockRealize::block];
    if (!inner.node.is(Kind::Block)) refuse("a BlockRealize of something that is not a block");
    block(inner, step.node);
  }

  /// `with T.block("name"):`; since v0.12 a block may exist without being realized.
  void block(const PendingOutput& step, Node realize) {
    const Node block = step.node;
    if (!realize && in_.printer.is_old()) {
      refuse("TVMScript before v0.12 has no blocks without a BlockRealize");
    }
    in_.script.line(step.indent,
                    fmt::format("with T.block({}{}):", quoted(block.text(f::Block::name_hint)),
                                realize ? "" : ", no_realize=True"));
    close_scope_after(open_scope());
    block_head(in_, block, realize, step.indent + 1);
    suite(block[f::Block::body], step.indent + 1);
    if (const Node init = block[f::Block::init]) {
      in_.script.line(step.indent + 1, "with T.init():");
      close_scope_after(open_scope());
      suite(init, step.indent + 2);
    }
  }

  std::size_t open_scope() { return in_.printer.names().mark(); }

  Printing in_;
  std::vector<PendingOutput> stack_;
};

}  // namespace

void print_statements(Printer& printer, Script& script, const Definitions& definitions,
                      Declarations& declarations, Node body, Indent indent) {
  StatementPrinter({printer, script, definitions, declarations}).print(body, indent);
}

}  // namespace mlf::tir::tvmscript
