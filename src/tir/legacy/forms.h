// The words of legacy text: its rows of text/printed_forms.def.
#pragma once

#include <cstdint>
#include <span>

#include "tir/text/printed_forms.h"

namespace mlf::tir::legacy {

struct Context;

/// A row with the function that reads it, by the place of the row; a regular one has none.
struct Form : text::PrintedForm {
  NodeId (*read)(Context& c, text::SyntaxId call, std::span<const text::Value> values) = nullptr;
  /// `name = call`: the buffer.
  NodeId (*define)(Context& c, text::SyntaxId name, text::SyntaxId call) = nullptr;
  /// A statement that was parsed as an expression.
  void (*open)(Context& c, std::uint32_t begin, text::SyntaxId root) = nullptr;
  /// An unclosed statement, at the lexer's token.
  void (*start)(Context& c, std::uint32_t begin) = nullptr;
  void (*describe)(Context& c, text::SyntaxId call) = nullptr;
};

const text::PrintedForms<Form>& forms();

// --- The readers of irregular rows -------------------------------------------------------------

// calls.cpp
NodeId read_shuffle(Context& c, text::SyntaxId call, std::span<const text::Value> values);
NodeId read_reduce(Context& c, text::SyntaxId call, std::span<const text::Value> values);
NodeId read_iter_var(Context& c, text::SyntaxId call, std::span<const text::Value> values);

// buffers.cpp
NodeId define_alloc_buffer(Context& c, text::SyntaxId name, text::SyntaxId call);
NodeId define_decl_buffer(Context& c, text::SyntaxId name, text::SyntaxId call);
NodeId define_match_buffer(Context& c, text::SyntaxId name, text::SyntaxId call);

// simple_statements.cpp
void open_loop(Context& c, std::uint32_t begin, text::SyntaxId call);
void open_while(Context& c, std::uint32_t begin, text::SyntaxId call);
void open_assert(Context& c, std::uint32_t begin, text::SyntaxId call);
void open_allocate(Context& c, std::uint32_t begin, text::SyntaxId call);
void open_constant(Context& c, std::uint32_t begin, text::SyntaxId call);
void open_attr(Context& c, std::uint32_t begin, text::SyntaxId node);
void read_prefetch(Context& c, std::uint32_t begin, text::SyntaxId call);
void open_buffer_realize(Context& c, std::uint32_t begin);
void open_producer_realize(Context& c, std::uint32_t begin);

// blocks.cpp
void open_block(Context& c, std::uint32_t begin, text::SyntaxId call);
void read_where(Context& c, text::SyntaxId call);
void read_bind(Context& c, text::SyntaxId call);
void read_reads(Context& c, text::SyntaxId call);
void read_writes(Context& c, text::SyntaxId call);
void read_block_attrs(Context& c, text::SyntaxId call);

}  // namespace mlf::tir::legacy
