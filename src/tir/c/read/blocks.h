// The open blocks of a function body, and the statements in them.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tir/c/read/context.h"
#include "tir/text/statement_stack.h"

namespace mlf::tir::c {

enum class BlockKind : std::uint8_t {
  body,
  bare,  ///< braces without a statement
  loop,
  while_loop,
  then_case,
  else_case,
  if_value,  ///< branch of a conditional expression that is printed as a statement
  else_value,
  // Statements whose body is the rest of their block:
  let,
  allocate,
};

/// A block, or a statement whose body is the rest of its block: C prints such statements without
/// braces.
struct Block {
  BlockKind kind = BlockKind::body;
  std::size_t first = 0;  ///< of the stack
  std::size_t first_scope = 0;
  std::size_t first_name = SIZE_MAX;  ///< index of its first name
  std::uint32_t begin = 0;            ///< byte of the source
  NodeId condition = NodeId::none;    ///< of branches, and of a loop once it is known
  NodeId then_case = NodeId::none;    ///< else_value: the value of the first branch
  NodeId value = NodeId::none;        ///< if_value, else_value: what the branch has set
  DType dtype{};                      ///< the same: of the variable
  std::string_view name{};            ///< the same: the variable; allocate: its variable
  std::string_view device{};          ///< allocate: type and number of the device
  bool is_released = false;       ///< allocate: a workspace that was released before an inner one
  bool stores_arguments = false;  ///< an `if` around the type codes of an argument

  bool is_rest_of_block() const { return kind >= BlockKind::let; }
};

/// A stack of blocks, and of the completed statements in them.
class Blocks {
 public:
  explicit Blocks(FunctionContext& context) : context_(context) {}

  /// Begins a block with the next statement, or continues a closed one with its second branch.
  void open(Block block) {
    ++changes_;
    block.first_name = std::min(block.first_name, context_.names.count());
    if (!block.is_rest_of_block()) braced_.push_back(stack_.depth());
    stack_.open(block);
  }

  /// Adds a statement around the contents of the innermost block, which is complete where it ends;
  /// `fields` has an undefined node for the body.
  void add_scope(Kind kind, std::initializer_list<FieldValue> fields) {
    stack_.add_scope(kind, fields);
  }
  /// Removes the innermost block from the stack; its statements remain for `sequence`.
  Block close() {
    ++changes_;
    const Block block = stack_.close();
    if (!block.is_rest_of_block()) braced_.pop_back();
    return block;
  }

  Block& innermost() { return stack_.top(); }
  /// The innermost block with its own braces.
  Block& with_braces() { return stack_.frames()[braced_.back()]; }
  /// The number of times that a block was opened or closed, or a statement completed.
  std::size_t changes() const { return changes_; }
  bool is_body_alone() const { return stack_.depth() == 1; }
  /// Whether the next statement is under no condition and in no loop.
  bool is_certain() const {
    return std::ranges::none_of(braced_, [&](std::size_t at) {
      const BlockKind kind = stack_.frames()[at].kind;
      return kind != BlockKind::body && kind != BlockKind::bare;
    });
  }

  /// Adds a statement that began at this byte and ends before the cursor.
  void complete(NodeId statement, std::uint32_t begin) { complete(statement, begin, begin); }
  /// The same for a call whose arguments are stored by statements from the byte `prepared` on.
  /// Ranges refer to one file. Functions of the others have none.
  void complete(NodeId statement, std::uint32_t begin, std::uint32_t prepared) {
    const Cursor& cursor = context_.cursor;
    if (&cursor.source() == context_.module.primary) {
      context_.builder().set_source_range(statement, {begin, cursor.peek().begin});
    }
    context_.module.note_place(statement, prepared, cursor.end_before());
    stack_.add(statement);
    ++changes_;
  }

  bool is_empty(const Block& block) const { return stack_.body(block).empty(); }
  /// Removes all statements of a block and returns them as one. The nesting of sequences is not
  /// printed: one statement has none, and a block without any is `Evaluate(0)`, as TVM makes of a
  /// statement that was removed.
  NodeId sequence(const Block& block) {
    if (!is_empty(block)) return stack_.take_body(block);
    return context_.builder().make(Kind::Evaluate, {context_.make().int32(0)});
  }

  /// The same, and adds the statement around them.
  void complete_scope(const Block& block) {
    complete(stack_.take_scopes(block, sequence(block), std::nullopt), block.begin);
  }

  /// The IfThenElse whose last branch is `body`.
  NodeId make_branches(const Block& block, NodeId body) {
    return stack_.make_branches(block, body);
  }

  /// Ends the lets and allocations whose body is the rest of the block that ends here. Arrays and
  /// variables end with their block, a workspace with the call that frees it. @throws
  /// support::Error if one of them is a workspace that was not released
  void close_rest_of_block() {
    while (innermost().is_rest_of_block()) {
      const Block& block = innermost();
      if (!block.device.empty() && !block.is_released) {
        context_.cursor.fail(fmt::format("nothing that is understood releases '{}'", block.name));
      }
      complete_scope(close());
    }
  }

  /// Ends the allocation of the workspace `name` on `device`, and the lets inside of it. If an
  /// inner workspace is not released yet, the allocation ends with its block instead: TVM releases
  /// workspaces in the reverse order of their allocation, and an Allocate can say no other order.
  /// @throws support::Error if it is not allocated in this block
  void release(std::string_view name, std::string_view device) {
    Block& block = allocated(name, device);
    if (holds_workspace(block)) {
      block.is_released = true;
      context_.losses.add(LossCode::unknown_construct,
                          "the order in which workspaces are released");
      return;
    }
    const std::size_t outside = place_of(block);
    while (stack_.depth() > outside) complete_scope(close());
  }

 private:
  /// The allocation `name` in the block with the innermost braces.
  Block& allocated(std::string_view name, std::string_view device) {
    const std::span<Block> open = stack_.frames();
    for (std::size_t i = open.size(); i > 0 && open[i - 1].is_rest_of_block(); --i) {
      Block& block = open[i - 1];
      if (block.kind != BlockKind::allocate || block.name != name) continue;
      if (block.device == device && !block.is_released) return block;
      context_.cursor.fail(fmt::format("'{}' is of another device or was released", name));
    }
    context_.cursor.fail(fmt::format("'{}' is not allocated here", name));
  }

  std::size_t place_of(const Block& block) const {
    return static_cast<std::size_t>(&block - stack_.frames().data());
  }
  /// Whether a workspace inside of `outer` is not released yet.
  bool holds_workspace(const Block& outer) const {
    const std::span<const Block> open = stack_.frames();
    return std::ranges::any_of(open.subspan(place_of(outer) + 1), [](const Block& block) {
      return !block.device.empty() && !block.is_released;
    });
  }

  FunctionContext& context_;
  text::StatementStack<Block> stack_{context_.builder()};
  std::vector<std::size_t> braced_;  // frames that have braces
  std::size_t changes_ = 0;
};

}  // namespace mlf::tir::c
