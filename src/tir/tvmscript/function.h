// A function of a script that is being read, line by line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mlf/tir/builder.h"
#include "tir/text/statement_stack.h"
#include "tir/tvmscript/context.h"
#include "tir/tvmscript/forms.h"

namespace mlf::tir::tvmscript {

/// The place where a text defines a buffer that blocks may access: buffers of parameters and of the
/// root block come first, with the order 0.
struct BufferDefinition {
  std::uint32_t order;
  NodeId buffer;
};
using AccessibleBuffers = std::unordered_map<NodeId, BufferDefinition>;  // by data pointer

/// A block without T.reads or T.writes in the text.
struct IncompleteBlock {
  NodeId block;
  std::uint32_t first_definition;  ///< order of the first buffer that is defined inside of it
  bool states_reads;
  bool states_writes;
  bool is_outermost;
};

/// Sets the reads and writes that a block does not state. Blocks inside of it are complete. A
/// region that TVM would narrow further becomes the whole dimension, and a loss.
void complete_block(Context& c, const AccessibleBuffers& buffers, const IncompleteBlock& block);

enum class FrameKind : std::uint8_t { function, scoped, then_branch, else_branch, block, init };

/// A suite, or the rest of one under a concise statement.
struct Frame {
  FrameKind kind;
  std::uint32_t indent;         ///< of its statements
  std::uint32_t header_indent;  ///< of the line that opened it
  std::uint32_t begin;          ///< place of that line in the source
  std::size_t name_mark = 0;
  // Of the stack:
  std::size_t first = 0;
  std::size_t first_scope = 0;
  NodeId condition = NodeId::none;
  NodeId then_case = NodeId::none;
};

/// A block until its last line.
struct OpenBlock : text::BlockDraft {
  bool states_reads = false;
  bool states_writes = false;
  std::uint32_t first_definition = 0;  ///< order of the first buffer that is defined inside
};

class Frames : private text::StatementStack<Frame> {
 public:
  explicit Frames(Context& context) : StatementStack(context.builder), c_(context) {}

  using StatementStack::add;
  using StatementStack::add_scope;
  using StatementStack::depth;
  using StatementStack::top;

  /// Opens a frame; its names, statements and scopes end with it.
  void open(Frame frame);
  /// Closes the innermost frame and adds its statement to the frame around it.
  void close(std::uint32_t end);
  /// Turns the innermost frame, a then branch, into the else branch.
  void start_else();
  /// Closes the last frame, that of the function; returns the body.
  NodeId finish();

  std::vector<OpenBlock>& blocks() { return blocks_; }
  void open_block(OpenBlock block);

  /// Records that later blocks may access a buffer.
  void define(NodeId buffer);
  /// The same for a parameter's buffer, or one of the root block.
  void define_outside(NodeId buffer);

  /// Adds what TVM's parser adds after it has read a function: the root block, with the buffers
  /// that are allocated outside of any block, and the reads and writes of blocks that do not state
  /// them. Returns the body.
  NodeId complete(NodeId body, const std::vector<NodeId>& root_buffers);

 private:
  NodeId close_block(NodeId body);

  Context& c_;
  std::vector<OpenBlock> blocks_;
  AccessibleBuffers accessible_;
  std::uint32_t definitions_ = 0;
  std::vector<IncompleteBlock> incomplete_;  // innermost first
  bool has_realized_block_ = false;
};

enum class Visibility : std::uint8_t { exported, hidden };

/// A function after its text and before its node: missing facts may follow from the rest of the
/// module.
struct FunctionDraft {
  std::string_view name;
  Visibility visibility = Visibility::exported;
  SourceRange range;
  std::vector<NodeId> params;
  std::vector<NodePair> buffer_map;
  std::vector<NodePair> preflattened_buffer_map;
  std::vector<NamedNode> attrs;
  EntryNames attr_names;
  bool states_attrs = false;  ///< has a T.func_attr, possibly an empty one
  NodeId ret_type = NodeId::none;
  NodeId body = NodeId::none;
};

struct LoopRange {
  NodeId min;
  NodeId extent;
};

/// The state of the function that is being read.
struct FunctionState {
  FunctionState(Context& context, FunctionDraft& function) : draft(function), frames(context) {}

