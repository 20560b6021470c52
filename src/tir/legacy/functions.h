// Functions of the legacy text: `primfn(…) -> type`, the sections of its header, and its body.
#pragma once

#include <string_view>
#include <vector>

#include "tir/legacy/context.h"
#include "tir/legacy/expressions.h"
#include "tir/legacy/statements.h"
#include "tir/text/lexer.h"

namespace mlf::tir::legacy {

class FunctionReader {
 public:
  FunctionReader(Context& context, text::Lexer& lexer)
      : context_(context),
        lexer_(lexer),
        exprs_(context, lexer),
        statements_(context, lexer, exprs_) {}

  /// Reads from `primfn` to the closing brace.
  NodeId primfn();
  /// Reads bare statements up to the end of the text as the body of a function without parameters.
  NodeId fragment();

 private:
  struct Header {
    std::vector<NodeId> params;
    NodeId ret_type = NodeId::none;
    NodeId attrs = NodeId::none;
    std::vector<NodePair> buffer_map;
    std::vector<NodePair> preflattened;
    bool has_preflattened = false;
  };

  void params(Header& header);
  void return_type(Header& header);
  void tuple_type(Header& header);
  bool section(Header& header);
  template <class Entry>
  void braces(Entry&& entry);
  NodeId attributes();
  void buffer_map(std::vector<NodePair>& into);
  NodeId make(const Header& header, NodeId body);
  const text::Token& token() const { return lexer_.token(); }

  Context& context_;
  text::Lexer& lexer_;
  ExprReader exprs_;
  StatementReader statements_;
};

}  // namespace mlf::tir::legacy
