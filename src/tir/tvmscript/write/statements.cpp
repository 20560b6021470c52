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

/// Prints statements on its own stack instead of by recursion.
class StatementPrinter {
 public:
  StatementPrinter(Printer& printer, Script& script, const Definitions& definitions,
                   Declarations& declarations)
      : printer_(printer),
        script_(script),
        definitions_(definitions),
        declarations_(declarations) {}

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
          script_.line(step.indent, step.words);
          break;
        case PendingOutput::Task::end_of_scope:
          printer_.names().release(step.mark);
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
  /// The line before the body of a statement around others.
  struct Header {
    TextFragments call{};       ///< `T.allocate(…)`
    Node defines{};             ///< the variable or buffer of the call
    TextFragments annotated{};  ///< the line to write if it extends to the end of the suite
    bool has_suite = false;     ///< also if it is the last of one
    bool names_buffer = false;  ///< the name is that of a buffer around the call's result
  };

  /// One statement: prints its first line and pushes its parts as steps.
  void statement(const PendingOutput& step) {
    script_.begin(step.node);
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

  /// The body of a separate scope: its names are released at its end.
  void suite(Node body, Indent indent) { stack_.push_back({.indent = indent, .node = body}); }

  void close_scope_after(std::size_t mark) {
    stack_.push_back({.task = PendingOutput::Task::end_of_scope, .mark = mark});
  }

  /// Names the variables that a statement brings into scope.
  std::string define(Node node) {
    if (node.is(Kind::Buffer)) return std::string(declarations_.bind(node));
    return std::string(printer_.names().bind(node.id(), node.text(f::Var::name)));
  }

  std::string define(const Header& header) {
    if (!header.names_buffer) return define(header.defines);
    const Node var = header.defines;
    std::string name(
        printer_.names().bind(var.id(), var.text(f::Var::name), ScopedNames::Lifetime::function));
    printer_.names().alias(var.id(), name + ".data");
    return name;
  }

  /// Flattens nested sequences, like TVM.
  void sequence(const PendingOutput& step) {
    const NodeList statements = step.node.list(f::SeqStmt::seq);
    if (statements.empty()) {
      // Before v0.12 the parser does not know `pass`.
      return script_.line(step.indent, printer_.is_old() ? "T.evaluate(0)" : "pass");
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
    script_.line(step.indent,
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
      script_.line(step.indent,
                   TextFragments().text("while ").expr(node[f::While::condition]).text(":"));
      return suite(node[f::While::body], step.indent + 1);
    }
    // The bounds are outside of the loop.
    const std::string range = printer_.text_of(loop_range(node));
    const std::string name = define(node[f::For::loop_var]);
    script_.line(step.indent, fmt::format("for {} in {}:", name, range));
    declarations_.declare_ready_buffers(step.indent + 1);
    suite(node[f::For::body], step.indent + 1);
  }

  /// `range(16)`, `T.parallel(2, 16)`, `T.thread_binding(32, thread="threadIdx.x")`
  TextFragments loop_range(Node node) {
    const auto kind = static_cast<std::size_t>(node.integer(f::For::kind));
    const NodeMap notes = node.map(f::For::annotations);
    const bool is_plain = kind == static_cast<std::size_t>(ForKind::serial) && notes.empty();
    TextFragments out;
    const bool is_range = is_plain && !printer_.is_old();
    out.text(is_range ? "range" : fmt::format("T.{}", kLoops[kind].word)).text("(");
    loop_bounds(node, out);
    if (const Node thread = node[f::For::thread_binding]) {
      out.text(", thread=").text(quoted(thread.text(f::IterVar::thread_tag)));
    } else if (kind == static_cast<std::size_t>(ForKind::thread_binding)) {
      // A text may not contain it.
      refuse("a loop over threads without a thread cannot be written in TVMScript");
    }
    annotations(notes, out);
    return out.text(")");
  }

  /// Only the end if the loop begins at 0, except in v0.8.
  void loop_bounds(Node node, TextFragments& out) {
    const Node min = node[f::For::min];
    const bool states_begin = printer_.prints(TvmFeature::loops_state_begin);
    if (states_begin || !is_int_imm(min, 0) || min.dtype() != node[f::For::extent].dtype()) {
      out.expr(min).text(", ");
    }
    out.append(end_of(min, node[f::For::extent]));
  }

  /// Keys keep their order in the module.
  void annotations(const NodeMap& map, TextFragments& out) {
    if (map.empty()) return;
    out.text(", annotations={").entries(map).text("}");
  }

  /// The last positional argument, unless it is always true.
  void condition(Node condition, TextFragments& out) {
    if (!is_int_imm(condition, 1)) out.text(", ").expr(condition);
  }

  /// `A = T.alloc_buffer(…)`; `call` has no bracket at its end, and cannot use the name.
  void definition(Node defined, const TextFragments& call, Indent indent) {
    const std::string value = printer_.text_of(call);
    const std::string name = define(defined);
    script_.line(indent, fmt::format("{} = {})", name, value));
  }

  /// Since v0.12 a call is a line; earlier parsers know only T.evaluate.
  void evaluate(const PendingOutput& step) {
    const Node value = step.node[f::Evaluate::value];
    const bool is_call = value.is(Kind::Call) && !printer_.is_old();
    if (!is_call) return line_of_form(step);
    script_.line(step.indent, TextFragments().expr(value));
  }

  /// v0.17 introduced stores with a predicate.
  void store(const PendingOutput& step) {
    const Node node = step.node;
    const std::string_view buffer = printer_.name_of(node[f::BufferStore::buffer]);
    const NodeList indices = node.list(f::BufferStore::indices);
    TextFragments line;
    line.text(buffer);
    if (const Node predicate = node[f::BufferStore::predicate]) {
      if (printer_.is_old()) {
        refuse("TVMScript before v0.12 has no stores with a predicate");
      }
      line.text(".vstore([").list(indices).text("], ").expr(node[f::BufferStore::value]);
      line.text(", predicate=").expr(predicate).text(")");
    } else {
      line.indices(indices).text(" = ").expr(node[f::BufferStore::value]);
    }
    script_.line(step.indent, line);
  }

  /// A call that is a line, such as the store to a pointer before v0.12.
  void line_of_form(const PendingOutput& step) {
    TextFragments line;
    printer_.regular_form(step.node, line);
    script_.line(step.indent, line);
  }

  void prefetch(const PendingOutput& step) {
    TextFragments line;
    printer_.begin_form(Kind::Prefetch, line).value(step.node[f::Prefetch::buffer]).text(", [");
    line.list(step.node.list(f::Prefetch::bounds), PrintAs::value).text("])");
    script_.line(step.indent, line);
  }

  /// A scope that is the last of its suite contains the rest of it and needs no indentation: TVM
  /// calls this form concise.
  void around(const PendingOutput& step, Header header, Node body) {
    const std::size_t mark = open_scope();
    // Inside of a suite, a scope must show its end.
    const bool is_nested = step.position == SuitePosition::inside || header.has_suite;
    if (is_nested) close_scope_after(mark);
    const bool is_annotated = !is_nested && !header.annotated.all().empty();
    // It cannot use the name.
    const std::string call = printer_.text_of(is_annotated ? header.annotated : header.call);
    const std::string name = header.defines ? define(header) : std::string();
    if (is_nested) {
      script_.line(step.indent,
                   fmt::format("with {}{}{}:", call, name.empty() ? "" : " as ", name));
    } else {
      const bool is_assigned = !is_annotated && !name.empty();
      script_.line(step.indent, fmt::format("{}{}{}", name, is_assigned ? " = " : "", call));
    }
    const Indent inner = is_nested ? step.indent + 1 : step.indent;
    declarations_.declare_ready_buffers(inner);
    suite(body, inner);
  }

  /// A variable that was declared above, because its scope requires it or because code outside of
  /// its scope uses it: `with T.let(x, v):`, `with T.LetStmt(v, var=x):`
  void let_of_taken(const PendingOutput& step) {
    const Node var = step.node[f::LetStmt::var];
    const Node value = step.node[f::LetStmt::value];
    Header header;
    header.has_suite = true;
    if (printer_.is_old()) {
      printer_.regular_form(step.node, header.call);
    } else {
      printer_.begin_form(Kind::LetStmt, header.call)
          .expr(value)
          .text(", var=")
          .expr(var)
          .text(")");
    }
    around(step, std::move(header), step.node[f::LetStmt::body]);
  }

  /// `x: T.int32 = v`, `with T.LetStmt(v, T.handle("int8", "global")) as x:`
  void let(const PendingOutput& step) {
    const Node var = step.node[f::LetStmt::var];
    if (!printer_.names().find(var.id()).empty()) return let_of_taken(step);
    const Node value = step.node[f::LetStmt::value];
    const TextFragments type_text = declarations_.annotation(var);
    Header header;
    header.defines = var;
    printer_.begin_form(Kind::LetStmt, header.call).expr(value);
    header.call.text(", ").append(type_text).text(")");
    header.annotated.text(": ").append(type_text).text(" = ").expr(value);
    around(step, std::move(header), step.node[f::LetStmt::body]);
  }

  /// `assert cond, msg` at the end of a suite.
  void assertion(const PendingOutput& step) {
    const Node condition = step.node[f::AssertStmt::condition];
    const Node message = step.node[f::AssertStmt::message];
    Header header;
    printer_.regular_form(step.node, header.call);
    header.annotated.text("assert ").expr(condition).text(", ").expr(message);
    around(step, std::move(header), step.node[f::AssertStmt::body]);
  }

  /// Attributes of threads are T.launch_thread if that makes this attribute.
  void attribute(const PendingOutput& step) {
    const Node node = step.node;
    const Node about = node[f::AttrStmt::node];
    const Node body = node[f::AttrStmt::body];
    if (node.text(f::AttrStmt::attr_key) == "realize_scope" && body.is(Kind::BufferRealize) &&
        body[f::BufferRealize::buffer] == about) {
      return realize(step, node[f::AttrStmt::value]);
    }
    Header header;
    if (is_launch(node)) {
      const Node var = about[f::IterVar::var];
      if (definitions_.thread_tags.contains(var.id())) {
        header.call.text("T.launch_thread(").expr(var).text(", ");
        header.call.expr(node[f::AttrStmt::value]).text(")");
        return around(step, std::move(header), body);
      }
      const bool is_declared = !printer_.names().find(var.id()).empty();
      if (!is_declared && definitions_.thread_uses.at(var.id()) == 1) {
        header.defines = var;
        header.call.text("T.launch_thread(").text(quoted(about.text(f::IterVar::thread_tag)));
        header.call.text(", ").expr(node[f::AttrStmt::value]).text(")");
        return around(step, std::move(header), body);
      }
    }
    printer_.begin_form(Kind::AttrStmt, header.call).value(about).text(", ");
    header.call.text(quoted(node.text(f::AttrStmt::attr_key)));
    header.call.text(", ").expr(node[f::AttrStmt::value]).text(")");
    around(step, std::move(header), body);
  }

  /// The scope is printed even if it is the default, as in TVM.
  void allocate(const PendingOutput& step) {
    const Node node = step.node;
    const Node var = node[f::Allocate::buffer_var];
    const Node type = var[f::Var::type_annotation];
    const bool is_pointer = type && type.is(Kind::PointerType);
    Header header;
    header.defines = var;
    header.names_buffer = printer_.prints(TvmFeature::allocation_is_buffer);
    printer_.begin_form(Kind::Allocate, header.call)
        .text("[")
        .list(node.list(f::Allocate::extents))
        .text("], ");
    header.call.text(quoted_dtype(node.dtype(f::Allocate::dtype))).text(", ");
    header.call.text(is_pointer ? quoted(type.text(f::PointerType::storage_scope)) : "\"global\"");
    condition(node[f::Allocate::condition], header.call);
    annotations(node.map(f::Allocate::annotations), header.call);
    header.call.text(")");
    around(step, std::move(header), node[f::Allocate::body]);
  }

  /// The name is that of the pointer; in v0.9 it is a buffer around it.
  void allocate_const(const PendingOutput& step) {
    const Node node = step.node;
    Header header;
    header.defines = node[f::AllocateConst::buffer_var];
    header.names_buffer = printer_.prints(TvmFeature::allocation_is_buffer);
    printer_.begin_form(Kind::AllocateConst, header.call).append(elements(node));
    header.call.text(quoted_dtype(node.dtype(f::AllocateConst::dtype))).text(", [");
    header.call.list(node.list(f::AllocateConst::extents)).text("]");
    annotations(node.map(f::AllocateConst::annotations), header.call);
    header.call.text(")");
    around(step, std::move(header), node[f::AllocateConst::body]);
  }

  /// The text before the dtype: a list, or an array in the metadata before the text.
  TextFragments elements(Node allocate_const) {
    const Node constant = allocate_const[f::AllocateConst::data];
    TextFragments out;
    if (!printer_.has_constants()) {
      if (printer_.is_old()) return out;
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
    const auto list = constant_elements(constant, printer_.minor_version());
    if (list && is_of_its_dtype) return out.text(*list).text(", ");
    if (printer_.is_old()) {
      refuse(fmt::format("TVMScript before v0.12 has no literals for the constant '{}'",
                         allocate_const[f::AllocateConst::buffer_var].text(f::Var::name)));
    }
    return out.value(constant).text(".numpy(), ");
  }

  /// data= is always stated: without it the parser would allocate the buffer.
  void decl_buffer(const PendingOutput& step) {
    const Node buffer = step.node[f::DeclBuffer::buffer];
    Header header;
    header.defines = buffer;
    printer_.begin_form(Kind::DeclBuffer, header.call)
        .append(declarations_.arguments(buffer))
        .text(")");
    around(step, std::move(header), step.node[f::DeclBuffer::body]);
  }

  /// `T.realize(A[0:16, 0:4], "local")` is two statements; the outer one is an attribute.
  void realize(const PendingOutput& step, Node scope) {
    const Node node = step.node[f::AttrStmt::body];
    Header header;
    printer_.begin_form(Kind::BufferRealize, header.call).value(node[f::BufferRealize::buffer]);
    append_slices(node.list(f::BufferRealize::bounds), header.call);
    header.call.text(", ").expr(scope);
    condition(node[f::BufferRealize::condition], header.call);
    header.call.text(")");
    around(step, std::move(header), node[f::BufferRealize::body]);
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
    if (!realize && printer_.is_old()) {
      refuse("TVMScript before v0.12 has no blocks without a BlockRealize");
    }
    script_.line(step.indent,
                 fmt::format("with T.block({}{}):", quoted(block.text(f::Block::name_hint)),
                             realize ? "" : ", no_realize=True"));
    close_scope_after(open_scope());
    block_head(block, realize, step.indent + 1);
    suite(block[f::Block::body], step.indent + 1);
    if (const Node init = block[f::Block::init]) {
      script_.line(step.indent + 1, "with T.init():");
      close_scope_after(open_scope());
      suite(init, step.indent + 2);
    }
  }

  /// Prints lines in TVM's order: a line comes after those that define its variables.
  void block_head(Node block, Node realize, Indent indent) {
    axes(block, realize, indent);
    declarations_.declare_ready_buffers(indent);
    if (realize && !is_int_imm(realize[f::BlockRealize::predicate], 1)) {
      script_.line(
          indent,
          TextFragments().text("T.where(").expr(realize[f::BlockRealize::predicate]).text(")"));
    }
    for (const Node buffer : block.list(f::Block::alloc_buffers)) {
      script_.begin(buffer);
      definition(buffer,
                 TextFragments().text("T.alloc_buffer(").append(declarations_.arguments(buffer)),
                 indent);
    }
    regions("T.reads", block.list(f::Block::reads), indent);
    regions("T.writes", block.list(f::Block::writes), indent);
    if (const NodeMap notes = block.map(f::Block::annotations); !notes.empty()) {
      script_.line(indent, TextFragments().text("T.block_attr({").entries(notes).text("})"));
    }
    for (const Node match : block.list(f::Block::match_buffers)) {
      const Node buffer = match[f::MatchBufferRegion::buffer];
      TextFragments call;
      call.text("T.match_buffer(").value(match[f::MatchBufferRegion::source]).text(", ");
      definition(buffer, call.append(declarations_.arguments(buffer)), indent);
    }
    declarations_.declare_ready_buffers(indent);
  }

  /// `vi = T.axis.spatial(16, i)`, `vk = T.axis.reduce((2, 16), k)`
  void axes(Node block, Node realize, Indent indent) {
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
      definition(iter_vars[i][f::IterVar::var], line, indent);
    }
  }

  /// Also if there are none: without the line the parser would infer them.
  void regions(std::string_view callee, NodeList regions, Indent indent) {
    // v0.8 has one list, later versions one argument for each region.
    const bool is_list = printer_.prints(TvmFeature::lists_of_regions);
    script_.line(indent, TextFragments()
                             .text(callee)
                             .text(is_list ? "([" : "(")
                             .list(regions, PrintAs::value)
                             .text(is_list ? "])" : ")"));
  }

  std::size_t open_scope() { return printer_.names().mark(); }

  Printer& printer_;
  Script& script_;
  const Definitions& definitions_;
  Declarations& declarations_;
  std::vector<PendingOutput> stack_;
};

}  // namespace

void print_statements(Printer& printer, Script& script, const Definitions& definitions,
                      Declarations& declarations, Node body, Indent indent) {
  StatementPrinter(printer, script, definitions, declarations).print(body, indent);
}

}  // namespace mlf::tir::tvmscript
