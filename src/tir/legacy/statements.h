// Statements of the legacy text into IR, on a stack of the statements that wait for their bodies.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tir/legacy/context.h"
#include "tir/legacy/expressions.h"
#include "tir/text/lexer.h"
#include "tir/text/statement_stack.h"

namespace mlf::tir::legacy {

class StatementReader {
 public:
  StatementReader(Context& context, text::Lexer& lexer, ExprReader& exprs)
      : context_(context), lexer_(lexer), exprs_(exprs) {}

  /// The statement in braces at the lexer's token: several of them are a SeqStmt, and so are none.
  NodeId body();
  /// Statements up to the end of the text, without braces around them.
  NodeId fragment();

 private:
  /// What has been opened and not yet ended.
  enum class Open : std::uint8_t {
    body,      ///< braces around a body: of one statement inside of them there is no SeqStmt
    sequence,  ///< braces that are a SeqStmt
    fragment,  ///< no braces: the text's end closes it
    // Statements that cover the next one:
    statement,
    realize,  ///< with a parenthesis that is closed behind it
    then_case,
    block,
    init,
  };
  struct Frame {
    Open open = Open::body;
    std::uint32_t begin = 0;  // offset of the statement
    std::size_t first = 0;    // of the stack
    text::StatementDraft draft{};
  };
  NodeId run();
  void statement();
  void expression_statement(std::uint32_t begin);
  bool keyword_statement(text::SyntaxId root, std::uint32_t begin);
  void let(std::uint32_t begin, text::SyntaxId root);
  void assignment(std::uint32_t begin, text::SyntaxId root);
  void store(std::uint32_t begin, text::SyntaxId target, text::SyntaxId stored);
  NodeId make_store(text::SyntaxId target, std::span<const Value> parts, NodeId value,
                    NodeId predicate);
  void attr(std::uint32_t begin, text::SyntaxId node);
  void assertion(std::uint32_t begin, text::SyntaxId call);
  void allocate(std::uint32_t begin, text::SyntaxId call);
  void constant(std::uint32_t begin, text::SyntaxId call);
  void loop(std::uint32_t begin, text::SyntaxId call);
  void while_(std::uint32_t begin, text::SyntaxId call);
  void if_(std::uint32_t begin);
  void realize(std::uint32_t begin, Kind kind);
  void prefetch(std::uint32_t begin, text::SyntaxId call);
  ListId annotations();

  void block(std::uint32_t begin, text::SyntaxId call);
  NodeId iteration_variable(text::SyntaxId name, text::SyntaxId domain);
  NodeId iteration_node(NodeId range, text::SyntaxId name, IterVarType type);
  bool block_line();
  void block_call(text::SyntaxId call);
  void regions(text::SyntaxId call, std::vector<NodeId>& into);
  NodeId finish_block(NodeId body);

  void open(Frame frame);
  void open_body(std::uint32_t begin);
  void covered_body();
  void close_brace();
  void complete(NodeId statement, std::uint32_t begin);
  NodeId finish(const Frame& frame, NodeId body);
  NodeId sequence(const Frame& frame);
  bool goes_on_with_else(NodeId then_case);

  const text::Token& token() const { return lexer_.token(); }

  Context& context_;
  text::Lexer& lexer_;
  ExprReader& exprs_;
  text::StatementStack<Frame> statements_{context_.builder};
  std::vector<text::BlockDraft> blocks_;
  NodeId result_ = NodeId::none;
};

}  // namespace mlf::tir::legacy
