// What all lines of a function are made of: names, the statement or the scope that a line adds, its
// end.
#pragma once

#include <string_view>

#include "tir/tvmscript/function.h"

namespace mlf::tir::tvmscript {

/// How far a scope reaches: TVM calls the first form concise.
enum class Reach : std::uint8_t { rest_of_suite, own_suite };

/// Adds a statement of one line to the innermost frame.
void add_statement(FunctionContext& fn, NodeId stmt);
void open_frame(FunctionContext& fn, FrameKind kind, Reach reach);
/// Takes the colon that ends the line above a suite.
void end_header(FunctionContext& fn);
void end_line(FunctionContext& fn);

/// Takes a name; `wanted` says of what.
std::string_view expect_name(FunctionContext& fn, std::string_view wanted);
/// Whether the word at hand is a name although Python has a keyword of it: TVM prints names that
/// are words of Python as they are, `for = T.int32()`, `in[0] = 1`.
bool is_plain_name(const FunctionContext& fn);
/// The name that an assignment sets; fails where it sets something else.
std::string_view target_name(FunctionContext& fn, text::SyntaxId target);
/// Lets a name refer to a node, if there are both.
void bind(FunctionContext& fn, std::string_view name, NodeId node);
/// Notes that `node` is declared and not set by a statement yet; gives it back.
NodeId declare(FunctionContext& fn, NodeId node);
/// What an earlier line declared under this name, once: a printer names nothing twice in a scope,
/// so the statement that sets it means that one.
NodeId declared(FunctionContext& fn, std::string_view name, Kind kind);
/// The variable that a statement sets: one that was declared, or a new one.
NodeId scope_var(FunctionContext& fn, std::string_view name, NodeId type);

}  // namespace mlf::tir::tvmscript
