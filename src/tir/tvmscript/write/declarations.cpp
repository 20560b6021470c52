#include "tir/tvmscript/write/declarations.h"

#include <fmt/core.h>

#include <algorithm>

#include "mlf/tir/visit.h"
#include "tir/text/expr_factory.h"
#include "tir/tvmscript/write/literals.h"

namespace mlf::tir::tvmscript {
namespace {

/// A tuple of one element keeps its comma.
void append_tuple(NodeList nodes, TextFragments& out) {
  out.text("(").list(nodes).text(nodes.size() == 1 ? ",)" : ")");
}

/// The storage scope is that of the type of the pointer.
std::string_view scope_of(Node buffer) {
  return buffer[f::Buffer::data][f::Var::type_annotation].text(f::PointerType::storage_scope);
}

}  // namespace

Declarations::Declarations(Printer& printer, Script& script, const Definitions& definitions)
    : printer_(printer), script_(script), definitions_(definitions) {}

/// At the top of the function: there is no other place that all uses can see.
void Declarations::declare_free_vars(Indent indent) {
  for (const Node var : definitions_.free_vars) {
    const std::string name(printer_.names().bind(var.id(), var.text(f::Var::name)));
    script_.line(indent, TextFragments().text(name + " = ").append(declaration(var)));
  }
}

/// `T.int32()`, `T.handle("int8", "global")`, `T.int64(is_size_var=True)`
TextFragments Declarations::declaration(Node var) {
  if (printer_.spelling().is_old()) return old_declaration(var);
  const Node type = var[f::Var::type_annotation];
  if (!has_annotation(var, printer_.spelling())) return constructor(var);
  if (type && type.is(Kind::PointerType)) return TextFragments().node(PrintAs::type, type);
  return TextFragments().text(fmt::format("T.{}({})", to_string(var.dtype()),
                                          var.is(Kind::SizeVar) ? "is_size_var=True" : ""));
}

TextFragments Declarations::annotation(Node var) {
  if (!has_annotation(var, printer_.spelling())) return constructor(var);
  TextFragments fragments;
  if (const Node type = var[f::Var::type_annotation]) {
    fragments.node(PrintAs::type, type);
  } else {
    fragments.text(fmt::format("T.{}", to_string(var.dtype())));
  }
  const bool states_size = var.is(Kind::SizeVar) && !printer_.spelling().is_old();
  return fragments.text(states_size ? "(is_size_var=True)" : "");
}

/// `T.Var("x", "bfloat16")`, `T.Var("p", tvm.ir.PointerType(…))`: the parser takes the node as it
/// is wherever it takes a type.
TextFragments Declarations::constructor(Node var) {
  const Node type = var[f::Var::type_annotation];
  TextFragments fragments;
  fragments.text(fmt::format("T.{}({}, ", var.is(Kind::SizeVar) ? "SizeVar" : "Var",
                             quoted(printer_.names().find(var.id()))));
  if (!type || type.is(Kind::PrimType)) {
    fragments.text(quoted_dtype(var.dtype()));
  } else {
    fragments.node(PrintAs::type_object, type);
  }
  return fragments.text(")");
}

/// `T.var("int32")`, `T.buffer_var("int8", "global")`, `T.env_thread("threadIdx.x")`
TextFragments Declarations::old_declaration(Node var) {
  if (const auto thread = definitions_.thread_tags.find(index(var.id()));
      thread != definitions_.thread_tags.end()) {
    return TextFragments().text(fmt::format("T.env_thread({})", quoted(thread->second)));
  }
  const Node type = var[f::Var::type_annotation];
  if (!type || !type.is(Kind::PointerType)) {
    return TextFragments().text(fmt::format("T.var({})", quoted_dtype(var.dtype())));
  }
  const Node pointee = type[f::PointerType::element_type];
  if (!pointee.is(Kind::PrimType)) {
    refuse("a variable whose type is a pointer to no data type cannot be written in TVMScript");
  }
  return TextFragments().text(fmt::format(
      "T.buffer_var({}, {})", quoted_dtype(pointee.dtype(std::uint8_t{f::PrimType::dtype})),
      quoted(type.text(f::PointerType::storage_scope))));
}

/// v0.9 and v0.10 print what lowering made flat as it was before, too.
void Declarations::state_before_flattening(Node buffer, Node before, Indent indent) {
  script_.line(indent, TextFragments()
                           .text("T.preflattened_buffer(")
                           .value(buffer)
                           .text(", ")
                           .append(arguments(before))
                           .text(")"));
}

/// Whether all variables in the parts of a buffer have names in this scope.
bool Declarations::is_ready(Node buffer) const {
  bool ready = true;
  for_each_pre_order(buffer, [&](Node part) {
    if (part.is(Kind::Var) || part.is(Kind::SizeVar)) {
      const bool comes_along =
          part.id() == buffer[f::Buffer::data].id() && definitions_.owns_data(buffer);
      ready = ready && (comes_along || !printer_.names().find(part.id()).empty());
    }
  });
  return ready;
}

void Declarations::declare_ready_buffers(Indent indent) {
  for (const Node buffer : definitions_.free_buffers) {
    if (!printer_.names().find(buffer.id()).empty() || !is_ready(buffer)) continue;
    const TextFragments stated = arguments(buffer);
    const std::string name(bind(buffer));
    TextFragments line;
    line.text(name).text(" = ");
    script_.line(indent, printer_.begin_form(Kind::Buffer, line).append(stated).text(")"));
  }
}

/// Zero, of the dtype that the shape has: what the parser assumes.
bool Declarations::has_default_offset(Node buffer) const {
  const Node offset = buffer[f::Buffer::elem_offset];
  if (!offset) return true;
  const NodeList shape = buffer.list(f::Buffer::shape);
  const DType usual = shape.empty() ? DType::Int(32) : shape[0].dtype();
  return is_int(offset, 0) && offset.dtype() == usual;
}

bool Declarations::is_plain(Node buffer) const {
  return definitions_.owns_data(buffer) && scope_of(buffer) == "global" &&
         buffer.list(f::Buffer::strides).empty() &&
         buffer.list(f::Buffer::axis_separators).empty() && has_default_offset(buffer) &&
         buffer.integer(f::Buffer::offset_factor) == 1 &&
         buffer.integer(f::Buffer::data_alignment) ==
             text::default_alignment(printer_.minor_version()) &&
         buffer.integer(f::Buffer::buffer_type) == static_cast<std::int64_t>(BufferType::default_);
}

/// Keywords in the order of TVM; parts that have the value the parser assumes are left out.
TextFragments Declarations::arguments(Node buffer) {
  TextFragments out;
  append_tuple(buffer.list(f::Buffer::shape), out);
  out.text(", ").text(quoted_dtype(buffer.dtype(f::Buffer::dtype)));
  const bool owns_data = definitions_.owns_data(buffer);
  if (!owns_data) out.text(", data=").expr(buffer[f::Buffer::data]);
  if (const NodeList strides = buffer.list(f::Buffer::strides); !strides.empty()) {
    out.text(", strides=[").list(strides).text("]");
  }
  const std::int64_t factor = buffer.integer(f::Buffer::offset_factor);
  if (!has_default_offset(buffer) || factor != 1) {
    if (const Node offset = buffer[f::Buffer::elem_offset]) {
      out.text(", elem_offset=").expr(offset);
    }
  }
  if (owns_data && scope_of(buffer) != "global") {
    out.text(", scope=").text(quoted(scope_of(buffer)));
  }
  const std::int64_t alignment = buffer.integer(f::Buffer::data_alignment);
  if (alignment != text::default_alignment(printer_.minor_version())) {
    out.text(fmt::format(", align={}", alignment));
  }
  if (factor != 1) out.text(fmt::format(", offset_factor={}", factor));
  if (buffer.integer(f::Buffer::buffer_type) ==
      static_cast<std::int64_t>(BufferType::auto_broadcast)) {
    out.text(", buffer_type=\"auto\"");
  }
  if (const NodeList separators = buffer.list(f::Buffer::axis_separators); !separators.empty()) {
    out.text(", axis_separators=[").list(separators).text("]");
  }
  return out;
}

/// The pointer is called after the buffer, `A.data`.
std::string_view Declarations::bind(Node buffer) {
  const std::string_view hint = buffer.text(f::Buffer::name);
  // Before v0.12 no two buffers of a function have one name.
  const auto lifetime =
      printer_.spelling().is_old() ? ScopedNames::Lifetime::function : ScopedNames::Lifetime::scope;
  const std::string name(
      printer_.names().bind(buffer.id(), hint.empty() ? "buffer" : hint, lifetime));
  if (definitions_.owns_data(buffer)) {
    printer_.names().alias(buffer[f::Buffer::data].id(), name + ".data");
  }
  return printer_.names().find(buffer.id());
}

}  // namespace mlf::tir::tvmscript
