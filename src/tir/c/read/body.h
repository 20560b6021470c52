// Reads the statements of one function body, on a stack of open blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "mlf/diagnostics.h"
#include "support/error.h"
#include "support/name_map.h"
#include "tir/c/read/context.h"
#include "tir/c/read/expressions.h"
#include "tir/c/read/function.h"
#include "tir/c/read/packed_calls.h"
#include "tir/text/statement_stack.h"

namespace mlf::tir::c {

/// A statement that keeps its text.
struct UnknownStatement {
  NodeId statement = NodeId::none;  ///< OpaqueStmt of type key "c"
  bool returns = false;             ///< it may leave the function
};

/// Makes OpaqueStmts of the statements that the reader does not understand.
class UnknownStatements {
 public:
  explicit UnknownStatements(FunctionContext& context) : context_(context) {}

  /// Skips the statement at the cursor and makes an OpaqueStmt, with the loss unknown-construct
  /// unless it only writes values or compares them.
  /// Fields: `text`, `is_inert`, and `calls` if a call of this function is its only possible
  /// effect. Returns nullopt if no statement begins here, or if there are too many of them: then
  /// the whole function is not understood.
  std::optional<UnknownStatement> pass(const Diagnostic& reason);

  /// Whether people add statements with this function, which write values or compare them, and
  /// keep no address.
  static bool may_only_read(std::string_view callee);

 private:
  // Users instrument each call. With more statements than this, TVM did not generate the function.
  static constexpr std::size_t kMost = 4096;

  /// The effect of a statement without names of this function.
  struct Effects {
    bool only_reads = false;    ///< it writes values or compares them
    bool is_harmless = false;   ///< it only computes values and calls functions
    std::string_view callee{};  ///< of its first call; empty: none
  };
  Effects effects_of(std::size_t begin, std::size_t end) const;
  bool is_of_function(std::string_view name) const;
  void taint(std::size_t begin, std::size_t end);

  FunctionContext& context_;
  std::size_t count_ = 0;
  /// Names that statements with an unknown effect use: they may refer to anything that the function
  /// knows.
  support::NameSet<std::string_view> tainted_;
};

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
  void open(Block block);
  /// Adds a statement around the contents of the innermost block, which is complete where it ends;
  /// `fields` has an undefined node for the body.
  void add_scope(Kind kind, std::initializer_list<FieldValue> fields) {
    stack_.add_scope(kind, fields);
  }
  /// Removes the innermost block from the stack; its statements remain for `sequence`.
  Block close();
  Block& innermost() { return stack_.top(); }
  /// The innermost block with its own braces.
  Block& with_braces() { return stack_.frames()[braced_.back()]; }
  /// The number of times that a block was opened or closed, or a statement completed.
  std::size_t changes() const { return changes_; }
  bool is_body_alone() const { return stack_.depth() == 1; }
  /// Whether the next statement is under no condition and in no loop.
  bool is_certain() const;

  /// Adds a statement that began at this byte and ends before the cursor.
  void complete(NodeId statement, std::uint32_t begin) { complete(statement, begin, begin); }
  /// The same for a call whose arguments are stored by statements from the byte `prepared` on.
  void complete(NodeId statement, std::uint32_t begin, std::uint32_t prepared);
  bool is_empty(const Block& block) const { return stack_.body(block).empty(); }
  /// Removes all statements of a block and returns them as one.
  NodeId sequence(const Block& block);
  /// The same, and adds the statement around them.
  void complete_scope(const Block& block);
  /// The IfThenElse whose last branch is `body`.
  NodeId make_branches(const Block& block, NodeId body) {
    return stack_.make_branches(block, body);
  }

  /// Ends the lets and allocations whose body is the rest of the block that ends here. @throws
  /// support::Error if one of them is a workspace that was not released
  void close_rest_of_block();
  /// Ends the allocation of the workspace `name` on `device`, and the lets inside of it. If an
  /// inner workspace is not released yet, the allocation ends with its block instead. @throws
  /// support::Error if it is not allocated in this block
  void release(std::string_view name, std::string_view device);

 private:
  Block& allocated(std::string_view name, std::string_view device);
  std::size_t place_of(const Block& block) const {
    return static_cast<std::size_t>(&block - stack_.frames().data());
  }
  bool holds_workspace(const Block& outer) const;

  FunctionContext& context_;
  text::StatementStack<Block> stack_{context_.builder()};
  std::vector<std::size_t> braced_;  // frames that have braces
  std::size_t changes_ = 0;
};

class BodyReader {
 public:
  BodyReader(FunctionContext& context, Params& params)
      : context_(context),
        cursor_(context.cursor),
        params_(params),
        exprs_(context),
        blocks_(context),
        packed_calls_(context),
        unknown_(context) {}

  /// Reads the statements up to the end of the tokens.
  NodeId read();

 private:
  struct Declared {
    std::string_view name{};
    DType dtype{};  ///< handle for a pointer
    DType pointee{};
    std::uint32_t begin = 0;
  };

  void statement_or_text();
  bool pass_instrument();
  void keep_text(std::size_t begin, const support::Error& reason);
  void statement();
  bool declaration();
  bool external_layer();
  bool ethos_u_launch();
  void declare_array(const Declared& declared);
  void open_allocation(const Declared& declared, NodeId var, NodeId extent, DType element,
                       std::string_view device);
  void declare_value(const Declared& declared);
  bool declare_workspace(const Declared& declared);
  NodeId place_in_pool(NodeId value);
  void let(const Declared& declared, NodeId value);
  void note_pointer(NodeId value);
  void assignment();
  void set_pending(std::string_view name);
  void store(const Operand& place, NodeId value, std::uint32_t begin);
  bool set_field(Node place, NodeId value);
  void loop();
  void while_();
  void if_();
  bool release_workspace();
  void check_return(NodeId condition, std::uint32_t begin);
  void void_call();
  void note_call(Node call);
  void note_layer(Node value);
  void open_branch(NodeId condition, std::uint32_t begin);
  bool while_condition(NodeId condition);
  void return_();
  void require_end();
  bool pass_status(std::uint32_t begin);
  bool returns_zero();
  Node asked_call(NodeId condition);
  bool is_failure_of_call(NodeId condition);
  void complete_check(Node checked, std::int64_t otherwise, std::uint32_t begin);
  bool checked_status(const Declared& declared, NodeId value);
  std::optional<std::int64_t> failure(std::string_view status);
  void pass_return_error();

  void close_block();
  void finish_branch(Block block);
  void finish_value(Block block);

  text::ExprFactory& make() { return context_.make(); }
  Builder& builder() { return context_.builder(); }
  Node node(NodeId id) { return builder().node(id); }

  FunctionContext& context_;
  Cursor& cursor_;
  Params& params_;
  ExprReader exprs_;
  Blocks blocks_;
  PackedCallReader packed_calls_;
  UnknownStatements unknown_;
  std::vector<NodeId> untyped_lets_;  // `void*`: the element type follows from the uses
  std::vector<std::string_view> words_;
  std::string_view pending_;  // condval that the next `if` sets
  DType pending_type_{};
  std::optional<std::uint32_t> prepared_;  // start of the arguments of the next packed call
  std::set<NodeId> statuses_;              // variables that hold the result of a call
  NodeId result_ = NodeId::none;
  bool is_returned_ = false;
};

}  // namespace mlf::tir::c
