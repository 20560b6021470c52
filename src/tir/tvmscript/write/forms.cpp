// Calls of the functions in forms.def.
#include <fmt/core.h>

#include <algorithm>

#include "tir/tvmscript/forms.h"
#include "tir/tvmscript/write/literals.h"
#include "tir/tvmscript/write/printer.h"

namespace mlf::tir::tvmscript {
namespace {

/// The usual prefixes; the header of the script binds them.
std::string_view prefix_of(const Form& form) {
  switch (form.prefix) {
    case Form::Prefix::tir:
      return "T.";
    case Form::Prefix::ir:
      return "I.";
    case Form::Prefix::tvm:
      return "tvm.";
  }
  return {};
}

void append_list(NodeList nodes, PrintAs as, TextFragments& out) {
  out.text("[").list(nodes, as).text("]");
}

}  // namespace

/// Says which versions have words for the kind, if any.
void refuse_kind(Kind kind, std::uint8_t minor_version) {
  std::uint8_t since = 0;
  std::uint8_t until = 0;
  for (const Form& form : all_forms()) {
    if (form.kind != kind || form.use != Form::Use::written) continue;
    if (form.until < minor_version) until = std::max(until, form.until);
    if (form.since > minor_version) since = form.since;
  }
  const std::string_view name = info(kind).name;
  if (until > 0) {
    refuse(fmt::format("TVMScript since v0.{} has no words for a {}", until + 1, name));
  }
  if (since > 0) refuse(fmt::format("TVMScript before v0.{} has no words for a {}", since, name));
  refuse(fmt::format("TVMScript has no words for a {}", name));
}

/// The writer falls back on the metadata for objects that have none.
bool Printer::has_form(Kind kind) const {
  return form_of(kind, minor_version_) != nullptr;
}

TextFragments& Printer::begin_form(Kind kind, TextFragments& out) const {
  const Form* const form = form_of(kind, minor_version_);
  if (form == nullptr) refuse_kind(kind, minor_version_);
  return out.text(prefix_of(*form)).text(form->name).text("(");
}

/// The call whose arguments are the fields of the node that the form names.
void Printer::regular_form(Node node, TextFragments& out) const {
  begin_form(node.kind(), out);
  std::string_view separator;
  for (const FormArgument& argument : form_of(node.kind(), minor_version_)->arguments()) {
    const bool is_default =
        argument.type == ArgumentType::predicate && is_int(node[argument.field], 1);
    if (is_default) continue;
    out.text(separator);
    form_argument(node, argument, out);
    separator = ", ";
  }
  out.text(")");
}

/// The mirror image of what the reader makes of an argument.
void Printer::form_argument(Node node, const FormArgument& argument, TextFragments& out) const {
  const std::uint8_t field = argument.field;
  switch (argument.type) {
    case ArgumentType::expr:
    case ArgumentType::var:
    case ArgumentType::lanes:
    case ArgumentType::predicate:
      out.expr(node[field]);
      return;
    case ArgumentType::exprs:
    case ArgumentType::vars:
      return append_list(node.list(field), PrintAs::expr, out);
    case ArgumentType::callee:
      return callee(node[field], out);
    case ArgumentType::dtype:
      out.text(quoted_dtype(node.dtype(field)));
      return;
    case ArgumentType::type:
      out.node(PrintAs::type_object, node[field]);
      return;
    case ArgumentType::types:
      return append_list(node.list(field), PrintAs::type_object, out);
    case ArgumentType::string:
      out.text(quoted(node.text(field)));
      return;
    case ArgumentType::integer:
      out.text(fmt::format("{}", node.integer(field)));
      return;
    case ArgumentType::real: {
      // Infinity and NaN are words in quotes, which Python's own function takes.
      const std::string literal = real_literal(node.real(field), minor_version_);
      out.text(literal.front() == '"' ? fmt::format("float({})", literal) : literal);
      return;
    }
    case ArgumentType::attribute:
      out.value(node[field]);
      return;
    case ArgumentType::attributes:
      return append_list(node.list(field), PrintAs::value, out);
  }
}

}  // namespace mlf::tir::tvmscript
