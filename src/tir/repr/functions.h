// Functions of the repr text: `PrimFunc([parameters]) attrs={…} {`, and a body.
#pragma once

#include "tir/repr/context.h"
#include "tir/repr/expressions.h"
#include "tir/repr/statements.h"
#include "tir/repr/values.h"
#include "tir/text/lexer.h"

namespace mlf::tir::repr {

class FunctionReader {
 public:
  FunctionReader(Context& context, text::Lexer& lexer)
      : context_(context),
        lexer_(lexer),
        exprs_(context, lexer),
        attr_values_(context, lexer, exprs_),
        statements_(context, lexer, exprs_, attr_values_) {}

  /// Reads from `PrimFunc` to the closing brace.
  NodeId read();

 private:
  std::vector<NodeId> params();
  NodeId attributes();
  void forget();
  NodeId ret_type(std::uint32_t first) const;
  const text::Token& token() const { return lexer_.token(); }

  Context& context_;
  text::Lexer& lexer_;
  ExprReader exprs_;
  ValueReader attr_values_;
  StatementReader statements_;
};

}  // namespace mlf::tir::repr
