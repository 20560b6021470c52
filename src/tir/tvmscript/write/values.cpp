// Values of attributes and annotations, and the parts of statements that are not expressions.
#include <fmt/core.h>

#include "mlf/tir/visit.h"
#include "tir/tvm_features.h"
#include "tir/tvmscript/write/literals.h"
#include "tir/tvmscript/write/printer.h"

namespace mlf::tir::tvmscript {
/// Values of attributes are objects: what has no words of its own is in the metadata.
void Printer::expand_value(Node node, TextFragments& out) {
  if (!node) {
    out.text("None");
    return;
  }
  switch (node.kind()) {
    case Kind::String:
      out.text(quoted(node.text(f::String::value)));
      return;
    case Kind::StringImm:
      if (!has_form(Kind::StringImm)) break;
      return regular_form(node, out);
    case Kind::IntImm:
      // From v0.18 on a bare number is boxed.
      if (!has(minor_version_, TvmFeature::boxed_numbers) || node.dtype() != DType::Int(32)) break;
      out.text(fmt::format("T.int32({})", node.integer(f::IntImm::value)));
      return;
    case Kind::BoxInt:
    case Kind::BoxFloat:
    case Kind::BoxBool:
      return box(node, out);
    case Kind::Array:
      out.text("[").list(node.list(f::Array::elements), PrintAs::value).text("]");
      return;
    case Kind::StringMap:
      return string_map(node.map(f::StringMap::entries), out);
    case Kind::DictAttrs:
      return string_map(node.map(f::DictAttrs::dict), out);
    case Kind::Target:
      return target(node, out);
    case Kind::GlobalVar:
    case Kind::Op:
      if (!has_form(node.kind())) break;
      return regular_form(node, out);
    case Kind::Range:
      if (!has_form(Kind::Range)) break;
      begin_form(Kind::Range, out).expr(node[f::Range::min]).text(", ");
      out.append(end_of(node[f::Range::min], node[f::Range::extent])).text(")");
      return;
    case Kind::IterVar:
      return iter_var(node, out);
    case Kind::CommReducer:
      return comm_reducer(node, out);
    case Kind::BufferRegion:
      return region(node, out);
    case Kind::Buffer:
      return var(node, out);
    default:
      break;
  }
  is_expr(node.category()) ? expand_expr(node, 0, out) : object(node, out);
}

/// A number of v0.18 that is not an expression.
void Printer::box(Node node, TextFragments& out) {
  if (node.is(Kind::BoxBool)) {
    out.text(node.integer(f::BoxBool::value) != 0 ? "True" : "False");
  } else if (node.is(Kind::BoxInt)) {
    out.text(fmt::format("{}", node.integer(f::BoxInt::value)));
  } else {
    const std::string literal = real_literal(node.real(f::BoxFloat::value), kNewestTvm);
    out.text(literal.front() == '"' ? fmt::format("float({})", literal) : literal);
  }
}

/// A dictionary whose keys are strings.
void Printer::string_map(const NodeMap& map, TextFragments& out) {
  out.text("{");
  for (std::size_t i = 0; i < map.size(); ++i) {
    out.text(i == 0 ? "" : ", ").text(quoted(map.name(i))).text(": ").value(map.value(i));
  }
  out.text("}");
}

void Printer::target(Node node, TextFragments& out) {
  const auto kind = node[f::Target::kind];
  // Features are not printed; the tag only where there is one.
  begin_form(Kind::Target, out);
  out.text(fmt::format("{{\"kind\": {}", quoted(kind.text(f::TargetKind::name))));
  if (!node.text(f::Target::tag).empty()) {
    out.text(fmt::format(", \"tag\": {}", quoted(node.text(f::Target::tag))));
  }
  out.text(", \"keys\": [").list(node.list(f::Target::keys), PrintAs::value).text("]");
  const NodeMap attrs = node.map(f::Target::attrs);
  for (std::size_t i = 0; i < attrs.size(); ++i) {
    out.text(", ").text(quoted(attrs.name(i))).text(": ").value(attrs.value(i));
  }
  if (const Node host = node[f::Target::host]) out.text(", \"host\": ").value(host);
  out.text("})");
}

/// An object that is in the metadata in front of the text.
void Printer::object(Node node, TextFragments& out) {
  if (node.is(Kind::MissingObject)) {
    metadata_.note_missing();
    out.text(fmt::format("metadata[{}][{}]", quoted(node.text(f::MissingObject::type_key)),
                         node.integer(f::MissingObject::index)));
    return;
  }
  if (spelling_.is_old()) {
    refuse(fmt::format("TVMScript before v0.12 has no words for a {}", node.info().name));
  }
  if (node.is(Kind::NDArray) && !has_constants()) {
    out.text(metadata_.reference_to_left_out(node));
    return;
  }
  refuse_local_variables(node);
  out.text(metadata_.reference(node));
}

/// The metadata is outside of the function: variables in it would be others.
void Printer::refuse_local_variables(Node object) const {
  for_each_pre_order(object, [&](Node part) {
    const bool is_local = part.is(Kind::Var) || part.is(Kind::SizeVar) || part.is(Kind::Buffer);
    if (is_local && !names_.find(part.id()).empty()) {
      refuse(fmt::format("a {} with variables of its function cannot be written in TVMScript",
                         object.info().name));
    }
  });
}

/// `A[0:16, j]`; an index is a region of one element.
void Printer::region(Node node, TextFragments& out) {
  var(node[f::BufferRegion::buffer], out);
  out.text("[");
  std::string_view separator;
  for (const Node range : node.list(f::BufferRegion::region)) {
    out.text(separator);
    append_slice(range, out);
    separator = ", ";
  }
  out.text(separator.empty() ? "()]" : "]");
}

void Printer::iter_var(Node node, TextFragments& out) {
  const auto kind = static_cast<std::size_t>(node.integer(f::IterVar::iter_type));
  const Node dom = node[f::IterVar::dom];
  begin_form(Kind::IterVar, out).expr(node[f::IterVar::var]).text(", ");
  if (dom && spelling_.is_old()) {
    out.text("(").expr(dom[f::Range::min]).text(", ");
    out.append(end_of(dom[f::Range::min], dom[f::Range::extent])).text(")");
  } else {
    out.value(dom);
  }
  out.text(fmt::format(", {}, {})", quoted(enum_names(Expects::iter_var_type)[kind]),
                       quoted(node.text(f::IterVar::thread_tag))));
}

/// `T.comm_reducer(lambda x, y: T.Add(x, y), [T.float32(0)])`
void Printer::comm_reducer(Node node, TextFragments& out) {
  begin_form(Kind::CommReducer, out).text("lambda ");
  std::string_view separator;
  for (const auto side : {f::CommReducer::lhs, f::CommReducer::rhs}) {
    for (const Node param : node.list(side)) {
      out.text(separator).text(names_.bind(param.id(), param.text(f::Var::name)));
      separator = ", ";
    }
  }
  const NodeList result = node.list(f::CommReducer::result);
  out.text(": ").mark(PrintAs::lambda_begins).text(result.size() == 1 ? "" : "(").list(result);
  out.text(result.size() == 1 ? "" : ")").mark(PrintAs::lambda_ends).text(", [");
  out.list(node.list(f::CommReducer::identity_element)).text("])");
}

/// `T.reduce`, which TVM prints in all versions, is nothing that its parser knows since v0.12.
/// Before, initial values and the condition have no place in it.
void Printer::reduce(Node node, TextFragments& out) {
  if (!spelling_.is_old()) return regular_form(node, out);
  begin_form(Kind::Reduce, out).value(node[f::Reduce::combiner]).text(", [");
  out.list(node.list(f::Reduce::source)).text("], [");
  out.list(node.list(f::Reduce::axis), PrintAs::value);
  out.text(fmt::format("], {})", node.integer(f::Reduce::value_index)));
}

}  // namespace mlf::tir::tvmscript
