// The words of repr text: its rows of text/printed_forms.def.
#pragma once

#include <cstdint>
#include <span>

#include "tir/text/printed_forms.h"

namespace mlf::tir::repr {

struct Context;

/// A row with the function that reads it, by the place of the row; a regular one has none.
struct Form : text::PrintedForm {
  NodeId (*read)(Context& c, text::SyntaxId call, std::span<const text::Value> values) = nullptr;
  /// `name = call` in a block.
  void (*define)(Context& c, text::SyntaxId name, text::SyntaxId call) = nullptr;
  /// A statement or a line, at the lexer's token.
  void (*start)(Context& c, std::uint32_t begin) = nullptr;
};

const text::PrintedForms<Form>& forms();

// --- The readers of irregular rows -------------------------------------------------------------

// calls.cpp
NodeId read_shuffle(Context& c, text::SyntaxId call, std::span<const text::Value> values);
NodeId read_reduce(Context& c, text::SyntaxId call, std::span<const text::Value> values);
NodeId read_buffer(Context& c, text::SyntaxId call, std::span<const text::Value> values);

// simple_statements.cpp
void open_loop(Context& c, std::uint32_t begin);
void open_while(Context& c, std::uint32_t begin);
void open_assert(Context& c, std::uint32_t begin);
void open_allocate(Context& c, std::uint32_t begin);
void open_constant(Context& c, std::uint32_t begin);
void open_decl_buffer(Context& c, std::uint32_t begin);
void open_realize(Context& c, std::uint32_t begin);
void read_prefetch(Context& c, std::uint32_t begin);

// blocks.cpp
void open_block(Context& c, std::uint32_t begin);
void read_where(Context& c, std::uint32_t begin);
void read_bind(Context& c, std::uint32_t begin);
void read_reads(Context& c, std::uint32_t begin);
void read_writes(Context& c, std::uint32_t begin);
void read_block_attrs(Context& c, std::uint32_t begin);
void define_alloc_buffer(Context& c, text::SyntaxId name, text::SyntaxId call);
void define_match_buffer(Context& c, text::SyntaxId name, text::SyntaxId call);

}  // namespace mlf::tir::repr
