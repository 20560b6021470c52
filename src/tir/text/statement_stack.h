// Statements whose bodies are not complete, on a stack: texts nest deeper than the call stack
// allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tir/text/expr_factory.h"
#include "tir/text/lexer.h"

namespace mlf::tir::text {

/// The open frames, innermost last, and the complete statements in each. A frame may have
/// statements around its body, its scopes. `Frame` has a dialect's data of an open construct; the
/// stack uses its `begin`, `first`, `first_scope`, `condition` and `then_case`.
template <class Frame>
class StatementStack {
 public:
  explicit StatementStack(Builder& builder) : builder_(builder) {}

  bool empty() const { return frames_.empty(); }
  std::size_t depth() const { return frames_.size(); }
  Frame& top() { return frames_.back(); }
  std::span<Frame> frames() { return frames_; }
  std::span<const Frame> frames() const { return frames_; }

  /// Opens a frame: its body consists of the statements added from here on.
  Frame& open(Frame frame) {
    frame.first = done_.size();
    frame.first_scope = scopes_.size();
    return frames_.emplace_back(std::move(frame));
  }
  /// Adds a statement around the contents of the innermost frame, inside of its other scopes;
  /// `fields` has an undefined node for the body.
  void add_scope(Kind kind, std::span<const FieldValue> fields) {
    scopes_.push_back({kind, fields_.size()});
    fields_.insert(fields_.end(), fields.begin(), fields.end());
  }
  void add_scope(Kind kind, std::initializer_list<FieldValue> fields) {
    add_scope(kind, std::span(fields.begin(), fields.size()));
  }
  /// Closes the innermost frame. Its body stays on the stack until it is removed.
  Frame close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    return frame;
  }

  /// Discards all frames and statements.
  void clear() {
    frames_.clear();
    done_.clear();
    scopes_.clear();
    fields_.clear();
  }

  void add(NodeId statement) { done_.push_back(statement); }
  std::span<const NodeId> body(const Frame& frame) const {
    return std::span(done_).subspan(frame.first);
  }
  /// The body of a frame as one statement, as TVM prints it: a SeqStmt of one looks like its only
  /// statement, and becomes it.
  NodeId take_body(const Frame& frame) {
    if (body(frame).size() != 1) return take_sequence(frame);
    return take(frame, body(frame).front());
  }
  /// The body of a frame as a SeqStmt, for any number of statements.
  NodeId take_sequence(const Frame& frame) {
    return take(frame, builder_.make(Kind::SeqStmt, {builder_.list(body(frame))}));
  }
  /// The scopes of a frame around its body, which end at `end` of the source; nothing: they have no
  /// ranges.
  NodeId take_scopes(const Frame& frame, NodeId body, std::optional<std::uint32_t> end) {
    for (; scopes_.size() > frame.first_scope; scopes_.pop_back()) {
      const Scope& scope = scopes_.back();
      const auto fields = std::span(fields_).subspan(scope.first_field);
      fields[*field_named(scope.kind, "body")] = body;
      body = builder_.make(scope.kind, fields);
      if (end) builder_.set_source_range(body, {frame.begin, *end});
      fields_.erase(fields_.end() - static_cast<std::ptrdiff_t>(fields.size()), fields_.end());
    }
    return body;
  }
  /// The IfThenElse whose last branch is `body`.
  NodeId make_branches(const Frame& frame, NodeId body) {
    if (frame.then_case == NodeId::none) {
      return builder_.make(Kind::IfThenElse, {frame.condition, body, NodeId::none});
    }
    return builder_.make(Kind::IfThenElse, {frame.condition, frame.then_case, body});
  }

 private:
  struct Scope {
    Kind kind;
    std::size_t first_field;
  };

  NodeId take(const Frame& frame, NodeId statement) {
    done_.resize(frame.first);
    return statement;
  }

  Builder& builder_;
  std::vector<Frame> frames_;
  std::vector<NodeId> done_;
  std::vector<Scope> scopes_;
  std::vector<FieldValue> fields_;  // of all scopes, which end in the reverse order
};

}  // namespace mlf::tir::text
