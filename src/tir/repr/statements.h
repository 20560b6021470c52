// Statements of the repr text, on a stack of what has not ended yet. Lets, attributes, assertions,
// allocations and declarations end nowhere in the text: each one covers the rest of its block.
#pragma once

#include <cstdint>

#include "tir/repr/context.h"

namespace mlf::tir::repr {

/// The body of a function, from its opening to its closing brace.
NodeId read_body(Context& c);

// --- Frames ------------------------------------------------------------------------------------

Frame& open_frame(Context& c, Frame frame);
/// Opens a statement that covers the rest of its block.
Frame& open_rest(Context& c, std::uint32_t begin, const text::StatementDraft& draft);
/// Opens a statement with a body in braces at the lexer's token.
void open_braces(Context& c, Frame frame);
void complete(Context& c, NodeId statement, std::uint32_t begin);
/// Fails where something is left of the line.
void expect_line_end(Context& c);

// --- One function for each statement: simple_statements.cpp ------------------------------------

/// Reads a statement that begins with a word of its own; false for anything else.
bool read_word_statement(Context& c, std::uint32_t begin);
void open_let(Context& c, std::uint32_t begin, SyntaxId root);
void read_assignment(Context& c, std::uint32_t begin, SyntaxId root);
/// `// attr [node] key = value`.
void open_attr(Context& c, std::uint32_t begin);
void open_if(Context& c, std::uint32_t begin);

// --- Blocks: blocks.cpp ------------------------------------------------------------------------

/// The lines between the head of a block and its body; false where the body begins.
bool read_block_line(Context& c);
NodeId finish_block(Context& c, NodeId body);

}  // namespace mlf::tir::repr
