// The words of legacy and repr text: what the rows of printed_forms.def are to the reader of either
// dialect.
#pragma once

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tir/text/expression_values.h"
#include "tir/text/form_arguments.h"

namespace mlf::tir::text {

/// A row without its reader. What the places are is said in the table.
struct PrintedForm {
  enum class Place : std::uint8_t {
    expression,
    definition,
    statement,
    keyword,
    unclosed,
    line,
    part,
  };

  Place place;
  Kind kind;
  std::string_view name;
  std::uint8_t since;
  std::uint8_t until;
  std::uint8_t count;                           ///< of arguments, at least
  std::array<FormArgument, 4> all_arguments{};  ///< of a regular form

  std::span<const FormArgument> arguments() const { return std::span(all_arguments).first(count); }
};

/// The rows of one dialect by place and name. `Form` is a PrintedForm with what reads it.
template <class Form>
class PrintedForms {
 public:
  explicit PrintedForms(std::span<const Form> forms) {
    for (const Form& form : forms) {
      by_place_[static_cast<std::size_t>(form.place)].emplace(form.name, &form);
      if (form.place != PrintedForm::Place::keyword) called_.emplace(form.name, &form);
    }
  }

  /// Null where the dialect has no such word there.
  const Form* find(PrintedForm::Place place, std::string_view name) const {
    return look_up(by_place_[static_cast<std::size_t>(place)], name);
  }
  /// Whether the word is printed in front of a parenthesis: then it is not a part of a name.
  bool is_called(std::string_view name) const { return look_up(called_, name) != nullptr; }

 private:
  using ByName = std::unordered_map<std::string_view, const Form*>;

  static const Form* look_up(const ByName& forms, std::string_view name) {
    const auto found = forms.find(name);
    return found == forms.end() ? nullptr : found->second;
  }

  std::array<ByName, 7> by_place_;
  ByName called_;
};

/// Narrows the version to those that have the form.
template <class Context>
void note_version(Context& c, const PrintedForm& form) {
  c.versions.at_least(form.since);
  c.versions.at_most(form.until);
}

/// An argument as the field of a node. The dialect has a conversion for each type that its rows
/// use.
template <class Context>
FieldValue read_argument(Context& c, ArgumentType type, const Value& value) {
  switch (type) {
    case ArgumentType::expr:
      return as_expr(c, value);
    case ArgumentType::exprs:
      return c.builder.list(as_exprs(c, value));
    case ArgumentType::vars:
      if constexpr (requires { as_vars(c, value); }) return c.builder.list(as_vars(c, value));
      break;
    case ArgumentType::lanes:
      return as_lanes(c, value);
    case ArgumentType::dtype:
      if constexpr (requires { as_dtype(c, value); }) return as_dtype(c, value);
      break;
    default:
      break;
  }
  c.exprs.fail_expected(value, "an argument of a type that the dialect has");
}

/// The node of a regular form, whose arguments are made in the order of the text.
template <class Context>
NodeId read_regular_form(Context& c, const PrintedForm& form, SyntaxId call,
                         std::span<const Value> values) {
  if (is_binary(form.kind)) {
    const NodeId a = as_expr(c, values[0]);
    return make_binary(c, form.kind, a, as_expr(c, values[1]));
  }
  const FieldValue unset = NodeId::none;
  std::array<FieldValue, 4> fields{unset, unset, unset, unset};
  for (std::size_t i = 0; i < form.count; ++i) {
    const FormArgument& argument = form.arguments()[i];
    if (!argument.keyword.empty() && c.exprs.keyword_of(values[i]) != argument.keyword) {
      c.exprs.fail(call, fmt::format("expected '{}=' as argument {}", argument.keyword, i + 1));
    }
    fields[argument.field] = read_argument(c, argument.type, values[i]);
  }
  return make_node(c.make, form.kind, std::span(fields).first(info(form.kind).fields.size()));
}

/// The node of `word(…)` in an expression: of a regular form, or by its reader.
template <class Context, class Form>
NodeId read_form(Context& c, const Form& form, SyntaxId call, std::span<const Value> values) {
  note_version(c, form);
  if (values.size() < form.count) {
    c.exprs.fail(call, fmt::format("expected {} arguments of {}, found {}", form.count, form.name,
                                   values.size()));
  }
  return form.read != nullptr ? form.read(c, call, values)
                              : read_regular_form(c, form, call, values);
}

}  // namespace mlf::tir::text
