// Values of attributes and annotations, and the parts of statements that are no expressions.
#include <fmt/core.h>

#include "mlf/tir/visit.h"
#include "tir/tvm_features.h"
#include "tir/tvmscript/write/dtypes.h"
#include "tir/tvmscript/write/printer.h"

namespace mlf::tir::tvmscript {
namespace {}  // namespace

void Printer::expand_value(Node node, Pieces& out) {
  if (!node) {
    out.text("None");
    return;
  }
  switch (node.kind()) {
    case Kind::String:
      out.text(quoted(node.text(f::String::value)));
      return;
    case Kind::StringImm:
      if (spelling_.is_old()) break;
      out.text(fmt::format("T.StringImm({})", quoted(node.text(f::StringImm::value))));
      return;
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
      out.text("[").list(node.list(f::Array::elements), Form::value).text("]");
      return;
    case Kind::StringMap:
      return string_map(node.map(f::StringMap::entries), out);
    case Kind::DictAttrs:
      return string_map(node.map(f::DictAttrs::dict), out);
    case Kind::Target:
      return target(node, out);
    case Kind::GlobalVar:
      if (spelling_.is_old()) break;
      out.text(fmt::format("tvm.ir.GlobalVar({})", quoted(node.text(f::GlobalVar::name_hint))));
      return;
    case Kind::Op:
      if (spelling_.is_old()) break;
      out.text(fmt::format("tvm.ir.Op.get({})", quoted(node.text(f::Op::name))));
      return;
    case Kind::Range:
      if (spelling_.is_old()) break;
      out.text("T.Range(").expr(node[f::Range::min]).text(", ");
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

/// A number of v0.18 that is no expression.
void Printer::box(Node node, Pieces& out) {
  if (node.is(Kind::BoxBool)) {
    out.text(node.integer(f::BoxBool::value) != 0 ? "True" : "False");
  } else if (node.is(Kind::BoxInt)) {
    out.text(fmt::format("{}", node.integer(f::BoxInt::value)));
  } else {
    const std::string literal =
        real_literal(node.real(f::BoxFloat::value), first_with(TvmFeature::boxed_numbers));
    out.text(literal.front() == '"' ? fmt::format("float({})", literal) : literal);
  }
}

void Printer::string_map(const NodeMap& map, Pieces& out) {
  out.text("{");
  for (std::size_t i = 0; i < map.size(); ++i) {
    out.text(i == 0 ? "" : ", ").text(quoted(map.name(i))).text(": ").value(map.value(i));
  }
  out.text("}");
}

void Printer::target(Node node, Pieces& out) {
  const auto kind = node[f::Target::kind];
  out.text(fmt::format("T.target({{\"kind\": {}", quoted(kind.text(f::TargetKind::name))));
  if (!node.text(f::Target::tag).empty()) {
    out.text(fmt::format(", \"tag\": {}", quoted(node.text(f::Target::tag))));
  }
  out.text(", \"keys\": [").list(node.list(f::Target::keys), Form::value).text("]");
  const NodeMap attrs = node.map(f::Target::attrs);
  for (std::size_t i = 0; i < attrs.size(); ++i) {
    out.text(", ").text(quoted(attrs.name(i))).text(": ").value(attrs.value(i));
  }
  if (const Node host = node[f::Target::host]) out.text(", \"host\": ").value(host);
  out.text("})");
}

/// An object that stands in the metadata in front of the text.
void Printer::object(Node node, Pieces& out) {
  if (node.is(Kind::MissingObject)) {
    metadata_.note_missing();
    out.text(fmt::format("metadata[{}][{}]", quoted(node.text(f::MissingObject::type_key)),
                         node.integer(f::MissingObject::index)));
    return;
  }
  if (spelling_.is_old()) {
    refuse(fmt::format("TVMScript before v0.12 has no words for a {}", node.info().name));
  }
  refuse_local_variables(node);
  out.text(metadata_.reference(node));
}

void Printer::refuse_local_variables(Node object) const {
  for_each_pre_order(object, [&](Node part) {
    const bool is_local = part.is(Kind::Var) || part.is(Kind::SizeVar) || part.is(Kind::Buffer);
    if (is_local && !names_.find(part.id()).empty()) {
      refuse(fmt::format("a {} with variables of its function cannot be written in TVMScript",
                         object.info().name));
    }
  });
}

void Printer::region(Node node, Pieces& out) {
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

void Printer::iter_var(Node node, Pieces& out) {
  const auto kind = static_cast<std::size_t>(node.integer(f::IterVar::iter_type));
  const Node dom = node[f::IterVar::dom];
  out.text("T.iter_var(").expr(node[f::IterVar::var]).text(", ");
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
void Printer::comm_reducer(Node node, Pieces& out) {
  out.text("T.comm_reducer(lambda ");
  std::string_view separator;
  for (const auto side : {f::CommReducer::lhs, f::CommReducer::rhs}) {
    for (const Node param : node.list(side)) {
      out.text(separator).text(names_.bind(param.id(), param.text(f::Var::name)));
      separator = ", ";
    }
  }
  const NodeList result = node.list(f::CommReducer::result);
  out.text(": ").mark(Form::lambda_begins).text(result.size() == 1 ? "" : "(").list(result);
  out.text(result.size() == 1 ? "" : ")").mark(Form::lambda_ends).text(", [");
  out.list(node.list(f::CommReducer::identity_element)).text("])");
}

/// Initial values and the condition have no place.
void Printer::old_reduce(Node node, Pieces& out) {
  begin_function(node, out).value(node[f::Reduce::combiner]).text(", [");
  out.list(node.list(f::Reduce::source)).text("], [");
  out.list(node.list(f::Reduce::axis), Form::value);
  out.text(fmt::format("], {})", node.integer(f::Reduce::value_index)));
}

/// The node as it is; `T.reduce`, which TVM prints, is nothing that its parser knows.
void Printer::reduce(Node node, Pieces& out) {
  if (spelling_.is_old()) return old_reduce(node, out);
  begin_function(node, out).value(node[f::Reduce::combiner]).text(", [");
  out.list(node.list(f::Reduce::source)).text("], [");
  out.list(node.list(f::Reduce::axis), Form::value).text("], ");
  out.expr(node[f::Reduce::condition]);
  out.text(fmt::format(", {}, [", node.integer(f::Reduce::value_index)));
  out.list(node.list(f::Reduce::init)).text("])");
}

}  // namespace mlf::tir::tvmscript
