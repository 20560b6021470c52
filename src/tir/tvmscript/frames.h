// The statements that are still open: suites, scopes that cover the rest of one, branches, blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "tir/text/statement_stack.h"
#include "tir/tvmscript/context.h"

namespace mlf::tir::tvmscript {

enum class FrameKind : std::uint8_t { function, scoped, then_branch, else_branch, block, init };

/// A suite, or the rest of one under a concise statement.
struct Frame {
  FrameKind kind;
  std::uint32_t indent;         ///< of its statements
  std::uint32_t header_indent;  ///< of the line that opened it
  std::uint32_t begin;          ///< where that line begins in the source
  std::size_t first = 0;        ///< of its statements, on the stack
  std::size_t first_scope = 0;
  std::size_t name_mark = 0;
  NodeId condition = NodeId::none;  ///< of branches
  NodeId then_case = NodeId::none;
};

class Frames {
 public:
  explicit Frames(Context& context) : c_(context) {}

  /// Opens a frame whose names, statements and scopes end with it.
  void open(Frame frame);
  /// Adds a statement around whatever the innermost frame will hold; `fields` has an undefined
  /// node for the body, at position `body`. Scopes added later are inside of earlier ones.
  void add_scope(Kind kind, std::uint8_t body, std::span<const FieldValue> fields);
  void add_scope(Kind kind, std::uint8_t body, std::initializer_list<FieldValue> fields) {
    add_scope(kind, body, std::span(fields.begin(), fields.size()));
  }
  void add(NodeId stmt) { stack_.add(stmt); }
  /// Closes the innermost frame and adds what became of it to the one around.
  void close(std::uint32_t end);
  /// Turns the innermost frame, a then branch, into the else branch.
  void start_else();
  /// Closes the last frame, that of the function; gives the body.
  NodeId finish();

  Frame& top() { return stack_.top(); }
  std::size_t depth() const { return stack_.depth(); }
  std::vector<text::BlockDraft>& blocks() { return blocks_; }

 private:
  struct Scope {
    Kind kind;
    std::uint8_t body;
    std::size_t first_field;
  };

  NodeId wrap(NodeId body, std::size_t first_scope, SourceRange range);

  Context& c_;
  text::StatementStack<Frame> stack_{c_.builder};
  std::vector<Scope> scopes_;
  std::vector<FieldValue> fields_;
  std::vector<text::BlockDraft> blocks_;
};

}  // namespace mlf::tir::tvmscript
