// The functions of TVMScript by name and by what they make: forms.def as a table.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "mlf/tir/kind.h"
#include "tir/text/form_arguments.h"

namespace mlf::tir::tvmscript {

using text::ArgumentType;
using text::FormArgument;
using text::Need;

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
