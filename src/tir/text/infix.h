// What the texts of TVM's old printers, legacy and repr, have in common: every operator but `let`
// is between parentheses of its own, so that all of them bind alike.
#pragma once

#include <optional>

#include "mlf/tir/kind.h"
#include "tir/text/expression_parser.h"
#include "tir/text/lexer.h"

namespace mlf::tir::text {

/// The kind of `a sign b`; nothing for a sign that is not such an operator. TVMScript has kinds of
/// its own: `%` is FloorMod there.
std::optional<Kind> binary_kind(Sign sign);

/// Lines, operators, and names that start with '@'. A dialect adds what it has of its own.
Grammar infix_grammar();

}  // namespace mlf::tir::text
