#include "tir/text/statement_stack.h"

#include <fmt/core.h>

#include "support/error.h"

namespace mlf::tir::text {

// One place for the rows of all statements with a body: readers keep a draft while the body is
// open, and need not know the order of fields.
NodeId make_statement(Builder& builder, const StatementDraft& draft, NodeId body) {
  const auto& [a, b, c] = draft.nodes;
  const auto annotations = [&] {
    return draft.annotations != ListId::none ? draft.annotations
                                             : builder.map(std::span<const NamedNode>());
  };
  switch (draft.kind) {
    case Kind::LetStmt:
      return builder.make(Kind::LetStmt, {a, b, body});
    case Kind::AttrStmt:
      return builder.make(Kind::AttrStmt, {a, draft.text, b, body});
    case Kind::AssertStmt:
      return builder.make(Kind::AssertStmt, {a, b, body});
    case Kind::Allocate:
      return builder.make(Kind::Allocate, {a, draft.dtype, draft.list, b, body, annotations()});
    case Kind::AllocateConst:
      return builder.make(Kind::AllocateConst,
                          {a, b, NodeId::none, draft.dtype, draft.list, body, annotations()});
    case Kind::DeclBuffer:
      return builder.make(Kind::DeclBuffer, {a, body});
    case Kind::For:
      return builder.make(Kind::For, {a, b, c, draft.for_kind, body, NodeId::none, annotations()});
    case Kind::While:
      return builder.make(Kind::While, {a, body});
    case Kind::IfThenElse:
      // If the draft already has a branch, the body is the else case.
      if (b == NodeId::none) return builder.make(Kind::IfThenElse, {a, body, b});
      return builder.make(Kind::IfThenElse, {a, b, body});
    case Kind::BufferRealize:
      return builder.make(Kind::BufferRealize, {a, draft.list, b, body});
    case Kind::ProducerRealize:
      return builder.make(Kind::ProducerRealize, {a, draft.list, b, body, draft.text});
    default:
      throw support::Error(ErrorKind::internal, "a statement that has no body");
  }
}

// The Block describes the block, the BlockRealize the values of its variables; texts print the two
// as one.
NodeId make_block(ExprFactory& make, const BlockDraft& draft, NodeId body) {
  Builder& builder = make.builder();
  const NodeId block = builder.make(
      Kind::Block,
      {builder.list(draft.iter_vars), builder.list(draft.reads), builder.list(draft.writes),
       builder.string(draft.name), body, draft.init, builder.list(draft.alloc_buffers),
       builder.list(draft.match_buffers), builder.map(draft.annotations)});
  if (draft.realize == BlockDraft::Realize::no) return block;
  const NodeId predicate = draft.predicate != NodeId::none ? draft.predicate : make.boolean(1);
  return builder.make(Kind::BlockRealize, {builder.list(draft.iter_values), predicate, block});
}

NodeId close_block(ExprFactory& make, const Lexer& lexer, std::vector<BlockDraft>& open,
                   NodeId body) {
  const BlockDraft draft = std::move(open.back());
  open.pop_back();
  if (draft.iter_values.size() != draft.iter_vars.size()) {
    lexer.fail(
        fmt::format("expected a line 'bind(variable, value)' for each of the {} "
                    "variables of block \"{}\", found {}",
                    draft.iter_vars.size(), draft.name, draft.iter_values.size()));
  }
  return make_block(make, draft, body);
}

}  // namespace mlf::tir::text
