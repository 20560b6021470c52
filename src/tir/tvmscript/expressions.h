// Expressions: the syntax of one, lowered to values in a loop instead of by recursion.
#pragma once

#include "tir/tvmscript/context.h"

namespace mlf::tir::tvmscript {

/// The value of a parsed expression. Runs once over the syntax below `root`; values hold until
/// Values::clear.
Value lower(Context& c, text::SyntaxId root);
/// Parses and lowers the expression that begins at the lexer's token.
Value read_value(Context& c);

// --- Lambdas -----------------------------------------------------------------------------------

/// Passes over a lambda, whose body waits until the call around it is lowered; gives the last node
/// that belongs to it.
text::SyntaxId skip_lambda(Context& c, text::SyntaxId params);

}  // namespace mlf::tir::tvmscript
