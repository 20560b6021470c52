// Nodes that are written as calls, `Ramp(base, stride, lanes)`: what the tables of forms say of their
// arguments, and the node of what was read. The tables are tvmscript/forms.def and
// text/printed_forms.def.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tir/text/expr_factory.h"

namespace mlf::tir::text {

/// What the argument of a form has to be.
enum class ArgumentType : std::uint8_t {
  expr,
  exprs,      ///< a list of expressions
  var,        ///< a variable that is defined already
  vars,       ///< a list of variables
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

/// The node of these fields. A dtype that follows from the operands, as that of a Select does, is
/// set whatever the field says.
NodeId make_node(ExprFactory& make, Kind kind, std::span<const FieldValue> fields);

}  // namespace mlf::tir::text