  FunctionDraft& draft;
  Frames frames;
  std::uint32_t line_begin = 0;  ///< of the current line
  std::uint32_t line_end = 0;    ///< of the last line
  bool expects_suite = false;    ///< the last line opened a frame whose indentation is still
                                 ///< unknown
  std::unordered_map<NodeId, LoopRange> loop_ranges;         ///< by loop variable
  std::unordered_map<NodeId, std::string_view> thread_tags;  ///< by env_thread variable
  std::unordered_set<NodeId> parameters;                     ///< set when it is first needed
  /// Declarations that loops have already read, by line.
  std::unordered_map<std::uint32_t, NodeId> declared_ahead;
  /// Variables and buffers that no statement has set yet.
  std::unordered_set<NodeId> declared;
  /// Allocated outside of any block.
  std::vector<NodeId> root_buffers;
};

/// Reads a function from `def` to the last line of its body.
void read_function(Context& c, FunctionDraft& draft);

// --- Lines -------------------------------------------------------------------------------------

/// The extent of a scope: TVM calls the first form concise.
enum class Reach : std::uint8_t { rest_of_suite, own_suite };

/// Adds a statement of one line to the innermost frame.
void add_statement(Context& c, NodeId stmt);
void open_frame(Context& c, FrameKind kind, Reach reach);
/// Reads the colon that ends the line above a suite.
void end_header(Context& c);
void end_line(Context& c);

/// Adds the statement that stores a value in a buffer.
void add_store(Context& c, NodeId buffer, const std::vector<NodeId>& indices, const Value& value);

/// Whether the current word is a name although it is a Python keyword: TVM prints names that are
/// keywords unchanged, `for = T.int32()`.
bool is_plain_name(Context& c);
/// The name that an assignment sets; fails for any other target.
std::string_view target_name(Context& c, SyntaxId target);
/// Binds a name to a node, if both exist.
void bind(Context& c, std::string_view name, NodeId node);
/// Records that `node` is declared and not set by a statement yet; returns it.
NodeId declare(Context& c, NodeId node);
/// The earlier declaration of this name, once: a printer uses a name only once in a scope, so the
/// statement that sets it refers to that one.
NodeId declared(Context& c, std::string_view name, Kind kind);
/// The variable that a statement sets: a declared one, or a new one.
NodeId scope_var(Context& c, std::string_view name, NodeId type);

// --- Statements: statements.cpp ----------------------------------------------------------------

/// Closes the frames that the indentation of the current line ends.
void align(Context& c);
/// Reads one line.
void read_statement(Context& c);

// --- Statements around others: scopes.cpp ------------------------------------------------------

/// Opens a frame for the scope of a call of `form`; binds `name` to the call's result.
void open_scope(Context& c, const Form& form, std::string_view name, SyntaxId call, Reach reach);
void add_assert(Context& c, NodeId condition, NodeId message);

// --- Blocks, and calls that are lines: scopes.cpp ----------------------------------------------

/// Reads a line that is a call of `form`.
void read_line(Context& c, const Form& form, const Arguments& args);

/// The innermost block; fails at a call outside of any block.
OpenBlock& block_of(Context& c, const Arguments& args);
/// `with T.block("name"):`
void open_block(Context& c, const Arguments& args);
/// `with T.init():`
void open_init(Context& c, const Arguments& args);
/// The rest of the function under the comment `# with T.block("root"):`.
void open_root_block(Context& c);

// --- Definitions: definitions.cpp --------------------------------------------------------------

/// Whether `name = value` is a declaration, like `T.int32()` and `T.Buffer(…)`.
bool is_declaration(Context& c, SyntaxId value);
NodeId read_declaration(Context& c, std::string_view name, SyntaxId value);
/// `T.int32()`, `T.int64(is_size_var=True)`, `T.handle("float32", "global")`: types as functions.
NodeId typed_var(Context& c, std::string_view name, std::string_view callee, const Arguments& args);
/// `T.Var("x", "bfloat16")`, `T.SizeVar(…)`: types without a function.
NodeId constructed_var(Context& c, std::string_view name, const Arguments& args);
/// `vi, vj, vk = T.axis.remap("SSR", [i, j, k])`: each axis has the range of its loop.
void define_remap(Context& c, const std::vector<SyntaxId>& names, const Arguments& args);

/// Makes the buffer that a call declares. Its shape is the positional argument at `shape`; earlier
/// arguments belong to the call (the parameter of match_buffer).
NodeId declare_buffer(Context& c, std::string_view name, const Arguments& args, std::size_t shape);
/// The same for the call in the current line.
NodeId buffer_of_line(Context& c, std::string_view name, const Arguments& args, std::size_t shape);

/// The NDArray of a constant's elements; none (with a loss) if neither the text nor another source
/// has them. Without `elements`, the text has none at all.
NodeId constant_data(Context& c, std::string_view name, const std::optional<Value>& elements,
                     DType dtype, const std::vector<NodeId>& extents);

}  // namespace mlf::tir::tvmscript
