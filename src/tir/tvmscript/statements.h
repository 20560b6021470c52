// Statements, line by line.
#pragma once

#include "tir/tvmscript/function.h"

namespace mlf::tir::tvmscript {

/// Closes the frames that the indentation of the line at hand ends.
void align(FunctionContext& fn);
/// Reads one line.
void read_statement(FunctionContext& fn);

// --- Lines that begin with a word of Python: keywords.cpp --------------------------------------

using Keyword = void (*)(FunctionContext& fn);
/// The reader of lines that begin with `word`; null where it is a name.
Keyword find_keyword(std::string_view word);
/// `else:` or `elif …:` behind a then branch, which is the innermost frame.
void start_else(FunctionContext& fn);
void keyword_nested(FunctionContext& fn);

// --- Loops: loops.cpp --------------------------------------------------------------------------

void keyword_for(FunctionContext& fn);

}  // namespace mlf::tir::tvmscript
