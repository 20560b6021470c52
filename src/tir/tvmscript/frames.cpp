#include "tir/tvmscript/frames.h"

#include <fmt/core.h>

#include "support/error.h"

namespace mlf::tir::tvmscript {

/// Frames nest as deep as the source says: on a stack of their own, with a limit.
void Frames::open(Frame frame) {
  if (stack_.depth() >= c_.limits.max_nesting) {
    support::fail_at(c_.source, frame.begin,
                     fmt::format("statements nested deeper than {} levels", c_.limits.max_nesting));
  }
  frame.first_scope = scopes_.size();
  frame.name_mark = c_.names.mark();
  stack_.open(frame);
}

/// The fields of all open scopes are in one vector: scopes end in the reverse order.
void Frames::add_scope(Kind kind, std::uint8_t body, std::span<const FieldValue> fields) {
  scopes_.push_back({kind, body, fields_.size()});
  fields_.insert(fields_.end(), fields.begin(), fields.end());
}

/// Puts the scopes since `first_scope` around `body`, the innermost one first.
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
  const Frame frame = stack_.close();
  const SourceRange range{frame.begin, end};
  NodeId node = wrap(stack_.take_body(frame), frame.first_scope, range);
  c_.names.release(frame.name_mark);
  switch (frame.kind) {
    case FrameKind::then_branch:
      node = c_.builder.make(Kind::IfThenElse, {frame.condition, node, NodeId::none});
      break;
    case FrameKind::else_branch:
      node = c_.builder.make(Kind::IfThenElse, {frame.condition, frame.then_case, node});
      break;
    case FrameKind::block:
      node = text::make_block(c_.make, blocks_.back(), node);
      blocks_.pop_back();
      break;
    case FrameKind::init:
      // The init of a block is not a statement of it.
      blocks_.back().init = node;
      return;
    default:
      break;
  }
  // A scope has its range from `wrap`.
  if (frame.kind != FrameKind::scoped) c_.builder.set_source_range(node, range);
  stack_.add(node);
}

/// Names of the then branch end with it.
void Frames::start_else() {
  Frame& frame = stack_.top();
  frame.then_case = stack_.take_body(frame);
  frame.kind = FrameKind::else_branch;
  c_.names.release(frame.name_mark);
}

NodeId Frames::finish() {
  const Frame frame = stack_.close();
  const NodeId body = stack_.take_body(frame);
  c_.names.release(frame.name_mark);
  return body;
}

}  // namespace mlf::tir::tvmscript
