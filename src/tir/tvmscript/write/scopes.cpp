// Statements around others: at the end of a suite one line, elsewhere a `with` of its own.
#include <fmt/core.h>

#include "tir/tvmscript/write/literals.h"
#include "tir/tvmscript/write/statements.h"

namespace mlf::tir::tvmscript {
/// A scope that is the last of its suite covers the rest of it and needs no indentation: TVM calls
/// this form concise.
void StatementPrinter::around(const Step& step, Header header, Node body) {
  const std::size_t mark = open_scope();
  // Inside a suite a scope has to say where it ends.
  const bool is_nested = step.place == Place::inside || header.suite == Header::Suite::always;
  if (is_nested) close_scope_after(mark);
  const std::string name = header.defines ? define(header) : std::string();
  TextFragments line;
  if (is_nested) {
    line.text("with ").append(header.call);
    if (!name.empty()) line.text(" as ").text(name);
    line.text(":");
  } else if (!header.annotated.all().empty()) {
    line.text(name).append(header.annotated);
  } else {
    if (!name.empty()) line.text(name).text(" = ");
    line.append(header.call);
  }
  script_.line(step.indent, line);
  const Indent inner = is_nested ? step.indent + 1 : step.indent;
  declarations_.declare_ready_buffers(inner);
  suite(body, inner);
}

/// A variable that was declared above, because its scope takes it or because more than its scope
/// uses it: `with T.let(x, v):`, `with T.LetStmt(v, var=x):`
void StatementPrinter::let_of_taken(const Step& step) {
  const Node var = step.node[f::LetStmt::var];
  const Node value = step.node[f::LetStmt::value];
  Header header;
  header.suite = Header::Suite::always;
  if (printer_.spelling().scopes == Spelling::Scopes::take) {
    printer_.regular_form(step.node, header.call);
  } else {
    printer_.begin_form(Kind::LetStmt, header.call).expr(value).text(", var=").expr(var).text(")");
  }
  around(step, std::move(header), step.node[f::LetStmt::body]);
}

/// `x: T.int32 = v`, `with T.LetStmt(v, T.handle("int8", "global")) as x:`
void StatementPrinter::let(const Step& step) {
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
void StatementPrinter::assertion(const Step& step) {
  const Node condition = step.node[f::AssertStmt::condition];
  const Node message = step.node[f::AssertStmt::message];
  Header header;
  printer_.regular_form(step.node, header.call);
  header.annotated.text("assert ").expr(condition).text(", ").expr(message);
  around(step, std::move(header), step.node[f::AssertStmt::body]);
}

/// Attributes of threads are T.launch_thread where that makes this very attribute.
void StatementPrinter::attribute(const Step& step) {
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
    if (definitions_.thread_tags.contains(index(var.id()))) {
      header.call.text("T.launch_thread(").expr(var).text(", ");
      header.call.expr(node[f::AttrStmt::value]).text(")");
      return around(step, std::move(header), body);
    }
    const bool is_declared = !printer_.names().find(var.id()).empty();
    if (!is_declared && definitions_.thread_uses.at(index(var.id())) == 1) {
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

/// The scope is stated even where it is the default, as TVM prints it.
void StatementPrinter::allocate(const Step& step) {
  const Node node = step.node;
  const Node var = node[f::Allocate::buffer_var];
  const Node type = var[f::Var::type_annotation];
  const bool is_pointer = type && type.is(Kind::PointerType);
  Header header;
  header.defines = var;
  header.names = names_of_allocations();
  printer_.begin_form(Kind::Allocate, header.call)
      .text("[")
      .list(node.list(f::Allocate::extents))
      .text("], ");
  header.call.text(quoted_dtype(node.dtype(f::Allocate::dtype))).text(", ");
  header.call.text(is_pointer ? quoted(type.text(f::PointerType::storage_scope)) : "\"global\"");
  if (const Node condition = node[f::Allocate::condition]; !is_int(condition, 1)) {
    header.call.text(", ").expr(condition);
  }
  annotations(node.map(f::Allocate::annotations), header.call);
  header.call.text(")");
  around(step, std::move(header), node[f::Allocate::body]);
}

/// The name is that of the pointer; v0.9 gives it to a buffer around it.
void StatementPrinter::allocate_const(const Step& step) {
  const Node node = step.node;
  Header header;
  header.defines = node[f::AllocateConst::buffer_var];
  header.names = names_of_allocations();
  printer_.begin_form(Kind::AllocateConst, header.call).append(elements(node));
  header.call.text(quoted_dtype(node.dtype(f::AllocateConst::dtype))).text(", [");
  header.call.list(node.list(f::AllocateConst::extents)).text("]");
  annotations(node.map(f::AllocateConst::annotations), header.call);
  header.call.text(")");
  around(step, std::move(header), node[f::AllocateConst::body]);
}

/// What is in front of the dtype: a list, or an array in the metadata in front of the text.
TextFragments StatementPrinter::elements(Node allocate_const) {
  const Node constant = allocate_const[f::AllocateConst::data];
  TextFragments out;
  if (!printer_.has_constants()) {
    if (printer_.spelling().is_old()) return out;
    if (constant) return out.value(constant).text(", ");
  }
  if (!constant.is(Kind::NDArray) || !constant.bytes(f::NDArray::data)) {
    refuse(fmt::format("the data of the constant '{}' is not known",
                       allocate_const[f::AllocateConst::buffer_var].text(f::Var::name)));
  }
  // Elements of a list have the dtype of the statement, an array brings its own.
  const bool is_of_its_dtype = constant.dtype(std::uint8_t{f::NDArray::dtype}) ==
                               allocate_const.dtype(f::AllocateConst::dtype);
  const auto list = constant_elements(constant, printer_.spelling());
  if (list && is_of_its_dtype) return out.text(*list).text(", ");
  if (printer_.spelling().is_old()) {
    refuse(fmt::format("TVMScript before v0.12 has no literals for the constant '{}'",
                       allocate_const[f::AllocateConst::buffer_var].text(f::Var::name)));
  }
  return out.value(constant).text(".numpy(), ");
}

/// data= is always stated: without it the parser would allocate the buffer.
void StatementPrinter::decl_buffer(const Step& step) {
  const Node buffer = step.node[f::DeclBuffer::buffer];
  Header header;
  header.defines = buffer;
  printer_.begin_form(Kind::DeclBuffer, header.call)
      .append(declarations_.arguments(buffer))
      .text(")");
  around(step, std::move(header), step.node[f::DeclBuffer::body]);
}

/// `T.realize(A[0:16, 0:4], "local")` is two statements, the outer one an attribute.
void StatementPrinter::realize(const Step& step, Node scope) {
  const Node node = step.node[f::AttrStmt::body];
  Header header;
  printer_.begin_form(Kind::BufferRealize, header.call)
      .value(node[f::BufferRealize::buffer])
      .text("[");
  std::string_view separator;
  for (const Node bound : node.list(f::BufferRealize::bounds)) {
    header.call.text(separator);
    append_slice(bound, header.call);
    separator = ", ";
  }
  header.call.text(separator.empty() ? "()], " : "], ").expr(scope);
  if (const Node condition = node[f::BufferRealize::condition]; !is_int(condition, 1)) {
    header.call.text(", ").expr(condition);
  }
  header.call.text(")");
  around(step, std::move(header), node[f::BufferRealize::body]);
}

}  // namespace mlf::tir::tvmscript
