#include "tir/text/statement_stack.h"

namespace mlf::tir::text {

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

}  // namespace mlf::tir::text
