// The blocks of a function body that are open while its statements are read.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tir/c/read/context.h"

namespace mlf::tir::c {

/// A block, or a statement whose body is the rest of its block: C prints those without braces.
struct Block {
  enum class Kind : std::uint8_t {
    body,
    bare,  ///< braces that belong to nothing
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
  Kind kind = Kind::body;
  std::size_t first = 0;          ///< its first statement among those that are complete
  std::uint32_t begin = 0;        ///< byte of the source
  NodeId var = NodeId::none;      ///< loop, let, allocate
  NodeId value = NodeId::none;    ///< extent, condition, value of a let, size
  NodeId other = NodeId::none;    ///< then branch; value of the first branch
  DType dtype{};                  ///< allocate
  std::string_view name{};        ///< if_value: what its branches set; allocate: the variable
  std::string_view device{};      ///< allocate: type and number of the device
  bool is_released = false;       ///< allocate: a workspace that was released before an inner one
  bool stores_arguments = false;  ///< an `if` around the type codes of an argument

  bool is_rest_of_block() const { return kind >= Kind::let; }
};

/// A stack of blocks, and of the statements that are complete in them.
class Blocks {
 public:
  explicit Blocks(FunctionContext& context) : context_(context) {}

  /// Begins a block with the next statement.
  void open(Block block);
  /// Goes on with a block that was closed, as its second branch.
  void open_again(const Block& block);
  /// Takes the innermost block from the stack; its statements are still there for `sequence`.
  Block close();
  Block& innermost() { return open_.back(); }
  /// The innermost block with braces of its own.
  Block& with_braces() { return open_[braced_.back()]; }
  /// How often a block was opened or closed, or a statement completed.
  std::size_t changes() const { return changes_; }
  bool is_body_alone() const { return open_.size() == 1; }

  /// Adds a statement that began at this byte and ends before the cursor.
  void complete(NodeId statement, std::uint32_t begin) { complete(statement, begin, begin); }
  /// The same of a call whose arguments are stored by statements from the byte `prepared` on.
  void complete(NodeId statement, std::uint32_t begin, std::uint32_t prepared);
  bool is_empty(const Block& block) const { return complete_.size() == block.first; }
  /// All statements of a block as one; there are none any more.
  NodeId sequence(const Block& block);

  /// Ends the lets and allocations whose body is the rest of the block that ends here.
  /// @throws support::Error where one of them is a workspace that was not released
  void close_rest_of_block();
  /// Ends the allocation of the workspace `name` on `device`, and the lets inside of it. Where an
  /// inner workspace is not released yet, the allocation ends with its block instead.
  /// @throws support::Error where it is not allocated in this block
  void release(std::string_view name, std::string_view device);

 private:
  void push(const Block& block);
  void complete_innermost();
  Block& allocated(std::string_view name, std::string_view device);
  bool holds_workspace(const Block& outer) const;

  FunctionContext& context_;
  std::vector<Block> open_;
  std::vector<std::size_t> braced_;  // those of `open_` that have braces
  std::vector<NodeId> complete_;
  std::size_t changes_ = 0;
};

}  // namespace mlf::tir::c
