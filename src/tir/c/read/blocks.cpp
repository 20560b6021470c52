#include "tir/c/read/blocks.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

namespace mlf::tir::c {

void Blocks::push(const Block& block) {
  ++changes_;
  if (!block.is_rest_of_block()) braced_.push_back(open_.size());
  open_.push_back(block);
}

void Blocks::open(Block block) {
  block.first = complete_.size();
  push(block);
}

void Blocks::open_again(const Block& block) {
  push(block);
}

Block Blocks::close() {
  ++changes_;
  const Block block = open_.back();
  open_.pop_back();
  if (!block.is_rest_of_block()) braced_.pop_back();
  return block;
}

/// Ranges refer to one file. Functions of the others have none.
void Blocks::complete(NodeId statement, std::uint32_t begin, std::uint32_t prepared) {
  const Cursor& cursor = context_.cursor;
  if (&cursor.source() == context_.module.primary) {
    context_.builder().set_source_range(statement, {begin, cursor.peek().begin});
  }
  context_.module.note_place(statement, prepared, cursor.end_before());
  complete_.push_back(statement);
  ++changes_;
}

/// The nesting of sequences is not printed: one statement has none, and a block without any is
/// `Evaluate(0)`, as TVM makes of a statement that was removed.
NodeId Blocks::sequence(const Block& block) {
  const auto first = complete_.begin() + static_cast<std::ptrdiff_t>(block.first);
  const std::span<const NodeId> statements(first, complete_.end());
  NodeId result = NodeId::none;
  if (statements.empty()) {
    result = context_.builder().make(Kind::Evaluate, {context_.make().int32(0)});
  } else if (statements.size() == 1) {
    result = statements.front();
  } else {
    result = context_.builder().make(Kind::SeqStmt, {context_.builder().list(statements)});
  }
  complete_.resize(block.first);
  return result;
}

/// Makes the let or allocation that is innermost, with the statements behind it for a body.
void Blocks::complete_innermost() {
  const Block block = close();
  Builder& builder = context_.builder();
  const NodeId body = sequence(block);
  if (block.kind == Block::Kind::let) {
    return complete(builder.make(Kind::LetStmt, {block.var, block.value, body}), block.begin);
  }
  // The condition of an Allocate is always true after the lowering passes.
  const ListId no_annotations = builder.map(std::span<const NamedNode>());
  complete(builder.make(Kind::Allocate, {block.var, block.dtype, builder.list({block.value}),
                                         context_.make().boolean(1), body, no_annotations}),
           block.begin);
}

/// Arrays and variables end with their block, a workspace with the call that frees it.
void Blocks::close_rest_of_block() {
  while (innermost().is_rest_of_block()) {
    const Block& block = innermost();
    if (!block.device.empty() && !block.is_released) {
      context_.cursor.fail(fmt::format("'{}' is never released", block.name));
    }
    complete_innermost();
  }
}

/// The allocation `name` in the block with the innermost braces.
Block& Blocks::allocated(std::string_view name, std::string_view device) {
  for (std::size_t i = open_.size(); i > 0 && open_[i - 1].is_rest_of_block(); --i) {
    Block& block = open_[i - 1];
    if (block.kind != Block::Kind::allocate || block.name != name) continue;
    if (block.device == device && !block.is_released) return block;
    context_.cursor.fail(fmt::format("'{}' is of another device or was released", name));
  }
  context_.cursor.fail(fmt::format("'{}' is not allocated here", name));
}

/// Whether a workspace inside of `outer` is not released yet.
bool Blocks::holds_workspace(const Block& outer) const {
  const auto inner = open_.begin() + (&outer - open_.data()) + 1;
  return std::any_of(inner, open_.end(), [](const Block& block) {
    return !block.device.empty() && !block.is_released;
  });
}

/// TVM releases workspaces in the reverse order of their allocation. An Allocate can say no other
/// order.
void Blocks::release(std::string_view name, std::string_view device) {
  Block& block = allocated(name, device);
  if (holds_workspace(block)) {
    block.is_released = true;
    context_.losses.add(LossCode::unknown_construct, "the order in which workspaces are released");
    return;
  }
  const std::size_t outside = static_cast<std::size_t>(&block - open_.data());
  while (open_.size() > outside) complete_innermost();
}

}  // namespace mlf::tir::c
