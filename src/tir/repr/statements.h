// Statements of the repr text into IR, on a stack of what has not ended yet. Lets, attributes,
// assertions, allocations and declarations end nowhere in the text: each one covers the rest of its
// block.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tir/repr/context.h"
#include "tir/repr/expressions.h"
#include "tir/repr/values.h"
#include "tir/text/lexer.h"
#include "tir/text/statement_stack.h"

namespace mlf::tir::repr {

class StatementReader {
 public:
  StatementReader(Context& context, text::Lexer& lexer, ExprReader& exprs, ValueReader& values)
      : context_(context), lexer_(lexer), exprs_(exprs), attr_values_(values) {}

  /// The body of a function, from its opening to its closing brace.
  NodeId body();

 private:
  enum class Open : std::uint8_t {
    function,
    braces,
    then_case,
    block,
    init,
    rest,     ///< covers the rest of the block
    else_if,  ///< ends with the statement behind it
  };
  struct Frame {
    Open open = Open::function;
    std::uint32_t begin = 0;  // offset of the statement
    std::size_t first = 0;    // of the stack
    std::size_t names = 0;    // mark of the names that it defines
    text::StatementDraft draft{};
  };
  struct Allocation {
    std::string_view name;
    DType dtype;
    std::vector<NodeId> extents;
  };
  void statement();
  void expression_statement(std::uint32_t begin);
  bool word_statement(std::uint32_t begin);
  void assignment(std::uint32_t begin, text::SyntaxId root);
  void store(std::uint32_t begin, text::SyntaxId target, text::SyntaxId stored);
  void let(std::uint32_t begin, text::SyntaxId root);
  void attr(std::uint32_t begin);
  void assertion(std::uint32_t begin);
  void allocate(std::uint32_t begin);
  void constant(std::uint32_t begin);
  Allocation allocation();
  void open_allocation(std::uint32_t begin, Kind kind, const Allocation& what,
                       std::string_view scope, NodeId second);
  std::string_view scope_of_allocation();
  void declare(std::uint32_t begin);
  void loop(std::uint32_t begin);
  void while_(std::uint32_t begin);
  void if_(std::uint32_t begin);
  void realize(std::uint32_t begin);
  std::vector<NodeId> bounds(text::SyntaxId root);
  void prefetch(std::uint32_t begin);

  void block(std::uint32_t begin);
  bool block_line();
  void block_call(text::SyntaxId call);
  void bind(text::SyntaxId call);
  bool block_buffer(text::SyntaxId name, text::SyntaxId call);
  std::vector<NodeId> regions(text::SyntaxId list);
  NodeId finish_block(NodeId body);

  Frame& open(Frame frame);
  void close_brace();
  void complete(NodeId statement, std::uint32_t begin);
  void close_else_ifs();
  bool goes_on_with_else(const Frame& frame, NodeId then_case);
  void end_of_line();

  const text::Token& token() const { return lexer_.token(); }

  Context& context_;
  text::Lexer& lexer_;
  ExprReader& exprs_;
  ValueReader& attr_values_;
  text::StatementStack<Frame> statements_{context_.builder};
  std::vector<text::BlockDraft> blocks_;
  NodeId result_ = NodeId::none;
};

}  // namespace mlf::tir::repr
