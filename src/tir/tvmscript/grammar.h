// TVMScript's share of the expression engine: a subset of Python.
#pragma once

#include "tir/text/grammar.h"

namespace mlf::tir::tvmscript {

const text::Grammar& new_grammar();  ///< v0.12 to v0.18
/// v0.8 to v0.11: `==` binds looser than `<`, `not(x)` reads like a call, and some of what is
/// printed is no Python at all.
const text::Grammar& old_grammar();

/// Whether a name is the data of a constant as the old printer writes it: no expression to parse.
bool is_constant_text(std::string_view name);

}  // namespace mlf::tir::tvmscript
