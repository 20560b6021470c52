// Statements whose bodies are not complete, on a stack: texts nest deeper than the call stack
// allows.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tir/text/expr_factory.h"
#include "tir/text/lexer.h"

namespace mlf::tir::text {

/// The open frames, innermost last, and the complete statements in each. `Frame` has a dialect's
/// data of an open construct; the stack uses its `std::size_t first`.
template <class Frame>
class StatementStack {
 public:
  explicit StatementStack(Builder& builder) : builder_(builder) {}

  bool empty() const { return frames_.empty(); }
  std::size_t depth() const { return frames_.size(); }
  Frame& top() { return frames_.back(); }

  /// Opens a frame: its body consists of the statements added from here on.
  Frame& open(Frame frame) {
    frame.first = done_.size();
    return frames_.emplace_back(std::move(frame));
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

 private:
  NodeId take(const Frame& frame, NodeId statement) {
    done_.resize(frame.first);
    return statement;
  }

  Builder& builder_;
  std::vector<Frame> frames_;
  std::vector<NodeId> done_;
};

/// The fields of a statement except its body, in the order of its row.
struct StatementDraft {
  Kind kind = Kind::SeqStmt;
  std::array<NodeId, 3> nodes{};
  StringId text = StringId::none;
  ListId list = ListId::none;
  ListId annotations = ListId::none;  ///< none: an empty map
  DType dtype{};
  ForKind for_kind = ForKind::serial;
};

/// The statement around its body. For an IfThenElse with a branch in `nodes[1]`, the body is the
/// other branch.
NodeId make_statement(Builder& builder, const StatementDraft& draft, NodeId body);

struct BlockDraft {
  enum class Realize : std::uint8_t { yes, no };

  std::vector<NodeId> iter_vars;
  std::vector<NodeId> iter_values;
  std::vector<NodeId> reads;
  std::vector<NodeId> writes;
  std::vector<NodeId> alloc_buffers;
  std::vector<NodeId> match_buffers;
  std::vector<NamedNode> annotations;
  EntryNames annotation_names;
  std::string name;
  NodeId predicate = NodeId::none;  ///< none: true
  NodeId init = NodeId::none;
  Realize realize = Realize::yes;
};

/// The block around its body, and the BlockRealize around that.
NodeId make_block(ExprFactory& make, const BlockDraft& draft, NodeId body);
/// Removes the innermost of the open blocks and makes it. Fails at the lexer's token if a variable
/// of the block has no value.
NodeId close_block(ExprFactory& make, const Lexer& lexer, std::vector<BlockDraft>& open,
                   NodeId body);

}  // namespace mlf::tir::text
