// Statements of the legacy text, on a stack of the statements that wait for their bodies.
#pragma once

#include <cstdint>

#include "tir/legacy/context.h"

namespace mlf::tir::legacy {

/// The statement in braces at the lexer's token: several of them are a SeqStmt, and so are none.
NodeId read_body(Context& c);
/// Statements up to the end of the text, without braces around them.
NodeId read_fragment(Context& c);

// --- Frames ------------------------------------------------------------------------------------

void open_frame(Context& c, Frame frame);
/// Opens a statement that covers the next one.
void open_statement(Context& c, std::uint32_t begin, const text::StatementDraft& draft);
/// Opens the braces around a body at the lexer's token.
void open_body(Context& c);
/// Hands a finished statement to whatever waits for one.
void complete(Context& c, NodeId statement, std::uint32_t begin);

// --- One function for each statement: simple_statements.cpp ------------------------------------

/// `let x: T = value`.
void open_let(Context& c, std::uint32_t begin, SyntaxId root);
/// `A[i] = v`, or one of the declarations that look like it.
void read_assignment(Context& c, std::uint32_t begin, SyntaxId root);
void open_if(Context& c, std::uint32_t begin);
/// Reads a statement that looks like a call or a subscript of a word; false for anything else.
bool read_word_statement(Context& c, std::uint32_t begin, SyntaxId root);

// --- Blocks: blocks.cpp ------------------------------------------------------------------------

/// Reads a line that describes the block on top; false where the body begins.
bool read_block_line(Context& c);
NodeId finish_block(Context& c, NodeId body);

}  // namespace mlf::tir::legacy
