// Statements whose bodies have not come yet.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tir/text/expr_factory.h"
#include "tir/text/lexer.h"

namespace mlf::tir::text {

/// What a statement is made of beside its body, in the order of its row.
struct StatementDraft {
  Kind kind = Kind::SeqStmt;
  std::array<NodeId, 3> nodes{};
  StringId text = StringId::none;
  ListId list = ListId::none;
  ListId annotations = ListId::none;  ///< none: an empty map
  DType dtype{};
  ForKind for_kind = ForKind::serial;
};

/// The statement around its body. Of an IfThenElse with a branch in `nodes[1]` the body is the
/// other one.
NodeId make_statement(Builder& builder, const StatementDraft& draft, NodeId body);

struct BlockDraft {
  std::vector<NodeId> iter_vars;
  std::vector<NodeId> iter_values;
  std::vector<NodeId> reads;
  std::vector<NodeId> writes;
  std::vector<NodeId> alloc_buffers;
  std::vector<NodeId> match_buffers;
  std::vector<NamedNode> annotations;
  std::string name;
  NodeId predicate = NodeId::none;  ///< none: true
  NodeId init = NodeId::none;
};

/// The BlockRealize around the block around its body. Fails at the lexer's token where not every
/// variable has a value.
NodeId make_block(ExprFactory& make, const Lexer& lexer, const BlockDraft& draft, NodeId body);

}  // namespace mlf::tir::text
