// The functions of TVMScript by name and by what they make: forms.def as a table.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "mlf/tir/kind.h"

namespace mlf::tir::tvmscript {

/// What the argument of a form has to be.
enum class ArgumentType : std::uint8_t {
  expr,
  exprs,      ///< a list of expressions
  var,        ///< a variable that is defined already
  lanes,      ///< a number of lanes, from v0.16 on maybe a multiple of vscale
  predicate,  ///< an expression; left out where it is true
  callee,     ///< the name of an operator, or a function
  dtype,
  type,
  types,  ///< a list of types
  string,
  integer,
  real,
  attribute,   ///< a value as attributes have it: strings and lists are no expressions
  attributes,  ///< a list of such values
};

enum class Need : std::uint8_t { positional, named, optional };

struct FormArgument {
  ArgumentType type = ArgumentType::expr;
  Need need = Need::positional;
  std::uint8_t field = 0;         ///< position in the row of the kind
  std::string_view keyword = {};  ///< its name where it may be given by name

  bool may_be_absent() const { return need == Need::optional || type == ArgumentType::predicate; }
};

/// One row of forms.def.
struct Form {
  /// What a call of the function is.
  enum class Place : std::uint8_t { expression, definition, scope, line };
  enum class Use : std::uint8_t { written, read };
  /// The module that the name belongs to.
  enum class Prefix : std::uint8_t { tir, ir, tvm };

  Place place;
  Use use;
  Kind kind;
  Prefix prefix;
  std::string_view name;
  std::uint8_t since;
  std::uint8_t until = 0;
  std::uint8_t count = 0;  ///< of arguments; an irregular form has none here
  std::array<FormArgument, 6> all_arguments{};

  std::span<const FormArgument> arguments() const { return std::span(all_arguments).first(count); }
};

/// All rows, in the order of the table.
std::span<const Form> all_forms();
/// Position of a row in the table.
std::size_t position_of(const Form& form);
/// The function of this name behind a prefix; null where there is none.
const Form* find_form(Form::Place place, Form::Prefix prefix, std::string_view name);
/// How TVM v0.`minor` makes nodes of a kind; null where it has no words for them.
const Form* form_of(Kind kind, std::uint8_t minor);

}  // namespace mlf::tir::tvmscript
