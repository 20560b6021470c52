#include "tir/tvmscript/frames.h"

#include <fmt/core.h>

#include "support/error.h"

namespace mlf::tir::tvmscript {

void Frames::open(Frame frame) {
  if (frames_.size() >= c_.limits.max_nesting) {
    support::fail_at(c_.source, frame.begin,
                     fmt::format("statements nested deeper than {} levels", c_.limits.max_nesting));
  }
  frame.first_stmt = stmts_.size();
  frame.first_scope = scopes_.size();
  frame.name_mark = c_.names.mark();
  frames_.push_back(frame);
}

void Frames::add_scope(Kind kind, std::uint8_t body, std::initializer_list<FieldValue> fields) {
  scopes_.push_back({kind, body, fields_.size()});
  fields_.insert(fields_.end(), fields);
}

/// What stands since `first` as one statement: TVM prints sequences flat.
NodeId Frames::take_sequence(std::size_t first) {
  NodeId node = NodeId::none;
  if (stmts_.size() == first + 1) {
    node = stmts_.back();
  } else {
    node = c_.builder.make(Kind::SeqStmt, {c_.builder.list(std::span(stmts_).subspan(first))});
  }
  stmts_.resize(first);
  return node;
}

NodeId Frames::wrap(NodeId body, std::size_t first_scope, SourceRange range) {
  for (; scopes_.size() > first_scope; scopes_.pop_back()) {
    const Scope& scope = scopes_.back();
    const auto fields = std::span(fields_).subspan(scope.first_field);
    fields[scope.body] = body;
    body = c_.builder.make(scope.kind, fields);
    c_.builder.set_source_range(body, range);
    fields_.erase(fields_.begin() + static_cast<std::ptrdiff_t>(scope.first_field), fields_.end());
  }
  return body;
}

void Frames::close(std::uint32_t end) {
  const Frame frame = frames_.back();
  const SourceRange range{frame.begin, end};
  NodeId node = wrap(take_sequence(frame.first_stmt), frame.first_scope, range);
  frames_.pop_back();
  c_.names.release(frame.name_mark);
  switch (frame.kind) {
    case FrameKind::then_branch:
      node = c_.builder.make(Kind::IfThenElse, {frame.condition, node, NodeId::none});
      break;
    case FrameKind::else_branch:
      node = c_.builder.make(Kind::IfThenElse, {frame.condition, frame.then_case, node});
      break;
    case FrameKind::block:
      node = make_block(node);
      break;
    case FrameKind::init:
      blocks_.back().init = node;
      return;
    default:
      break;
  }
  if (frame.kind != FrameKind::scoped) c_.builder.set_source_range(node, range);
  stmts_.push_back(node);
}

void Frames::start_else() {
  Frame& frame = frames_.back();
  frame.then_case = take_sequence(frame.first_stmt);
  frame.kind = FrameKind::else_branch;
  c_.names.release(frame.name_mark);
}

NodeId Frames::finish() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  const NodeId body = take_sequence(frame.first_stmt);
  c_.names.release(frame.name_mark);
  return body;
}

NodeId Frames::make_block(NodeId body) {
  const BlockDraft draft = std::move(blocks_.back());
  blocks_.pop_back();
  Builder& b = c_.builder;
  const NodeId block =
      b.make(Kind::Block, {b.list(draft.iter_vars), b.list(draft.reads), b.list(draft.writes),
                           b.string(draft.name), body, draft.init, b.list(draft.alloc_buffers),
                           b.list(draft.match_buffers), b.map(draft.annotations)});
  if (draft.realize == BlockDraft::Realize::no) return block;
  const NodeId predicate = draft.predicate == NodeId::none ? c_.make.boolean(1) : draft.predicate;
  return b.make(Kind::BlockRealize, {b.list(draft.iter_values), predicate, block});
}

}  // namespace mlf::tir::tvmscript
